"""Scores of the same systems on the same topics."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from looped import random_scores
from refusals import refused
from turns import few_of

from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError
from irframe.scores import scores as scores_module
from irframe.scores.read_scores import (
    choose_pairs,
    label_pairs,
    read_scores,
    scores_to_compare,
    select_depths,
)


def holed(seed=0):
    """Return scores with holes, a different topic lacking at each metric and depth."""
    scores = random_scores(seed, topics=12)
    holes = np.random.default_rng(seed).random(scores.shape) < 0.03
    holes[:, :, :3] = False
    return scores.where(~holes)


@pytest.fixture
def paired():
    with pytest.warns(IrframeWarning, match="left out"):
        return scores_to_compare(holed())


def test_means_are_over_the_topics_that_all_systems_have(paired):
    scores = holed().to_numpy()
    assert len(set(paired.scored.sum(axis=1).ravel().tolist())) > 1
    for row, sign in enumerate((1, -1)):
        for depth in range(scores.shape[3]):
            table = pd.DataFrame(scores[row, :, :, depth]).dropna(axis="columns")
            np.testing.assert_allclose(paired.means[row, depth], sign * table.mean(axis=1))


VERBS = {
    "summary": lambda scores: scores.ireval.summary(),
    "compare": lambda scores: scores.ireval.compare("wilcoxon"),
    "compare at a depth": lambda scores: scores.ireval.compare(at=5, weights=WEIGHTS),
    "discrimination": lambda scores: scores.ireval.discrimination(at=[10, 1]),
    "coverage": lambda scores: scores.ireval.coverage(5, alpha=0.3),
    "inversions": lambda scores: scores.ireval.inversions("AP@10", "sign", adjust=None),
    "agreement": lambda scores: scores.ireval.agreement(),
    "agreement with others": lambda scores: scores.ireval.agreement(random_scores(2, topics=12)),
    "volatility": lambda scores: scores.ireval.volatility("ASL", method="rbo"),
    "leaderboard": lambda scores: scores.ireval.leaderboard(at=5),
    "bootstrap": lambda scores: scores.ireval.bootstrap_sensitivity(samples=9, at=[5]),
}
WEIGHTS = {topic: topic + 1.0 for topic in range(12)}


@pytest.mark.parametrize(
    "chunks", few_of([{"topic": 1}, {"topic": 5, "system": 2, "depth": 3}], 2), ids=str
)
@pytest.mark.parametrize("name", VERBS)
def test_lazy_scores_say_what_those_in_memory_do(name, chunks):
    scores = random_scores(1, topics=12)
    results = [VERBS[name](each) for each in (scores, scores.chunk(chunks))]
    frames = isinstance(results[0], pd.DataFrame)
    (pd.testing.assert_frame_equal if frames else xr.testing.assert_identical)(*results)


def test_lazy_scores_that_are_too_large_are_not_begun(monkeypatch):
    scores = random_scores(0, topics=12).chunk(topic=3)
    monkeypatch.setattr(scores_module, "LOADED_BYTES", scores.nbytes - 1)
    for verb in ("summary", "compare", "volatility"):
        refused(InputError, "lazy scores; .* Choose depths with at=", getattr(scores.ireval, verb))
    assert len(scores.ireval.compare(at=[1, 5]))
    assert scores.ireval.coverage(1, at=[1, 5]).shape == (2, 2)


def test_costs_are_turned_round():
    paired = scores_to_compare(random_scores(0, metrics=("AP", "ASL", "clicks")))
    assert paired.towards == [1, -1, 1]


def test_depths_with_the_same_topics_are_computed_together(paired):
    seen = []

    def compute(scores):
        assert not np.isnan(scores).any()
        seen.append(scores.shape[2])
        return scores.sum(axis=1), scores[:, 0] * scores.shape[1]

    total, counts = paired.over(0, slice(1, 4), compute)
    assert sum(seen) == 3
    values = holed().to_numpy()[0][:, :, 1:4]
    kept = ~np.isnan(values).any(axis=0)
    expected = np.where(kept, values, 0).sum(axis=1)
    np.testing.assert_allclose(total, expected)
    np.testing.assert_allclose(counts, values[:, 0] * kept.sum(axis=0))


@pytest.mark.parametrize(("size", "widths"), [(1, [1] * 4), (8 * 15 * 3, [3, 1]), (2**26, [4])])
def test_pieces_cover_every_metric_and_depth_once(monkeypatch, size, widths):
    monkeypatch.setattr(scores_module, "BLOCK_BYTES", size)
    paired = scores_to_compare(random_scores(0))
    pieces = list(paired.pieces(15))
    assert [row for row, _ in pieces] == [0] * len(widths) + [1] * len(widths)
    assert [block.stop - block.start for _, block in pieces] == widths * 2
    covered = [k for row, block in pieces if row for k in range(block.start, block.stop)]
    assert covered == list(range(4))


def test_rows_are_labelled_by_metric_depth_and_pair():
    paired = scores_to_compare(random_scores(0, systems=3), at=[20, 1])
    labels = pd.DataFrame(label_pairs(paired, choose_pairs(paired, None)))
    expected = [
        (metric, depth, a, b)
        for metric in ("AP", "ASL")
        for depth in (20, 1)
        for a, b in (("s0", "s1"), ("s0", "s2"), ("s1", "s2"))
    ]
    assert list(labels.itertuples(index=False, name=None)) == expected


def test_without_depths_the_metric_says_its_own():
    scores = random_scores(0, metrics=("P@5", "AP"), systems=2).isel(depth=0, drop=True)
    paired = scores_to_compare(scores)
    depths = label_pairs(paired, choose_pairs(paired, "s1"))["depth"]
    assert depths.tolist() == [5, pd.NA]
    assert paired.labelled(np.zeros((2, 1)), "x").dims == ("metric",)


def test_places_count_from_one_where_there_are_no_labels():
    scores = xr.DataArray(np.ones((3, 2)), dims=("topic", "system"))
    paired = scores_to_compare(scores)
    assert paired.systems.tolist() == [1, 2]
    assert paired.topics.tolist() == [1, 2, 3]


def test_pairs_with_a_baseline():
    paired = scores_to_compare(random_scores(0, systems=4))
    assert choose_pairs(paired, "s2").tolist() == [[0, 2], [1, 2], [3, 2]]
    with pytest.raises(ParameterError, match="one of the systems: s0, s1, s2, s3; found 's9'"):
        choose_pairs(paired, "s9")


class TestRefusals:
    def test_topics_left_out_are_listed_per_metric(self):
        scores = random_scores(0, topics=9)
        scores[0, 0, :7, 0] = np.nan
        scores[1, 2, 8] = np.nan
        words = r"7 of 9 for AP \(0, 1, 2, 3, 4 and 2 more\); 1 of 9 for ASL \(8\)"
        with pytest.warns(IrframeWarning, match=words):
            scores_to_compare(scores)

    def test_one_topic_left(self):
        with pytest.warns(IrframeWarning, match="a single topic, which cannot show"):
            scores_to_compare(random_scores(0, topics=1))

    def test_no_topic_left_at_some_depth(self):
        scores = random_scores(0)
        scores[1, 0, :, 2] = np.nan
        with pytest.raises(ParameterError, match="every system has a score; found none: ASL"):
            scores_to_compare(scores)

    def test_infinite_scores_and_single_systems(self):
        scores = random_scores(0)
        with pytest.raises(ParameterError, match="at least two systems to compare; found 1"):
            scores_to_compare(scores[:, :1])
        scores[1, 2, 3, 0] = np.inf
        refused(InputError, "finite scores .*: ASL", lambda: scores_to_compare(scores))

    @pytest.mark.parametrize(
        ("at", "words", "offenders"),
        [
            ([1, 7, 8], r"found 2 not scored: 7, 8\. Ask for some", [7, 8]),
            ([1, 21], r"found 1 not scored: 21\. Score deeper", [21]),
            ([], "found none", []),
            ([5, 1, 5], r"found 1 again: 5\. Name each depth once in at=", [5]),
        ],
    )
    def test_depths(self, at, words, offenders):
        with pytest.raises(DepthError, match=f"each once, from 1 to 20; {words}") as caught:
            select_depths(read_scores(random_scores(0)), at)
        assert caught.value.offenders == offenders

    def test_depths_of_scores_without_depths(self):
        with pytest.raises(DepthError, match="scores without depths.*Leave at= out"):
            scores_to_compare(random_scores(0).isel(depth=0, drop=True), at=5)


def test_means_of_topics_in_any_order_take_no_copy_of_the_scores(monkeypatch):
    values = np.random.default_rng(0).random((1, 30, 40, 100))
    labels = {"metric": ["AP"], "topic": [f"t{n}" for n in range(40, 0, -1)]}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic", "depth"))
    read, ordered = (read_scores(each) for each in (scores, scores.sortby("topic")))
    monkeypatch.setattr(scores_module, "SORTED_BYTES", 40 * 100 * 8 * 2)
    tracemalloc.start()
    found = read.means
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < values.nbytes / 4
    np.testing.assert_array_equal(found, ordered.means)
