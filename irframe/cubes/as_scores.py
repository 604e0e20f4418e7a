"""Conversion of scores of other tools to a frame.

Verbs: as_scores.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import choice
from irframe.cubes.aggregates import RUNID, without_aggregates
from irframe.cubes.groups import by_repeat
from irframe.cubes.long_scores import spread_metrics
from irframe.errors import IdError, InputError
from irframe.experiments.topic_design import LABELS
from irframe.files.as_runs import ONLY_SYSTEM
from irframe.files.likeness import proposed, refuse_rivals, refuse_strangers, renamed
from irframe.files.repeats import (
    ADVICE,
    about_duplicates,
    repeat_column,
    with_labels,
)
from irframe.files.tables import (
    columns_of,
    is_dictionary,
    named_again,
    refuse_repeated,
    with_own_levels,
)
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import names_exactly
from irframe.names import (
    ALIASES,
    DOC,
    DRAWN,
    GRADE,
    LOWER,
    METRIC,
    METRICS,
    RANK,
    REPEAT,
    REPEATS,
    SYSTEM,
    TOPIC,
    roles,
)
from irframe.stops import axis_of

Scores = pd.DataFrame | pd.Series | object
"""A frame of scores, or what `as_scores` makes one of."""

_WANTED = "scores indexed by system and topic, or in columns system, topic, measure, value"
LONG = {METRIC: ("metric", "measure"), "value": ("value", "score")}
"""Names of the columns of a long frame for metrics and for scores."""


class ScoreColumns(NamedTuple):
    """The columns or levels of systems, topics and scores."""

    rows: pd.DataFrame
    """The frame; systems and topics are in columns unless both are index levels."""
    by_role: dict[str, Any]
    """Role -> column or level: topic, often system, and in long frames metric and value."""


class Wide(NamedTuple):
    """Scores with a column per metric."""

    rows: pd.DataFrame
    """Systems, repeats if there are any, and topics are in the index."""
    by_role: dict[str, Any]
    """Role -> index level, for systems and topics."""
    repeat: Any
    """The index level of repeats, or None."""


def as_scores(
    x: Scores,
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
        - a frame with columns for system, topic, ``measure`` and ``value``, as from ir_measures and
          PyTerrier's ``Experiment(..., perquery=True)``;
        - a Series, one column of such a frame;
        - with `metric`, a matrix of one metric's scores, with topics in rows and systems in
          columns, or the reverse. The name of an axis, such as ``topic`` or ``model``, decides
          which, or `systems`. If both axes have such names, `metric` is by default ``score``;
        - ``{topic: {metric: score}}``, as from pytrec_eval, or ``{system: ...}`` of these;
        - named tuples such as `ir_measures.Metric`, or dictionaries, one for each row; or
          ``{system: rows}`` of these;
        - an array over (metric,) system, topic (and depth);
        - any table with ``__arrow_c_stream__``: polars, DuckDB, PyArrow.

        Without systems, all scores belong to one system called ``run``.
    metric
        The metric of a matrix, or the new name of the only column of scores.
    systems
        Whether a matrix has systems in its ``"rows"`` or ``"columns"``.
    lower
        Columns of costs, such as tokens or latency, of which lower is better. Metrics such as ASL
        need not be listed.

    Returns
    -------
    pandas.DataFrame
        A column for each metric, and other columns unchanged. The index has systems, repeats if
        there are any, and topics, with their names in `x`.

    Raises
    ------
    InputError
        For other input, with the line of code that reshapes it.
    IdError
        If a system has two scores on a topic, or two columns share a name.

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
        x = _with_axes(x, choice("systems", systems, ("rows", "columns")))
    frame = score_frame(x)
    wide = wide_frame(frame, metric=metric).rows
    if metric is not None:
        if metric not in wide.columns and wide.shape[1] != 1:
            several = "several columns, none of this name"
            raise InputError(f"scores by {metric}", several, "", map(str, wide.columns))
        wide = wide[[metric]] if metric in wide.columns else wide.set_axis([metric], axis=1)
    missing = [name for name in lower if name not in wide.columns]
    if missing:
        columns = map(str, wide.columns)
        raise InputError("lower= columns of scores", f"no {', '.join(missing)} among", "", columns)
    drawn = {name: frame.attrs[name] for name in (DRAWN, REPEATS) if name in frame.attrs}
    if lower or drawn:
        wide = wide.copy(deep=False)
        wide.attrs |= drawn
        wide.attrs |= {LOWER: [*lower]} if lower else {}
    return wide


def _refuse_strangers(flat: pd.DataFrame, levels: Sequence[Any]) -> None:
    """Raise if a column may name systems without certainty."""
    others = flat.drop(columns=SYSTEM, errors="ignore")
    columns = {role: str(name) for role, name in roles(others.columns).items() if role == TOPIC}
    refuse_strangers(columns, others.columns, others.__getitem__, levels)


def refuse_unscored(frame: pd.DataFrame) -> NoReturn:
    """Raise for a frame without scores."""
    if (known := columns_of(frame)) is not None and SYSTEM not in roles(known.columns):
        _refuse_strangers(known, frame.index.names)
    columns, advice = map(str, frame.columns), advice_of(frame)
    raise InputError(_WANTED, "a frame with the columns", advice, columns)


def score_columns(frame: pd.DataFrame) -> ScoreColumns | None:
    """Return the columns of systems, topics and scores, or None."""
    names = {*frame.columns, *frame.index.names}
    metric, value = (next((n for n in among if n in names), None) for among in LONG.values())
    if metric is not None and value is not None and names & {*ALIASES[TOPIC]}:
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
    lists = GRADE in by_role or RANK in by_role  # of which documents are missing
    kinds = rows.drop(columns=[*ids.values()]).dtypes
    numbers = SYSTEM in ids and not lists and any(map(pd.api.types.is_numeric_dtype, kinds))
    return (
        ScoreColumns(rows, ids)
        if rows.attrs.get(METRICS) or named_metrics(rows) or numbers
        else None
    )


def wide_frame(frame: pd.DataFrame, by: Any = None, metric: str | None = None) -> Wide:
    """Return a frame of scores with a column per metric.

    Raise if it has no scores. The groups of a long frame become an index level too.
    """
    refuse_repeated(frame, " in scores")
    layout = score_columns(frame)
    is_long = layout is not None and METRIC in layout.by_role
    if metric is not None and not is_long:
        names = [*frame.columns, *frame.index.names]
        if layout is None or (metric not in frame.columns and SYSTEM not in roles(names)):
            layout = _columns_of_matrix(frame, metric)  # columns may be systems
    if layout is None:
        refuse_unscored(frame)
    wide, by_role = layout
    if is_long or len(index_roles(wide)) < 2:
        wide, by_role = _from_columns(wide, by_role, by)
    wide, repeat = by_repeat(wide, by_role, by)
    return Wide(without_aggregates(wide, by_role), by_role, repeat)


def is_scores(x: pd.DataFrame | pd.Series) -> bool:
    """Return whether a frame or a Series has scores.

    Examples
    --------
    >>> is_scores(pd.DataFrame({"name": "s", "qid": "1", "measure": "AP", "value": [0.5]}))
    True
    """
    frame = score_frame(x)
    if named_again(frame.columns):
        frame = frame.loc[:, ~frame.columns.duplicated()]
    return score_columns(frame) is not None


def _ids(names: Iterable[Any]) -> dict[str, Any]:
    """Return the names of systems and topics, if present."""
    by_role = roles(name for name in names if name is not None)
    return {role: by_role[role] for role in (SYSTEM, TOPIC) if role in by_role}


def index_roles(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the index levels of systems and topics."""
    return _ids(frame.index.names)


