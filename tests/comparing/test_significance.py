"""Which system of a pair is ahead, and whether significantly, and what goes with it.

Not worse, equivalent, verdicts and what can be detected; Risk against a baseline.
"""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from looped import ALPHA, random_scores, rows, t_test
from oracles import comparing
from refusals import refused
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import irframe as ir
from irframe.comparing.pairwise import VERDICTS
from irframe.comparing.significance import Pairing, leads, p_values
from irframe.errors import IrframeWarning, MetricError, ParameterError
from irframe.paired import all_pairs, parse_test
from irframe.scores.read_scores import scores_to_compare

PAIRS = all_pairs(6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [0, 1])
def test_verdicts_are_those_of_the_loop(seed, metric):
    scores = random_scores(seed)
    pairing = Pairing("t", None, ALPHA)
    found = pairing.verdicts(scores_to_compare(scores), metric, slice(1, 3), PAIRS)
    assert found.shape == (len(PAIRS), 2)
    for column, depth in enumerate((1, 2)):
        better = comparing.significant(rows(scores, metric, depth), t_test, ALPHA, cost=metric == 1)
        expected = [(a, b) in better for a, b in PAIRS.tolist()]
        against = [(b, a) in better for a, b in PAIRS.tolist()]
        assert found[:, column].tolist() == np.subtract(expected, against, dtype=int).tolist()


def test_a_verdict_needs_a_lead():
    scores = xr.DataArray([[1.0, 3, 1, 3], [3, 1, 3, 1], [9, 9, 9, 8]], dims=("system", "topic"))
    paired = scores_to_compare(scores)
    pairs = all_pairs(3)
    assert leads(paired, 0, slice(None), pairs).ravel().tolist() == [0, -1, -1]
    found = Pairing("t", None, 1 - 1e-9).verdicts(paired, 0, slice(None), pairs)
    assert found.ravel().tolist() == [0, -1, -1]
    assert not Pairing("t", None, 1e-9).verdicts(paired, 0, slice(None), pairs).any()


def test_rounding_errors_are_no_lead():
    scores = xr.DataArray(
        [[0.1 + 0.2, 1.0], [0.3, 1.0], [0.3 + 1e-11, 1.0]], dims=("system", "topic")
    )
    found = leads(scores_to_compare(scores), 0, slice(None), all_pairs(3))
    assert found.ravel().tolist() == [0, -1, -1]


@pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")
def test_p_values_leave_out_topics_that_some_system_lacks():
    scores = random_scores(1, holes=True)
    p = p_values(scores_to_compare(scores), 0, slice(None), test=parse_test("t"), pairs=PAIRS)
    for depth in range(4):
        expected = comparing.p_values(rows(scores, 0, depth), t_test)
        assert p[:, depth] == pytest.approx([expected[a, b] for a, b in PAIRS.tolist()])


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
        ({"margin": {}}, ParameterError, "a margin for each of .*; found none for"),
        ({"margin": {"X@3": 0.1}}, ParameterError, "a margin for each of .*; found none for"),
        ({"power": 1}, ParameterError, "power, a number above 0.05 and below 1"),
        ({"power": 0.01}, ParameterError, "power"),
        ({"margin": 0.1, "test": "tukey"}, ParameterError, "have a margin; found tukey"),
        ({"margin": 0.1, "adjust": "max-t"}, ParameterError, "have a margin; found max-t"),
    ],
)
def test_bad_margins(scores, options, error, message):
    refused(error, message, lambda: scores.ireval.compare(**options))


def test_every_metric_has_its_margin(cube):
    scores, margins = cube.ireval.score("AP", "ASL", at=[5, 10]), {"ASL": 1.5, "AP": 0.04}
    found = scores.ireval.compare(margin=margins, family="metric")
    for metric, margin in margins.items():
        alone = scores.sel(metric=[metric]).ireval.compare(margin=margin, family="metric")
        part = found[found["metric"] == metric].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone, check_dtype=False)
    assert "margin ASL 1.5, AP 0.04" in found.ireval.styled().to_html()
    bounds = cube.ireval.bounds("AP", "RBP(p=0.8)", at=10)
    by_name = bounds.ireval.compare(margin={"AP": 0.2, "RBP(p=0.8)": 0.05})
    for metric, margin in {"AP": 0.2, "RBP(p=0.8)": 0.05}.items():
        alone = bounds.sel(metric=[metric]).ireval.compare(margin=margin)
        part = by_name[by_name["metric"] == metric].reset_index(drop=True)
        pd.testing.assert_series_equal(part["decided"], alone["decided"])
    with pytest.raises(ParameterError, match="other names: P@5"):
        scores.ireval.compare(margin=margins | {"P@5": 0.1})


