"""Blocks, and what is refused before anything is computed."""

import numpy as np
import pytest

from irframe.errors import ParameterError
from irframe.paired import describe_differences


@pytest.mark.parametrize("shape", [(3, 4), (3, 0, 2), (3,)])
def test_scores_of_another_shape(shape):
    with pytest.raises(ParameterError, match=r"\(system, topic, depth\)"):
        describe_differences(np.zeros(shape))


def test_pairs_that_do_not_fit():
    with pytest.raises(ParameterError, match=r"shape \(pair, 2\)"):
        describe_differences(np.zeros((3, 2, 1)), np.array([0, 1]))
    with pytest.raises(ParameterError, match=r"from 0 to 2.*\[0, 3\], \[-1, 0\]"):
        describe_differences(np.zeros((3, 2, 1)), np.array([[0, 1], [0, 3], [-1, 0]]))


def test_no_depth():
    assert describe_differences(np.zeros((3, 2, 0))).mean.shape == (3, 0)
