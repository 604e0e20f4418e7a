"""Scores read once, whatever they came as: values, labels, groups, and what is said of them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array, at_places
from irframe.checks import one_column
from irframe.cubes import as_scores, score_arrays
from irframe.cubes.aggregates import array_without_aggregates, without_aggregates
from irframe.cubes.by_group import (
    group_keys,
    group_values,
    of_label,
    placed,
    told_of,
    with_given_groups,
)
from irframe.cubes.groups import by_repeat, read_groups
from irframe.cubes.view import LIST, selected, user_coordinates
from irframe.errors import InputError, ParameterError
from irframe.experiments.group_columns import RESERVED, given_groups, refuse_several
from irframe.experiments.topic_design import (
    LABELS,
    TopicLabels,
    declared_labels,
    names_declared,
    refuse_several_values,
)
from irframe.files.kinds import is_judgments
from irframe.stops import axis_of


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of systems on topics as they were handed over, read.

    Parameters
    ----------
    values
        A dimension for each of the labels, NaN where there is no score; of dask as it came.
    labels
        Those of metrics, systems, repeats if there are any, topics, and depths if there are any,
        called as in the frame that they came in.
    attrs
        What they say of themselves.
    array
        The array that they came as, if they did.
    rows, index
        Of a frame, the number of the row of each system and topic (at each depth, if there are
        any), -1 where it has none; and what its rows are called.
    word
        What a frame calls repeats, if it has any.
    by, keys
        What the groups asked for are called; and the dimension that they are of, with the group
        of each label there.
    apart
        The groups, where they are a dimension of their own.
    bounds
        Lower and upper scores, where these are the lower ones.
    drawn
        How topics were drawn, if that is declared.
    """

    values: Any
    labels: dict[Any, pd.Index]
    attrs: dict[Any, Any]
    array: xr.DataArray | None = None
    rows: Array | None = None
    index: Any = None
    word: str | None = None
    by: Any = None
    keys: tuple[str, Any] | None = None
    apart: "dict[Any, ScoreTable] | None" = None
    bounds: xr.DataArray | None = None
    drawn: TopicLabels | None = None

    @property
    def dims(self) -> tuple[Any, ...]:
        """What there are labels of."""
        return tuple(self.labels)

    @property
    def systems(self) -> pd.Index:
        """The systems."""
        return self.labels[words.SYSTEM]

    @property
    def whole(self) -> Any:
        """What a result is a result of: the array, or these."""
        return self if self.array is None else self.array

    @property
    def said(self) -> dict[Any, Any]:
        """What an array of them says of itself: of a frame, what is not known, and its repeats."""
        if self.array is not None:
            return self.attrs
        kept = words.UNKNOWN, words.DRAWN, axis_of(self).told, *[words.REPEATS] * bool(self.word)
        said = {name: self.attrs[name] for name in kept if self.attrs.get(name) is not None}
        return said if self.word is None else {words.REPEATED: self.word, **said}

    @property
    def pooled(self) -> str:
        """What is to be said of topics of several collections that are taken together, or ""."""
        column, topics = self.attrs.get(score_arrays.COLLECTION), self.labels[words.TOPIC]
        if column is None:
            return ""
        if self.array is not None and column in self.array.coords:
            keys: Any = self.array[column].to_numpy()
        else:
            of = {
                topic: key for key, every in self.attrs.get(words.TOPICS_OF, ()) for topic in every
            }
            keys = topics.map(of).to_numpy()
        present = len(pd.unique(keys[~pd.isna(keys)]))
        return f"topics of {present} collections ({column}) are taken together" * (present > 1)

    def refuse_bounds(self) -> None:
        """Raise where they are lower and upper scores."""
        if self.bounds is not None:
            score_arrays.in_order(self.bounds)

    def take(self, places: Mapping[str, Any]) -> "ScoreTable":
        """Return those at some positions of systems or topics."""
        at = [places.get(dim) for dim in self.labels]
        kept = zip(self.labels.items(), at, strict=True)
        labels = {dim: index if here is None else index[here] for (dim, index), here in kept}
        values, rows = at_places(self.values, *at), self.rows
        if rows is not None:
            rows = at_places(rows, *[places.get(dim) for dim in LIST], *[None] * (rows.ndim - 2))
            values = np.ascontiguousarray(values)  # so that sums are those of the part alone
        array = None if self.array is None else self.array.isel(places)
        drawn, topics = self.drawn, places.get(words.TOPIC)
        drawn = drawn.take(topics) if drawn is not None and topics is not None else drawn
        return replace(
            self, values=values, labels=labels, array=array, rows=rows, keys=None, drawn=drawn
        )

    def groups(self) -> Iterator[tuple[Any, "ScoreTable"]]:
        """Yield the groups: the name of each, and the scores of who takes part there.

        Without groups, everything is one, which has no name. Systems and topics stand in the order
        of the whole.
        """
        if self.apart is not None or self.keys is None:
            yield from ({None: self} if self.apart is None else self.apart).items()
            return
        dim, keys = self.keys
        told = self.listed if self.array is None else told_of(self.array)
        there, said = told, told is not None
        if not said and dim == words.TOPIC:
            told = np.ones([len(self.labels[side]) for side in LIST], bool)
        if not said or (dim == words.TOPIC and getattr(self.values, "chunks", None) is None):
            others = tuple(n for n, name in enumerate(self.labels) if name not in LIST)
            there = np.asarray((~np.isnan(self.values)).any(axis=others))
        for key, places in placed(self.by, dim, keys, self.systems, there, told):
            yield key, self.take(self._with_rows(places))

    @property
    def listed(self) -> Array:
        """The systems and topics that have a row in the frame that they came in."""
        there = np.asarray(self.rows) >= 0
        return np.asarray(there if there.ndim == len(LIST) else there.any(axis=-1))

    def _with_rows(self, places: dict[str, Array]) -> dict[str, Array]:
        """Return positions without those of systems and topics that have no row in a frame."""
        if self.rows is None:
            return places
        inside = at_places(self.listed, *(places.get(dim) for dim in LIST))
        kept = {dim: np.flatnonzero(inside.any(axis=1 - axis)) for axis, dim in enumerate(LIST)}
        return {dim: places[dim][at] if dim in places else at for dim, at in kept.items()}


