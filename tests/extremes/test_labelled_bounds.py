"""Score bounds over possible labels, and over orders of ties."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from bounded import GRADES, single
from hypothesis import given
from hypothesis import strategies as st
from oracles import ORACLES, Topic
from oracles.labelings import labelled
from refusals import refused
from strategies import CODES, block, block_of, judged_of, topics
from turns import few_of
from variants import VARIANTS

from irframe.errors import MetricError
from irframe.extremes.labelled_bounds import (
    labelled_bounds,
    preference_ranks,
    refuse_unbounded,
    reordered_scores,
)
from irframe.metrics import AP, METRICS, Block, Bpref, Evidence, P
from irframe.metrics.parse_metric import parse_metric
from irframe.names import EMPTY, UNJUDGED

UTILITY = [v for v in VARIANTS if v.facts.extremes == "ceiling" and v.rising]


@pytest.mark.parametrize("text", ["AP", "nDCG", "Q", "Rprec"])
@given(rows=st.lists(topics(max_len=6, grades=GRADES, gmax=3), min_size=2, max_size=4))
def test_bounds_of_a_batch_equal_those_of_single_rankings(text, rows):
    rows = [replace(row, judged_at=None, pool_depth=None) for row in rows]
    metric, depths = parse_metric(text), np.array([1, 6])
    (_, batch), *_ = block(rows, 6).scales()
    result = np.stack(labelled_bounds(metric, batch, depths), axis=1)
    for topic, within in zip(rows, result, strict=True):
        expected = np.stack(labelled_bounds(metric, single(topic, 6), depths), axis=1)
        np.testing.assert_allclose(within, expected[0], rtol=1e-12)


@pytest.mark.parametrize("variant", few_of(UTILITY, 3, drawn=False), ids=str)
@given(topic=topics(max_len=9, grades=GRADES), K=st.integers(1, 11), data=st.data())
def test_any_labels_score_within_the_bounds(variant, topic, K, data):
    metric, scale = variant.metric, st.integers(0, max(topic.gmax, variant.facts.rel))
    lower, upper = (score(Evidence(single(topic, K))) for score in (metric.score, metric.highest))
    labels = data.draw(st.lists(scale, min_size=9, max_size=9))[: topic.serp.count(None)]
    for k in range(1, K + 1):
        score = variant.oracle(labelled(topic, labels), k)
        assert lower[0, k - 1] - 1e-12 <= score <= upper[0, k - 1] + 1e-12


@given(topic=topics(max_len=9, grades=GRADES), p=st.floats(0.1, 0.95))
def test_longer_lists_score_within_the_bounds(topic, p):
    """A longer list scores within the bounds of its prefix."""
    scale = max(topic.gmax, 1)
    best = tuple(scale if grade is None else grade for grade in topic.serp) + (scale,) * 60
    n = max(1, len(topic.serp))
    for name, params in (("RBP", {"p": p}), ("ERR", {}), ("INSQ", {"T": 10 * p})):
        upper = METRICS[name](**params).highest(Evidence(single(topic, n)))[0]
        score = ORACLES[name](replace(topic, serp=best, gmax=scale), len(best), **params)
        assert score <= upper.min() + 1e-12


def test_the_upper_bound_of_precision_counts_missing_ranks_as_relevant():
    row = Block(
        grade=np.array([[1, UNJUDGED, EMPTY]], np.int16),
        retrieved=np.array([2]),
        levels=np.array([1]),
        count=np.array([[1]]),
        top=1,
    )
    assert P().highest(Evidence(row))[0].tolist() == [1, 1, 1]
    assert P().curve([1, None, None], listed=[1, 1, 0]).tolist() == pytest.approx([1, 0.5, 1 / 3])


def test_metrics_without_bounds_are_refused():
    refused(MetricError, "Bpref", lambda: refuse_unbounded([AP(), Bpref()]))


ORDERS = 150
"""Maximum number of orders of ties that the reference implementation scores per list."""


@st.composite
def tied_lists(draw):
    """Draw blocks of tied grades, and grades of missed documents."""
    grade = st.sampled_from([0, 1, 2, 3, None, -2])
    blocks = []
    orders = 1
    for tied in draw(st.lists(st.lists(grade, min_size=1, max_size=4), min_size=1, max_size=4)):
        orders *= math.factorial(len(tied))
        blocks += [tied] if orders <= ORDERS else []
    return blocks, draw(st.lists(st.integers(0, 3), max_size=3))


def tied_block(blocks, judged, depth):
    serp = [grade for block in blocks for grade in block]
    marks = np.array([UNJUDGED if grade is None else grade for grade in serp], np.int16)
    tied = np.array([offset > 0 for block in blocks for offset in range(len(block))])
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


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if v.ordered], 3, drawn=False), ids=str
)
@given(drawn=tied_lists(), data=st.data())
def test_tie_ranges_equal_the_extremes_over_all_orders(variant, drawn, data):
    """Ranges agree with the oracle over all orders of ties."""
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


SHORT = 5
"""Number of documents in the longest enumerated lists of codes."""


def enumerated(variant, lists, judged):
    """Return scores of lists of grades, negated for costs."""
    scores = variant.score(block_of(lists, judged, max(map(len, lists))))
    return np.nan_to_num(-scores, nan=-np.inf) if variant.metric.cost else scores


@cache
def ranks_of(variant):
    """Return the sort key of grades for the metric."""
    return preference_ranks(variant.metric, np.array(CODES[1:]), 3)


def best_list(variant, codes):
    """Return grades in the best order for the metric."""
    value = ranks_of(variant)
    return tuple(sorted(codes, key=lambda code: -value[code]))


MULTISETS = [
    codes
    for size in range(1, SHORT + 1)
    for codes in itertools.combinations_with_replacement(CODES, size)
]
ORDERED = [sorted({*itertools.permutations(codes)}) for codes in MULTISETS]
ORDERLY = few_of([v for v in VARIANTS if v.ordered], 9, drawn=False)
BY_GRADE = few_of([v for v in VARIANTS if v.ordered and v.metric.by_grade], 9, drawn=False)
by_missed = pytest.mark.parametrize("missed", [(), (0, 2, 3)], ids=["all found", "some missed"])


@pytest.mark.parametrize("variant", ORDERLY, ids=str)
@by_missed
def test_no_order_of_five_documents_beats_the_best_one(variant, missed):
    judged = [judged_of(codes, missed) for codes in MULTISETS]
    best = enumerated(variant, [best_list(variant, codes) for codes in MULTISETS], judged)
    sizes = [*map(len, ORDERED)]
    repeated = [grades for grades, size in zip(judged, sizes, strict=True) for _ in range(size)]
    scores = enumerated(variant, [*itertools.chain(*ORDERED)], repeated)
    best = np.repeat(best, sizes, axis=0)
    assert (np.isnan(best) == np.isnan(scores)).all()
    assert not (best < scores - 1e-12).any()


@pytest.mark.parametrize("variant", BY_GRADE, ids=str)
@by_missed
def test_another_document_never_lowers_the_highest_score(variant, missed):
    longer = [(codes, removed) for codes in MULTISETS for removed in range(len(codes))]
    pairs = [(codes[:n] + codes[n + 1 :], codes, judged_of(codes, missed)) for codes, n in longer]
    every = [judged_of(codes, missed) for codes in MULTISETS]
    pairs += [(codes, grades, grades) for codes, grades in zip(MULTISETS, every, strict=True)]
    judged = [grades for *_, grades in pairs]
    fewer, more = (
        enumerated(variant, [best_list(variant, pair[side]) for pair in pairs], judged)
        for side in (0, 1)
    )
    width = min(fewer.shape[-1], more.shape[-1])
    assert not (more[:, :width] < fewer[:, :width] - 1e-12).any()


def test_by_grade_is_false_if_an_appended_document_may_lower_the_score():
    odd = ("SetP", "SetF", "Utility", "ASL", "ESL", "Judged", "Twist", "CRP", "NumRet", "RnDCG")
    assert not any(METRICS[name].by_grade for name in odd)
    assert all(METRICS[name].by_grade for name in ("AP", "nDCG", "Recall", "RR", "Bpref", "Q"))


def test_tie_ranges_support_the_highest_valid_grade():
    lists = tied_block([[0, 32767, None]], [0, 32767], 2)
    low, high = reordered_scores(lists, [parse_metric("P(rel=32767)")], [1, 2])
    assert low.tolist() == [[0, 0.0]]
    assert high.tolist() == [[1, 0.5]]
