"""Tables and figures of the page "Comparing systems" from real runs.

Usage: python docs/real/comparing.py DATA, where DATA holds what tracks.py reads. Needs
pdflatex and pdftoppm.
"""

import subprocess
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from shown import HERE, Page, data_folder
from tracks import COVID, OFFICIAL, read_matrix, read_track

import irframe as ir

PAGE = Page("comparing")
PUBLISHED = {"t": ".0013194", "Wilcoxon, corrected, unrounded": ".0034452"}
TESTS = {
    "t": "t",
    "Wilcoxon": "wilcoxon",
    "Wilcoxon, corrected, unrounded": ir.paired.Wilcoxon(correction=True, decimals=None),
    "sign": "sign",
    "permutation": "permutation",
    "bootstrap": ir.paired.Bootstrap(samples=10_000),
    "rank sum": "ranksum",
    "Tukey HSD, all 129 runs": "tukey",
}
CORRECTIONS = {"none": None, "Holm": "holm", "Benjamini-Hochberg": "fdr_bh"}
SHOWN = ["nDCG@10", "RBP(p=0.5)", "ASL"]
LATEX = r"""\documentclass[varwidth=17cm,border=8pt]{standalone}
\usepackage{booktabs,caption}
\captionsetup{labelformat=empty}
\makeatletter\renewenvironment{table}{\def\@captype{table}\centering}{}\makeatother
\begin{document}
%s
\end{document}
"""


def one_pair(scores):
    """Write what every test says of a pair whose p-values are published."""
    pair = ["run125", "run126"]
    two = scores[scores["system"].isin(pair)]
    rows = []
    for name, test in TESTS.items():
        frame = (scores if test == "tukey" else two).ireval.compare(test)
        chosen = frame[frame["system_a"].isin(pair) & frame["system_b"].isin(pair)]
        rows.append((name, f"{chosen['p'].item():.7f}", PUBLISHED.get(name, "")))
    PAGE.table(pd.DataFrame(rows, columns=["test", "p", "published"]), "pair")


def all_pairs(scores):
    """Write how many of all pairs each test tells apart, by correction."""
    rows = []
    for name, test in TESTS.items():
        row = {"test": name}
        for correction, adjust in CORRECTIONS.items():
            if test == "tukey" and adjust:
                row[correction] = ""
                continue
            frame = scores.ireval.compare(test, adjust=adjust)
            row[correction] = f"{frame['significant'].mean():.1%}"
        rows.append(row)
    PAGE.table(rows, "tests")
    runs = scores["system"].nunique()
    PAGE.facts(runs=runs, pairs=f"{comb(runs, 2):,}")


def metrics(runs, qrels):
    """Draw what the official measures of a track make of its systems."""
    scores = runs.ireval.evaluate(qrels, list(OFFICIAL.values()), depth=1000)
    PAGE.facts(covid_pairs=f"{comb(runs['system'].nunique(), 2):,}")
    curves = scores.ireval.bootstrap_sensitivity().ireval.plot.p_value_curves()
    PAGE.figure(curves, "asl", dpi=90)
    alike = scores.ireval.agreement()
    PAGE.figure(alike.ireval.plot.agreement_map(), "metrics", dpi=90)
    tau = alike.squeeze().to_pandas()
    top, deep = tau.columns[:3], tau.columns[3:]
    PAGE.facts(
        tau_top=f"{tau.loc[top, top].min(axis=None):.2f}",
        tau_rest=f"{tau.loc[deep, top].max(axis=None):.2f}",
        tau_deep=f"{tau.loc[deep[0], deep[1]]:.2f}",
    )
    ranking = scores.ireval.plot.system_ranking(metric="nDCG@10", top=25)
    PAGE.figure(ranking, "ranking", dpi=90)
    means = scores["nDCG@10"].groupby(level=0).mean().sort_values(ascending=False)
    first, second = means.index[:2]
    topics = scores.ireval.plot.topic_differences(first, second, metric="nDCG@10")
    PAGE.figure(topics, "topics", dpi=90)
    pair = scores.loc[[first, second], ["nDCG@10"]].ireval.compare(baseline=second).iloc[0]
    PAGE.facts(difference=f"{pair['difference']:.3f}", wins=pair["wins"], losses=pair["losses"])


def table(runs, qrels):
    """Set a table of three metrics by eight systems as LaTeX, and draw it."""
    eight = runs["system"].unique()[: 8 * 8 : 8]
    scores = runs[runs["system"].isin(eight)].ireval.evaluate(qrels, SHOWN)
    latex = scores.ireval.compare(adjust="holm").ireval.styled(sort=True).to_latex()
    with TemporaryDirectory() as folder:
        Path(folder, "table.tex").write_text(LATEX % latex, encoding="utf-8")
        call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
        subprocess.run(call, cwd=folder, check=True, capture_output=True)  # noqa: S603 - of our own making
        picture = HERE / "comparing-table"
        call = ["pdftoppm", "-r", "130", "-png", "-singlefile", "table.pdf", str(picture)]
        subprocess.run(call, cwd=folder, check=True)  # noqa: S603 - as above


def main():
    """Write everything."""
    data = data_folder(__doc__)
    scores = read_matrix(data, "adhoc8_ap", "AP")
    one_pair(scores)
    all_pairs(scores)
    track = read_track(data, COVID)
    metrics(*track)
    table(*track)


if __name__ == "__main__":
    main()
