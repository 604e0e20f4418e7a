"""What errors suggest for the names of other tools."""

import pickle
import re

import pytest
from refusals import refused

import irframe as ir
from irframe.__main__ import main
from irframe.elsewhere import suggested

RUNS, QRELS = ir.example_track()
SCORES = ir.evaluate(RUNS, QRELS, "AP")
CUBE = ir.cube(RUNS, QRELS)

DOOR = {
    "ir.load_run ir.read_trec_run ir.parse_run": "ir.read_run",
    "ir.load_runs": "ir.read_runs",
    "ir.read_trec_qrels ir.parse_qrel ir.load_qrels": "ir.read_qrels",
    "ir.Run": "ir.as_runs",
    "ir.Qrels": "ir.as_qrels",
    "ir.RelevanceEvaluator ir.evaluator": "ir.scorer",
    "ir.Experiment ir.calc_aggregate ir.iter_calc": "ir.evaluate",
    "ir.parse_trec_measure ir.parse_measure": "ir.parse_metric",
    "ir.load_dataset": "ir.example_track",
    "ir.ttest_rel ir.pairwise_tukeyhsd": "irframe.verbs.compare",
    "ir.rank_biased_precision": "irframe.metrics.RBP",
    "ir.ndcg_score": "irframe.metrics.nDCG",
    "ir.mean": "irframe.verbs.summary",
    "ir.merge": "ir.concat",
    "ir.load_cube": "ir.open_cube",
}
VERBS = {
    "scores.ttest scores.ttest_rel scores.wilcoxon scores.stat_test runs.ttest": "compare",
    "runs.to_trec runs.save_run runs.write_results runs.to_run": "write_run",
    "qrels.to_qrels qrels.save_qrels": "write_qrels",
    "scores.mean scores.describe scores.aggregate scores.agg cube.mean": "summary",
    "scores.to_latex scores.style": "styled",
    "runs.validate runs.verify": "check",
    "runs.eval runs.calc_aggregate": "evaluate",
    "runs.to_dict": "to_pytrec_eval",
    "scores.kendalltau scores.corr": "agreement",
    "scores.standardize scores.zscore": "standardise",
    "scores.sample_size scores.power_analysis": "topics_needed",
    "scores.anova": "components",
    "scores.boxplot": "ireval.plot.score_boxes",
    "runs.load_qrels": "ir.read_qrels",
    "cube.residuals": "bounds",
    "scores.interaction": "compare",
    "runs.relstring": "judge",
    "cube.budget": "pool_growth or topics_needed",
    "scores.round_effect": "judge_effect",
    "runs.tau_union": "replicate",
}
KEYWORDS = {
    "compare.correction compare.multiple compare.multipletests": "adjust",
    "compare.method": "adjust or test",
    "compare.k compare.cutoff compare.top_k": "at",
    "compare.ci compare.confidence compare.conf_level compare.max_p": "alpha",
    "compare.alternative": "margin",
    "compare.stat_test compare.n_boot compare.random_state": "test",
    "compare.control": "baseline",
    "compare.groupby": "by",
    "evaluate.cutoff evaluate.k": "depth",
    "evaluate.relevance_level evaluate.min_rel": "rel",
    "evaluate.eval_metrics evaluate.measures": "metrics",
    "evaluate.tie_breaking": "ties",
    "rank_intervals.n_resamples rank_intervals.n_boot": "samples",
    "rank_intervals.random_state": "seed",
    "sample.frac": "share",
    "read_run.run_name": "system",
    "read_runs.verbose": "progress",
    "read_runs.errors": "on_error",
    "write_run.tag": "system",
    "scorer.k": "depth",
    "styled.decimals": "precision",
    "summary.confidence_level": "alpha",
}
FIELDS = {
    "RBP.persistence": "p",
    "AP.cutoff P.k": "depth",
    "AP.relevance_level P.min_rel": "rel",
    "nDCG.dcg nDCG.gains": "gain",
}
METRICS = {
    "ndcg_score retrieval_normalized_dcg": "nDCG",
    "average_precision_score mapk": "AP",
    "precision_score precision_at_k": "P",
    "recall_score": "Recall",
    "retrieval_mrr": "RR",
    "hit_ratio": "Success",
    "f1_score": "F",
    "dcg_score": "DCG",
    "expected_reciprocal_rank": "ERR",
}
WORDS = {
    "test.ttest_rel test.student test.paired": "'t'",
    "test.fisher test.randomization": "'permutation'",
    "test.tukeyhsd": "'tukey'",
    "test.mannwhitneyu": "'ranksum'",
    "adjust.bonf": "'bonferroni'",
    "adjust.bh adjust.fdr adjust.benjamini-hochberg": "'fdr_bh'",
    "adjust.holm_bonferroni": "'holm'",
    "adjust.westfall_young": "'max-t'",
    "method.kendalltau": "'kendall'",
    "method.spearmanr": "'spearman'",
    "ties.trec_eval": "'trec'",
}
OPTIONS = {
    "compare.--correction compare.--p-adjust": "--adjust",
    "compare.--cutoff compare.--k": "--at or --depth",
    "compare.--confidence": "--alpha",
    "evaluate.--cutoff": "--depth",
}
NONSENSE = """
    xyzzy foo bar quux spam lorem zzzz blorp frobnicate wibble qwerty asdf thing stuff banana
    widget gadget hello something nonsense
"""
SUBJECTS = {"runs": RUNS, "qrels": QRELS, "scores": SCORES, "cube": CUBE}
OF = {"evaluate": RUNS, "write_run": RUNS, "sample": CUBE, "compare": SCORES, "summary": SCORES}
OF |= {"rank_intervals": SCORES, "styled": SCORES.ireval.summary()}
WORDED = {"test": "compare", "adjust": "compare", "method": "agreement", "ties": "rank"}


