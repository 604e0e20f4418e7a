"""Tests of confidence intervals and effect sizes of `compare`."""

import numpy as np
import pandas as pd
import pytest
import scipy
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from turns import few_of

import irframe as ir
from irframe.paired import TESTS, Bootstrap, MaxT, Permutation, TukeyHSD
from irframe.paired.margins import hedges
from irframe.paired.pairs import draw_signs

RESAMPLING = {"permutation": Permutation, "bootstrap": Bootstrap}
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{beginning}:irframe.errors.IrframeWarning")
    for beginning in ("comparisons whose", "tukey assumes", "no outcome on")
]


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "nDCG", at=[5, 10])


@pytest.mark.parametrize(("family", "rows"), [("depth", 28), ("metric", 56), ("all", 112)])
@pytest.mark.parametrize("adjust", [None, "bonferroni", "sidak", "holm"])
def test_simultaneous_intervals_have_a_corrected_confidence_level(scores, family, rows, adjust):
    decided = ir.Significance(adjust=adjust, family=family)
    result = scores.ireval.compare(decided, simultaneous=True)
    alpha = 1 - 0.95 ** (1 / rows) if adjust == "sidak" else 0.05 / rows
    alone = scores.ireval.compare(alpha=alpha)
    for end in ("ci_low", "ci_high"):
        np.testing.assert_allclose(result[end], alone[end])
    if adjust in {"bonferroni", "sidak"}:
        excludes = (result["ci_low"] > 0) | (result["ci_high"] < 0)
        assert (excludes == result["significant"]).all()
    assert result.attrs["intervals"] == "simultaneous"
    assert alone.attrs["intervals"] == "for its pair alone"


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_captions_name_simultaneous_max_t_intervals(scores, test):
    result = scores.ireval.compare(test, adjust="max-t", simultaneous=True)
    assert result.attrs["interval"] == "max-t"
    assert "simultaneous 95% max-T interval" in repr(result.ireval)
    alone = scores.ireval.compare(test, adjust="max-t")
    assert alone.attrs["interval"] == test


@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("test", few_of(TESTS, 2))
@pytest.mark.parametrize("weights", [None, {str(n): 1 + n % 4 for n in range(101, 117)}])
def test_attribute_interval_names_the_method_of_intervals(scores, test, weights):
    if weights and not TESTS[test].supports_design:
        return
    scores = scores if weights is None else scores.ireval.design(weight=weights)
    students = scores.ireval.compare(adjust=None)
    for alpha in (0.05, 0.4):
        result = scores.ireval.compare(test, adjust="none", alpha=alpha)
        if result.attrs["interval"] == test:
            assert (excludes_zero(result) == (result["p"] < alpha)).all()
            centre = result["difference"].between(result["ci_low"], result["ci_high"])
            assert centre.all()
        else:
            assert result.attrs["interval"] == "t"
    if test in {"wilcoxon", "sign", "ranksum"}:
        ends = ["ci_low", "ci_high"]
        alike = scores.ireval.compare(test, adjust=None)
        pd.testing.assert_frame_equal(alike[ends], students[ends])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [2, 4, 12])
@pytest.mark.parametrize("test", RESAMPLING)
def test_intervals_contain_exactly_the_differences_that_are_not_rejected(seed, n, test):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2, n, 1))
    chosen = RESAMPLING[test](samples=199, seed=seed)
    for end, away in zip(chosen.interval(values, alpha=0.1), (-1, 1), strict=True):
        if np.isfinite(end.item()):
            for step, rejected in ((-1e-6, False), (1e-6, True)):
                shifted = values - np.array([end.item() + away * step, 0])[:, None, None]
                assert (chosen.kernel(shifted).p.item() < 0.1) == rejected


def excludes_zero(frame):
    return (frame["ci_low"] > 0) | (frame["ci_high"] < 0)


