"""Blocks of rankings: selections, several scales, and tied documents.

Tied documents are scored by means over all orders, or by the mean gain of their block.
"""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Topic
from oracles.topic import gain_of
from strategies import block, topics
from turns import few_of
from variants import VARIANTS

import irframe as ir
from irframe.metrics import Evidence
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED
from irframe.quantities.block import by_scale


def scores(metric):
    def compute(group):
        assert isinstance(group.top, int)
        assert isinstance(group.pool_depth, int)
        yield metric.score(Evidence(group))

    return compute


@pytest.mark.parametrize("text", ["ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')"])
@given(rows=st.lists(topics(), min_size=1, max_size=5), depth=st.integers(1, 15))
def test_topics_with_different_top_grades_score_as_single_topics(text, rows, depth):
    """Scores may differ from those of single topics by rounding."""
    metric = parse_metric(text)
    (batch,) = by_scale(block(rows, depth), scores(metric))
    for row, topic in zip(batch, rows, strict=True):
        (single,) = by_scale(block([topic], depth), scores(metric))
        np.testing.assert_allclose(row, single[0], rtol=1e-15)


@given(rows=st.lists(topics(), min_size=2, max_size=4), depth=st.integers(2, 9), data=st.data())
def test_a_selection_of_topics_equals_a_block_built_from_them(rows, depth, data):
    full = block(rows, depth)
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    selected = full.take(np.array(some))
    built = block([rows[i] for i in some], depth)
    np.testing.assert_array_equal(selected.grade, built.grade)
    np.testing.assert_array_equal(selected.retrieved, built.retrieved)
    np.testing.assert_array_equal(np.broadcast_to(selected.top, len(some)), built.top)
    np.testing.assert_array_equal(selected.pool_depth, built.pool_depth)
    levels = {level: index for index, level in enumerate(full.levels.tolist())}
    columns = [levels[level] for level in built.levels.tolist() if level in levels]
    common = np.isin(built.levels, full.levels)
    np.testing.assert_array_equal(selected.count[:, columns], built.count[:, common])
    np.testing.assert_array_equal(selected.pool_count[..., columns], built.pool_count[..., common])


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(2, 15), data=st.data())
def test_cut_blocks_count_unjudged_documents_past_the_cut(rows, depth, data):
    shallow = data.draw(st.integers(1, depth))
    cut, built = block(rows, depth).cut(shallow), block(rows, shallow)
    for name in ("grade", "retrieved", "count", "pool_count", "hidden"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(built, name))
    assert (built.hidden + (built.grade == UNJUDGED).sum(axis=-1)).tolist() == [
        topic.serp.count(None) for topic in rows
    ]


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(1, 9))
def test_rows_have_the_recall_base_of_their_topic(rows, depth):
    full = block(rows, depth)
    twice = {name: np.stack(2 * [getattr(full, name)]) for name in ("grade", "retrieved", "beyond")}
    flat = replace(full, **twice).rows()
    assert flat.shape == (2 * len(rows),)
    for name in ("grade", "beyond", "count", "pool_count", "pool_depth"):
        value = getattr(full, name)
        np.testing.assert_array_equal(getattr(flat, name), np.concatenate([value, value]))


def test_rankings_of_one_system_keep_the_recall_base_of_their_topics():
    full = block([Topic(serp=(1,), judged=(1,) * n, gmax=1) for n in (1, 2, 3)], 2)
    lists = {
        name: np.stack([getattr(full, name), getattr(full, name)[::-1]])
        for name in ("grade", "retrieved", "beyond")
    }
    both = replace(full, **lists)
    for system in (0, 1):
        selected = both.take(system, np.array([2, 0]))
        np.testing.assert_array_equal(selected.grade, lists["grade"][system, [2, 0]])
        assert selected.count.tolist() == [[3], [1]]


AVERAGED = [variant for variant in VARIANTS if "mean" in variant.facts.shares]
LEVELED = [
    variant for variant in VARIANTS if variant.facts.shares == {"block"} or variant.name == "ERR"
]


def blocks(tied):
    """Return the ranks of every block of tied documents."""
    starts = [position for position, same in enumerate(tied) if not same] + [len(tied)]
    return [range(*ends) for ends in itertools.pairwise(starts)]


def orders(topic, tied):
    """Yield the topic with every order of tied documents."""
    for order in itertools.product(*map(itertools.permutations, blocks(tied))):
        positions = itertools.chain.from_iterable(order)
        yield replace(topic, serp=tuple(topic.serp[position] for position in positions))


def tied_block(topic, tied, depth, **fields):
    """Return a block of one list with ties."""
    untied = block([topic], depth)
    (last,) = [tied_ranks for tied_ranks in blocks(tied) if depth - 1 in tied_ranks] or [range(0)]
    past = [topic.serp[position] for position in last if position >= depth]
    flags = np.zeros((1, depth), bool)
    flags[0, : len(tied)] = tied[:depth]
    tail = np.array([[past.count(level) for level in untied.levels]])
    return replace(untied, tied=flags, tail=tail, tail_size=np.array([len(past)]), **fields)


