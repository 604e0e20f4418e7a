"""What judgments hold of subtopics and strata, and answers scored by nuggets.

Verbs: score_nuggets.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Grades
from irframe.errors import GradeError, IdError, InputError, MetricError, warn
from irframe.experiments.coded_tables import code_systems
from irframe.files.ids import Codes, code_labels
from irframe.files.kinds import NUGGETS, require_columns
from irframe.files.repeats import fold_rows
from irframe.files.tables import columns_of
from irframe.metrics import Metric
from irframe.metrics.evidence import parameters
from irframe.metrics.facts import facts
from irframe.metrics.subtopics import ideal_gains, stretch
from irframe.record import recorded
from irframe.warned import listing


def refuse(metrics: Iterable[Metric], column: str | None) -> None:
    """Raise if a metric of subtopics meets plain judgments, or the other way round.

    Parameters
    ----------
    metrics
        The metrics.
    column
        The column that names subtopics in the qrels, None where there is none.
    """
    wrong = [str(m) for m in metrics if m.subtopics not in {None, column is not None}]
    if wrong and column is not None:
        advice = (
            f"score IA(metric={wrong[0]!r}), the mean over subtopics; or keep the best grade of "
            "each document, qrels.groupby([topic, doc])[grade].max(); or rename the column "
            f"{column!r} if it holds something else"
        )
        found = f"subtopics, for which the column {column!r} of the qrels was taken,"
        raise MetricError("judgments without subtopics for plain metrics", found, advice, wrong)
    if wrong:
        advice = (
            "call their column subtopic, intent or aspect, or read the second column of a TREC "
            "file with read_qrels(path, subtopics=True)"
        )
        raise MetricError("judgments with subtopics", "none for", advice, wrong)


def variants(metrics: Iterable[Metric]) -> list[tuple[float, int]]:
    """Return for which alpha and lowest relevant grade metrics ask for ideal rankings."""
    held = [m for m in metrics if "ideal_novelty" in parameters(type(m).kernel)]
    return sorted({(vars(metric)["alpha"], vars(metric)["rel"]) for metric in held})


def count_grades(
    grade: Grades, topic: Codes, topics: int, levels: NDArray[Any]
) -> NDArray[np.int64]:
    """Count the documents of every topic by subtopic and grade.

    Parameters
    ----------
    grade
        Grades of judged documents, shape (judged, subtopic).
    topic
        The topic of each, -1 for one that is left out.
    topics
        How many topics there are.
    levels
        The grades that occur, ascending.

    Returns
    -------
    numpy.ndarray
        Shape (topic, subtopic, level).
    """
    shape = topics, grade.shape[1], len(levels)
    row, subtopic = np.nonzero((grade != words.EMPTY) & (topic >= 0)[:, np.newaxis])
    places = topic[row], subtopic, np.searchsorted(levels, grade[row, subtopic])
    counts = np.bincount(np.ravel_multi_index(places, shape), minlength=prod(shape))
    return counts.reshape(shape)


def ideals(
    grade: Grades,
    topic: Codes,
    topics: int,
    doc: NDArray[Any],
    wanted: list[tuple[float, int]],
) -> NDArray[np.float64]:
    """Return the gains of ideal rankings, shape (topic, variant, step).

    Documents that are equally good are taken from the last name on, as `ties="trec"` ranks them.

    Parameters
    ----------
    grade, topic, topics
        As for `count_grades`.
    doc
        The name of each judged document.
    wanted
        What `variants` gives.
    """
    by_variant = []
    for alpha, rel in wanted:
        rows = np.flatnonzero((grade >= rel).any(axis=1) & (topic >= 0))
        rows = rows[np.argsort(doc[rows].astype(str), kind="stable")[::-1]]
        by_variant.append(ideal_gains(grade[rows] >= rel, topic[rows], topics, alpha))
    longest = max((gains.shape[1] for gains in by_variant), default=0)
    whole = [stretch(gains, longest) for gains in by_variant]
    return np.stack(whole, axis=1) if whole else np.zeros((topics, 0, 0))


def reads_strata(metrics: Iterable[Metric]) -> bool:
    """Return whether a metric reads strata."""
    return any("strata" in parameters(type(metric).kernel) for metric in metrics)


def tell_sampled(
    metrics: Iterable[Metric], grade: NDArray[Any], probability: NDArray[np.float64] | None
) -> None:
    """Warn of metrics that take what was not drawn to be judged for not relevant.

    Parameters
    ----------
    metrics
        The metrics asked for.
    grade, probability
        Of every document of recall bases that have strata or probabilities, below 0 and less than
        1 where documents were not drawn, or might not have been.
    """
    drawn = np.ones(1) if probability is None else probability
    if not ((grade < 0) & (grade > words.EMPTY)).any() and not (drawn < 1).any():
        return
    misled = []
    for metric in metrics:  # those that infer, read the judged alone, or only count, are not
        known = facts(metric)
        inferred = metric.judged_only or reads_strata([metric]) or known.summary == "sum"
        if not inferred and known.order not in {"preference", "judged"}:
            misled.append(str(metric))
    if misled:
        warn(
            "a sample of the pool was judged, and the rest is not relevant to "
            f"{listing(misled)}; infAP and infNDCG, and estimate for P, DCG and RBP, infer from "
            "samples"
        )


def strata_of(
    label: NDArray[Any],
    grade: Grades,
    topic: Codes,
    topics: pd.Index,
    levels: NDArray[Any],
    *,
    complete: bool = False,
) -> dict[str, Any]:
    """Return the fields of an `irframe.metrics.Block` that say which strata a pool has.

    Parameters
    ----------
    label, grade, topic
        Of every judged document its stratum, its grade and its topic, -1 for one left out.
    topics
        The topics.
    levels
        The grades that occur, ascending.
    complete
        Whether to refuse strata of which no document was judged, instead of a warning.

    Returns
    -------
    dict
        ``stratum`` (judged,), numbered in every topic, and ``stratum_count`` (topic, stratum,
        level).

    Raises
    ------
    GradeError
        If no document of a stratum was judged, where that is refused.
    """
    code, labels = pd.factorize(label, sort=True)  # the order in which sample_eval.pl sums
    inside = np.flatnonzero((grade != words.EMPTY) & (topic >= 0))
    rows = pd.DataFrame({"topic": topic[inside], "code": code[inside]})
    place = np.full(len(grade), -1, np.int32)
    place[inside] = rows.groupby("topic")["code"].rank("dense") - 1
    count = np.zeros((len(topics), int(place.max(initial=0)) + 1, len(levels)), np.int64)
    where = topic[inside], place[inside]
    np.add.at(count, (*where, np.searchsorted(levels, grade[inside])), 1)
    lacking = rows[count[..., levels >= 0].sum(axis=-1)[where] == 0].drop_duplicates()
    pairs = lacking.sort_values(["topic", "code"]).itertuples(index=False)
    named = [f"{labels[code]} of topic {topics[topic]}" for topic, code in pairs]
    if named and complete:
        wanted, found = "a judged document in every stratum", f"{len(named)} strata without"
        advice = "judge some of it, give it the stratum of others, or leave its documents out"
        raise GradeError(wanted, found, advice, named)
    if named:
        warn(
            "infAP and infNDCG leave out strata of which nothing was judged, in "
            f"{lacking['topic'].nunique()} topics: {listing(named)}"
        )
    return {"stratum": place, "stratum_count": count}


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
