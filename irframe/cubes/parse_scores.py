"""The reader of scores in any supported form.

It returns values, labels, groups and attributes as one `Scores` object.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import one_column
from irframe.cubes import as_scores, score_arrays
from irframe.cubes.aggregates import array_without_aggregates
from irframe.cubes.by_group import (
    group_keys,
    group_values,
    of_label,
    with_given_groups,
)
from irframe.cubes.groups import read_groups
from irframe.cubes.scores import Scores
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
from irframe.stops import DEPTHS, Axis, axis_of

ScoreLike = xr.DataArray | pd.DataFrame | Scores
"""Scores as an array or a frame, or as read."""


def parse_scores(x: Any, *, asking: str = "", by: Any = None) -> Scores:
    """Read scores in any supported form.

    Parameters
    ----------
    x
        An array, any input of `as_scores`, or scores already read.
    asking
        The name in the refusal of several repeats, "" if repeats are read.
    by
        A column, level or coordinate of groups; or a mapping from topics or systems to groups.

    Raises
    ------
    InputError
        For input without scores, and for values that are not numbers.
    ParameterError
        For unknown groups; for labels of topics without a declaration, and a declaration without
        labels.
    IdError
        If a system has two scores on a topic, or labels are not unique.
    DepthError
        If depths are not integers.
    """
    if isinstance(x, Scores):
        return x
    if not isinstance(by, Mapping | pd.Series):
        one_column("by", by)
    array = isinstance(x, xr.DataArray)
    refuse_result(x)
    stated = getattr(x, "attrs", {}).get(words.METRICS, ())
    metrics = x.coords.get(words.METRIC, ()) if array else stated
    if isinstance(by, str) and by in np.asarray(metrics):
        alone = f'scores.sel(metric=["{by}"])' if array else f'scores[["{by}"]]'
        found = f"a metric, {by}"
        raise ParameterError("by to name groups of systems or topics", found, alone)
    if isinstance(x, xr.DataArray):
        return _read_array(x, asking, by)
    return _read_frame(as_scores.score_frame(x), asking, by)


def refuse_result(x: Any) -> None:
    """Raise for results of verbs that are not scores."""
    returned = getattr(x, "attrs", {}).get(words.RESULT, "")
    frame = isinstance(x, pd.DataFrame)
    labels = {*x.index.names} if frame else {*getattr(x, "dims", ())}
    if returned and returned not in words.SCORE_VERBS and {*LIST} <= labels:
        advice = 'rank systems by scores, such as cube.ireval.score("AP")'
        raise InputError("scores of systems", f"what {returned} returned", advice)


def read_all(given: Mapping[str, Any], asking: str, by: Any = None) -> dict[str, Any]:
    """Return the arguments of a verb with all scores read.

    Parameters
    ----------
    given
        The arguments, scores first.
    asking
        The name in the refusal of several repeats, "" if repeats are read.
    by
        A column, level or coordinate of groups; or a mapping from topics or systems to groups.
    """
    (first, subject), *others = given.items()
    read = {**given, first: parse_scores(subject, asking=asking, by=by)}
    for word, value in others:
        table = hasattr(value, "__arrow_c_stream__") and not isinstance(value, pd.Series)
        if isinstance(value, xr.DataArray) or (table and not is_judgments(value)):
            read[word] = parse_scores(value, asking=f"{word}=", by=by)
    return read


def to_scores(scores: ScoreLike | as_scores.Scores, asking: str = "") -> xr.DataArray:
    """Return scores in any supported form as an array.

    Parameters
    ----------
    scores
        An array over system, topic and optionally metric and depth; or any input of `as_scores`. In
        a wide frame `metric_columns` selects the columns.
    asking
        The name in the refusal of several repeats, "" if repeats are read.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic), in float64. Repeats, if there are any, come after
        systems, and depths are last. Pairs of system and topic without a row in a frame are NaN.

    Raises
    ------
    IrframeError
        As `parse_scores` does.
    """
    read = parse_scores(scores, asking=asking)
    read.refuse_bounds()
    drawn = read.label_values
    if read.rows is None:
        source: xr.DataArray = read.source
        return source.drop_vars([n for n in user_coordinates(source) if n not in drawn])
    repeats = {words.REPEAT: read.repeats} if read.several_repeats else {}
    labels: Any = {words.SYSTEM: read.systems, **repeats, words.TOPIC: read.topics}
    labels |= {} if read.depths is None else {read.axis.dim: read.depths}
    labels = {words.METRIC: read.metrics, **{dim: labels[dim].rename(dim) for dim in labels}}
    values = read.values[..., 0] if read.depths is None else read.values
    array = xr.DataArray(values, labels, tuple(labels), name="score", attrs=read.attrs)
    return array.assign_coords({name: (words.TOPIC, column) for name, column in drawn.items()})


def _read_array(x: xr.DataArray, asking: str, by: Any) -> Scores:
    x = score_arrays.refuse_repeats(x, asking)
    axis = axis_of(x)
    x, by = with_given_groups(x.expand_dims(selected(x, (*LIST, axis.dim))), by)
    if by in x.dims and by in x.indexes and by not in {*LIST, *RESERVED}:
        parts = {key: _read_array(of_label(x, by, key), asking, None) for key in x.indexes[by]}
        return replace(next(iter(parts.values())), source=x, by=by, groups_of_labels=parts)
    bounds = x if words.BOUND in x.dims and words.REPEAT not in x.dims else None
    array = score_arrays.in_order(
        score_arrays.validated(x if bounds is None else x.isel({words.BOUND: 0}, drop=True))
    )
    array = array_without_aggregates(array)
    values = array.to_numpy() if array.chunks is None else array.data
    return _scores_of(
        values,
        {dim: array.indexes[dim] for dim in array.dims},
        axis,
        dict(array.attrs),
        source=array,
        topic_labels=declared_labels_of(array, by),
        by=by,
        keys=None if by is None else read_groups(array, by),
        bounds=bounds,
    )


def _scores_of(
    values: Any, labels: Mapping[Any, Any], axis: Axis, attrs: dict[Any, Any], **others: Any
) -> Scores:
    """Return a `Scores` object of labelled values.

    Values have a dimension for each of the labels.
    """
    axis = axis if axis.dim in labels else DEPTHS
    return Scores(
        values if axis.dim in labels else values[..., np.newaxis],
        [*map(str, labels[words.METRIC])],
        labels[words.SYSTEM],
        labels[words.TOPIC],
        labels.get(axis.dim),
        attrs,
        repeats=labels.get(words.REPEAT),
        axis=axis,
        **others,
    )


def declared_labels_of(array: xr.DataArray, by: Any = None) -> TopicLabels | None:
    """Return the declared labels of an array's topics, or None."""
    topics = array.sizes[words.TOPIC]
    known = [name for name in LABELS if name in array.coords]
    coords = {name: array[name] for name in known if {*array[name].dims} <= {words.TOPIC}}
    values = {name: np.broadcast_to(coord.to_numpy(), topics) for name, coord in coords.items()}
    return _declared(array.attrs, values, by)


