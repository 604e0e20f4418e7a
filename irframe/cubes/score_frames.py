"""Frames of scores, and coded rows of frames."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.cubes.groups import group_values, repeats_of
from irframe.errors import IdError, InputError
from irframe.evaluation.repeats import with_labels
from irframe.experiments.topic_design import LABELS
from irframe.files.as_runs import ONLY_SYSTEM
from irframe.frames.likeness import (
    ADVICE,
    about_duplicates,
    proposed,
    refuse_rivals,
    refuse_strangers,
    renamed,
)
from irframe.frames.tables import (
    columns_of,
    is_dictionary,
    named_again,
    refuse_repeated,
    with_own_levels,
)
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import names_exactly
from irframe.names import ALIASES, DOC, GRADE, METRIC, METRICS, RANK, REPEAT, SYSTEM, TOPIC, roles
from irframe.stops import Axis, axis_of

_WANTED = "scores indexed by system and topic, or in columns system, topic, measure, value"
LONG = {METRIC: ("metric", "measure"), "value": ("value", "score")}
"""Possible names of the columns of metrics and of scores in a long frame."""
RUNID = "runid"
"""Name in the column of measures that marks the line of trec_eval's output with the name of the
run."""


class ScoreColumns(NamedTuple):
    """Names of the columns of systems, topics and scores."""

    rows: pd.DataFrame
    """The frame of scores. Systems and topics are columns, unless both are index levels."""
    by_role: dict[str, Any]
    """Mapping from the roles system and topic to names of columns or index levels. In long frames
    the roles metric and value are also mapped."""


def _refuse_strangers(flat: pd.DataFrame, levels: Sequence[Hashable]) -> None:
    """Raise if it is uncertain whether a column contains systems."""
    columns = flat.drop(columns=SYSTEM, errors="ignore")
    by_role = {role: str(name) for role, name in roles(columns.columns).items() if role == TOPIC}
    refuse_strangers(by_role, columns.columns, columns.__getitem__, levels)


def refuse_unscored(frame: pd.DataFrame) -> NoReturn:
    """Raise for a frame without scores."""
    if (rows := columns_of(frame)) is not None and SYSTEM not in roles(rows.columns):
        _refuse_strangers(rows, frame.index.names)
    columns = map(str, frame.columns)
    advice = advice_of(frame)
    raise InputError(_WANTED, "a frame with the columns", advice, columns)


def score_columns(frame: pd.DataFrame) -> ScoreColumns | None:
    """Return the columns of systems, topics and scores, or None."""
    names = [*frame.columns, *frame.index.names]
    metric = _first_of(LONG[METRIC], names)
    value = None if metric is None else _first_of(LONG["value"], names)
    if value is not None and TOPIC in roles(names):
        levels = [name for name in frame.index.names if name in {metric, axis_of(frame).dim}]
        rows = columns_of(frame.reset_index(levels) if levels else frame)
        if rows is not None and value in rows.columns:
            return ScoreColumns(rows, _ids(rows.columns) | {METRIC: metric, "value": value})
    if len(in_index := index_roles(frame)) == 2:
        return ScoreColumns(frame, in_index)
    rows = columns_of(frame)
    by_role = {} if rows is None else roles(rows.columns)
    if rows is None or TOPIC not in by_role or DOC in by_role:
        return None
    ids = _ids(rows.columns)
    # a frame with ranks or grades contains runs or judgments, so its numbers are not scores
    lists = GRADE in by_role or RANK in by_role
    kinds = rows.drop(columns=[*ids.values()]).dtypes
    numbers = SYSTEM in ids and not lists and any(map(pd.api.types.is_numeric_dtype, kinds))
    scored = rows.attrs.get(METRICS) or named_metrics(rows) or numbers
    return ScoreColumns(rows, ids) if scored else None


def _first_of(aliases: Iterable[str], names: Iterable[object]) -> str | None:
    """Return the first alias that is among the names."""
    return next(iter(sorted({*aliases} & {*names}, key=[*aliases].index)), None)


def find_columns(frame: pd.DataFrame, metric: str | None = None) -> ScoreColumns:
    """Return the columns of scores; raise if there are none.

    If a metric is passed, the frame can also be a matrix over systems and topics with the scores of
    this metric.
    """
    refuse_repeated(frame, " in scores")
    layout = score_columns(frame)
    names = [*frame.columns, *frame.index.names, *frame.columns.names]
    in_columns = metric in frame.columns or SYSTEM in roles(names[: -frame.columns.nlevels])
    if metric is None or (layout is not None and (METRIC in layout.by_role or in_columns)):
        matrix = None
    elif (matrix := _matrix_as_column(frame, metric)) is None:
        layout = None
    elif metric not in frame.columns and not any(map(_axis_role, names)):
        expected = "a matrix with a named axis of systems or topics"
        example = "ir.as_scores(frame, metric='AP', systems='rows'), or systems='columns'"
        raise InputError(expected, "axes without names", f"name the axis: {example}")
    if matrix is not None:
        return ScoreColumns(matrix, index_roles(matrix))
    if layout is None:
        refuse_unscored(frame)
    return layout


def is_scores(x: pd.DataFrame | pd.Series) -> bool:
    """Return whether a frame or a Series contains scores.

    Examples
    --------
    >>> is_scores(pd.DataFrame({"name": "s", "qid": "1", "measure": "AP", "value": [0.5]}))
    True
    """
    frame = score_frame(x)
    if named_again(frame.columns):
        frame = frame.loc[:, ~frame.columns.duplicated()]
    return score_columns(frame) is not None


def _ids(names: Iterable[Hashable]) -> dict[str, Any]:
    """Return the names of the columns of systems and topics."""
    by_role = roles(names)
    return {role: by_role[role] for role in (SYSTEM, TOPIC) if role in by_role}


def index_roles(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the index levels of systems and topics."""
    return _ids(frame.index.names)


