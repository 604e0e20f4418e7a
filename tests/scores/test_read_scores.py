"""Scores are matched with references by system and topic."""

import tracemalloc
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from looped import check_against_loop, random_scores
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.cubes import scores as scores_module
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError
from irframe.scores.read_scores import (
    choose_pairs,
    label_pairs,
    match_reference,
    pick_metric,
    read_scores,
    scores_to_compare,
    select_depths,
    share_topics,
)

pytestmark = pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")


def holed(seed=0):
    """Return scores whose missing topics differ by metric and depth."""
    scores = random_scores(seed, topics=12)
    holes = np.random.default_rng(seed).random(scores.shape) < 0.03
    holes[:, :, :3] = False
    return scores.where(~holes)


@pytest.fixture
def paired():
    with pytest.warns(IrframeWarning, match="left out"):
        return scores_to_compare(holed())


def test_means_are_over_common_topics(paired):
    scores = holed().to_numpy()
    assert len(set(paired.scored.sum(axis=1).ravel().tolist())) > 1
    for row, sign in enumerate((1, -1)):
        for depth in range(scores.shape[3]):
            table = pd.DataFrame(scores[row, :, :, depth]).dropna(axis="columns")
            np.testing.assert_allclose(paired.means[row, depth], sign * table.mean(axis=1))


@pytest.mark.parametrize("verb", ["compare", "discrimination", "agreement", "volatility"])
def test_lazy_scores_give_equal_results(verb):
    scores = random_scores(1, topics=12)
    lazy = scores.chunk(topic=5, system=2, depth=3)
    result, expected = (getattr(item.ireval, verb)() for item in (lazy, scores))
    assert result.equals(expected)


def test_large_lazy_scores_are_refused(monkeypatch):
    scores = random_scores(0, topics=12).chunk(topic=3)
    monkeypatch.setattr(scores_module, "LOADED_BYTES", scores.nbytes - 1)
    for verb in ("summary", "compare", "volatility"):
        refused(InputError, "lazy scores, .* Select depths, metrics", getattr(scores.ireval, verb))
    assert len(scores.sel(depth=[1, 5]).ireval.compare())
    assert scores.sel(depth=[1, 5]).ireval.coverage(1).shape == (2, 2)


def test_pairs_are_labelled_by_metric_depth_and_systems():
    paired = scores_to_compare(random_scores(0, systems=3).sel(depth=[20, 1]))
    labels = pd.DataFrame(label_pairs(paired, choose_pairs(paired, None)))
    expected = [
        (metric, depth, a, b)
        for metric in ("AP", "ASL")
        for depth in (20, 1)
        for a, b in (("s0", "s1"), ("s0", "s2"), ("s1", "s2"))
    ]
    assert list(labels.itertuples(index=False, name=None)) == expected


def test_scores_without_depths_have_the_depth_of_the_metric():
    scores = random_scores(0, metrics=("P@5", "AP"), systems=2).isel(depth=0, drop=True)
    paired = scores_to_compare(scores)
    depths = label_pairs(paired, choose_pairs(paired, "s1"))["depth"]
    assert depths.tolist() == [5, pd.NA]
    assert paired.labelled(np.zeros((2, 1)), "x").dims == ("metric",)


def test_missing_labels_are_numbered_from_one():
    scores = xr.DataArray(np.ones((3, 2)), dims=("topic", "system"))
    paired = scores_to_compare(scores)
    assert paired.systems.tolist() == [1, 2]
    assert paired.topics.tolist() == [1, 2, 3]


def test_every_system_is_paired_with_the_baseline():
    paired = scores_to_compare(random_scores(0, systems=4))
    assert choose_pairs(paired, "s2").tolist() == [[0, 2], [1, 2], [3, 2]]
    with pytest.raises(
        ParameterError, match=r"one of the systems .s0, s1, s2, s3., but found 's9'"
    ):
        choose_pairs(paired, "s9")


