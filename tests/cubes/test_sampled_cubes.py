"""Judgments of a cube left out at random."""

import numpy as np
import pytest
import xarray as xr
from dense import dense
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError

RANKED = ["grade", "unjudged", "retrieved"]


def kept(cube):
    """Return the documents that are judged, with their grades, by topic."""
    held = dense(cube)
    names = cube["topic"].to_numpy()[held.judged_topic]
    return dict(zip(zip(names, held.judged_doc, strict=True), held.judged_grade, strict=True))


def assert_built(found, built):
    """Assert that a cube holds the rankings of another, and the same documents as judged."""
    for name in RANKED:
        np.testing.assert_array_equal(found[name], built[name])
    assert kept(found) == kept(built)


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.005])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_documents_are_kept_as_by_sample(cube, share, seed):
    runs, qrels = ir.example_track()
    built = runs.ireval.cube(qrels.ireval.sample(share, seed=seed))
    assert_built(cube.ireval.sample(share, seed=seed), built)


def test_documents_with_numbers_for_names():
    runs, qrels = (
        frame.assign(doc=frame["doc"].str[1:].astype(int), topic=frame["topic"].astype(int))
        for frame in ir.example_track()
    )
    built = runs.ireval.cube(qrels.ireval.sample(0.3, seed=2))
    assert_built(runs.ireval.cube(qrels).ireval.sample(0.3, seed=2), built)


def test_a_smaller_share_is_part_of_a_larger_one(cube):
    larger = kept(cube)
    for share in (0.8, 0.6, 0.4, 0.2):
        smaller = kept(cube.ireval.sample(share, seed=3))
        assert smaller.items() < larger.items()
        larger = smaller


def test_all_judgments_change_nothing(cube):
    xr.testing.assert_identical(cube.ireval.sample(1).assign_attrs(cube.attrs), cube)


def test_the_seed_decides(cube):
    one, same, other = (kept(cube.ireval.sample(0.5, seed=seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_the_recall_base_keeps_its_top_grade_and_its_pool(cube):
    fewer = cube.ireval.sample(0.01)
    for name in ("top", "pool_depth"):
        np.testing.assert_array_equal(getattr(dense(fewer), name), getattr(dense(cube), name))
    left = kept(fewer)
    inside = [pair in left for pair in kept(cube)]
    np.testing.assert_array_equal(dense(fewer).pool_rank, dense(cube).pool_rank[inside])


@pytest.mark.parametrize("share", [0, -1, 1.005, np.nan, "0.5", None])
def test_shares_that_are_none(cube, share):
    refused(ParameterError, "share, a number of at most 1 and above 0", cube.ireval.sample, share)


@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_seeds_that_are_none(cube, seed):
    with pytest.raises(ParameterError, match="seed, a whole number of at least 0"):
        cube.ireval.sample(0.5, seed=seed)


@pytest.mark.thorough
def test_real_judgments_are_sampled_alike(shared):
    folder = shared / "data" / "robust03"
    runs = ir.read_runs(str(folder / "runs" / "*.gz"))
    qrels = ir.read_qrels(folder / "qrels.txt")
    some = runs[runs["system"].isin(runs["system"].unique()[:3])]
    found = some.ireval.cube(qrels, depth=50).ireval.sample(0.1, seed=5)
    built = some.ireval.cube(qrels.ireval.sample(0.1, seed=5), depth=50)
    np.testing.assert_array_equal(found["grade"], built["grade"])
