"""Tests of weights of topics."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from oracles.paired_tests import designed_mean
from refusals import refused
from scipy import stats
from statsmodels.stats.multitest import multipletests

from irframe.comparing.corrections import parse_test
from irframe.errors import ParameterError
from irframe.paired import TESTS, PairedT
from irframe.paired.design import design_of
from irframe.scores.averages import Resamples

TOPICS = [f"q{n}" for n in range(12)]
RANDOM = np.random.default_rng(7)
WEIGHTS = RANDOM.integers(1, 90, 12).astype(float)
SCORES = xr.DataArray(
    RANDOM.beta(2, 3, (2, 4, 12, 2)).round(3),
    {
        "metric": ["nDCG", "AP"],
        "system": ["d", "a", "c", "b"],
        "topic": TOPICS[::-1],
        "depth": [5, 10],
        "frequency": ("topic", WEIGHTS),
    },
    ("metric", "system", "topic", "depth"),
)
DRAWN = SCORES.ireval.design(weight="frequency")
HOLED = SCORES.where((SCORES.system != "c") | (SCORES.topic != "q3") | (SCORES.depth != 10))
VERBS = {
    "summary": {},
    "compare": {"margin": 0.05, "baseline": "a"},
    "leaderboard": {"baseline": "a"},
    "rank_intervals": {},
}
"""Mapping from the name of each tested function, all of which support weights, to its options."""
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{beginning}:irframe.errors.IrframeWarning")
    for beginning in ("(tests and intervals|resamples) are unreliable", "one topic has")
]
WEIGHABLE = [name for name, test in TESTS.items() if test.supports_design]


def numbers(result):
    """Return the numeric columns of a result, without depths."""
    frame = result.to_dataframe() if isinstance(result, xr.Dataset) else result
    omitted = ["depth", "n_eff", "df"]
    return frame.drop(columns=omitted, errors="ignore").select_dtypes("number").to_numpy(float)


def apply_verb(name, scores, weights, **options):
    drawn = scores.ireval.design(weight=weights)
    return getattr(drawn.ireval, name)(**{**VERBS[name], **options})


def oracle(values, weights):
    """Return mean, interval, t and p-value of weighted scores."""
    present = ~np.isnan(values)
    mean, variance, freedom, _ = designed_mean(values[present], weights[present])
    error = np.sqrt(variance)
    t, half = mean / error, error * stats.t.ppf(0.975, freedom)
    return mean, mean - half, mean + half, t, 2 * stats.t.sf(abs(t), freedom)


def test_weighted_means_intervals_and_tests_equal_a_direct_computation():
    holed = HOLED.ireval.design(weight="frequency")
    with pytest.warns(UserWarning, match="different topics"):
        summary = holed.ireval.summary(interval="t")
    for (metric, system, depth), row in summary.to_dataframe().iterrows():
        values = HOLED.sel(metric=metric, system=system, depth=depth).to_numpy()
        interval = row[["mean", "ci_low", "ci_high"]].to_numpy(float)
        np.testing.assert_allclose(interval, oracle(values, WEIGHTS)[:3], rtol=1e-10)
        assert row["n"] == (~np.isnan(values)).sum()
        subset = WEIGHTS[~np.isnan(values)]
        assert row["n_eff"] == pytest.approx(subset.sum() ** 2 / (subset**2).sum())
    with pytest.warns(UserWarning, match="left out"):
        rows = holed.ireval.compare(margin=0.05)
    not_worse: list[float] = []
    columns = ["difference", "ci_low", "ci_high", "statistic", "p"]
    for _, row in rows.iterrows():
        of = HOLED.sel(metric=row["metric"], depth=row["depth"])
        a, b = (of.sel(system=row[side]).to_numpy() for side in ("system_a", "system_b"))
        common = ~np.isnan(of.to_numpy()).any(axis=0)
        expected = oracle(np.where(common, a - b, np.nan), WEIGHTS)
        np.testing.assert_allclose(row[columns].to_numpy(float), expected, rtol=1e-9)
        shifted = oracle(np.where(common, a - b + 0.05, np.nan), WEIGHTS)
        one_sided = shifted[4] / 2 if shifted[3] > 0 else 1 - shifted[4] / 2
        not_worse.append(one_sided)
        assert row["mean_a"] == pytest.approx(np.average(a[common], weights=WEIGHTS[common]))
        assert row["n_topics"] == common.sum()
        assert row["n_eff"] == pytest.approx(WEIGHTS[common].sum() ** 2 / sum(WEIGHTS[common] ** 2))
    groups = rows.groupby(["metric", "depth"], sort=False).indices.values()
    for index in groups:
        holm = multipletests(np.array(not_worse)[index], method="holm")[1]
        np.testing.assert_allclose(rows["p_not_worse_adjusted"].to_numpy()[index], holm, rtol=1e-9)


@pytest.mark.parametrize("name", VERBS)
def test_weights_give_the_same_result_for_every_kind_of_scores(name):
    plain = numbers(getattr(SCORES.ireval, name)(**VERBS[name]))
    for equal in (1, 0.1, 1e300, 3e-300):
        weighted = numbers(apply_verb(name, SCORES, dict.fromkeys(TOPICS, equal)))
        np.testing.assert_allclose(weighted, plain, rtol=1e-11, atol=1e-12)
    flat = SCORES.sel(depth=10)
    expected = apply_verb(name, flat, "frequency")
    assert (numbers(expected) != numbers(getattr(flat.ireval, name)(**VERBS[name]))).any()
    series = pd.Series(WEIGHTS, SCORES.topic.to_numpy()).sort_index()
    column = flat.drop_vars("frequency").to_dataframe("value").reset_index()
    column = column.drop(columns="depth").assign(often=column["topic"].map(series))
    wide = column.pivot(index=["system", "topic", "often"], columns="metric", values="value")
    readers = [
        (flat, series * 3.5),
        (flat.isel(topic=slice(None, None, -1)), {**series, "other": -1}),
        (flat.chunk(topic=5), "frequency"),
        (column, "often"),
        (wide[["nDCG", "AP"]], "often"),
        (wide[["nDCG", "AP"]].reset_index("often"), "often"),
    ]
    for scores, weights in readers:
        result = apply_verb(name, scores, weights)
        assert result.attrs["weight"] == (weights if isinstance(weights, str) else "given weight")
        values, expected_values = (np.sort(numbers(x), axis=0) for x in (result, expected))
        np.testing.assert_allclose(values, expected_values, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", VERBS)
def test_invalid_weights_are_refused(name):
    weights = dict(zip(TOPICS, WEIGHTS, strict=True))
    wrong = {"q5": -1, "q6": np.nan, "q7": np.inf, "q8": "often", "q9": None}
    for topic, value in wrong.items():
        pattern = rf"none for 1 topic: {topic}" if pd.isna(value) else rf"{topic} \("
        refused(ParameterError, pattern, apply_verb, name, SCORES, {**weights, topic: value})
    with pytest.raises(ParameterError, match=r"none for 1.*q4"):
        apply_verb(name, SCORES, {topic: 1 for topic in TOPICS if topic != "q4"})
    refused(ParameterError, "above 0", lambda: apply_verb(name, SCORES, dict.fromkeys(TOPICS, 0)))
    refused(
        ParameterError, "coordinate of the topics.*frequency", apply_verb, name, SCORES, "often"
    )
    with pytest.raises(ParameterError, match="several for 1 topic"):
        apply_verb(name, SCORES, pd.Series([1.0] * 13, [*TOPICS, "q2"]))
    refused(ParameterError, "a name, or a mapping", lambda: apply_verb(name, SCORES, [1, 2]))
    frame = SCORES.sel(depth=5, drop=True).drop_vars("frequency").to_series().unstack("metric")
    refused(ParameterError, "column or index level", lambda: apply_verb(name, frame, "often"))
    refused(ParameterError, "several for 12 topics", lambda: apply_verb(name, frame, "AP"))
    with pytest.warns(UserWarning, match="weight 0 are ignored: q1$"):
        result = apply_verb(name, SCORES, {**weights, "q1": 0})
    subset = apply_verb(name, SCORES.sel(topic=SCORES.topic != "q1"), weights)
    np.testing.assert_array_equal(numbers(result), numbers(subset))


def test_groups_use_the_weights_of_their_topics():
    grouped = SCORES.assign_coords(half=("topic", ["x", "y"] * 6))
    half = grouped.sel(topic=grouped.half == "y")
    expected = half.ireval.design(weight="frequency").ireval.compare()
    drawn = grouped.ireval.design(weight="frequency")
    result = drawn.ireval.groupby("half").compare().query("half == 'y'")
    pd.testing.assert_frame_equal(result.drop(columns="half").reset_index(drop=True), expected)


@pytest.mark.parametrize("test", TESTS)
def test_tests_that_do_not_support_weights_are_refused(test):
    if test not in WEIGHABLE:
        for verb in ("compare", "rank_intervals", "leaderboard"):
            with pytest.raises(ParameterError, match=f"supports weight=.*{test}"):
                getattr(DRAWN.ireval, verb)(test=test)
        return
    values, pairs = SCORES[0].to_numpy(), np.array([[0, 1], [2, 1]])
    equal = parse_test(test).with_design(design_of(12), values, pairs)
    for array, expected in zip(equal, parse_test(test).kernel(values, pairs), strict=True):
        np.testing.assert_allclose(array, expected, rtol=1e-10)
    p = [DRAWN.ireval.compare(name)["p"] for name in ("t", test)]
    np.testing.assert_allclose(*p, atol=0.15)


SHAPES = {
    "alike": np.ones,
    "1/place": lambda n: 1 / np.arange(1.0, n + 1),
    "1/place^2": lambda n: 1 / np.arange(1.0, n + 1) ** 2,
    "one x 20": lambda n: np.where(np.arange(n) == n // 2, 20.0, 1),
    "one x 1000": lambda n: np.where(np.arange(n) == n // 2, 1000.0, 1),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_type_i_error_rate_of_the_weighted_t_test_is_near_alpha(shape):
    for n in (5, 20):
        scores = np.random.default_rng(n).normal(size=(2, n, 4000))
        weights = SHAPES[shape](n)
        p = PairedT().with_design(design_of(n, weights=weights), scores).p
        assert (p < 0.05).mean() < 0.062


def test_unequal_weights_raise_a_warning():
    heavy = dict.fromkeys(TOPICS, 1.0) | {"q3": 12.0}
    for name in VERBS:
        with pytest.warns(UserWarning, match="fewer than 5 topics of equal weight: 3.41") as caught:
            result = apply_verb(name, SCORES, heavy)
        assert [str(warning.message) for warning in caught] == result.attrs["caution"].split("\n")
        assert "one topic has 52.2% of the weight" in result.attrs["caution"]
    heavier = SCORES.ireval.design(weight=dict.fromkeys(TOPICS, 1.0) | {"q3": 3.3})
    with pytest.warns(
        UserWarning, match="resamples are unreliable .* fewer than 10 topics of equal weight: 9"
    ):
        heavier.ireval.compare("bootstrap")
    alike = SCORES.ireval.design(weight=dict.fromkeys(TOPICS, 1.0))
    assert "caution" not in alike.ireval.compare().attrs


def test_topics_in_bootstrap_samples_keep_their_weights():
    test = parse_test("bootstrap")
    values, u = SCORES[0, :, :, :1].to_numpy(), WEIGHTS / WEIGHTS.mean()
    d = values[0, :, 0] - values[1, :, 0]

    def t_of(x, w):
        m = np.average(x, weights=w)
        error = (w**2 * (x - m) ** 2).sum() / w.sum() ** 2 * 12 / 11
        return m / np.sqrt(error)

    centred = d - np.average(d, weights=u)
    drawn = [abs(t_of(centred[draw], u[draw])) for draw in test.resamples(12)]
    result = test.with_design(design_of(12, weights=u), values, np.array([[0, 1]]))
    assert result.statistic.item() == pytest.approx(t_of(d, u))
    assert result.p.item() == max(np.mean(np.array(drawn) >= abs(t_of(d, u))), 1 / 1001)
    board = DRAWN.ireval.rank_intervals("bootstrap").isel(metric=0, depth=0)
    order = np.argsort(SCORES.topic.to_numpy(), kind="stable")
    counts = Resamples(0.05, 1000, 0).counts(12) * WEIGHTS[order]
    means = counts @ values[:, order, 0].T
    share = (means == means.max(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(board["first"], share)
