"""Every metric against the slow loop written from its paper, and against the laws it must keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ORACLES, Topic
from strategies import batches, block

from irframe.gains import GainMap, gain_text
from irframe.metrics import METRICS, Evidence, parse_metric
from irframe.names import EMPTY, UNJUDGED

VARIANTS = [
    "AP",
    "AP(norm='min')",
    "AP(norm='pool')",
    "AP(rel=2)",
    "ASL",
    "ASL(first=1)",
    "ASL(first=3, unretrieved='irrel+1')",
    "ASL(rel=2)",
    "AtomizedP",
    "AtomizedP(mean='harmonic', unretrieved='irrel+1')",
    "AtomizedP(rel=2)",
    "BalancePoint",
    "BalancePoint(crossing='matters')",
    "Bpref",
    "Bpref(rel=2)",
    "Bpref(variant='2004')",
    "CRP",
    "CRP(rel=2)",
    "DCG",
    "DCG(discount='jk', base=3)",
    "DCG(gain='exp', discount='zipf')",
    "DCG(gain={0: 0, 1: 5, 2: 7, 3: 10}, discount='jk', base=10)",
    "ERR",
    "ERR(gain='binary', rel=2)",
    "ERR(gain='linear')",
    "ESL",
    "ESL(rel=2)",
    "F",
    "F(beta=2.0, rel=2)",
    "IPrec(rel=2)@1.0",
    "IPrec(rounding='nearest')@0.5",
    "IPrec@0.0",
    "IPrec@0.3",
    "InfAP",
    "InfAP(rel=2)",
    "InverseASL",
    "InverseASL(rel=2)",
    "Judged",
    "NumQ",
    "NumRel",
    "NumRel(rel=2)",
    "NumRelRet",
    "NumRet",
    "P",
    "P(gain='linear')",
    "P(rel=2)",
    "Q",
    "Q(beta=0)",
    "Q(beta=10.0, norm='min')",
    "Q(gain='exp', ideal='pool', rel=2)",
    "Q(norm='pool', ideal='pool')",
    "RBP(p=0.5)",
    "RBP(p=0.8, gain='linear')",
    "RBP(p=0.95, gain='exp')",
    "RBP(p=0.95, rel=2)",
    "RR",
    "RR(rel=2)",
    "Recall",
    "Recall(rel=3)",
    "RecoveryRatio",
    "RecoveryRatio(crossing='definition')",
    "Rprec",
    "Rprec(rel=2)",
    "SetF",
    "SetF(beta=0.5)",
    "SetP",
    "SetP(rel=2)",
    "SpaceRatio",
    "SpaceRatio(rel=2)",
    "Success",
    "Success(rel=3)",
    "Twist",
    "Twist(crossing='definition')",
    "Twist(crossing='matters')",
    "Twist(rel=2)",
    "nDCG",
    "nDCG(discount='jk', base=3, ideal='full')",
    "nDCG(discount='zipf', ideal='pool')",
    "nDCG(gain='binary', rel=2)",
    "nDCG(gain='exp')",
    "nDCG(gain={1: 1, 2: 0.5, 3: 1})",
]
"""Every metric, with every option at least once."""


def score(metric, topics, depth):
    return metric.score(Evidence(block(topics, depth)))


def fields_for_oracle(metric):
    """Return a metric's fields as its oracle takes them."""
    fields = {name: value for name, value in vars(metric).items() if name != "depth"}
    if "gain" in fields:
        gain = fields["gain"]
        fields["gain"] = dict(gain.pairs) if isinstance(gain, GainMap) else gain_text(gain)[1:-1]
    return fields


def test_variants_cover_every_metric_with_an_oracle():
    named = {type(parse_metric(text)).__name__ for text in VARIANTS}
    assert named >= set(ORACLES) & set(METRICS)


