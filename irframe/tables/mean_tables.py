"""Tables of means and of other results."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from irframe.checks import positions_of
from irframe.comparing.compare import COLUMNS, OPTIONAL
from irframe.cubes.score_arrays import expand_scalars
from irframe.errors import InputError, ParameterError
from irframe.metrics.facts import TIE, best_first, facts
from irframe.names import (
    ALIASES,
    BOUND,
    CAUTION,
    DOC,
    METRIC,
    PAIR,
    RESULT,
    SIDES,
    SYSTEM,
    TOPIC,
    counted,
)
from irframe.printed import MOST_LETTERS, fixed_text, is_p, most_letters, of_outcomes
from irframe.scores.summary import UNEVEN
from irframe.stops import AXES, Axis, axis_of
from irframe.tables.captions import caption_text
from irframe.tables.marked_styler import (
    LETTERS,
    Extra,
    Table,
    best_of,
    brackets,
    counts,
    everywhere,
    percentages,
    superscripts,
)
from irframe.tables.quantities import depths_text, means_text

Cell = tuple[int, ...]
MARK = "mark"
"""The name of the index level that contains the letters of systems."""
DAGGER = "†"
ENDS = ("ci_low", "ci_high")
SHOWN = ("mean", "ci_low", "ci_high", "n")
"""Columns of a summary that tables show. Columns such as `best_of_3` are omitted."""


class Options(NamedTuple):
    """Options of a table of means, from `irframe.verbs.styled`."""

    marks: str
    intervals: bool | None
    relative_to: Hashable | None
    sort: Hashable


@dataclass(frozen=True, eq=False)
class Means:
    """Table of the means of systems.

    Parameters
    ----------
    table
        A row per system, and a column per group, metric and depth.
    signs
        1 for columns in which higher is better, and -1 for columns in which lower is better.
    keys
        The group, metric and depth of each column.
    """

    table: pd.DataFrame
    signs: NDArray[np.integer]
    keys: pd.DataFrame

    @classmethod
    def of(cls, frame: pd.DataFrame, groups: list[Hashable], axis: Axis) -> "Means":
        """Return the means from the rows of a long frame."""
        keys = frame[[*groups, METRIC, axis.dim]].drop_duplicates(ignore_index=True)
        signs = np.array([facts(str(metric)).sign for metric in keys[METRIC]])
        systems = pd.Index(frame[SYSTEM].unique(), name=SYSTEM)
        bare = cls(pd.DataFrame(np.nan, systems, _column_labels(keys, groups, axis)), signs, keys)
        return replace(bare, table=bare.spread(frame, frame["mean"]))

    def spread(self, frame: pd.DataFrame, numbers: ArrayLike, role: str = SYSTEM) -> pd.DataFrame:
        """Return a table with one value per row of `frame`.

        The frame must be the source of the table, or have the same groups, metrics and depths in
        the same order.
        """
        row, column = self.cells(frame, role)
        numbers = np.asarray(numbers)
        text = numbers.dtype.kind not in "fiub"
        filled = np.full(self.table.shape, "" if text else np.nan, object if text else np.float64)
        filled[row, column] = numbers
        return pd.DataFrame(filled, self.table.index, self.table.columns)

    def cells(
        self, frame: pd.DataFrame, role: str = SYSTEM
    ) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return the table row and column of each frame row."""
        names = list(self.keys.columns)
        column = frame.groupby(names, sort=False, dropna=False, observed=True).ngroup()
        return self.table.index.get_indexer(pd.Index(frame[role])), column.to_numpy()

    def best(self) -> pd.DataFrame:
        """Return a mask of the best means of each column."""
        return best_of((self.table * self.signs).round(TIE))

    def sorted(self, sort: Hashable) -> "Means":
        """Return the table with the best systems first."""
        if sort is False:
            return self
        labels = list(self.table.columns)
        (pos,) = [0] if sort is True else positions_of("sort= a column", [sort], labels)
        order = best_first(self.table.iloc[:, pos].to_numpy(), self.signs[pos])
        return replace(self, table=self.table.iloc[order])

    def relative_to(self, system: Hashable) -> pd.DataFrame:
        """Return relative differences from a system, in per cent."""
        if system not in self.table.index:
            systems = self.table.index.tolist()
            raise ParameterError("relative_to= to be one of the systems", repr(system), "", systems)
        base: Any = self.table.loc[[system]].squeeze(axis=0)
        percent = 100 * (self.table - base) / base.abs().where(base != 0)
        percent.loc[system] = np.nan
        texts: pd.DataFrame = percent.map(lambda x: "" if np.isnan(x) else fixed_text(x, 1, "+"))
        return texts


