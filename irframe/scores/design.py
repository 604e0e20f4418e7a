"""Declarations of how topics were drawn, in scores and cubes.

Verbs: design.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import xarray as xr

from irframe.cubes.groups import REPEAT_OF, level_of
from irframe.cubes.parse_scores import as_scores, refuse_result
from irframe.cubes.score_frames import index_roles, score_frame, with_labels_of_topics
from irframe.cubes.view import Labelled, read_cube
from irframe.errors import InputError, ParameterError
from irframe.evaluation.repeats import checked_layout
from irframe.experiments.topic_design import (
    LABELS,
    TASK,
    TopicValues,
    declaring,
    topic_values,
    values_of_topics,
    without_levels,
)
from irframe.frames.tables import columns_of
from irframe.names import (
    DRAWN,
    METRIC,
    REPEAT,
    REPEAT_NAMES,
    REPEATS,
    SYSTEM,
    TOPIC,
    Layout,
    roles,
)
from irframe.record import recorded


@recorded
def design(
    scores: xr.DataArray | xr.Dataset | pd.DataFrame,
    table: object = None,
    *,
    cluster: TopicValues = None,
    task: TopicValues = None,
    weight: TopicValues = None,
    repeats: Layout | None = None,
) -> Any:
    """Declare how topics were drawn and what repeats are.

    Means, intervals, tests and leaderboards of the scores then use this design.

    Parameters
    ----------
    scores
        Scores per system and topic, or a cube.
    table
        A frame with a column of topics, such as judgments or properties of topics. Names of columns
        are looked up in this frame first.
    cluster
        The cluster of each topic. Topics of a cluster were drawn together, such as questions about
        one document or turns of one conversation. Pass the name of a column, level or coordinate
        that is constant per topic, or a mapping from topics to labels. Intervals and tests treat
        clusters, not topics, as the sampling unit.
    task
        The task (or collection, or data set) of each topic. All tasks have equal weight in means.
        Intervals refer to new topics of the same tasks. If tasks are a column of the scores, and a
        topic name occurs in several tasks, topics are named by task and topic.
    weight
        The weight of each topic, at least 0. Only ratios of weights matter.
    repeats
        The sampling unit of repeats. ``"system"``: each system has its own repeats, such as a model
        trained with several seeds. ``"shared"``: all systems share each repeat, such as a pass of a
        judge. ``"topic"``: repeats are drawn inside each topic, such as variations of the query.
        The default is ``"system"`` for repeats called ``repeat``, ``seed``, ``trial``,
        ``checkpoint`` or ``fold``.

    Returns
    -------
    pandas.DataFrame, xarray.DataArray or xarray.Dataset
        The object with declared labels of topics. In a frame, labels are the index levels
        ``cluster``, ``task`` and ``weight``, and each metric has a column. In an array or cube,
        labels are coordinates of topics. The declarations are also recorded in `attrs`. New
        declarations are added to earlier declarations. If no option is passed, all declarations are
        removed.

    Raises
    ------
    ParameterError
        If a name is unknown, or a topic has no value or several values. If values are measurements
        instead of labels. If `repeats` is passed for scores without repeats.
    InputError
        If the object is neither scores nor a cube.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), "AP")
    >>> halves = {topic: "ab"[n % 2] for n, topic in enumerate(scores.index.unique("topic"))}
    >>> drawn = scores.ireval.design(task=halves)
    >>> drawn.index.names, drawn.ireval.summary().attrs["n_tasks"]
    (FrozenList(['system', 'topic', 'task']), '2')
    """
    declared = dict(zip(LABELS, (cluster, task, weight), strict=True))
    declared = {label: value for label, value in declared.items() if value is not None}
    checked_layout(repeats)
    refuse_result(scores)
    if isinstance(scores, xr.DataArray | xr.Dataset):
        scores = read_cube(scores) if isinstance(scores, xr.Dataset) else scores
        return _of_labelled(scores, table, declared, repeats)
    return _of_frame(score_frame(scores), table, declared, repeats)


def _values(
    declared: Mapping[str, Any], table: object, columns: pd.DataFrame, where: str
) -> dict[str, pd.Series]:
    """Return the value of every topic for each label."""
    first = None if table is None else columns_of(table)
    if table is not None and (first is None or TOPIC not in roles(first.columns)):
        raise InputError("a table with a column of topics", type(table).__name__)
    result = {}
    for label, value in declared.items():
        named = isinstance(value, str)
        # unknown names are looked up in the table too, because the error lists its columns
        if first is not None and named and (value in first.columns or value not in columns.columns):
            series = topic_values(label, value, first, "a column of the table, constant per topic")
        else:
            series = topic_values(label, value, columns, where)
        result[label] = pd.Series(series)
    return result


def _attributes(
    attrs: Mapping[Any, Any], names: Mapping[str, Any], repeats: Layout | None
) -> dict[Any, Any]:
    """Return attributes with the declaration of labels and repeats.

    If neither labels nor repeats are passed, earlier declarations are removed.
    """
    if not names and repeats is None:
        return {name: value for name, value in attrs.items() if name not in {DRAWN, REPEATS}}
    return declaring(attrs, names) | ({} if repeats is None else {REPEATS: repeats})


def _of_labelled(
    subject: Labelled, table: object, declared: Mapping[str, TopicValues], repeats: Layout | None
) -> Labelled:
    if TOPIC not in subject.dims:
        raise InputError("scores or a cube with topics", "none")
    if repeats is not None and REPEAT not in subject.dims and REPEAT_OF not in subject.coords:
        _refuse_single(repeats)
    topics = subject.get_index(TOPIC)
    columns = {
        name: coord.to_numpy() for name, coord in subject.coords.items() if coord.dims == (TOPIC,)
    }
    values = _values(
        declared, table, pd.DataFrame({TOPIC: topics, **columns}), "a coordinate of the topics"
    )
    coords = {
        label: (TOPIC, values_of_topics(label, column, topics)) for label, column in values.items()
    }
    if not declared and repeats is None:
        subject = subject.drop_vars(LABELS, errors="ignore")
    attrs = _attributes(subject.attrs, {label: v.name for label, v in values.items()}, repeats)
    result = subject.assign_coords(coords)
    result.attrs = attrs
    return result


def _refuse_single(repeats: str) -> None:
    raise ParameterError(f"repeats of systems for repeats={repeats!r}", "none")


def _of_frame(
    frame: pd.DataFrame, table: object, declared: Mapping[str, TopicValues], repeats: Layout | None
) -> pd.DataFrame:
    frame = _with_topics_of_tasks(frame, declared.get(TASK))
    levels = [level for level in frame.index.names if level is not None]
    rows = frame.reset_index(levels)
    topic: Any = roles(rows.columns).get(TOPIC)
    if topic is None:
        raise InputError("scores with topics", ", ".join(map(str, rows.columns)))
    values = _values(declared, table, rows, "a column or index level")
    # columns that the caller added become levels, because they are not scores
    columns = [name for name in declared.values() if isinstance(name, str) and name in rows.columns]
    first: Any = () if table is None else columns_of(table)
    columns = [name for name in dict.fromkeys(columns) if name not in first]
    labels = [*(declared if declared or repeats is not None else LABELS)]
    further = [name for name in columns if name not in {*levels, *labels}]
    # `_values` has checked that these columns are constant per topic
    pairs = {name: rows[[topic, name]].drop_duplicates() for name in further}
    frame = frame.drop(columns=[name for name in (*further, *labels) if name in frame.columns])
    wide = as_scores(without_levels(frame, labels))
    names = {label: column.name for label, column in values.items()}
    attrs = _attributes({**frame.attrs, **wide.attrs}, names, repeats)
    topics: Any = wide.index.unique(index_roles(wide)[TOPIC])
    added = [pair.set_index(topic)[name] for name, pair in pairs.items()]
    for label, column in values.items():
        added.append(pd.Series(values_of_topics(label, column, topics), topics, name=label))
    wide = with_labels_of_topics(wide, topics.name, added)
    if repeats is not None and level_of(wide) is None:
        _refuse_single(repeats)
    wide.attrs = attrs
    return wide


def _with_topics_of_tasks(frame: pd.DataFrame, task: object) -> pd.DataFrame:
    """Make the names of topics unique across tasks.

    If any topic name occurs in several tasks, all names are preceded by the task.
    """
    levels = [level for level in frame.index.names if level is not None]
    rows = frame.reset_index(levels)
    by_role: Any = roles(rows.columns)
    topic = by_role.get(TOPIC)
    if not isinstance(task, str) or task not in rows.columns or topic in {None, task}:
        return frame
    systems = [by_role[SYSTEM]] if SYSTEM in by_role else []
    further = [name for name in rows.columns if name in {METRIC, "measure", *REPEAT_NAMES}]
    shared_names = rows[[task, topic]].drop_duplicates()[topic].duplicated().any()
    # duplicate rows are left as they are, so that the error about them names the original topics
    if not shared_names or rows.duplicated([task, topic, *systems, *further]).any():
        return frame
    rows[topic] = rows[task].astype(str) + " " + rows[topic].astype(str)
    renamed = rows.set_index(levels) if levels else rows
    renamed.attrs = dict(rows.attrs)
    return renamed
