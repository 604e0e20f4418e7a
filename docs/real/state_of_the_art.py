"""Tables and figures of the page "Is the new state of the art better?" from real runs.

Usage: python docs/real/state_of_the_art.py DATA, where DATA holds msmarco-doc-dev with qrels.txt
and runs/*.gz.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"state-of-the-art-{name}.md").write_text(text, encoding="utf-8")


def p_text(p):
    """Return a p-value as the paper prints it."""
    return p.map(lambda value: f"{value:.2g}" if value < 0.001 else f"{value:.4f}")


def naive(summary):
    """Write differences of MRR and their tests, the shape of Table 1."""
    columns = {"b": summary["system_b"], "MRR": summary["mrr_b"].map("{:.5f}".format)}
    columns["delta"] = summary["delta"].map("{:+.4f}".format)
    for name, column in {"rank sum": "ranksum", "signed rank": "wilcoxon", "t": "t"}.items():
        columns[f"p, {name}"] = p_text(summary[f"p_{column}"])
    write_table(pd.DataFrame(columns), "naive")


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
    write_table(pd.DataFrame(columns), "breakdown")


def verdicts(summary):
    """Write the verdicts with their parts, corrected for the number of comparisons."""
    words = {-1: "a", 0: "-", 1: "b"}
    parts = {"b": summary["system_b"]}
    for name, text in {"answered": "answers more", "ranked": "ranks higher"}.items():
        star = summary[f"{name}_significant"].map({True: "*", False: ""})
        parts[text] = summary[name].map(words) + star
    for name in ("better", "significantly_better", "no_harm"):
        parts[name.replace("_", " ")] = summary[name].map({True: "yes", False: "no"})
    write_table(pd.DataFrame(parts), "verdicts")


def main():
    """Write everything beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the collections")
    folder = parser.parse_args().data / "msmarco-doc-dev"
    mpl.use("agg")
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")), system="file")
    qrels = ir.read_qrels(folder / "qrels.txt")
    found = runs.ireval.outcomes(qrels, baseline="bm25", depth=10, adjust="bonferroni")
    print("MRR of bm25", round(found.summary.loc[0, "mrr_a"], 5))  # noqa: T201 - a script reports
    naive(found.summary)
    breakdown(found.summary)
    verdicts(found.summary)
    turned = runs.ireval.outcomes(qrels, baseline="bm25+rm3", systems="bm25", depth=10)
    turned = turned.summary.iloc[0]
    print(turned[["significantly_better", "no_harm"]].to_dict())  # noqa: T201
    shares = found.summary.ireval.plot.outcome_shares()
    shares.figure.savefig(HERE / "state-of-the-art-shares.png", dpi=90)
    scatter = found.queries.ireval.plot.rank_scatter(b="bm25+rm3")
    scatter.figure.savefig(HERE / "state-of-the-art-ranks.png", dpi=90)


if __name__ == "__main__":
    main()