@st.composite
def tied_lists(draw):
    topic = draw(topics(min_len=1, max_len=6))
    tied = [False, *(draw(st.booleans()) for _ in topic.serp[1:])]
    return topic, tied, draw(st.integers(1, 8))


@pytest.mark.parametrize("variant", few_of(AVERAGED, 8, drawn=False), ids=str)
@given(drawn=tied_lists())
def test_scores_are_means_over_all_orders(variant, drawn):
    topic, tied, depth = drawn
    every = [
        [variant.oracle(order, k) for k in range(1, depth + 1)] for order in orders(topic, tied)
    ]
    scored = [[value for value in column if value == value] for column in zip(*every, strict=True)]  # noqa: PLR0124 - NaN
    expected = [sum(column) / len(column) if column else np.nan for column in scored]
    scores = variant.score(tied_block(topic, tied, depth))[0]
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("variant", few_of(LEVELED, 4, drawn=False), ids=str)
@given(drawn=tied_lists())
def test_leveled_blocks_score_mean_gains(variant, drawn):
    topic, tied, depth = drawn
    gain, rel = variant.fields["gain"], variant.fields.get("rel", 1)
    means = []
    for positions in blocks(tied):
        gains = [gain_of(topic.serp[position], gain, topic.gmax, rel) for position in positions]
        means += [sum(gains) / len(gains)] * len(gains)
    fields = variant.fields | {"gain": dict(enumerate(means))}
    leveled = replace(topic, serp=tuple(range(len(means))))
    oracle = type(variant)(variant.text).oracle.__func__
    plain = type("Plain", (), {"name": variant.name, "fields": fields})
    expected = [oracle(plain, leveled, k) for k in range(1, depth + 1)]
    scores = variant.score(tied_block(topic, tied, depth, leveled=True))[0]
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def frames(serp, scores):
    """Return a run of one topic, and its judgments."""
    docs = [f"d{number}" for number in range(len(serp))]
    run = pd.DataFrame({"topic": "1", "doc": docs, "score": scores})
    return run, pd.DataFrame({"topic": "1", "doc": docs, "grade": serp})


@given(
    above=st.integers(0, 3),
    irrelevant=st.integers(0, 30),
    relevant=st.integers(1, 30),
    below=st.integers(0, 3),
)
def test_expected_search_length_agrees_with_coopers_formula(above, irrelevant, relevant, below):
    serp = [0] * above + [0] * irrelevant + [1] * relevant + [0] * below
    scores = [*range(100, 100 - above, -1), *[50] * (irrelevant + relevant), *range(below)]
    run, qrels = frames(serp, scores)
    actual = run.ireval.evaluate(qrels, "ESL", ties="mean").to_numpy().item()
    assert actual == pytest.approx(float(1 + above + Fraction(irrelevant, relevant + 1)))


def test_probabilities_stay_exact_in_large_blocks():
    """RR of 4,000 tied documents is exact."""
    n, r = 4000, 5
    run, qrels = frames([1] * r + [0] * (n - r), 1.0)
    scores = run.ireval.evaluate(qrels, ["RR", "ERR(gain='binary')", "P@10", "AP"], ties="mean")
    first = 0.0
    remaining = 1.0
    for rank in range(1, n - r + 2):
        chance = r / (n - rank + 1)
        first += remaining * chance / rank
        remaining *= 1 - chance
    assert scores["RR"].item() == pytest.approx(first, rel=1e-10)
    assert scores["ERR(gain='binary')"].item() == pytest.approx(first, rel=1e-10)
    ranks = np.arange(1, n + 1)
    ap = ((1 + (ranks - 1) * (r - 1) / (n - 1)) / ranks).sum() / n
    assert scores["AP"].item() == pytest.approx(ap, rel=1e-10)


def test_block_and_mean_policies_differ_for_err():
    """ERR is 3/4 over both orders, and 5/8 for means."""
    run, qrels = frames([1, 0], 1.0)
    metric = "ERR(gain='binary')"
    by_ties = {ties: run.ireval.evaluate(qrels, metric, ties=ties) for ties in ("mean", "block")}
    assert {ties: result.to_numpy().item() for ties, result in by_ties.items()} == {
        "mean": 0.75,
        "block": 0.625,
    }
    assert facts("RBP").shares == facts("nDCG").shares == {"mean", "block"}
    assert facts("RR").shares == {"mean"}
    assert facts("INST").shares == {"block"}


def test_random_orders_approximate_means_over_orders():
    runs, qrels = ir.example_track()
    coarse, metrics = runs.assign(score=runs["score"].round()), ["AP", "RR", "ERR", "nDCG", "ESL"]
    means = ir.cube(coarse, qrels, ties="mean").ireval.score(metrics, at=[5, 50]).mean("topic")
    drawn = [
        ir.cube(coarse, qrels, ties=ir.Ties("random", seed=seed)).ireval.score(metrics, at=[5, 50])
        for seed in range(12)
    ]
    sampled = sum(scores_of_order.fillna(0).mean("topic") for scores_of_order in drawn) / len(drawn)
    gaps = abs(sampled - means).sel(metric=["AP", "RR", "ERR", "nDCG"])
    assert float(gaps.max()) < 0.05
