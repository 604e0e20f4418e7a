"""Score bounds agree with an enumeration of all labels."""

import numpy as np
import pytest
from bounded import GRADES, OPEN, check_extremes, graded
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from strategies import topics
from turns import few_of
from variants import Variant

from irframe.errors import MetricError
from irframe.extremes.labelings import Labels, best_grade, scale, with_level
from irframe.extremes.labelled_bounds import labelled_bounds, refuse_long
from irframe.metrics import AP, Block, Q
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


@pytest.mark.parametrize("variant", graded("labelings"), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_bounds_of_graded_metrics_agree_with_enumeration(variant, topic, K):
    check_extremes(variant, topic, K)


@given(topic=topics(max_len=4, grades=GRADES, gmax=3), K=st.integers(1, 6))
def test_bounds_are_exact_if_several_grades_below_the_threshold_have_gain(topic, K):
    check_extremes(Variant("Q(rel=3)"), topic, K)


def test_bounds_are_exact_if_grades_below_and_above_the_threshold_have_gain():
    topic = Topic(serp=(None, 2, None), judged=(2,), gmax=3)
    check_extremes(Variant("Q(beta=3, rel=2)"), topic, 3)


def test_gains_of_labels_are_sorted_in_descending_order():
    labels = Labels.of(Q(rel=3), np.arange(5), 4)
    assert labels.relevant.tolist() == [1, 0.75]
    assert labels.below.tolist() == [0.5, 0.25]
    assert not labels.single


def test_gains_that_fall_with_the_grade_are_refused():
    block = lists(1, 2, 1)
    with pytest.raises(MetricError, match="rise with the grade"):
        labelled_bounds(parse_metric("Q(gain={1: 1, 2: 0.5, 3: 1})"), block, np.array([1]))


def lists(rows, depth, unjudged, top=3):
    """Return rankings with unjudged documents in the last ranks."""
    grade = np.zeros((rows, depth), np.int16)
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
        # few steps per depth, but every depth adds an overhead
        (1, 1000, 1, range(1, 1001)),
    ],
)
def test_bounds_that_take_minutes_are_refused(rows, depth, unjudged, depths):
    refused = pytest.raises(
        MetricError, match="bounds of Q that take at most 1e\\+09 steps.*3 grades.*at="
    )
    block = lists(rows, depth, unjudged)
    depths = np.array(depths)
    with refused:
        refuse_long(parse_metric("Q"), block, depths)
    with refused:
        labelled_bounds(parse_metric("Q"), block, depths)


def test_bounds_with_more_than_1e9_steps_are_refused():
    """19 unjudged documents take 9.2e8 steps, and 20 take 1.1e9."""
    refuse_long(parse_metric("Q"), lists(300, 100, 19), np.array([100]))
    with pytest.raises(MetricError, match="found 1.1e\\+09 steps for 3 grades"):
        refuse_long(parse_metric("Q"), lists(300, 100, 20), np.array([100]))


@pytest.mark.parametrize("text", ["Q", "Q@10", "Q(gain='binary')", "nDCG", "AP"])
def test_bounds_that_take_seconds_are_not_refused(text):
    depths = np.array([10] if text == "Q" else [10, 100])
    refuse_long(parse_metric(text), lists(128, 100, 98), depths)


@pytest.mark.parametrize("variant", few_of(graded(""), 3, drawn=False), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_bounds_of_metrics_with_one_gain_agree_with_enumeration(variant, topic, K):
    check_extremes(variant, topic, K)


def ranking(grade, levels, count):
    return Block(
        grade=np.array([grade], np.int16),
        beyond=np.array([0]),
        retrieved=np.array([len(grade)]),
        levels=np.array(levels),
        count=np.array([count]),
        top=max(levels),
    )


def test_labelling_every_document_relevant_may_lower_ap():
    """AP decreases from 1 if rank 9 is relevant."""
    block = ranking([1, *[0] * 7, UNJUDGED], [0, 1], [7, 1])
    lower, upper = labelled_bounds(AP(), block, np.array([9]))
    assert upper[0, 0] == 1
    assert lower[0, 0] == pytest.approx((1 + 2 / 9) / 2)


def test_an_unjudged_document_may_have_any_grade_up_to_the_top_or_the_threshold():
    assert scale(parse_metric("AP"), np.array([-1, 0]), 0).tolist() == [-1, 0, 1]
    assert scale(parse_metric("AP(rel=2)"), np.array([0, 1]), 1).tolist() == [0, 1, 2]


def test_the_best_grade_has_the_highest_gain():
    lists = ranking([0, UNJUDGED], [0, 3], [1, 0])
    assert best_grade(parse_metric("nDCG(gain={1: 1, 2: 5, 3: 2})"), lists) == 2
    assert best_grade(parse_metric("nDCG"), lists) == 3


def test_added_levels_are_sorted_with_count_0():
    result = with_level(ranking([0, 3], [0, 3], [4, 5]), 2)
    assert result.levels.tolist() == [0, 2, 3]
    assert result.count.tolist() == [[4, 0, 5]]


POOLS = {1: (0,), 2: (0,), 3: (0, 1), 4: (0, 1)}


@pytest.mark.parametrize("variant", graded("ratios"), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_bounds_of_ratios_agree_with_enumeration(variant, topic, K):
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
def test_bounds_are_exact_if_a_middle_grade_has_the_highest_gain(text, topic):
    check_extremes(Variant(text), topic, len(topic.serp))


def test_the_highest_ndcg_of_each_ranking_converges_independently():
    """The first ranking needs three iterations, the second ranking none."""
    first = Topic(serp=(0, None, 1, None), judged=(0, 1, 1, 2, 2), gmax=3)
    check_extremes(Variant("nDCG(gain='exp')"), first, 4)
    grade = np.array([[0, UNJUDGED, 1, UNJUDGED], [3, 0, 0, 0]], np.int16)
    block = Block(
        grade=grade,
        beyond=np.array([0, 0]),
        retrieved=np.array([4, 4]),
        levels=np.arange(4),
        count=np.array([[1, 2, 2, 0], [3, 0, 0, 1]]),
        top=3,
    )
    metric = parse_metric("nDCG(gain='exp')")
    depths = np.array([2, 4])
    both = labelled_bounds(metric, block, depths)[1]
    turned = labelled_bounds(metric, block.take(slice(None, None, -1)), depths)[1]
    np.testing.assert_array_equal(both, turned[::-1])
    assert both[1].tolist() == [1, 1]
