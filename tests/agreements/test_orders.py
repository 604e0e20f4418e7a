"""Ranks of tied systems against counting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from irframe.agreements.base import count_below, tied_ranks

SCORES = arrays(
    float,
    array_shapes(max_dims=3, max_side=7),
    elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, np.inf]),
)


@given(SCORES)
def test_matches_counting(scores):
    one, other = scores[..., :, None], scores[..., None, :]
    np.testing.assert_array_equal(count_below(scores), (other < one).sum(axis=-1))
    first, last = tied_ranks(scores)
    np.testing.assert_array_equal(first, 1 + (other > one).sum(axis=-1))
    np.testing.assert_array_equal(last, (other >= one).sum(axis=-1))