def _column_labels(keys: pd.DataFrame, groups: list[Hashable], axis: Axis) -> pd.Index:
    """Return the column labels for groups, metrics and depths."""
    labels = [
        str(metric) if pd.isna(stop) else axis.named(metric, stop)
        for metric, stop in zip(keys[METRIC], keys[axis.dim], strict=True)
    ]
    repeated = keys.assign(label=labels).duplicated([*groups, "label"], keep=False)
    named = zip(labels, keys[axis.dim], repeated, strict=True)
    labels = [f"{label} at {stop}" if twice else label for label, stop, twice in named]
    if not groups:
        return pd.Index(labels, name=METRIC)
    levels = [keys[group].to_numpy() for group in groups]
    return pd.MultiIndex.from_arrays([*levels, labels], names=[*groups, METRIC])


def of_summary(summary: pd.DataFrame | xr.Dataset, options: Options) -> Table:
    """Return the table of a summary."""
    frame = _long(summary)
    axis = axis_of(summary)
    columns = METRIC, axis.dim, SYSTEM, *SHOWN
    groups = [name for name in frame if name not in columns]
    means = Means.of(frame, groups, axis).sorted(options.sort)
    extras: list[Extra] = []
    texts = [means_text(frame[METRIC], frame["n"]), depths_text(frame, axis)]
    intervals = options.intervals is not False
    if intervals:
        extras.append(brackets(*(means.spread(frame, frame[end]) for end in ENDS)))
    uneven = UNEVEN in str(summary.attrs.get(CAUTION, ""))
    if uneven:
        extras.append(counts(means.spread(frame, frame["n"].astype(str))))
    notes = caption_text(summary.attrs, *texts, interval="[{}]" if intervals else "")
    table = _table(means, extras, options.relative_to, notes)
    return table._replace(best=None) if uneven else table  # different topics are not comparable


def _long(summary: Any) -> pd.DataFrame:
    dim = axis_of(summary).dim
    if isinstance(summary, xr.Dataset):
        summary = expand_scalars(summary, METRIC).reset_coords(drop=True).to_dataframe()
    frame: pd.DataFrame = summary[[*SHOWN]].dropna(subset=["mean"]).reset_index()
    frame = frame.rename(columns=dict.fromkeys(ALIASES[SYSTEM], SYSTEM))
    if frame.empty:
        raise InputError("a system with scores", "no system with a score on any topic")
    if dim not in frame:
        frame[dim] = pd.NA
    return frame


def of_comparison(comparison: pd.DataFrame, options: Options) -> Table:
    """Return the table of a comparison."""
    _refuse_duplicates(comparison)
    means = _means(comparison).sorted(options.sort)
    marks = options.marks
    depths = depths_text(comparison, axis_of(comparison))
    texts = [means_text(comparison[METRIC], comparison["n_topics"]), depths]
    extras: list[Extra] = []
    if marks == "letters":
        extras.append(superscripts(_beaten(comparison, means)))
        among = "" if _all_pairs(comparison) else ", of those it is compared with"
        if among and len(comparison["system_b"].unique()) == 1:
            among = f", each compared with {comparison['system_b'].iloc[0]} alone"
        number = "how many" if len(means.table) > len(LETTERS) else "the"
        texts.append(f"raised: {number} systems that this one significantly beats{among}")
    if marks == "daggers":
        extras.append(superscripts(_daggers(comparison, means)))
        texts.append(_raised(comparison))
    if marks == "verdicts":
        extras.append(_verdict_marks(comparison, means))
        texts.append(f"raised: the verdict against {_baseline(comparison)}")
    if options.intervals:
        _baseline(comparison)
        ends = (means.spread(comparison, comparison[end], "system_a") for end in ENDS)
        extras.append(brackets(*ends))
    notes = caption_text(
        comparison.attrs, *texts, interval="[of the difference: {}]" if options.intervals else ""
    )
    table = _table(means, extras, options.relative_to, notes)
    return _with_marks(table) if marks == "letters" and len(means.table) <= len(LETTERS) else table


