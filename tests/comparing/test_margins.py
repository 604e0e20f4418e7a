"""Not worse, equivalent, verdicts and what can be detected."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import irframe as ir
from irframe.comparing.significance import VERDICTS
from irframe.errors import MetricError, ParameterError


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("nDCG", "ASL", at=[5, 10])


def layers(scores, row):
    """Return the scores of both systems of a row, higher is better."""
    layer = scores.sel(metric=row.metric, depth=row.depth)
    sign = -1 if row.metric == "ASL" else 1
    return [sign * layer.sel(system=name).to_numpy() for name in (row.system_a, row.system_b)]


def test_p_values_are_those_of_two_one_sided_tests_and_power_that_of_statsmodels(scores):
    found = scores.ireval.compare(adjust=None, margin=0.1, power=0.9)
    for row in found.iloc[::5].itertuples():
        a, b = layers(scores, row)
        p, low, _ = ttost_paired(a, b, -0.1, 0.1)
        assert (row.p_not_worse, row.p_equivalent) == pytest.approx((low[1], p), rel=1e-10)
        size = TTestPower().solve_power(nobs=16, alpha=0.05, power=0.9)
        assert row.detectable == pytest.approx(size * np.std(a - b, ddof=1), rel=1e-6)
    usual = scores.ireval.compare(margin=0.1)["detectable"]
    assert (usual < found["detectable"]).all()


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
def test_they_are_corrected_as_p_is(scores, family):
    plain = scores.ireval.compare(adjust=None, baseline="bm25", margin=0.1)
    found = scores.ireval.compare(baseline="bm25", margin=0.1, adjust="holm", family=family)
    together = {"depth": ["metric", "depth"], "metric": ["metric"], "all": []}[family]
    keys = [plain[name] for name in together] or [pd.Series(0, plain.index)]
    for name in ("p_not_worse", "p_equivalent"):
        own = plain[name].groupby(keys).transform(lambda p: multipletests(p, method="holm")[1])
        np.testing.assert_array_equal(found[name], plain[name])
        np.testing.assert_allclose(found[f"{name}_adjusted"], own)
        assert (found[name.removeprefix("p_")] == (own < 0.05)).all()


def test_the_verdict_is_the_first_that_holds(scores):
    found = pd.concat([scores.ireval.compare(adjust=None, margin=m) for m in (0.01, 0.1, 0.5, 3.0)])
    lead = found["difference"] * np.where(found["metric"] == "ASL", -1, 1)
    worse = found["significant"] & (lead < 0) & ~found["not_worse"]
    holds = {
        "better": found["significant"] & (lead > 0),
        "worse": worse,
        "equivalent": found["equivalent"],
        "not worse": found["not_worse"],
        "undecided": pd.Series(data=True, index=found.index),
    }
    table = np.array([holds[name] for name in VERDICTS])
    assert found["verdict"].tolist() == [VERDICTS[row] for row in table.argmax(axis=0)]
    assert {*found["verdict"]} == {*VERDICTS}
    bare = scores.ireval.compare(power=0.8)
    assert {*bare["verdict"]} == {"better", "worse", "undecided"}
    assert "not_worse" not in bare
    assert "verdict" not in scores.ireval.compare()


def test_without_spread_or_with_one_topic():
    values = np.array([[0.5, 0.7, 0.6], [0.45, 0.65, 0.55], [0.5, 0.7, 0.6], [0.5, 0.8, 0.6]])
    scores = xr.DataArray(values, {"system": list("abcd")}, ("system", "topic"))
    asked = {"margin": 0.05, "effects": True, "simultaneous": True}
    for topics, flat in ((3, 2), (1, 3)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = scores[:, :topics].ireval.compare(baseline="a", **asked).set_index("system_a")
        assert str(told[-1].message) == found.attrs["caution"]
        assert found.attrs["caution"].endswith(f": {flat} of 3")
        p = dict.fromkeys("bcd", np.nan) | {"c": 1.0} | ({"d": 1.0} if topics == 1 else {})
        none = ["p_not_worse", "ci_low", "ci_high", "effect_size", "detectable", "g_low"]
        for name in [*"bcd"[:flat]]:
            assert found["p"][name] == pytest.approx(p[name], nan_ok=True)
            assert found["p_adjusted"][name] == pytest.approx(p[name], nan_ok=True)
            assert found.loc[name, [*none, "p_equivalent_adjusted"]].isna().all()
            assert found["verdict"][name] == "undecided"
            assert not found["significant"][name]
        assert found.loc["d", none].notna().all() == (topics == 3)


def test_bounds_have_a_verdict_at_either_end(cube):
    within = cube.ireval.bounds("P", "RBP(p=0.8)", at=[10])
    found = within.ireval.compare(baseline="bm25", margin=0.05, adjust="holm")
    both = {side: within.sel(bound=side, drop=True) for side in ("lower", "upper")}
    for end, (of_a, of_b) in {"lowest": ("lower", "upper"), "highest": ("upper", "lower")}.items():
        rival = both[of_b].sel(system=["bm25"])
        other = both[of_a].drop_sel(system="bm25")
        mixed = xr.concat([other, rival], "system", coords="minimal", compat="override")
        expected = mixed.ireval.compare(baseline="bm25", margin=0.05, adjust="holm")
        assert found[f"verdict_{end}"].tolist() == expected["verdict"].tolist()
    settled = found["better"].notna() | (found["lowest"] > -0.05)
    assert found["decided"].tolist() == settled.tolist()
    assert (settled & found["better"].isna()).any()


def test_lazy_scores_and_groups(scores):
    asked = {"baseline": "bm25", "margin": 0.05, "effects": True, "adjust": "holm"}
    whole = scores.ireval.compare(**asked)
    pd.testing.assert_frame_equal(scores.chunk(topic=5).ireval.compare(**asked), whole)
    half = scores.assign_coords(half=("topic", list("xy") * 8))
    parts = half.ireval.compare(by="half", **asked)
    alone = half.sel(topic=half.half == "y").drop_vars("half").ireval.compare(**asked)
    kept = parts[parts["half"] == "y"].drop(columns="half").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone, check_dtype=False)


def test_what_a_margin_needs_and_topics_show(scores):
    of_pair = {"baseline": "bm25", "each": True}
    sd = np.sqrt(scores.ireval.topics_needed(topics=50, **of_pair)["variance"].to_numpy().ravel())
    found = scores.ireval.topics_needed(topics=50, **of_pair)["difference"].to_numpy().ravel()
    least = TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8)
    np.testing.assert_allclose(found, least * sd, rtol=1e-6)
    needed = scores.ireval.topics_needed(margin=0.05, **of_pair)["topics"].to_numpy().ravel()
    for n, spread in zip(needed, sd, strict=True):
        power = [
            TTestPower().power(0.05 / spread, each, 0.05, alternative="larger")
            for each in (n - 1, n)
        ]
        assert power[0] < 0.8 <= power[1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"margin": 0}, ParameterError, "margin, a number above 0; found 0"),
        ({"margin": -1.0}, ParameterError, "margin"),
        ({"margin": np.nan}, ParameterError, "margin"),
        ({"power": 1}, ParameterError, "power, a number above 0.05 and below 1"),
        ({"power": 0.01}, ParameterError, "power"),
        ({"margin": 0.1, "test": "tukey"}, ParameterError, "have a margin; found tukey"),
        ({"margin": 0.1, "adjust": "max-t"}, ParameterError, "have a margin; found max-t"),
    ],
)
def test_bad_margins(scores, options, error, message):
    with pytest.raises(error, match=message):
        scores.ireval.compare(**options)


def test_margins_are_of_means(cube):
    with pytest.raises(MetricError, match="averaged over topics, for margin=; found GMAP"):
        cube.ireval.score("AP", "GMAP", at=10).ireval.compare(margin=0.1)
    for question in ({"margin": 0}, {"topics": 1}, {"topics": 2.5}):
        with pytest.raises(ParameterError, match=next(iter(question))):
            cube.ireval.score("AP", at=10).ireval.topics_needed(**question)
