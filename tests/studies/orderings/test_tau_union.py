"""Orders of documents of which not all are in both lists."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, ParameterError


def run_of(lists, system="s"):
    """Return a run of the lists of some topics."""
    rows = [
        (system, topic, doc, -place)
        for topic, docs in lists.items()
        for place, doc in enumerate(docs)
    ]
    return pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])


@pytest.mark.parametrize("cut", [2, 3, 5])
def test_tau_is_that_of_the_paper(cut):
    rng = np.random.default_rng(cut)
    old, new = ({str(t): [*rng.permutation([*"abcdefgh"])[:5]] for t in range(40)} for _ in "ab")
    found = run_of(new).ireval.tau_union(run_of(old), depth=cut).set_index("topic")
    for topic in old:
        sides = [old[topic][:cut], new[topic][:cut]]
        union = list(dict.fromkeys([*sides[0], *sides[1]]))
        numbers = ([union.index(doc) for doc in docs] for docs in sides)
        here = found.loc[topic]
        assert here["tau_union"] == pytest.approx(stats.kendalltau(*numbers).statistic)
        assert here["overlap"] == (2 * cut - len(union)) / len(union)


def test_every_list_of_either_side_has_a_row():
    original = run_of({"1": "abc", "2": "ab", "3": "a"})
    runs = pd.concat([run_of({"1": "acb", "3": "a", "4": "ab"}), run_of({"1": "abc"}, "t")])
    found = ir.verbs.tau_union(runs, original).set_index(["system", "topic"])
    assert found["tau_union"].to_dict() == pytest.approx(
        {("s", "1"): 1 / 3, ("s", "2"): np.nan, ("s", "3"): np.nan}
        | {("s", "4"): np.nan, ("t", "1"): np.nan},
        nan_ok=True,
    )
    assert found["overlap"].dropna().to_dict() == {("s", "1"): 1, ("s", "3"): 1}


def test_lists_of_other_lengths_are_compared_as_long_as_both_are():
    found = ir.verbs.tau_union(run_of({"1": "bax"}), run_of({"1": "abcde"}))
    assert found["tau_union"].item() == pytest.approx(1 / 3)
    assert found["overlap"].item() == pytest.approx(2 / 6)


def test_what_cannot_be_compared():
    with pytest.raises(ParameterError, match="both sides"):
        ir.verbs.tau_union(run_of({"1": "ab"}), run_of({"2": "ab"}))
    with pytest.raises(DepthError, match="depth"):
        ir.verbs.tau_union(run_of({"1": "ab"}), run_of({"1": "ab"}), depth=0)
