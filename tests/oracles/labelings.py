"""Lowest and highest scores over all possible labelings, by enumeration."""

import itertools
import math
from dataclasses import replace

from . import ORACLES


def labelled(topic, labels):
    """Return the topic with grades for its unjudged documents."""
    remaining = iter(labels)
    serp = tuple(next(remaining) if grade is None else grade for grade in topic.serp)
    return replace(topic, serp=serp, judged=topic.judged + tuple(labels))


def extremes(name, topic, k, **params):
    """Return the lowest and highest score at depth k.

    Labelings for which the score is undefined are ignored.
    """
    scale = range(1 + max(topic.gmax, params.get("rel", 1), 1))
    unjudged = topic.serp.count(None)
    scores = [
        ORACLES[name](labelled(topic, labels), k, **params)
        for labels in itertools.product(scale, repeat=unjudged)
    ]
    scores = [score for score in scores if not math.isnan(score)] or [math.nan]
    return min(scores), max(scores)
