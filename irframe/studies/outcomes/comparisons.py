"""Comparisons of systems by their answers: which pairs, what was found, what may be claimed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import IdError, ParameterError
from irframe.inference.corrections import adjust_p, refuse_correction
from irframe.paired import all_pairs, baseline_pairs
from irframe.studies.outcomes.answers import Answers
from irframe.studies.outcomes.breakdown import P_VALUES, break_down, decide, reciprocal

OUTCOMES = ("neither", "a_only", "b_only", "both")
"""What can happen on a topic, in the order of the cases of Lin et al."""

KINDS = pd.CategoricalDtype(list(OUTCOMES), ordered=True)
MEASURES = {"ESL": "esl", "RR": "rr"}
TESTS = ("wilcoxon", "t")


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """How pairs of systems answer topics: a row per comparison, and a row per topic.

    Parameters
    ----------
    summary
        A row per comparison (and group) in the shape of the paper's Table 2; see `outcomes`.
    answers
        The ranks that were compared.
    pairs
        Positions of systems a and b in `answers`, shape (pair, 2).

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> grades = {"a": [1, 0, 0], "b": [0, 0, 1]}
    >>> runs = pd.DataFrame(
    ...     [(s, "1", f"{s}{i}" if not g else "x", -i) for s in "ab" for i, g in
    ...      enumerate(grades[s])], columns=["system", "topic", "doc", "score"])
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["x"], "grade": [1]})
    >>> found = runs.ireval.outcomes(qrels, "a", "b")
    >>> found.queries[["topic", "outcome", "rank_a", "rank_b"]]
      topic outcome  rank_a  rank_b
    0     1    both       1       3
    """

    summary: pd.DataFrame
    answers: Answers
    pairs: NDArray[np.int64]

    @cached_property
    def queries(self) -> pd.DataFrame:
        """A row per comparison and topic.

        Returns
        -------
        pandas.DataFrame
            ``system_a``, ``system_b``, the topic (and group); ``outcome``, an ordered
            categorical; ``rank_a`` and ``rank_b``, <NA> where not returned; ``esl_a`` and
            ``esl_b``, the ranks where both have an answer, else NaN; ``rr_a`` and ``rr_b``.
        """
        answers, (a, b) = self.answers, self.pairs.T
        topics = len(answers.topics)
        ranks = {"a": answers.rank[a].ravel(), "b": answers.rank[b].ravel()}
        returned = {side: rank > 0 for side, rank in ranks.items()}
        both = returned["a"] & returned["b"]
        codes = returned["a"] + np.int8(2) * returned["b"]
        frame = pd.DataFrame(
            {
                "system_a": answers.systems.take(np.repeat(a, topics)),
                "system_b": answers.systems.take(np.repeat(b, topics)),
                answers.topic_name: answers.topics.take(np.tile(np.arange(topics), len(a))),
                "outcome": pd.Categorical.from_codes(codes, dtype=KINDS),
                **{f"rank_{side}": pd.array(rank, dtype="Int32") for side, rank in ranks.items()},
                **{f"esl_{side}": np.where(both, rank, np.nan) for side, rank in ranks.items()},
                **{f"rr_{side}": reciprocal(rank) for side, rank in ranks.items()},
            }
        )
        for side, there in returned.items():
            frame[f"rank_{side}"] = frame[f"rank_{side}"].where(there)
        if answers.group is not None:
            frame.insert(0, self.summary.columns[0], np.tile(answers.group, len(a)))
        return frame

    def __repr__(self) -> str:
        topics = f"{len(self.answers.topics)} topics at depth {self.answers.depth}"
        return f"Outcomes of {len(self.pairs)} comparisons over {topics}"


@dataclass(frozen=True)
class Basis:
    """What the verdicts rest on, checked."""

    measure: str
    test: str
    alpha: float
    adjust: str | None


def basis(measure: str, test: str, alpha: float, adjust: str | None) -> Basis:
    """Check what verdicts are to rest on; arguments as for `outcomes`."""
    if measure not in MEASURES:
        raise ParameterError("measure 'ESL' or 'RR'", repr(measure))
    if test not in TESTS:
        raise ParameterError("test 'wilcoxon' or 't'", repr(test))
    if not 0 < alpha < 1:
        raise ParameterError("alpha above 0 and below 1", repr(alpha))
    refuse_correction(adjust, "depth")
    return Basis(MEASURES[measure], test, alpha, adjust)


def compare_answers(
    answers: Answers,
    a: Hashable | None,
    b: Any,
    order: Sequence[Hashable] | None,
    by: str | None,
    verdict: Basis,
) -> Outcomes:
    """Compare the pairs asked for; arguments as for `outcomes`."""
    pairs = _pairs(answers, a, b, order)
    _refuse_strangers(answers, pairs)
    labels = {f"system_{side}": answers.systems.take(pairs[:, i]) for i, side in enumerate("ab")}
    parts: list[tuple[Any, Any]] = [(None, slice(None))]
    if answers.group is not None:
        parts = [(key, np.flatnonzero(answers.group == key)) for key in pd.unique(answers.group)]
    frames = []
    for key, columns in parts:
        found = break_down(answers.rank[:, columns], pairs)
        frame = pd.DataFrame({**labels, **found, **_judged(found, verdict)})
        if order is not None:
            frame.insert(2, "best_so_far", frame["delta"] > 0)
        if by is not None:
            frame.insert(0, by, key)
        frames.append(frame.assign(n_no_relevant=answers.skipped))
    return Outcomes(pd.concat(frames, ignore_index=True), answers, pairs)


def _judged(found: dict[str, Any], verdict: Basis) -> dict[str, Any]:
    """Return adjusted p-values, the parts of the verdicts, and the verdicts."""
    columns: dict[str, Any] = {}
    deciding = found
    if verdict.adjust is not None:
        raw = np.stack([found[name] for name in P_VALUES])[:, np.newaxis]
        (adjusted,) = adjust_p([raw], verdict.adjust, family="depth", alpha=verdict.alpha)
        deciding = dict(zip(P_VALUES, adjusted[:, 0], strict=True))
        columns = {f"{name}_adjusted": p for name, p in deciding.items()}
    a, b = (found[f"{verdict.measure}_{side}"] for side in "ab")
    ahead = np.nan_to_num(np.round(a - b if verdict.measure == "esl" else b - a, 12))
    parts = {
        "answered": np.sign(found["b_only"] - found["a_only"]),
        "answered_significant": deciding["p_answered"] < verdict.alpha,
        "ranked": np.sign(ahead).astype(int),
        "ranked_significant": deciding[f"p_{verdict.measure}_{verdict.test}"] < verdict.alpha,
    }
    return columns | parts | decide(*parts.values())._asdict()


def _pairs(
    answers: Answers, a: Hashable | None, b: Any, order: Sequence[Hashable] | None
) -> NDArray[np.int64]:
    """Return positions of systems a and b for every comparison asked for."""
    if order is not None:
        if a is not None or b is not None:
            raise ParameterError("either systems a and b or an order", "both")
        return _best_so_far(answers, [answers.position(system) for system in order])
    if a is None:
        if b is not None:
            raise ParameterError("a system a for b to be compared with", "b alone")
        pairs = all_pairs(len(answers.systems))
    elif b is None:
        pairs = baseline_pairs(len(answers.systems), answers.position(a))[:, ::-1]
    else:
        others = [answers.position(system) for system in listed(b)]
        pairs = np.array([(answers.position(a), other) for other in others], np.int64)
    if not len(pairs) or (pairs[:, 0] == pairs[:, 1]).any():
        raise ParameterError("two different systems to compare", f"{a!r} and {b!r}")
    return pairs


def _best_so_far(answers: Answers, order: list[int]) -> NDArray[np.int64]:
    if len(order) < 2 or len(set(order)) < len(order):
        twice = [str(answers.systems[row]) for row in sorted(set(order)) if order.count(row) > 1]
        raise ParameterError("an order of at least two systems, each once", "another", "", twice)
    mrr = np.round([reciprocal(answers.rank[row]).mean() for row in order], 12)
    new = np.append(True, mrr[1:] > np.maximum.accumulate(mrr)[:-1])
    best = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rows = np.array(order, np.int64)
    return np.stack([rows[best[:-1]], rows[1:]], axis=1)


def listed(b: Any) -> list[Any]:
    """Return one system or several as a list."""
    return list(b) if isinstance(b, list | tuple | set | np.ndarray | pd.Index) else [b]


def _refuse_strangers(answers: Answers, pairs: NDArray[np.int64]) -> None:
    """Raise if the systems of a pair have lists for different topics altogether."""
    apart = [
        f"{answers.systems[a]} and {answers.systems[b]}"
        for a, b in pairs
        if not (answers.listed[a] & answers.listed[b]).any()
    ]
    if apart:
        wanted = "systems that have lists for the same topics"
        raise IdError(wanted, f"{len(apart)} pairs without one in common", "", apart)
