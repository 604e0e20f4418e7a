"""Metrics agree with reference implementations, and have general properties."""

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

import irframe as ir
from irframe.gains import Linear, parse_gain
from irframe.metrics import METRICS, Evidence, P, nDCG
from irframe.metrics.facts import contributions
from irframe.metrics.parse_metric import parse_metric
from irframe.quantities.positions import discounts


def score(metric, topics, depth):
    return metric.score(Evidence(block(topics, depth)))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@given(batch=batches())
def test_kernels_agree_with_reference_implementations(variant, batch):
    topics, depth = batch
    expected = [[variant.oracle(topic, k) for k in range(1, depth + 1)] for topic in topics]
    scores = score(variant.metric, topics, depth)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if "Num" not in v.text], 6, drawn=False), ids=str
)
@given(batch=batches(min_len=1), data=st.data())
def test_documents_past_the_depth_do_not_change_scores(variant, batch, data):
    topics, depth = batch
    cut = data.draw(st.integers(1, depth))
    short = [replace(topic, serp=topic.serp[:cut]) for topic in topics]
    of_cut, of_full = (score(variant.metric, some, depth)[:, :cut] for some in (short, topics))
    np.testing.assert_allclose(of_cut, of_full, atol=1e-12)


@pytest.mark.parametrize("variant", few_of(VARIANTS, 6, 1, drawn=False), ids=str)
@given(batch=batches())
def test_batches_have_the_scores_of_single_rows_within_the_range(variant, batch):
    topics, depth = batch
    metric = variant.metric
    batch_block = block(topics, depth)
    before = {name: np.copy(value) for name, value in vars(batch_block).items()}
    actual = metric.score(Evidence(batch_block))
    low, high = metric.range
    assert actual.shape == (len(topics), depth)
    assert actual.dtype == np.float64
    assert not (actual < low - 1e-12).any()
    if not variant.facts.pooled:
        assert not (actual > high + 1e-12).any()
    for row, values in enumerate(actual):
        np.testing.assert_array_equal(metric.score(Evidence(batch_block.take(row))), values)
    for name, value in vars(batch_block).items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if v.ordered and v.rising], 6, 2, drawn=False), ids=str
)
@given(batch=batches(min_len=2), data=st.data())
def test_promoting_a_relevant_document_never_lowers_scores(variant, batch, data):
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
    worse = replace(topic, judged_at=None, pool_depth=None)
    better = replace(worse, serp=tuple(serp))
    scores = score(variant.metric, [worse, better], depth)
    gained = variant.facts.sign * (scores[1] - scores[0])
    assert (gained >= -1e-12)[~np.isnan(gained)].all()
    assert (np.isnan(scores[1]) <= np.isnan(scores[0])).all()


