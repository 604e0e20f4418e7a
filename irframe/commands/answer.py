"""Answers of commands: their formats and exit status."""

import json
import math
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from irframe.commands import NEVER
from irframe.diagnostics.findings import SEVERITIES
from irframe.errors import ParameterError
from irframe.escaping import cell, markdown
from irframe.printed import fitted, fixed_text, is_p, narrowed, p_text
from irframe.tables.marked_styler import MarkedStyler, Table

SUFFIXES = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".tex": "latex",
    ".parquet": "parquet",
    ".md": "markdown",
}
"""Mapping from the suffix of an output file to the name of its format."""
FORMATS = tuple(SUFFIXES.values())
WIDTH = 80
"""Maximum number of characters in a line of printed text."""


class Answer(NamedTuple):
    """The answer of a command, and its exit status.

    The content is None if the command has already written its output file.
    """

    content: str | bytes | None
    status: int = 0


def declare_output(parser: ArgumentParser, *further: str) -> None:
    """Declare the options for the output file and its format."""
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write instead of printing")
    kinds = (*FORMATS, *further)
    help_text = f"{', '.join(kinds)}; default: the suffix of the output file, else table"
    parser.add_argument("--format", metavar="FORMAT", choices=kinds, help=help_text)


def declare_failing(parser: ArgumentParser) -> None:
    """Declare ``--fail-on``, which selects findings that change the exit status."""
    parser.add_argument(
        "--fail-on", choices=(*SEVERITIES, NEVER), default="error",
        help="exit with status 1 if a finding has at least this severity",
    )  # fmt: skip


def format_of(options: Namespace) -> str:
    """Return the format of the answer.

    The option ``--format`` or the suffix of the output file selects the format. An unknown suffix
    raises `ParameterError`.
    """
    if options.format is not None:
        return str(options.format)
    suffix = Path(options.output or "").suffix.lower()
    if suffix and suffix not in SUFFIXES:
        expected = f"-o with one of the suffixes {', '.join(SUFFIXES)}"
        raise ParameterError(expected, options.output, "pass --format to choose the format")
    return SUFFIXES.get(suffix, "table")


def written(frame: pd.DataFrame, kind: str) -> str | bytes:
    """Convert a frame to text or bytes in a format."""
    frame = frame.rename_axis(columns=None)
    frame.attrs = {}
    if kind == "parquet":
        return bytes(_flat(frame).to_parquet(index=False))
    if kind == "json":  # JSON contains all digits, so values are not rounded
        flat = _flat(frame).astype(object)
        finite = flat.notna() & ~flat.isin([math.inf, -math.inf])  # JSON cannot represent infinity
        rows = flat.where(finite, None).to_dict("records")
        return json.dumps(rows, indent=2, default=str, allow_nan=False) + "\n"
    frame = frame.map(lambda x: ", ".join(map(str, x)) if isinstance(x, tuple | list) else x)
    if kind in {"csv", "tsv"}:
        flat = _flat(frame).map(cell).rename(columns=cell)
        return str(flat.to_csv(sep=",\t"[kind == "tsv"], index=False, lineterminator="\n"))
    if kind == "markdown":
        return _markdown(_flat(frame))
    return _latex(frame) if kind == "latex" else _plain_table(frame)


def noted(content: str | bytes, notes: str) -> str:
    """Add a wrapped note below a table."""
    return f"{content!s}\n{wrapped(notes)}\n"


def wrapped(text: str, indent: str = "") -> str:
    """Wrap text at 80 characters without breaking words."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _is_numbered(frame: pd.DataFrame) -> bool:
    """Return whether the index has one level without a name."""
    return frame.index.nlevels == 1 and frame.index.name is None


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if _is_numbered(frame) else frame.reset_index()


def _plain_table(frame: pd.DataFrame) -> str:
    return _printed(_with_p_texts(frame))


def _printed(frame: pd.DataFrame) -> str:
    text = frame.to_string(index=not _is_numbered(frame), float_format=fixed_text)
    return "".join(line.rstrip() + "\n" for line in text.split("\n"))


def _with_p_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert the p-values of a frame to text."""
    names = frame.columns[frame.columns.map(is_p)]
    return frame.assign(**{str(name): frame[name].map(p_text) for name in names})


def narrow_table(frame: pd.DataFrame, first: Sequence[Hashable]) -> str:
    """Print a table within 80 characters per line.

    Names of systems are shortened first. If the table is still too wide, columns are omitted, and a
    note names them.

    Parameters
    ----------
    frame
        The frame to print.
    first
        Columns to print first. If the table is too wide, these columns are the last to be omitted.
    """
    texts = _with_p_texts(frame)
    if _is_numbered(frame):
        # Row labels are blank, because the index is not printed.
        texts.index = pd.Index([""] * len(frame))
    with pd.option_context("display.float_format", fixed_text):
        columns = [*dict.fromkeys([*first, *frame.columns])]
        shown, note = fitted(texts, columns, WIDTH)
    return _printed(shown.rename_axis(columns=None)) + f"\n{wrapped(note)}\n" * bool(note)


def with_short_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Shorten the labels of a frame to fit 80 characters."""
    with pd.option_context("display.float_format", fixed_text):
        return narrowed(frame, [*frame.columns], WIDTH)


def _markdown(frame: pd.DataFrame) -> str:
    """Convert a frame to a Markdown table with four decimals."""
    rows = [[markdown(name) for name in frame.columns], ["---"] * len(frame.columns)]
    rows += [[_markdown_cell(value) for value in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _markdown_cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else str(fixed_text(value))
    return "" if value is None or value is pd.NA else markdown(value)


def _latex(frame: pd.DataFrame) -> str:
    styled = MarkedStyler.of(Table(frame), precision=4)
    return str((styled.hide(axis=0) if _is_numbered(frame) else styled).to_latex())


def status_of(severities: pd.Series, fail_on: str) -> int:
    """Return exit status 1 if a finding is severe enough.

    Examples
    --------
    >>> severities = pd.Series(["note", "warning"])
    >>> status_of(severities, "warning"), status_of(severities, "error")
    (1, 0)
    """
    n_failing = 0 if fail_on == NEVER else 1 + SEVERITIES.index(fail_on)
    return int(severities.isin(SEVERITIES[:n_failing]).any())
