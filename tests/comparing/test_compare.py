"""Tests of `compare` against scipy, statsmodels and reference implementations."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refused
from scipy import stats
from statsmodels.stats.multitest import multipletests

import irframe as ir
from irframe.errors import InputError, IrframeWarning, ParameterError

IDENTITY = ["metric", "depth", "system_a", "system_b"]
MEANS = ["mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size"]
EVIDENCE = ["statistic", "p", "p_adjusted", "significant"]
COLUMNS = [*IDENTITY, *MEANS, *EVIDENCE, "wins", "ties", "losses", "n_topics"]


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "RR")


@pytest.fixture(scope="module")
def wide():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RR"])


def array(*rows, metric="x"):
    names = [f"s{n}" for n in range(len(rows))]
    return xr.DataArray(
        [rows], {"metric": [metric], "system": names}, ("metric", "system", "topic")
    ).astype(float)


class TestColumns:
    def test_comparison_has_a_row_per_metric_depth_and_pair(self, scores):
        frame = scores.sel(depth=[5, 50]).ireval.compare()
        assert list(frame) == COLUMNS
        assert len(frame) == 2 * 2 * 28
        assert frame.groupby(["metric", "depth"], observed=True).size().eq(28).all()
        assert not frame[["system_a", "system_b"]].duplicated().head(28).any()

    def test_all_depths_are_compared_by_default(self, scores):
        assert scores.ireval.compare()["depth"].nunique() == 50

    def test_depth_of_unknown_metrics_is_missing(self):
        frame = array([1, 2, 3], [2, 2, 5], metric="clicks").ireval.compare()
        assert frame["metric"].item() == "clicks"
        assert frame["depth"].isna().all()

    def test_integer_names_of_systems_stay_integers(self):
        scores = xr.DataArray([[1.0, 2, 4], [2, 2, 5]], {"system": [7, 9]}, ("system", "topic"))
        assert scores.ireval.compare()[["system_a", "system_b"]].to_numpy().tolist() == [[7, 9]]


class TestValues:
    def test_results_of_t_tests_equal_worked_cases(self, golden):
        case = golden["002-t-test-edges"]
        for name, rows in case["input"].items():
            statistic, p = case["expected"][name]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IrframeWarning)
                row = array(*rows).ireval.compare().squeeze()
            expected = np.nan if statistic is None else float(statistic)
            assert row["statistic"] == pytest.approx(expected, nan_ok=True)
            assert np.isnan(row["ci_low"]) == (name != "plain")
            shown = np.isfinite(expected)  # constant differences have no p-value
            assert row["p"] == pytest.approx(p if shown else np.nan, nan_ok=True)

    def test_means_intervals_and_effect_sizes_equal_those_of_scipy(self, wide):
        frame = wide.ireval.compare(alpha=0.1)
        row = frame[frame["metric"] == "AP"].iloc[3]
        a, b = (wide["AP"].xs(row[name], level="system") for name in ("system_a", "system_b"))
        result = stats.ttest_rel(a, b).confidence_interval(0.9)
        assert row["mean_a"] == pytest.approx(a.mean())
        assert row["mean_b"] == pytest.approx(b.mean())
        assert row["difference"] == pytest.approx((a - b).mean())
        assert row["ci_low"] == pytest.approx(result.low)
        assert row["ci_high"] == pytest.approx(result.high)
        assert row["effect_size"] == pytest.approx((a - b).mean() / (a - b).std())
        assert row["wins"] == (a > b).sum()
        assert row["losses"] == (a < b).sum()
        assert row["ties"] == (a == b).sum()

    def test_lower_scores_win_for_costs(self):
        rows = [1, 2, 3, 9], [2, 4, 3, 8]
        gain = array(*rows, metric="P").ireval.compare().squeeze()
        cost = array(*rows, metric="ASL").ireval.compare().squeeze()
        assert (gain["wins"], gain["ties"], gain["losses"]) == (1, 1, 2)
        assert (cost["wins"], cost["ties"], cost["losses"]) == (2, 1, 1)
        assert cost["difference"] == gain["difference"] == -0.5
        assert cost["p"] == gain["p"]

    def test_comparing_does_not_change_the_scores(self, scores, wide):
        before, frame = scores.copy(deep=True), wide.copy()
        scores.sel(depth=10).ireval.compare()
        wide.ireval.compare()
        xr.testing.assert_identical(scores, before)
        pd.testing.assert_frame_equal(wide, frame)


SCORES = arrays(
    float,
    st.tuples(st.integers(2, 5), st.integers(2, 8)),
    elements=st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 0.75, 1.0]),
)


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
class TestLaws:
    @given(SCORES)
    def test_swapping_two_systems_reverses_their_difference(self, values):
        for test in ("t", "wilcoxon", "sign", "ranksum"):
            row = array(*values).ireval.compare(test).iloc[0]
            swapped = array(values[1], values[0], *values[2:]).ireval.compare(test).iloc[0]
            np.testing.assert_allclose(row["difference"], -swapped["difference"], atol=1e-12)
            np.testing.assert_allclose(row["ci_low"], -swapped["ci_high"], atol=1e-12)
            np.testing.assert_allclose(row["statistic"], -swapped["statistic"], rtol=1e-7)
            np.testing.assert_allclose(row["p"], swapped["p"], rtol=1e-7)
            assert (row["wins"], row["losses"]) == (swapped["losses"], swapped["wins"])

    @given(SCORES)
    def test_wins_ties_and_losses_sum_to_the_number_of_topics(self, values):
        frame = array(*values).ireval.compare()
        assert (frame[["wins", "ties", "losses"]].sum(axis=1) == frame["n_topics"]).all()
        assert frame["p"].dropna().between(0, 1).all()


class TestCorrections:
    def test_family_all_corrects_p_values_of_all_groups_together(self, scores):
        frame = (
            scores.sel(depth=10)
            .ireval.groupby("team")
            .compare(ir.Significance(adjust="holm", family="all"))
        )
        expected = multipletests(frame["p"], method="holm")[1]
        np.testing.assert_allclose(frame["p_adjusted"], expected)


class TestMissingScores:
    def test_topics_that_some_system_lacks_are_left_out_with_a_warning(self, wide):
        holes = wide.copy()
        holes.loc[("ance", "103"), "AP"] = np.nan
        holes.loc[("bm25", "105"), "AP"] = np.nan
        with pytest.warns(IrframeWarning, match=r"2 of 16 for AP \(103, 105\)"):
            frame = holes.ireval.compare()
        ap = frame["metric"] == "AP"
        assert set(frame.loc[ap, "n_topics"]) == {14}
        assert set(frame.loc[~ap, "n_topics"]) == {16}
        remaining = wide[~wide.index.get_level_values("topic").isin(["103", "105"])]
        expected = remaining[["AP"]].ireval.compare()
        pd.testing.assert_frame_equal(frame[ap].reset_index(drop=True), expected)

    def test_topics_are_left_out_only_at_depths_with_missing_scores(self, scores):
        holes = scores.copy(deep=True)
        holes[0, 2, 5, :10] = np.nan
        holes[0, 3, 6, 40:] = np.nan
        with pytest.warns(IrframeWarning, match=r"2 of 16 for AP\(norm='min'\)"):
            frame = holes.sel(depth=[5, 20, 50]).ireval.compare()
        counts = frame.groupby(["metric", "depth"], sort=False)["n_topics"].first()
        assert counts.to_list() == [15, 16, 15, 16, 16, 16]
        for depth, topic in [(5, 5), (20, None), (50, 6)]:
            subset = [n for n in range(16) if n != topic]
            expected = scores[:1, :, subset].sel(depth=depth).ireval.compare()["p"]
            result = frame.loc[
                (frame["metric"] == "AP(norm='min')") & (frame["depth"] == depth), "p"
            ]
            np.testing.assert_allclose(result, expected)


class TestBadInput:
    def test_groups_of_one_system_are_refused(self, scores):
        with pytest.raises(ParameterError, match="at least two systems.*group vectors"):
            scores[:, [0, 1, 2]].ireval.groupby("team").compare()

    def test_scores_without_topics_are_refused(self, scores):
        refused(ParameterError, "topics", scores[:, :, :0].ireval.compare)

    def test_arrays_without_systems_are_refused(self):
        refused(InputError, "dimensions", xr.DataArray([1.0, 2.0], dims="topic").ireval.compare)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_comparison_of_several_metrics_equals_comparisons_of_single_metrics(test):
    metrics = ["AP", "ASL", "P@5", "GMAP", "nDCG@10"]
    scores = ir.evaluate(*ir.example_track(), metrics)
    joint = scores.ireval.compare(test)
    alone = [scores[[name]].ireval.compare(test) for name in scores.columns]
    pd.testing.assert_frame_equal(
        pd.DataFrame(joint), pd.concat(alone, ignore_index=True), check_exact=True
    )
