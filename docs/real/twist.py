"""Tables and figures of the page on the Twist measure, from real runs.

Usage: python docs/real/twist.py DATA, where DATA holds robust03 and trec-covid-round1, each with
qrels.txt and runs/*.gz, and dl-hard with dl_hard-doc.qrels and baselines/doc/*.run.gz.
"""

import matplotlib.pyplot as plt
import pandas as pd
from shown import Page, data_folder

import irframe as ir

PAGE = Page("twist")
COLLECTIONS = {
    "TREC 2003 Robust": ("robust03/runs", "robust03/qrels.txt"),
    "TREC-COVID round 1": ("trec-covid-round1/runs", "trec-covid-round1/qrels.txt"),
    "DL-HARD documents": ("dl-hard/baselines/doc", "dl-hard/dl_hard-doc.qrels"),
}
METRICS = {
    "AP": ir.metrics.AP(),
    "bpref": ir.metrics.Bpref(),
    "RBP(p=0.8)": ir.metrics.RBP(p=0.8),
    "nDCG": ir.metrics.nDCG(gain={1: 5, 2: 10, 3: 15}, discount="jk", base=10),
    "Twist": ir.metrics.Twist(),
}
GAINS = [name for name in METRICS if name != "Twist"]
KINDS = ["ideal", "worst", "typical A", "typical B", "excellent"]
RULES = {"default": "sign_change", "as printed": "definition", "software": "matters"}
PRINTED_KINDS = {
    "TREC 10": (4750, 0.17, 3.09, 83.87, 12.72, 0.15),
    "TREC 14": (3700, 0.00, 1.86, 80.24, 17.89, 0.00),
    "TREC 20": (1850, 0.11, 8.86, 60.70, 30.16, 0.16),
    "TREC 21": (1350, 0.00, 4.15, 64.59, 31.26, 0.00),
}
"""Table 2 of the paper, in the order of KINDS."""
PRINTED_AP = {
    "TREC 10": ("0.8506", "0.6041", "0.8334"),
    "TREC 14": ("0.8390", "0.7229", "0.9070"),
    "TREC 20": ("0.8498", "0.5675", "0.8962"),
    "TREC 21": ("0.8461", "0.5669", "0.8388"),
}
"""Table 3: AP with bpref, RBP and nDCG."""
PRINTED_TWIST = {
    "TREC 10": ("0.8144", "0.8173", "0.6489", "0.8791"),
    "TREC 14": ("0.8477", "0.7547", "0.6051", "0.9012"),
    "TREC 20": ("0.8254", "0.8148", "0.3968", "0.9245"),
    "TREC 21": ("0.9157", "0.8526", "0.3684", "0.82105"),
}
"""Table 4: Twist with AP, bpref, RBP and nDCG."""


PRINTED_CELLS = [
    ("TREC 10", "AP", "28%", "44%", "28%"),
    ("TREC 14", "AP", "", "37%", ""),
    ("TREC 10", "RBP(p=0.8)", "31%", "44%", ""),
    ("TREC 14", "RBP(p=0.8)", "38%", "37.4%", ""),
]
"""Shares that the text of the paper gives: diagonal, high-high, grey."""


def read_cube(data, folder, judgments):
    """Return the cube of a collection."""
    runs = ir.read_runs(sorted((data / folder).glob("*.gz")), system="file")
    return runs.ireval.cube(ir.read_qrels(data / judgments))


def features(cubes):
    """Write what Table 1 says, of these collections."""
    rows = {
        "feature": [
            "topics",
            "runs",
            "run length",
            "grades",
            "rankings",
            "relevant per topic, median",
        ]
    }
    for name, cube in cubes.items():
        R = cube.ireval.score("NumRel", at=1).isel(system=0)
        sizes = cube.sizes
        rows[name] = [
            sizes["topic"],
            sizes["system"],
            sizes["depth"],
            int(cube.experiment.judgments.grade.max()) + 1,
            f"{sizes['topic'] * sizes['system']:,}",
            f"{float(R.median()):g}",
        ]
    PAGE.table(rows, "features")


