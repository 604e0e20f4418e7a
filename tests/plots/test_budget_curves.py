"""What `budget_curves` draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


def test_curves_of_budgets():
    cube = ir.cube(*ir.example_track())
    replayed = cube.ireval.replay(["mtf", "leverage"], [2, 8], "AP", "P", samples=2)
    ax = replayed.ireval.plot.budget_curves(metric="P")
    expected = 100 * replayed["kept"].sel(metric="P").to_numpy()
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], expected)
    assert [line.get_label() for line in ax.lines] == ["mtf", "leverage"]
    assert len(ax.collections) == 2
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["2", "8"]
    found = replayed.ireval.plot.budget_curves("found", ax=plt.subplots()[1])
    np.testing.assert_allclose(found.lines[0].get_ydata(), replayed["found"][0])
    with pytest.raises(ParameterError, match="metric= to be one of"):
        replayed.ireval.plot.budget_curves()
    with pytest.raises(ParameterError, match="value to be one of"):
        replayed.ireval.plot.budget_curves("cost", metric="P")
    with pytest.raises(InputError, match="what replay gives"):
        ir.plots.budget_curves(cube)