def _declared(attrs: Mapping[Any, Any], values: dict[str, Array], by: Any) -> TopicLabels | None:
    """Return the declared labels of topics.

    Labels that only define the groups are left out.
    """
    if isinstance(by, str) and by in values and by not in names_declared(attrs):
        values = {name: column for name, column in values.items() if name != by}
    return declared_labels(attrs, values)


def _read_frame(frame: pd.DataFrame, asking: str, by: Any) -> Scores:
    """Read a frame with a row per system and topic.

    A row may also have a repeat, a depth and a group.
    """
    given = isinstance(by, Mapping | pd.Series)
    column = None if given or by is None else by
    if column is not None:
        group_keys(frame, column)  # before columns are gone
    wide, by_role, word = as_scores.wide_frame(frame, by=column)
    if column is not None and column in by_role.values():
        raise ParameterError("by to be a property of systems or topics", repr(column))
    known = [name for name in (*wide.index.names, *wide.columns) if name is not None]
    if word is not None and asking:
        names = [name for name in wide.index.names if name != word]
        line = f"ir.as_scores(scores).groupby(level={names}, sort=False).mean()"
        score_arrays.refuse_several_repeats(asking, word, line)
    metrics, values = _metric_values(wide, by_role[words.SYSTEM], column)
    roles = by_role | ({} if word is None else {words.REPEAT: word})
    axis = axis_of(frame)
    axis = axis if axis.dim in wide.index.names else DEPTHS
    roles |= {axis.dim: axis.dim} if axis.dim in wide.index.names else {}
    dims = [dim for dim in (words.SYSTEM, words.REPEAT, words.TOPIC, axis.dim) if dim in roles]
    codes, labels = _codes_of_rows(wide, {dim: roles[dim] for dim in dims})
    keys = None
    if given:
        by, dim, groups = given_groups(by, {dim: labels[dim] for dim in LIST}, known)
        keys = dim, groups.to_numpy()
    elif column is not None:
        keys = _split_topics(group_keys(wide, column), column, codes, labels)
    attrs = {**frame.attrs, **wide.attrs, words.METRICS: metrics}
    of_topics = _labels_of_rows(wide, codes[words.TOPIC], labels[words.TOPIC])
    drawn = _declared(attrs, of_topics, column)
    table, rows = _to_dense(values, codes, labels)
    if rows is None:
        others: Any = [name for name in wide.index.names if name not in roles.values()]
        as_scores.refuse_twice(wide.index.droplevel(others), wide, frame.index.names)
    carried = words.UNKNOWN, words.DRAWN, axis.attribute, *[words.REPEATS] * bool(word)
    kept = {name: attrs[name] for name in carried if attrs.get(name) is not None}
    kept = kept if word is None else {words.REPEATED: str(word), **kept}
    labels = {words.METRIC: pd.Index(metrics), **labels}
    further = {"source": _source_of(wide, attrs, column), "topic_labels": drawn, "rows": rows}
    return _scores_of(table, labels, axis, kept, by=by, keys=keys, **further)


