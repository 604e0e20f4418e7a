"""Declared labels of sampled topics: `cluster`, `task`, `weight`.

Labels are index levels of frames, and topic coordinates of arrays and cubes, so that they are
selected and copied with the scores. One attribute maps each label to the caller's name for it.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import refuse_any
from irframe.errors import ParameterError, listing, warn
from irframe.frames.ids import Codes
from irframe.metrics.facts import facts
from irframe.names import DRAWN, TOPIC, roles
from irframe.paired.design import Design, design_of

CLUSTER = "cluster"
TASK = "task"
WEIGHT = "weight"
LABELS = (CLUSTER, TASK, WEIGHT)
"""Labels of topics. The labels are also the names of the options of `design`."""
SEVERAL = "give topics of different groups different ids"
"""Advice in errors about topics with several values."""
MIN_CLUSTERS = 2
"""The minimum number of clusters per task for which a variance can be estimated."""

TopicValues = str | Mapping[Any, Any] | pd.Series | None
"""A mapping from topics to values, or the name of a column, index level or coordinate with the
values."""


@dataclass(frozen=True, eq=False)
class TopicLabels:
    """Declared labels of topics.

    Parameters
    ----------
    names
        Mapping from label ("cluster", "task" or "weight") to the caller's name for the label.
    values
        Mapping from label to an array with the value of each topic.
    """

    names: Mapping[str, str]
    values: Mapping[str, Array]

    def take(self, topics: Codes | slice) -> "TopicLabels":
        """Return the labels of the topics at these positions."""
        return TopicLabels(self.names, {label: v[topics] for label, v in self.values.items()})


def topic_values(
    label: str, value: object, columns: pd.DataFrame | Callable[[], pd.DataFrame], allowed: str
) -> pd.Series | None:
    """Return the values of a label, indexed by topic.

    Parameters
    ----------
    label
        One of `LABELS`.
    value
        The name of a column of `columns`, or a mapping from topics to values. None if the label is
        not declared.
    columns
        A frame with a column of topics, or a function that returns this frame.
    allowed
        A description of the allowed columns, for error messages.

    Returns
    -------
    pandas.Series or None
        The values as in `value` or `columns`. The result is None if `value` is None.

    Raises
    ------
    ParameterError
        If `value` names no column, a topic has several values, or clusters or tasks are numbers
        with decimals.
    """
    if value is None:
        return None
    if isinstance(value, pd.Series | Mapping):
        series = value if isinstance(value, pd.Series) else pd.Series(dict(value), dtype=object)
        series = series.rename(f"given {label}") if series.name is None else series
    elif not isinstance(value, Hashable):
        expected = f"{label} to be a name, or a mapping or Series of topics"
        raise ParameterError(expected, type(value).__name__)
    else:
        frame = columns() if callable(columns) else columns
        topic = roles(frame.columns).get(TOPIC)
        if value not in frame.columns or value == topic or (label != WEIGHT and facts(value).known):
            columns_of_frame = [str(name) for name in frame.columns if name != topic]
            raise ParameterError(f"{label} to be {allowed}", repr(value), "", columns_of_frame)
        series = frame[[topic, value]].drop_duplicates().set_index(topic)[value]
    refuse_several_values(label, series.index[series.index.duplicated()].unique())
    values = series.dropna().infer_objects()
    if label != WEIGHT and pd.api.types.is_float_dtype(values) and (values % 1 != 0).any():
        advice = f"divide them into intervals first, for example {label}=pd.cut(values, 5)"
        raise ParameterError(f"labels for {label}=", f"numbers such as {values.iloc[0]}", advice)
    return pd.Series(series)


def refuse_several_values(label: str, topics: Iterable[object]) -> None:
    """Raise for topics that have several clusters, tasks or weights."""
    expected = f"one {label} for every topic"
    refuse_any(ParameterError, topics, expected, "several for {} topics", SEVERAL)


def values_of_topics(label: str, values: pd.Series, topics: pd.Index) -> Array:
    """Return the value of every topic; raise for missing values.

    Topic ids are compared as text.
    """
    labels = values.set_axis(values.index.astype(str)).reindex(topics.astype(str))
    missing = topics[labels.isna()]
    refuse_any(ParameterError, missing, f"a {label} for every topic", "none for {} topics")
    # Values from a mapping have dtype object, so their dtype is inferred.
    labels = labels.infer_objects()
    if label != WEIGHT and not pd.api.types.is_integer_dtype(labels):
        # pandas converts integers to floats if values are missing.
        numbers = pd.api.types.is_float_dtype(labels)
        return np.asarray(labels.astype(int) if numbers else labels.astype(str).astype(object))
    return np.asarray(labels)


def without_levels(frame: pd.DataFrame, labels: Sequence[str] = LABELS) -> pd.DataFrame:
    """Return scores without the index levels of topic labels.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("q1", "d1")], names=["topic", "cluster"])
    >>> without_levels(pd.DataFrame({"AP": [0.5]}, index)).index.names
    FrozenList(['topic'])
    """
    present: list[Hashable] = [label for label in labels if label in frame.index.names]
    return frame.droplevel(present) if present else frame


def names_declared(attrs: Mapping[Any, Any]) -> dict[str, str]:
    """Return a dictionary from declared labels to the caller's names.

    Examples
    --------
    >>> names_declared({"drawn": '{"cluster": "document"}'})
    {'cluster': 'document'}
    """
    declared = json.loads(attrs.get(DRAWN, "{}"))
    return {label: declared[label] for label in LABELS if label in declared}


def options_declared(attrs: Mapping[Any, Any]) -> str:
    """Return the declared options of `design` as text for messages.

    Examples
    --------
    >>> options_declared({"drawn": '{"cluster": "document", "weight": "n"}'})
    'cluster=, weight='
    """
    return ", ".join(f"{label}=" for label in names_declared(attrs))


def refuse_declared(attrs: Mapping[Any, Any], verb: str) -> None:
    """Raise if topics have a declared design."""
    if options := options_declared(attrs):
        expected = f"topics without a declared design, for {verb}"
        advice = "call design() without arguments to remove the declaration"
        raise ParameterError(expected, f"topics with {options}", advice)


def declaring(attrs: Mapping[Any, Any], names: Mapping[str, str]) -> dict[Any, Any]:
    """Return a copy of attributes that also declares the labels.

    Parameters
    ----------
    attrs
        Attributes of scores or of a cube.
    names
        Mapping from label to the caller's name for the label.

    Examples
    --------
    >>> declaring({"drawn": '{"cluster": "document"}'}, {"task": "language"})
    {'drawn': '{"cluster": "document", "task": "language"}'}
    """
    # Attributes in netCDF files may be text, but not dictionaries.
    declared = names_declared(attrs) | {label: str(name) for label, name in names.items()}
    return {**attrs, DRAWN: json.dumps(declared)} if declared else dict(attrs)


def declared_labels(attrs: Mapping[Any, Any], values: Mapping[str, Array]) -> TopicLabels | None:
    """Return the declared labels of topics; None if undeclared.

    Parameters
    ----------
    attrs
        Attributes of scores or of a cube.
    values
        Mapping from label to the value of each topic, as stored with the data.

    Raises
    ------
    ParameterError
        If a label is not declared, or a declared label is missing.
    """
    names = names_declared(attrs)
    undeclared = [label for label in values if label not in names]
    if undeclared:
        options = ", ".join(f"{label}={label!r}" for label in undeclared)
        advice = (
            f"declare them: scores.ireval.design({options}); or remove them: scores.ireval.design()"
        )
        expected = "declared labels of topics, because labels may describe how topics were sampled"
        raise ParameterError(expected, "undeclared labels", advice, undeclared)
    missing = [label for label in names if label not in values]
    if missing:
        options = ", ".join(f"{label}={names[label]!r}" for label in missing)
        advice = (
            f"add them again: scores.ireval.design(table, {options}); "
            "or remove the declaration: scores.ireval.design()"
        )
        expected = "scores with all declared labels of topics"
        raise ParameterError(expected, "scores without the labels", advice, missing)
    return TopicLabels(names, values) if names else None


class DrawnTopics(NamedTuple):
    """Topics with positive weight, and their sampling design."""

    topics: Array
    """The positions of the topics with positive weight."""
    design: Design
    """The sampling design of these topics."""


def drawn_topics(labels: TopicLabels | None, topics: pd.Index) -> DrawnTopics | None:
    """Return the sampling design of topics; None without labels.

    Raises
    ------
    ParameterError
        If a topic has no label. If a weight is negative, infinite or not a number, or all weights
        are 0. If a task has only one cluster.

    Warns
    -----
    IrframeWarning
        If topics have weight 0 and are therefore ignored.
    """
    if labels is None or not len(topics):
        return None
    values = {
        label: pd.Series(column, topics.astype(str), dtype=object)
        for label, column in labels.values.items()
    }
    for label, column in values.items():
        missing = topics[column.isna() & (label != WEIGHT)]
        refuse_any(ParameterError, missing, f"a {label} for every topic", "none for {} topics")
    weights = _counted(values[WEIGHT], topics) if WEIGHT in values else np.ones(len(topics))
    rows = np.flatnonzero(weights)
    codes = {label: pd.factorize(v.iloc[rows])[0] for label, v in values.items() if label != WEIGHT}
    design = design_of(
        len(rows), weights=weights[rows], cluster=codes.get(CLUSTER), task=codes.get(TASK)
    )
    if CLUSTER in values:
        _refuse_single(design, values[TASK].iloc[rows] if TASK in values else None)
    return DrawnTopics(rows, design)


def _refuse_single(design: Design, tasks: pd.Series | None) -> None:
    """Raise if all topics, or a task, form one cluster."""
    single = np.diff(design.starts) < MIN_CLUSTERS
    if single.any() and tasks is None:
        raise ParameterError("at least two clusters", "one", "declare the design without cluster=")
    if single.any() and tasks is not None:
        offenders = pd.unique(tasks[single[design.task]])
        got = f"one cluster in {single.sum()} of {len(single)} tasks"
        raise ParameterError("at least two clusters in every task", got, "", map(str, offenders))


def _counted(values: pd.Series, topics: pd.Index) -> Array:
    """Return validated weights of topics, divided by the greatest weight."""
    weights = pd.to_numeric(values, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    named = [f"{topic} ({value})" for topic, value in values[wrong].items()]
    expected = "weights that are finite numbers of at least 0"
    refuse_any(ParameterError, named, expected, "{} topics with other weights")
    weightless = topics[weights == 0]
    if len(weightless) == len(topics):
        raise ParameterError("a weight above 0", "only the weight 0 for", "", topics)
    if len(weightless):
        warn(f"topics with weight 0 are ignored: {listing(map(str, weightless))}")
    return np.asarray(weights / weights.max())
