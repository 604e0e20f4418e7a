"""The extremes of Q over labels of several grades, and when they are refused."""

import numpy as np
import pytest
from bounded import GRADES, OPEN, check_extremes, graded
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from strategies import topics
from variants import Variant

from irframe.errors import MetricError
from irframe.extremes.labelings import Labels
from irframe.extremes.labelled_bounds import labelled_bounds, refuse_long
from irframe.metrics import Block, Q
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


@pytest.mark.parametrize("variant", graded("labelings"), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_extremes_are_exact(variant, topic, K):
    check_extremes(variant, topic, K)


@given(topic=topics(max_len=4, grades=GRADES, gmax=3), K=st.integers(1, 6))
def test_extremes_are_exact_where_several_grades_below_the_threshold_gain(topic, K):
    check_extremes(Variant("Q(rel=3)"), topic, K)


def test_extremes_are_exact_where_grades_below_and_above_the_threshold_count():
    topic = Topic(serp=(None, 2, None), judged=(2,), gmax=3)
    check_extremes(Variant("Q(beta=3, rel=2)"), topic, 3)


def test_kinds_of_label_stand_best_first():
    labels = Labels.of(Q(rel=3), np.arange(5), 4)
    assert labels.relevant.tolist() == [1, 0.75]
    assert labels.others.tolist() == [0.5, 0.25]
    assert not labels.single


def test_gains_that_fall_with_the_grade_are_refused():
    lists_ = lists(1, 2, 1)
    with pytest.raises(MetricError, match="rise with the grade"):
        labelled_bounds(parse_metric("Q(gain={1: 1, 2: 0.5, 3: 1})"), lists_, np.array([1]))


def lists(rows, depth, unjudged, top=3):
    """Return rankings with some unjudged documents in the last ranks."""
    grade = np.zeros((rows, depth), np.int8)
    grade[:, depth - unjudged :] = UNJUDGED
    return Block(
        grade=grade,
        retrieved=np.full(rows, depth),
        levels=np.arange(top + 1),
        count=np.ones((rows, top + 1), int),
        top=top,
    )


@pytest.mark.parametrize(
    ("rows", "depth", "unjudged", "depths"),
    [
        (128, 100, 30, [100]),  # 2.2e9 steps
        (6, 100, 60, [100]),
        (1, 1000, 1, range(1, 1001)),  # few steps, a million rounds
    ],
)
def test_what_takes_minutes_is_refused(rows, depth, unjudged, depths):
    refused = pytest.raises(
        MetricError, match="bounds of Q in at most 1e\\+09 steps.*3 grades.*at="
    )
    block, depths = lists(rows, depth, unjudged), np.array(depths)
    with refused:
        refuse_long(parse_metric("Q"), block, depths)
    with refused:
        labelled_bounds(parse_metric("Q"), block, depths)


def test_every_document_down_to_the_depth_counts():
    """With 19 unjudged documents 300 lists take 9.2e8 steps, with 20 they take 1.1e9."""
    refuse_long(parse_metric("Q"), lists(300, 100, 19), np.array([100]))
    with pytest.raises(MetricError, match="found 1.1e\\+09 on 3 grades"):
        refuse_long(parse_metric("Q"), lists(300, 100, 20), np.array([100]))


@pytest.mark.parametrize("text", ["Q", "Q@10", "Q(gain='binary')", "nDCG", "AP"])
def test_what_takes_seconds_is_not(text):
    depths = np.array([10] if text == "Q" else [10, 100])
    refuse_long(parse_metric(text), lists(128, 100, 98), depths)