def named_metrics(frame: pd.DataFrame) -> list[Any]:
    """Return the columns that are named after metrics.

    Exact names take precedence over names in another case.
    """
    known = [name for name in frame.columns if isinstance(name, str) and facts(name).known]
    return [name for name in known if names_exactly(name)] or known


def refuse_twice(
    index: pd.Index, rows: pd.DataFrame | None = None, levels: Sequence[Any] = ()
) -> None:
    """Raise if a system is scored twice on a topic.

    The message names a column of the rows that may name systems.

    """
    again = np.flatnonzero(index.duplicated())
    if len(again):
        if rows is not None and {*index.get_level_values(0)} == {ONLY_SYSTEM}:
            _refuse_strangers(rows.reset_index(), levels)
        system, scored = pd.factorize(index.get_level_values(0))[0], pd.factorize(index)[0]
        drop = "frame[~frame.index.duplicated()]"
        advice = about_duplicates(system, scored, again, drop, ADVICE)
        found = f"{len(again)} again"
        raise IdError("one score per system and topic", found, advice, index[again])


def score_frame(x: Any) -> pd.DataFrame:
    """Return scores in any supported form as a frame."""
    if isinstance(x, pd.Series):
        named = x.rename("score") if x.name is None else x
        levels = {*LONG[METRIC]} & {*x.index.names}
        return pd.DataFrame(named.rename("value").reset_index() if levels else named.to_frame())
    if isinstance(x, xr.DataArray):
        return _of_array(x)
    if isinstance(x, pd.DataFrame):
        # A pivot says by its axes' names which of them systems are; a matrix without names needs
        # metric=.
        sides = [
            {SYSTEM, TOPIC} & roles(name for name in axis.names if isinstance(name, str)).keys()
            for axis in (x.index, x.columns)
        ]
        if sides in ([{SYSTEM}, {TOPIC}], [{TOPIC}, {SYSTEM}]):
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
        raise InputError("scores: a DataArray or a DataFrame", type(x).__name__)
    return pd.DataFrame(rows)


