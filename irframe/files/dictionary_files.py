"""Dictionaries in files: JSON as BEIR and MTEB write it, CBOR as ranx does."""

import codecs
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from irframe.errors import FileFormatError, IrframeError, spelled
from irframe.files.as_qrels import as_qrels
from irframe.files.as_runs import as_runs
from irframe.files.columns import to_arrow
from irframe.files.damage import whole
from irframe.files.formats import RUN, Format
from irframe.files.write_lines import columns_of

__all__ = ["is_nested", "may_be_nested", "parse_nested"]


_ENDS = 256
"""Bytes at the ends of a file where more than blanks is to be found."""


def is_nested(data: bytes) -> bool:
    """Tell by its content whether a file holds a dictionary, which is no text of columns."""
    ends = data[-_ENDS:].rstrip()[-1:] == b"}"
    return _is_cbor(data) or (may_be_nested(data[:_ENDS]) and ends)


def may_be_nested(head: bytes) -> bool:
    """Tell from its first bytes whether a file may hold a dictionary."""
    return _is_cbor(head) or head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"{"


def _is_cbor(data: bytes) -> bool:
    """Tell whether a file begins as a dictionary in CBOR does, and no text in UTF-8 may."""
    return b"\xa0" <= data[:1] <= b"\xbf"


def parse_nested(data: bytes, source: str, kind: Format) -> pa.Table:
    """Read a file that holds a dictionary into a table with a column per role.

    Parameters
    ----------
    data
        The file.
    source
        Its name, for messages.
    kind
        What it should be.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text as written.
    """
    nested = _loaded(data, source)
    if not isinstance(nested, Mapping):
        raise FileFormatError(kind.noun, f"{source} without a dictionary")
    try:
        frame = as_runs(nested) if kind is RUN else as_qrels(nested)
        columns = columns_of(frame, kind)
        others = {name: to_arrow(frame[name]) for name in frame.columns if name not in columns}
    except IrframeError as error:
        raise error.within(f"in {source}") from error
    return pa.table(columns | others)


def _loaded(data: bytes, source: str) -> Any:
    if _is_cbor(data):
        return _cbor(data, source)
    again: list[str] = []

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            again.extend(
                key for key, number in Counter(key for key, _ in pairs).items() if number > 1
            )
        return found

    with whole("a file", source, ValueError, RecursionError):
        nested = json.loads(data, object_pairs_hook=distinct)
    if again:
        wanted, advice = (
            "each key once in its dictionary",
            "keep one of them, or unite what they hold",
        )
        raise FileFormatError(wanted, f"{source} with keys again", advice, map(spelled, again))
    return nested


def _cbor(data: bytes, source: str) -> Any:
    try:
        import cbor2  # noqa: PLC0415 - only files of ranx need it
    except ImportError as error:
        wanted, found = "the package cbor2, which reads the files of ranx", f"none, for {source}"
        raise FileFormatError(wanted, found, "install it: pip install cbor2") from error
    with whole("a file", source, cbor2.CBORError, RecursionError):
        return cbor2.loads(data)
