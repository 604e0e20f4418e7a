"""Nugget scores of generated answers.

Verbs: score_nuggets.
"""

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array
from irframe.errors import IdError, InputError
from irframe.evaluation.repeats import fold_rows
from irframe.experiments.coded_tables import code_systems
from irframe.frames.ids import code_labels
from irframe.frames.kinds import NUGGETS, require_columns
from irframe.frames.tables import columns_of
from irframe.record import recorded

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""Mapping from each label in the column ``assignment`` to the gain of the answer."""
WEIGHTS = {"vital": 1.0, "okay": 0.5}
"""Mapping from each label in the column ``importance`` to the weight of the nugget."""


@recorded
def score_nuggets(nuggets: pd.DataFrame | object) -> pd.DataFrame:
    """Score generated answers by nuggets, as TREC's RAG track did.

    Parameters
    ----------
    nuggets
        A frame with a row for every answer and nugget, and with the columns system, topic, nugget,
        ``importance`` (``vital`` or ``okay``) and ``assignment`` (``support``, ``partial_support``
        or ``not_support``). The column with the systems may be omitted if there is only one system.
        Other common names of columns are accepted, such as ``run_id``, ``qid`` and ``text``.
        ``pandas.json_normalize(records, "nuggets", ["run_id", "qid"])`` converts the JSON records
        of the tool nuggetizer to a frame with these columns. Every answer must have a label for
        every nugget of its topic. If a system generated several answers to a topic, a column
        ``repeat`` (or sample, pass, seed, ...) must distinguish the answers.

    Returns
    -------
    pandas.DataFrame
        A frame with a row for every answer, indexed by system and topic. The index levels have the
        names of the columns of `nuggets`. The columns are scores from 0 to 1:

        - ``all``, the share of nuggets that the answer supports, where partial support counts as
          one half;
        - ``vital``, the share of vital nuggets that the answer supports, 0 if a topic has no vital
          nuggets;
        - ``weighted``, as ``all``, but an okay nugget has half the weight of a vital nugget;
        - ``strict_all``, ``strict_vital`` and ``strict_weighted``, the same three scores, but
          partial support counts as 0.

        If systems generated several answers to a topic, the repeats are a third index level.
        Functions such as `compare` then average over the repeats of each topic.

        The result can be passed to `compare`, `summary` and all other functions that accept scores.

    Raises
    ------
    InputError
        If columns are missing, or labels are unknown.
    IdError
        If a nugget is labelled twice in an answer, is missing from an answer, or is vital in one
        answer and okay in another.

    References
    ----------
    .. [1] Pradeep, Thakur, Upadhyay, Campos, Craswell, Lin. Initial nugget evaluation results for
       the TREC 2024 RAG track with the AutoNuggetizer framework. 2024.
       doi:10.48550/arXiv.2411.09607

    Examples
    --------
    >>> labels = pd.DataFrame(
    ...     {
    ...         "run_id": ["a"] * 3 + ["b"] * 3,
    ...         "qid": "1",
    ...         "nugget": ["n1", "n2", "n3"] * 2,
    ...         "importance": ["vital", "vital", "okay"] * 2,
    ...         "assignment": ["support", "partial_support", "not_support"] + ["support"] * 3,
    ...     }
    ... )
    >>> labels.ireval.score_nuggets()[["all", "vital", "weighted", "strict_vital"]]
    metric      all  vital  weighted  strict_vital
    run_id qid
    a      1    0.5   0.75       0.6           0.5
    b      1    1.0   1.00       1.0           1.0
    """
    table = columns_of(nuggets)
    frame: Any = nuggets if table is None else table
    every = words.SYSTEM, words.TOPIC, words.NUGGET
    folded = fold_rows(frame, require_columns(frame, NUGGETS), every)
    frame = folded.runs
    columns = require_columns(frame, NUGGETS)
    values = {words.IMPORTANCE: WEIGHTS, words.ASSIGNMENT: SUPPORT}
    _refuse_labels(frame, {columns[role]: labels for role, labels in values.items()})
    weight, gain = (frame[columns[role]].map(values[role]).to_numpy(float) for role in values)
    system, systems = code_systems(frame, columns)
    topic, topics = code_labels(frame[columns[words.TOPIC]], words.TOPIC)
    nugget, _ = code_labels(frame[columns[words.NUGGET]], words.NUGGET)
    rows = pd.DataFrame({"system": system, "topic": topic, "nugget": nugget, "weight": weight})
    keys = [columns[role] for role in every if role in columns]
    _refuse_unlike(frame[keys], rows)
    scores = _scores(rows, gain)
    answers = scores.index.to_frame()
    system, topic = (answers[name].to_numpy() for name in answers)
    sides = systems.take(system), topics.take(topic)
    names = [columns.get(role, role) for role in (words.SYSTEM, words.TOPIC)]
    scores.index = pd.MultiIndex.from_arrays(sides, names=names)
    result = scores.fillna(0.0)
    result.attrs = {words.RESULT: "score_nuggets", words.METRICS: list(scores)}
    if folded.repeat is not None:
        result = folded.unfold(result)
        # answers with the same number are unrelated if their topics differ
        result.attrs[words.REPEATS] = "topic"
    return result


def _refuse_labels(frame: pd.DataFrame, allowed: Mapping[Hashable, Collection[str]]) -> None:
    """Raise if a column contains unknown labels."""
    offenders = [
        f"{label!r} in {column!r}"
        for column, labels in allowed.items()
        for label in frame[column][~frame[column].isin(list(labels))].unique()
    ]
    if offenders:
        expected = " and ".join(f"{name} to be {' or '.join(x)}" for name, x in allowed.items())
        raise InputError(expected, "other labels", "", offenders)


def _refuse_unlike(frame: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Raise unless every answer has one label per nugget.

    Also raise if a nugget does not have the same importance in all answers to a topic.

    Parameters
    ----------
    frame
        The columns system, topic and nugget of the input.
    rows
        Integer codes of systems, topics and nuggets, and the weights of nuggets.
    """
    twice = rows.duplicated(["system", "topic", "nugget"]).to_numpy()
    if twice.any():
        raise IdError("one label per answer and nugget", "several", "", _row_ids(frame[twice]))
    first = rows.groupby(["topic", "nugget"])["weight"].transform("first")
    unlike = frame[(rows["weight"] != first).to_numpy()]
    if len(unlike):
        expected = "the same importance of a nugget in all answers"
        raise IdError(
            expected, f"{len(unlike)} rows with a different importance", "", _row_ids(unlike)
        )
    count = rows.groupby(["system", "topic"])["nugget"].transform("size")
    every = rows.groupby("topic")["nugget"].transform("nunique")
    short = (count < every) & ~rows.duplicated(["system", "topic"])
    if short.any():
        # the last column is the nugget, which does not identify the answer
        answers = _row_ids(frame.iloc[short.to_numpy(), :-1])
        numbers = zip(answers, count[short], every[short], strict=True)
        offenders = [f"{name} has {n} of {m}" for name, n, m in numbers]
        advice = "label nuggets that an answer does not contain as not_support"
        raise IdError("a label for every nugget of the topic", "fewer", advice, offenders)


def _row_ids(rows: pd.DataFrame) -> list[str]:
    """Join the values of each row to a string."""
    return [" ".join(map(str, row)) for row in rows.itertuples(index=False)]


def _scores(rows: pd.DataFrame, gain: Array) -> pd.DataFrame:
    """Return scores of answers, NaN if all weights are 0."""
    answers = [rows["system"], rows["topic"]]
    scores = {}
    weight = rows["weight"]
    vital = (weight == WEIGHTS["vital"]).astype(float)
    weights = {"all": weight * 0 + 1, "vital": vital, "weighted": weight}
    # gains are 0, 0.5 or 1, so rounding down makes partial support count as 0
    for kind, gained in {"": gain, "strict_": np.floor(gain)}.items():
        for name, counted in weights.items():
            reached = (counted * gained).groupby(answers).sum()
            scores[kind + name] = reached / counted.groupby(answers).sum()
    return pd.DataFrame(scores).rename_axis(columns=words.METRIC)
