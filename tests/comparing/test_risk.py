"""Tests of `risk` against a reference implementation."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irframe.errors import IrframeWarning

VALUES = st.lists(
    st.lists(st.integers(0, 10).map(lambda tenth: tenth / 10), min_size=5, max_size=5),
    min_size=2,
    max_size=4,
)


def frame_of(rows, metric="AP"):
    """Return a frame of scores, one row per system."""
    topics = [str(topic) for topic in range(len(rows[0]))]
    index = pd.MultiIndex.from_product(
        [[f"s{row}" for row in range(len(rows))], topics], names=["system", "topic"]
    )
    return pd.DataFrame({metric: np.ravel(rows)}, index=index)


def weigh(values, a):
    return [(1 + a) * value if value < 0 else value for value in values]


@given(rows=VALUES, a=st.sampled_from([0, 1, 5]))
def test_risks_equal_those_of_a_loop(rows, a):
    result = frame_of(rows).ireval.risk(baseline="s0", a=a).set_index("system_a")
    total, c = sum(map(sum, rows)), len(rows[0])
    for number, row in enumerate(rows[1:], start=1):
        here = result.loc[f"s{number}"]
        gained = [round(x - y, 12) for x, y in zip(row, rows[0], strict=True)]
        weighted = weigh(gained, a)
        assert here["difference"] == pytest.approx(np.mean(gained), abs=1e-12)
        assert here["urisk"] == pytest.approx(np.mean(weighted), abs=1e-12)
        if len(set(weighted)) > 1:
            expected = stats.ttest_1samp(weighted, 0).statistic
            assert here["trisk"] == pytest.approx(expected, abs=1e-9)
        z = []
        for topic, x in enumerate(row):
            e = sum(row) * sum(scores[topic] for scores in rows) / total if total else 0
            z.append((x - e) / math.sqrt(e) if e else 0)
        phi = stats.norm.cdf(sum(weigh(z, a)) / c)
        assert here["georisk"] == pytest.approx(math.sqrt(np.mean(row) * phi), abs=1e-9)
        assert here["wins"] == sum(value > 0 for value in gained)
        assert here["losses"] == sum(value < 0 for value in gained)


def test_trisk_of_constant_differences_is_zero_or_nan():
    rows = [[0.5, 0.3, 0.1], [0.5, 0.3, 0.1], [0.6, 0.4, 0.2], [0.4, 0.2, 0.0]]
    with pytest.warns(IrframeWarning, match="same on all topics.*: 2 of 3"):
        result = frame_of(rows).ireval.risk(baseline="s0", a=1)
    np.testing.assert_array_equal(result["trisk"], [0, np.nan, np.nan])
    assert result["urisk"].tolist() == pytest.approx([0, 0.1, -0.2])


def test_trisk_of_a_single_topic_is_nan():
    with pytest.warns(IrframeWarning, match="single topic"):
        result = frame_of([[0.5], [0.4]]).ireval.risk(baseline="s0")
    assert result["trisk"].isna().all()


def test_lower_costs_are_gains_and_georisk_of_costs_is_nan():
    result = frame_of([[5, 9.0], [4, 9]], metric="ASL").ireval.risk(baseline="s0")
    assert result["difference"].tolist() == [0.5]
    assert result["wins"].tolist() == [1]
    assert result["georisk"].isna().all()


def test_georisk_of_negative_scores_is_nan():
    result = frame_of([[0.5, -0.1], [0.4, 0.2]]).ireval.risk(baseline="s0")
    assert result["georisk"].isna().all()
    assert result["urisk"].notna().all()
