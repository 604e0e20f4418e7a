"""Collections of topics in one cube."""

import numpy as np
import pandas as pd
import pytest
from dense import dense
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.errors import IdError, ParameterError
from irframe.experiments.lists import Collections

RUNS = pd.DataFrame({"system": "s", "topic": list("1234"), "doc": "d", "score": 1.0})
QRELS = pd.DataFrame({"topic": list("1234"), "doc": "d", "grade": [1, 3, 0, 2]})
TRACK = dict(zip("1234", ["web", "news", "web", "news"], strict=True))


def with_track(frame):
    return frame.assign(track=frame["topic"].map(TRACK))


@pytest.mark.parametrize("sides", ["runs", "qrels", "both"])
def test_either_frame_may_name_the_collection(sides):
    runs = with_track(RUNS) if sides in {"runs", "both"} else RUNS
    qrels = with_track(QRELS) if sides in {"qrels", "both"} else QRELS
    cube = ir.cube(runs, qrels, collection="track")
    assert cube["track"].values.tolist() == list(TRACK.values())
    assert dense(cube).top.tolist() == [1, 3, 1, 3]


def test_all_topics_are_one_collection_by_default():
    assert (dense(ir.cube(with_track(RUNS), with_track(QRELS))).top == 3).all()


def test_each_collection_has_a_pool_of_its_own():
    runs = pd.concat([RUNS, RUNS.assign(doc="unjudged", score=0.5)[:1]])
    cube = ir.cube(with_track(runs), with_track(QRELS), collection="track")
    assert dense(cube).pool_depth.tolist() == [1, 2, 1, 2]
    depths = {"web": 7, "news": 0}
    cube = ir.cube(with_track(runs), QRELS, collection="track", pool_depth=depths)
    assert dense(cube).pool_depth.tolist() == [7, 0, 7, 0]
    with pytest.raises(ParameterError, match="pool_depth for every collection.*: news"):
        ir.cube(with_track(runs), QRELS, collection="track", pool_depth={"web": 7})


def test_a_collection_that_only_some_rows_name():
    some = with_track(QRELS).assign(track=lambda f: f["track"].where(f["topic"] < "3"))
    cube = ir.cube(with_track(RUNS), some, collection="track")
    assert dense(cube).top.tolist() == [1, 3, 1, 3]


def test_a_column_that_is_not_there():
    with pytest.raises(ParameterError, match="column of the frames; found 'year': system, topic"):
        ir.cube(RUNS, QRELS, collection="year")


def test_topics_of_several_collections_are_named():
    runs = with_track(RUNS)
    qrels = with_track(QRELS).assign(track=["web", "web", "news", "news"])
    with pytest.raises(IdError, match=r"one collection \(track\); found 2 in several: 2, 3. Make"):
        ir.cube(runs, qrels, collection="track")


def test_topics_of_no_collection_are_named():
    runs = with_track(RUNS)[:2]
    with pytest.raises(ParameterError, match=r"\(track\) for every topic; found none for 2: 3, 4"):
        ir.cube(runs, QRELS, collection="track")
    cube = ir.cube(runs, QRELS, collection="track", topics=["1", "2"])
    assert dense(cube).top.tolist() == [1, 3]


@given(
    of_topic=st.lists(st.integers(-1, 3), min_size=1),
    values=st.lists(st.tuples(st.integers(0, 99), st.integers(-5, 5))),
    start=st.integers(-2, 2),
)
@pytest.mark.parametrize(("best", "pick"), [(np.maximum, max), (np.minimum, min)])
def test_reducing_is_the_best_of_each_collection(best, pick, of_topic, values, start):
    collections = Collections(np.array(of_topic), pd.Index(list("abcd")))
    topics = [topic % len(of_topic) for topic, _ in values]
    found = collections.reduce(
        best, np.array(topics, int), np.array([value for _, value in values], int), start
    )
    for code, result in zip(of_topic, found.tolist(), strict=True):
        inside = [
            value
            for topic, (_, value) in zip(topics, values, strict=True)
            if of_topic[topic] == code
        ]
        assert result == (start if code < 0 else pick([start, *inside]))
