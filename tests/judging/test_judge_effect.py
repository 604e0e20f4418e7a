"""Tests of `judge_effect` against reference implementations."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy.stats import rankdata, ttest_ind, ttest_rel

import irframe as ir
from irframe.errors import GradeError, IdError, IrframeWarning, ParameterError

METRICS = ["AP", "nDCG@10", "RBP(p=0.8)"]
AT = [5, 50]


def judges_of(qrels):
    """Return judgments of people, a strict judge, and random grades."""
    random = np.random.default_rng(1)
    guess = random.permutation(qrels["grade"].to_numpy())
    strict = qrels["grade"].where(qrels["grade"] != 1, 0)
    return {
        "people": qrels,
        "strict": qrels.assign(grade=strict),
        "guess": qrels.assign(grade=guess),
    }


@pytest.fixture(scope="module")
def track():
    runs, qrels = ir.simulate_track(systems=7, topics=12, docs=60, depth=50, pool_depth=20, seed=3)
    return runs, judges_of(qrels)


@pytest.fixture(scope="module")
def effect(track):
    runs, judges = track
    groups = {"odd": sorted(runs["system"].unique())[1::2]}
    return runs.ireval.judge_effect(judges, METRICS, at=AT, groups=groups)


def scores_by(track, name):
    runs, judges = track
    return runs.ireval.cube(judges[name]).ireval.score(*METRICS, at=AT)


def test_means_ranks_and_biases_equal_those_computed_from_scores(track, effect):
    people = scores_by(track, "people")
    np.testing.assert_allclose(
        effect["reference_mean"], people.mean("topic").transpose("metric", "depth", "system")
    )
    for name in ("strict", "guess"):
        scores = scores_by(track, name)
        by_judge = effect.sel(judge=name)
        means = scores.mean("topic").transpose("metric", "depth", "system")
        np.testing.assert_allclose(by_judge["mean"], means)
        ranks = rankdata(-np.round(means, 12), method="min", axis=-1)
        np.testing.assert_array_equal(by_judge["rank"], ranks)
        for index in np.ndindex(len(METRICS), 7, len(AT)):
            metric, system, depth = index
            new, old = (array.values[metric, system, :, depth] for array in (scores, people))
            cell = by_judge.isel(metric=metric, system=system, depth=depth)
            assert cell["bias"].item() == pytest.approx((new - old).mean())
            expected = ttest_rel(new, old).confidence_interval(0.95)
            np.testing.assert_allclose(cell["bias_interval"], [expected.low, expected.high])


@pytest.mark.parametrize("adjust", [None, "max-t"])
def test_conclusions_agree_with_compare_under_each_judge(track, adjust):
    runs, judges = track
    result = runs.ireval.judge_effect(judges, METRICS, at=AT, test=ir.Significance(adjust=adjust))[
        "conclusions"
    ]
    frames = {name: scores_by(track, name).ireval.compare("t", adjust=adjust) for name in judges}
    keys = ["metric", "depth", "system_a", "system_b"]
    for name in ("strict", "guess"):
        joined = frames["people"].merge(frames[name], on=keys, suffixes=("_old", "_new"))
        old, new = (
            np.sign(joined[f"difference_{side}"]) * joined[f"significant_{side}"]
            for side in ("old", "new")
        )
        kinds = {"kept": old * new > 0, "lost": (old != 0) & (new == 0)}
        kinds |= {"new": (old == 0) & (new != 0), "reversed": old * new < 0}
        kinds["neither"] = (old == 0) & (new == 0)
        counts = pd.DataFrame(kinds).groupby([joined["metric"], joined["depth"]]).sum()
        expected = counts.to_xarray().to_array("conclusion")
        by_judge = result.sel(judge=name)
        expected = expected.transpose(*by_judge.dims).reindex_like(by_judge)
        np.testing.assert_array_equal(by_judge, expected)
    assert (result.sum("conclusion") == 21).all()


def test_judge_effect_and_agreement_compute_the_same_values(track, effect):
    people = scores_by(track, "people")
    for name in ("strict", "guess"):
        for method in ("kendall", "tau_ap", "rbo"):
            expected = scores_by(track, name).ireval.agreement(people, method)
            result = effect["agreement"].sel(judge=name, coefficient=method)
            np.testing.assert_allclose(result, expected)


def test_judge_effect_and_agreement_compute_the_same_intervals(track):
    runs, judges = track
    drawn = {"interval_of": "expected", "resamples": ir.Resampling(20, seed=1)}
    decided = ir.Significance(alpha=0.2)
    result = runs.ireval.judge_effect(judges, METRICS, at=AT, test=decided, **drawn)
    people = scores_by(track, "people")
    for name in ("strict", "guess"):
        expected = scores_by(track, name).ireval.agreement(people, "rbo", alpha=0.2, **drawn)
        ends = result["agreement_interval"].sel(judge=name, coefficient="rbo")
        np.testing.assert_allclose(ends.sel(bound="lower"), expected["ci_low"])
        np.testing.assert_allclose(ends.sel(bound="upper"), expected["ci_high"])


def test_alpha_applies_to_every_interval(track):
    runs, judges = track
    options = {
        "groups": {"some": sorted(runs["system"].unique())[:3]},
        "interval_of": "expected",
        "at": 10,
    }
    wide, narrow = (
        runs.ireval.judge_effect(
            judges, "AP", test=ir.Significance(alpha=alpha), resamples=50, **options
        )
        for alpha in (0.05, 0.5)
    )
    for name in ("bias_interval", "group_interval", "agreement_interval"):
        widths = [effect[name].diff("bound").to_numpy() for effect in (narrow, wide)]
        assert (widths[0] <= widths[1]).all()
        assert widths[0].mean() < 0.6 * widths[1].mean()


def test_group_bias_is_tested_by_welchs_test_against_other_systems(effect):
    odd = np.isin(effect["system"], sorted(effect["system"].to_numpy())[1::2])
    for index in np.ndindex(2, 3, 2):
        bias = effect["bias"].values[index]
        expected = ttest_ind(bias[odd], bias[~odd], equal_var=False)
        assert effect["group_p"].values[index].item() == pytest.approx(expected.pvalue)
        difference = bias[odd].mean() - bias[~odd].mean()
        assert effect["group_bias"].values[index].item() == pytest.approx(difference)
        low, high = expected.confidence_interval()
        np.testing.assert_allclose(effect["group_interval"].values[index].ravel(), [low, high])


def test_changing_the_reference_reverses_biases_and_conclusions(track, effect):
    runs, judges = track
    result = runs.ireval.judge_effect(judges, METRICS, reference="strict", at=AT)
    assert result["judge"].to_numpy().tolist() == ["people", "guess"]
    back = effect.sel(judge="strict")
    np.testing.assert_allclose(result["bias"].sel(judge="people"), -back["bias"])
    new = result["conclusions"].sel(judge="people", conclusion="new")
    np.testing.assert_array_equal(new, back["conclusions"].sel(conclusion="lost"))


def test_topics_without_scores_under_some_judge_are_dropped(track):
    runs, judges = track
    none = judges["people"].assign(grade=0)
    some = none["topic"] == none["topic"].iloc[0]
    barren = {"people": judges["people"], "other": judges["people"].where(~some, none)}
    barren["other"] = barren["other"].assign(grade=barren["other"]["grade"].astype(int))
    with pytest.warns(IrframeWarning, match="1 of 12 for ASL"):
        result = runs.ireval.judge_effect(barren, "ASL", at=50)
    subset = {name: qrels[~some] for name, qrels in barren.items()}
    alone = runs[runs["topic"] != none["topic"].iloc[0]].ireval.judge_effect(subset, "ASL", at=50)
    np.testing.assert_allclose(result["bias_interval"], alone["bias_interval"])


def test_judgments_of_different_documents_need_a_policy(track):
    runs, judges = track
    fewer = {"people": judges["people"], "strict": judges["strict"].iloc[3:]}
    refused(IdError, "3 of .* pairs='own', which uses", runs.ireval.judge_effect, fewer, "AP")
    common = runs.ireval.judge_effect(fewer, "AP", pairs="common")
    alone = {"people": judges["people"].iloc[3:], "strict": judges["strict"].iloc[3:]}
    np.testing.assert_allclose(common["mean"], runs.ireval.judge_effect(alone, "AP")["mean"])
    all_judgments = runs.ireval.judge_effect(fewer, "AP", pairs="own")
    np.testing.assert_allclose(
        all_judgments["reference_mean"], runs.ireval.judge_effect(judges, "AP")["reference_mean"]
    )


def test_judges_of_different_topics_are_refused(track):
    runs, judges = track
    first = judges["people"]["topic"].iloc[0]
    fewer = judges | {"guess": judges["guess"][judges["guess"]["topic"] != first]}
    pattern = f"found 1 topic without judgments of some judge: {first} not by guess"
    refused(IdError, pattern, runs.ireval.judge_effect, fewer, "AP", pairs="own")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"groups": {"one": ["simulated"]}}, ParameterError),
        ({"groups": {}}, ParameterError),
        ({"grades": [0, 1]}, GradeError),
    ],
    ids=str,
)
def test_invalid_arguments_of_judge_effect_are_refused(track, options, error):
    runs, judges = track
    refused(error, "expected", runs.ireval.judge_effect, judges, "AP", **options)


@pytest.mark.thorough
def test_agreement_equals_published_values_of_deep_learning_2021(shared):
    folder = shared / "data" / "trec-dl-2021-judges"
    judges = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    with pytest.warns(IrframeWarning, match="uogTrPC in 20 of 53 lists"):
        result = runs.ireval.judge_effect(
            judges, ["nDCG@10", "AP(rel=2)"], at=100, coefficients=["kendall", "spearman"]
        )
    np.testing.assert_allclose(
        result["agreement"].squeeze(), [[0.936410, 0.991935], [0.919099, 0.988479]], atol=5e-7
    )
