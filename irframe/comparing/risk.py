"""Risk-sensitive comparison with a baseline: URisk, TRisk and GeoRisk."""

from collections.abc import Hashable
from functools import partial

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import number
from irframe.comparing.significance import without_spread
from irframe.cubes.scores import of_topics
from irframe.cubes.verb import verb
from irframe.errors import warn
from irframe.metrics.facts import TIE
from irframe.paired.design import Design
from irframe.paired.differences import ratio
from irframe.scores.read_scores import choose_pairs, label_pairs, scores_to_compare

RISKS = ("difference", "urisk", "trisk", "georisk")
COUNTS = ("wins", "losses", "n_topics")


@verb(one_unit=True)
def risk(
    scores: xr.DataArray | pd.DataFrame, *, baseline: Hashable, a: float = 1.0
) -> pd.DataFrame:
    """Compare systems with a baseline; weight losses more than gains.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    baseline
        The system with which all other systems are compared.
    a
        Additional weight of losses, at least 0. A loss has ``1 + a`` times the weight of a gain.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and system except the baseline, with the columns

        - ``metric``, ``depth``, ``system_a`` and ``system_b`` (the baseline), as in `compare`;
        - ``difference``, the mean gain over the baseline. The gain of a worse system is negative,
          even if the metric is a cost;
        - ``urisk``, the mean gain with weighted losses;
        - ``trisk``, a t statistic, which is URisk divided by its standard error. Values below about
          -2 indicate significant losses, and values above about 2 significant gains;
        - ``georisk``, which compares the scores of a system with the scores expected from the means
          of all systems and topics, and does not use the baseline. GeoRisk is from 0 to 1 for
          scores from 0 to 1, and NaN for costs and negative scores;
        - ``wins`` and ``losses``, the numbers of topics on which the system is better and worse
          than the baseline, with differences rounded to 12 decimals;
        - ``n_topics``, the number of topics.

    Raises
    ------
    ParameterError
        If the baseline is unknown, there are fewer than two systems, or `a` is below 0.
    DepthError
        If the scores lack one of the depths.

    Warns
    -----
    IrframeWarning
        If topics are left out. For each metric and depth, only topics with scores of all systems
        are used.

    Notes
    -----
    Let d be the gains on n topics, where losses (negative gains) are multiplied by 1 + a. Then
    ``URisk = mean(d)`` and ``TRisk = URisk / (s / sqrt(n))``, where s is the standard deviation of
    d with n - 1 in the denominator. TRisk is 0 if all gains are 0, and NaN if all gains are equal,
    but not 0.

    Let x be the scores and ``e = (sum over topics) (sum over systems) / (sum of all)`` the expected
    score of a system on a topic. Then ``GeoRisk = sqrt(mean(x) Phi(ZRisk / n))``, with the normal
    distribution function Phi. ZRisk is the sum of ``(x - e) / sqrt(e)`` over topics, where values
    below 0 are multiplied by 1 + a.

    References
    ----------
    .. [1] Wang, Bennett, Collins-Thompson. Robust ranking models via risk-sensitive optimization.
       SIGIR 2012. doi:10.1145/2348283.2348385
    .. [2] Dincer, Macdonald, Ounis. Hypothesis testing for the risk-sensitive evaluation of
       retrieval systems. SIGIR 2014. doi:10.1145/2600428.2609625
    .. [3] Dincer, Macdonald, Ounis. Risk-sensitive evaluation and learning to rank using multiple
       baselines. SIGIR 2016. doi:10.1145/2911451.2911511

    Examples
    --------
    The gains are 0.2 and 0.1, and the loss of 0.1 counts three times:

    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 3 + ["ance"] * 3,
    ...         "topic": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "value": [0.2, 0.4, 0.6, 0.4, 0.5, 0.5],
    ...     }
    ... )
    >>> result = risk(scores, baseline="bm25", a=2)
    >>> result[["system_a", "difference", "urisk", "trisk", "wins", "losses"]]
      system_a  difference  urisk  trisk  wins  losses
    0     ance       0.067    0.0    0.0     2       1
    """
    number("a", a, low=0)
    paired = scores_to_compare(scores)
    pairs = choose_pairs(paired, baseline)
    compared, (row, *_) = pairs.T
    columns = []
    for metric, sign in enumerate(paired.signs):
        compute = partial(_risks, baseline=int(row), sign=sign, a=a)
        risks = paired.over(metric, slice(None), compute)
        columns.append([values[compared].T.ravel() for values in risks])
    values = map(np.concatenate, zip(*columns, strict=True))
    named = label_pairs(paired, pairs) | dict(zip((*RISKS, *COUNTS), values, strict=True))
    frame = pd.DataFrame(named).astype(dict.fromkeys(COUNTS, int))
    # the caution is about gains that could differ between topics, but are equal
    lost = frame["trisk"].isna() & (frame["n_topics"] > 1)
    warn(*without_spread(int(lost.sum()), len(lost)))
    return frame


def _risks(scores: Array, *design: Design, baseline: int, sign: int, a: float) -> tuple[Array, ...]:
    """Return the columns `RISKS` and `COUNTS`, shape (system, depth)."""
    gained = np.round(sign * (scores - scores[[baseline]]), TIE)
    weighted = _weighted(gained, a)
    urisk = of_topics(weighted, "mean", *design)
    georisk = np.full(urisk.shape, np.nan)
    if sign > 0 and not design:  # GeoRisk is not defined for weighted topics
        georisk = _georisk(scores, a)
    difference = of_topics(gained, "mean", *design)
    topics = np.full(urisk.shape, scores.shape[1])
    counts = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1), topics
    return difference, urisk, _t(weighted, *design), georisk, *counts


def _weighted(gained: Array, a: float) -> Array:
    return np.where(gained < 0, (1 + a) * gained, gained)


def _t(weighted: Array, design: Design | None = None) -> Array:
    """Return the means over topics divided by their standard errors."""
    if design is not None:
        values = np.moveaxis(weighted, 1, -1)
        estimate = design.estimate(values, abs(values).max(axis=-1))
        t = ratio(estimate.mean, np.sqrt(estimate.variance))
        return np.where(np.isinf(t), np.nan, t)
    n = weighted.shape[1]
    mean = weighted.mean(axis=1)
    if n < 2:
        return np.full(mean.shape, np.nan)
    same = (weighted == weighted[:, :1]).all(axis=1)
    error = weighted.std(axis=1, ddof=1) / np.sqrt(n)
    return np.where(same, np.where(mean == 0, 0.0, np.nan), mean / np.where(same, 1.0, error))


def _georisk(scores: Array, a: float) -> Array:
    """Return the GeoRisk of all systems."""
    total = scores.sum(axis=(0, 1))
    expected = scores.sum(axis=1, keepdims=True) * scores.sum(axis=0, keepdims=True)
    expected = expected / np.where(total > 0, total, 1.0)
    positive = expected > 0
    z = np.where(positive, scores - expected, 0.0) / np.sqrt(np.where(positive, expected, 1.0))
    # the mean is ZRisk / n, because the constant c of the paper is the number of topics n
    zrisk = _weighted(z, a).mean(axis=1)
    lowest = scores.min(axis=(0, 1))
    mean = np.maximum(scores.mean(axis=1), 0)
    return np.where(lowest < 0, np.nan, np.sqrt(mean * scipy.special.ndtr(zrisk)))
