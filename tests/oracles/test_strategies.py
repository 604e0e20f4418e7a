"""Tests of the topics and blocks that strategies draw."""

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import batches, block, topics

from irframe.names import EMPTY, UNJUDGED


@settings(deadline=None)
@given(topics(), st.data())
def test_pools_of_drawn_topics_grow_to_the_recall_base(topic, data):
    if topic.pool_depth is None:
        assert topic.judged_at is None
        return
    assert sorted(topic.judged_at) == list(range(1, topic.pool_depth))
    k = data.draw(st.integers(1, topic.pool_depth))
    for grade in {*topic.judged}:
        assert topic.pool(k).count(grade) <= topic.pool(k + 1).count(grade)
    assert topic.pool(topic.pool_depth) == topic.judged


@settings(max_examples=50, deadline=None)
@given(batches())
def test_blocks_contain_the_grades_of_topics(drawn):
    batch, K = drawn
    full_block = block(batch, K)
    for i, topic in enumerate(batch):
        grades = [g for g in full_block.grade[i].tolist() if g != EMPTY]
        assert [None if g == UNJUDGED else g for g in grades] == list(topic.serp[:K])
        assert full_block.retrieved[i] == len(grades)
        for k in range(1, K + 1):
            pool = full_block.levels.repeat(full_block.pool_count[i, k - 1]).tolist()
            assert pool == sorted(topic.pool(k))
        assert full_block.levels.repeat(full_block.count[i]).tolist() == sorted(topic.judged)
    assert full_block.top == batch[0].gmax
