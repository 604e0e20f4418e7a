"""Discrimination, median p, coverage and inversions against loops over pairs."""

import numpy as np
import pytest
import xarray as xr
from oracles import comparing
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError

ALPHA = 0.2


def t_test(a, b):
    return stats.ttest_rel(a, b).pvalue if np.ptp(np.subtract(a, b)) else float(a[0] == b[0])


def random_scores(seed, *, metrics=("AP", "ASL"), systems=6, topics=7, depths=4, holes=False):
    rng = np.random.default_rng(seed)
    skill = rng.random((len(metrics), systems, 1, 1))
    values = (skill + rng.random((len(metrics), systems, topics, depths))).round(1)
    if holes:
        values[0, 1, 2, :2] = values[1, 3, 4, :] = np.nan
    return xr.DataArray(
        values,
        {
            "metric": list(metrics),
            "system": [f"s{n}" for n in range(systems)],
            "topic": np.arange(topics),
            "depth": [1, 5, 10, 20][:depths],
        },
        ("metric", "system", "topic", "depth"),
    )


def rows(scores, metric, depth):
    values = scores.isel(metric=metric, depth=depth).to_numpy()
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def looped(scores, function):
    shape = scores.sizes["metric"], scores.sizes["depth"]
    return np.array([[function(m, k) for k in range(shape[1])] for m in range(shape[0])])


pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("holes", [False, True])
class TestLoops:
    def test_discrimination(self, seed, holes):
        scores = random_scores(seed, holes=holes)
        expected = looped(
            scores, lambda m, k: comparing.discrimination(rows(scores, m, k), t_test, ALPHA)
        )
        found = scores.ireval.discrimination("t", ALPHA)
        assert found.dims == ("metric", "depth")
        np.testing.assert_allclose(found, expected)

    def test_median_p(self, seed, holes):
        scores = random_scores(seed, holes=holes)
        expected = looped(scores, lambda m, k: comparing.median_p(rows(scores, m, k), t_test))
        np.testing.assert_allclose(scores.ireval.median_p(), expected, rtol=1e-9)

    @pytest.mark.parametrize("verb", ["coverage", "inversions"])
    def test_a_depth(self, seed, holes, verb):
        scores = random_scores(seed, holes=holes)
        self.check(scores, verb, 10, lambda m, _: (scores, m, 2))

    @pytest.mark.parametrize("verb", ["coverage", "inversions"])
    def test_a_metric(self, seed, holes, verb):
        scores = random_scores(seed, holes=holes)
        self.check(scores, verb, "ASL", lambda _, k: (scores, 1, k))
        self.check(scores, verb, "AP@5", lambda _m, _k: (scores, 0, 1))

    @pytest.mark.parametrize("verb", ["coverage", "inversions"])
    def test_other_scores(self, seed, holes, verb):
        scores, other = random_scores(seed, holes=holes), random_scores(seed + 100)
        shuffled = other[::-1, [3, 1, 0, 2, 5, 4]]
        self.check(scores, verb, shuffled, lambda m, k: (other, m, k))
        self.check(scores, verb, other[1:], lambda _, k: (other, 1, k))
        self.check(scores, verb, other[0, :, :, 2], lambda _m, _k: (other, 0, 2))

    def check(self, scores, verb, reference, where):
        function = getattr(comparing, verb)

        def value(metric, depth):
            held, row, column = where(metric, depth)
            costs = metric == 1, row == 1
            here, there = rows(scores, metric, depth), rows(held, row, column)
            shared = comparing.common(here + there)
            sides = shared[: len(here)], shared[len(here) :]
            return function(*sides, t_test, ALPHA, costs=costs)

        found = getattr(scores.ireval, verb)(reference, "t", ALPHA)
        np.testing.assert_allclose(found, looped(scores, value))


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    new, reference = (
        xr.DataArray(np.array(case["input"][side], float), dims=("system", "topic"))
        for side in ("new", "ref")
    )
    expected = case["expected"]
    assert reference.ireval.discrimination().item() == pytest.approx(expected["discrimination"])
    assert new.ireval.coverage(reference).item() == pytest.approx(expected["coverage"])
    assert new.ireval.inversions(reference).item() == pytest.approx(expected["inversion"])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "ranksum"])
