"""The average over topics."""

from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.metrics.averaging import average

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
