"""Integer positions in arrays refer to attributes of the scorer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir

METRICS = ["nDCG@3", "AP", "P@2", "NumRet"]
NOWHERE = -1


@pytest.mark.property
@pytest.mark.filterwarnings("ignore:no retrieved document is judged")
@pytest.mark.parametrize("integers", [False, True], ids=["text", "whole numbers"])
@given(data=st.data())
def test_positions_in_errors_are_those_of_the_caller(data, integers):
    every = [100 - n if integers else f"d{n}" for n in range(7)]
    topics = data.draw(st.permutations(["q3", "q1", "q2"]))[: data.draw(st.integers(1, 3))]
    docs = data.draw(st.permutations(every))[: data.draw(st.integers(1, 7))]
    grades = st.dictionaries(st.sampled_from(every), st.integers(0, 2), min_size=1)
    qrels = {topic: data.draw(grades) for topic in ("q1", "q2", "q3")}
    scorer = ir.scorer(qrels, METRICS, topics=topics, docs=docs)
    assert scorer.topics.tolist() == topics
    assert scorer.docs.tolist()[: len(docs)] == docs
    order = st.permutations([*range(len(docs)), NOWHERE])
    lists = np.array([data.draw(order) for _ in topics])
    score = np.array([data.draw(st.permutations(range(lists.shape[1]))) for _ in topics], float)
    positions = np.array(data.draw(st.permutations(range(len(topics)))))
    named = {
        topics[i]: {
            (docs[j] if j != NOWHERE else -5 if integers else "nowhere"): s
            for j, s in zip(lists[row], score[row], strict=True)
        }
        for row, i in enumerate(positions)
    }
    scores = scorer(topic=positions, doc=lists, score=score)
    expected = ir.scorer(qrels, METRICS, topics=topics)(named)
    assert scores.to_dict() == expected.to_dict()