def test_ratios_are_those_of_the_comparison_frame(test):
    scores = random_scores(1)
    frame = scores.ireval.compare(test, alpha=ALPHA)
    groups = frame.groupby(["metric", "depth"], sort=False)
    discrimination = groups["significant"].mean().to_xarray().sel(metric=scores["metric"])
    np.testing.assert_allclose(scores.ireval.discrimination(test, ALPHA), discrimination)
    median = groups["p"].median().to_xarray().sel(metric=scores["metric"])
    np.testing.assert_allclose(scores.ireval.median_p(test), median)


def test_a_reference_covers_itself():
    scores = random_scores(2)
    assert (scores.ireval.coverage(10).sel(depth=10) == 1).all()
    assert (scores.ireval.inversions(10).sel(depth=10) == 0).all()
    assert (scores.ireval.coverage("AP").sel(metric="AP") == 1).all()


def test_nothing_significant_in_the_reference_is_nan():
    scores = random_scores(0) * 0 + 0.5
    assert scores.ireval.coverage(1).isnull().all()
    assert scores.ireval.inversions(1).isnull().all()
    assert (scores.ireval.discrimination() == 0).all()
    assert (scores.ireval.median_p() == 1).all()


def test_rounding_of_means_is_no_inversion():
    reference = xr.DataArray([[3.0, 3.0], [1.0, 1.0]], dims=("system", "topic"))
    scores = xr.DataArray([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2 + 4e-16]], dims=("system", "topic"))
    assert scores.mean("topic").diff("system").item() != 0
    assert scores.ireval.inversions(reference).item() == 0


def test_metrics_of_a_frame():
    runs, qrels = ir.example_track()
    wide = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RR"])
    found = wide.ireval.coverage("AP")
    assert found.dims == ("metric",)
    assert found.sel(metric="AP").item() == 1
    assert 0 < found.sel(metric="RR").item() < 1
    same = wide.ireval.coverage(wide[["AP"]])
    np.testing.assert_array_equal(found, same)
    assert wide.ireval.coverage("ndcg_cut_10").sel(metric="nDCG@10").item() == 1


def test_groups_are_held_against_their_own_reference():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RR")
    half = np.where(np.arange(16) < 8, "first", "second")
    grouped = scores.assign_coords(half=("topic", half))
    for verb in ("coverage", "inversions"):
        for reference in (10, "RR", grouped):
            found = getattr(grouped.ireval, verb)(reference, at=[5, 50], by="half")
            assert found.dims == ("half", "metric", "depth")
            held = reference[:, :, half == "first"] if reference is grouped else reference
            alone = getattr(grouped[:, :, :8].ireval, verb)(held, at=[5, 50])
            np.testing.assert_array_equal(found.sel(half="first"), alone)


def test_blocks_of_depths_do_not_show(monkeypatch):
    scores = random_scores(3)
    verbs = [("coverage", (10,)), ("coverage", ("AP",)), ("inversions", (1,)), ("median_p", ())]
    whole = [getattr(scores.ireval, verb)(*options) for verb, options in verbs]
    monkeypatch.setattr("irframe.inference.matching.BLOCK_BYTES", 1)
    for (verb, options), expected in zip(verbs, whole, strict=True):
        xr.testing.assert_identical(getattr(scores.ireval, verb)(*options), expected)


def test_lazy_scores_give_the_same():
    scores = random_scores(4)
    lazy = scores.chunk({"system": 2})
    xr.testing.assert_identical(lazy.ireval.coverage(10), scores.ireval.coverage(10))


