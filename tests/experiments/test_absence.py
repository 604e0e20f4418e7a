"""What is said of lists that runs lack."""

import warnings

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IdError

TRACK = {"1": "news", "2": "news", "3": "web", "4": "web"}
QRELS = pd.DataFrame({"topic": list(TRACK), "doc": "d", "grade": 1, "track": TRACK.values()})


def runs_of(**lists):
    """Return runs with a relevant document for each of some topics."""
    rows = [(system, topic) for system, topics in lists.items() for topic in topics.split()]
    return pd.DataFrame(rows, columns=["system", "topic"]).assign(doc="d", score=1.0)


def scored(runs, qrels=QRELS, **options):
    """Return the sum of the scores of every system and how many it has, and what is told."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = ir.evaluate(runs, qrels, "AP", **options)["AP"]
    found = table.groupby("system").agg(["sum", "size"]).T.to_dict("list")
    return found, [str(each.message) for each in caught]


def test_systems_that_lack_most_come_first_and_many_are_counted():
    lists = {f"s{number}": "1 2 3" for number in range(6)}
    found, (message,) = scored(runs_of(full="1 2 3 4", some="1 2", **lists))
    assert found["some"] == [2, 4]
    assert message == (
        "lists that systems lack count as empty: some 2 of 4 topics, s0 1 of 4 topics, s1 1 of 4 "
        "topics, s2 1 of 4 topics, s3 1 of 4 topics and 2 more; topics='common' leaves such "
        "topics out"
    )


def test_a_lone_run_lacks_what_nobody_has():
    found, (message,) = scored(runs_of(a="1 2 4"))
    assert found == {"a": [3, 4]}
    assert message == (
        "no system has a list for 1 of 4 judged topics: 3; topics='runs' leaves them out"
    )
    assert scored(runs_of(a="1 2 4"), topics="runs") == ({"a": [3, 3]}, [])
    assert scored(runs_of(a="1 2 4", b="1 4"), topics="common") == ({"a": [2, 2], "b": [2, 2]}, [])


def test_topics_asked_for_by_name_are_told_of_as_well():
    found, (message,) = scored(runs_of(a="1 2", b="1"), topics=["2", "1"])
    assert found == {"a": [2, 2], "b": [1, 2]}
    assert message.startswith("lists that systems lack count as empty: b 1 of 2 topics;")


def test_outside_a_collection_nothing_is_missing():
    runs = runs_of(a="1 2 3 4", b="1", c="3 4")
    found, (message,) = scored(runs, collection="track")
    assert found == {"a": [4, 4], "b": [1, 2], "c": [2, 2]}
    assert message.startswith("lists that systems lack count as empty: b 1 of 2 topics;")
    found, messages = scored(runs, collection="track", topics="common")
    assert (found, messages) == ({"a": [3, 3], "b": [1, 1], "c": [2, 2]}, [])


def test_rows_without_a_judged_topic_say_where_a_system_takes_part():
    runs = runs_of(a="1 2 3 4", b="1 2 03 04", c="03", d="9", e="01")
    tracks = TRACK | {"03": "web", "04": "web", "9": "old", "01": None}
    runs = runs.assign(track=runs["topic"].map(tracks))
    found, messages = scored(runs, collection="track")
    assert found == {"a": [4, 4], "b": [2, 4], "c": [0, 2], "e": [0, 4]}
    unknown, stray, nowhere, lacking = messages
    assert unknown.startswith("4 topics of the runs have no judgments and are left out: 03, 04, 9")
    assert stray == (
        "systems without a list for any judged topic score 0 on all of them: c, e; they have "
        "topics '03', '01', judged are '1', '2', '3'"
    )
    assert nowhere == "systems of no judged collection (track) have no score: d"
    assert lacking.startswith("lists that systems lack count as empty: b 2 of 4 topics;")


def test_no_topic_that_every_run_has():
    runs = runs_of(a="1 2", b="2 3", c="3 4")
    with pytest.raises(IdError, match="none; judged topics that runs have: a 2, b 2, c 2. Ask for"):
        ir.evaluate(runs, QRELS, "AP", topics="common")