class TestRefusals:
    def test_topics_left_out_are_listed_per_metric(self):
        scores = random_scores(0, topics=9)
        scores[0, 0, :7, 0] = np.nan
        scores[1, 2, 8] = np.nan
        message = r"7 of 9 for AP \(0, 1, 2, 3, 4 and 2 more\); 1 of 9 for ASL \(8\)"
        with pytest.warns(IrframeWarning, match=message):
            scores_to_compare(scores)

    def test_a_single_topic_raises_a_warning(self):
        with pytest.warns(IrframeWarning, match="a single topic, which cannot show"):
            scores_to_compare(random_scores(0, topics=1))

    def test_depths_without_common_topics_are_refused(self):
        scores = random_scores(0)
        scores[1, 0, :, 2] = np.nan
        with pytest.raises(ParameterError, match="every system has a score, but found none: ASL"):
            scores_to_compare(scores)

    def test_infinite_scores_and_single_systems_are_refused(self):
        scores = random_scores(0)
        with pytest.raises(ParameterError, match="at least two systems to compare, but found 1"):
            scores_to_compare(scores[:, :1])
        scores[1, 2, 3, 0] = np.inf
        refused(InputError, "finite scores .*: ASL", lambda: scores_to_compare(scores))

    @pytest.mark.parametrize(
        ("at", "message", "offenders"),
        [
            ([1, 7, 8], r"found 2 not scored: 7, 8\. Score at more depths", [7, 8]),
            ([1, 21], r"found 1 not scored: 21\. Score to a greater depth", [21]),
            ([], "found none", []),
            (
                [5, 1, 5],
                r"found depths that occur more than once: 5\. Name each depth once in at=",
                [5],
            ),
        ],
    )
    def test_invalid_depths_are_refused(self, at, message, offenders):
        with pytest.raises(
            DepthError, match=f"different depths of the scores, from 1 to 20, but {message}"
        ) as caught:
            select_depths(read_scores(random_scores(0)), at)
        assert caught.value.offenders == offenders

    def test_depths_of_scores_without_depths_are_refused(self):
        with pytest.raises(DepthError, match="scores without depths.*Omit at="):
            select_depths(read_scores(random_scores(0).isel(depth=0, drop=True)), 5)


def test_means_do_not_copy_all_scores(monkeypatch):
    values = np.random.default_rng(0).random((1, 30, 40, 100))
    labels = {"metric": ["AP"], "topic": [f"t{n}" for n in range(40, 0, -1)]}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic", "depth"))
    unordered, ordered = (read_scores(item) for item in (scores, scores.sortby("topic")))
    monkeypatch.setattr(scores_module, "SORTED_BYTES", 40 * 100 * 8 * 2)
    tracemalloc.start()
    result = unordered.means
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < values.nbytes / 4
    np.testing.assert_array_equal(result, ordered.means)


@pytest.mark.parametrize(
    ("reference", "metrics", "depths"),
    [
        (5, ["AP", "ASL"], [5]),
        (np.int64(20), ["AP", "ASL"], [20]),
        ("AP", ["AP"], [1, 5, 10, 20]),
        ("ASL@20", ["ASL"], [20]),
        (ir.metrics.AP(), ["AP"], [1, 5, 10, 20]),
        ("map", ["AP"], [1, 5, 10, 20]),
    ],
)
def test_references_select_a_depth_or_metric(reference, metrics, depths):
    scores = random_scores(0)
    new, reference_scores = match_reference(scores, reference)
    assert new.depths.tolist() == [1, 5, 10, 20]
    assert reference_scores.metrics == metrics
    np.testing.assert_array_equal(reference_scores.values, scores.sel(metric=metrics, depth=depths))


def test_reference_scores_are_sorted_like_the_scores():
    scores, reference = random_scores(0), random_scores(1)
    _, reference_scores = match_reference(
        scores.sel(depth=[5]), reference[::-1, [5, 3, 1, 0, 2, 4]]
    )
    np.testing.assert_array_equal(reference_scores.values, reference.sel(depth=[5]))
    assert reference_scores.systems.tolist() == scores["system"].values.tolist()


def test_metric_names_take_precedence_over_their_cutoffs():
    scores = read_scores(random_scores(0, metrics=("P@5", "P")))
    assert len(pick_metric(scores, "P@5").depths) == 4
    assert pick_metric(scores, "P@10").depths.tolist() == [10]


@pytest.mark.parametrize("reference", [0, 3, 21, "AP@2"])
def test_unknown_depths_are_refused(reference):
    with pytest.raises(DepthError):
        random_scores(0).ireval.coverage(reference)


@pytest.mark.parametrize("reference", ["nDCG", "no metric", None, True, 2.5])
def test_unknown_references_are_refused(reference):
    refused(ParameterError, "AP, ASL", lambda: random_scores(0).ireval.coverage(reference))


def test_references_with_other_systems_are_refused():
    scores = random_scores(0)
    renamed = scores.assign_coords(system=[f"s{n}" for n in (0, 1, 2, 3, 4, 9)])
    refused(ParameterError, "same systems.*s5, s9", lambda: scores.ireval.coverage(renamed))


def test_references_with_other_metrics_are_refused():
    reference = random_scores(0, metrics=("AP", "RR"))
    refused(ParameterError, "ASL", lambda: random_scores(0).ireval.coverage(reference))


def test_references_with_other_depths_are_refused():
    scores = random_scores(0)
    with pytest.raises(DepthError):
        scores.ireval.coverage(scores[..., :2])
    with pytest.raises(DepthError):
        scores[..., 0].drop_vars("depth").ireval.coverage(scores)
    with pytest.raises(DepthError):
        scores[..., 0].drop_vars("depth").ireval.coverage(10)


