"""Comparisons of systems by their answers: which pairs, what was found, what may be claimed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.checks import choice, level, places
from irframe.comparing.corrections import Adjust, Correction, adjust_p, parse_stepwise
from irframe.cubes.verb import against
from irframe.errors import ParameterError
from irframe.paired import all_pairs
from irframe.record import NONE
from irframe.studies.outcomes.answers import Answers
from irframe.studies.outcomes.breakdown import P_VALUES, break_down, claim, reciprocal

CASES = ("neither", "a_only", "b_only", "both")
"""What can happen on a topic, in the order of the cases of Lin et al."""

KINDS = pd.CategoricalDtype(list(CASES), ordered=True)
Measure = Literal["ESL", "RR"]
MEASURES: dict[Measure, str] = {"ESL": "esl", "RR": "rr"}
OutcomeTest = Literal["wilcoxon", "t"]
TESTS: tuple[OutcomeTest, ...] = get_args(OutcomeTest)


@dataclass(frozen=True)
class Basis:
    """What the verdicts rest on, checked."""

    measure: str
    test: OutcomeTest
    alpha: float
    adjust: Correction | None


def basis(measure: Measure, test: OutcomeTest, alpha: float, adjust: Adjust) -> Basis:
    """Check what verdicts are to rest on; arguments as for `outcomes`."""
    choice("measure", measure, tuple(MEASURES))
    choice("test", test, TESTS)
    level(alpha)
    return Basis(MEASURES[measure], test, alpha, parse_stepwise(adjust))


def compare_answers(
    answers: Answers, pairs: NDArray[np.int64], verdict: Basis, *, ordered: bool
) -> pd.DataFrame:
    """Return a row per pair, with the columns that `outcomes` describes."""
    labels = {f"system_{side}": answers.systems.take(pairs[:, i]) for i, side in enumerate("ab")}
    found = break_down(answers.rank, pairs)
    frame = pd.DataFrame({**labels, **found, **_verdicts(found, verdict)})
    if ordered:
        frame.insert(2, "best_so_far", frame["delta"] > 0)
    frame.attrs["adjust"] = verdict.adjust or NONE
    return frame.assign(n_no_relevant=answers.skipped)


def _verdicts(found: dict[str, Any], verdict: Basis) -> dict[str, Any]:
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
    return columns | parts | claim(*parts.values())._asdict()


def pairs_of(
    answers: Answers, baseline: Hashable | None, systems: Any, order: Sequence[Hashable] | None
) -> NDArray[np.int64]:
    """Return positions of systems a and b for every comparison asked for by `outcomes`."""
    if order is not None:
        if baseline is not None or systems is not None:
            raise ParameterError("either order= or baseline= and systems=", "both")
        return _best_so_far(answers, [answers.position(system) for system in order])
    labels = answers.systems.tolist()
    if baseline is not None:
        yardstick, others = against(labels, baseline, systems)
        return np.array([(yardstick, other) for other in others], np.int64)
    rows = np.arange(len(labels))
    if systems is not None:
        rows = np.array(places("systems to compare", systems, labels), np.int64)
    if len(set(rows.tolist())) < max(2, len(rows)):
        named = [repr(labels[row]) for row in rows]
        raise ParameterError("at least two systems, each once", "", "", named)
    return np.asarray(rows[all_pairs(len(rows))], np.int64)


def _best_so_far(answers: Answers, order: list[int]) -> NDArray[np.int64]:
    if len(order) < 2 or len(set(order)) < len(order):
        twice = [str(answers.systems[row]) for row in sorted(set(order)) if order.count(row) > 1]
        raise ParameterError("an order of at least two systems, each once", "another", "", twice)
    mrr = np.round([reciprocal(answers.rank[row]).mean() for row in order], 12)
    new = np.append(True, mrr[1:] > np.maximum.accumulate(mrr)[:-1])
    best = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rows = np.array(order, np.int64)
    return np.stack([rows[best[:-1]], rows[1:]], axis=1)
