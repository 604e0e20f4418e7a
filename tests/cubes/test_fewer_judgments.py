"""Fewer judgments on the same rankings."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.cubes.checksums import sealed
from irframe.cubes.fewer_judgments import cut, keep_judgments, pool_depth_of
from irframe.cubes.recall_base import starts, topic_of
from irframe.errors import DepthError, GradeError, InputError
from irframe.names import EMPTY

FEWER = {"condense": (), "pooled": (4,), "sample": (0.5,)}
"""Verbs that return a cube with fewer judged documents, and their arguments."""
verbs = pytest.mark.parametrize("verb", FEWER)


@given(seed=st.integers(0, 99), share=st.floats(0.05, 0.95))
def test_a_cube_with_some_judgments_is_like_one_built_with_them(seed, share):
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)
    kept = np.random.default_rng(seed).random(cube["judged_grade"].shape) < share
    kept[starts(cube["judged_count"].to_numpy())] = True
    fewer = sealed(keep_judgments(cube, kept))
    labels = cube["topic"].to_numpy()[topic_of(cube)]
    pairs = pd.DataFrame({"topic": labels, "doc": cube["judged_doc"].to_numpy()})[kept]
    built = ir.cube(runs, qrels.merge(pairs))
    np.testing.assert_array_equal(fewer["grade"], built["grade"])
    np.testing.assert_array_equal(fewer["unjudged"], built["unjudged"])
    np.testing.assert_array_equal(fewer["top"], cube["top"])
    np.testing.assert_array_equal(fewer["judged_grade"] != EMPTY, kept)
    metrics = ["AP", "nDCG", "Bpref", "Q"]
    xr.testing.assert_allclose(
        fewer.ireval.score(*metrics, at=[3, 50]), built.ireval.score(*metrics, at=[3, 50])
    )


def test_what_a_cut_hides_is_not_counted(track, cube):
    shallow = ir.cube(*track, depth=20).ireval.pooled(3)
    assert (shallow["unjudged"] == -1).all()
    assert (cube.ireval.pooled(3)["unjudged"] > cube["unjudged"]).any()


def test_the_pool_depth_asked_for_is_within_the_least(cube):
    uneven = cube.assign_coords(pool_depth=("topic", [7, 3] * 8))
    assert pool_depth_of(uneven) == 3
    assert pool_depth_of(uneven, 2) == 2
    with pytest.raises(DepthError, match="at most 3; found 4.*to cube"):
        pool_depth_of(uneven, 4)


def test_cutting_keeps_the_top(cube):
    shallow = sealed(cut(cube, 5))
    assert shallow.sizes["depth"] == 5
    xr.testing.assert_equal(
        shallow.ireval.score("nDCG", "P"), cube.ireval.score("nDCG", "P", at=range(1, 6))
    )
    assert cut(cube, 99) is cube


@verbs
def test_a_lazy_cube_stays_lazy(cube, verb):
    lazy = getattr(cube.chunk({"system": 3, "topic": 5}).ireval, verb)(*FEWER[verb])
    assert lazy.grade.chunks
    xr.testing.assert_equal(lazy.compute(), getattr(cube.ireval, verb)(*FEWER[verb]))


@verbs
def test_the_cube_that_was_given_stays_as_it_was(cube, verb):
    before = cube.copy(deep=True)
    getattr(cube.ireval, verb)(*FEWER[verb])
    xr.testing.assert_identical(cube, before)


@verbs
def test_documents_must_be_known(cube, verb):
    with pytest.raises(InputError, match="no variable: doc"):
        getattr(cube.drop_vars("doc").ireval, verb)(*FEWER[verb])


@pytest.mark.parametrize(
    ("verb", "arguments"), [("pooled", (4,)), ("sample", (0.5,)), ("bounds", ("P",))]
)
def test_unjudged_marks_are_no_judgments(track, verb, arguments):
    runs, qrels = track
    marked = qrels.assign(grade=qrels["grade"].where(qrels.index % 7 > 0, -1))
    cube = runs.ireval.cube(marked)
    with pytest.raises(GradeError, match="grade -1.*pooled but not judged"):
        getattr(cube.ireval, verb)(*arguments)
