"""What `robustness_curves` draws."""

import numpy as np
import pytest

import irframe as ir


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_curves_of_samples(cube):
    tau = cube.ireval.robustness("AP", "Bpref", shares=[0.1, 0.5], seeds=3)
    ax = tau.ireval.plot.robustness_curves()
    line = ax.lines[1]
    assert line.get_xdata().tolist() == [1, 0.5, 0.1]
    expected = [1, *tau.sel(metric="AP").mean("seed").squeeze().sel(share=[0.5, 0.1]).values]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert legend(ax) == ["AP", "Bpref"]
    assert "Kendall's tau" in ax.get_ylabel()
    whole = cube.ireval.robustness("AP", shares=[1, 0.3], seeds=2, method="rbo", at=[5, 9])
    ax = whole.ireval.plot.robustness_curves(depth=9)
    assert ax.lines[1].get_xdata().tolist() == [1, 0.3]
    assert "rank-biased overlap" in ax.get_ylabel()
