"""Missing lists, collections of topics, and the choice of topics."""

import warnings

import numpy as np
import pandas as pd
import pytest
from dense import dense
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.errors import IdError, ParameterError
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.experiments.experiment import Experiment
from irframe.experiments.joining import place_topics
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections, Lists, choose_topics, count_rows
from irframe.experiments.policy import Policy
from irframe.experiments.ranked_runs import Extras, Framed, rank_framed

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ha(ve|s) no judgments:irframe.errors.IrframeWarning"
)


TRACK = {"1": "news", "2": "news", "3": "web", "4": "web"}
QRELS = pd.DataFrame({"topic": list(TRACK), "doc": "d", "grade": 1, "track": TRACK.values()})


def runs_of(**lists):
    """Return runs with one relevant document for each given topic."""
    rows = [(system, topic) for system, topics in lists.items() for topic in topics.split()]
    return pd.DataFrame(rows, columns=["system", "topic"]).assign(doc="d", score=1.0)


def scored(runs, qrels=QRELS, **options):
    """Return sums and numbers of scores by system, and warnings."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = ir.evaluate(runs, qrels, "AP", **options)["AP"]
    result = table.groupby("system").agg(["sum", "size"]).T.to_dict("list")
    return result, [str(warning.message) for warning in caught]


def test_the_warning_lists_systems_with_most_missing_lists_first():
    lists = {f"s{number}": "1 2 3" for number in range(6)}
    result, (message,) = scored(runs_of(full="1 2 3 4", some="1 2", **lists))
    assert result["some"] == [2, 4]
    assert message == (
        "lists that systems lack count as empty: some 2 of 4 topics, s0 1 of 4 topics, s1 1 of 4 "
        "topics, s2 1 of 4 topics, s3 1 of 4 topics and 2 more; topics='common' leaves out "
        "topics with missing lists"
    )


def test_topics_without_any_list_raise_a_separate_warning():
    result, (message,) = scored(runs_of(a="1 2 4"))
    assert result == {"a": [3, 4]}
    assert message == (
        "no system has a list for 1 of 4 judged topics: 3; topics='runs' leaves them out"
    )
    assert scored(runs_of(a="1 2 4"), topics="runs") == ({"a": [3, 3]}, [])
    assert scored(runs_of(a="1 2 4", b="1 4"), topics="common") == ({"a": [2, 2], "b": [2, 2]}, [])


def test_lists_outside_a_collection_are_not_missing():
    runs = runs_of(a="1 2 3 4", b="1", c="3 4")
    result, (message,) = scored(runs, collection="track")
    assert result == {"a": [4, 4], "b": [1, 2], "c": [2, 2]}
    assert message.startswith("lists that systems lack count as empty: b 1 of 2 topics;")
    result, messages = scored(runs, collection="track", topics="common")
    assert (result, messages) == ({"a": [3, 3], "b": [1, 1], "c": [2, 2]}, [])


def test_lists_for_unjudged_topics_count_as_participation():
    runs = runs_of(a="1 2 3 4", b="1 2 03 04", c="03", d="9", e="01")
    tracks = TRACK | {"03": "web", "04": "web", "9": "old", "01": None}
    runs = runs.assign(track=runs["topic"].map(tracks))
    result, messages = scored(runs, collection="track")
    assert result == {"a": [4, 4], "b": [2, 4], "c": [0, 2], "e": [0, 4]}
    unknown, stray, nowhere, lacking = messages
    assert unknown.startswith("4 topics of the runs have no judgments and are left out: 03, 04, 9")
    assert stray == (
        "systems without a list for any judged topic score 0 on all judged topics: c, e; these "
        "systems have the topics '03', '01', the judged topics are '1', '2', '3'"
    )
    assert nowhere == "systems without a judged collection (track) have no score: d"
    assert lacking.startswith("lists that systems lack count as empty: b 2 of 4 topics;")


def test_runs_without_common_topics_are_refused():
    runs = runs_of(a="1 2", b="2 3", c="3 4")
    with pytest.raises(
        IdError, match="the runs have lists for: a 2 topics, b 2 topics, c 2 topics. Pass"
    ):
        ir.evaluate(runs, QRELS, "AP", topics="common")


RUNS = pd.DataFrame({"system": "s", "topic": list("1234"), "doc": "d", "score": 1.0})
COLLECTIONS_QRELS = pd.DataFrame({"topic": list("1234"), "doc": "d", "grade": [1, 3, 0, 2]})
COLLECTIONS_TRACK = dict(zip("1234", ["web", "news", "web", "news"], strict=True))


def with_track(frame):
    return frame.assign(track=frame["topic"].map(COLLECTIONS_TRACK))


@pytest.mark.parametrize("sides", ["runs", "qrels", "both"])
def test_the_collection_may_be_a_column_of_runs_or_judgments(sides):
    runs = with_track(RUNS) if sides in {"runs", "both"} else RUNS
    qrels = with_track(COLLECTIONS_QRELS) if sides in {"qrels", "both"} else COLLECTIONS_QRELS
    cube = ir.cube(runs, qrels, collection="track")
    assert cube["track"].values.tolist() == list(COLLECTIONS_TRACK.values())
    assert dense(cube).top.tolist() == [1, 3, 1, 3]


def test_each_collection_has_its_own_pool():
    runs = pd.concat([RUNS, RUNS.assign(doc="unjudged", score=0.5)[:1]])
    cube = ir.cube(with_track(runs), with_track(COLLECTIONS_QRELS), collection="track")
    assert dense(cube).pool_depth.tolist() == [1, 2, 1, 2]
    depths = {"web": 7, "news": 0}
    cube = ir.cube(with_track(runs), COLLECTIONS_QRELS, collection="track", pool=ir.Pool(depths))
    assert dense(cube).pool_depth.tolist() == [7, 0, 7, 0]
    with pytest.raises(ParameterError, match="depth of the pool for every collection.*: news"):
        ir.cube(with_track(runs), COLLECTIONS_QRELS, collection="track", pool={"web": 7})


def test_rows_without_a_collection_get_the_collection_of_their_topic():
    some = with_track(COLLECTIONS_QRELS).assign(track=lambda f: f["track"].where(f["topic"] < "3"))
    cube = ir.cube(with_track(RUNS), some, collection="track")
    assert dense(cube).top.tolist() == [1, 3, 1, 3]


def test_unknown_columns_of_collections_are_refused():
    with pytest.raises(
        ParameterError,
        match="to be a column of runs or qrels, but found 'year', and the columns: system, topic",
    ):
        ir.cube(RUNS, COLLECTIONS_QRELS, collection="year")


def test_topics_in_several_collections_are_refused():
    runs = with_track(RUNS)
    qrels = with_track(COLLECTIONS_QRELS).assign(track=["web", "web", "news", "news"])
    with pytest.raises(
        IdError, match=r"one collection \(track\), but found 2 topics in several: 2, 3. Make"
    ):
        ir.cube(runs, qrels, collection="track")


def test_topics_without_a_collection_are_refused():
    runs = with_track(RUNS)[:2]
    with pytest.raises(
        ParameterError, match=r"\(track\) for every topic, but found none for 2 topics: 3, 4"
    ):
        ir.cube(runs, COLLECTIONS_QRELS, collection="track")
    cube = ir.cube(runs, COLLECTIONS_QRELS, collection="track", topics=["1", "2"])
    assert dense(cube).top.tolist() == [1, 3]


NAMES = [f"t{number}" for number in range(5)]


def tables_of(lists, judged):
    """Return runs with given list lengths, and judgments, as tables."""
    rows = [(s, t, f"d{n}", -n) for (s, t), length in lists.items() for n in range(length)]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame({"topic": judged, "doc": [f"d{n}" for n in range(len(judged))]})
    return read_table(runs), read_qrels_table(qrels.assign(grade=np.arange(len(judged)) % 4))


def lists_of(table, judgments, collections=None):
    single = collections or Collections.single(len(judgments.topics))
    placed = place_topics(table, judgments)
    return Lists(table.systems, table.topics, placed, count_rows(table), single)


def select(table, judgments, topics, collections=None):
    """Return an experiment with the topics that `topics` selects."""
    lists = lists_of(table, judgments, collections)
    chosen = Judgments.chosen(judgments, choose_topics(lists, judgments.topics, topics))
    ranked = rank_framed(Framed(table, judgments, lists), Policy(), Extras())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(count as empty|no system has|score 0|no re)")
        return Experiment.of(ranked, chosen, Policy(), pooled=False)


@st.composite
def experiments(draw):
    pairs = st.tuples(st.sampled_from("ab"), st.sampled_from(NAMES))
    lists = draw(st.dictionaries(pairs, st.integers(1, 3), min_size=1))
    judged = draw(st.lists(st.sampled_from(NAMES), min_size=1))
    judged.append(draw(st.sampled_from(sorted({topic for _, topic in lists}))))
    return lists, judged


@given(experiment=experiments())
def test_topics_of_qrels_of_any_run_or_of_all_runs_can_be_selected(experiment):
    lists, judged = experiment
    table, judgments = tables_of(lists, judged)
    systems = {system for system, _ in lists}
    labels = list(dict.fromkeys(judged))
    systems_of = {topic: {s for s, t in lists if t == topic} for topic in labels}
    assert list(select(table, judgments, "qrels").judgments.topics) == labels
    assert list(select(table, judgments, "runs").judgments.topics) == [
        t for t in labels if systems_of[t]
    ]
    common = [topic for topic in labels if systems_of[topic] == systems]
    if common:
        assert list(select(table, judgments, "common").judgments.topics) == common
    else:
        with pytest.raises(
            IdError, match="every run has a list, but found no such topic; the runs"
        ):
            select(table, judgments, "common")


@given(experiment=experiments(), labels=st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_collections_decide_participation_and_top_grades(experiment, labels):
    lists, judged = experiment
    table, judgments = tables_of(lists, judged)
    collection_of = dict(zip(NAMES, labels, strict=True))
    codes = np.array([collection_of[topic] for topic in judgments.topics])
    collections = Collections(codes, pd.Index(list("xyz")))
    selection = select(table, judgments, "qrels", collections)
    active = {(s, collection_of[t]) for s, t in lists if t in judged}
    stray = {s for s, _ in lists} - {s for s, _ in active}
    assert lists_of(table, judgments, collections).participated.tolist() == [
        [
            system in stray or (system, collection_of[topic]) in active
            for topic in selection.judgments.topics
        ]
        for system in table.systems
    ]
    tops = np.broadcast_to(selection.top, len(selection.judgments.topics)).tolist()
    for topic, top in zip(selection.judgments.topics, tops, strict=True):
        grades = [n % 4 for n, t in enumerate(judged) if collection_of[t] == collection_of[topic]]
        assert top == max([1, *grades])


def test_top_grades_depend_on_all_judged_topics():
    table, judgments = tables_of({("a", "t1"): 1, ("b", "t3"): 1}, NAMES)
    for topics in (["t1"], ["t1", "t3"], "runs", "qrels"):
        assert (select(table, judgments, topics).top == 3).all()
