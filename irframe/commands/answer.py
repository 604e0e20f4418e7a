"""What commands answer with: text or bytes in one of several formats, and an exit status."""

import json
import math
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from irframe.commands import NEVER
from irframe.diagnostics.findings import SEVERITIES
from irframe.errors import ParameterError
from irframe.escaping import cell, markdown
from irframe.printed import fitted, fixed_text, is_p, p_text
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
"""What the name of an output file says of its format."""
FORMATS = tuple(SUFFIXES.values())
WIDTH = 80
"""Columns of a terminal that prose is wrapped to."""


class Answer(NamedTuple):
    """What a command has to say; None if it has written it already."""

    content: str | bytes | None
    status: int = 0


def declare_output(parser: ArgumentParser, *further: str) -> None:
    """Let a command's answer go into a file, in any of the formats."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write the answer there")
    kinds = (*FORMATS, *further)
    words = f"{', '.join(kinds)}; by default what the name of FILE says, else table"
    parser.add_argument("--format", metavar="FORMAT", choices=kinds, help=words)


def declare_failing(parser: ArgumentParser) -> None:
    """Let be said what makes the exit status 1."""
    parser.add_argument(
        "--fail-on", choices=(*SEVERITIES, NEVER), default="error",
        help="how grave a finding makes the exit status 1",
    )  # fmt: skip


def format_of(options: Namespace) -> str:
    """Return the format asked for, or that of the suffix of the output; refuse other suffixes."""
    if options.format is not None:
        return str(options.format)
    suffix = Path(options.output or "").suffix.lower()
    if suffix and suffix not in SUFFIXES:
        wanted = f"-o with a suffix that is one of {', '.join(SUFFIXES)}"
        raise ParameterError(wanted, options.output, "say which format by --format")
    return SUFFIXES.get(suffix, "table")


def written(frame: pd.DataFrame, kind: str) -> str | bytes:
    """Return a frame in one of the formats; lists become words between commas in text."""
    frame = frame.rename_axis(columns=None)
    frame.attrs = {}
    if kind == "parquet":
        return bytes(_flat(frame).to_parquet(index=False))
    if kind == "json":  # numbers with all their digits
        flat = _flat(frame).astype(object)
        known = flat.notna() & ~flat.isin([math.inf, -math.inf])  # which are no numbers of JSON
        rows = flat.where(known, None).to_dict("records")
        return json.dumps(rows, indent=2, default=str, allow_nan=False) + "\n"
    frame = frame.map(lambda x: ", ".join(map(str, x)) if isinstance(x, tuple | list) else x)
    if kind in {"csv", "tsv"}:
        flat = _flat(frame).map(cell).rename(columns=cell)
        return str(flat.to_csv(sep=",\t"[kind == "tsv"], index=False, lineterminator="\n"))
    if kind == "markdown":
        return _markdown(_flat(frame))
    return _latex(frame) if kind == "latex" else _plain_table(frame)


def noted(content: str | bytes, notes: str) -> str:
    """Return a table with a note below, which is wrapped."""
    return f"{content!s}\n{wrapped(notes)}\n"


def wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of at most 80 columns, but for words that are longer."""
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, **whole)


def _is_numbered(frame: pd.DataFrame) -> bool:
    """Return whether a frame has no row labels but numbers."""
    return frame.index.nlevels == 1 and frame.index.name is None


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if _is_numbered(frame) else frame.reset_index()


def _plain_table(frame: pd.DataFrame) -> str:
    return _printed(_with_p_texts(frame))


def _printed(frame: pd.DataFrame) -> str:
    text = frame.to_string(index=not _is_numbered(frame), float_format=fixed_text)
    return "".join(line.rstrip() + "\n" for line in text.split("\n"))


def _with_p_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose p-values are text."""
    names = frame.columns[frame.columns.map(is_p)]
    return frame.assign(**{str(name): frame[name].map(p_text) for name in names})


def narrow_table(frame: pd.DataFrame, first: Sequence[Any]) -> str:
    """Return a table of at most 80 columns, and a note that names the columns left out.

    Parameters
    ----------
    frame
        Names of systems are cut, then columns left out, until it fits.
    first
        Columns that are kept before others.
    """
    texts = _with_p_texts(frame)
    if _is_numbered(frame):
        texts.index = pd.Index([""] * len(frame))  # as it is not printed
    with pd.option_context("display.float_format", fixed_text):
        columns = [*dict.fromkeys([*first, *frame.columns])]
        shown, note = fitted(texts, columns, WIDTH)
    return _printed(shown.rename_axis(columns=None)) + f"\n{wrapped(note)}\n" * bool(note)


def _markdown(frame: pd.DataFrame) -> str:
    """Return a table as Markdown has it, numbers with four decimals."""
    rows = [[markdown(name) for name in frame.columns], ["---"] * len(frame.columns)]
    rows += [[_markdown_cell(value) for value in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _markdown_cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else str(fixed_text(value))
    return "" if value is None or value is pd.NA else markdown(value)


def _latex(frame: pd.DataFrame) -> str:
    styled = MarkedStyler.of(Table(frame), precision=4)
    return str((styled.hide(axis=0) if _is_numbered(frame) else styled).to_latex())


def status_of(severities: pd.Series, fail_on: str) -> int:
    """Return 1 if something found is at least so grave.

    Examples
    --------
    >>> severities = pd.Series(["note", "warning"])
    >>> status_of(severities, "warning"), status_of(severities, "error")
    (1, 0)
    """
    graver = 0 if fail_on == NEVER else 1 + SEVERITIES.index(fail_on)
    return int(severities.isin(SEVERITIES[:graver]).any())