def named_metrics(frame: pd.DataFrame) -> list[str]:
    """Return the columns that are named after metrics.

    An exact match takes precedence over a match that ignores case.
    """
    metrics = [name for name in frame.columns if isinstance(name, str) and facts(name).known]
    return [name for name in metrics if names_exactly(name)] or metrics


def refuse_twice(
    index: pd.Index, rows: pd.DataFrame | None = None, levels: Sequence[Hashable] = ()
) -> None:
    """Raise if a system has two scores on a topic.

    If `rows` have another column that may contain systems, the message names this column.
    """
    doubled = np.flatnonzero(index.duplicated())
    if len(doubled):
        if rows is not None and {*index.get_level_values(0)} == {ONLY_SYSTEM}:
            _refuse_strangers(rows.reset_index(), levels)
        system = pd.factorize(index.get_level_values(0))[0]
        scored = pd.factorize(index)[0]
        drop = "frame[~frame.index.duplicated()]"
        advice = about_duplicates(system, scored, doubled, drop, ADVICE)
        raise IdError("one score per system and topic", "duplicates", advice, index[doubled])


def score_frame(x: object) -> pd.DataFrame:
    """Convert scores in any supported form to a frame."""
    if isinstance(x, pd.Series):
        named = x.rename("score") if x.name is None else x
        levels = {*LONG[METRIC]} & {*x.index.names}
        return pd.DataFrame(named.rename("value").reset_index() if levels else named.to_frame())
    if isinstance(x, pd.DataFrame):
        # The names of the axes of a pivoted frame show which axis contains systems. A matrix
        # without such names needs metric=.
        columns = {SYSTEM, TOPIC} & roles(x.columns.names).keys()
        if columns and {SYSTEM, TOPIC} - columns == {SYSTEM, TOPIC} & roles(x.index.names).keys():
            stacked = _matrix_as_column(x, "score")
            x = x if stacked is None else stacked
        return with_own_levels(x)
    if is_dictionary(x):
        return _of_rows(x) if x and all(map(_are_rows, x.values())) else _of_mapping(x)
    table = columns_of(x)
    if table is not None:
        return table
    rows = list(x) if isinstance(x, Iterable) and not isinstance(x, str) else []
    if not _are_rows(rows):
        raise InputError("scores as a DataArray or a DataFrame", type(x).__name__)
    return pd.DataFrame(rows)


def _are_rows(x: object) -> bool:
    named = isinstance(x, list) and all(hasattr(r, "_fields") or isinstance(r, Mapping) for r in x)
    return named and bool(x)


def _of_rows(systems: Mapping[Any, list[Any]]) -> pd.DataFrame:
    """Convert a list of rows per system to a frame."""
    frames = [pd.DataFrame(rows).assign(**{SYSTEM: name}) for name, rows in systems.items()]
    return pd.concat(frames, ignore_index=True)


def with_labels_of_topics(frame: pd.DataFrame, topic: Any, labels: list[pd.Series]) -> pd.DataFrame:
    """Add labels of topics to scores as index levels."""
    topics = frame.index.get_level_values(topic)
    for label in labels:
        values = label.reindex(topics).array
        frame = frame.set_index(pd.Index(values, name=label.name), append=True)
    return frame


