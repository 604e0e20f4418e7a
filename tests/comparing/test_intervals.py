"""Intervals of differences: together or alone, and those of effect sizes."""

import numpy as np
import pytest
import scipy
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.paired import MaxT, TukeyHSD
from irframe.paired.resamples import draw_signs


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "nDCG", at=[5, 10])


@pytest.mark.parametrize(("family", "rows"), [("depth", 28), ("metric", 56), ("all", 112)])
@pytest.mark.parametrize("adjust", [None, "bonferroni", "sidak", "holm"])
def test_simultaneous_intervals_are_those_of_the_level_of_one_of_all(scores, family, rows, adjust):
    asked = {"adjust": adjust, "family": family}
    found = scores.ireval.compare(simultaneous=True, **asked)
    alpha = 1 - 0.95 ** (1 / rows) if adjust == "sidak" else 0.05 / rows
    alone = scores.ireval.compare(alpha=alpha)
    for end in ("ci_low", "ci_high"):
        np.testing.assert_allclose(found[end], alone[end])
    if adjust in {"bonferroni", "sidak"}:
        excludes = (found["ci_low"] > 0) | (found["ci_high"] < 0)
        assert (excludes == found["significant"]).all()
    assert found.attrs["intervals"] == "simultaneous"
    assert alone.attrs["intervals"] == "for its pair alone"


def excludes_zero(found):
    return (found["ci_low"] > 0) | (found["ci_high"] < 0)


@given(seed=st.integers(0, 9999), grades=st.sampled_from([2, 5, 1000]), topics=st.integers(2, 12))
def test_intervals_of_resampled_quantiles_agree_with_p(seed, grades, topics):
    values = np.random.default_rng(seed).integers(0, grades, (4, topics)) / grades
    values[3] += 0.6
    coords = {"system": list("abcd"), "topic": [f"t{n}" for n in range(topics)]}
    scores = xr.DataArray(values, coords, ("system", "topic")).expand_dims(metric=["AP"])
    tukey = scores.ireval.compare(TukeyHSD(samples=60, seed=seed), simultaneous=True)
    assert (excludes_zero(tukey) == tukey["significant"]).all()
    assert (tukey["ci_high"] - tukey["ci_low"]).round(9).nunique(dropna=False) == 1
    stepped = scores.ireval.compare(adjust=MaxT(samples=60, seed=seed), simultaneous=True)
    assert stepped["significant"][excludes_zero(stepped)].all()
    first = stepped["p_adjusted"].idxmin()  # held against all pairs, as intervals are
    assert excludes_zero(stepped)[first] == stepped["significant"][first]
    alone = scores.ireval.compare(adjust=None)
    assert not (stepped["ci_low"] > alone["ci_low"] + 1e-12).any()


@pytest.mark.thorough
def test_intervals_of_max_t_are_those_of_the_largest_t_of_each_draw(scores):
    some = scores.sel(metric=["AP"], depth=[10])
    found = some.ireval.compare(adjust=MaxT(samples=99, seed=3), simultaneous=True)
    values = some.to_numpy()[0, :, :, 0]
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    largest = []
    for sign in draw_signs(16, samples=99, seed=3):
        t = [scipy.stats.ttest_1samp(sign * (values[a] - values[b]), 0).statistic for a, b in pairs]
        largest.append(max(map(abs, t)))
    quantile = sorted(largest)[-4]  # 3 draws beyond it: (1 + 3) / 100 < .05
    half = quantile * found["difference"] / found["statistic"]
    np.testing.assert_allclose(found["ci_high"] - found["difference"], half, rtol=1e-6)


def test_g_and_its_interval(scores):
    found = scores.ireval.compare(effects=True, alpha=0.1)
    df = 15
    for row in found.iloc[::9].itertuples():
        t = row.effect_size * 4
        assert row.hedges_g == pytest.approx(row.effect_size * (1 - 3 / (4 * df - 1)))
        for end, p in ((row.g_low, 0.95), (row.g_high, 0.05)):
            true = end / (1 - 3 / (4 * df - 1)) * 4
            assert scipy.stats.nct.cdf(t, df, true) == pytest.approx(p, abs=1e-6)
    constant = scores.isel(system=[0, 0]).assign_coords(system=["a", "b"])
    assert constant.ireval.compare(effects=True)["g_low"].notna().all()
    shifted = constant + np.array([0, 0.1])[:, None, None]
    assert shifted.ireval.compare(effects=True)[["hedges_g", "g_low"]].isna().all(axis=None)