def words(owner, name):
    """Give a verb a word."""
    subject = RUNS if owner == "ties" else CUBE.ireval.score("AP", at=10)
    given = {owner: name} | ({"reference": 10} if owner == "method" else {})
    return getattr(ir.verbs, WORDED[owner])(subject, **given)


def keyword(owner, name):
    """Give a verb, or a function of the door, a keyword."""
    if owner in OF:
        return getattr(OF[owner].ireval, owner)(**{name: 1})
    return getattr(ir, owner)(**{name: 1})


ASKED = {
    "door": lambda _, name: getattr(ir, name),
    "verb": lambda owner, name: getattr(SUBJECTS[owner].ireval, name),
    "keyword": keyword,
    "field": lambda owner, name: getattr(ir.metrics, owner)(**{name: 1}),
    "metric": lambda owner, _: ir.parse_metric(owner),
    "class": lambda owner, _: getattr(ir.metrics, owner),
    "word": words,
    "option": lambda owner, name: main([owner, "qrels.txt", "a.run", "-m", "AP", name, "1"]),
}
KINDS = {
    "door": DOOR,
    "verb": VERBS,
    "keyword": KEYWORDS,
    "field": FIELDS,
    "metric": METRICS,
    "class": METRICS,
    "word": WORDS,
    "option": OPTIONS,
}
GUESSES = [
    (kind, guess, ours)
    for kind, table in KINDS.items()
    for guesses, ours in table.items()
    for guess in guesses.split()
]


def told(kind, guess, capsys):
    owner, _, name = guess.partition(".")
    with pytest.raises((AttributeError, TypeError, ValueError, SystemExit)) as caught:
        ASKED[kind](owner, name)
    return capsys.readouterr().err if kind == "option" else str(caught.value)


def test_names_of_other_tools_are_answered_with_ours(capsys):
    assert len(GUESSES) >= 100
    wrong = {
        f"{kind} {guess}": said
        for kind, guess, ours in GUESSES
        if f"(in irframe: {ours})" not in (said := told(kind, guess, capsys))
    }
    assert wrong == {}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_suggested_for_nonsense(kind, capsys):
    owner = {"door": "ir.", "verb": "scores.", "keyword": "compare.", "field": "RBP."}
    owner |= {"word": "adjust.", "option": "compare.--"}
    said = [told(kind, owner.get(kind, "") + word, capsys) for word in NONSENSE.split()]
    assert len(said) == 20
    assert not [each for each in said if re.search("in irframe|did you mean", each)]


@pytest.mark.parametrize("kind", ["door", "verb", "metric", "word"])
def test_what_is_wrong_comes_first_and_long_lists_last(kind, capsys):
    guesses = [guess for each, guess, _ in GUESSES if each == kind]
    for guess in guesses:
        said = told(kind, guess, capsys)
        name = guess.rpartition(".")[2]
        assert said.index(name) < 130
        before, _, after = said.partition("(in irframe")
        assert before.count(",") < 8, said
        if kind == "metric":
            assert after.count(",") < 3


def test_slips_of_the_fingers_are_told_apart_from_other_names():
    assert suggested("evalaute", ["evaluate", "estimate"]) == ["evaluate"]
    assert suggested("ReadRun", ["read_run", "read_runs"]) == ["read_run"]
    assert suggested("letter", ["compare", "leaderboard"]) == []
    assert suggested([1], ["compare"]) == suggested("compare" * 9999, ["compare"]) == []


def test_a_function_at_the_door_is_the_verb_and_can_be_pickled():
    for name in {*ir.__all__} & {*ir.verbs.__all__}:
        assert getattr(ir, name) is getattr(ir.verbs, name)
    for name in ("read_run", "scorer", "evaluate"):
        function = getattr(ir, name)
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own


def test_an_error_inside_a_function_stays_its_own():
    refused(TypeError, "missing .* 'qrels'", lambda: ir.evaluate(RUNS))
