"""What `ratio_curves` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture(scope="module")
def wide():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10"])


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


class TestRatioCurves:
    def test_a_curve_per_metric(self, scores):
        ratios = scores.ireval.coverage(10)
        ax = ratios.ireval.plot.ratio_curves()
        assert legend(ax) == [*scores["metric"].to_numpy(), "pool depth"]
        for row in range(3):
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), ratios[row])
        assert ax.get_ylabel() == "coverage ratio"
        assert ax.get_xscale() == "log"

    @pytest.mark.parametrize(
        ("verb", "label"),
        [
            ("discrimination", "discrimination ratio"),
            ("median_p", "median p-value"),
        ],
    )
    def test_other_quantities(self, scores, verb, label):
        ax = getattr(scores.ireval, verb)(at=[1, 10]).ireval.plot.ratio_curves(log=False)
        assert (ax.get_ylabel(), ax.get_xscale()) == (label, "linear")

    def test_groups_have_their_curves(self, scores):
        ax = scores.ireval.agreement(10, by="team").ireval.plot.ratio_curves()
        assert len(ax.lines) == 4 * 3 + 1
        assert "terms, nDCG" in legend(ax)

    def test_no_depths(self, wide):
        with pytest.raises(InputError, match="depth"):
            wide.ireval.discrimination().ireval.plot.ratio_curves()
