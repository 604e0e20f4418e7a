"""Tables and figures of the page "Can I trust these judgments?" from real runs.

Usage: python docs/real/trust.py DATA, where DATA holds what tracks.py reads.
"""

from math import comb

from shown import Page, data_folder
from tracks import COVID, ROBUST, read_pooled_robust, read_track

import irframe as ir

PAGE = Page("trust")
OUTSIDER = "CSIROmedNIR"
TOP = ["P", "RR", "AP(norm='min')", "nDCG"]
OPEN = {"normalised": ["P", "AP(norm='min')", "nDCG"], "rbp": ["RBP(p=0.8)"], "q": ["Q"]}
BEST, WEAKEST = 20, 10
LEFT = ["AP(norm='min')", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)"]
DEPTHS = [1, 4, 10, 40, 100, 400, 1000]


def pools(covid, robust):
    """Write the growth of two pools, and what a run finds in that of TREC-COVID."""
    deep = [1, 2, 4, 7, 10, 20, 40, 60, 80, 100]
    growth = {
        COVID: covid.ireval.pool_growth(),
        ROBUST: robust.ireval.pool_growth(at=deep),
    }
    last = {name: pools_by_depth.isel(depth=-1) for name, pools_by_depth in growth.items()}
    PAGE.facts(
        robust_rate=f"{last[ROBUST]['rate'].item():.0%}",
        covid_rate=f"{last[COVID]['rate'].item():.0%}",
        covid_relevant=f"{last[COVID]['relevant'].item():.0f}",
    )
    panes = ir.plots.pool_curves(growth)
    for pane in panes:
        pane.set_xscale("log")
        pane.xaxis.set_major_formatter("{x:g}")
    PAGE.figure(panes[0], "growth")
    pools_by_depth = covid.ireval.pool_growth(at=[5, 7])
    rows = {"judgments": ["pool depth 5", "pool depth 7", "all"]}
    for name in ("relevant_in_pool", "first_unjudged", "relevant_past"):
        pairs = zip(
            pools_by_depth[name].to_numpy(), pools_by_depth[f"{name}_sd"].to_numpy(), strict=True
        )
        rows[name] = [f"{m:.1f} ± {sd:.1f}" for m, sd in pairs] + ["n/a"]
    of_all, spread = (pools_by_depth[f"first_unjudged_all{end}"].item() for end in ("", "_sd"))
    rows["first_unjudged"][-1] = f"{of_all:.1f} ± {spread:.1f}"
    PAGE.table(rows, "statistics")


def unjudged(covid):
    """Draw the share of unjudged documents."""
    ax = covid.ireval.plot.unjudged_share()
    ax.set_xlim(1, 200)
    for line in ax.lines:
        line.set_data(line.get_xdata()[:200], line.get_ydata()[:200])
    PAGE.figure(ax, "unjudged")


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
    PAGE.table(rows, "left-out")
    lost = -runs["COVID 7"].groupby("metric")["change"].mean()
    rank_changes = runs["COVID 7"].groupby("metric")["rank_change"].mean()
    best_runs = runs["COVID 7"][runs["COVID 7"]["rank"] <= BEST]
    best = -best_runs.groupby("metric")["change"].mean()
    weak = runs["COVID 7"].sort_values("mean").groupby("metric").head(WEAKEST)
    weak = -weak.groupby("metric")["change"].mean()
    per_system = runs["COVID 7"].drop_duplicates("system")
    PAGE.facts(
        lost=f"{lost.min():.0f} to {lost.max():.0f}%",
        places=f"{rank_changes.min():.0f} to {rank_changes.max():.0f}",
        best=BEST,
        best_lost=f"{best.min():.0f} to {best.max():.0f}%",
        best_most=f"{-best_runs['change'].min():.0f}%",
        weakest=WEAKEST,
        weakest_lost=f"{weak.min():.0f} to {weak.max():.0f}%",
        alone=f"{per_system['lost'].mean():.0f}",
        alone_relevant=f"{per_system['lost_relevant'].mean():.0f}",
        robust_lost=f"{-runs['Robust 100'].groupby('metric')['change'].mean().min():.1f}%",
    )


def residuals(covid):
    """Write scores and residuals by depth."""
    inside = covid.isel(system=covid.experiment.pool.contributing)
    within = inside.ireval.bounds("RBP(p=0.95)", "RBP(p=0.8)", "ERR", at=DEPTHS)
    means = within.mean(["system", "topic"])
    rows = {"k": DEPTHS}
    for metric in means["metric"].to_numpy():
        low, high = means.sel(metric=metric).to_numpy()
        rows[metric] = [f"{a:.3f} + {b - a:.3f}" for a, b in zip(low, high, strict=True)]
    PAGE.table(rows, "residuals")
    low, high = means.sel(metric="RBP(p=0.95)", depth=DEPTHS[-1]).to_numpy()
    PAGE.facts(score=f"{low:.3f}", residual=f"{high - low:.3f}")
    bands = covid.ireval.bounds("RBP(p=0.8)", "nDCG", at=range(1, 51))
    systems = ["sab20.1.meta.docs", OUTSIDER, "uogTrDPH_QE"]
    low, high = bands.sel(system=systems).mean("topic").transpose("bound", ...)
    other_widths = (high - low).drop_sel(system=OUTSIDER).max("system")
    widest = (high - low).sel(system=OUTSIDER) > other_widths
    PAGE.facts(
        outsider=OUTSIDER,
        widest=f"{widest.all('metric').sum().item()} of {widest.sizes['depth']}",
    )


