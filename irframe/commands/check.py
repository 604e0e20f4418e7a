"""``irframe check``: what may be wrong with every run."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

import pandas as pd

import irframe as ir
from irframe.commands.answer import (
    Answer,
    declare_failing,
    declare_output,
    format_of,
    status_of,
    written,
)
from irframe.commands.inputs import read_judgments, read_sound
from irframe.commands.line import declare_files
from irframe.commands.options import declare_options, given

SHOWN = 3
"""How much of what a list holds is printed; files in other formats have all of it."""


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_options(parser, ir.verbs.check)
    declare_failing(parser)
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """Check all runs, those of files that cannot be read as well."""
    runs, problems = read_sound(options)
    found = _check(runs, problems, options)
    kind = format_of(options)
    content = _told(found) if kind == "table" else written(found, kind)
    return Answer(content, status_of(found["severity"], options.fail_on))


def _check(runs: pd.DataFrame, problems: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    asked = given(options, ir.verbs.check)
    return ir.verbs.check(runs, read_judgments(options), problems=problems, **asked)


def _told(found: pd.DataFrame) -> str:
    """Return a table of numbers, and below it a line for every list, its beginning and length."""
    lists = [name for name in found.columns if name != "found" and _holds_lists(found[name])]
    table = written(found.drop(columns=["found", *lists]), "table")
    return str(table) + "".join(["\n", *_lines(found)] if found["found"].any() else [])


def _holds_lists(column: pd.Series) -> bool:
    return bool(column.map(lambda value: isinstance(value, tuple)).all())


def _lines(found: pd.DataFrame) -> Iterator[str]:
    for run, row in found.iterrows():
        for name in row["found"]:
            shown = [*map(str, row[name][:SHOWN]), *["..."] * (len(row[name]) > SHOWN)]
            yield f"{run}: {name} ({len(row[name])}): {', '.join(shown)}\n"
