"""What `depth_curves` draws."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP", "P")


def test_a_line_per_system_and_five_in_the_legend(scores):
    ax = scores.ireval.plot.depth_curves(metric="P")
    lines = [line for line in ax.lines if len(line.get_xdata()) == 50]
    assert len(lines) == 8
    means = scores.sel(metric="P").mean("topic")
    for line in lines:
        system = line.get_label().removeprefix("_")
        np.testing.assert_allclose(line.get_ydata(), means.sel(system=system))
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(legend) == 7
    final = means.sel(depth=50).to_series().sort_values()
    assert legend[:2] == final.index[::-1][:2].tolist()
    assert "named: best two, worst" in ax.get_title(loc="left")
    assert legend[4:] == [final.index[0], "3 other systems", "pool depth"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("evaluation depth k", "mean P")


def test_pool_depth_and_axes_may_be_given(scores):
    _, given = plt.subplots()
    ax = scores.ireval.plot.depth_curves(metric="AP", pool_depth=20, ax=given)
    assert ax is given
    assert ax.lines[-1].get_xdata()[0] == 20


def test_bad_choices_are_refused(scores):
    with pytest.raises(ParameterError, match="none chosen: AP, P"):
        scores.ireval.plot.depth_curves()
    with pytest.raises(ParameterError, match="'nDCG'"):
        scores.ireval.plot.depth_curves(metric="nDCG")
    with pytest.raises(InputError, match="dimension depth"):
        scores.isel(depth=0, drop=True).ireval.plot.depth_curves(metric="AP")
