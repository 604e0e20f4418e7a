"""The extremes over all labels of unjudged documents, against trying them all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import ORACLES, Topic
from oracles.labelings import extremes, labelled
from strategies import block, topics
from variants import VARIANTS, Variant

from irframe.errors import MetricError
from irframe.extremes.bounding import labelled_bounds, refuse_unbounded
from irframe.extremes.labelings import Labels
from irframe.metrics import AP, METRICS, Block, Bpref, Evidence, P, Q
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.score_ranking import score_ranking
from irframe.names import UNJUDGED

RECALL_BASED = [v for v in VARIANTS if v.facts.extremes in {"cut", "list"} and v.rising]
UTILITY = [v for v in VARIANTS if v.facts.extremes == "ceiling" and v.rising]
GRADES = (0, 1, 2, 3, None)
POOLS = {1: (0,), 2: (0,), 3: (0, 1), 4: (0, 1)}


def single(topic, K):
    (_, part), *_ = block([topic], K).scales()
    return part


def check_extremes(variant, topic, K):
    """Compare with the oracle's scores over all labels."""
    topic = replace(topic, gmax=max(topic.gmax, 1))
    depths = np.arange(1, K + 1)
    lower, upper = labelled_bounds(variant.metric, single(topic, K), depths)
    expected = [extremes(variant.name, topic, k, **variant.fields) for k in depths.tolist()]
    np.testing.assert_allclose(np.vstack([lower, upper]).T, expected, atol=1e-12)


@pytest.mark.parametrize("variant", RECALL_BASED, ids=str)
@given(topic=topics(max_len=7, grades=GRADES), K=st.integers(1, 9))
def test_extremes_are_exact(variant, topic, K):
    assume(topic.serp.count(None) <= 4)
    check_extremes(variant, topic, K)


@pytest.mark.parametrize("text", ["AP", "nDCG", "Q", "Rprec"])
@given(rows=st.lists(topics(max_len=6, grades=GRADES, gmax=3), min_size=2, max_size=4))
def test_rankings_have_the_extremes_they_have_alone(text, rows):
    rows = [replace(row, judged_at=None, pool_depth=None) for row in rows]
    metric, depths = parse_metric(text), np.array([1, 6])
    (_, together), *_ = block(rows, 6).scales()
    found = np.stack(labelled_bounds(metric, together, depths), axis=1)
    for topic, within in zip(rows, found, strict=True):
        alone = np.stack(labelled_bounds(metric, single(topic, 6), depths), axis=1)
        np.testing.assert_allclose(within, alone[0], rtol=1e-12)


@given(topic=topics(max_len=5, grades=GRADES, gmax=3), K=st.integers(1, 7))
def test_extremes_are_exact_where_several_grades_below_the_threshold_gain(topic, K):
    assume(topic.serp.count(None) <= 4)
    check_extremes(Variant("Q(rel=3)"), topic, K)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("nDCG", Topic(serp=(0, None, 1), judged=(0, 1), gmax=2, judged_at=POOLS, pool_depth=5)),
        (
            "nDCG(ideal='pool')",
            Topic(serp=(0, None, 1), judged=(0, 1), gmax=2, judged_at={1: (0,)}, pool_depth=2),
        ),
        ("nDCG(rel=2)", Topic(serp=(1, None), judged=(1, 1), gmax=3)),
        ("Q(beta=3, rel=2)", Topic(serp=(None, 2, None), judged=(2,), gmax=3)),
    ],
)
def test_extremes_are_exact_where_a_grade_in_between_or_none_decides(text, topic):
    check_extremes(Variant(text), topic, len(topic.serp))


def test_kinds_of_label_stand_best_first():
    labels = Labels.of(Q(rel=3), np.arange(5), 4)
    assert labels.relevant.tolist() == [1, 0.75]
    assert labels.others.tolist() == [0.5, 0.25]
    assert not labels.single


@pytest.mark.parametrize("variant", UTILITY, ids=str)
@given(topic=topics(max_len=9, grades=GRADES), K=st.integers(1, 11), data=st.data())
def test_any_labels_score_inside(variant, topic, K, data):
    metric, scale = variant.metric, st.integers(0, max(topic.gmax, variant.facts.rel))
    lower, upper = (score(Evidence(single(topic, K))) for score in (metric.score, metric.highest))
    labels = data.draw(st.lists(scale, min_size=9, max_size=9))[: topic.serp.count(None)]
    for k in range(1, K + 1):
        score = variant.oracle(labelled(topic, labels), k)
        assert lower[0, k - 1] - 1e-12 <= score <= upper[0, k - 1] + 1e-12


@given(topic=topics(max_len=9, grades=GRADES), p=st.floats(0.1, 0.95))
def test_reading_on_stays_inside_the_tail(topic, p):
    """Whatever the unread ranks hold, the score of the whole list is within those of a prefix."""
    scale = max(topic.gmax, 1)
    best = tuple(scale if grade is None else grade for grade in topic.serp) + (scale,) * 60
    n = max(1, len(topic.serp))
    for name, params in (("RBP", {"p": p}), ("ERR", {}), ("INSQ", {"T": 10 * p})):
        upper = METRICS[name](**params).highest(Evidence(single(topic, n)))[0]
        score = ORACLES[name](replace(topic, serp=best, gmax=scale), len(best), **params)
        assert score <= upper.min() + 1e-12


def test_the_best_case_is_not_that_everything_is_relevant():
    """The judged document at rank 1 scores 1; a relevant one at rank 9 would only lower that."""
    grade = np.array([[1, *[0] * 7, UNJUDGED]], np.int8)
    one = Block(
        grade=grade,
        beyond=np.array([0]),
        retrieved=np.array([9]),
        levels=np.array([0, 1]),
        count=np.array([[7, 1]]),
        top=1,
    )
    lower, upper = labelled_bounds(AP(), one, np.array([9]))
    assert upper[0, 0] == 1
    assert lower[0, 0] == pytest.approx((1 + 2 / 9) / 2)


def test_precision_counts_missing_ranks():
    row = Block(
        grade=np.array([[1, UNJUDGED, -128]], np.int8),
        retrieved=np.array([2]),
        levels=np.array([1]),
        count=np.array([[1]]),
        top=1,
    )
    assert P().highest(Evidence(row))[0].tolist() == [1, 1, 1]
    assert score_ranking(P(), [1, None], depth=3).tolist() == pytest.approx([1, 0.5, 1 / 3])


def test_refusals():
    with pytest.raises(MetricError, match="Bpref"):
        refuse_unbounded([AP(), Bpref()])
    many = Block(
        grade=np.full((50, 200), UNJUDGED, np.int8),
        beyond=np.zeros(50, int),
        retrieved=np.full(50, 200),
        levels=np.array([0, 3]),
        count=np.ones((50, 2), int),
        top=3,
    )
    with pytest.raises(MetricError, match="steps.*at="):
        labelled_bounds(Q(), many, np.array([200]))
    with pytest.raises(MetricError, match="rise with the grade"):
        labelled_bounds(parse_metric("Q(gain={1: 1, 2: 0.5, 3: 1})"), many, np.array([1]))
