"""What is wrong with files that are to be left out, a row for every problem."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import spelled
from irframe.files.columns import TYPES
from irframe.files.folders import home
from irframe.names import DOC, RANK, SCORE, SYSTEM, TOPIC

__all__ = ["Problem", "empty_run", "list_problems", "problems_of", "without_clashes"]

LINES = 3
"""How many lines at fault of a file are listed; the others are counted."""

Problem = tuple[str, str, str]
"""A file, what was wanted of it, and what was found there instead."""


def problems_of(file: str, error: Exception) -> list[Problem]:
    """Return what is wrong with a file that could not be read: its first lines, and a count."""
    wanted = getattr(error, "wanted", "a file that can be read")
    found = [*getattr(error, "offenders", ())] or [getattr(error, "found", error)]
    more = len(found) - LINES
    counted = [f"{more:,} more"] if more > 0 else []
    return [(file, wanted, spelled(each, str)) for each in [*found[:LINES], *counted]]


def list_problems(problems: Sequence[Problem]) -> pd.DataFrame:
    """Return problems as a frame."""
    told = [[each.encode(errors="backslashreplace").decode() for each in row] for row in problems]
    return pd.DataFrame(told, columns=["file", "wanted", "found"], dtype="str")


def without_clashes(tables: Mapping[str, pa.Table]) -> tuple[dict[str, pa.Table], list[Problem]]:
    """Return the tables that go together with those before them, and why others do not.

    Parameters
    ----------
    tables
        File -> table of a run, in the order in which they are to be read.
    """
    kept: dict[str, pa.Table] = {}
    problems: list[Problem] = []
    homes: dict[str, str] = {}
    for name, table in tables.items():
        clashes = [*_other_columns(kept, table), *_known_systems(homes, table, name)]
        problems += [(name, wanted, found) for wanted, found in clashes]
        if not clashes:
            kept[name] = table
            homes |= dict.fromkeys(pc.unique(table[SYSTEM]).to_pylist(), home(name))
    return kept, problems


def _other_columns(kept: Mapping[str, pa.Table], table: pa.Table) -> list[tuple[str, str]]:
    """Say whether a table lacks ranks or scores that those before it have, or has them alone."""
    if not kept:
        return []
    first, columns = next((name, part.column_names) for name, part in kept.items())
    differing = [
        role for role in (RANK, SCORE) if (role in table.column_names) != (role in columns)
    ]
    have = {role: "none" if role in columns else "one" for role in differing}
    return [
        (f"a {role} in every file or in none", f"{have[role]}, unlike {first}")
        for role in differing
    ]


def _known_systems(homes: Mapping[str, str], table: pa.Table, name: str) -> list[tuple[str, str]]:
    """Say which systems of a table are in a file before it that is no part of the same data set."""
    systems = pc.unique(table[SYSTEM]).to_pylist()
    here = home(name)
    return [
        ("each system in one file", f"{system!r}, which is in {homes[system]}")
        for system in systems
        if system in homes and (here == name or homes[system] != here)
    ]


def empty_run() -> pa.Table:
    """Return the run of no file."""
    columns = (SYSTEM, TOPIC, DOC, RANK, SCORE)
    return pa.table({name: pa.array([], TYPES[name]) for name in columns})
