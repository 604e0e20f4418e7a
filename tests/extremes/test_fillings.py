"""Extremes over labels that count alike, against trying them all."""

import numpy as np
import pytest
from bounded import OPEN, check_extremes, graded
from hypothesis import given
from hypothesis import strategies as st

from irframe.extremes.labelings import best_grade, scale, with_level
from irframe.extremes.labelled_bounds import labelled_bounds
from irframe.metrics import AP, Block
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


@pytest.mark.parametrize("variant", graded(""), ids=str)
@given(topic=OPEN, K=st.integers(1, 9))
def test_extremes_are_exact(variant, topic, K):
    check_extremes(variant, topic, K)


def ranking(grade, levels, count):
    return Block(
        grade=np.array([grade], np.int8),
        beyond=np.array([0]),
        retrieved=np.array([len(grade)]),
        levels=np.array(levels),
        count=np.array([count]),
        top=max(levels),
    )


def test_the_best_case_is_not_that_everything_is_relevant():
    """The judged document at rank 1 scores 1; a relevant one at rank 9 would only lower that."""
    one = ranking([1, *[0] * 7, UNJUDGED], [0, 1], [7, 1])
    lower, upper = labelled_bounds(AP(), one, np.array([9]))
    assert upper[0, 0] == 1
    assert lower[0, 0] == pytest.approx((1 + 2 / 9) / 2)


def test_an_unjudged_document_may_have_any_grade_up_to_the_top_or_the_threshold():
    assert scale(parse_metric("AP"), np.array([-1, 0]), 0).tolist() == [-1, 0, 1]
    assert scale(parse_metric("AP(rel=2)"), np.array([0, 1]), 1).tolist() == [0, 1, 2]


def test_the_grade_that_counts_most_need_not_be_the_highest():
    lists = ranking([0, UNJUDGED], [0, 3], [1, 0])
    assert best_grade(parse_metric("nDCG(gain={1: 1, 2: 5, 3: 2})"), lists) == 2
    assert best_grade(parse_metric("nDCG"), lists) == 3


def test_a_grade_that_does_not_occur_takes_its_place_among_the_levels():
    found = with_level(ranking([0, 3], [0, 3], [4, 5]), 2)
    assert found.levels.tolist() == [0, 2, 3]
    assert found.count.tolist() == [[4, 0, 5]]
