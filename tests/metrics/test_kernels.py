"""Every metric against the slow loop written from its paper, and against the laws it must keep."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ORACLES, Topic
from oracles.worked import condensed
from strategies import batches, block
from turns import few_of
from variants import EIGHT, TIMED, VARIANTS

from irframe.metrics import METRICS, Evidence
from irframe.metrics.contributions import contributions
from irframe.metrics.parse_metric import parse_metric


def score(metric, topics, depth):
    return metric.score(Evidence(block(topics, depth)))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@given(batch=batches())
def test_kernel_equals_slow_loop(variant, batch):
    topics, depth = batch
    expected = [[variant.oracle(topic, k) for k in range(1, depth + 1)] for topic in topics]
    found = score(variant.metric, topics, depth)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if "Num" not in v.text], 6, drawn=False), ids=str
)
@given(batch=batches(min_len=1), data=st.data())
def test_depth_sees_only_the_ranks_above_it(variant, batch, data):
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
    metric = variant.metric
    np.testing.assert_allclose(
        score(metric, short, depth)[:, :cut], score(metric, topics, depth)[:, :cut], atol=1e-12
    )


@pytest.mark.parametrize("variant", few_of(VARIANTS, 6, 1, drawn=False), ids=str)
@given(batch=batches())
def test_scores_are_in_range_and_batches_equal_rows_and_inputs_stay(variant, batch):
    topics, depth = batch
    metric = variant.metric
    whole = block(topics, depth)
    before = {name: np.copy(value) for name, value in vars(whole).items()}
    together = metric.score(Evidence(whole))
    low, high = metric.range
    assert together.shape == (len(topics), depth)
    assert together.dtype == np.float64
    np.testing.assert_array_equal(metric.score_last(Evidence(whole)), together[..., -1:])
    assert not (together < low - 1e-12).any()
    if not variant.facts.pooled:
        assert not (together > high + 1e-12).any()
    for row, values in enumerate(together):
        np.testing.assert_array_equal(metric.score(Evidence(whole.take(row))), values)
    for name, value in vars(whole).items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if v.ordered and v.rising], 6, 2, drawn=False), ids=str
)
@given(batch=batches(min_len=2), data=st.data())
def test_promoting_a_relevant_document_never_hurts(variant, batch, data):
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
    metric = variant.metric
    scores = score(metric, [worse, better], depth)
    gained = variant.facts.sign * (scores[1] - scores[0])
    assert (gained >= -1e-12)[~np.isnan(gained)].all()
    assert (np.isnan(scores[1]) <= np.isnan(scores[0])).all()


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if v.metric.terms], 6, drawn=False), ids=str
)
@given(batch=batches())
def test_what_documents_add_is_the_score_at_every_depth(variant, batch):
    topics, depth = batch
    for _, part in block(topics, depth).scales():
        scores = variant.metric.score(Evidence(part))
        found = [contributions(variant.metric, part, k + 1).sum(axis=-1) for k in range(depth)]
        np.testing.assert_allclose(np.transpose(found), scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", few_of(VARIANTS, 6, 2, drawn=False), ids=str)
@given(batch=batches())
def test_judged_only_is_the_list_without_what_is_unjudged(variant, batch):
    topics, depth = batch
    whole = max(depth, *(len(topic.serp) for topic in topics), 1)
    kept = [condensed(topic) for topic in topics]
    found = score(replace(variant.metric, judged_only=True), topics, whole)
    np.testing.assert_array_equal(found, score(variant.metric, kept, whole))


def test_fixed_depth_is_constant_from_there_on():
    topic = Topic(serp=(0, 1, 1, 0), judged=(1, 1, 0, 0), gmax=1)
    free, fixed = parse_metric("P"), parse_metric("P@2")
    np.testing.assert_array_equal(score(free, [topic], 4)[0, :2], score(fixed, [topic], 4)[0, :2])
    np.testing.assert_array_equal(score(fixed, [topic], 4)[0, 1:], [0.5] * 3)


def test_variants_are_every_metric_with_every_option():
    """A metric has an oracle and a variant, and so has each word and each field of it."""
    plain = {
        name: kind
        for name, kind in METRICS.items()
        if not (kind.subtopics or kind.spans or kind.timed)
    }
    assert {variant.name for variant in VARIANTS} == plain.keys() == set(ORACLES)
    missing = []
    for name, kind in plain.items():
        own = [variant.metric for variant in VARIANTS if variant.name == name]
        for spec in fields(kind):
            values = {getattr(metric, spec.name) for metric in own}
            choices = spec.metadata.get("choices") or ()
            missing += [(name, spec.name, word) for word in choices if word not in values]
            if spec.name not in {"depth", "judged_only"} and not choices and len(values) < 2:
                missing.append((name, spec.name, "another value"))
    assert not missing
    texts = [variant.text for variant in VARIANTS]
    assert len(set(texts)) == len(texts)
    assert {*EIGHT, *TIMED} <= {*texts}


IN_TURN = ("AP", "AP(rel=2)", "Bpref", "Bpref(rel=2)", "InterpolatedAP", "P", "Recall", "BinG")


OLD = int(np.__version__.partition(".")[0]) < 2


@pytest.mark.parametrize("text", IN_TURN)
def test_sums_are_those_of_trec_eval_to_the_last_bit(text):
    """Summed from the top, from the highest level of recall, and divided once, at the end."""
    rng, (variant,) = np.random.default_rng(1), [v for v in VARIANTS if v.text == text]
    for _ in range(100):
        judged = tuple(rng.integers(0, 4, rng.integers(1, 60)).tolist())
        listed = rng.permutation([*judged, *[None] * int(rng.integers(0, 20))])
        topic = Topic(serp=tuple(listed.tolist()), judged=judged, gmax=3)
        depth = len(listed)
        expected = variant.oracle(topic, depth)
        if OLD and text == "BinG":  # whose logarithms are those of the C library or of numpy
            expected = pytest.approx(expected, rel=1e-15)
        assert score(variant.metric, [topic], depth)[0, -1] == expected
