"""Tests of names that are made of systems and repeats."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import IdError

QRELS = {"q": {"a": 1}}
LABELS = st.sampled_from([1, 2, "1", "2", "1] [repeat 2"])
SYSTEMS = st.sampled_from(["s", "s [repeat 1]", "1", "2"])


@given(st.sets(st.tuples(SYSTEMS, LABELS), min_size=2))
def test_every_repeat_has_scores_or_is_refused(pairs):
    names = [f"{system} [repeat {label}]" for system, label in pairs]
    rows = [(system, label, "q", "a", 1.0) for system, label in pairs]
    frame = pd.DataFrame(rows, columns=["system", "repeat", "topic", "doc", "score"], dtype=object)
    runs = {}
    for system, label in pairs:
        runs.setdefault(system, {})[label] = {"q": {"a": 1.0}}
    several = {system for system, labels in runs.items() if len(labels) > 1}
    for given_runs in (runs, *[frame] * bool(several)):
        if len({*names}) < len(names):
            expected = "a different name for every repeat, but found"
            refused(IdError, expected, ir.evaluate, given_runs, QRELS, "P@1")
        else:
            assert len(ir.evaluate(given_runs, QRELS, "P@1")) == len(pairs)