@pytest.mark.parametrize(
    "variant", few_of([v for v in VARIANTS if v.metric.terms], 6, drawn=False), ids=str
)
@given(batch=batches())
def test_contributions_sum_to_the_score_at_every_depth(variant, batch):
    topics, depth = batch
    for _, group in block(topics, depth).scales():
        scores = variant.metric.score(Evidence(group))
        sums = [contributions(variant.metric, group, k + 1).sum(axis=-1) for k in range(depth)]
        np.testing.assert_allclose(np.transpose(sums), scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("variant", few_of(VARIANTS, 6, 2, drawn=False), ids=str)
@given(batch=batches())
def test_judged_only_scores_lists_without_unjudged_documents(variant, batch):
    topics, depth = batch
    longest = max(depth, *(len(topic.serp) for topic in topics), 1)
    scores = score(replace(variant.metric, judged_only=True), topics, longest)
    expected = score(variant.metric, [condensed(topic) for topic in topics], longest)
    np.testing.assert_array_equal(scores, expected)


def test_scores_are_constant_past_a_fixed_depth():
    topic = Topic(serp=(0, 1, 1, 0), judged=(1, 1, 0, 0), gmax=1)
    free, fixed = parse_metric("P"), parse_metric("P@2")
    np.testing.assert_array_equal(score(free, [topic], 4)[0, :2], score(fixed, [topic], 4)[0, :2])
    np.testing.assert_array_equal(score(fixed, [topic], 4)[0, 1:], [0.5] * 3)


def test_variants_cover_every_option_of_every_metric():
    """Every metric has an oracle, and every option a variant."""
    plain = {
        name: kind
        for name, kind in METRICS.items()
        if not (kind.subtopics or kind.spans or kind.timed)
    }
    assert {variant.name for variant in VARIANTS} == plain.keys() == set(ORACLES)
    missing = []
    for name, kind in plain.items():
        metrics = [variant.metric for variant in VARIANTS if variant.name == name]
        for spec in fields(kind):
            values = {getattr(metric, spec.name) for metric in metrics}
            choices = spec.metadata.get("choices") or ()
            missing += [(name, spec.name, choice) for choice in choices if choice not in values]
            if spec.name not in {"depth", "judged_only"} and not choices and len(values) < 2:
                missing.append((name, spec.name, "another value"))
    assert not missing
    texts = [variant.text for variant in VARIANTS]
    assert len(set(texts)) == len(texts)
    assert {*EIGHT, *TIMED} <= {*texts}


SEQUENTIAL = ("AP", "AP(rel=2)", "Bpref", "Bpref(rel=2)", "InterpolatedAP", "P", "Recall", "BinG")


OLD = int(np.__version__.partition(".")[0]) < 2


@pytest.mark.parametrize("text", SEQUENTIAL)
def test_sums_equal_those_of_trec_eval_to_the_last_bit(text):
    """trec_eval divides the sum once, instead of every term."""
    rng = np.random.default_rng(1)
    (variant,) = [v for v in VARIANTS if v.text == text]
    for _ in range(100):
        judged = tuple(rng.integers(0, 4, rng.integers(1, 60)).tolist())
        listed = rng.permutation([*judged, *[None] * int(rng.integers(0, 20))])
        topic = Topic(serp=tuple(listed.tolist()), judged=judged, gmax=3)
        depth = len(listed)
        expected = variant.oracle(topic, depth)
        # older versions of numpy call the C library's logarithm, which differs in the last bit
        if OLD and text == "BinG":
            expected = pytest.approx(expected, rel=1e-15)
        assert score(variant.metric, [topic], depth)[0, -1] == expected


def test_the_default_top_grade_is_the_highest_judged_grade():
    linear = P(gain="linear")
    assert linear.curve([2, 4]).tolist() == [0.5, 0.75]
    assert P(gain=Linear(top=8)).curve([2, 4]).tolist() == [0.25, 0.375]
    assert linear.curve([0, 0]).tolist() == [0, 0]


def test_gain_maps_agree_with_the_worked_case(golden):
    case = golden["002-gains"]
    grades = [grade for grade in case["input"]["grades"] if grade is not None]
    unjudged = len(case["input"]["grades"]) - len(grades)
    for key, expected in case["expected"].items():
        name, option = key.split()
        number = int(option.partition("=")[2])
        options = {"rel": number, "top": 3} if "theta" in option else {"rel": 1, "top": number}
        result = parse_gain(name).map(np.array(grades), **options)
        np.testing.assert_allclose(result, expected[unjudged:], rtol=1e-12)
        assert not any(expected[:unjudged])


def test_ndcg_of_one_document_by_depth_agrees_with_the_worked_case(golden):
    case = golden["002-ndcg-weights"]
    topic = Topic(serp=(1, *([0] * 19)), judged=(1,) * 20, gmax=1)
    for discount, expected in case["expected"].items():
        (scores,) = score(ir.metrics.nDCG(discount=discount), [topic], 20)
        actual = [scores[k - 1] for k in case["input"]["k"]]
        assert actual == pytest.approx(expected, rel=1e-9)


def test_ndcg_with_base_ten_agrees_with_the_worked_case(golden):
    case = golden["004-ndcg-log10"]
    data = case["input"]
    topic = Topic(serp=tuple(data["serp"]), judged=tuple(data["judged"]), gmax=2)
    for key, base in (("ndcg", 10), ("base 2", 2)):
        metric = ir.metrics.nDCG(gain=dict(data["gains"]), discount="jk", base=base)
        scores = score(metric, [topic], len(topic.serp))[0, -1]
        assert scores == pytest.approx(case["expected"][key], rel=1e-9)
    ranks = np.array([1, 9, 10, 20, 100]) - 1
    np.testing.assert_allclose(discounts("jk", 10, 100)[ranks], case["expected"]["discounts"])


def test_gains_of_small_integer_dtypes_are_float64():
    levels = np.array([-1, 0, 1, 3, 12, 20], np.int16)
    exponential = parse_gain("exp").map(levels, rel=1, top=20)
    np.testing.assert_array_equal(
        exponential, [0, 0, *((2.0**g - 1) / 2**20 for g in (1, 3, 12, 20))]
    )
    assert exponential.dtype == np.float64
    linear = parse_gain("linear").map(levels, rel=1, top=20)
    np.testing.assert_array_equal(linear, [0, 0, 1 / 20, 3 / 20, 12 / 20, 1])


def test_dcg_does_not_depend_on_the_top_grade():
    judged = [3, 2, 3, 0, 1, 2]
    expected = sum(grade / np.log2(2 + above) for above, grade in enumerate(judged))
    assert ir.metrics.DCG()(judged).item() == pytest.approx(expected)
    docs = {f"d{number}": grade for number, grade in enumerate(judged)}
    runs = {"1": {doc: -float(above) for above, doc in enumerate(docs)}}
    # grades of another topic change the top grade of the collection
    for other_grade in (0, 9):
        scores = ir.evaluate(
            runs, {"1": docs, "2": {"x": other_grade}}, ["DCG", "dcg"], topics="runs"
        )
        assert scores.iloc[0].tolist() == pytest.approx([expected] * 2)


PERFECT = [
    *(f"nDCG(gain={gain!r})" for gain in ("linear", "exp", {1: 0.1, 2: 0.3, 3: 0.7})),
    *(f"nDCG(discount={kind!r})" for kind in ("zipf", "jk")),
    *("nDCG(gain='binary')", "nDCG(ideal='pool')", "nDCG(rel=2)", "Q", "Q(beta=0.3)", "nDCGRel"),
]


def test_perfect_lists_score_exactly_1():
    """Ideal rankings score exactly 1 on every input path."""
    rng = np.random.default_rng(0)
    lists = [np.sort(rng.integers(0, 4, size))[::-1] for size in range(1, 61) for _ in range(3)]
    qrels = {
        str(topic): {f"d{index:02}": int(grade) for index, grade in enumerate(grades)}
        for topic, grades in enumerate(lists, start=1)
        if grades.any()
    }
    runs = {topic: {doc: -float(doc[1:]) for doc in docs} for topic, docs in qrels.items()}
    metrics = list(map(ir.parse_metric, PERFECT))
    cube = ir.cube(runs, qrels)
    actual = [ir.evaluate(runs, qrels, metrics), ir.scorer(qrels, metrics)(runs)]
    actual += [
        source.ireval.score(*metrics)[..., -1] for source in (cube, cube.chunk({"topic": 40}))
    ]
    actual += [cube.ireval.score(*(metric for metric in metrics if type(metric) is nDCG))]
    actual += [
        [metric([*docs.values()]) for docs in qrels.values()]
        for metric in metrics
        if metric != nDCG(ideal="pool")
    ]
    for scores in actual:
        assert np.isin(scores, [1.0]).all()
