"""Tables and figures of the page "How many topics?" from real runs.

Usage: python docs/real/how_many.py DATA, where DATA holds robust03 and trec-covid-round1, each with
qrels.txt and runs/*.gz, and trec-covid-round1/leaderboard.csv.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
METRICS = ["P", "AP(norm='min')", "nDCG", "RBP(p=0.8)", "RR"]
DEPTHS = [10, 100]


def read(folder, contributing, pool_depth=None):
    """Build the cube of a track."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    qrels = ir.read_qrels(folder / "qrels.txt")
    return runs.ireval.cube(qrels, contributing=contributing, pool_depth=pool_depth)


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"how-many-{name}.md").write_text(text, encoding="utf-8")


def save(figure, name):
    """Write a figure."""
    figure.savefig(HERE / f"how-many-{name}.png", dpi=80)
    plt.close(figure)


def variances(scores):
    """Write where variance comes from, and how reliable the collections are."""
    rows = []
    for track, array in scores.items():
        found = array.ireval.components(at=10)
        for metric in METRICS:
            here = found.sel(metric=metric).squeeze()
            row = {"track": track, "metric": f"{metric}@10"}
            for source in found["component"].to_numpy():
                row[source] = f"{here['share'].sel(component=source).item():.0%}"
            for name, title in (("erho2", "Erho^2"), ("phi", "Phi")):
                ends = (here[name + end].item() for end in ("", "_low", "_high"))
                row[title] = "{:.2f} ({:.2f} to {:.2f})".format(*ends)
            rows.append(row)
    write_table(pd.DataFrame(rows), "variances")


def needed(scores):
    """Write how many topics each question needs, and draw it by depth."""
    asked = {
        "difference 0.05": {"difference": 0.05},
        "width 0.1": {"width": 0.1},
        "Erho^2 0.95": {"erho2": 0.95},
        "Phi 0.95": {"phi": 0.95},
    }
    found = {
        name: scores.ireval.topics_needed(**question, at=DEPTHS)["topics"]
        for name, question in asked.items()
    }
    rows = [
        {"metric": f"{metric}@{depth}"}
        | {
            name: f"{each.sel(metric=metric, depth=depth).item():.0f}"
            for name, each in found.items()
        }
        for metric in METRICS
        for depth in DEPTHS
    ]
    write_table(pd.DataFrame(rows), "topics")
    topics = scores.ireval.topics_needed(difference=0.05)["topics"]
    ax = topics.ireval.plot.ratio_curves()
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("topics for a difference of 0.05")
    save(ax.figure, "curves")


def costs(cube):
    """Draw topics against depth at equal cost."""
    found = cube.ireval.budget(
        "AP", "RBP(p=0.8)", overhead=20, judgments=[5000, 10000, 20000, 40000]
    )
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for ax, metric in zip(axes, found["metric"].to_numpy(), strict=True):
        found.ireval.plot.equal_cost(metric=metric, ax=ax)
    save(figure, "equal-cost")


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    board = pd.read_csv(data / "trec-covid-round1" / "leaderboard.csv")
    pooled = board.loc[board["contributed judgments"] == "yes", "run"]
    covid = read(data / "trec-covid-round1", pooled)
    robust = read(data / "robust03", None, pool_depth=100)
    scores = {
        "TREC-COVID round 1": covid.ireval.score(*METRICS),
        "TREC 2003 Robust": robust.ireval.score(*METRICS),
    }
    variances(scores)
    needed(scores["TREC 2003 Robust"])
    costs(robust)


if __name__ == "__main__":
    main()
