"""What scores are held against, on topics that both sides have."""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from looped import check_against_loop, random_scores
from refusals import refused
from scipy import stats
from turns import few_of

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.scores.read_scores import match_reference, pick_metric, read_scores, share_topics

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


@pytest.mark.parametrize(
    ("reference", "metrics", "depths"),
    [
        (5, ["AP", "ASL"], [5]),
        (np.int64(20), ["AP", "ASL"], [20]),
        ("AP", ["AP"], [10, 1]),
        ("ASL@20", ["ASL"], [20]),
        (ir.metrics.AP(), ["AP"], [10, 1]),
        ("map", ["AP"], [10, 1]),
    ],
)
def test_a_depth_or_metric_of_the_scores(reference, metrics, depths):
    scores = random_scores(0)
    new, held = match_reference(scores, reference, at=[10, 1])
    assert new.depths.tolist() == [10, 1]
    assert held.metrics == metrics
    np.testing.assert_array_equal(held.values, scores.sel(metric=metrics, depth=depths))


def test_other_scores_take_the_order_of_systems_and_metrics():
    scores, other = random_scores(0), random_scores(1)
    _, held = match_reference(scores, other[::-1, [5, 3, 1, 0, 2, 4]], at=5)
    np.testing.assert_array_equal(held.values, other.sel(depth=[5]))
    assert held.systems.tolist() == scores["system"].values.tolist()


def test_a_label_is_read_before_it_is_a_depth():
    scores = read_scores(random_scores(0, metrics=("P@5", "P")))
    assert len(pick_metric(scores, "P@5").depths) == 4
    assert pick_metric(scores, "P@10").depths.tolist() == [10]


@pytest.mark.parametrize("reference", [0, 3, 21, "AP@2"])
def test_depths_outside_the_scores(reference):
    with pytest.raises(DepthError):
        random_scores(0).ireval.coverage(reference)


@pytest.mark.parametrize("reference", ["nDCG", "no metric", None, True, 2.5])
def test_unknown_references(reference):
    refused(ParameterError, "AP, ASL", lambda: random_scores(0).ireval.coverage(reference))


def test_other_systems_are_named():
    scores = random_scores(0)
    renamed = scores.assign_coords(system=[f"s{n}" for n in (0, 1, 2, 3, 4, 9)])
    refused(ParameterError, "same systems.*s5, s9", lambda: scores.ireval.coverage(renamed))


def test_other_metrics_are_named():
    other = random_scores(0, metrics=("AP", "RR"))
    refused(ParameterError, "ASL", lambda: random_scores(0).ireval.coverage(other))


def test_other_depths_are_refused():
    scores = random_scores(0)
    with pytest.raises(DepthError):
        scores.ireval.coverage(scores[..., :2])
    with pytest.raises(DepthError):
        scores[..., 0].drop_vars("depth").ireval.coverage(scores)
    with pytest.raises(DepthError):
        scores[..., 0].drop_vars("depth").ireval.coverage(10)


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


def test_topics_left_out_are_told_once():
    scores = random_scores(0)
    holes = scores.copy()
    holes[0, 1, 2] = np.nan
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .2.") as caught:
        match_reference(scores, holes[:1])
    assert len(caught) == 1


@pytest.mark.parametrize("metrics", [1, 2])
def test_across_depths_a_topic_counts_at_every_depth_or_at_none(metrics):
    scores, other = random_scores(0), random_scores(1)[:metrics]
    scores[0, 3, 2, 3] = np.nan
    other[0, 1, 4, 0] = np.nan
    new, held = share_topics(read_scores(scores), read_scores(other), at_every_depth=True)
    expected = np.ones((2, 7, 4), bool)
    expected[0, [2, 4]] = False
    expected[1, 4] = metrics == 2
    np.testing.assert_array_equal(new.scored, expected)
    np.testing.assert_array_equal(held.scored, expected[:metrics])
    for paired, side in ((new, scores), (held, other)):
        kept = paired.scored[:, np.newaxis]
        np.testing.assert_array_equal(paired.values, np.where(kept, side, np.nan))


RATIOS = pytest.mark.parametrize("ratio", ["coverage", "inversions"])


@pytest.mark.parametrize(
    ("ratio", "seed", "holes"),
    few_of(product(["coverage", "inversions"], range(2), [False, True]), 3),
)
class TestLoops:
    def test_a_depth(self, ratio, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, ratio, 10, lambda m, _: (scores, m, 2))

    def test_a_metric(self, ratio, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, ratio, "ASL", lambda _, k: (scores, 1, k))
        check_against_loop(scores, ratio, "AP@5", lambda _m, _k: (scores, 0, 1))

    @pytest.mark.thorough
    def test_other_scores(self, ratio, seed, holes):
        scores, other = random_scores(seed, holes=holes), random_scores(seed + 100)
        shuffled = other[::-1, [3, 1, 0, 2, 5, 4]]
        check_against_loop(scores, ratio, shuffled, lambda m, k: (other, m, k))
        check_against_loop(scores, ratio, other[1:], lambda _, k: (other, 1, k))
        check_against_loop(scores, ratio, other[0, :, :, 2], lambda _m, _k: (other, 0, 2))


@RATIOS
def test_groups_are_held_against_their_own_reference(ratio):
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RR")
    half = np.where(np.arange(16) < 8, "first", "second")
    grouped = scores.assign_coords(half=("topic", half))
    for reference in (10, "RR", grouped):
        found = getattr(grouped.ireval, ratio)(reference, at=[5, 50], by="half")
        assert found.dims == ("half", "metric", "depth")
        held = reference[:, :, half == "first"] if reference is grouped else reference
        alone = getattr(grouped[:, :, :8].ireval, ratio)(held, at=[5, 50])
        np.testing.assert_array_equal(found.sel(half="first"), alone)


@RATIOS
def test_blocks_of_depths_do_not_show(monkeypatch, ratio):
    verb = getattr(random_scores(3).ireval, ratio)
    references = [1, 10, "AP", random_scores(4)]
    whole = [verb(reference) for reference in references]
    monkeypatch.setattr("irframe.scores.scores.BLOCK_BYTES", 1)
    for reference, expected in zip(references, whole, strict=True):
        xr.testing.assert_identical(verb(reference), expected)


@RATIOS
@pytest.mark.parametrize("alpha", [0, 1, 2])
def test_levels_that_are_none(ratio, alpha):
    refused(ParameterError, "alpha", getattr(random_scores(0).ireval, ratio), 1, "t", alpha=alpha)
