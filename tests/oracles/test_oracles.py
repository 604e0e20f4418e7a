"""Comparison of reference implementations with worked cases and each other."""

import ast
import itertools
import statistics
from dataclasses import replace
from inspect import signature
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import topics
from turns import few_of

from oracles import ORACLES, Topic
from oracles.topic import gain_of
from oracles.worked import TABLE_2, VARIANTS, condensed, table_2_topic

CONDENSED = ("AP_b", "NDCG_a_linear_log2", "RBP(0.8)")


def close(expected):
    return pytest.approx(expected, abs=1e-9, rel=0)


def best_case(topic, k, *, tail, fill=True):
    """Return the best case of the list cut at k.

    Unjudged documents and `tail` further ranks have the highest grade.
    """
    perfect = topic.gmax + 1
    filled = tuple(perfect if g is None and fill else g for g in topic.serp[:k])
    return replace(topic, serp=filled + tail * (perfect,))


def residuals(topic, k):
    """Return the best-case scores minus the scores."""
    scale = range(topic.gmax + 1)
    missing = max(0, k - len(topic.serp))

    def rise(metric, best, depth, **params):
        return ORACLES[metric](best, depth, **params) - ORACLES[metric](topic, k, **params)

    stop = {g: gain_of(g, "exp", topic.gmax) for g in scale} | {topic.gmax + 1: 1.0}
    endless = best_case(topic, k, tail=1000)
    return {
        "Prec_residual": rise("P", best_case(topic, k, tail=missing), k),
        "ERR_exp_tail_bound": rise(
            "ERR", best_case(topic, k, tail=1, fill=False), k + 1, gain=stop
        ),
        "ERR_exp_residual": rise("ERR", best_case(topic, k, tail=1), k + 1, gain=stop),
        **{f"RBP({p})_residual": rise("RBP", endless, k + 1000, p=p) for p in (0.5, 0.8, 0.95)},
    }


@pytest.mark.parametrize("name", TABLE_2)
def test_metrics_of_table_2_agree_with_the_worked_cases(golden, name):
    case = golden[name]
    topic = table_2_topic(case)
    for k in case["input"]["ks"]:
        result = {key: ORACLES[m](topic, k, **params) for key, (m, params) in VARIANTS.items()}
        for key in CONDENSED:
            metric, params = VARIANTS[key]
            result[f"condensed_{key}"] = ORACLES[metric](condensed(topic), k, **params)
        assert result | residuals(topic, k) == close(case["expected"][f"@{k}"])


@pytest.mark.parametrize("name", TABLE_2)
def test_metrics_of_full_lists_agree_with_the_worked_cases(golden, name):
    case = golden[name]
    topic = table_2_topic(case)
    n = max(1, len(topic.serp))
    result = {
        "RR": ORACLES["RR"](topic, n),
        "BPref_trec": ORACLES["Bpref"](topic, n),
        "BPref_2004": ORACLES["Bpref"](topic, n, variant="2004"),
    }
    expected = {key: case["expected"][key] for key in result}
    assert result == close(expected)
    assert list(condensed(topic).serp) == case["expected"]["condensed"]


def test_gain_of_unlisted_and_negative_grades_is_0():
    assert gain_of(2, {1: 0.5}, 2) == 0
    assert gain_of(-1, {-1: 0.5}, 2) == 0
    assert gain_of(0, "linear", 0) == 0


def test_q_with_unscaled_gains_agrees_with_the_worked_case(golden):
    case = golden["002-qm-raw-gains"]
    data = case["input"]
    topic = Topic(serp=tuple(data["serp"]), judged=tuple(data["judged"]), gmax=3)
    raw = dict(data["gains"])
    result = {
        "raw": [ORACLES["Q"](topic, k, gain=raw, beta=data["beta"]) for k in data["ks"]],
        "scaled": [ORACLES["Q"](topic, k, beta=data["beta"]) for k in data["ks"]],
    }
    for key, values in case["expected"].items():
        assert result[key] == close(values)


def test_residuals_agree_with_their_formulas(golden):
    case = golden["002-residuals"]
    expected = case["expected"]
    topic = Topic(serp=tuple(case["input"]["serp"]), judged=(1, 1, 0), gmax=2)
    stop = {0: 0.0, 1: 0.5, 3: 1.0}
    for i, k in enumerate(case["input"]["ks"]):
        score = ORACLES["ERR"](topic, k, gain="linear")
        tail = ORACLES["ERR"](best_case(topic, k, tail=1, fill=False), k + 1, gain=stop)
        best = ORACLES["ERR"](best_case(topic, k, tail=1), k + 1, gain=stop)
        rbp = ORACLES["RBP"](topic, k)
        unjudged = ORACLES["RBP"](best_case(topic, k, tail=0), k) - rbp
        endless = ORACLES["RBP"](best_case(topic, k, tail=1000), k + 1000) - rbp
        assert score == close(expected["ERR_linear2_score"][i])
        assert tail - score == close(expected["ERR_linear2_tail_bound"][i])
        assert best - score == close(expected["ERR_linear2_residual"][i])
        assert unjudged == close(expected["RBP_unjudged"][i])
        assert endless == close(expected["RBP_residual"][i])
        padded = replace(topic, serp=topic.serp + (0,) * (k - len(topic.serp)))
        read_on = best_case(padded, k, tail=1000, fill=False)
        assert ORACLES["RBP"](read_on, k + 1000) - rbp == close(expected["RBP_tail"][i])
        assert residuals(topic, k)["Prec_residual"] == close(expected["Prec_residual"][i])


