"""How topics were drawn, as callers say it: `cluster=`, `tasks=`, `weights=`.

Each names a column, level or coordinate, or is topic -> value. It is said once; scores carry it by
topic in one attribute, through files, selections and verbs, and `Scores` read it there.
"""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.errors import InputError, ParameterError, listing, warn
from irframe.metrics.facts import facts
from irframe.names import DRAWN, METRIC, REPEAT_NAMES, SYSTEM, TOPIC, roles
from irframe.paired.design import Design, design_of

CLUSTER, TASKS, WEIGHTS = "cluster", "tasks", "weights"
SAID = (CLUSTER, TASKS, WEIGHTS)
"""What is said of how topics were drawn, as parameters are called."""
ONE = {CLUSTER: "a cluster", TASKS: "a task", WEIGHTS: "a weight"}
SEVERAL = "topics of one name in several groups need names of their own"
FEWEST = 2
"""Clusters of a task, below which nothing says how they vary."""

TopicValues = str | Mapping[Any, Any] | pd.Series | None
"""The name of a column, level or coordinate; or topic -> value."""


def topic_values(word: str, given: Any, columns: Any, what: str) -> pd.Series | None:
    """Return what is said of topics, by their names.

    Parameters
    ----------
    word
        How the parameter is called.
    given
        The name of one of the columns, or topic -> value.
    columns
        A frame in which topics and the others of these stand, or a function that gives it.
    what
        What these are, in an error.

    Raises
    ------
    ParameterError
        For an unknown name, topics with several values, and measurements in place of labels.
    """
    found: Any
    if given is None:
        return None
    if isinstance(given, pd.Series | Mapping):
        found = given if isinstance(given, pd.Series) else pd.Series(dict(given), dtype=object)
        found = found.rename(f"given {word}") if found.name is None else found
    elif not isinstance(given, Hashable):
        wanted = f"{word}, a name or a mapping or Series of topics"
        raise ParameterError(wanted, type(given).__name__)
    else:
        frame = columns() if callable(columns) else columns
        topic: Any = roles(frame.columns).get(TOPIC)
        if given not in frame.columns or given == topic or (word != WEIGHTS and facts(given).known):
            others = [str(name) for name in frame.columns if name != topic]
            raise ParameterError(f"{word} to be {what}", repr(given), "", others)
        found = frame[[topic, given]].drop_duplicates().set_index(topic)[given]
    again = found.index[found.index.duplicated()].unique()
    if len(again):
        wanted = f"one {ONE[word].split()[1]} for every topic"
        raise ParameterError(wanted, f"several for {len(again)}", SEVERAL, again)
    values = found.dropna().infer_objects()
    if word != WEIGHTS and pd.api.types.is_float_dtype(values) and (values % 1 != 0).any():
        advice = f"cut them into groups first: pd.cut(values, 5) or the like, for {word}="
        raise ParameterError(f"labels for {word}=", f"numbers such as {values.iloc[0]}", advice)
    return pd.Series(found)


def carried(attrs: Mapping[Any, Any], said: Mapping[str, pd.Series | None]) -> dict[Any, Any]:
    """Return attributes of scores that say how topics were drawn, besides what they say already.

    Examples
    --------
    >>> carried({}, {"cluster": pd.Series({"q1": "d1"}, name="document")})
    {'drawn': '{"cluster": {"name": "document", "of": {"q1": "d1"}}}'}
    """
    known = json.loads(attrs.get(DRAWN, "{}"))
    for word, values in said.items():
        if values is not None:
            plain = {str(topic): _plain(value) for topic, value in values.items()}
            known[word] = {"name": str(values.name), "of": plain}
    return {**attrs, DRAWN: json.dumps(known)} if known else dict(attrs)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, text where it is no finite number and None where missing."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, int) or (isinstance(number, float) and np.isfinite(number)):
        return number
    return str(number)


def names_said(attrs: Mapping[Any, Any]) -> dict[str, str]:
    """Return by which names attributes say how topics were drawn.

    Examples
    --------
    >>> names_said({"drawn": '{"cluster": {"name": "document", "of": {"q1": "d1"}}}'})
    {'cluster': 'document'}
    """
    known = json.loads(attrs.get(DRAWN, "{}"))
    return {word: known[word]["name"] for word in SAID if word in known}


def labels_of(attrs: Mapping[Any, Any], word: str, topics: pd.Index) -> pd.Series:
    """Return the cluster or task of every topic, as attributes of scores say it."""
    known = json.loads(attrs[DRAWN])[word]
    return pd.Series(known["of"], dtype=object).reindex(topics.astype(str))


class DrawnTopics(NamedTuple):
    """Which topics count, and how they were drawn."""

    kept: Array
    design: Design