def _are_rows(x: Any) -> bool:
    named = isinstance(x, list) and all(hasattr(r, "_fields") or isinstance(r, Mapping) for r in x)
    return named and bool(x)


def _of_rows(systems: Mapping[Any, list[Any]]) -> pd.DataFrame:
    """Return the rows of several systems as one frame."""
    parts = [pd.DataFrame(rows).assign(**{SYSTEM: name}) for name, rows in systems.items()]
    return pd.concat(parts, ignore_index=True)


def _of_array(scores: xr.DataArray) -> pd.DataFrame:
    """Return an array as a frame with metrics as columns."""
    dim = axis_of(scores).dim
    if not {SYSTEM, TOPIC} <= {*scores.dims} <= {METRIC, SYSTEM, REPEAT, TOPIC, dim}:
        found = ", ".join(map(str, scores.dims)) or "none"
        raise InputError(f"dimensions metric, system, topic and {dim}", found)
    kept = scores.reset_coords(drop=True)
    if METRIC not in kept.dims:
        label = scores.coords[METRIC].item() if METRIC in scores.coords else scores.name or "score"
        kept = kept.expand_dims({METRIC: [str(label)]})
    dims = [dim for dim in (SYSTEM, REPEAT, TOPIC, dim) if dim in kept.dims]
    wide = kept.transpose(METRIC, *dims).to_dataset(METRIC).to_dataframe(dims)
    frame = wide.dropna(how="all").rename_axis(columns=METRIC)
    coords = [scores.coords[name] for name in LABELS if name in scores.coords]
    labels = [coord.to_series() for coord in coords if coord.dims == (TOPIC,)]
    frame = with_labels_of_topics(frame, TOPIC, labels)
    carried = REPEATS, axis_of(scores).attribute, DRAWN
    frame.attrs = {name: scores.attrs[name] for name in carried if name in scores.attrs}
    return frame