def _metric_values(wide: pd.DataFrame, system: Any, column: Any) -> tuple[list[Any], Array]:
    """Return the columns of scores and their values."""
    labelled = [name for name in (*LABELS, column) if name in wide.columns]
    scored = wide.drop(columns=labelled) if labelled else wide
    metrics = score_arrays.metric_columns(scored, system)
    chosen = scored if len(metrics) == scored.shape[1] else scored[metrics]
    return metrics, score_arrays.numbers_of(chosen)


def _source_of(wide: pd.DataFrame, attrs: dict[Any, Any], level: Any) -> pd.DataFrame:
    """Return a frame without the level of groups.

    The result has the given attributes.
    """
    inside = level in {*wide.index.names} - {None}
    source = wide.droplevel(level) if inside else wide.copy(deep=False)
    source.attrs = attrs
    return source


def _labels_of_rows(wide: pd.DataFrame, codes: Array, topics: pd.Index) -> dict[str, Array]:
    """Return the labels of every topic.

    Raise if rows of a topic have different labels.
    """
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
    """Return codes and labels of systems, repeats, topics and depths.

    The code of a row is the position of its label.
    """
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


def _to_dense(
    values: Array, codes: Mapping[str, Array], labels: Mapping[str, pd.Index]
) -> tuple[Array, Array | None]:
    """Return an array of values and the rows of cells.

    The array has a dimension for metrics and for all labels. Return None in place of rows if a
    system is scored twice on a topic.

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


def _split_topics(
    groups: pd.Index, by: Any, codes: dict[str, Array], labels: dict[str, pd.Index]
) -> tuple[str, Any]:
    """Return the dimension of groups and each label's group.

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
