"""What `agreement_triangle` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.agreement_map import agreement_triangle


@pytest.fixture(scope="module")
def checked(cube):
    return cube.ireval.significance_agreement("P", "AP", test=["t", "sign"], at=[5, 10])


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_triangle(checked):
    ax = checked.ireval.plot.agreement_triangle(metric="P", test="t", depth=10)
    drawn = [np.asarray(dots.get_offsets()) for dots in ax.collections]
    verdict = checked["verdict"].sel(metric="P", test="t", depth=10).to_numpy()
    assert [len(dots) for dots in drawn] == [int((verdict == code).sum()) for code in range(4)]
    dots = np.concatenate(drawn)
    assert (dots[:, 0] < dots[:, 1]).all()
    assert len({tuple(dot) for dot in dots.tolist()}) == 28
    assert ax.get_xlabel() == "better system, rank by P at k = 10"
    with pytest.raises(ParameterError, match="depth= to be one of those checked"):
        agreement_triangle(checked, metric="P", test="t")
    with pytest.raises(ParameterError, match="metric="):
        agreement_triangle(checked, test="t", depth=10)
