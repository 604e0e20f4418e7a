"""Tables and figures of the page "Gain at what effort?" from real runs.

Usage: python docs/real/effort.py DATA, where DATA holds what tracks.py reads.
"""

import matplotlib.pyplot as plt
import numpy as np
from shown import Page, data_folder
from tracks import COVID, ROBUST, TRACKS, read_cube

import irframe as ir

PAGE = Page("effort")
METRICS = {
    "AP": ir.metrics.AP(),
    "bpref": ir.metrics.Bpref(),
    "RBP(p=0.8)": ir.metrics.RBP(p=0.8),
    "nDCG": ir.metrics.nDCG(gain={1: 5, 2: 10}, discount="jk", base=10),
    "Twist": ir.metrics.Twist(),
}
KINDS = ["ideal", "worst", "full scale", "excellent", "typical A", "typical B"]
RULES = {"sign change": "sign_change", "as printed": "definition", "software": "matters"}


def archetypes(cubes):
    """Write the shares of the kinds of curves, by collection and rule."""
    rows, printed = [], []
    for name, cube in cubes.items():
        for word, rule in RULES.items():
            shares = cube.ireval.misplacement(crossing=rule).ireval.archetypes().iloc[0]
            if word == "as printed":
                printed.append(shares["excellent"])
            row = {"collection": name, "crossing": word, "rankings": int(shares["total"])}
            rows.append(row | {kind: f"{shares[kind]:.2%}" for kind in KINDS})
    PAGE.table(rows, "archetypes")
    PAGE.facts(printed_low=f"{min(printed):.0%}", printed_high=f"{max(printed):.0%}")


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
    PAGE.table(rows, "tau")


def cells(scores):
    """Write the shares of the regions, and draw one plot."""
    rows = []
    for name, array in scores.items():
        share = array.ireval.effort_gain()["share"].to_pandas()
        for metric, row in share.iterrows():
            shares = {region: f"{value:.1%}" for region, value in row.items()}
            rows.append({"collection": name, "gain": metric} | shares)
    PAGE.table(rows, "cells")
    drawn = scores[COVID].ireval.effort_gain()
    PAGE.figure(drawn.ireval.plot.effort_gain(metric="AP"), "cells")
    rankings = scores[COVID].sizes["system"] * scores[COVID].sizes["topic"]
    PAGE.facts(rankings=f"{rankings:,}")


def curves(cube, scores):
    """Draw four rankings of like, high gain, from huge to low effort."""
    gain, effort = (scores.sel(metric=name)[..., 0].to_numpy() for name in ("nDCG", "Twist"))
    like = np.abs(gain - np.nanquantile(gain, 0.95)) < 0.02
    order = np.argsort(np.where(like, effort, np.nan), axis=None)[: like.sum()]
    chosen = order[np.linspace(0, len(order) - 1, 4).astype(int)]
    moved = cube.ireval.misplacement()
    dcg = cube.ireval.score(ir.metrics.DCG(gain={1: 5, 2: 10}, discount="jk", base=10))
    _, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for ax, place in zip(axes.flat, chosen, strict=True):
        row, column = np.unravel_index(place, gain.shape)
        system, topic = cube["system"][row].item(), cube["topic"][column].item()
        moved.ireval.plot.crp_and_gain(dcg, system=system, topic=topic, ax=ax)
        ax.set_title(f"{ax.get_title()}, nDCG {gain[row, column]:.2f}", fontsize=10)
        ax.figure.axes[-1].set_ylabel("DCG (dashed)")
    PAGE.figure(ax, "curves", dpi=75)
    last = moved.sel(system=system, topic=topic)
    base = int(last["recall_base"])
    crp = last["crp"].to_numpy()
    back = 1 + np.flatnonzero(crp > 0)[0]
    PAGE.facts(
        ndcg_low=f"{gain.flat[chosen].min():.2f}",
        ndcg_high=f"{gain.flat[chosen].max():.2f}",
        above=back,
        base=base,
        rho=f"{last['rho'].item():g}",
        first_fall=-crp[:back].min(),
        second_fall=-crp[back:].min(),
    )


def main():
    """Write everything beside this script."""
    folder = data_folder(__doc__)
    cubes = {name: read_cube(folder, name, depth=1000) for name in TRACKS}
    scores = {
        name: cube.ireval.score(*METRICS.values(), at=1000).assign_coords(metric=list(METRICS))
        for name, cube in cubes.items()
    }
    archetypes(cubes)
    correlations(scores)
    cells(scores)
    curves(cubes[ROBUST], scores[ROBUST])


if __name__ == "__main__":
    main()
