"""Tables and figures of the page "Can I trust these judgments?" from real runs.

Usage: python docs/real/trust.py DATA, where DATA holds robust03 and trec-covid-round1, each with
qrels.txt and runs/*.gz, and trec-covid-round1/leaderboard.csv.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
LEFT = ["AP(norm='min')", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)"]
DEPTHS = [1, 4, 10, 40, 100, 400, 1000]


def read_covid(folder):
    """Read the runs with their team and whether they contributed, and build the cube."""
    board = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    contributed = board["contributed judgments"].eq("yes")
    runs = runs.assign(
        team=runs["system"].map(board["team"]), contributing=runs["system"].map(contributed)
    )
    qrels = ir.read_qrels(folder / "qrels.txt")
    return runs, qrels, runs.ireval.cube(qrels)


def read_robust(folder):
    """Build a cube of the Robust runs, whose pools went deeper than 100 documents."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    return runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), pool_depth=100)


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"trust-{name}.md").write_text(text, encoding="utf-8")


def save(figure, name):
    """Write a figure."""
    figure.savefig(HERE / f"trust-{name}.png", dpi=80)
    plt.close(figure)


def pools(covid, robust):
    """Write the growth of two pools, and what a run finds in that of TREC-COVID."""
    deep = [1, 2, 4, 7, 10, 20, 40, 60, 80, 100]
    growth = {
        "TREC-COVID round 1": covid.ireval.pool_growth(),
        "TREC 2003 Robust": robust.ireval.pool_growth(deep),
    }
    panes = ir.plots.pool_curves(growth)
    for pane in panes:
        pane.set_xscale("log")
        pane.xaxis.set_major_formatter("{x:g}")
    save(panes[0].figure, "growth")
    found = covid.ireval.pool_growth([5, 7])
    rows = {"judgments": ["pool depth 5", "pool depth 7", "all"]}
    for name in ("relevant_in_pool", "first_unjudged", "relevant_past"):
        pairs = zip(found[name].to_numpy(), found[f"{name}_sd"].to_numpy(), strict=True)
        rows[name] = [f"{m:.1f} ± {sd:.1f}" for m, sd in pairs] + ["n/a"]
    of_all, spread = (found[f"first_unjudged_all{end}"].item() for end in ("", "_sd"))
    rows["first_unjudged"][-1] = f"{of_all:.1f} ± {spread:.1f}"
    write_table(pd.DataFrame(rows), "statistics")


def unjudged(covid):
    """Draw the share of unjudged documents."""
    ax = covid.ireval.plot.unjudged_share()
    ax.set_xlim(1, 200)
    for line in ax.lines:
        line.set_data(line.get_xdata()[:200], line.get_ydata()[:200])
    save(ax.figure, "unjudged")


def left_out(covid, robust):
    """Write what runs lose without their own judgments."""
    rows = {"metric": LEFT}
    runs = {
        "COVID 7": covid.ireval.leave_out(*LEFT),
        "Robust 10": robust.ireval.leave_out(*LEFT, depth=10),
        "Robust 100": robust.ireval.leave_out(*LEFT, depth=100),
    }
    for name, frame in runs.items():
        means = frame.groupby("metric")[["change", "rank_change", "tau"]].mean().loc[LEFT]
        rows[f"{name}: Δ%"] = [f"{value:.1f}" for value in means["change"]]
        rows[f"{name}: Δrank"] = [f"{value:.1f}" for value in means["rank_change"]]
        rows[f"{name}: τ"] = [f"{value:.3f}" for value in means["tau"]]
    write_table(pd.DataFrame(rows), "left-out")
    ax = runs["COVID 7"].ireval.plot.leave_out_changes()
    save(ax.figure, "left-out")


