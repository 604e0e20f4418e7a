"""Comparison of score bounds with the extremes over all labelings."""

from dataclasses import replace

import numpy as np
from oracles.labelings import extremes
from strategies import block, topics
from variants import VARIANTS

from irframe.extremes.labelled_bounds import labelled_bounds

RECALL_BASED = [v for v in VARIANTS if v.facts.extremes in {"cut", "list"} and v.rising]
GRADES = (0, 1, 2, 3, None)
OPEN = topics(max_len=7, grades=GRADES).filter(lambda topic: topic.serp.count(None) <= 4)
"""Strategy for topics with at most four unjudged documents, so that tests can try every labeling.
"""


def graded(kind):
    """Return the recall-based metrics whose `graded` equals `kind`."""
    return [variant for variant in RECALL_BASED if variant.metric.graded == kind]


def single(topic, K):
    (_, ranking), *_ = block([topic], K).scales()
    return ranking


def check_extremes(variant, topic, K):
    """Compare bounds with the extremes over all labelings."""
    topic = replace(topic, gmax=max(topic.gmax, 1))
    depths = np.arange(1, K + 1)
    lower, upper = labelled_bounds(variant.metric, single(topic, K), depths)
    expected = [extremes(variant.name, topic, k, **variant.fields) for k in depths.tolist()]
    np.testing.assert_allclose(np.vstack([lower, upper]).T, expected, atol=1e-12)
