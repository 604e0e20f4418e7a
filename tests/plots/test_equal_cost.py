"""Topics against depth at equal cost."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def found():
    cube = ir.cube(*ir.example_track())
    return cube.ireval.budget("AP", "nDCG", judgments=[60, 400], at=[1, 3, 10], samples=5)


def test_points_are_topics_coloured_by_shares(found):
    ax = found.ireval.plot.equal_cost(metric="nDCG")
    for number, line in enumerate(ax.lines):
        np.testing.assert_array_equal(line.get_ydata(), found["topics"][number])
    points = [each for each in ax.collections if each.get_array() is not None]
    shares = found["significant"].sel(metric="nDCG")
    for each, share in zip(points, shares, strict=True):
        np.testing.assert_array_equal(np.ma.filled(each.get_array(), np.nan), share)
    written = [text.get_text() for text in ax.texts]
    assert f"{shares.max().item():.0%}" in written
    assert "400 judgments" in written


def test_what_it_draws(found):
    with pytest.raises(ParameterError, match="metric"):
        ir.plots.equal_cost(found)
    with pytest.raises(InputError, match="budget"):
        ir.plots.equal_cost(found["topics"])
