"""A block of rankings: parts of it, and topics with scales of their own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from strategies import block, topics

from irframe.metrics import Evidence
from irframe.metrics.block import by_scale
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


def scores(metric):
    def compute(part):
        assert isinstance(part.top, int)
        assert isinstance(part.pool_depth, int)
        yield metric.score(Evidence(part))

    return compute


@pytest.mark.parametrize("text", ["ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')"])
@given(rows=st.lists(topics(), min_size=1, max_size=5), depth=st.integers(1, 15))
def test_topics_of_any_top_grade_score_as_alone(text, rows, depth):
    """But for the last bit: an ideal ranking is summed over the grades of all topics together."""
    metric = parse_metric(text)
    (together,) = by_scale(block(rows, depth), scores(metric))
    for row, topic in zip(together, rows, strict=True):
        (alone,) = by_scale(block([topic], depth), scores(metric))
        np.testing.assert_allclose(row, alone[0], rtol=1e-15)


@given(rows=st.lists(topics(), min_size=2, max_size=4), depth=st.integers(2, 9), data=st.data())
def test_parts_and_rows(rows, depth, data):
    whole = block(rows, depth)
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    part, alone = whole.take(np.array(some)), block([rows[i] for i in some], depth)
    np.testing.assert_array_equal(part.grade, alone.grade)
    np.testing.assert_array_equal(part.retrieved, alone.retrieved)
    np.testing.assert_array_equal(np.broadcast_to(part.top, len(some)), alone.top)
    np.testing.assert_array_equal(part.pool_depth, alone.pool_depth)
    levels = {level: place for place, level in enumerate(whole.levels.tolist())}
    places = [levels[level] for level in alone.levels.tolist() if level in levels]
    known = np.isin(alone.levels, whole.levels)
    np.testing.assert_array_equal(part.count[:, places], alone.count[:, known])
    np.testing.assert_array_equal(part.pool_count[..., places], alone.pool_count[..., known])


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(2, 15), data=st.data())
def test_cutting_remembers_what_was_unjudged(rows, depth, data):
    shallow = data.draw(st.integers(1, depth))
    cut, built = block(rows, depth).cut(shallow), block(rows, shallow)
    for name in ("grade", "retrieved", "count", "pool_count", "hidden"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(built, name))
    assert (built.hidden + (built.grade == UNJUDGED).sum(axis=-1)).tolist() == [
        topic.serp.count(None) for topic in rows
    ]


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(1, 9))
def test_rows_have_the_recall_base_of_their_topic(rows, depth):
    whole = block(rows, depth)
    twice = {
        name: np.stack(2 * [getattr(whole, name)]) for name in ("grade", "retrieved", "beyond")
    }
    flat = replace(whole, **twice).rows()
    assert flat.shape == (2 * len(rows),)
    for name in ("grade", "beyond", "count", "pool_count", "pool_depth"):
        value = getattr(whole, name)
        np.testing.assert_array_equal(getattr(flat, name), np.concatenate([value, value]))


def test_rankings_of_one_system_keep_the_recall_base_of_their_topics():
    whole = block([Topic(serp=(1,), judged=(1,) * n, gmax=1) for n in (1, 2, 3)], 2)
    lists = {
        name: np.stack([getattr(whole, name), getattr(whole, name)[::-1]])
        for name in ("grade", "retrieved", "beyond")
    }
    both = replace(whole, **lists)
    for system in (0, 1):
        part = both.take(system, np.array([2, 0]))
        np.testing.assert_array_equal(part.grade, lists["grade"][system, [2, 0]])
        assert part.count.tolist() == [[3], [1]]
