"""Which judged topics are scored, and where their judgments stand."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import IdError, IrframeWarning, ParameterError
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.experiments.experiment import Experiment
from irframe.experiments.in_turn import Framed, Wanted, rank_framed
from irframe.experiments.joining import place_topics
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections, Lists, choose_topics, count_rows
from irframe.experiments.policy import Policy

NAMES = [f"t{number}" for number in range(5)]
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*ha(ve|s) no judgments:irframe.errors.IrframeWarning"
)


def tables_of(lists, judged):
    """Return coded frames of (system, topic) -> length and of the topic of every judgment."""
    rows = [(s, t, f"d{n}", -n) for (s, t), length in lists.items() for n in range(length)]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame({"topic": judged, "doc": [f"d{n}" for n in range(len(judged))]})
    return read_table(runs), read_qrels_table(qrels.assign(grade=np.arange(len(judged)) % 4))


def lists_of(table, judgments, collections=None):
    one = collections or Collections.one(len(judgments.topics))
    placed = place_topics(table, judgments)
    return Lists(table.systems, table.topics, placed, count_rows(table), one)


def select(table, judgments, topics, collections=None):
    """Return the experiment on some topics."""
    lists = lists_of(table, judgments, collections)
    chosen = Judgments.chosen(judgments, choose_topics(lists, judgments.topics, topics))
    ranked = rank_framed(Framed(table, judgments, lists), Policy(), Wanted())
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


@given(experiment=experiments(), data=st.data())
def test_every_judgment_stands_at_its_place_in_its_topic(experiment, data):
    lists, judged = experiment
    table, judgments = tables_of(lists, judged)
    known = list(dict.fromkeys(judged))
    wanted = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    selection = select(table, judgments, wanted)
    assert list(selection.judgments.topics) == wanted
    rows = {topic: [n for n, t in enumerate(judged) if t == topic] for topic in wanted}
    assert selection.judgments.row.tolist() == [row for line in rows.values() for row in line]
    assert selection.judgments.count.tolist() == [len(line) for line in rows.values()]
    of = {
        (system, topic): row * len(wanted) + place
        for row, system in enumerate(table.systems)
        for place, topic in enumerate(wanted)
    }
    hits = selection.hits
    for (system, topic), length in lists.items():
        if topic in wanted:
            here = hits.of == of[system, topic]
            assert hits.length.flat[of[system, topic]] == length
            found = selection.judgments.row[hits.row[here]]
            assert found.tolist() == (hits.rank[here] - 1).tolist()
            assert found.tolist() == [n for n in range(length) if n in rows[topic]]


@given(experiment=experiments())
def test_topics_of_the_qrels_of_some_run_or_of_every_run(experiment):
    lists, judged = experiment
    table, judgments = tables_of(lists, judged)
    systems = {system for system, _ in lists}
    known = list(dict.fromkeys(judged))
    having = {topic: {s for s, t in lists if t == topic} for topic in known}
    assert list(select(table, judgments, "qrels").judgments.topics) == known
    assert list(select(table, judgments, "runs").judgments.topics) == [
        t for t in known if having[t]
    ]
    common = [topic for topic in known if having[topic] == systems]
    if common:
        assert list(select(table, judgments, "common").judgments.topics) == common
    else:
        with pytest.raises(IdError, match="every run has a list; found none; judged topics that"):
            select(table, judgments, "common")


@given(experiment=experiments(), parts=st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_collections_decide_about_taking_part_and_top_grades(experiment, parts):
    lists, judged = experiment
    table, judgments = tables_of(lists, judged)
    part = dict(zip(NAMES, parts, strict=True))
    codes = np.array([part[topic] for topic in judgments.topics])
    collections = Collections(codes, pd.Index(list("xyz")))
    selection = select(table, judgments, "qrels", collections)
    active = {(s, part[t]) for s, t in lists if t in judged}
    stray = {s for s, _ in lists} - {s for s, _ in active}
    assert lists_of(table, judgments, collections).attended.tolist() == [
        [system in stray or (system, part[topic]) in active for topic in selection.judgments.topics]
        for system in table.systems
    ]
    tops = np.broadcast_to(selection.top, len(selection.judgments.topics)).tolist()
    for topic, top in zip(selection.judgments.topics, tops, strict=True):
        grades = [n % 4 for n, t in enumerate(judged) if part[t] == part[topic]]
        assert top == max([1, *grades])


def test_the_top_grade_is_that_of_all_topics_chosen_or_not():
    table, judgments = tables_of({("a", "t1"): 1, ("b", "t3"): 1}, NAMES)
    for topics in (["t1"], ["t1", "t3"], "runs", "qrels"):
        assert (select(table, judgments, topics).top == 3).all()


def test_lengths_are_counted_per_system_and_topic():
    table, _ = tables_of({("a", "t1"): 2, ("b", "t0"): 3, ("a", "t0"): 1}, ["t0"])
    counts = pd.DataFrame(count_rows(table), table.systems, table.topics)
    assert counts.to_dict() == {"t1": {"a": 2, "b": 0}, "t0": {"a": 1, "b": 3}}


def test_unjudged_topics_are_counted_where_none_were_chosen():
    table, judgments = tables_of(dict.fromkeys([("a", name) for name in NAMES], 1), ["t1"])
    message = "4 topics of the runs have no judgments and are left out: t0, t2, t3, t4"
    with pytest.warns(IrframeWarning, match=message):
        select(table, judgments, "qrels")


class TestRefusals:
    @pytest.fixture
    def sides(self):
        return tables_of({("a", "t1"): 1, ("a", "t2"): 1}, ["t2", "t1", "t3"])

    @pytest.mark.parametrize("topics", ["all", "both", None, 3])
    def test_choices_that_are_none(self, sides, topics):
        with pytest.raises(ParameterError, match="'common' or a list of topics; found"):
            select(*sides, topics)

    def test_topics_that_are_not_judged(self, sides):
        with pytest.raises(ParameterError, match="judged topics; found 't0', 1"):
            select(*sides, ["t1", "t0", 1])

    def test_topics_listed_twice_or_not_at_all(self, sides):
        with pytest.raises(IdError, match="every topic once.* 1 again: t1"):
            select(*sides, ["t1", "t2", "t1"])
        with pytest.raises(IdError, match="at least one"):
            select(*sides, [])