def _of_mapping(nested: Mapping[Hashable, object]) -> pd.DataFrame:
    """Convert nested dictionaries of scores to a frame."""
    systems = {
        name: scores
        for name, scores in nested.items()
        if isinstance(scores, Mapping) and any(isinstance(row, Mapping) for row in scores.values())
    }
    flat = [name for name in nested if name not in systems]
    if not nested or (systems and flat) or not all(isinstance(nested[f], Mapping) for f in flat):
        expected = "{topic: {metric: score}} or {system: {topic: {metric: score}}}"
        raise InputError(expected, "another dictionary", "", map(repr, flat))
    frames = {
        name: pd.DataFrame.from_dict(dict(scores), orient="index").rename_axis(TOPIC)
        for name, scores in (systems or {ONLY_SYSTEM: nested}).items()
    }
    frame: pd.DataFrame = pd.concat(frames, names=[SYSTEM])
    return frame


def _matrix_as_column(frame: pd.DataFrame, metric: str) -> pd.DataFrame | None:
    """Convert a matrix of scores to a one-column frame.

    The result is None if the matrix has values that are not numbers.
    """
    names = *ALIASES[TOPIC], *ALIASES[SYSTEM]
    labels = [name for name in frame.index.names if name not in names]
    # the index of a pivoted frame can also contain labels of topics
    if frame.index.nlevels > 1 and len(labels) == frame.index.nlevels - 1:
        matrix = frame.droplevel(labels)
        scores = _matrix_as_column(matrix, metric)
        rows = frame.index.to_frame().set_axis(matrix.index)
        of_topics = [rows[name][~matrix.index.duplicated()] for name in labels]
        topic = matrix.index.name
        return None if scores is None else with_labels_of_topics(scores, topic, of_topics)
    column = next((name for name in names if name in frame.columns), None)
    matrix = frame if column is None else frame.set_index(column)
    numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in matrix.dtypes]
    if matrix.index.nlevels > 1 or matrix.columns.nlevels > 1 or not numeric or not all(numeric):
        return None
    turned = matrix.index.name in ALIASES[SYSTEM] or matrix.columns.name in ALIASES[TOPIC]
    # a column with the name of a metric contains scores of the metric, and is not a system
    if metric in matrix.columns:
        matrix = matrix[[metric]].set_axis([ONLY_SYSTEM], axis=1)
    matrix = matrix if turned else matrix.T
    axes = zip((SYSTEM, TOPIC), (matrix.index.name, matrix.columns.name), strict=True)
    levels = [name if name in ALIASES[role] else role for role, name in axes]
    refuse_twice(matrix.index)
    index = pd.MultiIndex.from_product([matrix.index, matrix.columns], names=levels)
    return pd.DataFrame({metric: matrix.to_numpy().ravel()}, index=index)


def with_axes(x: object, systems: str) -> pd.DataFrame:
    """Name the axes of a matrix of systems and topics."""
    frame = x if isinstance(x, pd.DataFrame) else columns_of(x)
    if frame is None or frame.index.nlevels > 1 or frame.columns.nlevels > 1:
        raise InputError(f"a matrix with systems in {systems}", type(x).__name__)
    column = next(filter(_axis_role, frame.columns), None)
    matrix: pd.DataFrame = frame if column is None else frame.set_index(column)
    expected = [SYSTEM, TOPIC] if systems == "rows" else [TOPIC, SYSTEM]
    axes = zip((matrix.index.name, matrix.columns.name), expected, strict=True)
    names = [str(name) if _axis_role(name) else role for name, role in axes]
    if [*map(_axis_role, names)] != expected:
        raise InputError(f"a matrix with systems in {systems}", ", ".join(map(repr, names)))
    return matrix.rename_axis(index=names[0], columns=names[1])


def _axis_role(name: object) -> str | None:
    return next((role for role in (SYSTEM, TOPIC) if name in ALIASES[role]), None)


