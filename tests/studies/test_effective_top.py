"""How much of the relevant documents an average of precisions sees."""

import numpy as np
import pandas as pd
import pytest
from lengths import lengths_frame
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.studies.effective_top import effective_count


def test_means_in_both_spaces(golden):
    case = golden["000-eq9-eq10"]
    ranks = np.array(case["input"]["ranks"])
    expected = case["expected"]
    serp = [int(rank in ranks) for rank in range(1, ranks.max() + 2)]
    assert (1 / ranks).mean() == pytest.approx(expected["mean_P"])
    apart = [1] + [0] * 999 + [1]
    assert len(serp) == len(apart) == 1001
    found = ir.metrics.ASL().curve(apart)[-1]
    assert found == pytest.approx(expected["mean_SL"])
    found = ir.metrics.AtomizedP().curve(apart)[-1]
    assert found == pytest.approx(expected["mean_P"])


def test_effective_top(golden):
    case = golden["000-a1-topn"]
    for lengths, (n, percent) in zip(
        case["input"]["lists"], case["expected"]["lists"], strict=True
    ):
        assert effective_count(lengths) == n
        frame = lengths_frame({"s": lengths})
        found = frame.ireval.effective_top(precision="atomized").loc["s"]
        assert found["effective"] == n
        assert 100 * found["share"] == pytest.approx(percent)


def test_effective_top_of_runs():
    lengths = ir.cube(*ir.example_track()).ireval.search_lengths()
    found = lengths.ireval.effective_top()
    part = lengths[lengths["system"] == "ance"]
    with np.errstate(divide="ignore"):
        expected = effective_count(1 / part["precision"].to_numpy())
    assert found.loc["ance", "effective"] == expected
    assert found.loc["ance", "documents"] == len(part)
    for bad in ([], [1, 0], [1, -2], [np.nan]):
        refused(ParameterError, "wanted", effective_count, bad)
    assert effective_count([np.inf, np.inf]) == 0
    assert effective_count([1, np.inf]) == 1


@pytest.mark.parametrize("precision", ["map", "atomized"])
def test_a_run_that_finds_nothing_sees_nothing(precision):
    rows = [
        ("some", "1", "a", 2),
        ("some", "1", "x", 1),
        ("none", "1", "x", 2),
        ("none", "1", "y", 1),
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "grade": 1})
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    found = lengths.ireval.effective_top(precision=precision)
    assert found.loc["some", "share"] > 0
    assert found.loc["none"].tolist() == [0, 2, 0]