def _table(means: Means, extras: list[Extra], relative_to: Hashable | None, notes: str) -> Table:
    if relative_to is not None:
        extras = [*extras, percentages(means.relative_to(relative_to))]
        notes = f"(difference from {relative_to}); {notes}"
    return Table(means.table, tuple(extras), means.best(), notes)


def _with_marks(table: Table) -> Table:
    """Return the table with letters of systems as row labels."""
    systems = table.numbers.index
    rows = pd.MultiIndex.from_arrays([[*LETTERS[: len(systems)]], systems], names=[MARK, SYSTEM])
    best = None if table.best is None else table.best.set_axis(rows)
    return table._replace(numbers=table.numbers.set_axis(rows), best=best)


def _cell_columns(comparison: pd.DataFrame) -> list[Hashable]:
    """Return the names of columns with groups, metrics and depths."""
    dim = axis_of(comparison).dim
    return [*(name for name in comparison if name not in {*COLUMNS, *OPTIONAL, dim}), METRIC, dim]


def _means(comparison: pd.DataFrame) -> Means:
    """Return the means of all systems, with the baseline first."""
    *groups, _, _ = cell = _cell_columns(comparison)
    sides = [
        comparison[[*cell, side, mean]].set_axis([*cell, SYSTEM, "mean"], axis="columns")
        for side, mean in zip(SIDES, ("mean_a", "mean_b"), strict=True)
    ]
    baseline = comparison["system_b"].nunique() == 1 < comparison["system_a"].nunique()
    # systems appear in the order of their first rows, so the rows of the baseline come first
    both = pd.concat(sides[::-1] if baseline else sides, ignore_index=True)
    return Means.of(both, groups, axis_of(comparison))


def _refuse_duplicates(comparison: pd.DataFrame) -> None:
    twice = comparison[comparison.duplicated([*_cell_columns(comparison), *SIDES])]
    if len(twice):
        expected = "each pair of systems once per metric and depth"
        raise InputError(expected, "repeated pairs of", "", twice["system_a"])


def _baseline(comparison: pd.DataFrame) -> str:
    """Return the only baseline, or raise InputError."""
    baselines = comparison["system_b"].unique()
    if len(baselines) != 1:
        advice = "pass baseline= to compare, or use marks='letters' without intervals"
        raise InputError("a comparison with one baseline", "a comparison of all pairs", advice)
    return str(baselines[0])


