"""Tests of the papers that results cite."""

import inspect

import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.agreements.correlations import AGREEMENTS
from irframe.errors import InputError, IrframeWarning
from irframe.paired import TESTS, MaxT
from irframe.tables.cite import CORRECTIONS, WHERE, references


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["nDCG@10", "RBP(p=0.8)"])


def test_each_paper_of_the_docstrings_is_cited_once(scores):
    cited = ir.cite(scores.ireval.leaderboard())
    used = cited.set_index("doi")["used"]
    assert used["10.1145/1416950.1416952"] == "RBP(p=0.8)"
    assert used["10.1198/1061860043515"] == "leaderboard"
    assert used.index[used.index != ""].is_unique
    made_by = ir.metrics.nDCG, ir.metrics.RBP, ir.paired.PairedT, ir.verbs.leaderboard
    texts = [*map(inspect.getdoc, made_by), CORRECTIONS.partition("bonferroni:")[0]]
    named = " ".join(" ".join(texts).split())
    assert [doi for doi in cited["doi"] if f"doi:{doi}" not in named] == []
    assert named.count("doi:") == (cited["doi"] != "").sum()
    assert [reference for reference in cited["reference"] if reference not in named] == []


def test_a_paper_lists_all_methods_that_use_it():
    cube = ir.cube(*ir.example_track())
    cited = ir.cite(cube.ireval.score("nDCG").ireval.volatility(coefficient="tau_ap"))
    assert "nDCG, volatility" in list(cited["used"])
    assert cited["used"].str.contains("TauAP").any()


@pytest.mark.parametrize("kind", [*TESTS.values(), MaxT, *map(type, AGREEMENTS.values())])
def test_tests_and_measures_of_agreement_have_papers(kind):
    assert list(references(kind))
    assert all(doi or "1993" in reference for reference, doi in references(kind))


def test_methods_of_a_comparison_are_cited(scores):
    runs, qrels = ir.example_track()
    used = ir.cite(scores.ireval.compare("wilcoxon"))["used"]
    assert "wilcoxon" in list(used)
    corrected = ir.cite(scores.ireval.compare(adjust="max-t"))
    assert "10.1198/016214504000000539" in list(corrected["doi"])
    effect = runs.ireval.judge_effect({"a": qrels, "b": qrels}, "AP", coefficients=["rbo"])
    assert "10.1145/1852102.1852106" in list(ir.cite(effect)["doi"])


def test_results_with_unknown_metrics_and_test_objects_have_papers(scores):
    renamed = scores.rename(columns={"nDCG@10": "mine"})
    with pytest.warns(IrframeWarning, match="are used as metrics: mine"):
        compared = renamed.ireval.compare(ir.paired.TukeyHSD(samples=20))
    cited = ir.cite(compared)
    assert list(cited.columns) == ["reference", "doi", "used"]
    assert cited["used"].str.contains("compare").any()


def test_results_without_a_record_are_refused():
    for lost in (pd.DataFrame({"topic": ["1"]}), ir.example_track()[1]):
        refused(InputError, "whose attributes record how it was computed", ir.cite, lost)


@pytest.mark.parametrize(
    ("options", "cited", "not_cited"),
    [
        ({}, ["Holm."], ["Schuirmann", "MacKinnon", "Imbens", "Clark", "Benjamini"]),
        ({"margin": 0.05, "adjust": "fdr_bh"}, ["Schuirmann", "Benjamini"], ["Holm.", "Clark"]),
        ({"adjust": None}, [], ["Holm.", "Benjamini"]),
        ({"weight": dict.fromkeys(map(str, range(101, 117)), 1.0)}, ["MacKinnon", "Imbens"], []),
    ],
)
def test_cited_papers_depend_on_options(scores, options, cited, not_cited):
    weight = {name: value for name, value in options.items() if name == "weight"}
    drawn = scores.ireval.design(**weight) if weight else scores
    arguments = {name: value for name, value in options.items() if name != "weight"}
    references_cited = " ".join(ir.cite(drawn.ireval.compare(**arguments))["reference"])
    assert [start for start in cited if start not in references_cited] == []
    assert [start for start in not_cited if start in references_cited] == []


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_methods_for_repeats_and_judges_are_cited(scores):
    runs, qrels = ir.example_track()
    seeds = pd.concat([runs.assign(seed=1), runs.assign(seed=2)])
    repeated = seeds.ireval.evaluate(qrels, "AP").ireval.compare()
    assert ir.cite(repeated)["reference"].str.startswith("Clark").any()
    agreed = ir.compare_judges({"a": qrels, "b": qrels}, resamples=20)
    assert ir.cite(agreed)["reference"].str.startswith("Cohen").any()
    best = seeds.ireval.evaluate(qrels, "AP").ireval.summary(best_of=2)
    assert ir.cite(best)["reference"].str.startswith("Chen et al").any()
    assert not ir.cite(scores.ireval.summary())["reference"].str.startswith("Chen et al").any()


def test_conditional_references_exist_in_docstrings():
    names = [name for name in dir(ir.verbs) if not name.startswith("_")]
    verbs = [getattr(ir.verbs, name) for name in names]
    every = [text for verb in [*verbs, ir.compare_judges] for text, _ in references(verb)]
    assert [start for start in WHERE if not any(text.startswith(start) for text in every)] == []
