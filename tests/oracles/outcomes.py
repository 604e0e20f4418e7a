"""Reference implementations of outcomes (Lin et al. 2021, doi:10.1145/3404835.3463034).

The oracles are loops over queries and calls of scipy. A rank is None if the relevant document is
not returned.
"""

import math
import warnings
from statistics import fmean

from scipy import stats


def within(ranks, k):
    """Return the ranks; ranks past the cutoff become None."""
    return [rank if rank is not None and rank <= k else None for rank in ranks]


def reciprocal_ranks(ranks):
    """Return RR of every query: 0 without an answer."""
    return [0.0 if rank is None else 1 / rank for rank in ranks]


def rank_sum_p(a, b):
    """Return the p-value of Wilcoxon's rank-sum test.

    The p-value uses the normal approximation with corrections for ties and continuity.
    """
    if len({*a, *b}) == 1:
        return 1.0
    return float(stats.mannwhitneyu(a, b, use_continuity=True, method="asymptotic").pvalue)


def signed_rank_p(a, b):
    """Return the p-value of Wilcoxon's signed-rank test.

    Differences of 0 are dropped. The p-value uses the normal approximation with a correction for
    ties.
    """
    differences = [round(y - x, 12) for x, y in zip(a, b, strict=True) if round(y - x, 12)]
    if not differences:
        return 1.0
    return float(stats.wilcoxon(differences, method="asymptotic", correction=False).pvalue)


def t_p(a, b):
    """Return the p-value of Student's paired t-test."""
    differences = {round(y - x, 12) for x, y in zip(a, b, strict=True)}
    if len(a) < 2 or differences == {0}:
        return 1.0
    if len(differences) == 1:
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_rel(a, b).pvalue)


def outcome(a, b):
    """Return the outcome of a query."""
    if a is None and b is None:
        return "neither"
    if b is None:
        return "a_only"
    return "b_only" if a is None else "both"


def breakdown(ranks_a, ranks_b, k):
    """Return one row of Tables 1 and 2."""
    a, b = within(ranks_a, k), within(ranks_b, k)
    rr_a, rr_b = reciprocal_ranks(a), reciprocal_ranks(b)
    named = [outcome(x, y) for x, y in zip(a, b, strict=True)]
    both = [(x, y) for x, y, name in zip(a, b, named, strict=True) if name == "both"]
    row = {
        "n_topics": len(a),
        "mrr_a": fmean(rr_a),
        "mrr_b": fmean(rr_b),
        "delta": fmean(rr_b) - fmean(rr_a),
        "p_ranksum": rank_sum_p(rr_a, rr_b),
        "p_wilcoxon": signed_rank_p(rr_a, rr_b),
        "p_t": t_p(rr_a, rr_b),
    }
    for name in ("neither", "a_only", "b_only", "both"):
        row[name] = named.count(name)
        row[f"share_{name}"] = named.count(name) / len(a)
    wins, trials = row["b_only"], row["a_only"] + row["b_only"]
    row["p_answered"] = float(stats.binomtest(wins, trials).pvalue) if trials else 1.0
    for name, value in (("esl", float), ("rr", lambda rank: 1 / rank)):
        x, y = [value(rank) for rank, _ in both], [value(rank) for _, rank in both]
        row[f"{name}_a"] = fmean(x) if both else math.nan
        row[f"{name}_b"] = fmean(y) if both else math.nan
        row[f"p_{name}_wilcoxon"] = signed_rank_p(x, y)
        row[f"p_{name}_t"] = t_p(x, y)
    return row


def verdicts(row, measure, test, alpha):
    """Return the verdicts on run b, compared with run a.

    The verdicts are better, significantly better, and do no harm.
    """
    answers_more = row["b_only"] > row["a_only"]
    answers_fewer = row["b_only"] < row["a_only"]
    gain = row["esl_a"] - row["esl_b"] if measure == "esl" else row["rr_b"] - row["rr_a"]
    ranks_higher, ranks_lower = gain > 1e-12, gain < -1e-12
    answering = row["p_answered"] < alpha
    ranking = row[f"p_{measure}_{test}"] < alpha
    better = answers_more and ranks_higher
    no_harm = (answers_more and answering and not (ranks_lower and ranking)) or (
        ranks_higher and ranking and not (answers_fewer and answering)
    )
    return better, better and answering and ranking, no_harm
