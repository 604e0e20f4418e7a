"""Tables and figures of the page "Is the new state of the art better?" from real runs.

Usage: python docs/real/state_of_the_art.py DATA, where DATA holds msmarco-doc-dev with qrels.txt
and runs/*.gz.
"""

from shown import Page, data_folder
from tracks import read_folder

import irframe as ir

PAGE = Page("state-of-the-art")


def p_text(p):
    """Return a p-value as the paper prints it."""
    return p.map(lambda value: f"{value:.2g}" if value < 0.001 else f"{value:.4f}")


def naive(summary):
    """Write differences of MRR and their tests, the shape of Table 1."""
    columns = {"b": summary["system_b"], "MRR": summary["mrr_b"].map("{:.5f}".format)}
    columns["delta"] = summary["delta"].map("{:+.4f}".format)
    for name, column in {"rank sum": "ranksum", "signed rank": "wilcoxon", "t": "t"}.items():
        columns[f"p, {name}"] = p_text(summary[f"p_{column}"])
    PAGE.table(columns, "naive")


def breakdown(summary):
    """Write counts, means and tests by outcome, the shape of Table 2."""
    columns = {"b": summary["system_b"], "delta": summary["delta"].map("{:+.4f}".format)}
    for name in ("neither", "a_only", "b_only", "both"):
        columns[name.replace("_", " ")] = summary[name]
    columns["p, answered"] = p_text(summary["p_answered"])
    for name in ("esl", "rr"):
        for side in "ab":
            form = "{:.2f}" if name == "esl" else "{:.4f}"
            columns[f"{name.upper()} {side}"] = summary[f"{name}_{side}"].map(form.format)
        columns[f"p, {name.upper()} signed rank"] = p_text(summary[f"p_{name}_wilcoxon"])
        columns[f"p, {name.upper()} t"] = p_text(summary[f"p_{name}_t"])
    PAGE.table(columns, "breakdown")


def verdicts(summary):
    """Write the verdicts with their parts, corrected for the number of comparisons."""
    winners = {-1: "a", 0: "-", 1: "b"}
    columns = {"b": summary["system_b"]}
    for name, text in {"answered": "answers more", "ranked": "ranks higher"}.items():
        star = summary[f"{name}_significant"].map({True: "*", False: ""})
        columns[text] = summary[name].map(winners) + star
    for name in ("better", "significantly_better", "no_harm"):
        columns[name.replace("_", " ")] = summary[name].map({True: "yes", False: "no"})
    PAGE.table(columns, "verdicts")


def facts(summary):
    """Say what the text tells of three runs."""
    rows = summary.set_index("system_b")
    higher = rows[rows["delta"] > 0]
    split, behind = rows.loc["wordnet_all"], rows.loc["bm25+rm3"]
    tests = {name: split[f"p_{name}"] for name in ("ranksum", "wilcoxon", "t", "answered")}
    PAGE.facts(
        mrr=f"{rows['mrr_a'].iloc[0]:.5f}",
        higher=" and ".join(f"`{name}`" for name in higher.index),
        higher_by=f"{higher['delta'].max():.4f}",
        **{f"split_p_{name}": f"{p:.2g}" for name, p in tests.items()},
        split_lost=split["a_only"],
        split_found=split["b_only"],
        behind_found=behind["b_only"],
        behind_lost=behind["a_only"],
        behind_by=f"{behind['esl_b'] - behind['esl_a']:.2f}",
    )


def main():
    """Write everything beside this script."""
    runs, qrels = read_folder(data_folder(__doc__) / "msmarco-doc-dev", system="file")
    outcomes = runs.ireval.outcomes(
        qrels, baseline="bm25", depth=10, test=ir.Significance(adjust="bonferroni")
    )
    facts(outcomes.summary)
    naive(outcomes.summary)
    breakdown(outcomes.summary)
    verdicts(outcomes.summary)
    PAGE.figure(outcomes.summary.ireval.plot.outcome_shares(), "shares", dpi=90)


if __name__ == "__main__":
    main()
