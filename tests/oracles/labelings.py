"""The extremes of a metric over all labels of the unjudged documents, by trying them all."""

import itertools
import math
from dataclasses import replace

from . import ORACLES


def labelled(topic, labels):
    """Return the topic as it would be with these grades for its unjudged documents, in order."""
    given = iter(labels)
    serp = tuple(next(given) if grade is None else grade for grade in topic.serp)
    return replace(topic, serp=serp, judged=topic.judged + tuple(labels))


def extremes(name, topic, k, **params):
    """Return the lowest and the highest score at depth k, grades going from 0 to the top one.

    Of a metric without a score where nothing is relevant, the labels that leave it so do not count.
    """
    scale = range(1 + max(topic.gmax, params.get("rel", 1), 1))
    unjudged = topic.serp.count(None)
    scores = [
        ORACLES[name](labelled(topic, labels), k, **params)
        for labels in itertools.product(scale, repeat=unjudged)
    ]
    scores = [score for score in scores if not math.isnan(score)] or [math.nan]
    return min(scores), max(scores)
