"""The kernels meet the worked cases."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import Topic
from strategies import block

import irframe as ir
from irframe.gains import parse_gain
from irframe.metrics import Evidence
from irframe.metrics.positions import discounts


def score(metric, topic, depth):
    """Score a topic; where a pool of some depth is not told, it stays as shallow as the last."""
    told = topic.judged_at or {}
    pools = {k: told.get(max((t for t in told if t <= k), default=0), ()) for k in range(1, 99)}
    return metric.score(
        Evidence(block([replace(topic, judged_at=pools if told else None)], depth))
    )[0]


def test_gains(golden):
    case = golden["002-gains"]
    grades = [grade for grade in case["input"]["grades"] if grade is not None]
    unjudged = len(case["input"]["grades"]) - len(grades)
    for key, expected in case["expected"].items():
        name, option = key.split()
        number = int(option.partition("=")[2])
        options = {"rel": number, "top": 3} if "theta" in option else {"rel": 1, "top": number}
        found = parse_gain(name).map(np.array(grades), **options)
        np.testing.assert_allclose(found, expected[unjudged:], rtol=1e-12)
        assert not any(expected[:unjudged])


def test_weight_of_the_first_rank_in_ndcg(golden):
    case = golden["002-ndcg-weights"]
    topic = Topic(serp=(1, *([0] * 19)), judged=(1,) * 20, gmax=1)
    for discount, expected in case["expected"].items():
        scores = score(ir.metrics.nDCG(discount=discount), topic, 20)
        found = [scores[k - 1] for k in case["input"]["k"]]
        assert found == pytest.approx(expected, rel=1e-9)


def test_ndcg_with_logarithms_to_base_ten(golden):
    case = golden["004-ndcg-log10"]
    told = case["input"]
    topic = Topic(serp=tuple(told["serp"]), judged=tuple(told["judged"]), gmax=2)
    for key, base in (("ndcg", 10), ("base 2", 2)):
        metric = ir.metrics.nDCG(gain=dict(told["gains"]), discount="jk", base=base)
        found = score(metric, topic, len(topic.serp))[-1]
        assert found == pytest.approx(case["expected"][key], rel=1e-9)
    ranks = np.array([1, 9, 10, 20, 100]) - 1
    np.testing.assert_allclose(discounts("jk", 10, 100)[ranks], case["expected"]["discounts"])


def test_gains_of_small_integers_are_doubles():
    levels = np.array([-1, 0, 1, 3, 12, 20], np.int8)
    exponential = parse_gain("exp").map(levels, rel=1, top=20)
    np.testing.assert_array_equal(
        exponential, [0, 0, *((2.0**g - 1) / 2**20 for g in (1, 3, 12, 20))]
    )
    assert exponential.dtype == np.float64
    linear = parse_gain("linear").map(levels, rel=1, top=20)
    np.testing.assert_array_equal(linear, [0, 0, 1 / 20, 3 / 20, 12 / 20, 1])
