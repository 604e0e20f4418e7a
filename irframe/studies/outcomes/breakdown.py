"""Two systems compared by how they answer: counts, means, tests and verdicts, as arrays."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.paired import PairedT, RankSum, Wilcoxon, sign_p
from irframe.paired.differences import ROUNDING, ratio

BLOCK = 1 << 21
"""Ranks compared at a time, which bounds memory; at least one pair."""

P_VALUES = (
    "p_ranksum",
    "p_wilcoxon",
    "p_t",
    "p_answered",
    "p_esl_wilcoxon",
    "p_esl_t",
    "p_rr_wilcoxon",
    "p_rr_t",
)
"""The p-values of a comparison, in the order of the tables of Lin et al."""


class Verdicts(NamedTuple):
    """What may be claimed for system b over system a."""

    better: Array
    significantly_better: Array
    no_harm: Array


def claim(
    answered: Array, answered_significant: Array, ranked: Array, ranked_significant: Array
) -> Verdicts:
    """Combine who answers more with who ranks higher.

    Parameters
    ----------
    answered
        Whether b (1) or a (-1) answers more topics that the other leaves unanswered, or
        neither (0).
    answered_significant
        Whether that is significant.
    ranked
        Whether b (1) or a (-1) ranks the answers higher where both have one, or neither (0).
    ranked_significant
        Whether that is significant.

    Returns
    -------
    Verdicts
        ``better``: b is ahead in both. ``significantly_better``: and significantly so.
        ``no_harm``: b is significantly ahead in one and not significantly behind in the other.
    """
    better = (answered > 0) & (ranked > 0)
    more = (answered > 0) & answered_significant
    fewer = (answered < 0) & answered_significant
    higher = (ranked > 0) & ranked_significant
    lower = (ranked < 0) & ranked_significant
    return Verdicts(better, more & higher, (more & ~lower) | (higher & ~fewer))


def break_down(rank: NDArray[np.int32], pairs: Array) -> dict[str, Array]:
    """Describe every pair of systems, a block of pairs at a time.

    Parameters
    ----------
    rank
        Ranks of answers, 0 where there is none; shape (system, topic).
    pairs
        Positions of systems a and b, shape (pair, 2).

    Returns
    -------
    dict
        Column -> values, shape (pair,).
    """
    rr = reciprocal(rank)
    mean = rr.mean(axis=1)
    scores, (a, b) = rr[:, :, np.newaxis], pairs.T
    tests = {"ranksum": RankSum(), "wilcoxon": Wilcoxon(), "t": PairedT()}
    step = max(1, BLOCK // max(1, rank.shape[1]))
    blocks = [slice(start, start + step) for start in range(0, len(pairs), step)]
    parts = [_block(rank[a[block]], rank[b[block]]) for block in blocks]
    return {
        "n_topics": np.full(len(pairs), rank.shape[1]),
        "mrr_a": mean[a],
        "mrr_b": mean[b],
        "delta": mean[b] - mean[a],
        **{f"p_{name}": test.kernel(scores, pairs).p[:, 0] for name, test in tests.items()},
        **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]},
    }


def reciprocal(rank: NDArray[np.int32]) -> Floats:
    """Return reciprocal ranks, 0 where there is no answer."""
    return np.where(rank > 0, 1 / np.maximum(rank, 1), 0.0)


def _block(a: NDArray[np.int32], b: NDArray[np.int32]) -> dict[str, Array]:
    topics = a.shape[1]
    both = (a > 0) & (b > 0)
    a_only, b_only = ((side > 0).sum(axis=1) - both.sum(axis=1) for side in (a, b))
    shared = both.sum(axis=1)
    counts = {
        "neither": topics - shared - a_only - b_only,
        "a_only": a_only,
        "b_only": b_only,
        "both": shared,
    }
    return {
        **counts,
        **{f"share_{name}": count / topics for name, count in counts.items()},
        "p_answered": sign_p(b_only, a_only),
        **_compare_answered("esl", a.astype(np.float64), b.astype(np.float64), both),
        **_compare_answered("rr", reciprocal(a), reciprocal(b), both),
    }


def _compare_answered(name: str, a: Floats, b: Floats, both: Array) -> dict[str, Array]:
    """Compare two systems where both have an answer; other topics are set to equal scores."""
    a, b = np.where(both, a, 0), np.where(both, b, 0)
    n = both.sum(axis=1)
    some = np.where(n > 0, n, np.nan)
    return {
        f"{name}_a": a.sum(axis=1) / some,
        f"{name}_b": b.sum(axis=1) / some,
        f"p_{name}_wilcoxon": _wilcoxon(a, b),
        f"p_{name}_t": _t(a, b, both, n),
    }


def _wilcoxon(a: Floats, b: Floats) -> Floats:
    """Return p-values of signed-rank tests, which drop topics with equal scores."""
    pairs = np.arange(2 * len(a)).reshape(2, -1).T
    p: Floats = Wilcoxon().kernel(np.concatenate([a, b])[:, :, np.newaxis], pairs).p[:, 0]
    return p


def _t(a: Floats, b: Floats, both: Array, n: Array) -> Floats:
    """Return p-values of paired t-tests over the topics marked in `both`."""
    difference = b - a
    mean = difference.sum(axis=1) / np.maximum(n, 1)
    rest = np.where(both, difference - mean[:, np.newaxis], 0)
    squares = (rest**2).sum(axis=1)
    noise = ROUNDING * np.maximum(a.max(axis=1, initial=1), b.max(axis=1, initial=1))
    squares[abs(rest).max(axis=1, initial=0) <= noise] = 0
    mean[abs(mean) <= noise] = 0
    freedom = np.maximum(n - 1, 1)
    t = ratio(mean, np.sqrt(squares / freedom / np.maximum(n, 1)))
    return np.where(n > 1, 2 * scipy.special.stdtr(freedom, -abs(t)), 1.0)
