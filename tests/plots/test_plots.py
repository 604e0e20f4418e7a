"""What every figure refuses."""

import warnings
from io import StringIO

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.names import printable
from irframe.plots.agreement_map import agreement_bars, agreement_triangle
from irframe.plots.crp_curves import archetypes, crp_and_gain, crp_curves, effort_gain
from irframe.plots.depth_curves import unjudged_share
from irframe.plots.orderings import hasse, orderings, ranking_grid
from irframe.plots.pool_curves import pool_curves, robustness_curves


def test_effort_figures_refuse_bad_choices(cube, moved):
    scores, asked = cube.ireval.score("DCG"), {"system": "bm25", "topic": "101"}
    refused(ParameterError, "a topic that was measured", crp_curves, moved, topic="7")
    refused(ParameterError, "'tf'", crp_curves, moved, topic="101", systems=["tf"])
    refused(ParameterError, "'tf'", crp_and_gain, moved, scores, **asked | {"system": "tf"})
    refused(
        InputError,
        "dimension depth",
        crp_and_gain,
        moved,
        scores.isel(depth=-1, drop=True),
        **asked,
    )
    refused(InputError, "misplacement", crp_curves, cube, topic="101")


def test_figures_of_judgments_refuse_other_data(cube):
    refused(InputError, "pool_growth", lambda: pool_curves(cube))
    growth, one = cube.ireval.pool_growth(), [plt.subplots()[1]]
    refused(ParameterError, "two axes", pool_curves, growth, ax=one)
    tau = cube.ireval.robustness("P", shares=[0.5], seeds=1, at=[5, 10])
    refused(ParameterError, "none chosen: 5, 10", lambda: robustness_curves(tau))
    refused(InputError, "share and seed", lambda: robustness_curves(tau.mean("seed")))
    refused(InputError, "a cube", lambda: unjudged_share(cube.ireval.score("Judged")))


@pytest.mark.parametrize(
    "figure",
    [orderings, ranking_grid, hasse, agreement_bars, agreement_triangle, archetypes, effort_gain],
)
def test_figures_of_orderings_refuse_other_data(cube, figure):
    with pytest.raises(InputError):
        figure(cube)


def test_figures_of_frames_refuse_other_frames(outcomes, lengths):
    best = pd.DataFrame({"metric": ["AP"], "system": ["s"], "value": [0.5]})
    figures = ("outcome_shares", "length_histogram", "difference_histogram")
    for figure in figures:
        refused(InputError, "returned", getattr(ir.plots, figure), best)
    refused(InputError, "best_systems returned", ir.plots.best_systems, lengths)
    refused(InputError, "no rows", outcomes.summary[:0].ireval.plot.outcome_shares)


def test_names_are_drawn_as_xml_may_hold_them(cube):
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
