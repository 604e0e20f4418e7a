"""Grouped objects, whose methods return one result per group.

Verbs: groupby.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.accessor import Figures, Verbs
from irframe.checks import one_column
from irframe.cubes import by_group
from irframe.cubes.groups import read_groups
from irframe.cubes.parse_scores import as_scores, refuse_metric
from irframe.cubes.score_arrays import normalise_collection
from irframe.cubes.verb import VERBS
from irframe.cubes.view import LIST, Labelled
from irframe.errors import InputError, ParameterError
from irframe.experiments.group_columns import RESERVED, GroupBy, refuse_name
from irframe.files.as_runs import as_runs
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.tables import columns_of
from irframe.kinds import JUDGMENTS, KNOWN, NUGGETS, RUNS, SCORES, kind_of
from irframe.names import METRIC, SCORE, roles
from irframe.plots.panes import panes
from irframe.record import FRAME_VERBS, InGroups, is_mapping


def groupby(
    subject: pd.DataFrame | xr.Dataset | xr.DataArray | ScannedRuns,
    by: GroupBy | Sequence[Hashable],
) -> "Grouped":
    """Group systems or topics, as `groupby` of pandas does.

    Parameters
    ----------
    subject
        A run frame, scores, a cube, or the result of a verb.
    by
        The name of a column, index level or coordinate, such as ``"track"``, or a list of names. A
        mapping or Series assigns a group to each topic or system.

    Returns
    -------
    Grouped
        An object with the same methods as `subject`. Each method returns one result for all
        groups. The group is the first column or index level of a frame, and the first dimension of
        an array. If a method returns a cube for each group, the result is a grouped object again.
        Each group of runs is evaluated with all judgments. Iteration yields the name and the subset
        of each group.

    Raises
    ------
    ParameterError
        If `by` names no column, index level or coordinate, or if a row, system or topic belongs to
        no group.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> runs.ireval.groupby("team").evaluate(qrels, "AP").index.names
    FrozenList(['team', 'system', 'topic'])
    """
    source = _as_object(subject)
    if isinstance(by, list | tuple | pd.Index):
        if not len(by):
            raise ParameterError("at least one name in by=", "an empty list")
        for name in by:
            _refuse_wrong(source, name)
        if len(by) != 1:
            return Grouped(joined_columns(source, list(by)))
    groups: Any = by[0] if isinstance(by, list | tuple | pd.Index) else by
    groups = normalise_collection(source, groups)
    _refuse_wrong(source, groups)
    return Grouped(InGroups(source, groups))


def _as_object(x: object) -> Any:
    """Convert input of `groupby` to a frame, array or cube."""
    if isinstance(x, pd.DataFrame | Labelled):
        return x
    if isinstance(x, pd.Series):
        return as_scores(x)
    if isinstance(x, ScannedRuns):
        return x.readable().frame()
    table = columns_of(x)
    return as_runs(x) if table is None else table


def _refuse_wrong(subject: Any, by: Any) -> None:
    """Raise if an object cannot be grouped by `by`."""
    kind = kind_of(subject)
    if kind in {JUDGMENTS, NUGGETS}:
        raise InputError("runs, scores, a cube or a result", KNOWN[kind].noun)
    if kind == RUNS:
        _refuse_wrong_of_runs(subject, by)
    elif is_mapping(by):
        by_group.with_given_groups(subject, by)
    elif isinstance(subject, pd.DataFrame):
        by_group.group_keys(subject, by)
        if kind == SCORES:
            _refuse_no_property(subject, by)
    # any other dimension, such as metric, needs no check, but single systems or topics are refused
    elif by not in subject.dims or by in LIST:
        read_groups(subject, by)


def _refuse_no_property(frame: pd.DataFrame, by: object) -> None:
    """Raise if `by` names the systems, topics or metrics themselves."""
    refuse_metric(frame, by)
    by_role = roles([*frame.index.names, *frame.columns])
    if by in {by_role.get(dim) for dim in LIST}:
        raise ParameterError("by to be a property of systems or topics", repr(by))


def _refuse_wrong_of_runs(runs: pd.DataFrame, by: Any) -> None:
    """Raise if runs cannot be grouped by `by`."""
    rows: Any = columns_of(runs, SCORE)
    by_role = roles(rows.columns)
    labels = {dim: rows[by_role[dim]].unique() for dim in LIST if dim in by_role}
    if is_mapping(by):
        if not any(label in by for column in labels.values() for label in column):
            expected = "by to be a mapping of systems or of topics"
            raise ParameterError(expected, "other keys", "", by)
        return
    one_column("by", by)
    if by in by_role.values():
        raise ParameterError("by to be a property of systems or topics", repr(by))
    if by not in rows:
        columns = [str(name) for name in rows if name not in by_role.values()]
        advice = (
            "to group by a column of the judgments, pass a Series: "
            f'groupby(qrels.drop_duplicates(["topic", "{by}"]).set_index("topic")["{by}"])'
        )
        found = f"{by!r}; the runs have" if columns else f"{by!r}"
        raise ParameterError("by to be a column that groups the runs", found, advice, columns)
    refuse_name(rows, by)


def parts_of(groups: InGroups, *, drawn: bool = False) -> Iterator[tuple[Any, Any]]:
    """Yield the name and the subset of each group.

    Parameters
    ----------
    groups
        A grouped object.
    drawn
        Whether the subsets are for figures. Subsets of an array then keep the dimension of the
        groups, because figures show the name of the group.
    """
    if isinstance(groups.subject, dict):
        yield from groups.subject.items()
        return
    subject, by = by_group.with_given_groups(groups.subject, groups.by)
    # `by_group.groups` accepts only coordinates of systems or topics, not labels such as metrics
    if isinstance(subject, Labelled) and by in subject.dims and (drawn or by in RESERVED):
        labels = enumerate(subject[by].to_numpy())
        subsets: Iterator[Any] = ((key, subject.isel({by: [n]})) for n, key in labels)
    elif isinstance(subject, pd.DataFrame) and by == METRIC and by in subject:
        subsets = ((key, subject[subject[by] == key]) for key in subject[by].unique())
    else:
        subsets = by_group.groups(subject, by)
    for key, subset in subsets:
        yield key if groups.labels is None else groups.labels[key], subset


def joined_columns(subject: Any, names: Sequence[Hashable]) -> InGroups:
    """Return an object grouped by several columns.

    The labels of the columns are joined into one new column, index level or coordinate.

    Raises
    ------
    ParameterError
        If a column does not exist, or if one coordinate labels systems and another labels topics.

    Examples
    --------
    >>> labels = {"kind": ("topic", ["a", "a"]), "year": ("topic", [1, 2])}
    >>> scores = xr.DataArray([[0.1, 0.4]], {"system": ["a"], "topic": ["1", "2"]})
    >>> groups = joined_columns(scores.assign_coords(labels), ["kind", "year"])
    >>> groups.by, groups.labels
    ('kind, year', {'a, 1': ('a', 1), 'a, 2': ('a', 2)})
    """
    by = ", ".join(map(str, names))
    if isinstance(subject, pd.DataFrame):
        columns: Any = [by_group.group_keys(subject, name) for name in names]
    else:
        dims, columns = zip(*(read_groups(subject, name) for name in names), strict=True)
        if len({*dims}) > 1:
            expected = "by to list properties of systems only, or of topics only"
            advice = "group by the properties of systems first, and then group each result"
            raise ParameterError(expected, "properties of both", advice, names)
    keys = [*zip(*(np.asarray(column).tolist() for column in columns), strict=True)]
    texts = [", ".join(map(str, key)) for key in keys]
    labels = dict(zip(texts, keys, strict=True))
    if len(labels) < len({*keys}):
        expected = "joined labels that differ between groups"
        advice = "remove the commas in the labels of these columns"
        raise ParameterError(expected, "two groups with the same label", advice, names)
    if not isinstance(subject, pd.DataFrame):
        return InGroups(subject.assign_coords({by: (dims[0], texts)}), by, tuple(names), labels)
    levels = [name for name in names if name in subject.index.names]
    bare = subject.drop(columns=[name for name in names if name not in levels])
    bare = (bare.droplevel(levels) if levels else bare).assign(**{by: texts})
    bare.attrs = dict(subject.attrs)
    return InGroups(bare, by, tuple(names), labels)


def with_group_columns(result: object, groups: InGroups) -> object:
    """Return a result with joined group labels split into columns."""
    by = groups.name
    labels = groups.labels
    if labels is None or not isinstance(result, pd.DataFrame | Labelled):
        return result
    if isinstance(result, Labelled):
        if by not in result.dims:
            return result
        keys = pd.MultiIndex.from_tuples(
            [labels[key] for key in result[by].to_numpy()], names=groups.columns
        )
        coords = xr.Coordinates.from_pandas_multiindex(keys, by)
        unstacked = result.drop_vars(by).assign_coords(coords).unstack(by)  # noqa: PD010
        # unstack appends the dimensions of groups, but groups come first in all results
        order = [dim for dim in unstacked.dims if dim not in groups.columns]
        return unstacked.transpose(*groups.columns, *order)
    rows = result.reset_index(by) if by in result.index.names else result
    if by not in rows:
        return result
    for i, name in enumerate(groups.columns):
        rows.insert(i, name, [labels[key][i] for key in rows[by]])
    rows = rows.drop(columns=by)
    if by in result.index.names:
        levels = [name for name in result.index.names if name != by]
        rows = rows.set_index([*groups.columns], append=True)
        rows = rows.reorder_levels([*groups.columns, *levels])
    rows.attrs = dict(result.attrs)
    return rows


JUDGED = {"qrels", "judges"}
"""Parameters that take judgments. Verbs with one of these parameters need the judgments of all
groups together."""


class Grouped(Verbs):
    """Methods of a grouped object, which return results by group.

    Iteration yields the name and the subset of each group.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), "AP")
    >>> topics = scores.index.unique("topic")
    >>> halves = scores.ireval.groupby({topic: f"half {topic < '109'}" for topic in topics})
    >>> [(name, len(half)) for name, half in halves]
    [('half True', 64), ('half False', 64)]
    >>> halves.summary().index.names
    FrozenList(['group', 'metric', 'system'])
    """

    def __init__(self, groups: InGroups) -> None:
        # the kind of the object, or of the first cube, decides which verbs are offered
        super().__init__(groups.example)
        self._groups = groups

    def __iter__(self) -> Iterator[tuple[Hashable, Any]]:
        """Yield the name and the subset of each group."""
        yield from parts_of(self._groups)

    @property
    def plot(self) -> Figures:
        """Plotting methods of this object, with one pane per group."""
        return GroupedFigures(self._groups)

    def _called_of(self) -> Any:
        return self._groups

    def _leading(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        answer = super()._leading(name, function)

        @wraps(function)
        def call(groups: InGroups, *arguments: object, **options: object) -> object:
            # a verb that accepts groups sees all of them, and can correct p-values over all groups
            if _reads_groups(name):
                result = answer(groups, *arguments, **options)
            else:
                results = {key: answer(subset, *arguments, **options) for key, subset in self}
                result = by_group.join(results, groups.name, None)
            if isinstance(result, InGroups):
                return Grouped(replace(groups, subject=result.subject))
            return with_group_columns(result, groups)

        return call

    def _function(self, name: str) -> Callable[..., Any] | None:
        function = super()._function(name)
        if function is None or _has_groups(name):
            return function
        call = f"{{name: subset.ireval.{name}(...) for name, subset in groups}}"
        raise AttributeError(f"groups have no verb {name}: call it for each group: {call}")

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name == "plot" or _has_groups(name)]

    def _next(self) -> list[str]:
        return [call for call in super()._next() if _has_groups(call.partition("(")[0])]

    def _described(self) -> str:
        return f"{super()._described()}\ngrouped by {self._groups.name}"


class GroupedFigures(Figures):
    """Figures of a grouped object, with one pane per group."""

    def __init__(self, groups: InGroups) -> None:
        super().__init__(groups.example)
        self._groups = groups

    def _leading(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ARG002
        @wraps(function)
        def call(_: object, *arguments: object, **options: Any) -> object:
            def draw(subset: object, ax: object) -> None:
                function(subset, *arguments, ax=ax, **options)

            # draw must not receive these options, which describe the whole figure
            layout = {key: options.pop(key) for key in ("columns", "figsize") if key in options}
            return panes(dict(parts_of(self._groups, drawn=True)), draw, **layout)

        return call


def _reads_groups(name: str) -> bool:
    """Return whether the function of a verb accepts grouped objects."""
    return name in VERBS or getattr(FRAME_VERBS.get(name), "reads_groups", False)


def _has_groups(name: str) -> bool:
    """Return whether a verb can be called on groups.

    Verbs that write files or need all judgments cannot be called on groups.
    """
    if _reads_groups(name):
        return True
    function = FRAME_VERBS.get(name)
    first, *options = [""] if function is None else inspect.signature(function).parameters
    return first == "runs" and JUDGED.isdisjoint(options)