@given(seed=st.integers(0, 9999), grades=st.sampled_from([2, 5, 1000]), topics=st.integers(2, 12))
def test_simultaneous_resampled_intervals_agree_with_p_values(seed, grades, topics):
    values = np.random.default_rng(seed).integers(0, grades, (4, topics)) / grades
    values[3] += 0.6
    coords = {"system": list("abcd"), "topic": [f"t{n}" for n in range(topics)]}
    scores = xr.DataArray(values, coords, ("system", "topic")).expand_dims(metric=["AP"])
    tukey = scores.ireval.compare(TukeyHSD(samples=60, seed=seed), simultaneous=True)
    assert (excludes_zero(tukey) == tukey["significant"]).all()
    assert len({*(tukey["ci_high"] - tukey["ci_low"]).round(9)}) == 1
    stepped = scores.ireval.compare(adjust=MaxT(samples=60, seed=seed), simultaneous=True)
    assert stepped["significant"][excludes_zero(stepped)].all()
    first = stepped["p_adjusted"].idxmin()  # the first step of max-T compares with all pairs
    assert excludes_zero(stepped)[first] == stepped["significant"][first]
    alone = scores.ireval.compare(adjust=None)
    assert not (stepped["ci_low"] > alone["ci_low"] + 1e-12).any()


@pytest.mark.thorough
def test_max_t_intervals_equal_a_loop(scores):
    some = scores.sel(metric=["AP"], depth=[10])
    result = some.ireval.compare(adjust=MaxT(samples=99, seed=3), simultaneous=True)
    values = some.to_numpy()[0, :, :, 0]
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    largest = []
    for sign in draw_signs(16, samples=99, seed=3):
        t = [scipy.stats.ttest_1samp(sign * (values[a] - values[b]), 0).statistic for a, b in pairs]
        largest.append(max(map(abs, t)))
    quantile = sorted(largest)[-4]  # 3 draws are larger: (1 + 3) / 100 < .05
    half = quantile * result["difference"] / result["statistic"]
    np.testing.assert_allclose(result["ci_high"] - result["difference"], half, rtol=1e-6)


def test_tukey_warns_about_unequal_variances():
    rng = np.random.default_rng(0)
    even = xr.DataArray(rng.normal(size=(4, 60)), {"system": list("abcd")}, ("system", "topic"))
    uneven = even * xr.DataArray([1, 1, 0.1, 0.1], dims="system")
    assert "caution" not in even.ireval.compare("tukey").attrs
    with pytest.warns(UserWarning, match="tukey assumes that the differences of all pairs"):
        result = uneven.ireval.compare("tukey")
    assert "more than 10 times" in result.attrs["caution"]
    for verb in ("rank_intervals", "leaderboard"):
        assert "caution" not in getattr(uneven.ireval, verb)().attrs
    assert "caution" not in uneven.ireval.compare("t").attrs


@pytest.mark.parametrize("t", [0.0, 1e-6, -0.01, 0.03, 0.3, -0.9, 1.9, 4.0])
@pytest.mark.parametrize("df", [2, 11, 200])
def test_interval_of_hedges_g_is_accurate_for_small_effects(t, df):
    estimate = np.array([t / np.sqrt(df + 1)]), np.array([df + 1])
    for alpha in (0.2, 0.05, 0.002):
        scale = np.sqrt(df + 1) / (1 - 3 / (4 * df - 1))
        low, high = (end[0] * scale for end in hedges(*estimate, alpha=alpha)[1:])
        result = [scipy.stats.nct.cdf(t, df, true) for true in (low, high)]
        np.testing.assert_allclose(result, [1 - alpha / 2, alpha / 2], atol=1e-6)


def test_hedges_g_and_its_interval_equal_their_definition(scores):
    result = scores.ireval.compare(effects=True, alpha=0.1)
    df = 15
    for row in result.iloc[::9].itertuples():
        t = row.effect_size * 4
        assert row.hedges_g == pytest.approx(row.effect_size * (1 - 3 / (4 * df - 1)))
        for end, p in ((row.g_low, 0.95), (row.g_high, 0.05)):
            true = end / (1 - 3 / (4 * df - 1)) * 4
            assert scipy.stats.nct.cdf(t, df, true) == pytest.approx(p, abs=1e-6)
    constant = scores.isel(system=[0, 0]).assign_coords(system=["a", "b"])
    assert constant.ireval.compare(effects=True)["g_low"].isna().all()
    shifted = constant + np.array([0, 0.1])[:, None, None]
    assert shifted.ireval.compare(effects=True)[["hedges_g", "g_low"]].isna().all(axis=None)
