"""A block of rankings: parts of it, topics with scales of their own, and lists with equal scores.

Of these: means over all orders, and blocks that gain their mean.
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
from irframe.metrics.block import by_scale
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import parse_metric
from irframe.names import UNJUDGED


def scores(metric):
    def compute(part):
        assert isinstance(part.top, int)
        assert isinstance(part.pool_depth, int)
        yield metric.score(Evidence(part))

    return compute


@pytest.mark.parametrize("text", ["ERR", "nDCG(gain='exp')", "AP(norm='pool')", "P(gain='linear')"])
@given(rows=st.lists(topics(), min_size=1, max_size=5), depth=st.integers(1, 15))
def test_topics_of_any_top_grade_score_as_alone(text, rows, depth):
    """But for the last bit: an ideal ranking is summed over the grades of all topics together."""
    metric = parse_metric(text)
    (together,) = by_scale(block(rows, depth), scores(metric))
    for row, topic in zip(together, rows, strict=True):
        (alone,) = by_scale(block([topic], depth), scores(metric))
        np.testing.assert_allclose(row, alone[0], rtol=1e-15)


@given(rows=st.lists(topics(), min_size=2, max_size=4), depth=st.integers(2, 9), data=st.data())
def test_parts_and_rows(rows, depth, data):
    whole = block(rows, depth)
    some = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    part, alone = whole.take(np.array(some)), block([rows[i] for i in some], depth)
    np.testing.assert_array_equal(part.grade, alone.grade)
    np.testing.assert_array_equal(part.retrieved, alone.retrieved)
    np.testing.assert_array_equal(np.broadcast_to(part.top, len(some)), alone.top)
    np.testing.assert_array_equal(part.pool_depth, alone.pool_depth)
    levels = {level: place for place, level in enumerate(whole.levels.tolist())}
    places = [levels[level] for level in alone.levels.tolist() if level in levels]
    known = np.isin(alone.levels, whole.levels)
    np.testing.assert_array_equal(part.count[:, places], alone.count[:, known])
    np.testing.assert_array_equal(part.pool_count[..., places], alone.pool_count[..., known])


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(2, 15), data=st.data())
def test_cutting_remembers_what_was_unjudged(rows, depth, data):
    shallow = data.draw(st.integers(1, depth))
    cut, built = block(rows, depth).cut(shallow), block(rows, shallow)
    for name in ("grade", "retrieved", "count", "pool_count", "hidden"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(built, name))
    assert (built.hidden + (built.grade == UNJUDGED).sum(axis=-1)).tolist() == [
        topic.serp.count(None) for topic in rows
    ]


@given(rows=st.lists(topics(), min_size=1, max_size=4), depth=st.integers(1, 9))
def test_rows_have_the_recall_base_of_their_topic(rows, depth):
    whole = block(rows, depth)
    twice = {
        name: np.stack(2 * [getattr(whole, name)]) for name in ("grade", "retrieved", "beyond")
    }
    flat = replace(whole, **twice).rows()
    assert flat.shape == (2 * len(rows),)
    for name in ("grade", "beyond", "count", "pool_count", "pool_depth"):
        value = getattr(whole, name)
        np.testing.assert_array_equal(getattr(flat, name), np.concatenate([value, value]))


def test_rankings_of_one_system_keep_the_recall_base_of_their_topics():
    whole = block([Topic(serp=(1,), judged=(1,) * n, gmax=1) for n in (1, 2, 3)], 2)
    lists = {
        name: np.stack([getattr(whole, name), getattr(whole, name)[::-1]])
        for name in ("grade", "retrieved", "beyond")
    }
    both = replace(whole, **lists)
    for system in (0, 1):
        part = both.take(system, np.array([2, 0]))
        np.testing.assert_array_equal(part.grade, lists["grade"][system, [2, 0]])
        assert part.count.tolist() == [[3], [1]]


AVERAGED = [each for each in VARIANTS if "mean" in each.facts.shares]
LEVELED = [each for each in VARIANTS if each.facts.shares == {"block"} or each.name == "ERR"]
HAPPENING = {"All", "BalancePoint", "InfNDCG"}
"""Metrics that are now and then linear: InfNDCG where all is of one stratum."""


def blocks(tied):
    """Return the places of every block of tied documents."""
    starts = [place for place, same in enumerate(tied) if not same] + [len(tied)]
    return [range(*ends) for ends in itertools.pairwise(starts)]


def orders(topic, tied):
    """Yield the topic with every order of tied documents."""
    for order in itertools.product(*map(itertools.permutations, blocks(tied))):
        places = itertools.chain.from_iterable(order)
        yield replace(topic, serp=tuple(topic.serp[place] for place in places))


def tied_block(topic, tied, depth, **fields):
    """Return a list with ties as kernels read it, and what is tied past the depth."""
    lone = block([topic], depth)
    (last,) = [each for each in blocks(tied) if depth - 1 in each] or [range(0)]
    past = [topic.serp[place] for place in last if place >= depth]
    flags = np.zeros((1, depth), bool)
    flags[0, : len(tied)] = tied[:depth]
    tail = np.array([[past.count(level) for level in lone.levels]])
    return replace(lone, tied=flags, tail=tail, tail_size=np.array([len(past)]), **fields)


@st.composite
def tied_lists(draw):
    topic = draw(topics(min_len=1, max_len=6))
    tied = [False, *(draw(st.booleans()) for _ in topic.serp[1:])]
    return topic, tied, draw(st.integers(1, 8))


@pytest.mark.parametrize("variant", few_of(AVERAGED, 8, drawn=False), ids=str)
@given(drawn=tied_lists())
def test_scores_are_means_over_all_orders(variant, drawn):
    topic, tied, depth = drawn
    every = [[variant.oracle(one, k) for k in range(1, depth + 1)] for one in orders(topic, tied)]
    known = [[value for value in column if value == value] for column in zip(*every, strict=True)]  # noqa: PLR0124 - NaN
    expected = [sum(column) / len(column) if column else np.nan for column in known]
    found = variant.score(tied_block(topic, tied, depth))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.thorough
def test_every_metric_whose_shared_gains_are_the_mean_says_so():
    rng = np.random.default_rng(5)
    grades = [None, 0, 0, 1, 2]
    lists = [([grades[i] for i in rng.integers(0, 5, 5)], rng.random(5) < 0.6) for _ in range(24)]
    for variant in VARIANTS:
        known = variant.facts
        if "mean" in known.shares or variant.name in HAPPENING:
            continue
        for serp, tied in lists:
            tied[0] = False
            judged = [grade for grade in (*serp, *(1, 2) * int(tied[1])) if grade is not None]
            topic = Topic(serp=tuple(serp), judged=tuple(judged), gmax=2)
            means = np.mean([variant.score(block([one], 5)) for one in orders(topic, tied)], axis=0)
            try:
                shared = variant.score(tied_block(topic, tied, 5))
            except TypeError:  # what is relevant is asked yes or no, and not by how much
                break
            if not np.allclose(shared, means, equal_nan=True):
                break
        else:
            pytest.fail(f"{variant} is linear")


@pytest.mark.parametrize("variant", few_of(LEVELED, 4, drawn=False), ids=str)
@given(drawn=tied_lists())
def test_in_a_block_every_rank_has_its_mean_gain(variant, drawn):
    topic, tied, depth = drawn
    gain, rel = variant.fields["gain"], variant.fields.get("rel", 1)
    means = []
    for places in blocks(tied):
        gains = [gain_of(topic.serp[place], gain, topic.gmax, rel) for place in places]
        means += [sum(gains) / len(gains)] * len(gains)
    fields = variant.fields | {"gain": dict(enumerate(means))}
    leveled = replace(topic, serp=tuple(range(len(means))))
    oracle = type(variant)(variant.text).oracle.__func__
    plain = type("Plain", (), {"name": variant.name, "fields": fields})
    expected = [oracle(plain, leveled, k) for k in range(1, depth + 1)]
    found = variant.score(tied_block(topic, tied, depth, leveled=True))[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def frames(serp, scores):
    """Return a run of one topic, and its judgments."""
    docs = [f"d{place}" for place in range(len(serp))]
    run = pd.DataFrame({"topic": "1", "doc": docs, "score": scores})
    return run, pd.DataFrame({"topic": "1", "doc": docs, "grade": serp})


@given(
    above=st.integers(0, 3),
    irrelevant=st.integers(0, 30),
    relevant=st.integers(1, 30),
    below=st.integers(0, 3),
)
def test_expected_search_length_is_that_of_cooper(above, irrelevant, relevant, below):
    serp = [0] * above + [0] * irrelevant + [1] * relevant + [0] * below
    scores = [*range(100, 100 - above, -1), *[50] * (irrelevant + relevant), *range(below)]
    run, qrels = frames(serp, scores)
    found = run.ireval.evaluate(qrels, "ESL", ties="mean").to_numpy().item()
    assert found == pytest.approx(float(1 + above + Fraction(irrelevant, relevant + 1)))


def test_large_blocks_keep_chances():
    """One block of 4,000: RR is the sum over ranks of the chance to be first there by the rank."""
    n, r = 4000, 5
    run, qrels = frames([1] * r + [0] * (n - r), 1.0)
    found = run.ireval.evaluate(qrels, ["RR", "ERR(gain='binary')", "P@10", "AP"], ties="mean")
    first, left = 0.0, 1.0
    for rank in range(1, n - r + 2):
        chance = r / (n - rank + 1)
        first, left = first + left * chance / rank, left * (1 - chance)
    assert found["RR"].item() == pytest.approx(first, rel=1e-10)
    assert found["ERR(gain='binary')"].item() == pytest.approx(first, rel=1e-10)
    ranks = np.arange(1, n + 1)
    ap = ((1 + (ranks - 1) * (r - 1) / (n - 1)) / ranks).sum() / n
    assert found["AP"].item() == pytest.approx(ap, rel=1e-10)


def test_a_block_gains_for_certain_or_on_average():
    """ERR of a satisfying and a useless document: 3/4 in two orders, 5/8 where each gains half."""
    run, qrels = frames([1, 0], 1.0)
    metric = "ERR(gain='binary')"
    by_ties = {ties: run.ireval.evaluate(qrels, metric, ties=ties) for ties in ("mean", "block")}
    assert {ties: found.to_numpy().item() for ties, found in by_ties.items()} == {
        "mean": 0.75,
        "block": 0.625,
    }
    assert facts("RBP").shares == facts("nDCG").shares == {"mean", "block"}
    assert facts("RR").shares == {"mean"}
    assert facts("INST").shares == {"block"}


def test_a_sample_of_orders_comes_near():
    runs, qrels = ir.example_track()
    coarse, metrics = runs.assign(score=runs["score"].round()), ["AP", "RR", "ERR", "nDCG", "ESL"]
    means = ir.cube(coarse, qrels, ties="mean").ireval.score(metrics, at=[5, 50]).mean("topic")
    drawn = [
        ir.cube(coarse, qrels, ties=ir.Ties("random", seed=seed)).ireval.score(metrics, at=[5, 50])
        for seed in range(12)
    ]
    sampled = sum(each.fillna(0).mean("topic") for each in drawn) / len(drawn)
    gaps = abs(sampled - means).sel(metric=["AP", "RR", "ERR", "nDCG"])
    assert float(gaps.max()) < 0.05
