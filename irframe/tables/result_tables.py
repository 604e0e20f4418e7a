"""Results that are not means of systems, as tables: frames row by row, arrays by depth."""

from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import InputError
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, RESULT, SIDES, SYSTEM
from irframe.tables.captions import told
from irframe.tables.marked_styler import Extra, Table, brackets, superscripts
from irframe.tables.means import best_of

NAMES = (METRIC, DEPTH, SYSTEM, *SIDES, "step", "old", "new")
"""Columns that say what a row is about, as do those of groups before them."""
ENDS = ("ci_low", "ci_high")
MARK = "mark"
MARKED = "† significant; ‡ and so are the innate orderings, for the same system"
TOLD_BESIDE = (MARK, "dagger", "double_dagger", *ENDS)
"""Columns that follow a mean."""
SYSTEMS = (SYSTEM, *SIDES)
MEANS = ("mean", "mean_a", "mrr_b")
"""Columns of which the best may stand out, the first that there is."""
LOWEST = ("median_p", "inversions")
"""Verbs whose arrays are better where they are lower."""


def of_result(result: Any) -> Table:
    """Lay out a frame, or an array by metric and depth."""
    if isinstance(result, xr.DataArray):
        return _of_array(result)
    if not isinstance(result, pd.DataFrame) or RESULT not in result.attrs:
        found = ", ".join(map(str, getattr(result, "columns", ()))) or type(result).__name__
        raise InputError("scores, or a frame or array that a verb returned", found)
    return _of_frame(result)


def _of_array(values: xr.DataArray) -> Table:
    """Lay out values by depth: a row per metric and whatever else there is."""
    if METRIC not in values.dims or DEPTH not in values.dims or SYSTEM in values.dims:
        found = ", ".join(map(str, values.dims))
        raise InputError("an array over metric and depth, or scores", found)
    rows = [name for name in values.dims if name != DEPTH]
    flat = values.transpose(*rows, DEPTH).to_numpy().reshape(-1, values.sizes[DEPTH])
    index = pd.MultiIndex.from_product([values.indexes[name] for name in rows], names=rows)
    one = index.get_level_values(0) if len(rows) == 1 else index
    numbers = pd.DataFrame(flat, one, values.indexes[DEPTH])
    sign = -1 if values.attrs.get(RESULT) in LOWEST else 1
    notes = told(values.attrs, str(values.name or ""), interval="")
    return Table(numbers, (), best_of((numbers * sign).round(TIE)), notes)


def _of_frame(frame: pd.DataFrame) -> Table:
    """Lay out the rows of a frame; what is the same in all of them is told."""
    flat = _flat(frame)
    rows = _row_names(flat)
    same = [name for name in rows if len(flat) > 1 and len(flat[name].unique()) == 1]
    left = [name for name in rows if name not in same]
    shown = flat.drop(columns=[*TOLD_BESIDE, *same], errors="ignore")
    numbers = shown.set_index(left) if left else shown
    words = [f"{name} {flat[name].iloc[0]}" for name in same if flat[name].notna().all()]
    words += [MARKED] if MARK in flat else []
    notes = told(frame.attrs, *words, interval="[{}]" if set(ENDS) <= set(flat) else "")
    small = [name for name in numbers if name == "p" or str(name).startswith("p_")]
    return Table(numbers, _extras(flat, numbers), _best_rows(flat, rows, numbers), notes, small)


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(named) if named else frame.reset_index(drop=True)


def _row_names(frame: pd.DataFrame) -> list[Any]:
    """Return the columns that say what a row is about: groups, and the names after them."""
    columns = list(frame.columns)
    first = next((place for place, name in enumerate(columns) if name in NAMES), 0)
    return [*columns[:first], *takewhile(lambda name: name in NAMES, columns[first:])]


def _means(numbers: pd.DataFrame) -> list[Any]:
    """Return the columns with means: of what a row compares, or those called after metrics."""
    known = [name for name in MEANS if name in numbers]
    return known[:1] or [name for name in numbers if facts(str(name)).known]


def _extras(flat: pd.DataFrame, numbers: pd.DataFrame) -> tuple[Extra, ...]:
    """Let marks follow the means that they belong to, and intervals the column before them."""
    found = []
    if MARK in flat and (means := _means(numbers)):
        found.append(superscripts(_beside(numbers, means[0], flat[MARK])))
    if set(ENDS) <= set(flat):
        columns = list(flat.columns)
        before = columns[columns.index(ENDS[0]) - 1]
        if before in numbers:
            found.append(brackets(*(_beside(numbers, before, flat[end]) for end in ENDS)))
    return tuple(found)


def _beside(numbers: pd.DataFrame, column: Any, values: pd.Series) -> pd.DataFrame:
    """Return a frame of a table's shape with values in one column, and nothing elsewhere."""
    place = numbers.columns.get_loc(column)
    filled = np.full(numbers.shape, "", dtype=object)
    filled[:, place] = values
    return pd.DataFrame(filled, numbers.index, numbers.columns)


def _best_rows(flat: pd.DataFrame, rows: list[Any], numbers: pd.DataFrame) -> pd.DataFrame:
    """Return which means are the best of their metric, depth and group."""
    best = np.zeros(numbers.shape, dtype=bool)
    keys = [flat[name] for name in rows if name not in SYSTEMS] or [pd.Series(0, flat.index)]
    for mean in _means(numbers):
        towards = (flat[mean] * _signs(flat, mean)).round(TIE)
        rivals = towards.groupby(keys, dropna=False, observed=True)
        wins = (towards == rivals.transform("max")) & (rivals.transform("count") > 1)
        best[:, numbers.columns.get_loc(mean)] = wins
    return pd.DataFrame(best, numbers.index, numbers.columns)


def _signs(flat: pd.DataFrame, mean: Any) -> Any:
    """Return 1 where higher is better and -1 where lower is, for rows or for the whole column."""
    if METRIC in flat:
        return flat[METRIC].map(lambda each: facts(str(each)).sign)
    return facts(str(mean)).sign
