"""Tests of the scores and C/W/L quantities of cubes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from refusals import refused
from tracks import cube_of
from turns import few_of

import irframe as ir
from irframe import arrays
from irframe.cubes import score
from irframe.cubes.score import Work
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import MetricError
from irframe.experiments.policy import parse_metrics
from irframe.metrics.reading import QUANTITIES

METRICS = ("ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')", "Q(ideal='pool')")


@pytest.fixture(scope="module")
def cubes():
    """Return a cube with two top grades, and its parts."""
    cube = ir.cube(*ir.example_track())
    second = np.arange(cube.sizes["topic"]) % 3 == 0
    experiment = experiment_of(cube)
    pool = replace(experiment.pool, depth=np.where(second, 4, experiment.pool.depth))
    both = shown_as(cube, replace(experiment, top=np.where(second, 5, experiment.tops), pool=pool))
    alone = [both.isel(topic=~second), both.isel(topic=second)]
    return both, alone


@pytest.mark.parametrize(
    ("chunks", "verb"),
    few_of(product([None, {"system": 3, "topic": 5}], ["score", "bounds", "tie_ranges"]), 2),
)
def test_top_grades_are_scored_independently(cubes, verb, chunks):
    both, alone = cubes
    both = both.chunk(chunks) if chunks else both
    names = METRICS[:4] if verb == "bounds" else METRICS

    def compute(cube):
        return getattr(cube.ireval, verb)(*names, at=[1, 3, 10])

    joint = compute(both)
    for subset in alone:
        expected = compute(subset)
        result = joint.sel(topic=subset.topic.to_numpy()).compute()
        xr.testing.assert_allclose(result, expected, rtol=1e-13)


def test_normalisation_by_the_pool_changes_no_score_from_the_pool_depth_on():
    runs, qrels = ir.example_track()
    missed = qrels.drop_duplicates("topic").assign(doc="found by nobody", grade=3)
    cube = ir.cube(runs, pd.concat([qrels, missed]))
    assert (dense(cube).pool_depth == 10).all()
    by_pool = ("AP(norm='pool')", "nDCG(ideal='pool')", "Q(norm='pool', ideal='pool')")
    pooled, full = (
        cube.ireval.score(*names, at=[9, 10, 11]).to_numpy()
        for names in (by_pool, ("AP", "nDCG", "Q"))
    )
    np.testing.assert_allclose(pooled[..., 1:], full[..., 1:], rtol=1e-12)
    assert (abs(pooled[..., 0] - full[..., 0]) > 1e-6).any(axis=(1, 2)).all()


@pytest.mark.parametrize("dim", ["system", "topic"])
@pytest.mark.parametrize("verb", [ir.verbs.score, ir.verbs.bounds])
def test_empty_selections_have_no_scores(dim, verb):
    none = ir.cube(*ir.example_track()).isel({dim: []})
    assert verb(none, "RBP(p=0.8)").sizes[dim] == 0


PARSED = parse_metrics(["AP", "nDCG", "ASL"])


@pytest.mark.parametrize("cells", [1, 49, 50, 51, 799, 800, 801, 1600, 1 << 17])
def test_results_do_not_depend_on_tile_sizes(cube, cells, monkeypatch):
    expected = Work(PARSED, [1, 10, 50]).over(cube)
    sizes = []

    def kernel(block, metrics, depths):
        sizes.append(block.grade.size)
        return score.score_block(block, metrics, depths)

    monkeypatch.setattr(arrays, "BLOCK", cells)
    result = Work(PARSED, [1, 10, 50], kernel=kernel).over(cube)
    xr.testing.assert_identical(result, expected)
    assert max(sizes) <= max(cells, 50)
    assert sum(sizes) == cube.grade.size


def test_scores_at_selected_depths_equal_scores_at_all_depths(cube):
    every = Work(PARSED, range(1, 51)).over(cube).to_numpy()
    some = Work(PARSED, [50, 3]).over(cube)
    assert some.dims == ("metric", "system", "topic", "depth")
    np.testing.assert_array_equal(some, every[..., [49, 2]])


def test_cwl_equals_a_worked_example():
    cube = cube_of({"a": [[1, 0, 2]]}, depth=3)
    result = cube.ireval.cwl("P", "RBP(p=0.5)").squeeze()
    assert set(result) == {*QUANTITIES}
    at_3 = result.sel(depth=3)
    assert at_3.sel(metric="P").to_array().values == pytest.approx([2 / 3, 2, 1, 3, 3])
    assert at_3.sel(metric="RBP(p=0.5)").to_array().values == pytest.approx([0.625, 1.25, 1, 2, 2])


def test_expected_utility_equals_the_score(cube):
    metrics = ["AP", "INST(T=2)", "NERR9@10", "SDCG", "RR"]
    result = cube.ireval.cwl(*metrics, at=[5, 50])
    score = cube.ireval.score(*metrics, at=[5, 50])
    np.testing.assert_allclose(result["expected_utility"], score, atol=1e-12)
    assert result["expected_depth"].sel(metric="SDCG", depth=5).mean() < 5
    xr.testing.assert_equal(result.coords.to_dataset(), score.coords.to_dataset())


def test_cwl_is_nan_for_missing_lists():
    cube = cube_of({"a": [[1]], "b": [[0, 1]]}, depth=2)
    result = cube.where(cube["system"] == "a").ireval.cwl("INST(T=1)")
    assert np.isnan(result["expected_depth"].sel(system="b")).all()
    assert result["expected_depth"].sel(system="a").notnull().all()


def test_cwl_refuses_metrics_without_continuation_probability(cube):
    refused(MetricError, "INST.*found nDCG", lambda: cube.ireval.cwl("AP", "nDCG"))
    refused(MetricError, "at most 1.*3", lambda: cube.ireval.cwl("INST(T=1, gain=Linear(top=2))"))
