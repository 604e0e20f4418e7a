"""Tables and figures of the page "Comparing systems" from real runs.

Usage: python docs/real/comparing.py DATA, where DATA holds score-matrices/adhoc8_*.csv (topics by
systems) and trec-covid-round1 with qrels.txt and runs/*.gz. Needs pdflatex and pdftoppm.
"""

import argparse
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
PUBLISHED = {"t": ".0013194", "Wilcoxon, corrected, unrounded": ".0034452"}
TESTS = {
    "t": "t",
    "Wilcoxon": "wilcoxon",
    "Wilcoxon, corrected, unrounded": ir.Wilcoxon(correction=True, decimals=None),
    "sign": "sign",
    "permutation": "permutation",
    "bootstrap": ir.Bootstrap(samples=10_000),
    "rank sum": "ranksum",
    "Tukey HSD, all 129 runs": "tukey",
}
CORRECTIONS = {"none": None, "Holm": "holm", "Benjamini-Hochberg": "fdr_bh"}
SHOWN = ["nDCG@10", "RBP(p=0.5)", "ASL"]
PAGE = r"""\documentclass[varwidth=17cm,border=8pt]{standalone}
\usepackage{booktabs,caption}
\captionsetup{labelformat=empty}
\makeatletter\renewenvironment{table}{\def\@captype{table}\centering}{}\makeatother
\begin{document}
%s
\end{document}
"""
OFFICIAL = ["nDCG@10", "P@5", "RBP(p=0.5, gain='linear')", "Bpref", "AP"]


def read_matrix(path, metric):
    """Read topics by systems as a long frame of scores."""
    topics = pd.Index([str(number) for number in range(401, 451)], name="topic")
    table = pd.read_csv(path).set_axis(topics)
    long = table.melt(ignore_index=False, var_name="system").reset_index()
    return long.assign(measure=metric)


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"comparing-{name}.md").write_text(text, encoding="utf-8")


def save(ax, name):
    """Write a figure."""
    ax.get_figure().savefig(HERE / f"comparing-{name}.png", dpi=90)
    plt.close(ax.get_figure())


def one_pair(scores):
    """Write what every test says of a pair whose p-values are published."""
    pair = ["run125", "run126"]
    two = scores[scores["system"].isin(pair)]
    rows = []
    for name, test in TESTS.items():
        frame = (scores if test == "tukey" else two).ireval.compare(test)
        chosen = frame[frame["system_a"].isin(pair) & frame["system_b"].isin(pair)]
        rows.append((name, f"{chosen['p'].item():.7f}", PUBLISHED.get(name, "")))
    write_table(pd.DataFrame(rows, columns=["test", "p", "published"]), "pair")


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
    write_table(pd.DataFrame(rows), "tests")


def metrics(runs, qrels):
    """Draw what the official measures of a track make of its systems."""
    scores = runs.ireval.evaluate(qrels, OFFICIAL, depth=1000)
    save(scores.ireval.discriminative_power().ireval.plot.p_value_curves(), "asl")
    save(scores.ireval.agreement().ireval.plot.agreement_map(), "metrics")
    save(scores.ireval.plot.system_ranking(metric="nDCG@10", top=25), "ranking")
    means = scores["nDCG@10"].groupby(level=0).mean().sort_values(ascending=False)
    first, second = means.index[:2]
    save(scores.ireval.plot.topic_differences(first, second, metric="nDCG@10"), "topics")


def table(runs, qrels):
    """Set a table of three metrics by eight systems as LaTeX, and draw it."""
    eight = runs["system"].unique()[: 8 * 8 : 8]
    scores = runs[runs["system"].isin(eight)].ireval.evaluate(qrels, SHOWN)
    latex = scores.ireval.compare(adjust="holm").ireval.styled(sort=True).to_latex()
    with TemporaryDirectory() as folder:
        Path(folder, "table.tex").write_text(PAGE % latex, encoding="utf-8")
        call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
        subprocess.run(call, cwd=folder, check=True, capture_output=True)  # noqa: S603 - of our own making
        picture = HERE / "comparing-table"
        call = ["pdftoppm", "-r", "130", "-png", "-singlefile", "table.pdf", str(picture)]
        subprocess.run(call, cwd=folder, check=True)  # noqa: S603 - as above


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    scores = read_matrix(data / "score-matrices" / "adhoc8_ap.csv", "AP")
    one_pair(scores)
    all_pairs(scores)
    covid = data / "trec-covid-round1"
    runs = ir.read_runs(sorted((covid / "runs").glob("*.gz")))
    qrels = ir.read_qrels(covid / "qrels.txt")
    metrics(runs, qrels)
    table(runs, qrels)


if __name__ == "__main__":
    main()