def test_scores_of_tied_documents_agree_with_the_worked_case(golden):
    case = golden["002-ties"]
    expected, qrels = case["expected"], case["input"]["qrels"]

    def score(order, metric, k, **params):
        serp = tuple(qrels.get(doc) for doc in order)
        topic = Topic(serp=serp, judged=tuple(qrels.values()), gmax=case["input"]["gmax"])
        return ORACLES[metric](topic, k, **params)

    for policy in ("trec", "file"):
        scores = score(expected[policy], "RBP", 3, gain="linear")
        assert scores == close(expected[f"RBP(0.8)@3 linear, {policy}"])
    blocks = [list(itertools.permutations(block)) for block in expected["blocks"]]
    orders = [list(itertools.chain(*order)) for order in itertools.product(*blocks)]
    for k in (3, 5, 7):
        rbp = statistics.mean(score(order, "RBP", k, gain="linear") for order in orders)
        prec = statistics.mean(score(order, "P", k) for order in orders)
        assert rbp == close(expected[f"shared RBP(0.8)@{k} linear"])
        assert prec == close(expected[f"shared Prec@{k} binary"])


def test_bpref_counts_at_most_r_documents_above():
    topic = Topic(serp=(0, 0, 1), judged=(1, 0, 0), gmax=1)
    assert [ORACLES["Bpref"](topic, 3, variant=v) for v in ("trec", "2004")] == [0, 0]


def test_recall_levels_are_rounded_to_the_nearest_number_of_documents():
    topic = Topic(serp=(1, 0, 0, 1, 0, 1), judged=(1, 1, 1, 1, 1, 0), gmax=1)
    up = [ORACLES["IPrec"](topic, 6, recall=x) for x in (0.2, 0.3, 0.5)]
    nearest = [ORACLES["IPrec"](topic, 6, recall=x, rounding="nearest") for x in (0.2, 0.25, 0.5)]
    assert up == [1, 0.5, 0.5]
    assert nearest == [1, 1, 0.5]


@settings(deadline=None)
@given(topics(max_len=8))
def test_special_cases_of_metrics_equal_other_metrics(topic):
    """With some parameters, a metric equals another metric by definition."""
    for k in (1, 3, 8, 10):
        scores = {
            "ERR": ORACLES["ERR"](topic, k, gain="binary"),
            "Q": ORACLES["Q"](topic, k, beta=0),
            "DCG": ORACLES["DCG"](topic, k, gain="binary", discount="jk", base=1e9),
        }
        assert scores["ERR"] == close(ORACLES["RR"](topic, k))
        assert scores["Q"] == close(ORACLES["AP"](topic, k))
        assert scores["DCG"] == close(ORACLES["NumRelRet"](topic, k))
        n = max(1, min(k, len(topic.serp)))
        assert ORACLES["SetF"](topic, k, beta=2) == close(
            ORACLES["F"](replace(topic, serp=topic.serp[:k]), n, beta=2)
        )


GRADED = {"BalancePoint", "CRP", "Compat", "InfNDCG", "RecoveryRatio", "SpaceRatio", "Twist"}
"""Metrics whose ideal ranking distinguishes grades above the relevance threshold."""
THRESHOLDED = {
    name for name in ORACLES if "rel" in signature(ORACLES[name]).parameters and name not in GRADED
}
VARIED = [
    *((name, {}) for name in sorted(THRESHOLDED)),
    *(("AP", {"norm": norm}) for norm in ("min", "pool")),
    *(("Q", {"norm": norm, "ideal": "pool"}) for norm in ("min", "pool")),
    ("nDCG", {"ideal": "pool"}),
    ("Bpref", {"variant": "2004"}),
    ("IPrec", {"recall": 0.5}),
]


@pytest.mark.parametrize(("name", "params"), few_of(VARIED, 3, drawn=False))
@given(topics(), st.integers(1, 15))
def test_binary_metrics_depend_on_the_threshold_only(name, params, topic, k):
    def binary(grades):
        return tuple(g if g is None or g < 0 else int(g >= 2) for g in grades)

    judged_at = {depth: binary(grades) for depth, grades in (topic.judged_at or {}).items()}
    plain = replace(
        topic, serp=binary(topic.serp), judged=binary(topic.judged), gmax=1, judged_at=judged_at
    )
    if "gain" in signature(ORACLES[name]).parameters:
        params = {**params, "gain": "binary"}
    expected = pytest.approx(ORACLES[name](plain, k, **params), rel=0, abs=0, nan_ok=True)
    assert ORACLES[name](topic, k, rel=2, **params) == expected


def test_judged_is_the_share_of_judged_documents():
    topic = Topic(serp=(1, None, -1), judged=(1, -1), gmax=1)
    assert [ORACLES["Judged"](topic, k) for k in (1, 2, 3, 9)] == close([1, 1 / 2, 2 / 3, 2 / 3])
    assert ORACLES["Judged"](replace(topic, serp=()), 5) == 0


def test_oracles_do_not_use_the_builtin_sum():
    loaded = {path: ast.parse(path.read_text()) for path in Path(__file__).parent.glob("*.py")}
    assert {
        f"{path.name}:{node.lineno}"
        for path, tree in loaded.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "sum"
    } == set()
