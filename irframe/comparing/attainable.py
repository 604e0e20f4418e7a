"""Smallest attainable p-values of tests on few topics."""

from collections.abc import Iterator

import numpy as np

from irframe.arrays import Array, low_to_high
from irframe.comparing.corrections import adjust_rows
from irframe.comparing.significance import Pairing
from irframe.cubes.scores import Scores
from irframe.paired import (
    Bootstrap,
    MaxT,
    PairedT,
    PairedTest,
    Sign,
    Wilcoxon,
    describe_differences,
)
from irframe.paired.design import Design

FEW = 12
"""Maximum number of topics for which a test of all pairs at once is run on simulated extreme
scores.

With more topics, the smallest p-value of such a test depends only on its number of samples.
"""
FEWER = 8
"""Maximum number of topics for which bootstrap samples that repeat a single topic are
considered."""
NORMAL = 13
"""Minimum number of non-zero differences for Wilcoxon's normal approximation."""
STEP = 2**-10
"""Step between the simulated differences of consecutive topics, relative to their mean."""


def least_p(test: PairedTest, systems: int, topics: int) -> float:
    """Return the smallest possible uncorrected p-value with `topics` topics.

    Examples
    --------
    >>> from irframe.paired import Sign
    >>> least_p(Sign(), 2, 5)
    0.0625
    """
    if isinstance(test, PairedT):
        return 0.0
    if test.joint and topics > FEW:
        return 1 / (1 + getattr(test, "samples", np.inf))
    means = np.arange(float(systems if test.joint else 2))
    # systems with equally spaced means and extreme differences have the smallest p-values
    p = test.kernel(means[:, np.newaxis, np.newaxis] * _extreme(topics)).decided().p
    return float(np.nanmin(p, initial=1.0))


def _extreme(topics: int) -> Array:
    """Return differences with the smallest possible p-values, shape (topic, outcome).

    An outcome consists of one positive difference per topic. In the first outcome all differences
    are equal, which minimises the p-values of rank tests. In all further outcomes the differences
    vary a little, which minimises the p-value of the bootstrap test. One topic has exactly the mean
    difference. A bootstrap sample of this topic alone then has the statistic 0, and does not
    increase the p-value.
    """
    deviations = np.arange(topics) - (topics - 1) / 2
    if topics % 2 == 0 and topics >= 4:
        pairs = np.arange(4, 2 + topics // 2)
        deviations = np.concatenate([[0, 1, 2, -3], pairs, -pairs])
    shifts = range(topics if topics <= FEWER else 1)
    varied = [1 + STEP * np.roll(deviations, shift) for shift in shifts]
    return np.stack([np.ones(topics), *varied], axis=1)


def least_adjusted(pairing: Pairing, systems: int, topics: int, comparisons: int) -> float:
    """Return the smallest possible corrected p-value with `topics` topics.

    Examples
    --------
    >>> round(least_adjusted(Pairing("wilcoxon"), 8, 10, 28), 4)
    0.0438
    """
    adjust = pairing.adjust
    p = least_p(pairing.test, systems, topics)
    if isinstance(adjust, MaxT):
        # constant differences have the largest |t|, which a draw reaches only if all signs are
        # equal
        drawn = np.arange(2) * np.ones((topics, 1))
        return max(p, float(adjust.kernel(drawn, np.array([[0, 1]])).min()))
    if not p or adjust is None:
        return p
    # corrections of the false discovery rate are mildest if all comparisons have the smallest p
    return float(adjust_rows(np.full(comparisons, p), adjust, pairing.alpha).min())


def beware_of_least(
    pairing: Pairing, scores: Scores, pairs: Array, comparisons: int
) -> Iterator[str]:
    """Yield cautions about tests with too few topics.

    The first caution is about Wilcoxon's normal approximation. The second caution is about
    comparisons with so few topics that no outcome could be significant. The largest and the
    smallest number of topics of any comparison are checked. For tests that drop differences of 0,
    only topics with non-zero differences are counted. Comparisons on a single topic are skipped,
    because `without_spread` already returns a caution about them.
    """
    test = pairing.test
    counts = scores.scored.sum(axis=1)
    design = scores.design
    if isinstance(test, Bootstrap) and design is not None and design.tasks > 1:
        return  # with several tasks, few bootstrap samples repeat one topic in every task
    dropping = isinstance(test, Wilcoxon | Sign)
    nonzero = _nonzero(scores, pairs) if dropping else counts
    few = (nonzero > 0) & (nonzero < NORMAL)
    if isinstance(test, Wilcoxon) and not test.exact and few.any():
        yield (
            f"the normal approximation of Wilcoxon's test is rough with fewer than {NORMAL} "
            f"differences that are not 0, as in {few.sum()} of {few.size} comparisons: "
            "use irframe.paired.Wilcoxon(exact=True)"
        )
    high = int(nonzero.max(initial=0))
    low = int(nonzero.min(initial=high))
    # if the largest number of topics is too small, so is the smallest, and one caution suffices
    for count in dict.fromkeys([high, low]):
        if count < 2:
            return
        units = count
        if design is not None:
            row, depth = np.argwhere(counts == count)[0]
            units = design.take(scores.scored[row, :, depth]).clusters
        p = least_adjusted(pairing, len(scores.systems), units, comparisons)
        if p >= pairing.alpha:
            number = low_to_high([low, high]) if count == high else f"{count}"
            dropped = dropping and low < counts.min()
            on = f"at most {count} differences that are not 0" if dropped else f"{number} topics"
            on = on if units == count else f"{units} clusters of topics"
            of = f" of {comparisons} comparisons" if comparisons > 1 and pairing.adjust else ""
            yield f"no outcome on {on} could be significant: p{of} is at least {p:.2g}"
            return


def _nonzero(scores: Scores, pairs: Array) -> Array:
    """Return the number of non-zero differences, shape (metric, depth, pair)."""

    def count(values: Array, *_: Design) -> tuple[Array]:
        described = describe_differences(values, pairs)
        return (described.wins + described.losses,)

    return scores.over_all(len(pairs), count, on_terms=True)[0]
