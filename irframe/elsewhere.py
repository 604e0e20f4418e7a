"""What other tools call things, and what an error suggests for it."""

import difflib
import inspect
import re
from collections.abc import Iterable, Mapping
from functools import cache, wraps
from typing import Any

NEAR = 0.85
"""How alike two names are, as difflib has it, of which one is a slip of the other."""

LONGEST = 60
"""Characters of a name up to which it may be a slip of another."""

_TABLE = """
AP: average_precision_score retrieval_average_precision retrieval_map mapk apk map_score mean_ap
AP: avg_prec label_ranking_average_precision_score ap_score avep
Bpref: binary_preference
Compat: compatibility
DCG: dcg_score discounted_cumulative_gain dcg_at_k cumulative_gain
ERR: expected_reciprocal_rank err_score
F: f1_score f_measure f_score fbeta_score f_beta
InfAP: inferred_ap
Judged: judged_rate hole unjudged
P: precision_score precision_at_k p_at_k prec retrieval_precision
RBP: rank_biased_precision
RR: mrr_score retrieval_mrr reciprocal_rank_score mrr_at_k
Recall: recall_score recall_at_k r_at_k retrieval_recall sensitivity tpr
Rprec: retrieval_r_precision r_prec precision_at_r
Success: hits_at_k hit_ratio hit_rate_at_k has_hit retrieval_hit_rate hit top_k_accuracy_score
alpha_nDCG: andcg alpha_ndcg_score
nDCG: ndcg_score ndcg_at_k retrieval_normalized_dcg normalized_discounted_cumulative_gain
nDCG: normalised_dcg normalised_discounted_cumulative_gain
adjust: correction corrections p_adjust p_adjust_method padjust padj multipletests multicomp
adjust: correction_method multiple_comparisons multiple_testing adjustment method multiple
agreement: kendalltau kendall kendall_tau spearmanr correlation corr weightedtau rank_correlation
agreement: correlate pearsonr system_correlation tau
alpha: ci confidence confidence_level conf_level conf level sig_level significance max_p p_threshold
alpha: significance_level confidence_interval
as_qrels: qrels qrels_from_dict
as_runs: run runs run_from_dict from_dict
as_scores: from_dataframe scores from_frame
at: k ks k_values cutoff cutoffs rank_cutoff rank_cutoffs cut top_k topk top_n at_k n depths
baseline: control base base_run baselines versus against compare_to ref control_run
bootstrap: boot bootstrapping bootstrap_test
bounds: residual residuals rbp_resid resid
by: groupby group_by group stratify_by
check: validate validate_run verify verify_run lint sanity_check
compare: pvalue pvalues p_value p_values
compare: ttest ttest_rel paired_ttest paired_t_test t_test significance stat_test wtl
compare: significance_test statistical_test pairwise_tests pairwise_ttests pairwise_tukeyhsd
compare: wilcoxon tukey_hsd compare_runs compare_systems randomization_test permutation_test
components: anova anova_lm variance_components generalizability
concat: merge append stack concatenate merge_runs
condense: condensed remove_unjudged drop_unjudged
depth: k ks cutoff cut rank_cutoff top_k topk max_rank max_depth n limit max_results
diagnose: inspect health warnings sanity
discrimination: discriminative_power
evaluate: eval evaluate_run evaluate_runs calc calculate calc_aggregate iter_calc compute
evaluate: compute_metrics experiment calculate_metrics trec_eval pytrec_eval compute_measures
example_track: example load_example sample_data load_dataset get_dataset example_data toy
explain: why shap attribute_difference
fdr_bh: bh fdr benjamini_hochberg fdr_i
fdr_by: by benjamini_yekutieli fdr_n
gain: gains gain_fn gain_function dcg gain_map
holm: holm_bonferroni bonferroni_holm h
bonferroni: bonf b bonferonni
holm-sidak: hs
interval: ci_method interval_method
judge: annotate add_qrels add_labels merge_qrels
kendall: kendalltau tau kendall_tau kendalls_tau
leaderboard: rank_systems standings league_table ranking_table letters cld compact_letter_display
leave_out: leave_one_out loo
linear: log2 identity
exp: exponential exp_log2 burges
margin: alternative delta equivalence_margin rope sesoi non_inferiority noninferiority
max-t: maxt westfall_young single_step
metrics: measures measure metric eval_metrics evaluation_measures metric_names
no_rel: zero_division empty_target_action
none: no false nothing uncorrected raw
on_error: errors ignore_errors
open_cube: load_cube read_cube
order: stable as_filed
p: persistence patience rbp_p
parse_metric: parse_measure get_metric metric measure parse_trec_measure get_measure
path: file filename file_name filepath file_path fname output out
pearson: pearsonr
permutation: fisher randomization randomisation permutation_test randomization_test
pool: pooling make_pool depth_pool trecpool
pool_depth: judged_depth depth_of_pool
power: target_power
precision: digits decimals ndigits round rounding float_format
progress: verbose tqdm progress_bar show_progress progressbar
qrels: judgments judgements ground_truth gold y_true labels ground_truths
random: shuffle
ranksum: mannwhitneyu mann_whitney mann_whitney_u ranksums wilcoxon_rank_sum
read_qrels: load_qrels read_trec_qrels parse_qrels parse_qrel read_qrel load_judgments
read_run: load_run read_trec_run parse_run read_trec_results read_results from_trec load_results
read_runs: load_runs read_trec_runs parse_runs load_trec_runs
rel: relevance_level rel_level min_rel relevance_threshold rel_threshold threshold relevance
report: to_html html make_report to_report
runs: run results predictions y_score y_pred run_dict
sample: subsample downsample
samples: n_resamples n_boot nboot n_bootstrap n_iter iterations n_permutations n_samples num_samples
samples: permutations resamples random_permutations num_permutations reps n_iterations
scan_runs: lazy_read_runs scan
score: score_runs get_scores
score_boxes: boxplot box violin
score_dtype: dtype float_dtype
scorer: relevance_evaluator make_scorer evaluator
seed: random_state rng random_seed rs
select_top: nlargest top_systems
share: frac fraction proportion percent pct
sign: sign_test binomtest
simulate_track: simulate synthetic make_data fake_runs
spearman: spearmanr spearman_rho
standardise: standardize zscore z_score normalise_scores
styled: to_latex style to_styler latex pretty
summary: mean means average averages aggregate agg aggregated describe summarize summarise mean_std
summary: aggregate_scores compute_aggregated_measure compute_aggregated_metrics
system: run_name tag runtag run_id runid name system_name
t: paired ttest ttest_rel t_test paired_t paired_t_test student students_t student_t paired_ttest
tau_ap: tauap ap_tau yilmaz
test: n_boot n_bootstrap n_resamples n_permutations random_state rng
test: stat_test statistical_test test_name method significance_test hypothesis_test
ties: tie_breaking tie_break tiebreak tie_breaker break_ties tie_policy
to_pytrec_eval: to_dict to_pytrec to_beir
top: max_rel gmax max_grade max_relevance
topics: queries qids query_ids topic_ids
topics_needed: sample_size power_analysis solve_power tt_solve_power
trec: trec_eval treceval
tukey: tukeyhsd tukey_hsd hsd pairwise_tukeyhsd
weights: topic_weights query_weights sample_weight
wilcoxon: signed_rank wilcoxon_signed_rank wilcox
write_qrels: to_qrels save_qrels write_trec_qrels dump_qrels export_qrels
write_run: to_trec to_trec_run to_run save_run write_runs save_runs write_trec_run dump_run
write_run: write_results save_results to_trec_eval save_trec
"""
"""Our name of something, and those that other tools have for it."""


