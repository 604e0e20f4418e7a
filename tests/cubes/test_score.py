"""Topics of several collections in one cube: each with its own top grade and pool depth."""

import numpy as np
import pytest
import xarray as xr

import irframe as ir
from irframe.names import UNJUDGED

METRICS = ("ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')", "Q(ideal='pool')")


@pytest.fixture(scope="module")
def cubes():
    """Return one cube of two scales, and the topics of each scale in a cube of their own."""
    cube = ir.cube(*ir.example_track())
    second = np.arange(cube.sizes["topic"]) % 3 == 0
    top = np.where(second, 5, cube.attrs["top"])
    pool = np.where(second, 4, cube.attrs["pool_depth"])
    both = cube.assign(top=("topic", top), pool_depth=("topic", pool))
    alone = [
        cube.isel(topic=~second),
        cube.isel(topic=second).assign_attrs(top=5, pool_depth=4),
    ]
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
        xr.testing.assert_allclose(
            found.drop_vars(["top", "pool_depth"], errors="ignore"), expected, rtol=1e-13
        )


def test_unjudged_documents_past_the_last_depth_count_in_bounds():
    cube = ir.cube(*ir.example_track())
    hidden = (cube["grade"][..., 10:] == UNJUDGED).sum("depth")
    short = cube.isel(depth=slice(10)).assign(
        retrieved=np.minimum(cube["retrieved"], 10), beyond=hidden
    )
    names = ("AP", "Rprec", "nDCG(ideal='full')", "RBP(p=0.8)")
    expected = cube.ireval.bounds(*names, at=[5, 10])
    xr.testing.assert_equal(short.ireval.bounds(*names, at=[5, 10]), expected)
    without = short.drop_vars("beyond").ireval.bounds("AP", at=10)
    assert (without > expected.sel(metric=["AP"], depth=[10])).any()
