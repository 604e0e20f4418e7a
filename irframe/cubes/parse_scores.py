"""Reading of scores in any supported form.

Verbs: as_scores.

`parse_scores` returns values, labels, groups and attributes as one `Scores` object.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import choice, one_column
from irframe.cubes import score_arrays, score_frames
from irframe.cubes.by_group import group_keys, of_label, with_given_groups
from irframe.cubes.groups import group_values, read_groups
from irframe.cubes.score_frames import ScoreRows, read_rows
from irframe.cubes.scores import Scores
from irframe.cubes.view import LIST, selected
from irframe.errors import InputError, ParameterError, listing
from irframe.experiments.group_columns import RESERVED, given_groups, refuse_several
from irframe.experiments.topic_design import (
    LABELS,
    TopicLabels,
    declared_labels,
    names_declared,
    refuse_several_values,
)
from irframe.frames.kinds import is_judgments
from irframe.stops import DEPTHS, Axis, axis_of

DECLARED = (words.DRAWN, words.REPEATS)
"""Attributes that declare how topics and repeats were drawn."""
ScoreLike = xr.DataArray | pd.DataFrame | Scores
"""Scores as an array, a frame or a `Scores` object."""


def as_scores(
    x: object,
    metric: str | None = None,
    *,
    systems: Literal["rows", "columns"] | None = None,
    lower: Sequence[str] = (),
) -> pd.DataFrame:
    """Convert scores of other tools to a frame.

    Every verb of scores converts its input in this way.

    Parameters
    ----------
    x
        - a frame with system and topic in its index or in columns, and a column for each metric;
        - a frame with columns for system, topic, ``measure`` and ``value``, as returned by
          ir_measures and by PyTerrier's ``Experiment(..., perquery=True)``;
        - a Series, which is treated as a frame with one metric;
        - a matrix of the scores of `metric`, with topics in rows and systems in columns, or the
          reverse. The orientation follows from the name of an axis, such as ``topic`` or ``model``,
          or from `systems`. If both axes have names of this kind, the default of `metric` is
          ``score``;
        - ``{topic: {metric: score}}``, as returned by pytrec_eval, or a mapping from each system to
          a dictionary of this form;
        - a list of rows (dictionaries, or named tuples such as `ir_measures.Metric`), or a mapping
          from each system to a list of rows;
        - an array over (metric,) system, topic (and depth);
        - any table with ``__arrow_c_stream__``: polars, DuckDB, PyArrow.

        If the input names no systems, all scores belong to one system called ``run``.
    metric
        The metric of a matrix, or the new name of the only column of scores.
    systems
        Whether a matrix has systems in its ``"rows"`` or ``"columns"``.
    lower
        Columns of costs, such as tokens or latency, where lower is better. Known cost metrics such
        as ASL need not be listed.

    Returns
    -------
    pandas.DataFrame
        A frame with a column for each metric. Other columns are unchanged. The index contains
        systems, repeats (if there are any) and topics. Index levels have the same names as in `x`.

    Raises
    ------
    InputError
        If the input has none of these forms. The message contains code that reshapes the input.
    IdError
        If a system has two scores on a topic, or two columns have the same name.

    Examples
    --------
    >>> matrix = pd.DataFrame({"bm25": [0.5, 0.25], "ance": [0.75, 0.5]}, index=["q1", "q2"])
    >>> as_scores(matrix, metric="AP", systems="columns")
                    AP
    system topic
    bm25   q1     0.50
           q2     0.25
    ance   q1     0.75
           q2     0.50
    """
    if systems is not None:
        x = score_frames.with_axes(x, choice("systems", systems, ("rows", "columns")))
    if isinstance(x, xr.DataArray):
        wide = frame = _frame_of_array(x)
    else:
        frame = score_frames.score_frame(x)
        wide = _read_rows(frame, metric=metric).to_frame()
    if metric is not None:
        if metric not in wide.columns:
            if wide.shape[1] != 1:
                raise InputError(f"a column {metric}", "the columns", "", map(str, wide.columns))
            wide = wide.set_axis([metric], axis=1)
        wide = wide[[metric]]
    missing = [name for name in lower if name not in wide.columns]
    if missing:
        expected = f"lower= to name metrics of the scores ({listing(map(str, wide.columns))})"
        raise InputError(expected, "", "", missing)
    drawn = {name: frame.attrs[name] for name in DECLARED if name in frame.attrs}
    if lower or drawn:
        # attributes are added to a copy, because the frame may be the caller's
        wide = wide.copy(deep=False)
        wide.attrs |= drawn
        wide.attrs |= {words.LOWER: [*lower]} if lower else {}
    return wide


def _frame_of_array(scores: xr.DataArray) -> pd.DataFrame:
    """Convert an array to a frame with metrics as columns."""
    source = parse_scores(scores).load()
    source.refuse_bounds()
    array = _array_of(source if source.axis.dim in scores.dims else replace(source, depths=None))
    frame = array.to_dataset(words.METRIC).to_dataframe([*array.dims[1:]]).dropna(how="all")
    frame = frame.rename_axis(columns=words.METRIC)
    labels = [pd.Series(v, source.topics, name=name) for name, v in source.label_values.items()]
    frame = score_frames.with_labels_of_topics(frame, words.TOPIC, labels)
    carried = *DECLARED, source.axis.attribute
    frame.attrs = {name: scores.attrs[name] for name in carried if name in scores.attrs}
    return frame


def _read_rows(frame: pd.DataFrame, by: object = None, metric: str | None = None) -> ScoreRows:
    """Read the rows of a frame, except aggregated topics.

    The parameters are those of `read_rows`. Aggregated topics, such as ``all``, contain means or
    sums over topics.
    """
    rows = read_rows(frame, by, metric)
    topics = rows.labels[words.TOPIC]
    if not score_arrays.has_aggregates(topics):
        return rows
    table = rows.table
    names = [by, *table.index.names]
    codes = [rows.codes[dim] for dim in rows.codes if dim != words.TOPIC]
    coded = {None, *LABELS, *(labels.name for labels in rows.labels.values())}
    codes += [pd.factorize(group_values(table, name))[0] for name in {*names} - coded]
    groups = pd.MultiIndex.from_arrays(codes).factorize()[0]
    numbers = table.select_dtypes("number").to_numpy(float, na_value=np.nan)
    dropped = score_arrays.aggregated_topics(numbers, topics, rows.codes[words.TOPIC], groups)
    return rows.select(~np.isin(rows.codes[words.TOPIC], dropped)) if dropped else rows


def parse_scores(x: object, *, asking: str = "", by: object = None) -> Scores:
    """Read scores in any supported form.

    Parameters
    ----------
    x
        An array, any input of `as_scores`, or a `Scores` object.
    asking
        Name of the verb that refuses several repeats, "" if repeats are supported.
    by
        Name of the column, index level or coordinate with the groups, or a mapping from topics or
        systems to groups.

    Raises
    ------
    InputError
        If the input contains no scores, or values are not numbers.
    ParameterError
        If no column, level or coordinate has the name of the groups. If topics have labels
        (cluster, task or weight) without a declaration, or a declaration without labels.
    IdError
        If a system has two scores on a topic, or labels are not unique.
    DepthError
        If depths are not integers.
    """
    if isinstance(x, Scores):
        return x
    refuse_result(x)
    if by is not None and not isinstance(by, Mapping | pd.Series):
        one_column("by", by)
        refuse_metric(x, by)
    if isinstance(x, xr.DataArray):
        return _read_array(x, asking, by)
    return _read_frame(score_frames.score_frame(x), asking, by)


def refuse_metric(x: object, by: object) -> None:
    """Raise if groups have the name of a metric."""
    if isinstance(x, xr.DataArray):
        metrics = x.coords.get(words.METRIC, ())
        alone = f'scores.sel(metric=["{by}"])'
    else:
        metrics = getattr(x, "attrs", {}).get(words.METRICS, ())
        alone = f'scores[["{by}"]]'
    if by in np.asarray(metrics):
        advice = f"select a metric with {alone}"
        raise ParameterError("by to be a property of systems or topics", f"the metric {by}", advice)


def refuse_result(x: object) -> None:
    """Raise if an object is a result, but not scores."""
    returned = getattr(x, "attrs", {}).get(words.RESULT, "")
    labels = {*(x.index.names if isinstance(x, pd.DataFrame) else getattr(x, "dims", ()))}
    if returned and returned not in words.SCORE_VERBS and {*LIST} <= labels:
        advice = 'pass scores of systems, such as cube.ireval.score("AP")'
        raise InputError("scores of systems", f"the result of {returned}", advice)


def read_all(arguments: Mapping[str, object], asking: str, by: object = None) -> dict[str, object]:
    """Read all scores among the arguments of a verb.

    Parameters
    ----------
    arguments
        The arguments of the verb. The first argument contains the scores.
    asking
        Name of the verb that refuses several repeats, "" if repeats are supported.
    by
        Name of the column, index level or coordinate with the groups, or a mapping from topics or
        systems to groups.
    """
    (first, subject), *further = arguments.items()
    read_arguments = {**arguments, first: parse_scores(subject, asking=asking, by=by)}
    for param, value in further:
        # a Series is an option and not a table, although it has the method of Arrow tables in
        # pandas 3
        table = hasattr(value, "__arrow_c_stream__") and not isinstance(value, pd.Series)
        if isinstance(value, xr.DataArray) or (table and not is_judgments(value)):
            read_arguments[param] = parse_scores(value, asking=f"{param}=", by=by)
    return read_arguments


def to_scores(scores: object, asking: str = "") -> xr.DataArray:
    """Convert scores in any supported form to an array.

    Parameters
    ----------
    scores
        An array over system, topic and optionally metric and depth; or any input of `as_scores`.
        `metric_columns` selects the columns of a wide frame.
    asking
        Name of the verb that refuses several repeats, "" if repeats are supported.

    Returns
    -------
    xarray.DataArray
        Scores with the dimensions (metric, system, topic), in float64. A dimension of repeats, if
        any, follows the dimension of systems. A dimension of depths, if any, is last. Scores are
        NaN for a system and topic without a row in the frame.

    Raises
    ------
    IrframeError
        See `parse_scores`.
    """
    source = parse_scores(scores, asking=asking)
    source.refuse_bounds()
    return _array_of(source)


def _array_of(source: Scores) -> xr.DataArray:
    """Convert scores to an array with topic labels as coordinates."""
    repeats = {words.REPEAT: source.repeats} if source.several_repeats else {}
    labels = {words.SYSTEM: source.systems, **repeats, words.TOPIC: source.topics}
    labels |= {} if source.depths is None else {source.axis.dim: source.depths}
    coords = {words.METRIC: source.metrics, **{dim: labels[dim].rename(dim) for dim in labels}}
    values = source.values[..., 0] if source.depths is None else source.values
    array = xr.DataArray(values, coords, tuple(coords), name="score", attrs=source.attrs)
    return array.assign_coords(
        {name: (words.TOPIC, column) for name, column in source.label_values.items()}
    )


def _read_array(x: xr.DataArray, asking: str, by: object) -> Scores:
    x = score_arrays.refuse_repeats(x, asking)
    axis = axis_of(x)
    x = x.expand_dims(selected(x, (*LIST, axis.dim)))
    if by is not None:
        x, by = with_given_groups(x, by)
    if by in x.dims and by in x.indexes and by not in {*LIST, *RESERVED}:
        by_label = {key: _read_array(of_label(x, by, key), asking, None) for key in x.indexes[by]}
        return replace(next(iter(by_label.values())), source=x, by=by, groups_of_labels=by_label)
    bounds = x if words.BOUND in x.dims and words.REPEAT not in x.dims else None
    array = score_arrays.in_order(
        score_arrays.validated(x if bounds is None else x.isel({words.BOUND: 0}, drop=True))
    )
    array = _array_without_aggregates(array)
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
    values: Any, labels: Mapping[Any, pd.Index], axis: Axis, attrs: dict[Any, Any], **fields: Any
) -> Scores:
    """Return a `Scores` object of labelled values.

    `values` has one dimension for each entry of `labels`, in the same order.
    """
    axis = axis if axis.dim in labels else DEPTHS
    # values always have an axis of depths, so that other code need not handle a missing axis
    return Scores(
        values if axis.dim in labels else values[..., np.newaxis],
        [*map(str, labels[words.METRIC])],
        labels[words.SYSTEM],
        labels[words.TOPIC],
        labels.get(axis.dim),
        attrs,
        repeats=labels.get(words.REPEAT),
        axis=axis,
        **fields,
    )


def declared_labels_of(array: xr.DataArray, by: object = None) -> TopicLabels | None:
    """Return the declared cluster, task and weight of each topic."""
    topics = array.sizes[words.TOPIC]
    names = [name for name in LABELS if name in array.coords]
    coords = {name: array[name] for name in names if {*array[name].dims} <= {words.TOPIC}}
    values = {name: np.broadcast_to(coord.to_numpy(), topics) for name, coord in coords.items()}
    return _declared(array.attrs, values, by)


def _declared(
    attrs: Mapping[Hashable, object], values: dict[str, Array], by: object
) -> TopicLabels | None:
    """Return the declared labels (cluster, task, weight) of topics.

    A label by which scores are grouped is left out, unless the label is declared.
    """
    if not values and words.DRAWN not in attrs:
        return None
    if isinstance(by, str) and by in values and by not in names_declared(attrs):
        values = {name: column for name, column in values.items() if name != by}
    return declared_labels(attrs, values)


def _array_without_aggregates(array: xr.DataArray) -> xr.DataArray:
    """Return an array without topics that summarise the other topics."""
    # a search for aggregated topics would compute lazy scores, so lazy scores are not searched
    if array.chunks is not None or not score_arrays.has_aggregates(array.indexes[words.TOPIC]):
        return array
    last = array.transpose(..., words.TOPIC, words.METRIC)
    values = last.to_numpy().reshape(-1, last.shape[-2], last.shape[-1])
    groups, codes = (codes.ravel() for codes in np.indices(values.shape[:2]))
    topics = array.indexes[words.TOPIC]
    dropped = score_arrays.aggregated_topics(
        values.reshape(-1, last.shape[-1]), topics, codes, groups
    )
    return array.drop_isel({words.TOPIC: dropped}) if dropped else array


def _read_frame(frame: pd.DataFrame, asking: str, by: object) -> Scores:
    """Read a frame with a row per system and topic.

    A system and topic may have several rows that differ in repeat, depth or group.
    """
    column = None if isinstance(by, Mapping | pd.Series) else by
    if column is not None:
        group_keys(frame, column)  # called only to raise errors about missing groups
    rows = _read_rows(frame, column)
    table = rows.table
    codes = dict(rows.codes)
    labels = dict(rows.labels)
    names = [labels[dim].name for dim in labels]
    if column is not None and column in {labels[dim].name for dim in LIST}:
        raise ParameterError("by to be a property of systems or topics", repr(column))
    repeat = labels[words.REPEAT].name if words.REPEAT in labels else None
    if repeat is not None and asking:
        levels = [name for name in names if name != repeat]
        line = f"ir.as_scores(scores).groupby(level={levels}, sort=False).mean()"
        score_arrays.refuse_several_repeats(asking, repeat, line)
    keys: tuple[str, Array | pd.Index] | None = None
    if isinstance(by, Mapping | pd.Series):
        names = [name for name in (*names, *table.index.names, *table.columns) if name is not None]
        by, dim, groups = given_groups(by, {dim: labels[dim] for dim in LIST}, names)
        keys = dim, groups.to_numpy()
    elif column is not None:
        keys = _split_topics(group_keys(table, column), column, codes, labels)
    metrics, values = _metric_values(table, codes, column)
    of_topics = _labels_of_rows(table, codes[words.TOPIC], labels[words.TOPIC])
    drawn = _declared(frame.attrs, of_topics, column)
    dense, cells = _to_dense(values, codes, labels)
    # the message names rows by their labels, which are built only if the message is needed
    if cells is None:
        index = pd.MultiIndex.from_arrays([labels[dim].take(codes[dim]) for dim in labels])
        score_frames.refuse_twice(index, table.set_index(index), frame.index.names)
    carried = [words.UNKNOWN, words.DRAWN, rows.axis.attribute]
    attrs = {}
    if repeat is not None:
        carried.append(words.REPEATS)
        attrs[words.REPEATED] = str(repeat)
    attrs |= {name: frame.attrs[name] for name in carried if frame.attrs.get(name) is not None}
    labels = {words.METRIC: pd.Index(metrics), **labels}
    further = {"source": rows, "topic_labels": drawn, "rows": cells}
    return _scores_of(dense, labels, rows.axis, attrs, by=by, keys=keys, **further)


def _metric_values(
    table: pd.DataFrame, codes: Mapping[str, Array], column: object
) -> tuple[list[str], Array]:
    """Return the names of metrics and their scores by row."""
    labelled = [name for name in (*LABELS, column) if name in table.columns]
    scored = table.drop(columns=labelled) if labelled else table
    metrics = score_arrays.metric_columns(scored, codes)
    chosen = scored if len(metrics) == scored.shape[1] else scored[metrics]
    return metrics, score_arrays.numbers_of(chosen)


def _labels_of_rows(table: pd.DataFrame, codes: Array, topics: pd.Index) -> dict[str, Array]:
    """Return the labels (cluster, task, weight) of every topic.

    Raise if rows of a topic have different labels.
    """
    result = {}
    for name in [name for name in LABELS if name in {*table.index.names, *table.columns}]:
        column = group_values(table, name)
        # missing labels have a code of their own, because the code -1 would select the last label
        of_rows, values = pd.factorize(column, use_na_sentinel=False)
        of_topics = np.zeros(len(topics), int)
        of_topics[codes] = of_rows
        if (unlike := of_topics[codes] != of_rows).any():
            refuse_several_values(name, topics[np.unique(codes[unlike])])
        result[name] = np.asarray(values.take(of_topics))
    return result


def _to_dense(
    values: Array, codes: Mapping[str, Array], labels: Mapping[str, pd.Index]
) -> tuple[Array, Array | None]:
    """Spread rows over an array with the dimensions of `labels`.

    The array has metrics as an additional first dimension. The second result contains the row of
    each cell, or is None if a system is scored twice on a topic.
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
    groups: pd.Index, by: object, codes: dict[str, Array], labels: dict[str, pd.Index]
) -> tuple[str, pd.Index]:
    """Return the grouped dimension and the group of each label.

    If a system has scores on a topic in several groups, the topic is treated as a different topic
    in each group.
    """
    group, keys = pd.factorize(groups)
    for dim in (words.TOPIC, words.SYSTEM):
        first = np.zeros(len(labels[dim]), int)
        first[codes[dim]] = group
        if (first[codes[dim]] == group).all():
            return dim, keys.take(first)
    topic = codes[words.TOPIC]
    topics = labels[words.TOPIC]
    # Without duplicate rows, no system has scores on a topic in several groups, so the groups
    # belong neither to topics nor to systems.
    if not pd.DataFrame(codes).duplicated().any():
        uneven = pd.Series(group).groupby(topic).transform("nunique").to_numpy() > 1
        refuse_several(by, topics[np.unique(topic[uneven])])
    codes[words.TOPIC], present = pd.factorize(group * len(topics) + topic)
    of_group, of_topic = np.divmod(present, len(topics))
    labels[words.TOPIC] = topics.take(of_topic)
    return words.TOPIC, keys.take(of_group)
