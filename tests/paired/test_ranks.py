"""Average ranks of marked values, against scipy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from irframe.paired.pairs import marked_ranks


@given(data=st.data(), rows=st.integers(1, 4), length=st.integers(1, 12))
def test_marked_ranks_are_those_of_scipy(data, rows, length):
    values = data.draw(arrays(np.uint32, (rows, length), elements=st.integers(0, 5)))
    marks = data.draw(arrays(np.bool_, (rows, length)))
    rank_sum, cubes = marked_ranks(2 * values + marks.astype(np.uint32))
    assert rank_sum.tolist() == (rankdata(values, axis=-1) * marks).sum(axis=-1).tolist()
    sizes = [np.unique(row, return_counts=True)[1] for row in values]
    assert cubes.tolist() == [float((size**3 - size).sum()) for size in sizes]


def test_leading_dimensions_stay():
    keys = np.random.default_rng(0).integers(0, 9, size=(2, 3, 8)).astype(np.uint64)
    rank_sum, cubes = marked_ranks(keys.copy())
    assert rank_sum.shape == cubes.shape == (2, 3)
    alone, _ = marked_ranks(keys[1, 2].copy()[np.newaxis])
    assert rank_sum[1, 2] == alone[0]
