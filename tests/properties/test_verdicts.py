"""Each verdict has its own colour in every figure."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import irframe as ir
from irframe.reports.figures import ranges

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
COLOURS = {
    "Both: Yes": "#00684c",
    "Both: No": "#8fd3b6",
    "Metric: Yes": "#f0b400",
    "Metric: No": "#7a5195",
    "Both: Opposed": "#c04000",
}
"""Mapping from verdicts on pairs of systems to colours.

A verdict combines the metric and the orderings.
"""


@pytest.fixture(scope="module")
def checked():
    cube = ir.cube(*ir.example_track())
    return cube.ireval.significance_agreement("P", test="t", at=[10])


@pytest.mark.parametrize("verdict", COLOURS)
def test_figures_draw_each_verdict_in_its_colour(checked, verdict):
    code = [*COLOURS].index(verdict)
    alike = checked.assign(
        verdict=checked["verdict"] * 0 + code,
        share=checked["share"] * 0 + (checked["category"] == verdict),
    )
    bars = alike.ireval.plot.agreement_bars()
    (bar,) = [patch for patch in bars.patches if patch.get_height()]
    dots = alike.ireval.plot.agreement_triangle()
    (drawn,) = [collection for collection in dots.collections if len(collection.get_offsets())]
    shades = to_hex(bar.get_facecolor()), to_hex(drawn.get_facecolor()[0])
    assert shades == (COLOURS[verdict], COLOURS[verdict])
    for ax in (bars, dots):
        handles, labels = ax.get_legend_handles_labels()
        named = [handle for handle, label in zip(handles, labels, strict=True) if verdict in label]
        assert len(named) == 1
    plt.close("all")


def test_intervals_of_the_report_have_the_colour_of_their_verdict():
    verdicts = ["better", "worse", "equivalent", "not worse", "undecided"]
    ends = pd.DataFrame({"system": verdicts, "lower": 0.0, "upper": 1.0, "mean": 0.5})
    figure = ranges(ends.assign(verdict=verdicts), "AP")
    (colour,) = [
        layer["encoding"]["color"] for layer in figure["layer"] if "color" in layer["encoding"]
    ]
    named = dict(zip(colour["scale"]["domain"], colour["scale"]["range"], strict=True))
    assert {verdict: named[verdict] for verdict in ("better", "worse")} == {
        "better": "var(--better)",
        "worse": "var(--worse)",
    }
    shown = [row["verdict"] for row in figure["datasets"]["ends"]]
    assert shown == ["better", "worse", "", "", ""]
    assert named[""] not in {named["better"], named["worse"]}
