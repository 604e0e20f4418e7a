"""Intervals of differences: together or alone, and those of effect sizes."""

import numpy as np
import pytest
import scipy

import irframe as ir


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