def advice_of(frame: pd.DataFrame) -> str:
    """Return advice with code that converts a frame to scores."""
    frame = frame.loc[:, ~frame.columns.duplicated()]
    by_role = roles(columns.columns) if (columns := columns_of(frame)) is not None else {}
    levels = [name for name in frame.index.names if name is not None]
    flat = frame.reset_index(levels) if not {*levels} & {*frame.columns} else frame
    pairs = proposed(flat, by_role, [role for role in (SYSTEM, TOPIC) if role not in by_role])
    if pairs:
        return f"name system and topic: {renamed(pairs, levels)}"
    ids = [by_role[role] for role in (SYSTEM, TOPIC) if role in by_role]
    metrics = [name for name in frame.columns if name not in ids]
    if len(ids) == 2:
        return f"choose the columns that are metrics, as in frame.set_index({ids})[{metrics}]"
    if SYSTEM in by_role:
        every = "pt.Experiment(..., perquery=True), or runs.ireval.evaluate(qrels)"
        return f"score every topic: {every}"
    if TOPIC not in by_role and not levels and named_metrics(frame) == [*frame.columns]:
        return "name the index of topics: frame.rename_axis('topic')"
    example = "ir.as_scores(frame, metric='AP', systems='columns')"
    matrix = f"read a matrix of topics and systems by {example}"
    rename = "rename the columns of systems and topics to system and topic"
    return rename if _matrix_as_column(frame, "") is None else matrix


class ScoreRows(NamedTuple):
    """A frame of scores, and the codes of its labels."""

    table: pd.DataFrame
    """A frame with a column per metric, and with other columns and index levels of the input."""
    codes: dict[str, Array]
    """Mapping from a dimension to the position of each row's label."""
    labels: dict[str, pd.Index]
    """Mapping from a dimension to its labels, in order of first occurrence."""
    attrs: Mapping[Any, Any]
    """Attributes of the input."""
    axis: Axis
    """The axis of depths, or of other stopping points."""

    def to_frame(self) -> pd.DataFrame:
        """Return the table, indexed by the labels of its rows."""
        names = [labels.name for labels in self.labels.values()]
        index: Any = self.table.index
        if {*names} <= {*index.names}:
            return self.table
        further = [name for name in index.names if name not in {None, *names}]
        levels = [labels.take(self.codes[dim]) for dim, labels in self.labels.items()]
        levels += [index.get_level_values(name) for name in further]
        frame = self.table.set_axis(pd.MultiIndex.from_arrays(levels, names=[*names, *further]))
        frame.attrs = dict(self.table.attrs)
        return frame

    def select(self, rows: Array) -> "ScoreRows":
        """Select rows and their labels."""
        coded = {dim: pd.factorize(codes[rows]) for dim, codes in self.codes.items()}
        labels = {dim: self.labels[dim].take(present) for dim, (_, present) in coded.items()}
        codes = {dim: positions for dim, (positions, _) in coded.items()}
        return self._replace(table=self.table.loc[rows], codes=codes, labels=labels)


def read_rows(frame: pd.DataFrame, by: object = None, metric: str | None = None) -> ScoreRows:
    """Read the rows of a frame of scores.

    A long frame becomes a table with a column per metric.

    Parameters
    ----------
    frame
        Scores in a wide frame, a long frame or a matrix.
    by
        Name of a column or index level that contains the group of each row. Each group has its own
        topics.
    metric
        Name of the metric, if the frame is a matrix.
    """
    rows, by_role = find_columns(frame, metric)
    if SYSTEM not in by_role:
        rows = rows.assign(**{SYSTEM: ONLY_SYSTEM})
        by_role = {SYSTEM: SYSTEM, **by_role}
    for role, name in by_role.items():
        if name in rows.columns:
            refuse_rivals(rows, role, name, LONG.get(role, ()))
    measure = by_role.get(METRIC)
    further = [by] if measure is None else [by, *LABELS]
    present = {*rows.index.names, *rows.columns} - {None, *by_role.values()}
    further = [name for name in dict.fromkeys(further) if name in present]
    if measure is not None:
        rows = _without_run_names(rows, measure, by_role["value"])
    axis = axis_of(frame)
    coded = _coded_rows(rows, by_role, further, axis.dim)
    codes = {dim: positions for dim, (positions, _) in coded.items()}
    labels = {dim: index for dim, (_, index) in coded.items()}
    if measure is not None:
        levels = {name: _codes_of(rows, name) for name in further}
        table, codes = _spread_metrics(rows, coded, levels, measure, by_role["value"])
    else:
        moved = [index.name for index in labels.values() if index.name in rows.columns]
        table = rows.drop(columns=moved) if moved else rows
        table = table.reset_index(drop=True) if by_role[TOPIC] in moved else table
    return ScoreRows(table, codes, labels, frame.attrs, axis)


