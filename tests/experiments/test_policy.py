"""Options of experiments, stratified samples, random keys and tie rules."""

import math
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from flat import arguments
from hypothesis import given
from hypothesis import strategies as st
from oracles import ties as oracles
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import DepthError, GradeError, ParameterError
from irframe.experiments.coded_tables import read_table
from irframe.experiments.policy import (
    TIE_POLICIES,
    Policy,
    random_keys,
    refuse_marks,
    strata_sample,
)
from irframe.experiments.rank_table import rank_table
from irframe.names import EMPTY, UNJUDGED, TieRule


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ties": "trek"}, ParameterError, "ties.* one of .*found 'trek'"),
        (
            {"pool_depth": {"a": 5, "b": 1.5}, "collection": "track"},
            DepthError,
            "pool_depth to be a whole number of at least 0, but found 1.5",
        ),
        ({"pool_depth": {"a": 5}}, ParameterError, "or collection= to map .* {'a': 5}"),
    ],
)
def test_invalid_options_are_refused(options, error, message):
    refused(error, message, lambda: ir.cube(*ir.example_track(), **arguments(ir.cube, options)))


judgments = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([-2, 0, 1, 3]), st.integers(0, 10**6)),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[2],
)


@given(rows=judgments, share=st.floats(0.001, 1))
def test_samples_keep_the_smallest_keys_of_each_stratum(rows, share):
    topic, grade, keys = (np.array(column) for column in zip(*rows, strict=True))
    result = strata_sample(topic, grade.astype(np.int16), keys, share)
    expected = set()
    for stratum in {row[:2] for row in rows}:
        inside = sorted(row[2] for row in rows if row[:2] == stratum)
        number = math.floor(round(share * len(inside), 9) + 0.5)
        expected |= set(inside[: max(number, 10 if stratum[1] < 1 else 1)])
    assert set(keys[result].tolist()) == expected


def test_random_keys_depend_only_on_ids_and_seed():
    topics, docs = list("1122"), list("abab")
    keys = random_keys(topics, docs, seed=5)
    assert len(set(keys.tolist())) == 4
    back = random_keys(topics[::-1], docs[::-1], seed=5)
    assert back[::-1].tolist() == keys.tolist()
    assert not set(random_keys(topics, docs, seed=6).tolist()) & set(keys.tolist())
    numbers = random_keys([1, 1, 2, 2], docs, seed=5)
    assert numbers.tolist() == keys.tolist()


def test_random_keys_depend_on_the_boundary_between_ids():
    first, second = random_keys(["1", "11"], ["11", "1"], seed=0)
    assert first != second


def test_random_keys_are_uniform():
    keys = random_keys([str(number) for number in range(4000)], seed=1)
    counts = np.histogram(keys.astype(float) / 2**64, bins=8, range=(0, 1))[0]
    assert abs(counts - 500).max() < 100


def test_grade_minus_one_is_refused():
    refuse_marks(np.array([-2, 0, 3, UNJUDGED, EMPTY]))
    with pytest.raises(GradeError, match="found 2 documents with grade -1.*Drop these rows"):
        refuse_marks(np.array([[-1, 0], [-1, 2]]))


WORDS = get_args(TieRule)


def test_every_tie_rule_has_an_implementation_and_an_oracle():
    assert set(WORDS) == TIE_POLICIES.keys() == oracles.ORACLES.keys()


def drawn(rng, *, integers):
    """Return a shuffled run with mostly tied scores."""
    lists = [(s, t) for s in ("a", "b") for t in ("1", "2", "3")]
    groups = []
    for system, topic in lists:
        n = int(rng.choice([1, 2, 7, 40]))
        docs = rng.choice(90, n, replace=False)
        names = docs if integers else [f"d{d}é" if d % 5 else f"d{d}" for d in docs]
        score = rng.integers(0, 4, n) / 2
        score[rng.random(n) < 0.1] = -np.inf
        rank = rng.permutation(n)
        columns = {"system": system, "topic": topic, "doc": names, "score": score, "rank": rank}
        groups.append(pd.DataFrame(columns))
    return pd.concat(groups).sample(frac=1, random_state=rng).reset_index(drop=True)


@pytest.mark.filterwarnings("ignore:scores rise")
@pytest.mark.parametrize("integers", few_of([False, True], 2), ids=["text", "integers"])
@pytest.mark.parametrize("ties", WORDS)
def test_tie_rules_agree_with_their_oracles(ties, integers):
    rng = np.random.default_rng(7)
    for _ in range(3):
        runs = drawn(rng, integers=integers)
        ranking = rank_table(read_table(runs), Policy(ties=ties, seed=3))
        result = runs.iloc[ranking.order]
        for (system, topic), filed in runs.groupby(["system", "topic"]):
            rows = list(filed[["doc", "score", "rank"]].itertuples(index=False, name=None))
            ranked = result[(result["system"] == system) & (result["topic"] == topic)]
            assert ranked["doc"].tolist() == oracles.ORACLES[ties](rows, system, topic, 3)