@pytest.mark.parametrize("text", VARIANTS)
@given(batch=batches())
def test_kernel_equals_slow_loop(text, batch):
    topics, depth = batch
    metric = parse_metric(text)
    oracle, fields = ORACLES[type(metric).__name__], fields_for_oracle(metric)
    expected = [[oracle(topic, k, **fields) for k in range(1, depth + 1)] for topic in topics]
    np.testing.assert_allclose(score(metric, topics, depth), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", VARIANTS)
@given(batch=batches())
def test_shape_and_range(text, batch):
    topics, depth = batch
    metric = parse_metric(text)
    scores = score(metric, topics, depth)
    low, high = metric.range
    assert scores.shape == (len(topics), depth)
    assert scores.dtype == np.float64
    assert not (scores < low - 1e-12).any()
    if "pool" not in text:
        assert not (scores > high + 1e-12).any()


@pytest.mark.parametrize("text", [t for t in VARIANTS if "Num" not in t])
@given(batch=batches(min_len=1), data=st.data())
def test_depth_sees_only_the_ranks_above_it(text, batch, data):
    topics, depth = batch
    cut = data.draw(st.integers(1, depth))
    short = [
        Topic(
            serp=topic.serp[:cut],
            judged=topic.judged,
            gmax=topic.gmax,
            judged_at=topic.judged_at,
            pool_depth=topic.pool_depth,
        )
        for topic in topics
    ]
    metric = parse_metric(text)
    np.testing.assert_allclose(
        score(metric, short, depth)[:, :cut], score(metric, topics, depth)[:, :cut], atol=1e-12
    )


@pytest.mark.parametrize("text", VARIANTS)
@given(batch=batches())
def test_batch_equals_rows_and_inputs_stay_unchanged(text, batch):
    topics, depth = batch
    metric = parse_metric(text)
    whole = block(topics, depth)
    before = {name: np.copy(value) for name, value in vars(whole).items()}
    together = metric.score(Evidence(whole))
    for row, values in enumerate(together):
        np.testing.assert_array_equal(metric.score(Evidence(whole.take(row))), values)
    for name, value in vars(whole).items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize(
    "text", ["AP", "AP(norm='min')", "nDCG", "DCG", "RBP(p=0.8)", "ERR", "RR", "P", "Q", "Bpref"]
)
@given(batch=batches(min_len=2), data=st.data())
def test_promoting_a_relevant_document_never_hurts(text, batch, data):
    topics, depth = batch
    topic = topics[0]
    serp = list(topic.serp)
    rank = data.draw(st.integers(0, max(len(serp) - 2, 0)))
    if len(serp) < 2:
        return
    upper, lower = serp[rank], serp[rank + 1]
    if (lower if lower is not None else 0) <= max(upper if upper is not None else 0, 0):
        return
    serp[rank], serp[rank + 1] = lower, upper
    better = Topic(serp=tuple(serp), judged=topic.judged, gmax=topic.gmax)
    worse = Topic(serp=topic.serp, judged=topic.judged, gmax=topic.gmax)
    metric = parse_metric(text)
    scores = score(metric, [worse, better], depth)
    assert (scores[1] >= scores[0] - 1e-12).all()


def test_fixed_depth_is_constant_from_there_on():
    topic = Topic(serp=(0, 1, 1, 0), judged=(1, 1, 0, 0), gmax=1)
    free, fixed = parse_metric("P"), parse_metric("P@2")
    np.testing.assert_array_equal(score(free, [topic], 4)[0, :2], score(fixed, [topic], 4)[0, :2])
    np.testing.assert_array_equal(score(fixed, [topic], 4)[0, 1:], [0.5] * 3)


def test_binary_err_is_reciprocal_rank():
    topic = Topic(serp=(0, None, 1, 1), judged=(1, 1, 0), gmax=1)
    err, rr = parse_metric("ERR(gain='binary')"), parse_metric("RR")
    np.testing.assert_allclose(score(err, [topic], 4), score(rr, [topic], 4))


def test_marks_are_no_grades():
    assert EMPTY < UNJUDGED < 0
