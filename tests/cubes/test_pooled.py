"""Shallower pools on a cube."""

import numpy as np
import pytest
import xarray as xr
from dense import dense
from listed import frames_of_docs

from irframe.errors import DepthError


def judged_docs(cube):
    return sorted(dense(cube).judged_doc)


def test_simulated_pools(golden):
    case = golden["002-pool"]
    runs, qrels = frames_of_docs(case["input"]["runs"], case["input"]["qrels"])
    cube = runs.ireval.cube(qrels, pool_depth=6)
    for depth, docs in case["expected"]["judged_at_depth"].items():
        shallow = cube.ireval.pooled(int(depth))
        assert judged_docs(shallow) == docs
        assert (dense(shallow).pool_depth == int(depth)).all()


def test_a_shallower_pool_equals_fewer_judgments(track, cube):
    runs, qrels = track
    kept = runs.ireval.judge(qrels)
    filed = kept.groupby(["system", "topic"]).cumcount() + 1
    pool = kept[kept["contributing"] & (filed <= 4)][["topic", "doc"]].drop_duplicates()
    rebuilt = runs.ireval.cube(qrels.merge(pool))
    shallow = cube.ireval.pooled(4)
    np.testing.assert_array_equal(shallow.grade, rebuilt.grade)
    metrics = ["AP", "nDCG(ideal='pool')", "AP(norm='pool')", "Q", "Bpref", "RBP(p=0.9)"]
    xr.testing.assert_allclose(shallow.ireval.score(*metrics), rebuilt.ireval.score(*metrics))


@pytest.mark.parametrize("depth", [0, 11, 2.5, True, -1])
def test_pool_depths_outside_the_pool(cube, depth):
    with pytest.raises(DepthError, match="at least 1 and at most 10"):
        cube.ireval.pooled(depth)


def test_a_pool_that_is_complete_to_no_depth(track):
    runs, qrels = track
    everyone = runs.drop(columns="contributing").ireval.cube(qrels)
    assert (dense(everyone).pool_depth == 0).all()
    with pytest.raises(DepthError, match="a known pool depth.*pool_depth="):
        everyone.ireval.pooled(1)


def test_what_lies_below_a_cut_is_known(track):
    runs, qrels = track
    tied = runs.assign(score=runs["score"].round())
    cut, whole = (
        tied.ireval.cube(qrels, depth=depth, ties="mean").ireval.pooled(3) for depth in (20, None)
    )
    found = cut.ireval.score("P").drop_attrs()
    xr.testing.assert_identical(found, whole.isel(depth=slice(20)).ireval.score("P").drop_attrs())