def with_labels_of_topics(frame: pd.DataFrame, topic: Any, labels: list[pd.Series]) -> pd.DataFrame:
    """Return scores with labels of topics as additional index levels."""
    topics = frame.index.get_level_values(topic)
    for label in labels:
        values = label.reindex(topics).array
        frame = frame.set_index(pd.Index(values, name=label.name), append=True)
    return frame


def _of_mapping(nested: Mapping[Any, Any]) -> pd.DataFrame:
    """Return a dictionary of systems as a frame."""
    systems = {
        name: part
        for name, part in nested.items()
        if isinstance(part, Mapping) and any(isinstance(row, Mapping) for row in part.values())
    }
    flat = [name for name in nested if name not in systems]
    if not nested or (systems and flat) or not all(isinstance(nested[f], Mapping) for f in flat):
        expected = "{topic: {metric: score}} or {system: {topic: {metric: score}}}"
        raise InputError(expected, "another dictionary", "", map(repr, flat))
    parts = {
        name: pd.DataFrame.from_dict(dict(part), orient="index").rename_axis(TOPIC)
        for name, part in (systems or {ONLY_SYSTEM: nested}).items()
    }
    frame: pd.DataFrame = pd.concat(parts, names=[SYSTEM])
    return frame


def _from_columns(
    frame: pd.DataFrame, by_role: dict[str, Any], by: Any
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Move systems and topics from columns to the index."""
    if SYSTEM not in by_role:
        frame = frame.assign(**{SYSTEM: ONLY_SYSTEM})
        by_role = {SYSTEM: SYSTEM, **by_role}
    for role, name in by_role.items():
        refuse_rivals(frame, role, name, LONG.get(role, ()))
    ids = {role: by_role[role] for role in (SYSTEM, TOPIC)}
    metric = by_role.get(METRIC)
    once = [*ids.values()] if metric is None else [*ids.values(), metric]
    dim = axis_of(frame).dim
    stops = [dim] if dim in frame.columns and frame.duplicated(once).any() else []
    keys = [*ids.values(), *stops]
    if metric is None:
        return frame.set_index(keys), ids
    return _long_to_wide(frame, keys, metric, by_role["value"], by), ids


def _long_to_wide(
    frame: pd.DataFrame, keys: list[Any], metric: Any, value: Any, by: Any
) -> pd.DataFrame:
    """Return a long frame with a column per metric."""
    names = [*map(str, frame[metric].unique())]
    if RUNID in names:  # a line of trec_eval, whose value is a name
        frame = frame[frame[metric].map(str) != RUNID]
        frame = frame.assign(**{value: pd.to_numeric(frame[value])})
    # topics of one name may be others in each group
    further = [name for name in dict.fromkeys([by, *LABELS]) if name is not None]
    levels = [name for name in further if name in frame.index.names]
    frame = frame.reset_index(levels) if levels else frame
    keys += [name for name in further if name in frame.columns and name not in keys]
    word = repeat_column(frame, [*keys, metric])
    if word is not None:
        frame = frame.assign(**{word: with_labels(frame[keys[0]], frame[word])})
        keys.insert(1, word)
    wide = spread_metrics(frame, keys, metric, value)
    if wide is None:
        one = frame[frame[metric] == frame[metric].iloc[0]].drop(columns=metric)
        refuse_twice(frame.set_index([*keys, metric]).index, one)
    return pd.DataFrame(wide)


def _matrix_as_column(frame: pd.DataFrame, metric: str) -> pd.DataFrame | None:
    """Return a matrix of scores as one column.

    Return None if the matrix has values that are not numbers.
    """
    names = *ALIASES[TOPIC], *ALIASES[SYSTEM]
    labels = [name for name in frame.index.names if name not in names]
    if frame.index.nlevels > 1 and len(labels) == frame.index.nlevels - 1:  # which a pivot keeps
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
    if metric in matrix.columns:  # a metric, which is no system
        matrix = matrix[[metric]].set_axis([ONLY_SYSTEM], axis=1)
    matrix = matrix if turned else matrix.T
    known = zip((SYSTEM, TOPIC), (matrix.index.name, matrix.columns.name), strict=True)
    axes = [name if name in ALIASES[role] else role for role, name in known]
    refuse_twice(matrix.index)
    index = pd.MultiIndex.from_product([matrix.index, matrix.columns], names=axes)
    return pd.DataFrame({metric: matrix.to_numpy().ravel()}, index=index)


def _with_axes(x: Any, systems: str) -> pd.DataFrame:
    """Return a matrix with named axes."""
    frame = columns_of(x) if not isinstance(x, pd.DataFrame) else x
    if frame is None or frame.index.nlevels > 1 or frame.columns.nlevels > 1:
        raise InputError(f"a matrix with systems in {systems}", type(x).__name__)
    expected = [SYSTEM, TOPIC] if systems == "rows" else [TOPIC, SYSTEM]
    column = next((name for name in frame.columns if _axis_role(name)), None)
    matrix: pd.DataFrame = frame if column is None else frame.set_index(column)
    names = [matrix.index.name, matrix.columns.name]
    if any(
        _axis_role(name) not in {None, role} for name, role in zip(names, expected, strict=True)
    ):
        raise InputError(f"a matrix with systems in {systems}", ", ".join(map(repr, names)))
    pairs = zip(names, expected, strict=True)
    index, columns = (str(name) if _axis_role(name) else role for name, role in pairs)
    return matrix.rename_axis(index=index, columns=columns)


def _columns_of_matrix(frame: pd.DataFrame, metric: str) -> ScoreColumns | None:
    """Return a matrix of scores as columns, or None."""
    matrix = _matrix_as_column(frame, metric)
    if matrix is None:
        return None
    names = [*frame.index.names, *frame.columns.names, *frame.columns]
    if metric not in frame.columns and not any(map(_axis_role, names)):
        advice = (
            "name the axis: ir.as_scores(frame, metric='AP', systems='rows'), or systems='columns'"
        )
        raise InputError(
            "a matrix with a named axis of systems or topics", "axes without names", advice
        )
    return ScoreColumns(matrix, index_roles(matrix))


def _axis_role(name: Any) -> str | None:
    return next((role for role in (SYSTEM, TOPIC) if name in ALIASES[role]), None)


def advice_of(frame: pd.DataFrame) -> str:
    """Return the code that turns a frame into scores."""
    frame = frame.loc[:, ~frame.columns.duplicated()]
    by_role = roles(columns.columns) if (columns := columns_of(frame)) is not None else {}
    levels = [name for name in frame.index.names if name is not None]
    flat = frame.reset_index(levels) if not {*levels} & {*frame.columns} else frame
    pairs = proposed(flat, by_role, [role for role in (SYSTEM, TOPIC) if role not in by_role])
    if pairs:
        return f"name system and topic: {renamed(pairs, levels)}"
    ids = [by_role[role] for role in (SYSTEM, TOPIC) if role in by_role]
    others = [name for name in frame.columns if name not in ids]
    if len(ids) == 2:
        return f"choose the columns that are metrics, as in frame.set_index({ids})[{others}]"
    if SYSTEM in by_role:
        every = "pt.Experiment(..., perquery=True), or runs.ireval.evaluate(qrels)"
        return f"score every topic: {every}"
    if TOPIC not in by_role and not levels and named_metrics(frame) == [*frame.columns]:
        return "say that its index is of topics: frame.rename_axis('topic')"
    read = "ir.as_scores(frame, metric='AP', systems='columns')"
    matrix = f"a matrix of topics and systems is read by {read}"
    rename = "call the columns that name systems and topics so: system, topic"
    return rename if _matrix_as_column(frame, "") is None else matrix
