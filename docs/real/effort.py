"""Tables and figures of the page "Gain at what effort?" from real runs.

Usage: python docs/real/effort.py DATA, where DATA holds what tracks.py reads.
"""

import matplotlib.pyplot as plt
import numpy as np
from shown import Page, data_folder
from tracks import ROBUST, TRACKS, read_cube

import irframe as ir

PAGE = Page("effort")
METRICS = {
    "nDCG": ir.metrics.nDCG(gain={1: 5, 2: 10}, discount="jk", base=10),
    "Twist": ir.metrics.Twist(),
}


def crossings(cubes):
    """Write what share of the curves is excellent by the rule as printed."""
    shares = [
        cube.ireval.misplacement(crossing="definition").ireval.archetypes().iloc[0]["excellent"]
        for cube in cubes.values()
    ]
    PAGE.facts(printed_low=f"{min(shares):.0%}", printed_high=f"{max(shares):.0%}")


def curves(cube, scores):
    """Draw four rankings of like, high gain, from huge to low effort."""
    gain, effort = (scores.sel(metric=name).to_numpy() for name in ("nDCG", "Twist"))
    like = np.abs(gain - np.nanquantile(gain, 0.95)) < 0.02
    order = np.argsort(np.where(like, effort, np.nan), axis=None)[: like.sum()]
    chosen = order[np.linspace(0, len(order) - 1, 4).astype(int)]
    moved = cube.ireval.misplacement()
    dcg = cube.ireval.score(ir.metrics.DCG(gain={1: 5, 2: 10}, discount="jk", base=10))
    _, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for ax, title in zip(axes.flat, chosen, strict=True):
        row, column = np.unravel_index(title, gain.shape)
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
    scores = cubes[ROBUST].ireval.score(*METRICS.values(), at=1000)
    crossings(cubes)
    curves(cubes[ROBUST], scores.assign_coords(metric=list(METRICS)))


if __name__ == "__main__":
    main()
