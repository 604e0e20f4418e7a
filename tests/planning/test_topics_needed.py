"""How many topics each question needs."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import ParameterError
from irframe.names import SIDES


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)", at=[5, 10])


def test_pooled_variances_are_means_over_pairs(scores):
    pooled, each = (scores.ireval.topics_needed(difference=0.05, each=e) for e in (False, True))
    assert each["topics"].dims == ("metric", "depth", "pair")
    xr.testing.assert_allclose(each["variance"].mean("pair"), pooled["variance"])
    pairs = list(zip(*(each[side].to_numpy() for side in SIDES), strict=True))
    pair = scores.sel(system=["bm25", "ance"])
    alone = pair.ireval.topics_needed(difference=0.05)
    xr.testing.assert_allclose(
        each.isel(pair=pairs.index(("bm25", "ance")), drop=True),
        alone,
        check_dim_order=False,
    )
    np.testing.assert_allclose(
        alone["variance"], pair.diff("system").var("topic", ddof=1).squeeze("system")
    )


def test_a_baseline_asks_for_fewer_pairs(scores):
    asked = {"width": 0.1, "baseline": "bm25"}
    found, each = (scores.ireval.topics_needed(**asked, each=e) for e in (False, True))
    assert set(each["system_b"].to_numpy()) == {"bm25"}
    xr.testing.assert_allclose(each["variance"].mean("pair"), found["variance"])


def test_resampled_topics_have_the_power(scores):
    pair = scores.sel(system=["bm25", "splade"], depth=[10], metric=["AP"])
    n = int(pair.ireval.topics_needed(difference=0.05)["topics"].item())
    z = np.diff(pair.to_numpy().reshape(2, -1), axis=0)[0]
    drawn = np.random.default_rng(1).choice(z - z.mean() + 0.05, (4000, n))
    # A resample has the variance with n below, the pilot that with n - 1.
    drawn = 0.05 + (drawn - 0.05) * np.sqrt(len(z) / (len(z) - 1))
    assert (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(
        0.8, abs=0.025
    )


def test_one_way_analysis(scores):
    found = scores.ireval.topics_needed(difference=0.1, test="anova")
    variance = scores.var("topic", ddof=1).mean("system")
    xr.testing.assert_allclose(found["variance"].drop_attrs(), variance.rename("variance"))
    more = scores.ireval.topics_needed(difference=0.1, test="anova", systems=100)
    assert (more["topics"] > found["topics"]).all()


@pytest.mark.parametrize("kind", ["erho2", "phi"])
def test_reliability_is_reached_with_these_topics_and_not_with_fewer(scores, kind):
    found = scores.ireval.topics_needed(**{kind: 0.97})
    one = scores.isel(metric=[0], depth=[1])
    n = int(found["topics"][0, 1])
    reached = [one.ireval.components(topics=m)[kind].item() for m in (n - 1, n)]
    assert reached[0] < 0.97 <= reached[1]
    low, high = (
        one.ireval.components(topics=int(found[end][0, 1]))[f"{kind}_{other}"].item()
        for end, other in (("topics_low", "high"), ("topics_high", "low"))
    )
    assert low >= 0.97
    assert high >= 0.97


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "one of difference, width"),
        ({"width": 0.1, "phi": 0.9}, "found 2: width, phi"),
        ({"difference": 0}, "above 0"),
        ({"phi": 1}, "below 1"),
        ({"difference": 0.1, "power": 0.05}, "power"),
        ({"difference": 0.1, "test": "sign"}, "test"),
        ({"difference": 0.1, "systems": 4}, "systems"),
        ({"difference": 0.1, "test": "anova", "systems": 1}, "systems"),
        ({"difference": 0.1, "test": "anova", "each": True}, "each"),
        ({"phi": 0.9, "baseline": "bm25"}, "'phi'.* found baseline"),
        ({"width": 0.9, "test": "anova"}, "'width'.* found test"),
        ({"difference": 0.1, "baseline": "x"}, "baseline"),
    ],
)
def test_one_question_at_a_time(scores, asked, told):
    with pytest.raises(ParameterError, match=told):
        scores.ireval.topics_needed(**asked)
