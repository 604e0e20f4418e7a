"""Variance components by metric and depth."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError


def matrix(shared, name):
    """Return real scores, a row per topic, as an array of systems and topics."""
    frame = pd.read_csv(shared / "data" / "score-matrices" / f"{name}.csv")
    frame.index = frame.index.astype(str)
    return xr.DataArray(
        frame.T, {"system": [*frame], "topic": frame.index}, ["system", "topic"], name="AP"
    )


def analysed(scores):
    """Return mean squares by statsmodels."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    long = scores.rename("value").to_dataframe().reset_index()
    table = anova_lm(ols("value ~ C(system) + C(topic)", long).fit())
    return table["sum_sq"] / table["df"]


def test_real_scores_as_statsmodels_analyses_them(shared):
    scores = matrix(shared, "web2011_ap")[:12, :30]
    system, topic, rest = analysed(scores)
    found = scores.ireval.components()
    expected = [(system - rest) / 30, (topic - rest) / 12, rest]
    np.testing.assert_allclose(found["variance"][0], expected)
    assert found["share"].sum("component").item() == pytest.approx(1)
    assert found["erho2"].item() == pytest.approx((system - rest) / system)


def test_depths_and_topics():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)")
    whole, some = scores.ireval.components(), scores.ireval.components(at=[10, 1], topics=500)
    assert whole["variance"].dims == ("metric", "depth", "component")
    xr.testing.assert_allclose(some["variance"], whole["variance"].sel(depth=[10, 1]))
    assert (some["erho2"] > whole["erho2"].sel(depth=[10, 1])).all()
    system, _, rest = some["variance"].transpose("component", ...)
    np.testing.assert_allclose(some["erho2"], system / (system + rest / 500))


def test_negative_variances_are_told_and_taken_to_be_0():
    scores = xr.DataArray([[0.0, 1.0], [1.0, 0.0]], dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match=r"AP below 0 .*: system \(1\), topic \(1\)"):
        found = scores.ireval.components()
    assert found["share"].to_numpy().ravel().tolist() == [0, 0, 1]
    assert found["erho2"].item() == 0


def test_intervals_hold_their_estimates_and_shrink():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10])
    found, narrow = (scores.ireval.components(alpha=alpha) for alpha in (0.05, 0.5))
    for name in ("variance", "erho2", "phi"):
        assert (found[f"{name}_low"] < narrow[f"{name}_low"]).all()
        assert (narrow[f"{name}_low"] < found[name]).all()
        assert (found[name] < narrow[f"{name}_high"]).all()
        assert (narrow[f"{name}_high"] < found[f"{name}_high"]).all()


def test_missing_scores_leave_topics_out():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5, 10])
    holes = scores.copy()
    holes[0, 2, 0, 1] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        found = holes.ireval.components()
    expected = scores.isel(topic=slice(1, None)).ireval.components(at=10)
    xr.testing.assert_allclose(found.sel(depth=[10]), expected)
    assert np.diff(found["n_topics"][0]).item() == -1


def test_intervals_of_fixed_systems_equal_the_loop():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[3, 10])

    def signal(topics):
        return np.log1p([each.item() for each in erho2(topics)[0]])

    def erho2(topics):
        part = scores.isel(topic=topics).ireval.components(topics=1)["erho2"].to_numpy()
        return part / (1 - part) * len(topics)

    every = np.arange(16)
    found = scores.ireval.components(systems="fixed", alpha=0.1)
    without = np.array([signal(np.delete(every, n)) for n in every])
    error = np.sqrt(15 / 16 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    reach = stats.t.ppf(0.95, 15) * error
    for end, side in (("erho2_low", -reach), ("erho2_high", reach)):
        np.testing.assert_allclose(found[end][0], 1 - np.exp(-(signal(every) + side)))
    assert not {"phi_low", "variance_low"} & {*found}
    random = scores.ireval.components()
    for name in ("variance", "share", "erho2", "phi"):
        xr.testing.assert_equal(found[name], random[name])
    with pytest.warns(IrframeWarning, match="topic"):
        alone = scores.isel(topic=[0]).ireval.components(systems="fixed")
    assert np.isnan(alone["erho2_low"]).all()


def test_a_single_topic_says_nothing():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10]).isel(topic=[0])
    with pytest.warns(IrframeWarning, match="topic"):
        found = scores.ireval.components()
    assert found["variance"].to_series().isna().all()
    assert found["erho2"].to_series().isna().all()


@pytest.mark.parametrize("options", [{"alpha": 1}, {"topics": 0}, {"systems": "some"}])
def test_arguments_have_ranges(options):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10])
    with pytest.raises(ParameterError, match=next(iter(options))):
        scores.ireval.components(**options)
