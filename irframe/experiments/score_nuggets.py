"""Answers scored by the nuggets of information that they contain."""

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import choice
from irframe.errors import IdError, InputError
from irframe.files.as_runs import ONLY_SYSTEM
from irframe.files.foreign import columns_of
from irframe.files.formats import NUGGETS
from irframe.files.ids import Codes, code_labels, repeated
from irframe.files.role_columns import require_columns
from irframe.names import ASSIGNMENT, IMPORTANCE, METRIC, METRICS, NUGGET, RESULT, SYSTEM, TOPIC
from irframe.record import recorded

SUPPORT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""What an answer gains by its nuggets."""
WEIGHTS = {"vital": 1.0, "okay": 0.5}
"""What nuggets weigh."""


@recorded
def score_nuggets(nuggets: pd.DataFrame | object, *, no_vital: str | None = None) -> pd.DataFrame:
    """Score answers by the nuggets that they contain, as the TREC RAG track does.

    Parameters
    ----------
    nuggets
        A row for every answer and nugget: the system, if there are several; the topic; the nugget;
        its ``importance``, ``vital`` or ``okay``; and its ``assignment``, ``support``,
        ``partial_support`` or ``not_support``. Columns may have any of their usual names, such as
        ``run_id``, ``qid`` and ``text``, which ``pandas.json_normalize(records, "nuggets",
        ["run_id", "qid"])`` makes of the records of nuggetizer. An answer needs a label for every
        nugget of its topic.
    no_vital
        ``"nan"``: where a topic has no vital nugget, scores of these are NaN; by default 0.

    Returns
    -------
    pandas.DataFrame
        Index (system, topic), named as in the caller's frame, a row for every answer, and the
        scores from 0 to 1

        - ``all``, the share of the nuggets that the answer supports, one half for partial support;
        - ``vital``, the same of vital nuggets alone;
        - ``weighted``, the same of all, an okay nugget weighing half a vital one;
        - ``strict_all``, ``strict_vital``, ``strict_weighted``, where partial support is none.

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
    choice("no_vital", "zero" if no_vital is None else no_vital, ("nan", "zero"))
    table = columns_of(nuggets)
    frame: Any = nuggets if table is None else table
    columns = require_columns(frame, NUGGETS)
    known = {IMPORTANCE: WEIGHTS, ASSIGNMENT: SUPPORT}
    _refuse_labels(frame, {columns[role]: labels for role, labels in known.items()})
    weight, gain = (frame[columns[role]].map(known[role]).to_numpy(float) for role in known)
    if SYSTEM in columns:
        system, systems = code_labels(frame[columns[SYSTEM]], SYSTEM)
    else:
        system, systems = np.zeros(len(frame), np.int32), pd.Index([ONLY_SYSTEM])
    topic, topics = code_labels(frame[columns[TOPIC]], TOPIC)
    nugget = _distinct(topic, frame[columns[NUGGET]])
    there, answer = np.unique(system.astype(np.int64) * len(topics) + topic, return_inverse=True)
    told = [columns[role] for role in (SYSTEM, TOPIC, NUGGET) if role in columns]
    _refuse_unlike(frame[told], nugget, answer, topic, weight)
    scores = _scores(answer, weight, gain, no_vital)
    names = [columns.get(role, role) for role in (SYSTEM, TOPIC)]
    sides = systems.take(there // len(topics)), topics.take(there % len(topics))
    index = pd.MultiIndex.from_arrays(sides, names=names)
    result = pd.DataFrame(scores, index, pd.Index(list(scores), name=METRIC))
    result.attrs = {RESULT: "score_nuggets", METRICS: list(scores)}
    return result


def _refuse_labels(frame: pd.DataFrame, known: Mapping[Hashable, Collection[str]]) -> None:
    """Raise for labels that mean nothing, listing them with their column."""
    strange = {
        column: frame[column][~frame[column].isin(list(labels))].unique()
        for column, labels in known.items()
    }
    offenders = [f"{label!r} in {column!r}" for column in strange for label in strange[column]]
    if offenders:
        wanted = " and ".join(f"{column} {', '.join(labels)}" for column, labels in known.items())
        raise InputError(wanted, "other labels", "", offenders)


def _distinct(topic: Codes, nugget: pd.Series) -> Codes:
    """Return a number for every nugget of every topic."""
    code, labels = code_labels(nugget, NUGGET)
    _, number = np.unique(topic.astype(np.int64) * len(labels) + code, return_inverse=True)
    return np.asarray(number)


def _refuse_unlike(
    frame: pd.DataFrame, nugget: Codes, answer: Codes, topic: Codes, weight: NDArray[Any]
) -> None:
    """Raise unless every answer has one label for each nugget of its topic, of one importance."""
    again = repeated(answer * (1 + nugget.max()) + nugget)
    if len(again):
        raise IdError("one label per answer and nugget", "some again", "", _told(frame, again))
    first = np.unique(nugget, return_index=True)[1]
    unlike = np.flatnonzero(weight != weight[first][nugget])
    if len(unlike):
        wanted = "nuggets of one importance in all answers"
        raise IdError(wanted, f"{len(unlike)} of another", "", _told(frame, unlike))
    wanted_of = np.bincount(topic[first])[topic]
    lacking = np.flatnonzero(np.bincount(answer)[answer] < wanted_of)
    short = lacking[np.unique(answer[lacking], return_index=True)[1]]
    if len(short):
        counts = zip(
            _told(frame.iloc[:, :-1], short), np.bincount(answer)[answer[short]], strict=True
        )
        offenders = [
            f"{name} has {n} of {m}" for (name, n), m in zip(counts, wanted_of[short], strict=True)
        ]
        advice = "label what an answer leaves out not_support"
        raise IdError("a label for every nugget of the topic", "fewer", advice, offenders)


def _told(frame: pd.DataFrame, rows: Codes) -> list[str]:
    """Return the identifiers of some rows."""
    return [" ".join(map(str, row)) for row in frame.iloc[rows].itertuples(index=False)]


def _scores(
    answer: Codes, weight: NDArray[Any], gain: NDArray[Any], no_vital: str | None
) -> dict[str, NDArray[Any]]:
    """Return the scores of every answer by name."""
    vital = (weight == WEIGHTS["vital"]).astype(float)
    found = {}
    for kind, gained in {"": gain, "strict_": np.floor(gain)}.items():
        for name, counted in {
            "all": np.ones(len(gain)),
            "vital": vital,
            "weighted": weight,
        }.items():
            total = np.bincount(answer, counted)
            barren = np.full(len(total), np.nan if no_vital == "nan" else 0.0)
            reached = np.bincount(answer, counted * gained)
            found[kind + name] = np.divide(reached, total, out=barren, where=total > 0)
    return found
