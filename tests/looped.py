"""Random scores, and loops over metrics and depths."""

import numpy as np
import xarray as xr
from oracles import comparing
from scipy import stats

import irframe as ir

ALPHA = 0.2


def t_test(a, b):
    return stats.ttest_rel(a, b).pvalue if np.ptp(np.subtract(a, b)) else float(a[0] == b[0])


def random_scores(seed, *, metrics=("AP", "ASL"), systems=6, topics=7, depths=4, holes=False):
    rng = np.random.default_rng(seed)
    skill = rng.random((len(metrics), systems, 1, 1))
    values = (skill + rng.random((len(metrics), systems, topics, depths))).round(1)
    if holes:
        values[0, 1, 2, :2] = values[1, 3, 4, :] = np.nan
    return xr.DataArray(
        values,
        {
            "metric": list(metrics),
            "system": [f"s{n}" for n in range(systems)],
            "topic": np.arange(topics),
            "depth": [1, 5, 10, 20][:depths],
        },
        ("metric", "system", "topic", "depth"),
    )


def rows(scores, metric, depth):
    values = scores.isel(metric=metric, depth=depth).to_numpy()
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def looped(scores, function):
    shape = scores.sizes["metric"], scores.sizes["depth"]
    return np.array([[function(m, k) for k in range(shape[1])] for m in range(shape[0])])


def check_against_loop(scores, verb, reference, where):
    """Compare coverage or inversions with a loop over pairs.

    The function `where` takes the positions of a metric and a depth. It returns a tuple of the
    reference scores, the position of the reference metric and the position of the reference depth.
    """
    function = getattr(comparing, verb)

    def value(metric, depth):
        reference_scores, row, column = where(metric, depth)
        costs = metric == 1, row == 1
        tested, compared = rows(scores, metric, depth), rows(reference_scores, row, column)
        common_rows = comparing.common(tested + compared)
        sides = common_rows[: len(tested)], common_rows[len(tested) :]
        return function(*sides, t_test, ALPHA, costs=costs)

    result = getattr(scores.ireval, verb)(reference, ir.Significance("t", adjust=None, alpha=ALPHA))
    np.testing.assert_allclose(result, looped(scores, value))
