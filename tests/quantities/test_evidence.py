"""Quantities of evidence that tests of kernels do not cover."""

from itertools import pairwise, product

import numpy as np
import pytest
from oracles import ORACLES, Topic
from strategies import block

from irframe.gains import Binary, Exponential, GainMap, Linear
from irframe.metrics import Block, Evidence, Q
from irframe.metrics.parse_metric import parse_metric
from irframe.quantities.block import share
from irframe.quantities.positions import crosses, first_crossing


@pytest.mark.parametrize(
    ("gain", "rel", "expected"),
    [
        (Binary(), 1, 1),
        (Linear(), 1, 1),
        (Exponential(), 1, 1),
        (GainMap({1: 2, 2: 3, 3: 9}), 1, 9),
        (GainMap({1: 2, 2: 3, 3: 9, 4: 99}), 1, 9),
        (Linear(top=1), 1, 3),
        (GainMap({4: 5}), 4, 5),
    ],
)
def test_unjudged_documents_may_have_the_gain_of_the_top_grade(gain, rel, expected):
    evidence = Evidence(block([Topic(serp=(1, None), judged=(1,), gmax=3)], 2))
    assert evidence.best_gain(gain, rel) == expected


@pytest.mark.parametrize("shallow", [0, 1])
def test_an_incomplete_pool_changes_scores_of_its_topic_only(shallow):
    """An incomplete pool does not change scores of other topics."""
    deep = Topic(serp=(1, 2, 0), judged=(2, 1, 1), gmax=2)
    pooled = Topic(
        serp=(1, 2, 0), judged=(2, 1, 1), gmax=2, judged_at={1: (1,), 2: (2, 1)}, pool_depth=3
    )
    rows = [pooled, deep] if shallow == 0 else [deep, pooled]
    metric = Q(ideal="pool")
    batch = metric.score(Evidence(block(rows, 3)))
    single = [metric.score(Evidence(block([row], 3)))[0] for row in rows]
    np.testing.assert_array_equal(batch, single)
    assert single[0].tolist() != single[1].tolist()


def test_a_pool_without_some_documents_of_one_grade_is_incomplete():
    topic = Topic(
        serp=(1, 2, 1),
        judged=(2, 1, 1, 1),
        gmax=2,
        judged_at={1: (2,), 2: (2, 1), 3: (2, 1)},
        pool_depth=4,
    )
    scores = Q(ideal="pool").score(Evidence(block([topic], 4)))[0]
    expected = [ORACLES["Q"](topic, k, ideal="pool") for k in range(1, 5)]
    assert scores.tolist() == pytest.approx(expected, rel=1e-12)
    assert scores[2] != Q().score(Evidence(block([topic], 4)))[0, 2]


def test_quantities_of_evidence_are_computed_once():
    evidence = Evidence(block([Topic(serp=(1, 0), judged=(1,), gmax=1)], 2))
    reads = [evidence.read(parse_metric(name)) for name in ("AP", "AP(norm='min')", "AP(rel=2)")]
    assert reads[0]["relevant"] is reads[1]["relevant"]
    assert reads[0]["relevant"] is not reads[2]["relevant"]
    assert reads[0]["normaliser"] is not reads[1]["normaliser"]


def test_top_grades_below_1_are_replaced_by_1():
    ranking = Block(
        grade=np.array([0], np.int16),
        retrieved=np.array(1),
        levels=np.array([0]),
        count=np.array([1]),
        top=0,
    )
    assert Evidence(ranking).gain(Linear(), 1).tolist() == [0]


def test_ties_do_not_extend_into_the_next_list():
    gain = np.array([[1.0, 0.0], [0.0, 4.0]])
    tied = np.array([[False, True], [True, True]])
    assert share(gain, tied).tolist() == [[0.5, 0.5], [2, 2]]
    tail = np.array([1.0, 2.0]), np.array([2, 1])
    assert share(gain, tied, tail).tolist() == [[0.5, 0.5], [2, 2]]
    assert share(gain, np.zeros((2, 2), bool), tail).tolist() == [[1, 1 / 3], [0, 3]]
    assert not tied[0, 0]


CURVES = np.array(list(product(range(-2, 3), repeat=3)))


def crossed(here, then, crossing):
    """Return whether a curve crosses 0 between two ranks."""
    if crossing == "matters":
        return (here > 0 and not then > 0) or (then > 0 and not here > 0)
    if crossing == "sign_change":
        return here != 0 and here * then <= 0
    return here * then <= 0


@pytest.mark.parametrize("crossing", ["sign_change", "definition", "matters"])
def test_crossings_agree_with_each_definition(crossing):
    result = crosses(CURVES, crossing)
    expected = [[crossed(a, b, crossing) for a, b in pairwise(curve)] for curve in CURVES.tolist()]
    assert result.tolist() == expected
    first = [1 + steps.index(True) if any(steps) else np.inf for steps in expected]
    assert first_crossing(result)[:, 0].tolist() == first