def _all_pairs(comparison: pd.DataFrame) -> bool:
    """Return whether all pairs of systems are compared."""
    cells = comparison.groupby(_cell_columns(comparison), dropna=False, observed=True)
    sizes = [(len(rows), len({*rows["system_a"], *rows["system_b"]})) for _, rows in cells]
    return all(pairs >= systems * (systems - 1) // 2 for pairs, systems in sizes)


def _baselines(comparison: pd.DataFrame) -> list[str]:
    """Return the systems with which all others are compared."""
    sides = comparison[[*SIDES]].map(str)
    names = comparison.attrs.get("baselines", [])
    rivals = {name: sides[(sides == name).any(axis=1)].to_numpy() for name in names}
    named = [
        name for name, rows in rivals.items() if {*rows.ravel()} == {*sides.to_numpy().ravel()}
    ]
    return named if len(named) > 1 else [str(_baseline(comparison))]


def _raised(comparison: pd.DataFrame) -> str:
    """Explain the daggers, or the numbers that stand for baselines."""
    baselines = _baselines(comparison)
    differs = "differs significantly from"
    if len(baselines) == 1:
        return f"{DAGGER} {differs} {baselines[0]}"
    return f"raised: {differs} {', '.join(f'{n} {name}' for n, name in enumerate(baselines, 1))}"


def _daggers(comparison: pd.DataFrame, means: Means) -> pd.DataFrame:
    """Return daggers, or the numbers that stand for baselines."""
    named = _baselines(comparison)
    significant = comparison["significant"].to_numpy(bool)
    if len(named) == 1:
        return means.spread(comparison, np.where(significant, DAGGER, ""), "system_a")
    marks = []
    for number, name in enumerate(named, start=1):
        for side, opponent in (SIDES, SIDES[::-1]):
            marked = significant & (comparison[opponent].map(str) == name).to_numpy()
            cells = zip(*(index[marked] for index in means.cells(comparison, side)), strict=True)
            marks += [(cell, str(number)) for cell in cells]
    return _joined_marks(marks, ",", means)


def _joined_marks(marks: Iterable[tuple[Cell, str]], between: str, means: Means) -> pd.DataFrame:
    """Return the joined marks of each cell."""
    texts = np.full(means.table.shape, "", dtype=object)
    for cell, mark in marks:
        texts[cell] += (between if texts[cell] else "") + mark
    return pd.DataFrame(texts, means.table.index, means.table.columns)


def _verdict_marks(comparison: pd.DataFrame, means: Means) -> Extra:
    """Return the verdict on each system against the baseline."""
    _baseline(comparison)
    if "verdict" not in comparison:
        raise InputError("a comparison with verdicts", "none", "pass margin= or power= to compare")
    texts = means.spread(comparison, comparison["verdict"], "system_a")
    verdicts = texts.map(lambda text: text if isinstance(text, str) and text else "")
    forms = {"html": " <sup>{}</sup>", "latex": r"\textsuperscript{{ {}}}"}
    return Extra((verdicts,), forms | {"typst": " #super[{}]", "string": " ({})"})


def _beaten(comparison: pd.DataFrame, means: Means) -> pd.DataFrame:
    """Return the letters, or number, of significantly beaten systems."""
    costs = {label: facts(label).cost for label in comparison[METRIC].unique()}
    lead = (comparison["mean_a"] - comparison["mean_b"]).round(TIE).to_numpy()
    lead = np.where(comparison[METRIC].map(costs), -lead, lead)
    rows = np.flatnonzero(comparison["significant"].to_numpy() & (lead != 0))
    (a, column), (b, _) = (means.cells(comparison, side) for side in SIDES)
    winner = np.where(lead > 0, a, b)[rows]
    loser = np.where(lead > 0, b, a)[rows]
    if len(means.table) > len(LETTERS):
        beaten = np.zeros(means.table.shape, int)
        np.add.at(beaten, (winner, column[rows]), 1)  # += would count a repeated cell once
        return pd.DataFrame(beaten, means.table.index, means.table.columns).astype(str)
    order = np.argsort(loser, kind="stable")  # a cell lists its letters in alphabetical order
    marks = (((winner[row], column[rows][row]), LETTERS[loser[row]]) for row in order)
    return _joined_marks(marks, "", means)


NAMES = (METRIC, *AXES, SYSTEM, *SIDES, TOPIC, DOC, "step", "old", "new")
"""Columns that contain labels. In a frame, columns of groups come before columns of labels."""
MARKED = "† significant; ‡ and so are the innate orderings, for the same system"
EXTRA_COLUMNS = (MARK, "dagger", "double_dagger", *ENDS)
"""Columns whose values a table writes after a mean."""
SYSTEMS = (SYSTEM, *SIDES)
MEANS = ("mean", "mean_a", "mrr_b")
"""Columns of means. The best values of the first of these columns are highlighted."""
LOWEST = ("median_p", "inversions")
"""Verbs that compute measures for which lower is better."""
ACROSS = ("outcome", "category", "region", "component", "group", "column", BOUND)
"""Dimensions whose labels become columns of the table."""
DETAILS = (TOPIC, "gain", "effort", "quartile")
"""Dimensions that a table omits or averages over."""
SPREAD = "_sd"
"""The suffix of a column of standard deviations, which are written after the means."""
PLUS_MINUS = {**everywhere(" ± {}"), "latex": r" $\pm$ {}"}


def of_result(result: object) -> Table:
    """Return the table of a frame, array or dataset."""
    dims = {*getattr(result, "dims", ())}
    by_stop = {METRIC, axis_of(result).dim} <= dims and SYSTEM not in dims
    if isinstance(result, xr.DataArray) and by_stop:
        return _of_array(result)
    if isinstance(result, xr.DataArray | xr.Dataset) and RESULT in result.attrs:
        return _of_dataset(result)
    if not isinstance(result, pd.DataFrame) or RESULT not in result.attrs:
        columns = ", ".join(map(str, getattr(result, "columns", ()))) or type(result).__name__
        raise InputError("scores, or a frame or array that a verb returned", columns)
    return _table_of_frame(result)


def _of_array(values: xr.DataArray) -> Table:
    """Return the table of values by depth."""
    dim = axis_of(values).dim
    rows = [name for name in values.dims if name != dim]
    flat = values.transpose(*rows, dim).to_numpy().reshape(-1, values.sizes[dim])
    index = pd.MultiIndex.from_product([values.indexes[name] for name in rows], names=rows)
    labels = index.get_level_values(0) if len(rows) == 1 else index
    numbers = pd.DataFrame(flat, labels, values.indexes[dim])
    sign = -1 if values.attrs.get(RESULT) in LOWEST else 1
    notes = caption_text(values.attrs, str(values.name or ""), interval="")
    return Table(numbers, (), best_of((numbers * sign).round(TIE)), notes)


def _of_dataset(result: xr.DataArray | xr.Dataset) -> Table:
    """Return the table of variables with the same dimensions.

    These are the variables with the fewest dimensions, one column per variable. If all variables
    have the dimension topic, their means over topics are shown.
    """
    data = result if isinstance(result, xr.Dataset) else result.to_dataset(name=result.name or "")
    every = {str(name): array for name, array in data.items() if array.dtype.kind in "iuf"}
    coarse = {name: array for name, array in every.items() if {*DETAILS}.isdisjoint(array.dims)}
    averaged = "" if coarse else f"means over {counted(data.sizes.get(TOPIC, 0), TOPIC)}"
    coarse = coarse or {n: array.mean(TOPIC) for n, array in every.items() if TOPIC in array.dims}
    rows = min(filter(None, map(_down, coarse.values())), key=len, default=[])
    alike = {name: array for name, array in coarse.items() if {*_down(array)} == {*rows}}
    columns = [column for n, array in alike.items() for column in _columns(n, array, len(alike))]
    flat = {text: array.transpose(*rows).to_numpy().ravel() for text, array in columns}
    labels = [_labels_along(data, row) for row in rows]
    frame = pd.DataFrame(flat, pd.MultiIndex.from_product(labels, names=rows) if rows else None)
    ends = {name: name.removesuffix(SPREAD) for name in flat if name.endswith(SPREAD)}
    numbers = frame.drop(columns=[*ends])
    extras = [
        Extra((_in_column(numbers, name, frame[end]),), PLUS_MINUS) for end, name in ends.items()
    ]
    notes = caption_text(result.attrs, averaged, interval="")
    return Table(numbers, tuple(extras), None, notes, [name for name in numbers if is_p(name)])


def _down(array: xr.DataArray) -> list[Hashable]:
    return [dim for dim in array.dims if dim not in ACROSS]


def _columns(name: str, array: xr.DataArray, among: int) -> Iterator[tuple[str, xr.DataArray]]:
    """Yield the heading and values of a variable's columns."""
    across = [dim for dim in array.dims if dim in ACROSS]
    if not across:
        yield name, array
    for label in array[across[0]].to_numpy() if across else ():
        text = str(label) if among == 1 or name in {"share", "count"} else f"{name} {label}"
        yield text, array.sel({across[0]: label})


def _labels_along(data: xr.Dataset, dim: Hashable) -> list[object]:
    """Return the row labels of a dimension."""
    if dim != PAIR:
        return [*data[dim].to_numpy().tolist()]
    sides = (data[side].to_numpy() for side in SIDES)
    return [f"{a}, {b}" for a, b in zip(*sides, strict=True)]


def _table_of_frame(frame: pd.DataFrame) -> Table:
    """Return the table of a frame."""
    frame = frame[of_outcomes(frame)]
    named = [name for name in frame.index.names if name is not None]
    flat = frame.reset_index(named) if named else frame.reset_index(drop=True)
    columns = list(flat.columns)  # columns of groups come before columns of labels
    first = next((pos for pos, name in enumerate(columns) if name in NAMES), 0)
    rows = [*columns[:first], *takewhile(lambda name: name in NAMES, columns[first:])]
    same = [name for name in rows if len(flat) > 1 and len(flat[name].unique()) == 1]
    labels = [name for name in rows if name not in same]
    most = most_letters(flat)
    dense = ["letters"] if most > MOST_LETTERS else []  # tiers and ranks stay in the table
    shown = flat.drop(columns=[*EXTRA_COLUMNS, *same, *dense], errors="ignore")
    numbers = shown.set_index(labels) if labels else shown
    texts = [f"{name} {flat[name].iloc[0]}" for name in same if flat[name].notna().all()]
    texts += [MARKED] if MARK in flat else []
    texts += [f"letters not shown, up to {most} a system"] if dense else []
    notes = caption_text(frame.attrs, *texts, interval="[{}]" if set(ENDS) <= set(flat) else "")
    small = [name for name in numbers if is_p(name)]
    return Table(numbers, _extras(flat, numbers), _best_rows(flat, rows, numbers), notes, small)


def _mean_columns(numbers: pd.DataFrame) -> Sequence[Hashable]:
    """Return the first column of means, or all metrics otherwise."""
    present = [name for name in MEANS if name in numbers]
    return present[:1] or [name for name in numbers if facts(str(name)).known]


def _extras(flat: pd.DataFrame, numbers: pd.DataFrame) -> tuple[Extra, ...]:
    """Return the marks of means and the intervals of estimates."""
    extras = []
    if MARK in flat and (means := _mean_columns(numbers)):
        extras.append(superscripts(_in_column(numbers, means[0], flat[MARK])))
    if set(ENDS) <= set(flat):
        columns = list(flat.columns)
        before = columns[columns.index(ENDS[0]) - 1]
        if before in numbers:
            extras.append(brackets(*(_in_column(numbers, before, flat[end]) for end in ENDS)))
    return tuple(extras)


def _in_column(numbers: pd.DataFrame, column: Hashable, values: pd.Series) -> pd.DataFrame:
    """Return a table with values in a single column."""
    filled = np.full(numbers.shape, "", dtype=object)
    filled[:, numbers.columns.get_loc(column)] = values
    return pd.DataFrame(filled, numbers.index, numbers.columns)


def _best_rows(flat: pd.DataFrame, rows: Sequence[Hashable], numbers: pd.DataFrame) -> pd.DataFrame:
    """Mark the best means by metric, depth and group."""
    best = np.zeros(numbers.shape, dtype=bool)
    keys = [flat[name] for name in rows if name not in SYSTEMS] or [pd.Series(0, flat.index)]
    for mean in _mean_columns(numbers):
        metrics = flat[METRIC].map(str) if METRIC in flat else pd.Series(str(mean), flat.index)
        signed = (flat[mean] * metrics.map(lambda name: facts(name).sign)).round(TIE)
        rivals = signed.groupby(keys, dropna=False, observed=True)
        wins = (signed == rivals.transform("max")) & (rivals.transform("count") > 1)
        best[:, numbers.columns.get_loc(mean)] = wins
    return pd.DataFrame(best, numbers.index, numbers.columns)
