"""The average over topics."""

from itertools import permutations
from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.metrics.facts import average

SLOW = {
    "mean": fmean,
    "sum": sum,
    "harmonic": harmonic_mean,
    "geometric": lambda row: geometric_mean([max(value, 0.00001) for value in row]),
}


@pytest.mark.parametrize("summary", SLOW)
@given(
    rows=st.lists(
        st.lists(st.none() | st.just(0.0) | st.floats(1e-9, 1), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_equals_the_statistics_of_python_without_missing_scores(summary, rows):
    values = np.array(rows, float)
    kept = [[value for value in row if value is not None] for row in rows]
    expected = [SLOW[summary](row) if row else np.nan for row in kept]
    np.testing.assert_allclose(average(values, summary), expected, rtol=1e-12)
    np.testing.assert_allclose(average(values.T, summary, axis=0), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(300,), (3, 300), (40, 300), (2, 300, 1), (2, 300, 7)])
def test_topics_are_added_up_in_turn_however_they_lie_in_memory(shape):
    """As trec_eval adds them: sums in pairs at times print another fourth decimal."""
    rng, axis = np.random.default_rng(0), shape.index(300)
    for order in permutations(range(len(shape))):
        drawn = rng.random([*np.take(shape, order), 3])[..., 1]
        values = drawn.transpose(np.argsort(order))
        for each in (values, np.copy(values, order="K"), values[..., np.newaxis]):
            total = sum(np.moveaxis(each, axis, 0), start=np.zeros(()))
            np.testing.assert_array_equal(average(each, axis=axis), total / 300)
            np.testing.assert_array_equal(average(each, "sum", axis), total)
