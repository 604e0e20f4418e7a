"""Which judgments a sample keeps, and the random numbers that decide it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import GradeError, ParameterError
from irframe.experiments.policy import (
    random_keys,
    refuse_marks,
    refuse_share,
    strata_sample,
    whole_seed,
)

judgments = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([-2, 0, 1, 3]), st.integers(0, 10**6)),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[2],
)


@given(rows=judgments, share=st.floats(0.001, 1))
def test_every_stratum_keeps_the_smallest_keys(rows, share):
    topic, grade, keys = (np.array(column) for column in zip(*rows, strict=True))
    found = strata_sample(topic, grade.astype(np.int8), keys, share)
    expected = set()
    for stratum in {row[:2] for row in rows}:
        inside = sorted(row[2] for row in rows if row[:2] == stratum)
        number = math.floor(round(share * len(inside), 9) + 0.5)
        expected |= set(inside[: max(number, 10 if stratum[1] < 1 else 1)])
    assert set(keys[found].tolist()) == expected


def test_keys_follow_names_and_seed_alone():
    topics, docs = list("1122"), list("abab")
    keys = random_keys(topics, docs, seed=5)
    assert len(set(keys.tolist())) == 4
    back = random_keys(topics[::-1], docs[::-1], seed=5)
    assert back[::-1].tolist() == keys.tolist()
    assert not set(random_keys(topics, docs, seed=6).tolist()) & set(keys.tolist())
    numbers = random_keys([1, 1, 2, 2], docs, seed=5)
    assert numbers.tolist() == keys.tolist()


def test_names_are_not_run_together():
    first, second = random_keys(["1", "11"], ["11", "1"], seed=0)
    assert first != second


def test_keys_spread_evenly():
    keys = random_keys([str(number) for number in range(4000)], seed=1)
    counts = np.histogram(keys.astype(float) / 2**64, bins=8, range=(0, 1))[0]
    assert abs(counts - 500).max() < 100


def test_seeds():
    assert whole_seed((1 << 64) - 1) == (1 << 64) - 1
    for wrong in (-1, 1 << 64, 0.5, True):
        with pytest.raises(ParameterError, match="seed, a whole number"):
            whole_seed(wrong)


def test_shares_and_marks():
    refuse_share(1)
    refuse_marks(np.array([-2, 0, 3, -127, -128]))
    for wrong in (0, 100.01, np.nan, "9"):
        with pytest.raises(ParameterError, match="share"):
            refuse_share(wrong)
    with pytest.raises(GradeError, match="found 2 of grade -1.*Drop these rows"):
        refuse_marks(np.array([[-1, 0], [-1, 2]]))
