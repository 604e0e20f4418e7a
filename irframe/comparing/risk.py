"""What losses against a baseline weigh."""

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
    scores: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable,
    a: float = 1.0,
) -> pd.DataFrame:
    """Say how every system does against a baseline if losses weigh more than gains.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    baseline
        The system that the others put at risk.
    a
        How much more a loss weighs than a gain, at least 0: ``1 + a`` times as much.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and system other than the baseline, with the columns ``metric``,
        ``depth``, ``system_a`` and the baseline ``system_b``, as of `compare`, and

        - ``difference``, the mean gain over the baseline, which is URisk with a = 0; below 0 is
          worse, also for a cost;
        - ``urisk``, the same with losses weighted;
        - ``trisk``, URisk in units of its standard error: a Student's t, so that values below -2
          or so say that the risk is no chance, above 2 that the gain is none;
        - ``georisk``, 0 to 1 for scores in that range, with no baseline but what all systems
          together do on a topic; NaN for costs and where there are scores below 0;
        - ``wins``, ``losses`` and ``n_topics``: topics on which a system does better and worse
          than the baseline, differences rounded to 12 decimals, and all.

    Raises
    ------
    ParameterError
        For an unknown baseline, fewer than two systems, or an `a` below 0.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it.

    Notes
    -----
    With d the differences on n topics, those below 0 times 1 + a: ``URisk = mean(d)``,
    ``TRisk = URisk / (s / sqrt(n))``, s the standard deviation of these with n - 1; 0 where all
    differences are 0, NaN where all are the same. With x the scores of the systems and
    ``e = (sum over topics) (sum over systems) / (sum of all)`` what to expect of a system on a
    topic: ``GeoRisk = sqrt(mean(x) Phi(ZRisk / n))``, ZRisk adding up ``(x - e) / sqrt(e)`` over
    topics, those below 0 times 1 + a, and Phi the normal distribution function.

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
    Gains of 0.2 and 0.1, and a loss of 0.1 that counts three times:

    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 3 + ["ance"] * 3,
    ...         "topic": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "value": [0.2, 0.4, 0.6, 0.4, 0.5, 0.5],
    ...     }
    ... )
    >>> found = risk(scores, baseline="bm25", a=2)
    >>> found[["system_a", "difference", "urisk", "trisk", "wins", "losses"]]
      system_a  difference  urisk  trisk  wins  losses
    0     ance       0.067    0.0    0.0     2       1
    """
    number("a", a, low=0)
    paired = scores_to_compare(scores)
    pairs = choose_pairs(paired, baseline)
    others, (row, *_) = pairs.T
    columns = []
    for metric, sign in enumerate(paired.signs):
        compute = partial(_risks, baseline=int(row), sign=sign, a=a)
        risks = paired.over(metric, slice(None), compute)
        columns.append([values[others].T.ravel() for values in risks])
    values = map(np.concatenate, zip(*columns, strict=True))
    named = label_pairs(paired, pairs) | dict(zip((*RISKS, *COUNTS), values, strict=True))
    frame = pd.DataFrame(named).astype(dict.fromkeys(COUNTS, int))
    lost = frame["trisk"].isna() & (frame["n_topics"] > 1)  # of one topic all verbs say so
    warn(*without_spread(int(lost.sum()), len(lost)))
    return frame


def _risks(scores: Array, *design: Design, baseline: int, sign: int, a: float) -> tuple[Array, ...]:
    """Return what `RISKS` and `COUNTS` name, shape (system, depth) each."""
    n = scores.shape[1]
    gained = np.round(sign * (scores - scores[[baseline]]), TIE)
    weighted = _weighted(gained, a)
    urisk, trisk = of_topics(weighted, "mean", *design), _t(weighted, *design)
    wins, losses = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1)
    georisk = np.full(urisk.shape, np.nan)
    if sign > 0 and not design:  # which is of sums over topics
        georisk = _georisk(scores, a)
    difference = of_topics(gained, "mean", *design)
    return difference, urisk, trisk, georisk, wins, losses, np.full(wins.shape, n)


def _weighted(gained: Array, a: float) -> Array:
    return np.where(gained < 0, (1 + a) * gained, gained)


def _t(weighted: Array, design: Design | None = None) -> Array:
    """Return means in units of their standard error, over topics."""
    if design is not None:
        values = np.moveaxis(weighted, 1, -1)
        found = design.sure(values, abs(values).max(axis=-1))
        t = ratio(found.mean, np.sqrt(found.variance))
        return np.where(np.isinf(t), np.nan, t)
    n, mean = weighted.shape[1], weighted.mean(axis=1)
    if n < 2:
        return np.full(mean.shape, np.nan)
    same = (weighted == weighted[:, :1]).all(axis=1)
    error = weighted.std(axis=1, ddof=1) / np.sqrt(n)
    return np.where(same, np.where(mean == 0, 0.0, np.nan), mean / np.where(same, 1.0, error))


def _georisk(scores: Array, a: float) -> Array:
    """Return GeoRisk of systems, from the scores of all of them."""
    total = scores.sum(axis=(0, 1))
    expected = scores.sum(axis=1, keepdims=True) * scores.sum(axis=0, keepdims=True)
    expected = expected / np.where(total > 0, total, 1.0)
    there = expected > 0
    z = np.where(there, scores - expected, 0.0) / np.sqrt(np.where(there, expected, 1.0))
    zrisk = _weighted(z, a).mean(axis=1)
    lowest = scores.min(axis=(0, 1))
    mean = np.maximum(scores.mean(axis=1), 0)
    return np.where(lowest < 0, np.nan, np.sqrt(mean * scipy.special.ndtr(zrisk)))
