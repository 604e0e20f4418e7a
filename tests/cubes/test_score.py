"""Topics of several collections in one cube: each with its own top grade and pool depth."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense

import irframe as ir
from irframe.cubes.view import experiment_of, shown_as

METRICS = ("ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')", "Q(ideal='pool')")


@pytest.fixture(scope="module")
def cubes():
    """Return one cube of two scales, and the topics of each scale in a cube of their own."""
    cube = ir.cube(*ir.example_track())
    second = np.arange(cube.sizes["topic"]) % 3 == 0
    held = experiment_of(cube)
    pool = replace(held.pool, depth=np.where(second, 4, held.pool.depth))
    both = shown_as(cube, replace(held, top=np.where(second, 5, held.tops), pool=pool))
    alone = [both.isel(topic=~second), both.isel(topic=second)]
    return both, alone


@pytest.mark.parametrize("chunks", [None, {"system": 3, "topic": 5}])
@pytest.mark.parametrize("verb", ["score", "bounds", "tie_ranges"])
def test_every_scale_is_as_it_is_alone(cubes, verb, chunks):
    both, alone = cubes
    both = both.chunk(chunks) if chunks else both
    names = METRICS[:4] if verb == "bounds" else METRICS

    def compute(cube):
        return getattr(cube.ireval, verb)(*names, at=[1, 3, 10])

    together = compute(both)
    for part in alone:
        expected = compute(part)
        found = together.sel(topic=part.topic.to_numpy()).compute()
        xr.testing.assert_allclose(found, expected, rtol=1e-13)


def test_from_the_depth_of_the_pool_on_everything_judged_counts():
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
def test_where_nothing_is_selected_there_are_no_scores(dim, verb):
    none = ir.cube(*ir.example_track()).isel({dim: []})
    assert verb(none, "RBP(p=0.8)").sizes[dim] == 0
