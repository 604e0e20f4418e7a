"""Tests of suggestions for names in papers and other tools."""

import pickle
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.__main__ import main
from irframe.elsewhere import suggested
from irframe.errors import InputError, MetricError
from irframe.kinds import verbs

RUNS, QRELS = ir.example_track()
SCORES = ir.evaluate(RUNS, QRELS, "AP")
CUBE = ir.cube(RUNS, QRELS)

TOP_LEVEL = {
    "ir.load_run ir.read_trec_run ir.parse_run": "ir.read_run",
    "ir.Qrels": "ir.as_qrels",
    "ir.ttest_rel ir.pairwise_tukeyhsd": "irframe.verbs.compare",
    "ir.ndcg_score": "irframe.metrics.nDCG",
}
VERBS = {
    "scores.ttest scores.ttest_rel scores.wilcoxon scores.stat_test runs.ttest": "compare",
    "runs.to_trec runs.save_run runs.write_results runs.to_run": "write_run",
    "scores.boxplot": "ireval.plot.score_boxes",
    "runs.load_qrels": "ir.read_qrels",
    "cube.budget": "pool_growth or topics_needed",
}
KEYWORDS = {
    "compare.correction compare.multiple compare.multipletests": "adjust",
    "compare.method": "adjust or test",
    "compare.stat_test compare.n_boot compare.random_state": "test",
    "evaluate.eval_metrics evaluate.measures": "metrics",
    "rank_intervals.random_state": "resamples",
    "read_runs.errors": "on_error",
    "styled.decimals": "precision",
}
FIELDS = {"RBP.persistence": "p", "AP.cutoff P.k": "depth"}
METRICS = {"ndcg_score retrieval_normalized_dcg": "nDCG", "hit_ratio": "Success"}
WORDS = {
    "test.ttest_rel test.student test.paired": "'t'",
    "adjust.bh adjust.fdr adjust.benjamini-hochberg": "'fdr_bh'",
    "coefficient.kendalltau": "'kendall'",
    "ties.trec_eval": "'trec'",
}
OPTIONS = {
    "compare.--correction compare.--p-adjust": "--adjust",
    "compare.--cutoff compare.--k": "--depth",
}
NONSENSE = """
    xyzzy foo quuz quux spam lorem zzzz blorp frobnicate wibble qwerty asdf thing stuff banana
    widget gadget hello something nonsense
"""
SUBJECTS = {"runs": RUNS, "qrels": QRELS, "scores": SCORES, "cube": CUBE}
OF = {"evaluate": RUNS, "compare": SCORES, "rank_intervals": SCORES}
OF |= {"styled": SCORES.ireval.summary()}
WORDED = {"test": "compare", "adjust": "compare", "coefficient": "agreement", "ties": "rank"}


def with_word(owner, name):
    """Call a function with `name` as an option's value."""
    subject = RUNS if owner == "ties" else CUBE.ireval.score("AP", at=10)
    options = {owner: name} | ({"reference": 10} if owner == "coefficient" else {})
    return getattr(ir.verbs, WORDED[owner])(subject, **options)


def keyword(owner, name):
    """Call a function with `name` as a keyword argument."""
    if owner in OF:
        return getattr(OF[owner].ireval, owner)(**{name: 1})
    return getattr(ir, owner)(**{name: 1})


