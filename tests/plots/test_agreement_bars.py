"""What `agreement_bars` draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.agreement_map import agreement_bars


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module")
def checked(cube):
    return cube.ireval.significance_agreement("P", "AP", test=["t", "sign"], at=[5, 10])


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_bars(checked):
    ax = checked.ireval.plot.agreement_bars(test="sign")
    assert len(ax.patches) == 2 * 2 * 4
    heights = [patch.get_height() for patch in ax.patches]
    shares = checked["share"].sel(test="sign").transpose("category", "metric", "depth")
    np.testing.assert_allclose(heights, shares[:4].to_numpy().ravel())
    opposed = checked.assign(share=checked["share"] * 0, verdict=checked["verdict"] * 0 + 4)
    assert len(opposed.ireval.plot.agreement_bars(test="t").patches) == 2 * 2 * 5
    assert texts(ax) == ["P", "AP"]
    with pytest.raises(ParameterError, match=r"none chosen: t, sign"):
        agreement_bars(checked)


def test_axes_given_are_used(checked):
    ax = plt.figure().add_subplot()
    assert agreement_bars(checked, test="t", ax=ax) is ax