@pytest.mark.parametrize("verb", ["coverage", "inversions", "agreement"])
def test_both_sides_have_the_same_topics(verb):
    scores = random_scores(3, topics=9)
    holes = scores.copy()
    holes[1, :, [2, 5]] = np.nan
    kept = [0, 1, 3, 4, 6, 7, 8]
    expected = getattr(scores[:, :, kept].ireval, verb)("ASL")
    np.testing.assert_array_equal(getattr(holes.ireval, verb)("ASL"), expected)
    np.testing.assert_array_equal(
        getattr(holes.ireval, verb)("ASL", at=[5, 1]), expected[:, [1, 0]]
    )
    other = scores[1][:, [8, 7, 6, 4, 3, 1, 0]]
    np.testing.assert_array_equal(getattr(scores.ireval, verb)(other), expected)
    deep = getattr(scores[:, :, kept].ireval, verb)(20)
    late = scores.copy()
    late[:, :, [2, 5], 3] = np.nan
    np.testing.assert_array_equal(getattr(late.ireval, verb)(20)[:, :3], deep[:, :3])


def test_metrics_of_a_matrix_have_the_same_topics():
    scores = random_scores(3, topics=9)
    holes = scores.copy()
    holes[1, :, [2, 5]] = np.nan
    expected = scores[:, :, [0, 1, 3, 4, 6, 7, 8]].ireval.agreement()
    np.testing.assert_array_equal(holes.ireval.agreement(), expected)
    flat = holes.isel(depth=0, drop=True).ireval.agreement()
    np.testing.assert_array_equal(flat, expected[..., 0])


def test_sides_without_a_topic_in_common_are_left_as_they_are():
    scores = random_scores(3, topics=8)
    first, second = scores[:, :, :4], scores[:, :, 4:]
    found = first.ireval.agreement(second, at=20)
    means = [side[:, :, :, 3].mean("topic") for side in (first, second)]
    for row in range(2):
        tau = stats.kendalltau(*(mean[row].round(12) for mean in means)).statistic
        assert found[row].item() == pytest.approx(tau)


def test_missing_scores_are_counted():
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .4."):
        random_scores(0, holes=True).ireval.discrimination()


class TestBadInput:
    @pytest.mark.parametrize("reference", [0, 3, 21, "AP@2"])
    def test_depths_outside_the_scores(self, reference):
        with pytest.raises(DepthError):
            random_scores(0).ireval.coverage(reference)

    @pytest.mark.parametrize("reference", ["nDCG", "no metric", None, True, 2.5])
    def test_unknown_references(self, reference):
        with pytest.raises(ParameterError, match="AP, ASL"):
            random_scores(0).ireval.coverage(reference)

    def test_other_systems(self):
        scores = random_scores(0)
        renamed = scores.assign_coords(system=[f"s{n}" for n in (0, 1, 2, 3, 4, 9)])
        with pytest.raises(ParameterError, match="same systems.*s5, s9"):
            scores.ireval.coverage(renamed)

    def test_other_metrics(self):
        other = random_scores(0, metrics=("AP", "RR"))
        with pytest.raises(ParameterError, match="ASL"):
            random_scores(0).ireval.coverage(other)

    def test_other_depths(self):
        scores = random_scores(0)
        with pytest.raises(DepthError):
            scores.ireval.coverage(scores[..., :2])
        with pytest.raises(DepthError):
            scores[..., 0].drop_vars("depth").ireval.coverage(scores)
        with pytest.raises(DepthError):
            scores[..., 0].drop_vars("depth").ireval.coverage(10)

    def test_other_groups(self):
        scores = random_scores(0)
        left = scores.assign_coords(half=("topic", list("xxxyyyy")))
        right = scores.assign_coords(half=("topic", list("xxxzzzz")))
        with pytest.raises(ParameterError, match="same groups.*y, z"):
            left.ireval.coverage(right, by="half")

    @pytest.mark.parametrize("alpha", [0, 1, 2])
    def test_alpha(self, alpha):
        for call in (lambda s: s.discrimination("t", alpha), lambda s: s.coverage(1, "t", alpha)):
            with pytest.raises(ParameterError, match="alpha"):
                call(random_scores(0).ireval)
