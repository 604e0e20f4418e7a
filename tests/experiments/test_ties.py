"""The policies for equal scores, each against its oracle."""

from typing import get_args

import numpy as np
import pandas as pd
import pytest
from oracles import ties as oracles

from irframe.experiments.coded_tables import read_table
from irframe.experiments.policy import TIE_POLICIES
from irframe.experiments.rank_table import rank_table
from irframe.names import Ties

WORDS = get_args(Ties)


def test_every_word_has_a_policy_and_an_oracle():
    assert set(WORDS) == TIE_POLICIES.keys() == oracles.ORACLES.keys()


def drawn(rng, *, whole):
    """Return a run of two systems and some topics, most scores tied, rows in no order."""
    lists = [(s, t) for s in ("a", "b") for t in ("1", "2", "3")]
    parts = []
    for system, topic in lists:
        n = int(rng.choice([1, 2, 7, 40]))
        docs = rng.choice(90, n, replace=False)
        names = docs if whole else [f"d{d}é" if d % 5 else f"d{d}" for d in docs]
        score = rng.integers(0, 4, n) / 2
        score[rng.random(n) < 0.1] = -np.inf
        rank = rng.permutation(n)
        columns = {"system": system, "topic": topic, "doc": names, "score": score, "rank": rank}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts).sample(frac=1, random_state=rng).reset_index(drop=True)


@pytest.mark.parametrize("whole", [False, True], ids=["text", "integers"])
@pytest.mark.parametrize("ties", WORDS)
def test_a_policy_orders_as_its_oracle(ties, whole):
    rng = np.random.default_rng(7)
    for _ in range(3):
        runs = drawn(rng, whole=whole)
        ranking = rank_table(read_table(runs), ties=ties, seed=3)
        found = runs.iloc[ranking.order]
        for (system, topic), filed in runs.groupby(["system", "topic"]):
            rows = list(filed[["doc", "score", "rank"]].itertuples(index=False, name=None))
            mine = found[(found["system"] == system) & (found["topic"] == topic)]
            assert mine["doc"].tolist() == oracles.ORACLES[ties](rows, system, topic, 3)