def _plain(name: object) -> str:
    """Return a name as it is compared: small letters and digits."""
    return re.sub(r"[\W_]", "", str(name)).lower()


@cache
def _meant() -> dict[str, list[str]]:
    """Return what every name of another tool may mean."""
    found: dict[str, list[str]] = {}
    for line in _TABLE.strip().splitlines():
        ours, _, theirs = line.partition(": ")
        for name in theirs.split():
            meant = found.setdefault(_plain(name), [])
            meant += [ours] if ours not in meant else []
    return found


def suggested(name: object, known: Iterable[str]) -> list[str]:
    """Return which known names another tool may call so, or are written as if by a slip.

    Examples
    --------
    >>> suggested("cutoff", ["at", "alpha"]), suggested("evalute", ["evaluate"])
    (['at'], ['evaluate'])
    >>> suggested("xyzzy", ["at", "alpha"])
    []
    """
    if meant := _elsewhere(name, known):
        return meant
    if not isinstance(name, str) or len(name) > LONGEST:
        return []
    others = list({_plain(each): each for each in reversed([*known]) if each != name}.values())
    alike = [each for each in others if _plain(each) == _plain(name)]
    letters = sorted(_plain(name)) if len(_plain(name)) > 3 else []
    turned = [each for each in others if sorted(_plain(each)) == letters]
    return (alike or turned or difflib.get_close_matches(name, others, 3, NEAR))[:3]


