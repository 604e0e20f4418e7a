"""Significance on a metric against significance without one, over all pairs of systems."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements.innate import compare_rankings, count_labels
from irframe.cubes.score import score
from irframe.errors import ParameterError
from irframe.inference.matching import Matched, match_topics, refuse_alpha
from irframe.inference.verdicts import p_values
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.paired import PairedTest, all_pairs, parse_test, sign_p
from irframe.studies.orderings.orderings import PAIR, GainLike, ranking_gains

Array = NDArray[Any]

TEST, CATEGORY = "test", "category"
CATEGORIES = ("Both: Yes", "Both: No", "Metric: Yes", "Metric: No")
"""Who finds a difference significant: both metric and orderings, neither, only the metric, only
the orderings."""
CELL = (METRIC, TEST, DEPTH, PAIR)
TIE = 12
"""Decimals to which means are rounded before systems are ranked."""


def cross_check(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    test: str | PairedTest | Sequence[str | PairedTest] = "t",
    at: int | Sequence[int] | None = None,
    alpha: float = 0.05,
    gain: GainLike = "binary",
    rel: int = 1,
) -> xr.Dataset:
    """Say how often a difference is significant on a metric, and without one, over all pairs.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, of at least two systems.
    metrics
        Metrics or their names.
    test
        Paired tests of the metrics' scores, or their names, as for `compare`.
    at
        Evaluation depths of metrics and orderings, within the cube; by default its greatest.
    alpha
        Significance level of all tests, above 0 and below 1.
    gain, rel
        Gain map and lowest relevant grade of the orderings.

    Returns
    -------
    xarray.Dataset
        ``verdict`` (metric, test, depth, pair): position in the coordinate ``category``;
        ``share`` (metric, test, depth, category): the pairs in each; the p-values ``p``
        (metric, test, depth, pair) and ``p_orderings`` (depth, pair); ``rank`` (metric, depth,
        system), 1 for the best mean. The coordinates ``system_a`` and ``system_b`` name the
        pairs. Categories are ``"Both: Yes"``, ``"Both: No"``, ``"Metric: Yes"`` (only the
        metric finds the difference significant) and ``"Metric: No"`` (only the orderings do).

    Raises
    ------
    IrframeError
        As `score`, `compare` and `orderings`.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 7 and 8. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> found = cross_check(ir.cube(*ir.example_track()), "P", at=10)
    >>> found["share"].isel(metric=0, test=0, depth=0).to_series().round(3).to_dict()
    {'Both: Yes': 0.429, 'Both: No': 0.393, 'Metric: Yes': 0.179, 'Metric: No': 0.0}
    """
    refuse_alpha(alpha)
    tests = _tests(test)
    scores = score(cube, *metrics, at=cube.sizes[DEPTH] if at is None else at)
    matched = match_topics(scores)
    pairs = all_pairs(scores.sizes[SYSTEM])
    depths = scores[DEPTH].to_numpy()
    p = _p_metrics(matched, tests, pairs)
    gains = ranking_gains(cube, int(depths.max()), gain=gain, rel=rel)
    p_orderings = _p_orderings(gains, pairs, depths)
    verdict = categorise(p, p_orderings, alpha)
    share = np.stack([(verdict == code).mean(axis=-1) for code in range(4)], axis=-1)
    means = np.round(matched.means, TIE)
    better = means[..., np.newaxis, :] > means[..., np.newaxis]
    systems = scores[SYSTEM].to_numpy()
    variables = {
        "verdict": (CELL, verdict),
        "share": ((*CELL[:-1], CATEGORY), share),
        "p": (CELL, p),
        "p_orderings": ((DEPTH, PAIR), p_orderings),
        "rank": ((METRIC, DEPTH, SYSTEM), 1 + better.sum(axis=-1)),
    }
    coordinates = {
        METRIC: matched.metrics,
        TEST: [each.name for each in tests],
        DEPTH: depths,
        CATEGORY: list(CATEGORIES),
        SYSTEM: systems,
        "system_a": (PAIR, systems[pairs[:, 0]]),
        "system_b": (PAIR, systems[pairs[:, 1]]),
    }
    return xr.Dataset(variables, coordinates, {"alpha": alpha})


def _tests(test: str | PairedTest | Sequence[str | PairedTest]) -> list[PairedTest]:
    several = [test] if isinstance(test, str | PairedTest) else list(test)
    tests = [parse_test(each) for each in several]
    names = [each.name for each in tests]
    if not names or len(set(names)) < len(names):
        raise ParameterError("at least one test, each once", "otherwise", "", names)
    return tests


def _p_metrics(matched: Matched, tests: list[PairedTest], pairs: Array) -> Array:
    """Return the p-values of the metrics' scores, shape (metric, test, depth, pair)."""
    return np.stack(
        [
            [p_values(matched, row, slice(None), test=test, pairs=pairs).T for test in tests]
            for row in range(len(matched.metrics))
        ]
    )


def _p_orderings(gains: Array, pairs: Array, depths: Array) -> Array:
    """Return the p-values of the sign tests on the orderings, shape (depth, pair)."""
    counts = count_labels(compare_rankings(gains, pairs), gains.shape[-1])
    behind, ahead = counts[:, depths - 1][..., [1, 3]].astype(np.int64).T
    return sign_p(ahead, behind)


def categorise(p: Array, p_orderings: Array, alpha: float) -> NDArray[np.int8]:
    """Say who finds a difference significant.

    Parameters
    ----------
    p, p_orderings
        p-values of a metric and of the orderings, any shapes that broadcast.
    alpha
        Significance level; p must be below it.

    Returns
    -------
    numpy.ndarray
        Positions in `CATEGORIES`.

    Examples
    --------
    >>> categorise(np.array([0.01, 0.2, 0.01]), np.array([0.01, 0.2, 0.2]), 0.05).tolist()
    [0, 1, 2]
    """
    metric, orderings = np.less(p, alpha), np.less(p_orderings, alpha)
    code = np.where(metric, np.where(orderings, 0, 2), np.where(orderings, 3, 1))
    return np.asarray(code, np.int8)
