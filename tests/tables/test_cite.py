"""The papers behind results: whose docstrings name them, once each, and what says nothing."""

import inspect

import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["nDCG@10", "RBP(p=0.8)"])


def test_papers_are_those_that_docstrings_name_once_each(scores):
    cited = ir.cite(scores.ireval.leaderboard())
    used = cited.set_index("doi")["used"]
    assert used["10.1145/1416950.1416952"] == "RBP(p=0.8)"
    assert used["10.1198/1061860043515"] == "leaderboard"
    assert used.index[used.index != ""].is_unique
    texts = map(inspect.getdoc, (ir.metrics.nDCG, ir.metrics.RBP, ir.verbs.leaderboard))
    named = " ".join(" ".join(texts).split())
    assert [doi for doi in cited["doi"] if f"doi:{doi}" not in named] == []
    assert named.count("doi:") == (cited["doi"] != "").sum()
    assert [words for words in cited["reference"] if words not in named] == []


def test_one_paper_of_a_metric_and_a_verb_names_both():
    cube = ir.cube(*ir.example_track())
    cited = ir.cite(cube.ireval.score("nDCG").ireval.volatility(method="tau_ap"))
    assert "nDCG, volatility" in list(cited["used"])


def test_scores_of_elsewhere_and_tests_as_values(scores):
    renamed = scores.rename(columns={"nDCG@10": "mine"})
    with pytest.warns(IrframeWarning, match="are taken as metrics: mine"):
        compared = renamed.ireval.compare(ir.paired.TukeyHSD(samples=20))
    cited = ir.cite(compared)
    assert list(cited.columns) == ["reference", "doi", "used"]
    assert cited["used"].str.contains("compare").any()


def test_what_says_nothing_of_its_making_is_refused():
    for lost in (pd.DataFrame({"topic": ["1"]}), ir.example_track()[1]):
        refused(InputError, "whose attributes say how it came about", ir.cite, lost)