ScoreLike = xr.DataArray | pd.DataFrame | ScoreTable
"""What scores are handed over as, or these as read."""


def read_score_table(x: Any, *, asking: str = "", by: Any = None) -> ScoreTable:
    """Read scores, whatever they came as.

    Parameters
    ----------
    x
        An array, or what `as_scores` takes; or such as were read.
    asking
        In whose name several repeats are refused; of who takes them "".
    by
        A column, level or coordinate of groups; or topic, or system, -> group.

    Raises
    ------
    InputError
        If it holds no scores, or anything but numbers.
    ParameterError
        For groups that there are none of; for labels of topics without a declaration, and a
        declaration without labels.
    IdError
        If a system is scored twice on a topic, or a label stands twice.
    DepthError
        If depths are no whole numbers.
    """
    if isinstance(x, ScoreTable):
        return x
    if not isinstance(by, Mapping | pd.Series):
        one_column("by", by)
    array = isinstance(x, xr.DataArray)
    refuse_result(x)
    told = getattr(x, "attrs", {}).get(words.METRICS, ())
    metrics = x.coords.get(words.METRIC, ()) if array else told
    if isinstance(by, str) and by in np.asarray(metrics):
        alone = f'scores.sel(metric=["{by}"])' if array else f'scores[["{by}"]]'
        found = f"a metric, {by}"
        raise ParameterError("by to say of what group systems or topics are", found, alone)
    if isinstance(x, xr.DataArray):
        return _read_array(x, asking, by)
    return _read_frame(as_scores.score_frame(x), asking, by)


def refuse_result(x: Any) -> None:
    """Raise for what a verb returned over systems and topics that is no score."""
    returned = getattr(x, "attrs", {}).get(words.RESULT, "")
    frame = isinstance(x, pd.DataFrame)
    labels = {*x.index.names} if frame else {*getattr(x, "dims", ())}
    if returned and returned not in words.SCORE_VERBS and {*LIST} <= labels:
        advice = 'rank systems by scores, such as cube.ireval.score("AP")'
        raise InputError("scores of systems", f"what {returned} returned", advice)


def read_all(given: Mapping[str, Any], asking: str, by: Any = None) -> dict[str, Any]:
    """Return the arguments of a verb of scores, scores among them as read.

    Parameters
    ----------
    given
        The arguments, scores first.
    asking
        In whose name several repeats are refused; of who takes them "".
    by
        A column, level or coordinate of groups; or topic, or system, -> group.
    """
    (first, subject), *others = given.items()
    read = {**given, first: read_score_table(subject, asking=asking, by=by)}
    for word, value in others:
        table = hasattr(value, "__arrow_c_stream__") and not isinstance(value, pd.Series)
        if isinstance(value, xr.DataArray) or (table and not is_judgments(value)):
            read[word] = read_score_table(value, asking=f"{word}=", by=by)
    return read


