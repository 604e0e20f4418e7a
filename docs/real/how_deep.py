"""Tables and figures of the page "How deep should I evaluate?" from real runs.

Usage: python docs/real/how_deep.py DATA, where DATA holds robust03 and trec-covid-round1, each
with qrels.txt and runs/*.gz, and trec-covid-round1/leaderboard.csv.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr

import irframe as ir
from irframe.plots.canvas import legend_beside, mark_depth

HERE = Path(__file__).parent
REFERENCE = 10
DEPTHS = [1, 4, 10, 40, 100, 400, 1000]
TABLE = ["AP(norm='min')", "Q", "RBP(p=0.95)", "RR", "ERR", "RBP(p=0.8)"]
MAPS = ["AP(norm='min')", "nDCG", "ERR", "RBP(p=0.95)"]


def read_scores(folder, systems=None):
    """Score a collection at every depth, or some of its systems."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    if systems is not None:
        runs = runs[runs["system"].isin(systems)]
    cube = runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), depth=1000)
    return cube.ireval.score(*dict.fromkeys([*TABLE, *MAPS]))


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"how-deep-{name}.md").write_text(text, encoding="utf-8")


def save(figure, name):
    """Write a figure."""
    figure.savefig(HERE / f"how-deep-{name}.png", dpi=90)
    plt.close(figure)


def ratios(scores):
    """Write discrimination, coverage and inversion ratios of six metrics."""
    chosen = scores.sel(metric=TABLE)
    found = {
        "D": chosen.ireval.discrimination(at=DEPTHS),
        "C": chosen.ireval.coverage(REFERENCE, at=DEPTHS),
        "I": chosen.ireval.inversions(REFERENCE, at=DEPTHS),
    }
    for number, metrics in enumerate((TABLE[:3], TABLE[3:])):
        rows = {"k": DEPTHS}
        for metric in metrics:
            for name, values in found.items():
                percent = 100 * values.sel(metric=metric).to_numpy()
                rows[f"{metric} {name}"] = [f"{value:.1f}" for value in percent]
        write_table(pd.DataFrame(rows), f"ratios-{number + 1}")


def with_reference(values, ax):
    """Draw curves by depth, and where the reference is."""
    values.ireval.plot.ratio_curves(ax=ax, pool_depth=0)
    mark_depth(ax, REFERENCE, "reference")
    legend_beside(ax)


def panes(collections):
    """Draw six ways of measuring how nDCG depends on depth."""
    quantities = {
        "median p-value": lambda s: s.ireval.median_p(),
        "discrimination ratio": lambda s: s.ireval.discrimination(),
        "coverage ratio": lambda s: s.ireval.coverage(REFERENCE),
        "inversion ratio": lambda s: s.ireval.inversions(REFERENCE),
        "Kendall's tau": lambda s: s.ireval.agreement(REFERENCE),
        "Pearson's r": lambda s: s.ireval.agreement(REFERENCE, "pearson"),
    }
    names = pd.Index(collections, name="collection")
    curves = {}
    for name, measure in quantities.items():
        parts = [measure(scores.sel(metric=["nDCG"]))[0] for scores in collections.values()]
        joined = xr.concat(parts, dim=names, combine_attrs="drop_conflicts")
        curves[name] = joined.rename(name)
    axes = ir.plots.panes(curves, with_reference, figsize=(11, 5.6))
    save(axes[0].figure, "panes")


def maps(scores):
    """Draw volatility matrices, and write what they come to."""
    matrices = scores.sel(metric=MAPS).ireval.volatility(at=range(1, 51))
    figure, axes = plt.subplots(2, 2, figsize=(9.4, 8), layout="constrained")
    for ax, metric in zip(axes.flat, MAPS, strict=True):
        matrices.ireval.plot.volatility_map(metric=metric, ax=ax)
    save(figure, "volatility")
    found = matrices.ireval.stability()
    rows = {
        "metric": MAPS,
        "stable from depth": [f"{depth:.0f}" for depth in found["stable_depth"].to_numpy()],
        "share above 0.9": [f"{share:.0%}" for share in found["share_above"].to_numpy()],
        "lowest tau": [f"{low:.2f}" for low in matrices.min(["depth", "depth_other"]).to_numpy()],
    }
    write_table(pd.DataFrame(rows), "stability")


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    board = pd.read_csv(data / "trec-covid-round1" / "leaderboard.csv")
    pooled = board.loc[board["contributed judgments"] == "yes", "run"]
    covid = read_scores(data / "trec-covid-round1", pooled)
    robust = read_scores(data / "robust03")
    ratios(covid)
    maps(covid)
    panes({"TREC-COVID round 1": covid, "TREC 2003 Robust": robust})


if __name__ == "__main__":
    main()
