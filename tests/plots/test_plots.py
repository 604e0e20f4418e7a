"""Tests that figures refuse wrong data and options."""

import inspect
import warnings
from io import StringIO

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import IrframeError, ParameterError
from irframe.names import printable

OTHER = [
    pd.DataFrame({"x": [1.0]}),
    xr.Dataset({"x": ("y", [1.0])}),
    xr.DataArray([1.0], dims="y"),
]
GIVEN = dict.fromkeys(["a", "b", "system", "topic"], "x")
GIVEN |= {"cost": {"x": 1.0}, "dates": {"x": "2026"}, "draw": plt.plot, "by": "x"}
GIVEN |= {"cube": OTHER[1], "scores": OTHER[2]}


@pytest.mark.parametrize("name", [name for name in ir.plots.__all__ if name != "paper"])
def test_figures_refuse_results_of_other_functions(name):
    figure = getattr(ir.plots, name)
    _, *options = inspect.signature(figure).parameters.values()
    needed = {
        option.name: GIVEN[option.name] for option in options if option.default is option.empty
    }
    for data in OTHER:
        with pytest.raises(IrframeError):
            figure(data, **needed)
    plt.close("all")


def test_single_axes_and_unselected_depths_are_refused(cube):
    growth, axes = cube.ireval.pool_growth(), [plt.subplots()[1]]
    refused(ParameterError, "two axes", ir.plots.pool_curves, growth, ax=axes)
    several = cube.ireval.robustness("P", shares=[0.5], seeds=1, at=[5, 10])
    refused(ParameterError, "Choose from 5, 10", several.ireval.plot.robustness_curves)


def test_figures_replace_characters_that_xml_forbids(cube):
    scores = cube.ireval.score("AP", at=[5, 10])
    names = [f"\x01{name}" for name in scores["system"].to_numpy()]
    ax = scores.assign_coords(system=names).ireval.plot.score_boxes()
    drawn = StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        ax.figure.savefig(drawn, format="svg")
    assert printable(drawn.getvalue()) == drawn.getvalue()
    assert "\N{REPLACEMENT CHARACTER}bm25" in drawn.getvalue()
    plt.close(ax.figure)
