"""When the exact extremes of Q are refused."""

import numpy as np
import pytest

from irframe.errors import MetricError
from irframe.extremes.bounding import refuse_long
from irframe.metrics import Block
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


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
    with pytest.raises(MetricError, match="bounds of Q in at most 1e\\+09 steps.*3 grades"):
        refuse_long(parse_metric("Q"), lists(rows, depth, unjudged), np.array(depths))


@pytest.mark.parametrize("text", ["Q", "Q@10", "Q(gain='binary')", "nDCG", "AP"])
def test_what_takes_seconds_is_not(text):
    depths = np.array([10] if text == "Q" else [10, 100])
    refuse_long(parse_metric(text), lists(128, 100, 98), depths)
