"""What a table says of the systems, such as their team and whether they contributed."""

from argparse import ArgumentParser, Namespace

import pandas as pd

from irframe.commands.text_tables import read_text_table
from irframe.errors import IdError, InputError
from irframe.names import ALIASES, SYSTEM, roles

YES, NO = {"yes", "true", "1"}, {"no", "false", "0"}
"""Words that make a column one of truths."""


def declare_systems(parser: ArgumentParser, *, contributing: bool = True) -> None:
    """Let a table of systems be named, and the column that says which ones made the pool."""
    parser.add_argument(
        "--systems", metavar="TABLE",
        help="CSV or Parquet file with a row per system: a column system, name or run, and others",
    )  # fmt: skip
    if contributing:
        parser.add_argument(
            "--contributing", metavar="COLUMN", help="column that says who made the pool (yes, no)"
        )


def read_systems(path: str) -> pd.DataFrame:
    """Read a table of systems, its index their names, text as it stands."""
    table = read_text_table(path, na_filter=True)
    name = roles(table.columns).get(SYSTEM)
    if name is None:
        raise InputError(f"a column {' or '.join(ALIASES[SYSTEM])} in {path}", "none")
    table = table.set_index(table[name].astype(str).rename(SYSTEM)).drop(columns=name)
    again = table.index[table.index.duplicated()].unique()
    if len(again):
        raise IdError(f"a row per system in {path}", f"{len(again)} with several", "", again)
    return table.apply(_truths)


def _truths(column: pd.Series) -> pd.Series:
    """Return a column as it is or, where it only says yes and no, as truths."""
    words = column.dropna().astype(str).str.lower()
    if column.isna().any() or not words.isin(YES | NO).all():
        return column
    return words.isin(YES)


def with_systems(runs: pd.DataFrame, options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Return runs with the columns of the table of systems: every one, or those asked for."""
    wanted = [getattr(options, name, None) for name in ("by", "contributing")]
    if getattr(options, "systems", None) is None:
        return runs
    table = read_systems(options.systems)
    strange = [name for name in runs[SYSTEM].unique() if name not in table.index]
    if strange:
        found = f"{len(strange)} that it lacks"
        raise IdError(f"all systems of the runs in {options.systems}", found, "", strange)
    further = [name for name in table.columns if every and name not in runs.columns]
    asked = [name for name in dict.fromkeys([*wanted, *further]) if name in table.columns]
    return runs.assign(**{str(name): runs[SYSTEM].map(table[name]) for name in asked})
