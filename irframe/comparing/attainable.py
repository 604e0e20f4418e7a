"""Which p-value no outcome could be below: that of a test, its corrections and how many topics."""

from collections.abc import Iterator

import numpy as np

from irframe.arrays import Array
from irframe.comparing.corrections import Parsed, adjust_rows
from irframe.cubes.scores import Scores
from irframe.names import low_to_high
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

FEW, FEWER = 12, 8
"""Topics up to which tests of all systems at once are tried, from then on draws alone limit them;
and up to which some resamples have a single topic."""
NORMAL = 13
"""Differences other than 0 from which on Wilcoxon's normal approximation is not warned of."""
STEP = 2**-10
"""By how much the differences of an outcome grow, in units of the least."""


def least_p(test: PairedTest, systems: int, topics: int) -> float:
    """Return the least p-value there is on so many topics, or clusters, without correction.

    Examples
    --------
    >>> from irframe.paired import parse_test
    >>> least_p(parse_test("sign"), 2, 5)
    0.0625
    """
    if isinstance(test, PairedT):
        return 0.0
    if test.joint and topics > FEW:
        return 1 / (1 + getattr(test, "samples", np.inf))
    places = np.arange(float(systems if test.joint else 2))
    p = test.kernel(places[:, np.newaxis, np.newaxis] * _surest(topics)).decided().p
    return float(np.nanmin(p, initial=1.0))


def _surest(topics: int) -> Array:
    """Return differences all in one direction, (topic, outcome): alike, and of little spread.

    Tests by ranks are surest of the former, the bootstrap of the latter, and the more so where one
    topic is as the mean: a resample of it alone says nothing against the difference.
    """
    off = np.arange(topics) - (topics - 1) / 2
    if topics % 2 == 0 and topics >= 4:
        pairs = np.arange(4, 2 + topics // 2)
        off = np.concatenate([[0, 1, 2, -3], pairs, -pairs])
    turns = topics if topics <= FEWER else 1
    return np.stack([np.ones(topics), *(1 + STEP * np.roll(off, n) for n in range(turns))], axis=1)


def least_adjusted(
    test: PairedTest, adjust: Parsed, systems: int, topics: int, comparisons: int, alpha: float
) -> float:
    """Return the least p-value after correction, where all pairs differ as much as can be.

    Examples
    --------
    >>> from irframe.paired import parse_test
    >>> round(least_adjusted(parse_test("wilcoxon"), "holm", 8, 10, 28, 0.05), 4)
    0.0438
    """
    p = least_p(test, systems, topics)
    if isinstance(adjust, MaxT):
        drawn = np.arange(2) * np.ones((topics, 1))
        return max(p, float(adjust.kernel(drawn, np.array([[0, 1]])).min()))
    if not p or adjust is None:
        return p
    return float(adjust_rows(np.full(comparisons, p), adjust, alpha).min())


def beware_of_least(
    test: PairedTest, adjust: Parsed, scores: Scores, pairs: Array, comparisons: int, alpha: float
) -> Iterator[str]:
    """Warn if no outcome could be significant, or if too few differences are not 0.

    On the topics of scores, or on the fewest that there are. Of a single topic other messages warn,
    and with repeats t is the only test. Tests that drop differences of 0 count the others.
    """
    counts, design = scores.scored.sum(axis=1), scores.design
    if isinstance(test, Bootstrap) and design is not None and design.tasks > 1:
        return  # few resamples have a single topic of each task
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
    for count in dict.fromkeys([high, low]):
        if count < 2:
            return
        units = count
        if design is not None:
            row, depth = np.argwhere(counts == count)[0]
            units = design.take(scores.scored[row, :, depth]).clusters
        p = least_adjusted(test, adjust, len(scores.systems), units, comparisons, alpha)
        if p >= alpha:
            number = low_to_high(low, high) if count == high else f"{count}"
            dropped = dropping and low < counts.min()
            on = f"at most {count} differences that are not 0" if dropped else f"{number} topics"
            on = on if units == count else f"{units} clusters of topics"
            of = f" of {comparisons} comparisons" if comparisons > 1 and adjust else ""
            yield f"no outcome on {on} could be significant: p{of} is at least {p:.2g}"
            return


def _nonzero(scores: Scores, pairs: Array) -> Array:
    """Return how many differences of each pair are not 0, (metric, depth, pair)."""

    def count(values: Array, *_: Design) -> tuple[Array]:
        found = describe_differences(values, pairs)
        return (found.wins + found.losses,)

    return scores.over_all(len(pairs), count, given=True)[0]
