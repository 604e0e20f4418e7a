"""The range of scores over all orders of tied documents, against trying every order."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from variants import VARIANTS

from irframe.errors import MetricError
from irframe.extremes import labelled_bounds
from irframe.extremes.labelled_bounds import reordered_scores
from irframe.metrics import Block
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED

ORDERS = 150
"""How many orders of a list the slow loop scores, at most."""


@st.composite
def tied_lists(draw):
    """Draw blocks of tied grades, of not too many orders, and the grades of missed documents."""
    grade = st.sampled_from([0, 1, 2, 3, None, -2])
    blocks, orders = [], 1
    for block in draw(st.lists(st.lists(grade, min_size=1, max_size=4), min_size=1, max_size=4)):
        orders *= math.factorial(len(block))
        blocks += [block] if orders <= ORDERS else []
    return blocks, draw(st.lists(st.integers(0, 3), max_size=3))


def tied_block(blocks, judged, depth):
    serp = [grade for block in blocks for grade in block]
    marks = np.array([UNJUDGED if grade is None else grade for grade in serp], np.int8)
    tied = np.array([place > 0 for block in blocks for place in range(len(block))])
    levels = np.unique([*judged, 0])
    tail = []
    if depth < len(serp):
        block = np.cumsum(~tied)
        tail = [
            g for g, b in zip(serp[depth:], block[depth:], strict=True) if b == block[depth - 1]
        ]
    return Block(
        grade=marks[np.newaxis, :depth],
        retrieved=np.array([min(depth, len(serp))]),
        levels=levels,
        count=np.array([[list(judged).count(level) for level in levels]]),
        top=3,
        tied=tied[np.newaxis, :depth],
        tail=np.array([[tail.count(level) for level in levels]]),
        tail_size=np.array([len(tail)]),
    )


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.ordered], ids=str)
@given(drawn=tied_lists(), data=st.data())
def test_ranges_are_exact(variant, drawn, data):
    check_ranges(variant, drawn, data)


def check_ranges(variant, drawn, data):
    """Compare with the oracle's scores over every order."""
    blocks, missed = drawn
    length = sum(map(len, blocks))
    judged = [grade for block in blocks for grade in block if grade is not None] + missed
    depth = data.draw(st.integers(1, length))
    orders = [
        tuple(itertools.chain(*order))
        for order in itertools.product(*(set(itertools.permutations(block)) for block in blocks))
    ]
    depths = list(range(1, depth + 1))
    lists = tied_block(blocks, judged, depth)
    low, high = reordered_scores(lists, [variant.metric], depths)
    for k in depths:
        scores = [
            variant.oracle(Topic(serp=serp[:depth], judged=tuple(judged), gmax=3), k)
            for serp in orders
        ]
        assert low[0, k - 1] == pytest.approx(np.fmin.reduce(scores), abs=1e-12, nan_ok=True)
        assert high[0, k - 1] == pytest.approx(np.maximum.reduce(scores), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if not v.ordered], ids=str)
@given(drawn=tied_lists(), data=st.data())
def test_every_order_is_tried_where_none_is_known_to_be_the_best(variant, drawn, data):
    check_ranges(variant, drawn, data)


def test_the_highest_grade_that_a_cell_holds_is_ranged_too():
    lists = tied_block([[0, 127, None]], [0, 127], 2)
    low, high = reordered_scores(lists, [parse_metric("P(rel=127)")], [1, 2])
    assert low.tolist() == [[0, 0.0]]
    assert high.tolist() == [[1, 0.5]]


def test_too_many_orders_are_refused():
    blocks = [[0, 1, 2, 3, None, -2, 1, 2, 3, 0, None]]
    lists = tied_block(blocks, [0, 1, 2, 3, -2, 1, 2, 3, 0], 11)
    with pytest.raises(MetricError, match="at most 20000 orders.*for InfAP; found 1247400"):
        list(reordered_scores(lists, [parse_metric("InfAP")], [5]))


def test_orders_scored_in_pieces_give_the_same(monkeypatch):
    lists = tied_block([[0, 1, None], [2, 0, 1, 0]], [0, 1, 2, 0, 1, 0], 6)
    metrics, depths = [parse_metric("InfAP"), parse_metric("Twist")], [2, 5, 6]
    whole = list(reordered_scores(lists, metrics, depths))
    monkeypatch.setattr(labelled_bounds, "ALL_TIE_ORDERS_CELLS", 50)
    np.testing.assert_array_equal(list(reordered_scores(lists, metrics, depths)), whole)
