"""Tables and figures of the page "How deep should I evaluate?" from real runs.

Usage: python docs/real/how_deep.py DATA, where DATA holds what tracks.py reads.
"""

import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from shown import Page, data_folder
from tracks import COVID, ROBUST, read_track

import irframe as ir
from irframe.plots.canvas import legend_beside, mark_depth

PAGE = Page("how-deep")
REFERENCE = 10
DEPTHS = [1, 4, 10, 40, 100, 400, 1000]
TABLE = ["AP(norm='min')", "Q", "RBP(p=0.95)", "RR", "ERR", "RBP(p=0.8)"]
MAPS = ["AP(norm='min')", "nDCG", "ERR", "RBP(p=0.95)"]
SHALLOW = 5
"""Depths below are too shallow to stand for the deepest of a map."""


def read_scores(data, name):
    """Score the contributing runs of a collection at every depth."""
    runs, qrels = read_track(data, name)
    if "contributing" in runs:
        runs = runs[runs["contributing"]]
    return runs.ireval.cube(qrels, depth=1000).ireval.score(*dict.fromkeys([*TABLE, *MAPS]))


def ratios(scores):
    """Write discrimination, coverage and inversion ratios of six metrics."""
    chosen = scores.sel(metric=TABLE)
    measures = {
        "D": chosen.sel(depth=DEPTHS).ireval.discrimination(ir.Significance(adjust=None)),
        "C": chosen.ireval.coverage(REFERENCE, ir.Significance(adjust=None)).sel(depth=DEPTHS),
        "I": chosen.ireval.inversions(REFERENCE, ir.Significance(adjust=None)).sel(depth=DEPTHS),
    }
    for number, metrics in enumerate((TABLE[:3], TABLE[3:])):
        rows = {"k": DEPTHS}
        for metric in metrics:
            for name, values in measures.items():
                percent = 100 * values.sel(metric=metric).to_numpy()
                rows[f"{metric} {name}"] = [f"{value:.1f}" for value in percent]
        PAGE.table(rows, f"ratios-{number + 1}")


def drift(scores):
    """Say how far metrics move from their reference as they look deeper."""
    tables = {
        "d": 100 * scores.sel(depth=DEPTHS).ireval.discrimination(ir.Significance(adjust=None)),
        "c": 100
        * scores.ireval.coverage(REFERENCE, ir.Significance(adjust=None)).sel(depth=DEPTHS),
    }
    inverted = 100 * scores.ireval.inversions(REFERENCE, ir.Significance(adjust=None))
    normalised, free = TABLE[:2], TABLE[2:]
    lost = 100 - tables["c"].sel(metric=normalised, depth=DEPTHS[-1])
    wrong = inverted.sel(metric=normalised, depth=DEPTHS[-1])
    beyond = {"rbp": (TABLE[2:3], 100), "shallow": (TABLE[3:], 40)}
    for name, (metrics, depth) in beyond.items():
        some = [f.sel(metric=metrics, depth=slice(depth, None)) for f in tables.values()]
        moved = max((s.max("depth") - s.min("depth")).max().item() for s in some)
        PAGE.facts(**{f"{name}_moved": f"{moved:.1f}"})
    PAGE.facts(
        unconfirmed_low=f"{lost.min().item():.1f}",
        unconfirmed_high=f"{lost.max().item():.1f}",
        contradicted_low=f"{wrong.min().item():.1f}",
        contradicted_high=f"{wrong.max().item():.1f}",
        others_contradicted=f"{inverted.sel(metric=free)[:, REFERENCE:].max().item():.2g}",
    )


def with_reference(values, ax):
    """Draw curves by depth, and where the reference is."""
    values.assign_attrs(pool_depth=0).ireval.plot.ratio_curves(ax=ax)
    mark_depth(ax, REFERENCE, "reference")
    legend_beside(ax)


def panes(collections):
    """Draw six ways of measuring how nDCG depends on depth."""
    quantities = {
        "median p-value": lambda s: s.ireval.median_p(),
        "discrimination ratio": lambda s: s.ireval.discrimination(ir.Significance(adjust=None)),
        "coverage ratio": lambda s: s.ireval.coverage(REFERENCE, ir.Significance(adjust=None)),
        "inversion ratio": lambda s: s.ireval.inversions(REFERENCE, ir.Significance(adjust=None)),
        "correlation of orders": lambda s: s.ireval.agreement(REFERENCE),
        "correlation of scores": lambda s: s.ireval.agreement(REFERENCE, "pearson"),
    }
    names = pd.Index(collections, name="collection")
    curves = {}
    for name, measure in quantities.items():
        measures = [measure(scores.sel(metric=["nDCG"]))[0] for scores in collections.values()]
        joined = xr.concat(measures, dim=names, combine_attrs="drop_conflicts")
        curves[name] = joined.rename(name)
    axes = ir.plots.panes(curves, with_reference, figsize=(11, 5.6))
    PAGE.figure(axes[0], "panes", dpi=90)


def maps(scores):
    """Draw volatility matrices, and write what they come to."""
    matrices = scores.sel(metric=MAPS, depth=range(1, 51)).ireval.volatility()
    figure, axes = plt.subplots(2, 2, figsize=(9.4, 8), layout="constrained")
    for ax, metric in zip(axes.flat, MAPS, strict=True):
        matrices.ireval.plot.volatility_map(metric=metric, ax=ax)
    PAGE.figure(figure, "volatility", dpi=90)
    stability = matrices.ireval.stability()
    rows = {
        "metric": MAPS,
        "stable from depth": [f"{depth:.0f}" for depth in stability["stable_depth"].to_numpy()],
        "share above 0.9": [f"{share:.0%}" for share in stability["share_above"].to_numpy()],
        "lowest tau": [f"{low:.2f}" for low in matrices.min(["depth", "depth_other"]).to_numpy()],
    }
    PAGE.table(rows, "stability")
    depths = stability["stable_depth"].to_series()
    changing = depths.drop("ERR")
    deepest = matrices.sel(metric=changing.index).isel(depth=-1, drop=True)
    PAGE.facts(
        err_depth=f"{depths['ERR']:.0f}",
        stable_low=f"{changing.min():.0f}",
        stable_high=f"{changing.max():.0f}",
        shallow_tau=f"{deepest.sel(depth_other=slice(None, SHALLOW - 1)).max().item():.2f}",
    )


def main():
    """Write everything."""
    data = data_folder(__doc__)
    scores = {name: read_scores(data, name) for name in (COVID, ROBUST)}
    ratios(scores[COVID])
    drift(scores[COVID])
    maps(scores[COVID])
    panes(scores)


if __name__ == "__main__":
    main()
