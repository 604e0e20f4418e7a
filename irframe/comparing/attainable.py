"""Which p-value no outcome could be below: that of a test, its corrections and how many topics."""

from collections.abc import Iterator

import numpy as np

from irframe.arrays import Array
from irframe.comparing.significance import Parsed, adjust_rows
from irframe.names import low_to_high
from irframe.paired import Bootstrap, MaxT, PairedT, PairedTest
from irframe.scores.scores import Scores

FEW, FEWER = 12, 8
"""Topics up to which tests of all systems at once are tried, from then on draws alone limit them;
and up to which some resamples have a single topic."""
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
    test: PairedTest, adjust: Parsed, scores: Scores, comparisons: int, alpha: float
) -> Iterator[str]:
    """Say that no outcome could be significant on the topics of scores, or on the fewest there are.

    Nothing is said of a single topic, as that is said anyhow, nor of repeats, which t alone tests.
    """
    counts, design = scores.scored.sum(axis=1), scores.design
    if isinstance(test, Bootstrap) and design is not None and design.tasks > 1:
        return  # few resamples have a single topic of each task
    low, high = int(counts.min()), int(counts.max())
    for count in dict.fromkeys([high, low]):
        row, depth = np.argwhere(counts == count)[0]
        units = count if design is None else design.take(scores.scored[row, :, depth]).clusters
        p = least_adjusted(test, adjust, len(scores.systems), units, comparisons, alpha)
        if count > 1 and p >= alpha:
            topics = low_to_high(low, high) if count == high else f"{count}"
            on = f"{topics} topics" if units == count else f"{units} clusters of topics"
            of = f" of {comparisons} comparisons" if comparisons > 1 and adjust else ""
            yield f"no outcome on {on} could be significant: p{of} is at least {p:.2g}"
            return
