"""Speed of agreement matrices, compared with a loop.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_agreement.py``. The time of the
loop is measured on a sample of the pairs, and extrapolated to all pairs.
"""

import numpy as np
import pytest
from oracles import agreement as oracle
from scipy import stats
from timed import against, mean_seconds

from irframe.agreements import RBO, RMSE, Kendall, Pearson, Spearman, TauAP

SYSTEMS = 110
SAMPLE = 300


def untied(depths):
    """Return scores without ties."""
    return np.random.default_rng(0).random((depths, SYSTEMS))


def orderings(depths):
    """Return mean scores by depth that converge, with many ties."""
    rng = np.random.default_rng(0)
    gains = rng.random((depths, SYSTEMS)) < rng.random(SYSTEMS)
    return gains.cumsum(axis=0) / np.arange(1, depths + 1)[:, None]


def race(benchmark, method, scores, function, sample=SAMPLE):
    """Time the matrix and the loop, and compare their results."""
    matrix = benchmark.pedantic(method.kernel, args=(scores, scores), rounds=5, warmup_rounds=1)
    rows = np.random.default_rng(1).integers(len(scores), size=(sample, 2))
    mean, values = mean_seconds(function, [(scores[a], scores[b]) for a, b in rows])
    np.testing.assert_allclose(matrix[rows[:, 0], rows[:, 1]], values, atol=1e-12)
    return against(benchmark, "loop", mean * matrix.size)


def rbo(ties="w"):
    """Return RBO of one pair of orderings."""

    def seen_shares(scores):
        first, last = stats.rankdata(-scores, "min"), stats.rankdata(-scores, "max")
        depth = np.arange(1, len(scores) + 1)[:, None]
        if ties == "w":
            return (first <= depth).astype(float)
        return np.clip((depth - first + 1) / (last - first + 1), 0, 1)

    def of_pair(x, y, p=0.9):
        x, y, depth = seen_shares(x), seen_shares(y), np.arange(1, len(x) + 1)
        size = x.sum(axis=1) / 2 + y.sum(axis=1) / 2
        if ties == "b":
            size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
        return (1 - p) / p * ((x * y).sum(axis=1) / size * p**depth).sum() + p ** len(x)

    return of_pair


def statistic(function):
    return lambda x, y: function(x, y).statistic


def test_kendall_thousand_depths(benchmark):
    scores = orderings(1100)[100:]
    assert race(benchmark, Kendall(), scores, statistic(stats.kendalltau)) >= 500


@pytest.mark.parametrize(
    ("method", "function"),
    [(TauAP(), oracle.tau_ap), (TauAP(symmetric=True), oracle.tau_ap_symmetric), (RBO(), rbo())],
)
def test_top_weighted_hundred_depths(benchmark, method, function):
    race(benchmark, method, untied(100), function, sample=30)
    assert benchmark.stats.stats.min < 2


@pytest.mark.parametrize(
    ("method", "function"),
    [
        (TauAP(ties="b"), oracle.tau_ap_b),
        (RBO(), rbo()),
        (RBO(ties="a"), rbo("a")),
        (RBO(ties="b"), rbo("b")),
    ],
)
def test_top_weighted_hundred_depths_with_ties(benchmark, method, function):
    race(benchmark, method, orderings(100), function, sample=10)
    assert benchmark.stats.stats.min < 2


@pytest.mark.parametrize(
    ("method", "function"),
    [
        (Spearman(), statistic(stats.spearmanr)),
        (Pearson(), statistic(stats.pearsonr)),
        (RMSE(), oracle.rmse),
        (RBO(), rbo()),
    ],
)
def test_many_depths(benchmark, method, function):
    race(benchmark, method, orderings(1100)[100:], function, sample=10)
