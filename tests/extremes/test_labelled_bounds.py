"""The extremes over all labels of unjudged documents: all metrics together, and who has none."""

from dataclasses import replace

import numpy as np
import pytest
from bounded import GRADES, single
from hypothesis import given
from hypothesis import strategies as st
from oracles import ORACLES
from oracles.labelings import labelled
from strategies import block, topics
from variants import VARIANTS

from irframe.errors import MetricError
from irframe.extremes.labelled_bounds import labelled_bounds, refuse_unbounded
from irframe.metrics import AP, METRICS, Block, Bpref, Evidence, P
from irframe.metrics.contributions import score_ranking
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED

UTILITY = [v for v in VARIANTS if v.facts.extremes == "ceiling" and v.rising]


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


def test_metrics_without_bounds_are_refused():
    with pytest.raises(MetricError, match="Bpref"):
        refuse_unbounded([AP(), Bpref()])
