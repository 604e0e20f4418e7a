"""Means of systems by metric, depth and group, as a table: who is best, who is how far ahead."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import places
from irframe.errors import ParameterError
from irframe.metrics.facts import TIE, best_first, facts, label_at
from irframe.names import DEPTH, METRIC, SYSTEM

IntArray = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Means:
    """Means of systems.

    Parameters
    ----------
    table
        A row per system; a column per metric and depth, under its group.
    signs
        1 for each column where higher is better, -1 where lower is.
    keys
        The group, metric and depth of each column.
    """

    table: pd.DataFrame
    signs: IntArray
    keys: pd.DataFrame

    @classmethod
    def of(cls, frame: pd.DataFrame, groups: list[Any]) -> "Means":
        """Lay out a frame with the columns system, mean, metric, depth and those of groups."""
        keys = frame[[*groups, METRIC, DEPTH]].drop_duplicates(ignore_index=True)
        signs = np.array([facts(str(metric)).sign for metric in keys[METRIC]])
        systems = pd.Index(frame[SYSTEM].unique(), name=SYSTEM)
        empty = pd.DataFrame(np.nan, systems, _labels(keys, groups))
        bare = cls(empty, signs, keys)
        return replace(bare, table=bare.spread(frame, frame["mean"]))

    def spread(self, frame: pd.DataFrame, numbers: Any, role: str = SYSTEM) -> pd.DataFrame:
        """Put numbers, one for each row of a frame, where the means of these rows are.

        Parameters
        ----------
        frame
            The frame laid out, or one with groups, metrics and depths in the same order.
        numbers
            Numbers, or texts.
        role
            The column of the systems.
        """
        row, column = self.places(frame, role)
        numbers = np.asarray(numbers)
        text = numbers.dtype.kind not in "fiub"
        filled = np.full(self.table.shape, "" if text else np.nan, object if text else np.float64)
        filled[row, column] = numbers
        return pd.DataFrame(filled, self.table.index, self.table.columns)

    def places(self, frame: pd.DataFrame, role: str = SYSTEM) -> tuple[IntArray, IntArray]:
        """Return the table's row and column for every row of a frame."""
        names = list(self.keys.columns)
        column = frame.groupby(names, sort=False, dropna=False, observed=True).ngroup()
        return self.table.index.get_indexer(pd.Index(frame[role])), column.to_numpy()

    def best(self) -> pd.DataFrame:
        """Return which of the means are the best of their column, ties among them."""
        return best_of((self.table * self.signs).round(TIE))

    def sorted(self, sort: Hashable) -> "Means":
        """Return the systems best first, by a column; by the first one if `sort` is True."""
        if sort is False:
            return self
        labels = list(self.table.columns)
        (place,) = [0] if sort is True else places("sort= a column", [sort], labels)
        order = best_first(self.table.iloc[:, place].to_numpy(), self.signs[place])
        return replace(self, table=self.table.iloc[order])

    def relative_to(self, system: Any) -> pd.DataFrame:
        """Return differences from a system's means in per cent of those, as texts."""
        if system not in self.table.index:
            known = self.table.index.tolist()
            raise ParameterError("relative_to= to be one of the systems", repr(system), "", known)
        base: Any = self.table.loc[system]
        percent = 100 * (self.table - base) / base.abs().where(base != 0)
        percent.loc[system] = np.nan
        texts: pd.DataFrame = percent.map(lambda each: "" if np.isnan(each) else f"{each:+.1f}")
        return texts


def best_of(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return which numbers are the highest of their column, where there are others."""
    best: pd.DataFrame = numbers.eq(numbers.max()) & (numbers.count() > 1)
    return best


def _labels(keys: pd.DataFrame, groups: list[Any]) -> pd.Index:
    """Return the labels of columns for groups, metrics and depths."""
    labels = [
        str(metric) if pd.isna(depth) else label_at(str(metric), depth)
        for metric, depth in zip(keys[METRIC], keys[DEPTH], strict=True)
    ]
    levels = [keys[group].to_numpy() for group in groups]
    return (
        pd.MultiIndex.from_arrays([*levels, labels], names=[*groups, METRIC])
        if groups
        else pd.Index(labels, name=METRIC)
    )