ASKED = {
    "name": lambda _, name: getattr(ir, name),
    "verb": lambda owner, name: getattr(SUBJECTS[owner].ireval, name),
    "keyword": keyword,
    "field": lambda owner, name: getattr(ir.metrics, owner)(**{name: 1}),
    "metric": lambda owner, _: ir.parse_metric(owner),
    "class": lambda owner, _: getattr(ir.metrics, owner),
    "word": with_word,
    "option": lambda owner, name: main([owner, "qrels.txt", "a.run", "-m", "AP", name, "1"]),
}
KINDS = {
    "name": TOP_LEVEL,
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


PAPERS = {
    "cube.ireval": """
        asl esl ASL ESL AP MAP NDCG RBP ERR MRR RR Succ Prec P bpref twist Twist CRP AP_a
        AP_b AP_c NDCG_a NDCG_b QM ipso innate innate_orderings innate_pairwise separable
        separability non_separable orderings compare_orderings significance_agreement
        side_by_side two_daggers sign_test crp rp CRP relative_position
        cumulated_relative_position balance_point recovery_ratio space_ratio forward_space
        effort significance_ipso backward_space avoidable_effort misplacement archetypes
        effort_gain search_lengths
        search_length atomized_search_length expected_search_length esl_outcomes
        outcome_breakdown outcomes delta_sort delta_value ablation reordering rrie
        coverage_ratio inversion_ratio observed_inversion discrimination_ratio
        discriminative_power volatility_matrix median_p median_p_value residual residuals
        condensed_runs condensed pool_growth pooling leave_out run_reuse pool_downsampling
        robustness tau_ap rbo kendall pearson fuzziness_value effective_top
    """,
    "runs.ireval": """
        asl esl ndcg twist coverage_ratio volatility_matrix esl_outcomes ipso delta_sort
        discrimination_ratio inversion_ratio tie_rates
    """,
    "frame.ireval": """
        coverage_ratio volatility_matrix inversion_ratio discrimination_ratio rrie
        delta_sort fuzziness best_systems t_test wilcoxon
    """,
    "scores.ireval": """
        coverage_ratio inversion_ratio discrimination_ratio volatility_matrix tau_ap rbo
        median_p rrie delta_sort effort_gain_plot agreement bootstrap_sensitivity
        asl_curve
    """,
    "scores.ireval.plot": """
        forest heatmap volatility differences box line bar hist coverage inversions
        discrimination agreement median_p effort_gain significance_agreement
    """,
    "cube.ireval.plot": """
        outcomes crp hasse orderings pool_growth side_by_side archetypes volatility
        misplacement search_lengths leaderboard robustness heatmap forest unjudged
    """,
    "frame.ireval.plot": """
        forest box bar differences leaderboard compare heatmap
    """,
}
"""Mapping from an object to attributes that readers of papers or users of pandas may look for."""
TWO = ir.evaluate(RUNS, QRELS, ["AP", "ASL"])
SCOPE = {"runs": RUNS, "qrels": QRELS, "cube": CUBE, "frame": TWO, "ir": ir}
SCOPE |= {"scores": CUBE.ireval.score("AP", "Twist", at=10), "cost": {}, "dates": {}}
ASKED_OF = [(of, name) for of, names in PAPERS.items() for name in dict.fromkeys(names.split())]


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(("of", "name"), few_of(ASKED_OF, 5))
def test_names_in_papers_work_or_raise_errors_with_working_calls(of, name):
    root = of.partition(".")[0]
    try:
        eval(f"{of}.{name}", SCOPE)  # noqa: S307 - of the table above
    except AttributeError as error:
        for call in str(error).rpartition(": ")[2].split(" or "):
            code = f"{root}{call}" if call[0] == "." else call
            assert eval(code, SCOPE) is not None  # noqa: S307 - what irframe says
    else:
        home = "irframe.plots" if of.endswith("plot") else "irframe.verbs"
        assert name in verbs(home)
    plt.close("all")


PRINTED = {
    "AP_a AP_a@10": "AP()",
    "AP_b AP_{b}@100": "AP(norm='min')",
    "AP_c": "AP(norm='pool')",
    "NDCG_a NDCG_a@20 NDCG": "nDCG()",
    "NDCG_b@10": "nDCG(ideal='pool')",
    "QM_{a,i} QM_{a,i}(1) QM_a,i@10 Q-measure": "Q()",
    "QM_{b,ii}": "Q(norm='min', ideal='pool')",
    "QM_{c,i}": "Q(norm='pool')",
    "Prec Prec@5 Precision@20 precision_2 P@20": "P()",
    "Succ@3 Succ": "Success()",
    "ASL@g1": "ASL(first=1)",
    "ASL@g1-10": "ASL(first=10)",
    "ASL": "ASL()",
    "RBP(0.8) RBP(0.8)@10 RBP@0.8": "RBP(p=0.8)",
    "RBP(0.95)": "RBP(p=0.95)",
    "ERR ERR@20": "ERR()",
    "MRR@100 RR MRR": "RR()",
    "MAP AP": "AP()",
    "bpref": "Bpref()",
    "R-prec Rprec": "Rprec()",
    "ESL": "ESL()",
    "Twist": "Twist()",
    "recall@10": "Recall()",
}
"""Mapping from names of metrics in papers to names in irframe without a cutoff."""
PRINTED_AS = [(text, ours) for texts, ours in PRINTED.items() for text in texts.split()]


@pytest.mark.parametrize(("text", "ours"), PRINTED_AS)
def test_parse_metric_reads_metric_names_as_printed_in_papers(text, ours):
    depth = re.search(r"[@_](\d+)$", text)
    expected = ir.parse_metric(ours) @ (int(depth[1]) if depth and "g1" not in text else None)
    assert ir.parse_metric(text) == expected


@pytest.mark.parametrize("text", ["Prec@k", "ERR@k", "AP_b@k", "RBP(0.95)@k", "recall@n"])
def test_errors_about_a_letter_as_depth_suggest_valid_metrics(text):
    with pytest.raises(MetricError) as caught:
        ir.parse_metric(text)
    offered = re.search("such as '(.*?)' or '(.*?)', but", str(caught.value)).groups()
    assert [str(ir.parse_metric(name).depth) for name in offered] == ["None", "10"]


def message_of(kind, guess, capsys):
    owner, _, name = guess.partition(".")
    with pytest.raises((AttributeError, TypeError, ValueError, SystemExit)) as caught:
        ASKED[kind](owner, name)
    return capsys.readouterr().err if kind == "option" else str(caught.value)


def test_errors_about_names_of_other_tools_suggest_names_of_irframe(capsys):
    wrong = {
        f"{kind} {guess}": message
        for kind, guess, ours in GUESSES
        if f"(in irframe: {ours})" not in (message := message_of(kind, guess, capsys))
    }
    assert wrong == {}


@pytest.mark.parametrize("kind", KINDS)
def test_errors_about_nonsense_names_suggest_nothing(kind, capsys):
    owner = {"name": "ir.", "verb": "scores.", "keyword": "compare.", "field": "RBP."}
    owner |= {"word": "adjust.", "option": "compare.--"}
    messages = [message_of(kind, owner.get(kind, "") + name, capsys) for name in NONSENSE.split()]
    assert len(messages) == 20
    assert not [message for message in messages if re.search("in irframe|did you mean", message)]


@pytest.mark.parametrize("kind", ["name", "verb", "metric", "word"])
def test_errors_begin_with_the_problem_and_end_with_lists(kind, capsys):
    guesses = [guess for guessed_kind, guess, _ in GUESSES if guessed_kind == kind]
    for guess in guesses:
        message = message_of(kind, guess, capsys)
        name = guess.rpartition(".")[2]
        assert message.index(name) < 130
        before, _, after = message.partition("(in irframe")
        assert before.count(",") < 8, message
        if kind == "metric":
            assert after.count(",") < 3


def test_errors_about_unsupported_options_show_the_alternative():
    with pytest.raises(TypeError, match="unexpected keyword argument 'metric'") as caught:
        SCORES.ireval.compare(metric="AP")
    for call in re.search(r"first: (.*)\)$", str(caught.value))[1].split(" or "):
        scope = {"scores": ir.evaluate(RUNS, QRELS, ["AP", "RR"]), "array": SCOPE["scores"]}
        assert len(eval(call, scope).ireval.compare())  # noqa: S307 - what irframe says
    with pytest.raises(TypeError, match="two-sided"):
        SCORES.ireval.compare(alternative="greater")
    with pytest.raises(AttributeError, match="select first: array.sel"):
        CUBE.ireval.select_topics  # noqa: B018 - what raises
    with pytest.raises(AttributeError, match="a method of this name: call it without .ireval"):
        CUBE.ireval.to_dataframe  # noqa: B018 - what raises
    with pytest.raises(TypeError, match="parameters by name: .* p="):
        ir.metrics.RBP(0.8)


COLUMNS = {
    "letters could_be_first": SCORES.ireval.leaderboard(),
    "effect_size ci_low wins statistic": SCORES.ireval.compare(),
    "rank_low tier": SCORES.ireval.rank_intervals(),
}


@pytest.mark.parametrize(
    ("name", "result"), [(n, table) for names, table in COLUMNS.items() for n in names.split()]
)
def test_errors_about_a_column_name_suggest_a_verb_that_returns_it(name, result):
    assert name in result
    with pytest.raises(AttributeError) as caught:
        getattr(SCORES.ireval, name)
    calls = str(caught.value).rpartition(": ")[2].split(" or ")
    assert any(name in eval(f"SCORES{call}") for call in calls)  # noqa: S307 - what irframe says


@pytest.mark.parametrize("name", ["win_rate", "borda", "p_adjusted"])
def test_errors_about_a_column_that_needs_an_option_suggest_its_verb(name):
    with pytest.raises(AttributeError, match=r"result of .*leaderboard\(\)"):
        getattr(SCORES.ireval, name)


def test_verbs_accept_a_dataset_with_a_variable_per_metric():
    scores = ir.evaluate(RUNS, QRELS, ["AP", "ASL"])
    arrays = scores.to_xarray()
    expected = scores.sort_index().ireval.compare(baseline="bm25")
    result = arrays.ireval.compare(baseline="bm25")
    columns = ["metric", "system_a", "difference", "p"]
    pd.testing.assert_frame_equal(
        result[columns].sort_values(columns[:2], ignore_index=True),
        expected[columns].sort_values(columns[:2], ignore_index=True),
        check_exact=False,
    )
    assert "leaderboard" in dir(arrays.ireval)
    assert "score" in dir(CUBE.ireval)


def test_plot_without_a_name_raises_an_error_that_lists_figures():
    with pytest.raises(InputError, match="Draw a figure: ") as caught:
        SCORES.ireval.plot()
    for call in str(caught.value).rpartition("figure: ")[2][:-1].split(" or "):
        if "(dates" not in call and "(cost" not in call:
            assert eval(f"x{call}", {"x": SCORES}) is not None  # noqa: S307 - what irframe says
    assert SCORES.ireval.plot("score_boxes").get_xlabel().startswith("AP")
    plt.close("all")


def test_only_misspelled_names_have_suggestions():
    assert suggested("evalaute", ["evaluate", "estimate"]) == ["evaluate"]
    assert suggested("ReadRun", ["read_run", "read_runs"]) == ["read_run"]
    assert suggested("letter", ["compare", "leaderboard"]) == []
    assert suggested([1], ["compare"]) == suggested("compare" * 9999, ["compare"]) == []


def test_public_functions_are_the_verbs_and_can_be_pickled():
    for name in {*ir.__all__} & {*ir.verbs.__all__}:
        assert getattr(ir, name) is getattr(ir.verbs, name)
    for name in ("read_run", "scorer", "evaluate"):
        function = getattr(ir, name)
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own


def test_type_errors_inside_a_function_are_not_replaced():
    refused(TypeError, "missing .* 'qrels'", lambda: ir.evaluate(RUNS))