def _elsewhere(name: object, known: Iterable[str]) -> list[str]:
    if not isinstance(name, str):
        return []
    meant = _meant().get(_plain(name), [])
    found = [ours for ours in meant if ours in known and ours != name]
    resampled = not {"samples", "seed"}.isdisjoint(found)  # a test by name has its own
    return [ours for ours in found if not (resampled and ours == "test")][:3]


def suggest(name: object, known: Iterable[str] | Mapping[str, str]) -> str:
    """Return the end of an error that says what is meant; nothing where that is not clear.

    Parameters
    ----------
    name
        A name that is none of the known ones.
    known
        Those there are, perhaps with the form in which each is written.

    Examples
    --------
    >>> suggest("k", ["at", "alpha"]), suggest("alhpa", ["at", "alpha"]), suggest("zz", ["at"])
    (' (in irframe: at)', ' (did you mean alpha?)', '')
    """
    forms = known if isinstance(known, Mapping) else dict.fromkeys(known, "{}")
    found = suggested(name, forms)
    told = " or ".join(forms[each].format(each) for each in found)
    if _elsewhere(name, forms):
        return f" (in irframe: {told})"
    return f" (did you mean {told}?)" if found else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of an error that lists the three names that are the most alike, if any are.

    Examples
    --------
    >>> nearest("mrrr", ["nDCG", "RR", "ERR"]), nearest("xyzzy", ["RR"])
    (' (nearest: RR, ERR)', '')
    """
    written = {each.lower(): each for each in known}
    alike = difflib.get_close_matches(name[:LONGEST].lower(), written, 3, 0.5)
    return f" (nearest: {', '.join(written[each] for each in alike)})" if alike else ""


def unexpected(options: Iterable[str], parameters: Mapping[str, inspect.Parameter]) -> str | None:
    """Return what is wrong about the first keyword that a function does not have, if there is one.

    Examples
    --------
    >>> unexpected(["k"], inspect.signature(lambda scores, at=None: None).parameters)
    "got an unexpected keyword argument 'k' (in irframe: at)"
    """
    name = next((name for name in options if name not in parameters), None)
    if name is None:
        return None
    return f"got an unexpected keyword argument {name!r}{suggest(name, [*parameters])}"


def suggesting(home: Any, name: str, called: str) -> Any:
    """Let a function say of a keyword that it lacks what is meant.

    It takes the place of the function in its module or class, so that pickle finds it.

    Parameters
    ----------
    home, name
        What holds it, and under which name.
    called
        What it is called in errors.

    Returns
    -------
    object
        What stands there now; what is no function, or has a wrapper that says so, stays.
    """
    function = getattr(home, name)
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return function

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            wrong = unexpected(options, inspect.signature(function).parameters)
            if wrong is None:
                raise
            message = f"{called}(): {wrong}"
        raise TypeError(message)

    setattr(home, name, call)
    return call
