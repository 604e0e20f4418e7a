"""Which p-value no outcome could be below: that of a test, its corrections and how many topics."""

from collections.abc import Iterator

import numpy as np

from irframe.comparing.significance import Parsed, adjust_rows
from irframe.names import low_to_high
from irframe.paired import Bootstrap, MaxT, PairedT, PairedTest
from irframe.scores.scores import Scores


def least_p(test: PairedTest, topics: int) -> float:
    """Return the least p-value there is on so many topics, or clusters, without correction.

    Tests by ranks and signs are surest of differences that are all alike. Of resamples what their
    number allows is taken, which few topics may not reach.

    Examples
    --------
    >>> from irframe.paired import parse_test
    >>> least_p(parse_test("sign"), 5)
    0.0625
    """
    if isinstance(test, PairedT):
        return 0.0
    if isinstance(test, Bootstrap) or test.joint:
        return 1 / (1 + getattr(test, "samples", np.inf))
    alike = np.stack([np.ones((topics, 1)), np.zeros((topics, 1))])
    return float(np.nanmin(test.kernel(alike).decided().p, initial=1.0))


def least_adjusted(
    test: PairedTest, adjust: Parsed, topics: int, comparisons: int, alpha: float
) -> float:
    """Return the least p-value after correction, where all pairs differ as much as can be.

    Examples
    --------
    >>> from irframe.paired import parse_test
    >>> round(least_adjusted(parse_test("wilcoxon"), "holm", 10, 28, 0.05), 4)
    0.0438
    """
    p = least_p(test, topics)
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
    low, high = int(counts.min()), int(counts.max())
    for count in dict.fromkeys([high, low]):
        row, depth = np.argwhere(counts == count)[0]
        units = count if design is None else design.take(scores.scored[row, :, depth]).clusters
        p = least_adjusted(test, adjust, units, comparisons, alpha)
        if count > 1 and p >= alpha:
            topics = low_to_high(low, high) if count == high else f"{count}"
            on = f"{topics} topics" if units == count else f"{units} clusters of topics"
            of = f" of {comparisons} comparisons" if comparisons > 1 and adjust else ""
            yield f"no outcome on {on} could be significant: p{of} is at least {p:.2g}"
            return
