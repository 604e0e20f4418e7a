"""Tables and figures of the page "Ties" from real runs.

Usage: python docs/real/ties.py DATA, where DATA holds robust03 and trec-covid-round1,
each with qrels.txt and runs/*.gz.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
METRICS = ["RBP(p=0.8)", "nDCG@10", "P@5", "AP"]


def read(folder):
    """Read the runs and the judgments of a collection."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    return runs, ir.read_qrels(folder / "qrels.txt")


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"ties-{name}.md").write_text(text, encoding="utf-8")


def rates(collections, cubes):
    """Write tie rates, and what the order of ties does to the order of systems."""
    rows = []
    for name, (runs, qrels) in collections.items():
        means = cubes[name].ireval.tie_rates().mean("topic")
        tau = runs.ireval.tie_agreement(qrels, METRICS).squeeze("depth").to_series()
        row = {
            "collection": name,
            "runs": len(means),
            "runs with ties": int((means > 0).sum()),
            "median rate": f"{float(means.median()):.1%}",
            "highest rate": f"{float(means.max()):.0%}",
        }
        rows.append(row | {f"tau {metric}": f"{tau[metric]:.4f}" for metric in METRICS})
    write_table(pd.DataFrame(rows), "rates")


def ranges(cube, name):
    """Draw the range of AP over tie orders, and write that of the runs with the most ties."""
    found = cube.ireval.tie_ranges(*METRICS)
    deepest = found.isel(depth=-1).mean("topic")
    means = cube.ireval.tie_rates().mean("topic").to_series().sort_values(ascending=False)
    rows = []
    for system, rate in means.head(6).items():
        row = {"run": system, "tie rate": f"{rate:.0%}"}
        for metric in METRICS:
            low, high = deepest.sel(metric=metric, system=system).to_numpy()
            row[metric] = f"{low:.3f} to {high:.3f}"
        rows.append(row)
    write_table(pd.DataFrame(rows), f"ranges-{name}")
    figure, ax = plt.subplots(figsize=(8.5, 4), layout="constrained")
    found.ireval.plot.tie_bars(metric="nDCG@10", ax=ax)
    figure.savefig(HERE / f"ties-ranges-{name}.png", dpi=90)
    plt.close(figure)
    return deepest


def swaps(cubes):
    """Write how many pairs of systems the order of ties could swap."""
    rows = []
    for name, cube in cubes.items():
        pairs = cube.ireval.tie_ranges(*METRICS, at=cube.sizes["depth"]).ireval.decide()
        shares = 1 - pairs.groupby("metric")["decided"].mean()
        row = {"collection": name, "pairs": len(pairs) // len(METRICS)}
        rows.append(row | {metric: f"{shares[metric]:.1%}" for metric in METRICS})
    write_table(pd.DataFrame(rows), "swaps")


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    collections = {
        "TREC 2003 Robust": read(data / "robust03"),
        "TREC-COVID round 1": read(data / "trec-covid-round1"),
    }
    cubes = {name: ir.cube(*track) for name, track in collections.items()}
    rates(collections, cubes)
    ranges(cubes["TREC 2003 Robust"], "robust")
    ranges(cubes["TREC-COVID round 1"], "covid")
    swaps(cubes)


if __name__ == "__main__":
    main()