def one_legend(axes):
    """Leave one legend for all axes of a row, without what differs between them."""
    handles, labels = axes.flat[-1].get_legend_handles_labels()
    for ax in axes.flat:
        ax.get_legend().remove()
    names = [label.split("@")[0].removesuffix(")").split(" (")[0] for label in labels]
    names = [name if name.count("(") == name.count(")") else f"{name})" for name in names]
    options = {"loc": "outside lower center", "ncols": len(names), "frameon": False}
    axes.flat[-1].figure.legend(handles, names, **options)


def archetypes(cubes):
    """Write the shares of the kinds of curves, printed and here."""
    columns = ["collection", "rankings", *KINDS]
    rows = [
        (f"{name}, printed", f"{total:,}", *(f"{share:.2f}%" for share in shares))
        for name, (total, *shares) in PRINTED_KINDS.items()
    ]
    typical = {name: shares[3] + shares[4] for name, shares in PRINTED_KINDS.items()}
    full_scale = 0
    ours, by_rule = {}, []
    for name, cube in cubes.items():
        for rule_name, rule in RULES.items():
            kinds = cube.ireval.misplacement(crossing=rule).ireval.archetypes().iloc[0]
            row = {kind: f"{kinds[kind]:.2%}" for kind in ("excellent", "typical A", "typical B")}
            by_rule.append({"collection": name, "crossing": rule_name} | row)
        kinds = cube.ireval.misplacement().ireval.archetypes().iloc[0]
        rows.append((name, f"{int(kinds['total']):,}", *(f"{kinds[kind]:.2%}" for kind in KINDS)))
        full_scale += round(kinds["full scale"] * kinds["total"])
        ours[name] = kinds["typical A"] + kinds["typical B"]
    PAGE.table(pd.DataFrame(rows, columns=columns), "archetypes")
    PAGE.table(by_rule, "crossings")
    PAGE.facts(
        full_scale=full_scale,
        typical_least=f"{min(ours.values()):.1%}",
        typical_most=f"{max(ours.values()):.1%}",
        typical_20=f"{typical['TREC 20']:.2f}%",
        typical_others=f"{min(v for k, v in typical.items() if k != 'TREC 20'):.2f}%",
    )


def cells(scores):
    """Write the shares of the regions, and draw a figure per gain metric."""
    tables = {name: array.ireval.effort_gain() for name, array in scores.items()}
    columns = ["collection", "gain", "diagonal", "high-high", "grey"]
    rows = [
        dict(zip(columns, (f"{name}, printed", *printed), strict=True)) | {"other": ""}
        for name, *printed in PRINTED_CELLS
    ]
    for name, studied in tables.items():
        shares = studied["share"].to_pandas()
        for metric in GAINS:
            printed = {region: f"{value:.1%}" for region, value in shares.loc[metric].items()}
            rows.append({"collection": name, "gain": metric} | printed)
    PAGE.table(rows, "cells")
    figure, axes = plt.subplots(4, 3, figsize=(9, 12), layout="constrained")
    for row, metric in zip(axes, GAINS, strict=True):
        for ax, (name, studied) in zip(row, tables.items(), strict=True):
            studied.ireval.plot.effort_gain(metric=metric, ax=ax)
            ax.set_title(name if metric == GAINS[0] else "", fontsize=10)
            ax.set_xlabel("Twist" if metric == GAINS[-1] else "")
    one_legend(axes)
    PAGE.figure(figure, "figures-7-10")
    least = [
        studied["share"].sel(region="high-high") - studied["share"].sel(region="diagonal")
        for studied in tables.values()
    ]
    PAGE.facts(
        high_high_leads=sum(int((differences > 0).sum()) for differences in least),
        pairs=len(tables) * len(GAINS),
    )


