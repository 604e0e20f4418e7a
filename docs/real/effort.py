"""Tables and figures of the page "Gain at what effort?" from real runs.

Usage: python docs/real/effort.py DATA, where DATA holds robust03 and trec-covid-round1, each with
qrels.txt and runs/*.gz.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
COLLECTIONS = {"TREC 2003 Robust": "robust03", "TREC-COVID round 1": "trec-covid-round1"}
METRICS = {
    "AP": ir.AP(),
    "bpref": ir.Bpref(),
    "RBP(p=0.8)": ir.RBP(p=0.8),
    "nDCG": ir.nDCG(gain={1: 5, 2: 10}, discount="jk", base=10),
    "Twist": ir.Twist(),
}
KINDS = ["ideal", "worst", "full scale", "excellent", "typical A", "typical B"]
RULES = {"sign change": "sign_change", "as printed": "definition", "software": "matters"}


def read_cube(folder):
    """Return the cube of a collection."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    return runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), depth=1000)


def write_table(rows, name):
    """Write rows as a Markdown table."""
    frame = pd.DataFrame(rows)
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"effort-{name}.md").write_text(text, encoding="utf-8")


def archetypes(cubes):
    """Write the shares of the kinds of curves, by collection and rule."""
    rows = []
    for name, cube in cubes.items():
        for word, rule in RULES.items():
            shares = cube.ireval.misplacement(crossing=rule).ireval.archetypes().iloc[0]
            row = {"collection": name, "crossing": word, "rankings": int(shares["total"])}
            rows.append(row | {kind: f"{shares[kind]:.2%}" for kind in KINDS})
    write_table(rows, "archetypes")


def correlations(scores):
    """Write Kendall's tau over the best three quarters of the systems."""
    rows = []
    for name, array in scores.items():
        best = array.ireval.select_top(metric="AP")
        tau = best.ireval.agreement().isel(depth=0).to_pandas()
        for metric in ("AP", "Twist"):
            row = {"": f"{metric} ({name}, {best.sizes['system']} systems)"}
            rows.append(
                row | {m: f"{t:.4f}" if m != metric else "" for m, t in tau[metric].items()}
            )
    write_table(rows, "tau")


def cells(scores):
    """Write the shares of the regions, and draw one plot."""
    rows = []
    for name, array in scores.items():
        share = array.ireval.effort_gain()["share"].to_pandas()
        for metric, row in share.iterrows():
            shares = {region: f"{value:.1%}" for region, value in row.items()}
            rows.append({"collection": name, "gain": metric} | shares)
    write_table(rows, "cells")
    drawn = scores["TREC-COVID round 1"].ireval.effort_gain()
    figure = drawn.ireval.plot.effort_gain(metric="AP").figure
    figure.savefig(HERE / "effort-cells.png", dpi=80)


def curves(cube, scores):
    """Draw four rankings of like, high gain, from huge to low effort."""
    gain, effort = (scores.sel(metric=name)[..., 0].to_numpy() for name in ("nDCG", "Twist"))
    like = np.abs(gain - np.nanquantile(gain, 0.95)) < 0.02
    order = np.argsort(np.where(like, effort, np.nan), axis=None)[: like.sum()]
    chosen = order[np.linspace(0, len(order) - 1, 4).astype(int)]
    moved = cube.ireval.misplacement()
    dcg = cube.ireval.score(ir.DCG(gain={1: 5, 2: 10}, discount="jk", base=10))
    _, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for ax, place in zip(axes.flat, chosen, strict=True):
        row, column = np.unravel_index(place, gain.shape)
        system, topic = cube["system"][row].item(), cube["topic"][column].item()
        moved.ireval.plot.crp_and_gain(dcg, system=system, topic=topic, ax=ax)
        ax.set_title(f"{ax.get_title()}, nDCG {gain[row, column]:.2f}", fontsize=10)
        ax.figure.axes[-1].set_ylabel("DCG (dashed)")
    ax.figure.savefig(HERE / "effort-curves.png", dpi=75)


def main():
    """Write everything beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the collections")
    folder = parser.parse_args().data
    mpl.use("agg")
    cubes = {name: read_cube(folder / place) for name, place in COLLECTIONS.items()}
    scores = {
        name: cube.ireval.score(*METRICS.values(), at=1000).assign_coords(metric=list(METRICS))
        for name, cube in cubes.items()
    }
    archetypes(cubes)
    correlations(scores)
    cells(scores)
    curves(cubes["TREC 2003 Robust"], scores["TREC 2003 Robust"])


if __name__ == "__main__":
    main()