def _without_run_names(rows: pd.DataFrame, measure: Any, value: Any) -> pd.DataFrame:
    """Drop trec_eval's lines with run names from a long frame."""
    if RUNID not in {*map(str, rows[measure].unique())}:
        return rows
    rows = rows[rows[measure].map(str) != RUNID]
    # the column contained text, because the name of the run was one of its values
    return rows.assign(**{value: pd.to_numeric(rows[value])})


Coded = tuple[Array, pd.Index]
"""The code of each row's label, and the labels to which the codes refer."""


def _coded_rows(
    rows: pd.DataFrame, by_role: Mapping[str, Any], further: list[Any], stop: str
) -> dict[str, Coded]:
    """Return codes and labels of systems, repeats, topics and depths."""
    names = {SYSTEM: by_role[SYSTEM], TOPIC: by_role[TOPIC]}
    measures = [by_role[METRIC]] if METRIC in by_role else []
    # a column with the name of the axis is the axis only if it tells duplicate rows apart
    if stop in rows.index.names or (
        stop in rows.columns and rows.duplicated([*names.values(), *measures]).any()
    ):
        names[stop] = stop
    coded = {dim: _codes_of(rows, name) for dim, name in names.items()}
    repeat = repeats_of(rows, [*names.values(), *further, *measures])
    if repeat is not None:
        systems, repeats = (
            pd.Series(group_values(rows, name).array) for name in (names[SYSTEM], repeat)
        )
        codes, labels = pd.factorize(with_labels(systems, repeats), use_na_sentinel=False)
        coded[REPEAT] = codes, pd.Index(labels, name=repeat)
    return {dim: coded[dim] for dim in (SYSTEM, REPEAT, TOPIC, stop) if dim in coded}


def _codes_of(rows: pd.DataFrame, name: Any) -> Coded:
    """Return codes and labels of a column or index level."""
    if name not in rows.columns and isinstance(rows.index, pd.MultiIndex):
        position = rows.index.names.index(name)
        of_rows = rows.index.codes[position]
        # the labels of a level are distinct and coded, so they need not be hashed
        if (of_rows >= 0).all():
            codes, present = pd.factorize(of_rows)
            return codes, rows.index.levels[position].take(present)
    codes, labels = pd.factorize(group_values(rows, name), use_na_sentinel=False)
    # pandas before 3 would convert labels of the Arrow string dtype to dtype object
    if labels.dtype == "string[pyarrow_numpy]":
        labels = pd.Index(labels.tolist())
    return codes, pd.Index(labels, name=name)


def _spread_metrics(
    rows: pd.DataFrame,
    coded: Mapping[str, Coded],
    levels: Mapping[Any, Coded],
    measure: Any,
    value: Any,
) -> tuple[pd.DataFrame, dict[str, Array]]:
    """Convert a long frame to a column per metric.

    The result contains the table and the codes of its rows. Rows are in order of first occurrence.
    `levels` become the index of the table.

    Notes
    -----
    A summary of 50,000 scores takes 44 ms, compared with 180 ms if the frame is pivoted by pandas.
    """
    of_measure, measures = pd.factorize(rows[measure], use_na_sentinel=False)
    # measures of ir_measures are objects, so their names are the columns
    into, metrics = pd.factorize(np.array([*map(str, measures)], object))
    every = [*coded.values(), *levels.values()]
    shape = tuple(len(labels) for _, labels in every)
    row, cells = pd.factorize(np.ravel_multi_index(tuple(codes for codes, _ in every), shape))
    position = row * len(metrics) + into[of_measure]
    if np.bincount(position, minlength=1).max() > 1:
        first = of_measure == of_measure[0]
        named = [labels.take(codes[first]) for codes, labels in every]
        index = pd.MultiIndex.from_arrays([*named, rows[measure][first]])
        refuse_twice(index, rows[first].drop(columns=measure))
    values = rows[value].to_numpy()
    complete = len(values) == len(cells) * len(metrics)
    # integers remain integers only if no score is missing, because NaN needs floats
    kind = values.dtype if complete or values.dtype.kind in "fO" else np.float64
    flat = np.full(len(cells) * len(metrics), 0 if complete else np.nan, kind)
    flat[position] = values
    codes = np.unravel_index(cells, shape)
    further = zip(levels.values(), codes[len(coded) :], strict=True)
    named = [labels.take(at) for (_, labels), at in further]
    columns = pd.Index(metrics, dtype=object, name=measure).infer_objects()
    table = pd.DataFrame(flat.reshape(len(cells), len(metrics)), None, columns)
    table = table.set_index(named) if named else table
    return table, dict(zip(coded, codes, strict=False))