def decided(covid):
    """Write how many pairs of systems are decided whatever the unjudged documents are."""
    inside = covid.isel(system=covid.experiment.pool.contributing)
    metrics = ["P", "RR", "ERR", "RBP(p=0.5)", "RBP(p=0.8)", "AP(norm='min')", "nDCG", "Q"]
    rows = {"metric": metrics}
    for name, cube in (("contributing", inside), ("all", covid)):
        pairs = cube.ireval.bounds(*metrics, at=[5, 10]).ireval.decide()
        if cube is inside:
            undecided = pairs[pairs["metric"].isin(TOP) & (pairs["depth"] == 5) & ~pairs["decided"]]
            equal = (undecided["lowest"] == 0) & (undecided["highest"] == 0)
            PAGE.facts(pairs=f"{comb(cube.sizes['system'], 2):,}")
            PAGE.facts(left=len(undecided), equal=equal.sum())
        for depth in (5, 10):
            share = pairs[pairs["depth"] == depth].groupby("metric")["decided"].mean()
            rows[f"{name}, k = {depth}"] = [f"{share[metric]:.0%}" for metric in metrics]
        for group, some in OPEN.items():
            ends = sorted({f"{1 - share[metric]:.0%}" for metric in some})
            PAGE.facts(**{f"{group}_open_{name}": " to ".join([ends[0], *ends[1:][-1:]])})
    PAGE.table(rows, "decided")


def condensed(covid):
    """Write discrimination, coverage and inversion ratios of condensed runs."""
    inside = covid.isel(system=covid.experiment.pool.contributing)
    metrics, depths = ["AP(norm='min')", "RBP(p=0.95)"], [1, 4, 10, 40, 100, 400]
    rows = {"k": depths}
    for name, cube in (("", inside), (" condensed", inside.ireval.condense())):
        scores = cube.ireval.score(*metrics, at=depths)
        tables = {
            "D": scores.ireval.discrimination(ir.Significance(adjust=None)),
            "C": scores.ireval.coverage(10, ir.Significance(adjust=None)),
            "I": scores.ireval.inversions(10, ir.Significance(adjust=None)),
        }
        for metric in metrics:
            for short, values in tables.items():
                percent = 100 * values.sel(metric=metric).to_numpy()
                rows[f"{metric}{name} {short}"] = [f"{value:.1f}" for value in percent]
    PAGE.table(rows, "condensed")
    wrong = [float(value) for value in rows["AP(norm='min') condensed I"]]
    PAGE.facts(condensed_wrong=f"{max(wrong):.1f}%")


def samples(covid):
    """Draw what is left of the ordering of systems on fewer judgments."""
    tau = covid.ireval.robustness("AP", "nDCG", "Bpref", "RBP(p=0.8)", "Twist", seeds=10)
    PAGE.figure(tau.ireval.plot.robustness_curves(), "samples")
    means, spread = tau.mean("seed").squeeze("depth"), tau.std("seed").squeeze("depth")
    rows = {"metric": [str(metric) for metric in tau["metric"].to_numpy()]}
    for share in tau["share"].to_numpy():
        pairs = zip(means.sel(share=share), spread.sel(share=share), strict=True)
        rows[f"{share:.0%}"] = [f"{float(m):.3f} ± {float(sd):.3f}" for m, sd in pairs]
    PAGE.table(rows, "samples")
    half = means.sel(share=0.5).to_series()
    PAGE.facts(
        half_best=f"{half[['nDCG', 'Bpref']].min():.2f}",
        half_next=f"{half[['AP', 'Twist']].min():.2f} to {half[['AP', 'Twist']].max():.2f}",
        half_rbp=f"{half['RBP(p=0.8)']:.2f}",
        seventy_rbp=f"{means.sel(metric='RBP(p=0.8)', share=0.7).item():.2f}",
    )


def findings(runs, qrels):
    """Write what diagnose says."""
    table = runs.ireval.diagnose(qrels, ["AP@1000", "nDCG@10", "RBP(p=0.5)"])
    columns = ["severity", "what", "where", "how_many", "advice"]
    PAGE.table(table[columns].rename(columns={"how_many": "how many"}), "findings")


def main():
    """Write everything."""
    data = data_folder(__doc__)
    runs, qrels = read_track(data, COVID)
    covid = runs.ireval.cube(qrels)
    robust = read_pooled_robust(data, 100)  # pools went deeper
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
