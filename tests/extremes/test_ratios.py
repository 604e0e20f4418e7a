"""The highest nDCG over labels of several gains, against trying them all."""

import numpy as np
import pytest
from bounded import OPEN, check_extremes, graded
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from variants import Variant

from irframe.extremes.labelled_bounds import labelled_bounds
from irframe.metrics import Block
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED

POOLS = {1: (0,), 2: (0,), 3: (0, 1), 4: (0, 1)}


@pytest.mark.parametrize("variant", graded("ratios"), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_extremes_are_exact(variant, topic, K):
    check_extremes(variant, topic, K)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("nDCG", Topic(serp=(0, None, 1), judged=(0, 1), gmax=2, judged_at=POOLS, pool_depth=5)),
        (
            "nDCG(ideal='pool')",
            Topic(serp=(0, None, 1), judged=(0, 1), gmax=2, judged_at={1: (0,)}, pool_depth=2),
        ),
        ("nDCG(rel=2)", Topic(serp=(1, None), judged=(1, 1), gmax=3)),
    ],
)
def test_extremes_are_exact_where_a_grade_in_between_or_none_decides(text, topic):
    check_extremes(Variant(text), topic, len(topic.serp))


def test_rows_rise_until_none_does():
    """The first ranking needs three rounds, the second none, whichever stands first."""
    first = Topic(serp=(0, None, 1, None), judged=(0, 1, 1, 2, 2), gmax=3)
    check_extremes(Variant("nDCG(gain='exp')"), first, 4)
    grade = np.array([[0, UNJUDGED, 1, UNJUDGED], [3, 0, 0, 0]], np.int8)
    block = Block(
        grade=grade,
        beyond=np.array([0, 0]),
        retrieved=np.array([4, 4]),
        levels=np.arange(4),
        count=np.array([[1, 2, 2, 0], [3, 0, 0, 1]]),
        top=3,
    )
    metric, depths = parse_metric("nDCG(gain='exp')"), np.array([2, 4])
    both = labelled_bounds(metric, block, depths)[1]
    turned = labelled_bounds(metric, block.take(slice(None, None, -1)), depths)[1]
    np.testing.assert_array_equal(both, turned[::-1])
    assert both[1].tolist() == [1, 1]
