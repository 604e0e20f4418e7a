"""Tests of `predict_powered` against ppi-python and simulated data."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from scipy import special, stats

import irframe as ir
from irframe.errors import (
    DepthError,
    GradeError,
    IdError,
    InputError,
    IrframeWarning,
    MetricError,
    ParameterError,
)

RUNS, PEOPLE = ir.example_track()
MODEL = PEOPLE.assign(
    grade=(PEOPLE["grade"] + PEOPLE["doc"].str[-1].isin([*"24579"])).clip(upper=3)
)
CUBE = RUNS.ireval.cube(MODEL)
DRAWN = PEOPLE.ireval.draw_to_judge(0.5, seed=4)
VALUES = json.loads((Path(__file__).parent / "_ppi" / "values.json").read_text())


def simulate(topics, human, draws, *, seed, correlation=0.8):
    """Return random scores under model and human judgments.

    Each depth is a separate draw. Human scores have the means 0.5 and 0.4. The scores under the
    model's judgments are higher, especially for the first system.
    """
    random = np.random.default_rng(seed)
    people = random.normal(0.0, 0.2, (2, topics, draws))
    noise = random.normal(0.0, 0.2, people.shape)
    model = correlation * people + np.sqrt(1 - correlation**2) * noise
    centres = np.array([0.5, 0.4])[:, np.newaxis, np.newaxis]
    labels = {"system": ["a", "b"], "topic": np.arange(topics), "depth": np.arange(1, draws + 1)}
    dims = ("system", "topic", "depth")
    by_model = xr.DataArray(model + centres + 0.2 * centres, labels, dims, name="AP")
    by_people = xr.DataArray(people + centres, labels, dims, name="AP")
    return by_model, by_people.isel(topic=slice(human))


def coverage(result):
    """Return the coverage of intervals of means and differences."""
    truth = xr.DataArray([0.5, 0.4], dims="system")
    means = (result["ci_low"] <= truth) & (truth <= result["ci_high"])
    difference = (result["difference_low"] <= 0.1) & (result["difference_high"] >= 0.1)
    return means.mean().item(), difference.mean().item()


@pytest.fixture(scope="module")
def both():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "RBP(p=0.8)", at=[5, 50])
    random = np.random.default_rng(0)
    noise = random.normal(0, 0.05, scores.shape)
    return scores, (scores + noise).clip(0, 1)[:, :, ::3]


@pytest.mark.parametrize("topics", ["all", "rest"])
def test_means_and_differences_equal_those_of_ppi_python(topics):
    model, human = (
        xr.DataArray(VALUES[name], dims=("system", "topic")) for name in ("model", "human")
    )
    result = model.ireval.predict_powered(human, topics=topics, distribution="normal")
    result = result.squeeze("metric")
    expected = VALUES[topics]
    means = result[["mean", "ci_low", "ci_high"]].to_array().T
    np.testing.assert_allclose(means, expected["mean"], rtol=1e-9)
    names = ["difference", "difference_low", "difference_high"]
    np.testing.assert_allclose(result[names].to_array().T, expected["difference"], rtol=1e-9)
    assert result["weight"][2] == 0  # the model is negatively correlated with people
    people = np.mean(VALUES["human"][2])
    assert result["mean"][2].item() == pytest.approx(people)


def test_results_do_not_depend_on_other_metrics_systems_and_depths(both, monkeypatch):
    scores, human = both
    monkeypatch.setattr("irframe.cubes.scores.BLOCK_BYTES", 1)
    result = scores.ireval.predict_powered(human)
    systems = [str(name) for name in scores["system"].to_numpy()[[1, 4]]]
    for metric in scores["metric"].to_numpy():
        for depth in (5, 50):
            subset = scores.sel(metric=metric, depth=depth, system=systems)
            alone = subset.ireval.predict_powered(
                human.sel(metric=metric, depth=depth, system=systems)
            )
            cell = result.sel(metric=metric, depth=depth)
            np.testing.assert_allclose(cell["mean"].sel(system=systems), alone["mean"].squeeze())
            difference = by_pair(cell)["difference"].sel(pair=tuple(systems)).item()
            assert difference == pytest.approx(alone["difference"].item())


def by_pair(result):
    """Return the estimates, indexed by pair."""
    return result.set_index(pair=("system_a", "system_b"))


def test_baseline_is_system_b_of_every_pair(both):
    scores, human = both
    result = by_pair(scores.ireval.predict_powered(human, baseline="bm25"))
    every = by_pair(scores.ireval.predict_powered(human))
    for pair in result["pair"].to_numpy():
        assert pair[1] == "bm25"
        sign, reference = (1, pair) if pair in set(every["pair"].to_numpy()) else (-1, pair[::-1])
        expected = sign * every["difference"].sel(pair=reference)
        np.testing.assert_allclose(result["difference"].sel(pair=pair), expected)
    assert (result["n_human"] == 6).all()
    assert (result["n_model"] == 10).all()


@pytest.mark.parametrize("topics", ["rest", "all"])
def test_intervals_use_the_jackknife_variance_over_topics(both, topics):
    model, human = (array.sel(depth=50).clip(0, 1) for array in both)
    model = model.assign_coords(metric=["AP", "RR"])
    human = human.assign_coords(metric=["AP", "RR"])
    names = human["topic"].to_numpy()
    every = model["topic"].to_numpy()
    result = model.ireval.predict_powered(human, topics=topics)
    less = [
        model.drop_sel(topic=name).ireval.predict_powered(human.drop_sel(topic=name), topics=topics)
        for name in names
    ]
    n = len(names)
    counted = model if topics == "rest" else xr.concat([model.sel(topic=names), model], "topic")
    sides = [
        counted.sel(system=result[side].to_numpy()).values for side in ("system_a", "system_b")
    ]
    share = (len(every) - n) / result["n_model"].item(0) ** 2
    for kind, ends, weight, values in (
        ("mean", ("ci_low", "ci_high"), "weight", counted.values),
        (
            "difference",
            ("difference_low", "difference_high"),
            "difference_weight",
            sides[0] - sides[1],
        ),
    ):
        estimates = np.stack([result_of_fewer[kind] for result_of_fewer in less])
        alone = result[weight].values ** 2 * share * values.var(axis=2, ddof=1)
        error = np.sqrt((n - 1) ** 2 / n * estimates.var(axis=0, ddof=1) + alone)
        half = stats.t.ppf(0.975, n - 2) * error
        mean = result[kind].values
        expected = np.stack([mean - half, mean + half])
        if kind == "mean":
            odds = half / (mean * (1 - mean))
            curved = special.expit(special.logit(mean) + np.stack([-odds, odds]))
            expected[:, 0] = curved[:, 0]
        np.testing.assert_allclose([result[end] for end in ends], expected)
    assert result.attrs["interval"] == "logit, t for RR"


@pytest.mark.parametrize("distribution", ["t", "normal"])
def test_intervals_without_variance_are_nan(distribution):
    model = xr.DataArray(np.random.default_rng(0).random((2, 9)), dims=("system", "topic"))
    alike = model.isel(system=[0, 0]).assign_coords(system=["a", "b"])
    with pytest.warns(IrframeWarning, match="^no intervals of 1 of 1 differences, because"):
        result = alike.ireval.predict_powered(alike[:, :4] / 3, distribution=distribution)
    assert np.isnan(result["difference_low"]).all()
    assert (result["ci_low"] < result["ci_high"]).all()
    assert "differences" in result.attrs["caution"]
    with pytest.warns(IrframeWarning, match="of 2 of 2 means and 1 of 1 differences"):
        result = model.ireval.predict_powered(xr.ones_like(model)[:, :4], distribution=distribution)
    assert np.isnan(result["ci_low"]).all()
    if distribution == "t":
        with pytest.warns(IrframeWarning, match="only two topics judged by people: score"):
            result = model.ireval.predict_powered(model[:, :2] / 3)
        assert np.isnan(result["ci_low"]).all()


def test_topics_without_scores_of_all_systems_are_dropped(both):
    scores, human = both
    holes = scores.copy()
    holes[0, 0, 0] = np.nan  # a topic that people judged
    with pytest.warns(IrframeWarning, match="1 of 16 for AP"):
        result = holes.ireval.predict_powered(human)
    subset = scores.isel(topic=slice(1, None)).ireval.predict_powered(
        human.isel(topic=slice(1, None))
    )
    np.testing.assert_allclose(result["ci_low"].sel(metric="AP"), subset["ci_low"].sel(metric="AP"))
    assert result["n_human"].sel(metric="AP").values.tolist() == [5, 5]


def test_topics_with_human_scores_of_some_systems_count_as_unjudged(both):
    scores, human = both
    holes = human.copy()
    holes[:, 2, 1] = np.nan
    with pytest.warns(IrframeWarning, match="^topics on which .* are treated as unjudged: 1$"):
        result = scores.ireval.predict_powered(holes)
    expected = scores.ireval.predict_powered(human.drop_isel(topic=1))
    np.testing.assert_array_equal(result["ci_low"], expected["ci_low"])


def test_too_few_human_or_model_topics_are_refused(both):
    scores, human = both
    with pytest.raises(ParameterError, match="two topics with human scores.*found 0: AP"):
        scores.ireval.predict_powered(human.where(human["metric"] != "AP"))
    refused(ParameterError, "found 1: AP", lambda: scores.ireval.predict_powered(human[:, :, :1]))
    with pytest.raises(ParameterError, match="only the model judged"):
        scores[:, :, ::3].ireval.predict_powered(human, topics="rest")


@pytest.mark.parametrize(
    ("change", "error", "pattern"),
    [
        (
            lambda h: h.assign_coords(topic=["x" + t for t in h["topic"].values]),
            IdError,
            "on topics that the model judged, but found x",
        ),
        (lambda h: h.isel(system=slice(3)), ParameterError, "same systems"),
        (lambda h: h.isel(metric=[0]), MetricError, "none for: RBP"),
        (lambda h: h.sel(depth=[5]), DepthError, "50"),
        (lambda h: h.sel(depth=5, drop=True), DepthError, "without depths"),
    ],
    ids=["topics", "systems", "metrics", "depths", "no depths"],
)
def test_human_scores_with_different_labels_are_refused(both, change, error, pattern):
    scores, human = both
    refused(error, pattern, lambda: scores.ireval.predict_powered(change(human)))


def test_human_scores_at_several_depths_are_refused_if_the_model_has_none(both):
    scores, human = both
    with pytest.raises(ParameterError, match="human scores without depths"):
        scores.sel(depth=5, drop=True).ireval.predict_powered(human)


def test_a_design_of_either_scores_is_refused(both):
    designs = [
        side.ireval.design(weight={topic: n for n, topic in enumerate(side.topic.values, 1)})
        for side in both
    ]
    for side, pair in {
        "predict_powered": (designs[0], both[1]),
        "human=": (both[0], designs[1]),
    }.items():
        expected = f"equal weight for {side}, but found scores with weight="
        refused(ParameterError, expected, ir.verbs.predict_powered, *pair)


def test_metrics_that_are_summed_are_refused():
    runs, qrels = ir.example_track()
    sums = runs.ireval.evaluate(qrels, "NumRelRet")
    pattern = "arithmetic means over topics, but found NumRelRet"
    refused(MetricError, pattern, sums.ireval.predict_powered, sums.head(4))


def test_intervals_have_their_nominal_coverage():
    scores, human = simulate(200, 80, 1000, seed=0)
    result = scores.ireval.predict_powered(human)
    assert all(0.93 <= share <= 0.97 for share in coverage(result))
    alone = human.std("topic", ddof=1).mean() * 1.96 / np.sqrt(80)
    assert (result["ci_high"] - result["mean"]).mean() < 0.85 * alone
    few = scores.ireval.predict_powered(human[:, :10])
    assert all(0.93 <= share <= 0.97 for share in coverage(few))
    normal = scores.ireval.predict_powered(human[:, :10], distribution="normal")
    assert coverage(normal)[0] < 0.93


def contributions(qrels, system, topic, k=5):
    """Return the contribution of each document to P@k."""
    pool = qrels[qrels["topic"] == topic].set_index("doc")["grade"]
    run = RUNS[(RUNS["system"] == system) & (RUNS["topic"] == topic)].ireval.rank()
    top = run.loc[run["rank"] <= k, "doc"]
    return ((pool >= 1) & pool.index.isin(top)) / k


def by_documents(cube=CUBE, human=DRAWN, metrics=("P", "DCG")):
    return cube.ireval.predict_powered(human, metrics=list(metrics), at=5)


@pytest.mark.thorough
def test_means_from_sampled_documents_equal_the_formulas_of_ppi_python():
    """Compare with ppi-python's formulas computed by hand.

    The estimate is lam * mean(model on all) + mean(people - lam * model on the sample). The
    variance of the estimate is the variance of the second mean, with a finite population
    correction. For each topic, lam is estimated from all other topics.
    """
    result = by_documents(metrics="P")
    weight = result["weight"].item()
    weights = [
        by_documents(CUBE.isel(topic=CUBE.topic != name), metrics="P")["weight"].item()
        for name in CUBE.topic.to_numpy()
    ]
    assert 0 < weight < 1
    for system in result.system.to_numpy()[:3]:
        values = []
        variance = drawn = 0
        for topic, weight_of_others in zip(CUBE.topic.to_numpy(), weights, strict=True):
            human = contributions(DRAWN, system, topic)
            model = contributions(MODEL, system, topic)
            rows = DRAWN[DRAWN["topic"] == topic].set_index("doc")["grade"] >= 0
            size = len(rows)
            number = rows.sum()
            values.append(size * (weight * model.mean() + (human - weight * model)[rows].mean()))
            remaining = (human - weight_of_others * model)[rows]
            variance += size**2 * remaining.var(ddof=1) / number * (1 - number / size)
            run = RUNS[(RUNS["system"] == system) & (RUNS["topic"] == topic)].ireval.rank()
            drawn += run.loc[run["rank"] <= 5, "doc"].isin(rows.index[rows]).sum()
        n = len(values)
        cell = result.sel(metric="P", system=system)
        np.testing.assert_allclose(cell["mean"].item(), np.mean(values))
        np.testing.assert_allclose(cell["error"].item(), np.sqrt(variance) / n)
        reach = stats.t.ppf(0.975, drawn - 1) * np.sqrt(variance) / n
        ends = [cell["ci_low"].item(), cell["ci_high"].item()]
        angle = np.arcsin(np.sqrt(np.mean(values)))
        turn = reach / 2
        turn /= np.sqrt(np.mean(values) * (1 - np.mean(values)))
        np.testing.assert_allclose(ends, np.sin([angle - turn, angle + turn]) ** 2)


def test_better_models_save_more_human_judgments():
    true = RUNS.ireval.cube(PEOPLE).ireval.score("P", "DCG", at=[5]).mean("topic")
    with pytest.warns(IrframeWarning, match="16 of 16 means have no interval"):
        same = by_documents(RUNS.ireval.cube(PEOPLE))
    assert np.isnan(same["ci_low"]).all()
    np.testing.assert_allclose(same["mean"], true, atol=1e-12)
    np.testing.assert_allclose(same["error"], 0, atol=1e-9)
    useless = MODEL.assign(
        grade=np.random.default_rng(0).permutation(3 * MODEL["grade"]).clip(0, 3)
    )
    useless.loc[0, "grade"] = 3
    alone = by_documents(RUNS.ireval.cube(useless))
    some = by_documents()
    assert (some["saving"].mean() > alone["saving"].mean() + 0.1).item()
    complete = RUNS.ireval.cube(DRAWN).ireval.estimate("P", "DCG", at=5)["mean_error"]
    np.testing.assert_allclose(some["error_alone"], complete)


def test_ndcg_is_a_weighted_combination_of_human_and_model_estimates():
    options = {"metrics": "nDCG", "at": 12}
    result = CUBE.ireval.predict_powered(DRAWN, **options)
    masked = MODEL.assign(grade=MODEL["grade"].where(DRAWN["grade"] >= 0, -1))
    masked = masked.merge(DRAWN[["topic", "doc", "stratum"]], on=["topic", "doc"])
    people, cheap = (
        RUNS.ireval.cube(qrels).ireval.estimate("nDCG", at=12)["mean"] for qrels in (DRAWN, masked)
    )
    model = CUBE.ireval.score("nDCG", at=[12]).mean("topic")
    weight = result["weight"].item()
    assert 0 < weight <= 1
    np.testing.assert_allclose(result["mean"], people + weight * (model - cheap))
    assert result["saving"].mean() > 0
    with pytest.warns(IrframeWarning, match="every document was judged"):
        everybody = CUBE.ireval.predict_powered(PEOPLE.assign(probability=1.0), **options)
    true = RUNS.ireval.cube(PEOPLE).ireval.score("nDCG", at=[12]).mean("topic")
    np.testing.assert_allclose(everybody["mean"], true, atol=1e-12)


@pytest.mark.parametrize(
    ("human", "error", "pattern"),
    [
        (PEOPLE, InputError, "column stratum or probability.*found neither"),
        (DRAWN[DRAWN["grade"] >= 0], IdError, "-1 for those not drawn.*of one judge only"),
        (DRAWN.replace({"doc": {"d001": "nobody"}}), IdError, "one judge only.*nobody of topic"),
        (
            DRAWN.replace({"grade": {1: 5}}),
            GradeError,
            "up to the highest grade of the model.*5 of",
        ),
        (
            DRAWN.assign(topic="x" + DRAWN["topic"]),
            IdError,
            "judgments of topics of the cube",
        ),
    ],
    ids=["not drawn", "without others", "other documents", "higher grades", "other topics"],
)
def test_invalid_human_judgments_are_refused(human, error, pattern):
    refused(error, pattern, by_documents, human=human)


def test_options_that_the_input_does_not_support_are_refused(both):
    scores, human = both
    for call, pattern in (
        (
            lambda: scores.ireval.predict_powered(human, metrics="P"),
            "apply to scores, but found metrics=",
        ),
        (
            lambda: CUBE.ireval.predict_powered(DRAWN, topics="all"),
            "apply to a cube, but found topics=",
        ),
    ):
        refused(ParameterError, pattern, call)
