"""Which runs contribute to a pool, and at which ranks they put documents into it."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import places
from irframe.errors import ParameterError
from irframe.experiments.coded_tables import RunTable, column_of
from irframe.experiments.rank_table import Ranking, rank_table
from irframe.files.ids import Codes
from irframe.names import SYSTEM

CONTRIBUTING = "contributing"


def contributing_systems(
    runs: pd.DataFrame, table: RunTable, contributing: str | Sequence[Hashable] | None
) -> NDArray[np.bool_]:
    """Return whether each system contributes to the pool; argument as for `pool`.

    Raises
    ------
    ParameterError
        For systems that do not exist, or a column that does not tell.
    """
    if contributing is None and CONTRIBUTING not in runs.columns:
        return np.ones(len(table.systems), bool)
    if contributing is None or isinstance(contributing, str):
        flags = _from_column(runs, table, contributing or CONTRIBUTING)
        if contributing is not None and not flags.any():
            raise ParameterError("a system that contributes", f"none by {contributing!r}")
        return flags
    chosen = places(f"contributing {SYSTEM}s", contributing, list(table.systems))
    if not chosen:
        raise ParameterError("a system that contributes", "an empty list")
    return np.isin(np.arange(len(table.systems)), chosen)


def pooling_rank(table: RunTable, rows: Codes | None = None) -> Codes:
    """Return each row's rank in its list as pooling reads it, from 1.

    Scores decide, then the order of rows; where there are no scores, the rank column. Given the
    rows of some lists, the ranks of these.
    """
    return filed_rank(rank_table(table, ties="order", rows=rows))


def filed_rank(ranking: Ranking) -> Codes:
    """Return each row's rank in its list by scores, then the order of rows."""
    rank = np.empty_like(ranking.rank)
    rank[ranking.filed] = ranking.rank
    return rank


def _from_column(runs: pd.DataFrame, table: RunTable, column: str) -> NDArray[np.bool_]:
    values = column_of(runs, "contributing", column)
    if not pd.api.types.is_bool_dtype(values.dtype) or values.isna().any():
        raise ParameterError("a column of True and False", f"{values.dtype} in {column!r}")
    flags = values.to_numpy(bool)
    systems = len(table.systems)
    yes = np.bincount(table.system[flags], minlength=systems)
    rows = np.bincount(table.system, minlength=systems)
    mixed = table.systems[(yes > 0) & (yes < rows)]
    if len(mixed):
        found = f"{len(mixed)} systems with both"
        raise ParameterError(f"one value of {column!r} per system", found, "", mixed)
    return yes > 0