def test_margins_are_of_means(cube):
    with pytest.raises(MetricError, match="averaged over topics, for margin=; found GMAP"):
        cube.ireval.score("AP", "GMAP", at=10).ireval.compare(margin=0.1)
    for question in ({"margin": 0}, {"topics": 1}, {"topics": 2.5}):
        with pytest.raises(ParameterError, match=next(iter(question))):
            cube.ireval.score("AP", at=10).ireval.topics_needed(**question)


VALUES = st.lists(
    st.lists(st.integers(0, 10).map(lambda tenth: tenth / 10), min_size=5, max_size=5),
    min_size=2,
    max_size=4,
)


def frame_of(rows, metric="AP"):
    """Return a frame of scores, a row of topics for every system."""
    topics = [str(topic) for topic in range(len(rows[0]))]
    index = pd.MultiIndex.from_product(
        [[f"s{row}" for row in range(len(rows))], topics], names=["system", "topic"]
    )
    return pd.DataFrame({metric: np.ravel(rows)}, index=index)


def weigh(values, a):
    return [(1 + a) * value if value < 0 else value for value in values]


@given(rows=VALUES, a=st.sampled_from([0, 1, 5]))
def test_risks_equal_the_slow_loop(rows, a):
    found = frame_of(rows).ireval.risk(baseline="s0", a=a).set_index("system_a")
    total, c = sum(map(sum, rows)), len(rows[0])
    for number, row in enumerate(rows[1:], start=1):
        here = found.loc[f"s{number}"]
        gained = [round(x - y, 12) for x, y in zip(row, rows[0], strict=True)]
        weighted = weigh(gained, a)
        assert here["difference"] == pytest.approx(np.mean(gained), abs=1e-12)
        assert here["urisk"] == pytest.approx(np.mean(weighted), abs=1e-12)
        if len(set(weighted)) > 1:
            expected = stats.ttest_1samp(weighted, 0).statistic
            assert here["trisk"] == pytest.approx(expected, abs=1e-9)
        z = []
        for topic, x in enumerate(row):
            e = sum(row) * sum(other[topic] for other in rows) / total if total else 0
            z.append((x - e) / math.sqrt(e) if e else 0)
        phi = stats.norm.cdf(sum(weigh(z, a)) / c)
        assert here["georisk"] == pytest.approx(math.sqrt(np.mean(row) * phi), abs=1e-9)
        assert here["wins"] == sum(value > 0 for value in gained)
        assert here["losses"] == sum(value < 0 for value in gained)


def test_no_risk_and_certain_risk():
    rows = [[0.5, 0.3, 0.1], [0.5, 0.3, 0.1], [0.6, 0.4, 0.2], [0.4, 0.2, 0.0]]
    found = frame_of(rows).ireval.risk(baseline="s0", a=1)
    assert found["trisk"].tolist() == [0, np.inf, -np.inf]
    assert found["urisk"].tolist() == pytest.approx([0, 0.1, -0.2])


def test_two_topics_have_an_error():
    found = frame_of([[0.5, 0.3], [0.8, 0.4]]).ireval.risk(baseline="s0", a=1)
    assert found["trisk"].tolist() == pytest.approx([stats.ttest_1samp([0.3, 0.1], 0).statistic])


def test_a_single_topic_has_no_error():
    with pytest.warns(IrframeWarning, match="single topic"):
        found = frame_of([[0.5], [0.4]]).ireval.risk(baseline="s0")
    assert found["trisk"].isna().all()


def test_less_cost_is_a_gain_without_georisk():
    found = frame_of([[5, 9.0], [4, 9]], metric="ASL").ireval.risk(baseline="s0")
    assert found["difference"].tolist() == [0.5]
    assert found["wins"].tolist() == [1]
    assert found["georisk"].isna().all()


def test_scores_below_nothing_have_no_georisk():
    found = frame_of([[0.5, -0.1], [0.4, 0.2]]).ireval.risk(baseline="s0")
    assert found["georisk"].isna().all()
    assert found["urisk"].notna().all()


def test_every_depth_is_what_it_is_alone():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG")
    whole = scores.ireval.risk(baseline="bm25", at=[5, 50])
    assert len(whole) == 2 * 2 * 7
    assert (whole["system_b"] == "bm25").all()
    alone = scores.sel(depth=[50]).ireval.risk(baseline="bm25")
    part = whole[whole["depth"] == 50].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone)


def test_topics_without_a_score_are_left_out():
    frame = frame_of([[0.5, 0.3, 0.2], [0.4, 0.6, np.nan]])
    with pytest.warns(IrframeWarning, match="left out"):
        found = frame.ireval.risk(baseline="s0")
    assert found["n_topics"].tolist() == [2]


@pytest.mark.parametrize(("baseline", "a"), [("s9", 1), ("s0", -1)])
def test_refusals(baseline, a):
    with pytest.raises(ParameterError):
        frame_of([[0.5, 0.3], [0.4, 0.6]]).ireval.risk(baseline=baseline, a=a)