@pytest.mark.parametrize("verb", ["coverage", "inversions", "agreement"])
def test_verbs_with_references_use_the_common_topics(verb):
    scores = random_scores(3, topics=9)
    holes = scores.copy()
    holes[1, :, [2, 5]] = np.nan
    selected = [0, 1, 3, 4, 6, 7, 8]
    expected = getattr(scores[:, :, selected].ireval, verb)("ASL")
    np.testing.assert_array_equal(getattr(holes.ireval, verb)("ASL"), expected)
    np.testing.assert_array_equal(
        getattr(holes.sel(depth=[5, 1]).ireval, verb)("ASL"), expected[:, [1, 0]]
    )
    reference = scores[1][:, [8, 7, 6, 4, 3, 1, 0]]
    of_common = getattr(scores.ireval, verb)(reference, topics="common")
    np.testing.assert_array_equal(of_common, expected)
    deep = getattr(scores[:, :, selected].ireval, verb)(20)
    late = scores.copy()
    late[:, :, [2, 5], 3] = np.nan
    np.testing.assert_array_equal(getattr(late.ireval, verb)(20)[:, :3], deep[:, :3])


def test_agreement_uses_topics_common_to_all_metrics():
    scores = random_scores(3, topics=9)
    holes = scores.copy()
    holes[1, :, [2, 5]] = np.nan
    expected = scores[:, :, [0, 1, 3, 4, 6, 7, 8]].ireval.agreement()
    np.testing.assert_array_equal(holes.ireval.agreement(), expected)
    flat = holes.isel(depth=0, drop=True).ireval.agreement()
    np.testing.assert_array_equal(flat, expected[..., 0])


def test_topics_left_out_raise_one_warning():
    scores = random_scores(0)
    holes = scores.copy()
    holes[0, 1, 2] = np.nan
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .2.") as caught:
        match_reference(scores, holes[:1])
    assert len(caught) == 1


@pytest.mark.parametrize("metrics", [1, 2])
def test_topics_are_common_to_all_depths(metrics):
    scores, reference = random_scores(0), random_scores(1)[:metrics]
    scores[0, 3, 2, 3] = np.nan
    reference[0, 1, 4, 0] = np.nan
    new, reference_scores = share_topics(
        read_scores(scores), read_scores(reference), at_every_depth=True
    )
    expected = np.ones((2, 7, 4), bool)
    expected[0, [2, 4]] = False
    expected[1, 4] = metrics == 2
    np.testing.assert_array_equal(new.scored, expected)
    np.testing.assert_array_equal(reference_scores.scored, expected[:metrics])
    for paired, side in ((new, scores), (reference_scores, reference)):
        selected = paired.scored[:, np.newaxis]
        np.testing.assert_array_equal(paired.values, np.where(selected, side, np.nan))


RATIOS = pytest.mark.parametrize("ratio", ["coverage", "inversions"])


@pytest.mark.parametrize(
    ("ratio", "seed", "holes"),
    few_of(product(["coverage", "inversions"], range(2), [False, True]), 3),
)
class TestLoops:
    def test_comparisons_with_a_depth_agree_with_a_loop(self, ratio, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, ratio, 10, lambda m, _: (scores, m, 2))

    def test_comparisons_with_a_metric_agree_with_a_loop(self, ratio, seed, holes):
        scores = random_scores(seed, holes=holes)
        check_against_loop(scores, ratio, "ASL", lambda _, k: (scores, 1, k))
        check_against_loop(scores, ratio, "AP@5", lambda _m, _k: (scores, 0, 1))

    @pytest.mark.thorough
    def test_comparisons_with_other_scores_agree_with_a_loop(self, ratio, seed, holes):
        scores, reference = random_scores(seed, holes=holes), random_scores(seed + 100)
        shuffled = reference[::-1, [3, 1, 0, 2, 5, 4]]
        check_against_loop(scores, ratio, shuffled, lambda m, k: (reference, m, k))
        check_against_loop(scores, ratio, reference[1:], lambda _, k: (reference, 1, k))
        check_against_loop(scores, ratio, reference[0, :, :, 2], lambda _m, _k: (reference, 0, 2))


@RATIOS
def test_results_do_not_depend_on_blocks_of_depths(monkeypatch, ratio):
    verb = getattr(random_scores(3).ireval, ratio)
    references = [1, 10, "AP", random_scores(4)]
    expected_results = [verb(reference) for reference in references]
    monkeypatch.setattr("irframe.cubes.scores.BLOCK_BYTES", 1)
    for reference, expected in zip(references, expected_results, strict=True):
        xr.testing.assert_identical(verb(reference), expected)