def residuals(covid):
    """Write scores and residuals by depth, and draw bounds."""
    inside = covid.isel(system=covid["contributing"].to_numpy())
    within = inside.ireval.bounds("RBP(p=0.95)", "RBP(p=0.8)", "ERR", at=DEPTHS)
    means = within.mean(["system", "topic"])
    rows = {"k": DEPTHS}
    for metric in means["metric"].to_numpy():
        low, high = means.sel(metric=metric).to_numpy()
        rows[metric] = [f"{a:.3f} + {b - a:.3f}" for a, b in zip(low, high, strict=True)]
    write_table(pd.DataFrame(rows), "residuals")
    bands = covid.ireval.bounds("RBP(p=0.8)", "nDCG", at=range(1, 51))
    systems = ["sab20.1.meta.docs", "CSIROmedNIR", "uogTrDPH_QE"]
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4), layout="constrained")
    for ax, metric in zip(axes, ["RBP(p=0.8)", "nDCG"], strict=True):
        bands.ireval.plot.bound_bands(metric=metric, systems=systems, ax=ax)
    axes[0].get_legend().remove()
    save(figure, "bands")


def decided(covid):
    """Write how many pairs of systems are decided whatever the unjudged documents are."""
    inside = covid.isel(system=covid["contributing"].to_numpy())
    metrics = ["P", "RR", "ERR", "RBP(p=0.5)", "RBP(p=0.8)", "AP(norm='min')", "nDCG", "Q"]
    rows = {"metric": metrics}
    for name, cube in (("contributing", inside), ("all", covid)):
        pairs = cube.ireval.bounds(*metrics, at=[5, 10]).ireval.decide()
        for depth in (5, 10):
            share = pairs[pairs["depth"] == depth].groupby("metric")["decided"].mean()
            rows[f"{name}, k = {depth}"] = [f"{share[metric]:.0%}" for metric in metrics]
    write_table(pd.DataFrame(rows), "decided")


def condensed(covid):
    """Write discrimination, coverage and inversion ratios of condensed runs."""
    inside = covid.isel(system=covid["contributing"].to_numpy())
    metrics, depths = ["AP(norm='min')", "RBP(p=0.95)"], [1, 4, 10, 40, 100, 400]
    rows = {"k": depths}
    for name, cube in (("", inside), (" condensed", inside.ireval.condense())):
        scores = cube.ireval.score(*metrics, at=depths)
        found = {
            "D": scores.ireval.discrimination(),
            "C": scores.ireval.coverage(10),
            "I": scores.ireval.inversions(10),
        }
        for metric in metrics:
            for short, values in found.items():
                percent = 100 * values.sel(metric=metric).to_numpy()
                rows[f"{metric}{name} {short}"] = [f"{value:.1f}" for value in percent]
    write_table(pd.DataFrame(rows), "condensed")


def samples(covid):
    """Draw what is left of the ordering of systems on fewer judgments."""
    tau = covid.ireval.robustness("AP", "nDCG", "Bpref", "RBP(p=0.8)", "Twist", seeds=10)
    save(tau.ireval.plot.robustness_curves().figure, "samples")
    means, spread = tau.mean("seed").squeeze("depth"), tau.std("seed").squeeze("depth")
    rows = {"metric": [str(metric) for metric in tau["metric"].to_numpy()]}
    for percent in tau["percent"].to_numpy():
        pairs = zip(means.sel(percent=percent), spread.sel(percent=percent), strict=True)
        rows[f"{percent}%"] = [f"{float(m):.3f} ± {float(sd):.3f}" for m, sd in pairs]
    write_table(pd.DataFrame(rows), "samples")


def findings(runs, qrels):
    """Write what diagnose says."""
    found = runs.ireval.diagnose(qrels, ["AP@1000", "nDCG@10", "RBP(p=0.5)"])
    columns = ["severity", "what", "where", "how_many", "advice"]
    write_table(found[columns].rename(columns={"how_many": "how many"}), "findings")


def main():
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    mpl.use("agg")
    runs, qrels, covid = read_covid(data / "trec-covid-round1")
    robust = read_robust(data / "robust03")
    pools(covid, robust)
    unjudged(covid)
    left_out(covid, robust)
    residuals(covid)
    decided(covid)
    condensed(covid)
    samples(covid)
    findings(runs, qrels)


if __name__ == "__main__":
    main()
