"""What `p_value_curves` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


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


class TestPValueCurves:
    def test_curves_fall(self, wide):
        power = wide.ireval.bootstrap_sensitivity(samples=100)
        ax = power.ireval.plot.p_value_curves()
        for row in range(2):
            expected = np.sort(power["asl"][row])[::-1]
            np.testing.assert_array_equal(ax.lines[row].get_ydata(), expected)
        share = power["power"].sel(metric="AP").item()
        delta = power["delta"].sel(metric="AP").item()
        assert legend(ax)[0] == f"AP: {share:.0%} of pairs, difference {delta:.3f}"
        assert ax.get_ylim() == pytest.approx((0, 0.15))

    def test_alpha_is_that_of_the_data(self, wide):
        power = wide.ireval.bootstrap_sensitivity(samples=50, alpha=0.1)
        assert legend(power.ireval.plot.p_value_curves())[-1] == "alpha = 0.1"
        assert legend(power.ireval.plot.p_value_curves(alpha=0.2))[-1] == "alpha = 0.2"

    def test_comparison_frames(self, wide, scores):
        frame = wide.ireval.compare("wilcoxon")
        ax = frame.ireval.plot.p_value_curves()
        share = (frame.loc[frame["metric"] == "AP", "p"] < 0.05).mean()
        assert legend(ax)[:2] == [f"AP: {share:.0%} of pairs", legend(ax)[1]]
        assert legend(ax)[1].startswith("nDCG@10:")
        assert ax.get_ylabel() == "p-value"
        by_depth = scores[:1].ireval.compare(at=[5, 10]).ireval.plot.p_value_curves()
        assert legend(by_depth)[0].startswith("AP(norm='min')@5:")

    def test_depths_and_groups_of_a_bootstrap(self, scores):
        power = scores[:1].ireval.bootstrap_sensitivity(samples=20, at=[5, 10], by="team")
        ax = power.ireval.plot.p_value_curves()
        assert legend(ax)[0].startswith("terms, AP(norm='min')@5:")
        assert len(ax.lines[0].get_ydata()) == 1

    def test_bad_input(self, wide, cube):
        with pytest.raises(ParameterError, match="alpha"):
            wide.ireval.compare().ireval.plot.p_value_curves(alpha=2)
        with pytest.raises(InputError, match="comparison"):
            wide.ireval.plot.p_value_curves()
        with pytest.raises(InputError, match="bootstrap_sensitivity"):
            cube.ireval.plot.p_value_curves()
