"""What `pool_curves` draws, and what goes with it.

What `budget_curves` draws; What `robustness_curves` draws.
"""

import matplotlib.pyplot as plt
import numpy as np
from drawn import legend
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.pool_curves import pool_curves


def test_curves_of_pools(cube):
    growth = cube.ireval.pool_growth()
    left, right = growth.ireval.plot.pool_curves()
    np.testing.assert_allclose(left.lines[0].get_ydata(), growth.relevant)
    np.testing.assert_allclose(right.lines[0].get_ydata(), growth.rate)
    assert left.get_legend() is None
    several = pool_curves({"all": growth, "part": growth.sel(depth=[2, 4])})
    assert [len(pane.lines) for pane in several] == [2, 2]
    assert legend(several[1]) == ["all", "part"]
    given = plt.subplots(1, 2)[1]
    assert list(pool_curves(growth, ax=given)) == list(given)


def test_curves_of_budgets(cube):
    replayed = cube.ireval.replay(["mtf", "leverage"], [2, 8], "AP", "P", samples=2)
    ax = replayed.ireval.plot.budget_curves(metric="P")
    expected = 100 * replayed["kept"].sel(metric="P").to_numpy()
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], expected)
    assert [line.get_label() for line in ax.lines] == ["mtf", "leverage"]
    assert len(ax.collections) == 2
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "8"]
    found = replayed.ireval.plot.budget_curves("found", ax=plt.subplots()[1])
    np.testing.assert_allclose(found.lines[0].get_ydata(), replayed["found"][0])
    refused(ParameterError, "metric= to be one of", replayed.ireval.plot.budget_curves)
    draw = replayed.ireval.plot.budget_curves
    refused(ParameterError, "value to be one of", draw, "cost", metric="P")
    refused(InputError, "what replay gives", lambda: ir.plots.budget_curves(cube))


def test_curves_of_samples(cube):
    tau = cube.ireval.robustness("AP", "Bpref", shares=[0.1, 0.5], seeds=3)
    ax = tau.ireval.plot.robustness_curves()
    line = ax.lines[1]
    assert line.get_xdata().tolist() == [1, 0.5, 0.1]
    expected = [1, *tau.sel(metric="AP").mean("seed").squeeze().sel(share=[0.5, 0.1]).values]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert legend(ax) == ["AP", "Bpref"]
    assert "Kendall's tau" in ax.get_ylabel()
    tied = tau.where(tau > 2).ireval.plot.robustness_curves()
    assert np.isnan(tied.lines[1].get_ydata()).all()
    whole = cube.ireval.robustness("AP", shares=[1, 0.3], seeds=2, method="rbo", at=[5, 9])
    ax = whole.ireval.plot.robustness_curves(depth=9)
    assert ax.lines[1].get_xdata().tolist() == [1, 0.3]
    assert "rank-biased overlap" in ax.get_ylabel()