def to_scores(scores: ScoreLike | as_scores.Scores, asking: str = "") -> xr.DataArray:
    """Return scores as an array, whatever they came as.

    Parameters
    ----------
    scores
        An array with dimensions among metric, system, topic, depth, at least system and topic;
        or what `as_scores` takes. Of a wide frame the columns that `metric_columns` takes.
    asking
        In whose name several repeats are refused; of who takes them "".

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic) and, if there was one, depth; of a frame with repeats
        these after systems; float64. A pair of system and topic that a frame lacks is NaN.

    Raises
    ------
    IrframeError
        As `read_score_table` does.
    """
    read = read_score_table(scores, asking=asking)
    read.refuse_bounds()
    drawn = {} if read.drawn is None else read.drawn.values
    if read.array is not None:
        return read.array.drop_vars([n for n in user_coordinates(read.array) if n not in drawn])
    labels: Any = {dim: index.rename(dim) for dim, index in read.labels.items()}
    labels[words.METRIC] = [*labels[words.METRIC]]
    array = xr.DataArray(read.values, labels, tuple(labels), name="score", attrs=read.said)
    return array.assign_coords({name: (words.TOPIC, column) for name, column in drawn.items()})


def _read_array(x: xr.DataArray, asking: str, by: Any) -> ScoreTable:
    x = score_arrays.refuse_repeats(x, asking)
    x, by = with_given_groups(x.expand_dims(selected(x, (*LIST, axis_of(x).dim))), by)
    if by in x.dims and by in x.indexes and by not in {*LIST, *RESERVED}:
        parts = {key: _read_array(of_label(x, by, key), asking, None) for key in x.indexes[by]}
        return replace(next(iter(parts.values())), array=x, by=by, apart=parts)
    bounds = x if words.BOUND in x.dims and words.REPEAT not in x.dims else None
    array = score_arrays.in_order(
        score_arrays.sound(x if bounds is None else x.isel({words.BOUND: 0}, drop=True))
    )
    array = array_without_aggregates(array)
    values = array.to_numpy() if array.chunks is None else array.data
    labels = {dim: array.indexes[dim] for dim in array.dims}
    keys = None if by is None else read_groups(array, by)
    attrs, drawn = dict(array.attrs), declared_labels_of(array, by)
    return ScoreTable(values, labels, attrs, array, by=by, keys=keys, bounds=bounds, drawn=drawn)


def declared_labels_of(array: xr.DataArray, by: Any = None) -> TopicLabels | None:
    """Return how the topics of an array were drawn, if that is declared."""
    topics = array.sizes[words.TOPIC]
    known = [name for name in LABELS if name in array.coords]
    coords = {name: array[name] for name in known if {*array[name].dims} <= {words.TOPIC}}
    values = {name: np.broadcast_to(coord.to_numpy(), topics) for name, coord in coords.items()}
    return _declared(array.attrs, values, by)


def _declared(attrs: Mapping[Any, Any], values: dict[str, Array], by: Any) -> TopicLabels | None:
    """Return declared labels; one that is not declared may be what groups are told apart by."""
    if isinstance(by, str) and by in values and by not in names_declared(attrs):
        values = {name: column for name, column in values.items() if name != by}
    return declared_labels(attrs, values)


def _read_frame(frame: pd.DataFrame, asking: str, by: Any) -> ScoreTable:
    """Read a frame: rows, each of a system, a topic, perhaps a repeat, and a group."""
    given = isinstance(by, Mapping | pd.Series)
    column = None if given or by is None else by
    if column is not None:
        group_keys(frame, column)  # before columns are gone
    wide, by_role = as_scores.wide_frame(frame, by=column) or as_scores.refuse_unscored(frame)
    if column is not None and column in by_role.values():
        raise ParameterError("by to be a property of systems or topics", repr(column))
    known = [name for name in (*wide.index.names, *wide.columns) if name is not None]
    wide, word = by_repeat(wide, by_role, column)
    wide = without_aggregates(wide, by_role)
    if word is not None and asking:
        names = [name for name in wide.index.names if name != word]
        line = f"ir.as_scores(scores).groupby(level={names}, sort=False).mean()"
        score_arrays.refuse_several_repeats(asking, word, line)
    labelled = [name for name in (*LABELS, column) if name in wide.columns]
    scored = wide.drop(columns=labelled) if labelled else wide
    metrics = score_arrays.metric_columns(scored, by_role[words.SYSTEM])
    values = score_arrays.numbers_of(scored if len(metrics) == scored.shape[1] else scored[metrics])
    roles = by_role | ({} if word is None else {words.REPEAT: word})
    *_, along = dims = score_arrays.dims_of(frame)
    roles |= {along: along} if along in wide.index.names else {}
    codes, labels = _codes_of_rows(wide, {dim: roles[dim] for dim in dims if dim in roles})
    keys = None
    if given:
        by, dim, groups = given_groups(by, {dim: labels[dim] for dim in LIST}, known)
        keys = dim, groups.to_numpy()
    elif column is not None:
        keys = _tell_apart(group_keys(wide, column), column, codes, labels)
    attrs = {**frame.attrs, **wide.attrs, words.METRICS: metrics}
    of_topics = _labels_of_rows(wide, codes[words.TOPIC], labels[words.TOPIC])
    drawn = _declared(attrs, of_topics, column)
    table, rows = _laid_out(values, codes, labels)
    if rows is None:
        others: Any = [name for name in wide.index.names if name not in roles.values()]
        as_scores.refuse_twice(wide.index.droplevel(others), wide, frame.index.names)
    labels = {words.METRIC: pd.Index([*map(str, metrics)], name=wide.columns.name), **labels}
    level: Any = column
    index = wide.index.droplevel(level) if level in {*wide.index.names} - {None} else wide.index
    word = word and str(word)
    return ScoreTable(table, labels, attrs, None, rows, index, word, by, keys, drawn=drawn)


