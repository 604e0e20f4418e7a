"""Answers scored by nuggets.

Verbs: score_nuggets.
"""

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.errors import IdError, InputError
from irframe.experiments.coded_tables import code_systems
from irframe.files.ids import code_labels
from irframe.files.kinds import NUGGETS, require_columns
from irframe.files.repeats import fold_rows
from irframe.files.tables import columns_of
from irframe.record import recorded

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""What an answer gains by its nuggets."""
WEIGHTS = {"vital": 1.0, "okay": 0.5}
"""What nuggets weigh."""


@recorded
def score_nuggets(nuggets: pd.DataFrame | object) -> pd.DataFrame:
    """Score answers by the nuggets that they contain, as the TREC RAG track does.

    Parameters
    ----------
    nuggets
        A row for every answer and nugget: the system, if there are several; the topic; the nugget;
        its ``importance``, ``vital`` or ``okay``; and its ``assignment``, ``support``,
        ``partial_support`` or ``not_support``. Columns may have any of their usual names, such as
        ``run_id``, ``qid`` and ``text``, which ``pandas.json_normalize(records, "nuggets",
        ["run_id", "qid"])`` makes of the records of nuggetizer. An answer needs a label for every
        nugget of its topic. Where answers were sampled several times, a column ``repeat`` (or
        sample, pass, seed, ...) says which one a row is of.

    Returns
    -------
    pandas.DataFrame
        Index (system, topic), named as in the caller's frame, a row for every answer, and the
        scores from 0 to 1

        - ``all``, the share of the nuggets that the answer supports, one half for partial support;
        - ``vital``, the same of vital nuggets alone, 0 where a topic has none;
        - ``weighted``, the same of all, an okay nugget weighing half a vital one;
        - ``strict_all``, ``strict_vital``, ``strict_weighted``, where partial support is none.

        Of answers sampled several times the index has the repeats, too, draws inside topics, whose
        means are compared.

        It is a frame of scores, with `compare`, `summary` and all other verbs of scores.

    Raises
    ------
    InputError
        For missing columns and unknown labels, which are listed.
    IdError
        For a nugget labelled twice in one answer, left out of one, or vital in one and okay in
        another.

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
    known = {words.IMPORTANCE: WEIGHTS, words.ASSIGNMENT: SUPPORT}
    _refuse_labels(frame, {columns[role]: labels for role, labels in known.items()})
    weight, gain = (frame[columns[role]].map(known[role]).to_numpy(float) for role in known)
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
    return folded.unfold(result, None if folded.word is None else "topic")


def _refuse_labels(frame: pd.DataFrame, known: Mapping[Hashable, Collection[str]]) -> None:
    """Raise for labels that mean nothing, listing them with their column."""
    offenders = [
        f"{label!r} in {column!r}"
        for column, labels in known.items()
        for label in frame[column][~frame[column].isin(list(labels))].unique()
    ]
    if offenders:
        wanted = " and ".join(f"{column} {', '.join(labels)}" for column, labels in known.items())
        raise InputError(wanted, "other labels", "", offenders)


def _refuse_unlike(frame: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Raise unless every answer has one label for each nugget of its topic, of one importance.

    Parameters
    ----------
    frame
        The names of systems, topics and nuggets.
    rows
        Their codes, and the weights of nuggets.
    """
    again = rows.duplicated(["system", "topic", "nugget"]).to_numpy()
    if again.any():
        raise IdError("one label per answer and nugget", "some again", "", _row_ids(frame[again]))
    first = rows.groupby(["topic", "nugget"])["weight"].transform("first")
    unlike = frame[(rows["weight"] != first).to_numpy()]
    if len(unlike):
        wanted = "nuggets of one importance in all answers"
        raise IdError(wanted, f"{len(unlike)} of another", "", _row_ids(unlike))
    count = rows.groupby(["system", "topic"])["nugget"].transform("size")
    every = rows.groupby("topic")["nugget"].transform("nunique")
    short = (count < every) & ~rows.duplicated(["system", "topic"])
    if short.any():
        answers = _row_ids(frame.iloc[short.to_numpy(), :-1])
        parts = zip(answers, count[short], every[short], strict=True)
        offenders = [f"{name} has {n} of {m}" for name, n, m in parts]
        advice = "label what an answer leaves out not_support"
        raise IdError("a label for every nugget of the topic", "fewer", advice, offenders)


def _row_ids(rows: pd.DataFrame) -> list[str]:
    """Return the identifiers of some rows."""
    return [" ".join(map(str, row)) for row in rows.itertuples(index=False)]


def _scores(rows: pd.DataFrame, gain: NDArray[Any]) -> pd.DataFrame:
    """Return the scores of every answer, NaN where a topic has no nugget that counts."""
    answers, scores = [rows["system"], rows["topic"]], {}
    weight = rows["weight"]
    vital = (weight == WEIGHTS["vital"]).astype(float)
    weights = {"all": weight * 0 + 1, "vital": vital, "weighted": weight}
    for kind, gained in {"": gain, "strict_": np.floor(gain)}.items():
        for name, counted in weights.items():
            reached = (counted * gained).groupby(answers).sum()
            scores[kind + name] = reached / counted.groupby(answers).sum()
    return pd.DataFrame(scores).rename_axis(columns=words.METRIC)