def averages(scores):
    """Draw how the means of the systems spread, metric by metric."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    for ax, (name, array) in zip(axes, scores.items(), strict=True):
        array.squeeze("depth").mean("topic").to_pandas().T[list(METRICS)].boxplot(ax=ax)
        ax.set_title(name, fontsize=10)
        ax.tick_params(axis="x", labelrotation=60)
    axes[0].set_ylabel("mean over topics")
    PAGE.figure(figure, "figure-12")


def correlations(best):
    """Write Kendall's tau over the best three quarters of the systems, printed and here."""
    for first, printed, name in (
        ("AP", PRINTED_AP, "table-3"),
        ("Twist", PRINTED_TWIST, "table-4"),
    ):
        gains = [metric for metric in METRICS if metric not in {first, "Twist"}]
        rows = [(f"{key}, printed", *values) for key, values in printed.items()]
        for key, array in best.items():
            tau = array.ireval.agreement().isel(depth=0).to_pandas().loc[first, gains]
            label = f"{key}, {array.sizes['system']} systems"
            rows.append((label, *(f"{value:.4f}" for value in tau)))
        PAGE.table(pd.DataFrame(rows, columns=[f"{first} and", *gains]), name)


def robustness(cubes, best):
    """Draw, and write, what is left of the orders on fewer judgments."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), sharey=True, layout="constrained")
    rows = []
    for ax, (name, cube) in zip(axes, cubes.items(), strict=True):
        best_runs = cube.sel(system=best[name]["system"].to_numpy())
        tau = best_runs.ireval.robustness(*METRICS.values(), seeds=10, at=[cube.sizes["depth"]])
        tau = tau.assign_coords(metric=list(METRICS))
        tau.ireval.plot.robustness_curves(ax=ax)
        ax.set_title(name, fontsize=10)
        ax.set_ylabel("Kendall's tau" if ax is axes[0] else "")
        means = tau.mean("seed").squeeze("depth").transpose("metric", "share").to_pandas()
        for metric in METRICS:
            row = {f"{share:.0%}": f"{means.loc[metric, share]:.3f}" for share in means.columns}
            rows.append({"collection": name, "metric": metric} | row)
    one_legend(axes)
    PAGE.figure(figure, "figure-13")
    PAGE.table(rows, "robustness")


def power(best):
    """Draw, and write, how many pairs of systems the paired bootstrap tells apart."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained")
    rows = {"metric": list(METRICS)}
    for ax, (name, array) in zip(axes, best.items(), strict=True):
        sensitivity = array.ireval.bootstrap_sensitivity(resamples=1000)
        sensitivity.ireval.plot.p_value_curves(ax=ax)
        ax.set_title("", loc="left")
        ax.set_ylabel("significance level" if ax is axes[0] else "")
        ax.set_title(name, fontsize=10)
        pairs = zip(
            sensitivity["power"].to_numpy()[:, 0],
            sensitivity["delta"].to_numpy()[:, 0],
            strict=True,
        )
        rows[name] = [f"{share:.1%}, Δ {delta:.3f}" for share, delta in pairs]
    one_legend(axes)
    PAGE.figure(figure, "figure-14")
    PAGE.table(rows, "power")


def main():
    """Write everything beside this script."""
    data = data_folder(__doc__)
    cubes = {name: read_cube(data, *location) for name, location in COLLECTIONS.items()}
    scores = {
        name: cube.ireval.score(*METRICS.values(), at=[cube.sizes["depth"]]).assign_coords(
            metric=list(METRICS)
        )
        for name, cube in cubes.items()
    }
    best = {name: array.ireval.select_top(metric="AP") for name, array in scores.items()}
    features(cubes)
    archetypes(cubes)
    cells(scores)
    averages(scores)
    correlations(best)
    robustness(cubes, best)
    power(best)


if __name__ == "__main__":
    main()
