"""Nested, stratified samples of judgments."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.errors import GradeError, IdError, ParameterError

SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)


def qrels_of(sizes):
    rows = [
        (topic, f"{topic}{grade}-{i}", grade)
        for topic, grades in sizes.items()
        for grade, size in grades.items()
        for i in range(size)
    ]
    return pd.DataFrame(rows, columns=["topic", "doc", "grade"])


def sample_size(size, grade, share):
    """Round half up; at least one, and at least ten that are not relevant, if there are."""
    wanted = max(1, math.floor(round(share * size, 9) + 0.5))
    return min(size, max(wanted, 10) if grade < 1 else wanted)


@given(
    sizes=st.dictionaries(
        st.sampled_from("abc"),
        st.dictionaries(st.sampled_from([-2, 0, 1, 2]), st.integers(1, 40), min_size=1),
        min_size=1,
    ),
    seed=st.integers(0, 9),
)
def test_sizes_and_nesting(sizes, seed):
    qrels = qrels_of(sizes)
    larger = set(qrels["doc"])
    for share in SHARES:
        kept = qrels.ireval.sample(share, seed=seed)
        counts = kept.groupby(["topic", "grade"]).size()
        for topic, grades in sizes.items():
            for grade, size in grades.items():
                assert counts[topic, grade] == sample_size(size, grade, share)
        smaller = set(kept["doc"])
        assert smaller <= larger
        larger = smaller


def test_half_a_document_rounds_up():
    assert len(qrels_of({"a": {1: 5}}).ireval.sample(0.7)) == 4
    assert len(qrels_of({"a": {1: 3}}).ireval.sample(0.5)) == 2
    assert len(qrels_of({"a": {1: 5}}).ireval.sample(0.001)) == 1


def test_all_of_it():
    _, qrels = ir.example_track()
    pd.testing.assert_frame_equal(qrels.ireval.sample(1), qrels)


def test_the_order_of_rows_does_not_matter():
    _, qrels = ir.example_track()
    kept = qrels.ireval.sample(0.4, seed=3)
    shuffled = qrels.sample(frac=1, random_state=0).ireval.sample(0.4, seed=3)
    pd.testing.assert_frame_equal(shuffled.sort_index(), kept)
    assert kept.index.is_monotonic_increasing
    part = qrels[qrels["topic"] != qrels["topic"].iloc[0]]
    expected = kept[kept.index.isin(part.index)]
    pd.testing.assert_frame_equal(part.ireval.sample(0.4, seed=3), expected)


@pytest.mark.thorough
def test_seeds_draw_evenly():
    qrels = qrels_of({"a": {1: 20}, "b": {1: 20}})
    counts = sum(
        qrels.index.isin(qrels.ireval.sample(0.5, seed=s).index).astype(int) for s in range(400)
    )
    assert abs(counts - 200).max() < 60
    halves = [tuple(qrels.ireval.sample(0.5, seed=s).index) for s in range(5)]
    assert len(set(halves)) == 5


def test_identifiers_may_be_numbers():
    qrels = qrels_of({"a": {1: 9}}).assign(topic=7, doc=range(9))
    assert len(qrels.ireval.sample(0.3)) == 3


@pytest.mark.parametrize("share", [0, -5, 1.001, 50, np.nan, np.inf, "0.5", True, None])
def test_shares_outside(share):
    with pytest.raises(ParameterError, match="share, a number of at most 1 and above 0"):
        ir.verbs.sample(qrels_of({"a": {1: 2}}), share)


def test_the_greatest_seed():
    assert len(ir.verbs.sample(qrels_of({"a": {1: 2}}), 0.5, seed=(1 << 64) - 1)) == 1


@pytest.mark.parametrize("seed", [-1, 1 << 64, 1.5, None, "a", True])
def test_seeds_that_are_none(seed):
    with pytest.raises(ParameterError, match="seed, a whole number of at least 0"):
        ir.verbs.sample(qrels_of({"a": {1: 2}}), 0.5, seed=seed)


def test_unjudged_marks():
    with pytest.raises(GradeError, match="3 of grade -1.*Drop these rows"):
        ir.verbs.sample(qrels_of({"a": {-1: 3, 1: 2}}), 0.5)


def test_judged_twice():
    qrels = qrels_of({"a": {1: 2}})
    with pytest.raises(IdError, match="judged again"):
        ir.verbs.sample(pd.concat([qrels, qrels]), 0.5)