def _labels_of_rows(wide: pd.DataFrame, codes: Array, topics: pd.Index) -> dict[str, Array]:
    """Return labels of topics, of which rows have one each."""
    found = {}
    for name in [name for name in LABELS if name in {*wide.index.names, *wide.columns}]:
        column = group_values(wide, name)
        of_rows, values = pd.factorize(column, use_na_sentinel=False)
        of_topics = np.zeros(len(topics), int)
        of_topics[codes] = of_rows
        if (unlike := of_topics[codes] != of_rows).any():
            refuse_several_values(name, topics[np.unique(codes[unlike])])
        found[name] = np.asarray(values.take(of_topics))
    return found


def _codes_of_rows(
    wide: pd.DataFrame, roles: Mapping[str, Any]
) -> tuple[dict[str, Array], dict[str, pd.Index]]:
    """Return which label each row has of systems, repeats and topics, and these labels."""
    codes, labels = {}, {}
    for dim, level in roles.items():
        index: Any = wide.index
        place = index.names.index(level)
        of_rows = index.codes[place]
        if (of_rows < 0).any():
            codes[dim], present = pd.factorize(index.get_level_values(place), use_na_sentinel=False)
        else:  # whose levels tell labels apart already
            codes[dim], among = pd.factorize(of_rows)
            present = index.levels[place].take(among)
        labels[dim] = present.rename(level)
    return codes, labels


def _laid_out(
    values: Array, codes: Mapping[str, Array], labels: Mapping[str, pd.Index]
) -> tuple[Array, Array | None]:
    """Return values by metric and all labels, and of each system and topic the row.

    None instead of rows where a system is scored twice on a topic.
    """
    shape = tuple(map(len, labels.values()))
    cells = np.ravel_multi_index(tuple(codes.values()), shape)
    if np.bincount(cells).max() > 1:
        return values, None
    table = np.full((values.shape[1], math.prod(shape)), np.nan)
    table[:, cells] = values.T
    dims = [dim for dim in labels if dim != words.REPEAT]
    rows = np.full([len(labels[dim]) for dim in dims], -1)
    rows[tuple(codes[dim] for dim in dims)] = np.arange(len(values))
    return table.reshape(-1, *shape), rows


def _tell_apart(
    groups: pd.Index, by: Any, codes: dict[str, Array], labels: dict[str, pd.Index]
) -> tuple[str, Any]:
    """Return what groups are of, and that of each label, given the group of each row.

    A topic that a system has in several groups becomes another one in each.
    """
    group, keys = pd.factorize(groups)
    for dim in (words.TOPIC, words.SYSTEM):
        first = np.zeros(len(labels[dim]), int)
        first[codes[dim]] = group
        if (first[codes[dim]] == group).all():
            return dim, keys.take(first)
    topic, topics = codes[words.TOPIC], labels[words.TOPIC]
    if not pd.DataFrame(codes).duplicated().any():
        uneven = pd.Series(group).groupby(topic).transform("nunique").to_numpy() > 1
        refuse_several(by, topics[np.unique(topic[uneven])])
    codes[words.TOPIC], present = pd.factorize(group * len(topics) + topic)
    of_group, of_topic = np.divmod(present, len(topics))
    labels[words.TOPIC] = topics.take(of_topic)
    return words.TOPIC, keys.take(of_group)
