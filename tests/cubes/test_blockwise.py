"""Rankings scored some at a time, in memory and lazily."""

import numpy as np
import pytest
import xarray as xr

import irframe as ir
from irframe import arrays
from irframe.cubes import score
from irframe.cubes.score import in_blocks
from irframe.experiments.policy import parse_metrics

METRICS = parse_metrics(["AP", "nDCG", "ASL"])


@pytest.fixture(scope="module")
def fields():
    return ir.cube(*ir.example_track())


@pytest.mark.parametrize("cells", [1, 49, 50, 51, 799, 800, 801, 1600, 1 << 17])
def test_tiles_of_any_size_give_the_same(fields, cells, monkeypatch):
    expected = in_blocks(fields, METRICS, [1, 10, 50])
    sizes = []

    def kernel(block, metrics, depths):
        sizes.append(block.grade.size)
        return score.score_block(block, metrics, depths)

    monkeypatch.setattr(arrays, "BLOCK", cells)
    found = in_blocks(fields, METRICS, [1, 10, 50], kernel=kernel)
    xr.testing.assert_identical(found, expected)
    assert max(sizes) <= max(cells, 50)
    assert sum(sizes) == fields.grade.size


def test_depths_are_columns(fields):
    every = in_blocks(fields, METRICS, range(1, 51)).to_numpy()
    some = in_blocks(fields, METRICS, [50, 3])
    assert some.dims == ("metric", "system", "topic", "depth")
    np.testing.assert_array_equal(some, every[..., [49, 2]])


def test_lazy_rankings_stay_lazy():
    cube = ir.cube(*ir.example_track()).chunk(topic=5, system=3)
    lazy = in_blocks(cube, METRICS, [5, 10])
    assert lazy.chunks is not None
    whole = cube.compute()
    np.testing.assert_array_equal(lazy.compute(), in_blocks(whole, METRICS, [5, 10]))


def test_a_kernel_may_give_several_arrays_of_a_metric(fields):
    def twice(block, metrics, depths):
        for scores in score.score_block(block, metrics, depths):
            yield scores
            yield -scores

    found = in_blocks(fields, METRICS, [10], kernel=twice, each=2)
    np.testing.assert_array_equal(found[::2], -found[1::2])
