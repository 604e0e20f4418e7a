"""Tests of methods that choose documents to judge."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.judging import ORACLES
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.judging.candidates import ListedDocuments, contributing_systems
from irframe.judging.turns import METHODS, take_turns
from irframe.names import UNJUDGED


def test_every_method_has_an_oracle():
    assert METHODS.keys() == ORACLES.keys()


def collection(seed, topics=3, systems=4):
    """Return random lists of each topic, and its relevant documents."""
    random = np.random.default_rng(seed)
    docs = np.array([f"d{number:02}" for number in range(12)])
    lists = {
        f"t{topic}": {
            f"s{system}": docs[random.permutation(12)[: random.integers(0, 8)]].tolist()
            for system in range(systems)
        }
        for topic in range(topics)
    }
    lists["t0"]["s0"] = docs[:6].tolist()
    lists["t0"]["s1"] = docs[:6].tolist()  # equal lists tie at every turn
    relevant = {topic: {doc for doc in docs if random.random() < 0.4} for topic in lists}
    return lists, relevant


def built(lists, relevant, judged=None):
    """Return the cube of lists whose `judged` documents are judged."""
    rows = [
        (system, topic, doc, -rank)
        for topic, runs in lists.items()
        for system, docs in runs.items()
        for rank, doc in enumerate(docs)
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    pairs = runs[["topic", "doc"]].drop_duplicates() if judged is None else judged
    extra = pd.DataFrame({"topic": [*lists], "doc": "nobody's"})
    qrels = pd.concat([pairs, extra], ignore_index=True)
    grade = [int(doc in relevant[topic]) for topic, doc in qrels[["topic", "doc"]].to_numpy()]
    with warnings.catch_warnings():  # missing lists and topics without judgments raise warnings
        warnings.simplefilter("ignore", IrframeWarning)
        cube = ir.cube(
            runs, qrels.assign(grade=grade), pool=ir.Pool(contributing=[*runs["system"].unique()])
        )
    return cube.sel(topic=[*lists])


def drawn(pool, row, labels):
    """Return a function that sorts systems by random keys."""
    turns = np.zeros(len(pool.keys), np.int64)
    return lambda turn: labels[np.argsort(pool.tie_keys(turns + turn)[row])].tolist()


@pytest.mark.parametrize("name", METHODS)
@given(seed=st.integers(0, 10_000))
def test_methods_choose_the_documents_of_the_oracles(name, seed):
    lists, relevant = collection(seed)
    documents = ListedDocuments.judged(built(lists, relevant), 12)
    systems = contributing_systems(documents.cube)
    pool = documents.pool(systems, seed)
    grade = documents.grade
    turns = take_turns(METHODS[name](pool), (grade == 1).astype(float), 1000)
    assert (grade[pool.exists] != UNJUDGED).all()
    labels = documents.cube.system.to_numpy()[systems]
    for row, topic in enumerate(lists):
        names = documents.names[row, turns.document[turns.topic == row]].tolist()
        assert names == ORACLES[name](lists[topic], relevant[topic], drawn(pool, row, labels))


@pytest.mark.parametrize("name", few_of(METHODS, 2))
def test_repeated_calls_of_judge_next_choose_the_documents_of_the_oracle(name):
    lists, relevant = collection(7)
    method, credit = name.split("(")[0], "run" if "run" in name else "all"
    judged = pd.DataFrame({"topic": [], "doc": []}, dtype=str)
    for _ in range(5):
        result = built(lists, relevant, judged).ireval.judge_next(
            3, ir.JudgingMethod(method, credit=credit), seed=3
        )
        assert set(result["topic"]) == {"t0", "t1", "t2"}
        judged = pd.concat([judged, result[["topic", "doc"]]], ignore_index=True)
    documents = ListedDocuments.judged(built(lists, relevant), 12)
    systems = contributing_systems(documents.cube)
    pool = documents.pool(systems, 3)
    for row, topic in enumerate(lists):
        turn = drawn(pool, row, documents.cube.system.to_numpy()[systems])
        expected = ORACLES[name](lists[topic], relevant[topic], turn)[:5]
        assert judged["doc"][judged["topic"] == topic].tolist() == expected
