"""Tests of verdicts, margins, power and corrections of p-values.

The expected values are computed by statsmodels or by loops.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from known_truth import simulate
from looped import ALPHA, random_scores, rows, t_test
from oracles import comparing
from refusals import refused
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import irframe as ir
from irframe.comparing.corrections import (
    CORRECTIONS,
    FAMILIES,
    adjust_p,
    parse_correction,
    parse_test,
)
from irframe.comparing.pairwise import VERDICTS
from irframe.comparing.significance import Pairing, leads, p_values
from irframe.errors import IrframeWarning, MetricError, ParameterError, cautions_of
from irframe.paired import all_pairs
from irframe.scores.read_scores import scores_to_compare

PAIRS = all_pairs(6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [0, 1])
def test_verdicts_equal_those_of_a_loop(seed, metric):
    scores = random_scores(seed)
    pairing = Pairing(ir.Significance(adjust=None, alpha=ALPHA))
    result = pairing.verdicts(scores_to_compare(scores), metric, slice(1, 3), PAIRS)
    assert result.shape == (len(PAIRS), 2)
    for column, depth in enumerate((1, 2)):
        better = comparing.significant(rows(scores, metric, depth), t_test, ALPHA, cost=metric == 1)
        expected = [(a, b) in better for a, b in PAIRS.tolist()]
        against = [(b, a) in better for a, b in PAIRS.tolist()]
        assert result[:, column].tolist() == np.subtract(expected, against, dtype=int).tolist()


def test_equal_means_have_no_verdict():
    scores = xr.DataArray([[1.0, 3, 1, 3], [3, 1, 3, 1], [9, 9, 9, 8]], dims=("system", "topic"))
    paired = scores_to_compare(scores)
    pairs = all_pairs(3)
    assert leads(paired, 0, slice(None), pairs).ravel().tolist() == [0, -1, -1]
    result = Pairing(ir.Significance(adjust=None, alpha=1 - 1e-9)).verdicts(
        paired, 0, slice(None), pairs
    )
    assert result.ravel().tolist() == [0, -1, -1]
    assert (
        not Pairing(ir.Significance(adjust=None, alpha=1e-9))
        .verdicts(paired, 0, slice(None), pairs)
        .any()
    )


def test_differences_within_rounding_errors_are_not_significant():
    scores = xr.DataArray(
        [[0.1 + 0.2, 1.0], [0.3, 1.0], [0.3 + 1e-11, 1.0]], dims=("system", "topic")
    )
    result = leads(scores_to_compare(scores), 0, slice(None), all_pairs(3))
    assert result.ravel().tolist() == [0, -1, -1]


@pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")
def test_p_values_ignore_topics_that_some_system_lacks():
    scores = random_scores(1, holes=True)
    p = p_values(scores_to_compare(scores), 0, slice(None), test=parse_test("t"), pairs=PAIRS)
    for depth in range(4):
        expected = comparing.p_values(rows(scores, 0, depth), t_test)
        assert p[:, depth] == pytest.approx([expected[a, b] for a, b in PAIRS.tolist()])


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("nDCG", "ASL", at=[5, 10])


def layers(scores, row):
    """Return the scores of both systems of a comparison."""
    layer = scores.sel(metric=row.metric, depth=row.depth)
    sign = -1 if row.metric == "ASL" else 1
    return [sign * layer.sel(system=name).to_numpy() for name in (row.system_a, row.system_b)]


def test_margins_and_power_equal_those_of_statsmodels(scores):
    result = scores.ireval.compare(adjust=None, margin=0.1, power=0.9)
    for row in result.iloc[::5].itertuples():
        a, b = layers(scores, row)
        p, low, _ = ttost_paired(a, b, -0.1, 0.1)
        assert (row.p_not_worse, row.p_equivalent) == pytest.approx((low[1], p), rel=1e-10)
        size = TTestPower().solve_power(nobs=16, alpha=0.05, power=0.9)
        assert row.detectable == pytest.approx(size * np.std(a - b, ddof=1), rel=1e-6)
    usual = scores.ireval.compare(margin=0.1)["detectable"]
    assert (usual < result["detectable"]).all()


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
def test_p_values_of_margins_are_corrected(scores, family):
    plain = scores.ireval.compare(adjust=None, baseline="bm25", margin=0.1)
    result = scores.ireval.compare(
        baseline="bm25", margin=0.1, test=ir.Significance(adjust="holm", family=family)
    )
    names = {"depth": ["metric", "depth"], "metric": ["metric"], "all": []}[family]
    keys = [plain[name] for name in names] or [pd.Series(0, plain.index)]
    for name in ("p_not_worse", "p_equivalent"):
        expected = plain[name].groupby(keys).transform(lambda p: multipletests(p, method="holm")[1])
        np.testing.assert_array_equal(result[name], plain[name])
        np.testing.assert_allclose(result[f"{name}_adjusted"], expected)
        assert (result[name.removeprefix("p_")] == (expected < 0.05)).all()


def test_verdict_is_the_first_statement_that_applies(scores):
    result = pd.concat(
        [scores.ireval.compare(adjust=None, margin=m) for m in (0.01, 0.1, 0.5, 3.0)]
    )
    lead = result["difference"] * np.where(result["metric"] == "ASL", -1, 1)
    worse = result["significant"] & (lead < 0) & ~result["not_worse"]
    holds = {
        "better": result["significant"] & (lead > 0),
        "worse": worse,
        "equivalent": result["equivalent"],
        "not worse": result["not_worse"],
        "undecided": pd.Series(data=True, index=result.index),
    }
    table = np.array([holds[name] for name in VERDICTS])
    assert result["verdict"].tolist() == [VERDICTS[row] for row in table.argmax(axis=0)]
    assert {*result["verdict"]} == {*VERDICTS}
    bare = scores.ireval.compare(power=0.8)
    assert {*bare["verdict"]} == {"better", "worse", "undecided"}
    assert "not_worse" not in bare
    assert "verdict" not in scores.ireval.compare()


def test_constant_differences_have_no_verdict_and_no_interval():
    values = np.array([[0.5, 0.7, 0.6], [0.45, 0.65, 0.55], [0.5, 0.7, 0.6], [0.5, 0.8, 0.6]])
    scores = xr.DataArray(values, {"system": list("abcd")}, ("system", "topic"))
    options = {"margin": 0.05, "effects": True, "simultaneous": True}
    for topics, flat in ((3, 2), (1, 3)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = (
                scores[:, :topics].ireval.compare(baseline="a", **options).set_index("system_a")
            )
        assert {str(message.message) for message in caught} == {*cautions_of(result.attrs)}
        assert any(message.endswith(f": {flat} of 3") for message in cautions_of(result.attrs))
        p = dict.fromkeys("bcd", np.nan) | {"c": 1.0} | ({"d": 1.0} if topics == 1 else {})
        none = ["p_not_worse", "ci_low", "ci_high", "effect_size", "detectable", "g_low"]
        for name in [*"bcd"[:flat]]:
            assert result["p"][name] == pytest.approx(p[name], nan_ok=True)
            assert result["p_adjusted"][name] == pytest.approx(p[name], nan_ok=True)
            assert result.loc[name, [*none, "p_equivalent_adjusted"]].isna().all()
            assert result["verdict"][name] == "undecided"
            assert not result["significant"][name]
        assert result.loc["d", none].notna().all() == (topics == 3)


def test_bounds_have_verdicts_for_worst_and_best_scores(cube):
    within = cube.ireval.bounds("P", "RBP(p=0.8)", at=[10])
    result = within.ireval.compare(baseline="bm25", margin=0.05, adjust="holm")
    both = {side: within.sel(bound=side, drop=True) for side in ("lower", "upper")}
    for end, (of_a, of_b) in {"lowest": ("lower", "upper"), "highest": ("upper", "lower")}.items():
        rival = both[of_b].sel(system=["bm25"])
        further = both[of_a].drop_sel(system="bm25")
        mixed = xr.concat([further, rival], "system", coords="minimal", compat="override")
        expected = mixed.ireval.compare(baseline="bm25", margin=0.05, adjust="holm")
        assert result[f"verdict_{end}"].tolist() == expected["verdict"].tolist()
    is_decided = result["better"].notna() | (result["lowest"] > -0.05)
    assert result["decided"].tolist() == is_decided.tolist()
    assert (is_decided & result["better"].isna()).any()


def test_topics_needed_equal_those_of_statsmodels(scores):
    of_pair = {"baseline": "bm25", "per": "pair"}
    sd = np.sqrt(scores.ireval.topics_needed(topics=50, **of_pair)["variance"].to_numpy().ravel())
    result = scores.ireval.topics_needed(topics=50, **of_pair)["difference"].to_numpy().ravel()
    least = TTestPower().solve_power(nobs=50, alpha=0.05, power=0.8)
    np.testing.assert_allclose(result, least * sd, rtol=1e-6)
    needed = scores.ireval.topics_needed(margin=0.05, **of_pair)["topics"].to_numpy().ravel()
    for n, spread in zip(needed, sd, strict=True):
        power = [
            TTestPower().power(0.05 / spread, topics, 0.05, alternative="larger")
            for topics in (n - 1, n)
        ]
        assert power[0] < 0.8 <= power[1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"margin": np.nan}, ParameterError, "margin"),
        ({"margin": {}}, ParameterError, "a margin for each of .*, but found no margin for"),
        (
            {"margin": {"X@3": 0.1}},
            ParameterError,
            "a margin for each of .*, but found no margin for",
        ),
        ({"power": 0.01}, ParameterError, "power"),
        ({"margin": 0.1, "test": "tukey"}, ParameterError, "support margins, but found tukey"),
        ({"margin": 0.1, "adjust": "max-t"}, ParameterError, "support margins, but found max-t"),
    ],
)
def test_invalid_margins_are_refused(scores, options, error, message):
    refused(error, message, lambda: scores.ireval.compare(**options))


def test_margins_by_metric_equal_separate_comparisons(cube):
    scores, margins = cube.ireval.score("AP", "ASL", at=[5, 10]), {"ASL": 1.5, "AP": 0.04}
    result = scores.ireval.compare(margin=margins, test=ir.Significance(family="metric"))
    for metric, margin in margins.items():
        alone = scores.sel(metric=[metric]).ireval.compare(
            margin=margin, test=ir.Significance(family="metric")
        )
        rows = result[result["metric"] == metric].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone, check_dtype=False)
    assert "margin ASL 1.5, AP 0.04" in result.ireval.styled().to_html()
    bounds = cube.ireval.bounds("AP", "RBP(p=0.8)", at=10)
    by_name = bounds.ireval.compare(margin={"AP": 0.2, "RBP(p=0.8)": 0.05})
    for metric, margin in {"AP": 0.2, "RBP(p=0.8)": 0.05}.items():
        alone = bounds.sel(metric=[metric]).ireval.compare(margin=margin)
        rows = by_name[by_name["metric"] == metric].reset_index(drop=True)
        pd.testing.assert_series_equal(rows["decided"], alone["decided"])
    with pytest.raises(ParameterError, match="margins of other metrics: P@5"):
        scores.ireval.compare(margin=margins | {"P@5": 0.1})


def test_margins_of_geometric_means_are_refused(cube):
    with pytest.raises(
        MetricError, match="arithmetic means over topics for margin=, but found GMAP"
    ):
        cube.ireval.score("AP", "GMAP", at=10).ireval.compare(margin=0.1)
    for question in ({"margin": 0}, {"topics": 1}, {"topics": 2.5}):
        with pytest.raises(ParameterError, match=next(iter(question))):
            cube.ireval.score("AP", at=10).ireval.topics_needed(**question)


ps = st.lists(st.floats(1e-9, 1), min_size=1, max_size=8)


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_corrections_equal_those_of_statsmodels(adjust):
    random = np.random.default_rng(3)
    p = np.round(random.random((3, 4, 7)) ** 4, 3)  # some tie
    p[0, 0, 2], p[0, 1, 3], p[1, 2] = 0, 1, 0.01
    with np.errstate(divide="ignore"):
        expected = [multipletests(row, 0.05, adjust)[1] for row in p.reshape(-1, 7)]
    (result,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(result, np.reshape(expected, p.shape))
    assert adjust_p([p[:1, :1, :1]], adjust, family="all", alpha=0.05)[0] == p[0, 0, 0]


@pytest.mark.parametrize("adjust", CORRECTIONS)
@given(p=ps, data=st.data())
def test_corrected_p_values_keep_their_order_and_are_not_smaller(adjust, p, data):
    shuffle = data.draw(st.permutations(range(len(p))))
    (result,) = adjust_p([np.array([[p]])], adjust, family="all", alpha=0.05)
    (repeated,) = adjust_p([np.array([[p]])[..., shuffle]], adjust, family="all", alpha=0.05)
    np.testing.assert_allclose(repeated, result[..., shuffle])
    sortable = result[0, 0][np.argsort(p, kind="stable")]
    assert (np.diff(sortable) >= -1e-12).all()
    if not adjust.startswith("fdr_ts"):
        assert (result[0, 0] >= np.array(p) - 1e-12).all()
    assert (result <= 1).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_bonferroni_multiplies_by_the_size_of_the_family(family):
    random = np.random.default_rng(0)
    groups = [random.random((2, 3, 4)) / 50, random.random((2, 1, 5)) / 50]
    sizes = {
        "depth": [group.shape[2] for group in groups],
        "metric": [group[0].size for group in groups],
        "all": [sum(group.size for group in groups)] * 2,
    }[family]
    result = adjust_p(groups, "bonferroni", family=family, alpha=0.05)
    for p, adjusted, size in zip(groups, result, sizes, strict=True):
        np.testing.assert_allclose(adjusted, np.minimum(1, p * size))


def test_unknown_corrections_and_families_are_refused():
    pattern = (
        "or a correction to be one of 13 words.*found 'bonf' .in irframe: 'bonferroni'.. Choose"
    )
    refused(ParameterError, pattern, lambda: parse_correction("bonf"))
    with pytest.raises(ParameterError, match="family to be one of 'depth', 'metric', 'all'"):
        parse_correction("holm", family="pair")


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_missing_p_values_count_as_comparisons(adjust):
    p = np.array([[[0.01, np.nan, 0.002, 0.3, np.nan]]])
    (result,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    (filled,) = adjust_p([np.nan_to_num(p, nan=1.0)], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(result, np.where(np.isnan(p), np.nan, filled))


MAX_T = ir.paired.MaxT(samples=200, seed=1)


def p_of(frame):
    return frame["p_adjusted"].to_numpy()


def test_max_t_corrects_pairs_of_a_depth_together(scores):
    frame = scores.ireval.compare(adjust=MAX_T)
    for (metric, depth), family in frame.groupby(["metric", "depth"]):
        alone = scores.sel(metric=[metric], depth=[depth]).ireval.compare(adjust=MAX_T)
        np.testing.assert_array_equal(p_of(family), p_of(alone))
    assert (frame["p_adjusted"] >= frame["p"]).all()
    assert (frame["significant"] == (frame["p_adjusted"] < 0.05)).all()


def test_max_t_adjusts_more_for_larger_families(scores):
    by_depth, by_metric, all_in_all = (
        p_of(scores.ireval.compare(ir.Significance(adjust=MAX_T, family=family)))
        for family in ("depth", "metric", "all")
    )
    assert (by_depth <= by_metric).all()
    assert (by_metric <= all_in_all).all()
    twice = xr.concat([scores[:1, ..., :1], scores[:1, ..., :1].assign_coords(depth=[6])], "depth")
    doubled = p_of(twice.ireval.compare(ir.Significance(adjust=MAX_T, family="metric")))
    np.testing.assert_array_equal(doubled, np.tile(by_depth[:28], 2))


def test_max_t_aligns_groups_by_topic_name(scores):
    layer = scores[:1, ..., :1]
    teams = layer.ireval.groupby("team").compare(ir.Significance(adjust=MAX_T, family="all"))
    pairs = layer.ireval.compare(adjust=MAX_T).set_index(["system_a", "system_b"])
    assert (
        teams["p_adjusted"].to_numpy()
        <= pairs.loc[teams.set_index(["system_a", "system_b"]).index, "p_adjusted"].to_numpy()
    ).all()
    separate = layer.ireval.groupby("team").compare(adjust=MAX_T)
    assert (p_of(separate) <= p_of(teams)).all()


def test_max_t_ignores_topics_that_are_left_out(scores):
    holes = scores.where((scores["topic"] != "101") | (scores["system"] != "bm25"))
    with pytest.warns(IrframeWarning, match="left out"):
        result = holes.ireval.compare(ir.Significance(adjust=MAX_T, family="all"))
    remaining = scores.sel(topic=scores["topic"] != "101").ireval.compare(
        ir.Significance(adjust=MAX_T, family="all")
    )
    pd.testing.assert_frame_equal(result, remaining)


def test_discrimination_equals_the_share_of_significant_pairs(scores):
    for adjust in ("holm", MAX_T):
        frame = scores.ireval.compare("permutation", adjust=adjust)
        expected = frame.groupby(["metric", "depth"], sort=False)["significant"].mean()
        result = scores.ireval.discrimination(ir.Significance("permutation", adjust=adjust))
        np.testing.assert_allclose(result.values.ravel(), expected)


def test_max_t_controls_the_familywise_error_rate():
    scores, truth = simulate(8, 20, 300, spread=2, seed=0)
    scores[:5] -= truth[:5, np.newaxis]
    frame = scores.ireval.compare(adjust=ir.paired.MaxT(samples=199))
    null = frame[(frame["system_a"] <= 5) & (frame["system_b"] <= 5)]
    false = null.groupby("depth")["significant"].any().mean()
    assert 0.01 <= false <= 0.07
    holm = scores.ireval.compare(adjust="holm")
    assert (frame.drop(null.index)["significant"].mean()) > holm.drop(null.index)[
        "significant"
    ].mean()


def test_names_of_corrections_are_parsed(scores):
    assert parse_correction("max-t", ir.paired.PairedT()) == ir.paired.MaxT(samples=10_000, seed=0)
    assert parse_correction(MAX_T, ir.paired.Permutation()) is MAX_T
    for test in ("wilcoxon", "bootstrap"):
        refused(ParameterError, "adjust=.max-t", scores.ireval.compare, test, adjust="max-t")
    refused(ParameterError, "adjust", lambda: scores.ireval.compare(adjust="max"))
    attrs = scores.ireval.rank_intervals(test=ir.Significance(adjust=MAX_T)).attrs
    assert attrs["adjust"] == "MaxT(samples=200, seed=1)"