def drawn_topics(attrs: Mapping[Any, Any], topics: pd.Index) -> DrawnTopics | None:
    """Return how topics were drawn, as attributes of scores say it; None if they say nothing.

    Raises
    ------
    ParameterError
        For topics of which it is not said, weights that are negative, infinite or no numbers or all
        0, and tasks of a single cluster.

    Warns
    -----
    IrframeWarning
        Of topics of weight 0, which do not count.
    """
    known = json.loads(attrs.get(DRAWN, "{}"))
    if not known or not len(topics):
        return None
    said, named = {}, topics.astype(str)
    for word in [word for word in SAID if word in known]:
        values = pd.Series(known[word]["of"], dtype=object)
        missing = topics[~named.isin(values.index[values.notna() | (word == WEIGHTS)])]
        if len(missing):
            wanted, found = f"{ONE[word]} for every topic", f"none for {len(missing)}"
            raise ParameterError(wanted, found, "", missing)
        said[word] = values.reindex(named)
    weights = _counted(said[WEIGHTS], topics) if WEIGHTS in said else np.ones(len(topics))
    kept = np.flatnonzero(weights)
    codes = {word: pd.factorize(said[word].iloc[kept])[0] for word in said if word != WEIGHTS}
    design = design_of(
        len(kept), weights=weights[kept], cluster=codes.get(CLUSTER), task=codes.get(TASKS)
    )
    if CLUSTER in said:
        _refuse_single(design, said[TASKS].iloc[kept] if TASKS in said else None)
    return DrawnTopics(kept, design)


def _refuse_single(design: Design, tasks: pd.Series | None) -> None:
    """Raise for a single cluster, in a task."""
    alone = np.diff(design.starts) < FEWEST
    if alone.any() and tasks is None:
        raise ParameterError("at least two clusters", "one", "ask without cluster=")
    if alone.any() and tasks is not None:
        bad, found = pd.unique(tasks[alone[design.task]]), f"one in {alone.sum()} of {len(alone)}"
        raise ParameterError("at least two clusters in every task", found, "", map(str, bad))


def _counted(said: pd.Series, topics: pd.Index) -> Array:
    """Return the weights of topics, numbers of at least 0, of which some are above."""
    weights = pd.to_numeric(said, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        named = [f"{topic} ({value})" for topic, value in said[wrong].items()]
        wanted = "weights that are finite numbers of at least 0"
        raise ParameterError(wanted, f"{len(named)} that are not", "", named)
    nothing = topics[weights == 0]
    if len(nothing) == len(topics):
        raise ParameterError("some weight above 0", f"none for {len(topics)} topics", "", topics)
    if len(nothing):
        warn(f"topics of weight 0 do not count: {listing(map(str, nothing))}")
    return np.asarray(weights / weights.max())


def said_of_frame(frame: pd.DataFrame, given: Mapping[str, Any], kept: Any = None) -> pd.DataFrame:
    """Return a frame of scores that carries what its columns and levels say of topics.

    Parameters
    ----------
    frame
        A row for each system and topic, and perhaps metric.
    given
        Parameter -> the name of a column or level, or topic -> value.
    kept
        A column that stays, though it is one of them; others go, as they are no scores.

    Returns
    -------
    pandas.DataFrame
        The scores; where several tasks have topics of one name, these are called by task and topic.
    """
    if all(value is None for value in given.values()):
        return frame
    levels = [level for level in frame.index.names if level is not None]
    rows, tasks = frame.reset_index(levels), given.get(TASKS)
    topic: Any = roles(rows.columns).get(TOPIC)
    if topic is None:
        known = ", ".join(map(str, rows.columns))
        raise InputError("scores with topics, for cluster=, tasks= or weights=", known)
    if isinstance(tasks, str) and tasks in rows.columns and tasks != topic:
        pairs = rows[[tasks, topic]].drop_duplicates()
        systems = [name for name in (roles(rows.columns).get(SYSTEM),) if name is not None]
        further = [name for name in rows.columns if name in {METRIC, "measure", *REPEAT_NAMES}]
        again = pairs[topic].duplicated().any()
        if again and not rows.duplicated([tasks, topic, *systems, *further]).any():
            rows[topic] = rows[tasks].astype(str) + " " + rows[topic].astype(str)
            frame = rows.set_index(levels) if levels else rows
            frame.attrs = dict(rows.attrs)
    what = "a column or index level"
    said = {word: topic_values(word, value, rows, what) for word, value in given.items()}
    named = {value for value in given.values() if isinstance(value, Hashable)}
    gone = [name for name in frame.columns if name in named and name != kept]
    result = frame.drop(columns=gone)
    result.attrs = carried(frame.attrs, said)
    return result


def columns_of_topics(*tables: Any) -> Iterator[pd.DataFrame]:
    """Yield the tables of runs and judgments that are frames with topics."""
    for table in tables:
        if isinstance(table, pd.DataFrame):
            names = list(table.index.names)
            known = {None, *table.columns}
            levels = [n for n, name in enumerate(names) if name not in {*known, *names[:n]}]
            frame = table.reset_index(levels)
            if TOPIC in roles(frame.columns):
                yield frame


def said_of_tables(tables: Sequence[Any], given: Mapping[str, Any]) -> dict[str, pd.Series | None]:
    """Return what is said of topics, in columns of runs or of judgments, or by topic."""
    said: dict[str, pd.Series | None] = dict.fromkeys(given)
    for word, value in given.items():
        if value is None:
            continue
        frames = [*columns_of_topics(*tables)]
        holding = [frame for frame in frames if isinstance(value, str) and value in frame.columns]
        chosen = (holding or frames or [pd.DataFrame(columns=[TOPIC])])[0]
        what = "a column of runs or judgments, constant per topic"
        said[word] = topic_values(word, value, chosen, what)
    return said
