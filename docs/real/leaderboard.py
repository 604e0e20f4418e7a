"""Tables and figures of the page about the paper on the MS MARCO leaderboard.

Usage: python docs/real/leaderboard.py DATA, where DATA holds msmarco-doc-dev with qrels.txt and
runs/*.gz.
"""

from shown import Page, data_folder
from tracks import read_folder

import irframe as ir

page = Page("leaderboard")


def p_text(p):
    """Return p-values as the paper prints them."""
    return [f"{value:.2E}" if value < 0.0001 else f"{value:.6f}" for value in p]


def share(fraction):
    """Return shares as the paper prints them."""
    return [f"{value:.0%}" for value in fraction]


def naive(summary, names):
    """Table 1: tests of MRR over all queries."""
    columns = {
        "A": names["a"],
        "B": names["b"],
        "Δ": [f"{value:.4f}" for value in summary["delta"]],
    }
    for title, column in {"WRS p": "ranksum", "WSR p": "wilcoxon", "t-test p": "t"}.items():
        columns[title] = p_text(summary[f"p_{column}"])
    page.table(columns, "naive")


def breakdown(summary, names):
    """Table 2, in two parts: who answers, and who ranks higher."""
    columns = {"A": names["a"], "B": names["b"], "(1)": share(summary["share_neither"])}
    columns["(2) A wins"] = share(summary["share_a_only"])
    columns["(2) B wins"] = share(summary["share_b_only"])
    columns["(3)"] = share(summary["share_both"])
    columns["sign test p of (2)"] = p_text(summary["p_answered"])
    page.table(columns, "answered")
    for name, form in {"esl": "{:.2f}", "rr": "{:.4f}"}.items():
        columns = {"A": names["a"], "B": names["b"]}
        for side in "ab":
            title = f"{side.upper()} {name.upper()}"
            columns[title] = summary[f"{name}_{side}"].map(form.format)
        columns["WSR p"] = p_text(summary[f"p_{name}_wilcoxon"])
        columns["t-test p"] = p_text(summary[f"p_{name}_t"])
        page.table(columns, f"ranked-{name}")


def verdicts(summary, names):
    """Write the verdicts of Section 5 with their parts."""
    winners = {-1: "A", 0: "-", 1: "B"}
    columns = {"A": names["a"], "B": names["b"]}
    for criterion, title in {"answered": "answers more", "ranked": "lower ESL"}.items():
        star = summary[f"{criterion}_significant"].map({True: " *", False: ""})
        columns[title] = summary[criterion].map(winners) + star
    for name in ("better", "significantly_better", "no_harm"):
        columns[name.replace("_", " ")] = summary[name].map({True: "yes", False: "no"})
    page.table(columns, "verdicts")
    page.facts(
        comparisons=len(summary),
        better=int(summary["better"].sum()),
        significantly_better=int(summary["significantly_better"].sum()),
        no_harm=int(summary["no_harm"].sum()),
    )


def scales(summary):
    """Write how often ESL and RR, on the queries both runs answer, say different things."""
    rows = []
    for test, title in {"wilcoxon": "signed rank", "t": "t"}.items():
        for end, correction in {"": "none", "_adjusted": "Bonferroni"}.items():
            esl = summary[f"p_esl_{test}{end}"] < 0.05
            rr = summary[f"p_rr_{test}{end}"] < 0.05
            saved = summary["esl_a"] - summary["esl_b"]
            against = saved * (summary["rr_b"] - summary["rr_a"]) < 0
            row = {"test": title, "correction": correction, "both": int((esl & rr).sum())}
            row |= {"ESL only": int((esl & ~rr).sum()), "RR only": int((rr & ~esl).sum())}
            row |= {"neither": int((~esl & ~rr).sum()), "means disagree": int(against.sum())}
            rows.append(row)
    page.table(rows, "scales")
    page.facts(pairs=len(summary))


def series(summary, names):
    """Write each run against the best before it."""
    columns = {"A": names["a"], "B": names["b"], "Δ": summary["delta"].map("{:.4f}".format)}
    columns["p of (2)"] = p_text(summary["p_answered"])
    sides = zip(summary["esl_a"], summary["esl_b"], strict=True)
    columns["ESL A, B"] = [f"{a:.2f}, {b:.2f}" for a, b in sides]
    columns["WSR p"] = p_text(summary["p_esl_wilcoxon"])
    for name in ("better", "no_harm"):
        columns[name.replace("_", " ")] = summary[name].map({True: "yes", False: "no"})
    page.table(columns, "series")
    page.facts(
        steps=len(summary),
        steps_better=int(summary["better"].sum()),
        steps_significantly_better=int(summary["significantly_better"].sum()),
        steps_no_harm=int(summary["no_harm"].sum()),
    )


def main():
    """Write everything beside this script."""
    runs, qrels = read_folder(data_folder(__doc__) / "msmarco-doc-dev", system="file")
    scores = runs.ireval.cube(qrels).ireval.score("RR@10", at=10)
    means = scores.squeeze("metric").mean("topic").to_series().sort_values(kind="stable")
    order = [str(name) for name in means.index]
    short = {name: f"R{number}" for number, name in enumerate(order, 1)}
    page.facts(
        queries=qrels["topic"].nunique(),
        runs=len(order),
        mrr=f"{means['bm25']:.5f}",
        longest=int(runs.groupby(["system", "topic"]).size().max()),
        relevant=int((qrels["grade"] > 0).groupby(qrels["topic"]).sum().max()),
        bm25=short["bm25"],
        reciprocal_esl=f"{1 / means['bm25']:.1f}",
    )
    page.table(
        {"": [short[name] for name in order], "run": order, "MRR@10": means.map("{:.5f}".format)},
        "runs",
    )
    summary = runs.ireval.outcomes(
        qrels,
        baseline=order[0],
        systems=order[1:],
        depth=10,
        test=ir.Significance(adjust="bonferroni"),
    ).summary
    names = {side: summary[f"system_{side}"].map(short) for side in "ab"}
    naive(summary, names)
    breakdown(summary, names)
    verdicts(summary, names)
    labelled = summary.assign(system_a=names["a"], system_b=names["b"])
    page.figure(labelled.ireval.plot.outcome_shares(), "shares")
    steps = runs.ireval.outcomes(
        qrels, order=order, depth=10, test=ir.Significance(adjust="bonferroni")
    ).summary
    series(steps, {side: steps[f"system_{side}"].map(short) for side in "ab"})
    scales(runs.ireval.outcomes(qrels, depth=10, test=ir.Significance(adjust="bonferroni")).summary)


if __name__ == "__main__":
    main()
