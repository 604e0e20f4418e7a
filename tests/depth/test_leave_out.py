"""Tests of `leave_out` and `robustness`.

Results are compared with cubes that are rebuilt without some runs or judgments.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from dense import dense
from refusals import refused
from scipy import stats
from turns import few_of

import irframe as ir
from irframe.errors import DepthError, GradeError, IrframeWarning, ParameterError

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*judgments are set aside:irframe.errors.IrframeWarning"
)

RUNS, QRELS = ir.example_track()


METRICS = ["AP(norm='min')", "AP(norm='pool')", "nDCG", "nDCG(ideal='pool')", "RBP(p=0.8)", "ESL"]


def track_of(case):
    rows = [
        (system, topic, doc, -rank)
        for system, lists in case["input"]["runs"].items()
        for topic, docs in lists.items()
        for rank, doc in enumerate(docs)
    ]
    grades = [(t, d, g) for t, docs in case["input"]["qrels"].items() for d, g in docs.items()]
    return (
        pd.DataFrame(rows, columns=["system", "topic", "doc", "score"]),
        pd.DataFrame(grades, columns=["topic", "doc", "grade"]),
    )


def rebuilt_means(runs, qrels, contributing, depth, metrics):
    """Return mean scores if only `contributing` runs are pooled."""
    pool = runs.ireval.pool(ir.Pool(depth, contributing=contributing))
    judgments = qrels.ireval.restrict(pool)
    top = qrels.nlargest(1, "grade").assign(doc="unseen")
    with pytest.warns(IrframeWarning, match="no system has a list for 1 of .* judged topics: no"):
        cube = runs.ireval.cube(
            pd.concat([judgments, top.assign(topic="no")]),
            depth=depth,
            pool=ir.Pool(depth=depth, contributing=contributing),
        )
    scores = cube.ireval.score(*metrics, at=depth).sel(topic=sorted(qrels["topic"].unique()))
    return scores.mean("topic").to_pandas()


def test_changes_of_scores_and_ranks_equal_the_worked_case(golden):
    case = golden["002-leave-one-run"]
    runs, qrels = track_of(case)
    names = {"AP_b@4": METRICS[0], "NDCG_a@4 linear": "nDCG", "RBP(0.8)@4": "RBP(p=0.8)"}
    rows = runs.ireval.cube(qrels).ireval.leave_out(*names.values(), depth=4)
    for key, metric in names.items():
        expected, subset = case["expected"][key], rows[rows["metric"] == metric]
        assert subset["change"].mean() == pytest.approx(expected["delta_pct"], abs=1e-9)
        assert subset["rank_change"].mean() == expected["delta_rank"]
        systems, changes, ranks = zip(*expected["detail"], strict=True)
        assert tuple(subset["system"]) == systems
        assert subset["change"].tolist() == pytest.approx(list(changes), abs=1e-9)
        assert tuple(subset["rank_change"]) == ranks


@pytest.mark.parametrize(("together", "depth"), few_of(product([None, "team"], [10, 4]), 3))
def test_leave_out_agrees_with_cubes_that_are_rebuilt_without_a_run(cube, together, depth):
    metrics = METRICS[:-1]
    rows = cube.ireval.leave_out(*metrics, together=together, depth=depth)
    contributing = RUNS.loc[RUNS["contributing"], "system"].unique().tolist()
    group = RUNS.drop_duplicates("system").set_index("system")[together] if together else None
    before = rebuilt_means(RUNS, QRELS, contributing, depth, metrics)
    for system in contributing:
        removed = [
            s for s in contributing if s == system or (together and group[s] == group[system])
        ]
        remaining = [s for s in contributing if s not in removed]
        after = rebuilt_means(RUNS, QRELS, remaining, depth, metrics)
        result = rows[rows["system"] == system].set_index("metric")
        np.testing.assert_allclose(result["mean"], before[system], atol=1e-12)
        np.testing.assert_allclose(result["mean_without"], after[system], atol=1e-12)
        change = 100 * (after[system] - before[system]) / before[system]
        np.testing.assert_allclose(result["change"], change, atol=1e-9)
        ranks = [m.rank(axis=1, ascending=False, method="min")[system] for m in (before, after)]
        np.testing.assert_array_equal(result["rank"], ranks[0])
        np.testing.assert_array_equal(result["rank_without"], ranks[1])
        np.testing.assert_array_equal(result["rank_change"], abs(ranks[1] - ranks[0]))
        taus = [before.loc[m].corr(after.loc[m], method="kendall") for m in metrics]
        np.testing.assert_allclose(result["tau"], taus, atol=1e-12)
        unique = RUNS.ireval.pool(ir.Pool(depth, contributing=contributing), together=together)
        lost = unique[unique["system"].isin(removed) & unique["unique"]]
        lost = lost[["topic", "doc"]].drop_duplicates()
        assert (result["lost"] == len(lost)).all()
        relevant = lost.merge(QRELS).query("grade >= 1")
        assert (result["lost_relevant"] == len(relevant)).all()


def test_rows_cover_all_metrics_depths_and_contributing_systems(cube):
    rows = cube.ireval.leave_out("AP", "P", at=[5, 50], together="team")
    assert list(rows.columns[:4]) == ["metric", "depth", "team", "system"]
    assert rows["metric"].tolist() == ["AP"] * 10 + ["P"] * 10
    assert rows["depth"].tolist() == ([5] * 5 + [50] * 5) * 2
    assert len(rows[["system", "team"]].drop_duplicates()) == 5
    assert cube.ireval.leave_out("P")["depth"].unique().tolist() == [10]


def test_systems_with_lower_costs_rank_higher(cube):
    means = cube.ireval.score("ESL", at=50).isel(metric=0).mean("topic").to_series()
    rows = cube.ireval.leave_out("ESL", at=50).set_index("system")
    expected = means.rank(method="min")
    assert (rows["rank"] == expected.loc[rows.index]).all()


def test_judgments_outside_the_pool_are_counted(cube):
    more = pd.concat(
        [QRELS, pd.DataFrame({"topic": "101", "doc": list("xyz"), "grade": [1, 0, 2]})]
    )
    message = "3 of 526 judgments are set aside, .* depth 10: all means use the other 523"
    with pytest.warns(IrframeWarning, match=message) as caught:
        rows = RUNS.ireval.cube(more).ireval.leave_out("AP")
    assert len(caught) == 1
    assert (rows.attrs["judgments"], rows.attrs["set_aside"]) == (526, 3)
    same = cube.ireval.leave_out("AP")
    pd.testing.assert_frame_equal(rows, same)
    assert (same.attrs["judgments"], same.attrs["set_aside"]) == (523, 0)


def test_change_is_nan_if_the_mean_score_is_zero():
    runs = pd.DataFrame({"system": list("ab"), "topic": "1", "doc": list("xy"), "score": 1.0})
    qrels = pd.DataFrame({"topic": "1", "doc": list("xy"), "grade": [1, 0]})
    rows = runs.ireval.cube(qrels).ireval.leave_out("P").set_index("system")
    assert np.isnan(rows.loc["b", "change"])
    assert rows.loc["a", "change"] == -100
    assert rows.loc["a", ["lost", "lost_relevant"]].tolist() == [1, 1]


def test_a_metric_with_a_cutoff_is_evaluated_at_its_cutoff(cube):
    rows = cube.ireval.leave_out("P", "nDCG@20", "nDCG@3", at=[10, 5])
    depths = rows[["metric", "depth"]].drop_duplicates().to_numpy().tolist()
    assert depths == [["P", 5], ["P", 10], ["nDCG@20", 20], ["nDCG@3", 3]]
    for depth in (20, 3):
        means = cube.ireval.score("nDCG", at=depth).mean("topic").squeeze().to_series()
        means_at_depth = rows[rows["metric"] == f"nDCG@{depth}"].set_index("system")["mean"]
        np.testing.assert_allclose(means_at_depth, means[means_at_depth.index])
    plain = cube.ireval.leave_out("nDCG", at=20).drop(columns="metric")
    alone = cube.ireval.leave_out("nDCG@20").drop(columns="metric")
    pd.testing.assert_frame_equal(alone, plain)


def test_contributing_systems_without_a_group_are_refused():
    teamless = RUNS["system"].isin(["splade", "bm25"])
    cube = RUNS.assign(team=RUNS["team"].mask(teamless, None)).ireval.cube(QRELS)
    with pytest.raises(ParameterError, match="team for every contributing system.*: bm25, splade"):
        cube.ireval.leave_out("AP", together="team")
    assert len(cube.ireval.leave_out("AP")) == 5


def test_invalid_arguments_of_leave_out_are_refused(cube):
    leave_out = cube.ireval.leave_out
    refused(DepthError, "at least 1 and at most 10", leave_out, "AP", depth=11)
    refused(DepthError, "found 51", leave_out, "AP", at=51)
    message = "coordinate of the systems.*'track'.*team"
    refused(ParameterError, message, leave_out, "AP", together="track")
    remaining = cube.isel(system=~dense(cube).contributing)
    refused(
        ParameterError,
        "contribute to the pool, but found no such system",
        remaining.ireval.leave_out,
        "AP",
    )
    marked = RUNS.ireval.cube(QRELS.assign(grade=QRELS["grade"].replace(0, -1)))
    refused(GradeError, "grade -1", marked.ireval.leave_out, "AP")
    refused(GradeError, "grade -1", marked.ireval.robustness, "AP")


ROBUSTNESS_METRICS = ["AP", "Bpref", "nDCG@10", "RBP(p=0.8)", "Twist"]


def test_robustness_agrees_with_cubes_on_sampled_judgments(cube):
    result = cube.ireval.robustness(*ROBUSTNESS_METRICS, shares=[0.5, 0.1], seeds=[4, 7])
    complete = cube.ireval.score(*ROBUSTNESS_METRICS, at=50).mean("topic")
    for share in (0.5, 0.1):
        for seed in (4, 7):
            sampled = QRELS.ireval.sample(share, seed=seed)
            assert sampled["grade"].max() == 3
            scores = RUNS.ireval.cube(sampled).ireval.score(*ROBUSTNESS_METRICS, at=50)
            means = scores.mean("topic")
            for metric in ROBUSTNESS_METRICS:
                tau = stats.kendalltau(*(m.sel(metric=metric).round(12) for m in (means, complete)))
                value = result.sel(metric=metric, share=share, seed=seed).item()
                assert value == pytest.approx(tau.statistic, abs=1e-12)


def test_robustness_is_one_with_all_judgments(cube):
    result = cube.ireval.robustness(*ROBUSTNESS_METRICS, shares=[1], seeds=2, at=[10, 50])
    assert result.dims == ("metric", "depth", "share", "seed")
    np.testing.assert_allclose(result, 1)


@pytest.mark.thorough
def test_robustness_is_lower_with_fewer_judgments(cube):
    by_seed = cube.ireval.robustness("AP", seeds=20)
    result = by_seed.mean("seed").squeeze()
    assert result.share.values.tolist() == [0.9, 0.7, 0.5, 0.3, 0.1]
    assert result.sel(share=0.9) > result.sel(share=0.1)
    assert by_seed.attrs["coefficient"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"shares": [0.5, 1.01]}, ParameterError, "share to be a number above 0 and at most 1"),
        ({"shares": []}, ParameterError, "at least one value in shares"),
        ({"seeds": 0}, ParameterError, "at least one value in seeds"),
        ({"seeds": [1, 1]}, ParameterError, "seeds without duplicates"),
        ({"at": 51}, DepthError, "found 51"),
        (
            {"at": [20, 5]},
            DepthError,
            "depth=5 to be at least the depth of every metric, .*nDCG@10",
        ),
    ],
)
def test_invalid_arguments_of_robustness_are_refused(cube, options, error, message):
    refused(error, message, cube.ireval.robustness, "AP", "nDCG@10", **options)
