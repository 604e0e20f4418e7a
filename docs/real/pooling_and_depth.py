"""Tables and figures of the page about the paper on pooling and evaluation depth.

Usage: python docs/real/pooling_and_depth.py DATA, where DATA holds robust03, trec-covid-round1 and
trec-dl-2021-judges, each with its judgments and runs/*.gz, and trec-covid-round1/leaderboard.csv.
"""

import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from shown import Page, data_folder
from tracks import COVID, LAST_OLD, ROBUST, read_track

import irframe as ir
from irframe.names import UNJUDGED
from irframe.plots.canvas import legend_beside

page = Page("pooling-and-depth")
DEPTHS = [1, 4, 10, 40, 100, 400, 1000]
AP, AP_A, AP_C = "AP(norm='min')", "AP", "AP(norm='pool')"
SHORT, LONG = "RBP(p=0.8)", "RBP(p=0.95)"
TABLE_7 = [AP, "Q", LONG, "RR", "ERR", SHORT]
ZIPF = "nDCG(discount='zipf')"
NAMES = {"robust": "Robust 2003", "covid": "COVID round 1", "deep": "DL 2021"}
REL = {"robust": 1, "covid": 1, "deep": 2}


def read(data):
    """Return name -> (runs, qrels) of the collections; runs say which of them made the pools."""
    new = [frame[frame["topic"].astype(int) > LAST_OLD] for frame in read_track(data, ROBUST)]
    tracks = {"robust": new, "covid": read_track(data, COVID)}
    folder = data / "trec-dl-2021-judges"
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    team = {
        name: re.split(r"[-_\d]", name.removeprefix("bl_"))[0] for name in runs["system"].unique()
    }
    team = {name: re.match("uogTr|wat|WLU|[A-Za-z]+", start)[0] for name, start in team.items()}
    runs = runs.assign(team=runs["system"].map(team))
    tracks["deep"] = [runs, ir.read_qrels(folder / "qrels.nist.txt")]
    return tracks


def judged_to(cube):
    """Return the depth to which every document of every contributing run is judged."""
    inside = cube.isel(system=cube.experiment.pool.contributing)
    unjudged = (inside["grade"] == UNJUDGED).any(["system", "topic"]).to_numpy()
    return int(unjudged.argmax())


def cubes(read_in):
    """Build the cubes, and write what they hold and how deep they are judged by order of ties."""
    built, table, order = {}, [], []
    stated = {"robust": 100, "covid": 7, "deep": 10}
    for key, (runs, qrels) in read_in.items():
        by = {ties: ir.cube(runs, qrels, ties=ties) for ties in ("trec", "order")}
        depths = {ties: judged_to(cube) for ties, cube in by.items()}
        order.append({"collection": NAMES[key], **{f'`ties="{t}"`': d for t, d in depths.items()}})
        page.facts(**{f"{key}_judged_{ties}": depth for ties, depth in depths.items()})
        # pools were made in the order that is judged deeper, so all is done in that order
        sort = depths["trec"] > depths["order"]
        ranked = ir.verbs.rank(runs, ties="trec") if sort else runs
        in_file_order = ir.cube(ranked, qrels, ties="order", pool=ir.Pool(stated[key]))
        cube = in_file_order.ireval.pooled(stated[key])
        relevant = [
            int((c.experiment.judgments.grade >= REL[key]).sum()) for c in (in_file_order, cube)
        ]
        topics, experiment = cube.sizes["topic"], cube.experiment
        page.facts(**{f"{key}_kept": f"{relevant[1] / relevant[0]:.0%}"})
        table.append(
            {
                "collection": NAMES[key],
                "pool depth": stated[key],
                "contributing runs": int(cube.experiment.pool.contributing.sum()),
                "all runs": cube.sizes["system"],
                "topics": topics,
                "depth of runs": cube.sizes["depth"],
                "judged per topic": f"{(experiment.judgments.grade >= 0).sum() / topics:.0f}",
                "relevant per topic": f"{relevant[1] / topics:.0f}",
            }
        )
        built[key] = (cube, in_file_order)
    page.table(table, "collections")
    page.table(order, "judged-to")
    return built


def graded(metric, key):
    """Return a metric with the lowest relevant grade of a collection, where it needs one."""
    if REL[key] == 1 or metric == "nDCG":
        return metric
    return metric.replace(")", f", rel={REL[key]})")


def contributed(cube):
    """Return the runs of a cube that made the pool."""
    return cube.isel(system=cube.experiment.pool.contributing)


def pools(made):
    """Figure 1 and Table 4."""
    deep = [1, 2, 4, 7, 10, 20, 40, 60, 80, 100]
    growth = {}
    for key, (cube, _) in made.items():
        limit = int(cube.experiment.pool.depth.max())
        reached = [depth for depth in deep if depth <= limit]
        growth[NAMES[key]] = cube.ireval.pool_growth(at=reached, rel=REL[key])
    panes = ir.plots.pool_curves(growth)
    for pane in panes:
        pane.set_xscale("log")
        pane.xaxis.set_major_formatter("{x:g}")
    page.figure(panes[0], "growth")
    for key, name in NAMES.items():
        page.facts(**{f"{key}_last_rate": f"{float(growth[name]['rate'][-1]):.0%}"})
    rows = []
    for key, (cube, known) in made.items():
        limit = int(cube.experiment.pool.depth.max())
        found_shares = cube.ireval.pool_growth(at=[10 if limit > 10 else 5, limit], rel=REL[key])
        every = known.ireval.pool_growth(at=[limit])
        for number, depth in enumerate(found_shares["depth"].to_numpy()):
            row = {"dataset": NAMES[key], "mode": f"d = {depth}"}
            for name, title in COLUMNS_4.items():
                mean, spread = (float(found_shares[n][number]) for n in (name, f"{name}_sd"))
                row[title] = f"{mean:.1f} ± {spread:.1f}"
            rows.append(row)
        row = {"dataset": NAMES[key], "mode": "all", **dict.fromkeys(COLUMNS_4.values(), "n/a")}
        mean, spread = (every[f"first_unjudged_all{end}"].item() for end in ("", "_sd"))
        rows.append(row | {"RankUnj": f"{mean:.1f} ± {spread:.1f}"})
    page.table(rows, "statistics")


COLUMNS_4 = {
    "relevant_in_pool": "RelInPool",
    "first_unjudged": "RankUnj",
    "relevant_past": "NumRelPast",
}


def left_out(made):
    """Table 5: what runs and groups of runs lose."""
    metrics = [AP, "nDCG", SHORT, LONG]
    depths = {"robust": 10, "covid": 7, "deep": 10}
    run = {"metric": metrics}
    for key, (_, known) in made.items():
        changes = lost(contributed(known), [graded(m, key) for m in metrics], depths[key])
        run |= {f"{NAMES[key]} {name}": values for name, values in changes.items()}
    page.table(run, "left-out-run")
    group = {"metric": metrics}
    cube = contributed(made["deep"][1])
    for name, together in (("one run", None), ("a group", "team")):
        changes = lost(cube, [graded(m, "deep") for m in metrics], 10, together)
        group |= {f"{name} {title}": values for title, values in changes.items()}
    page.table(group, "left-out-group")
    teams = cube["team"].to_series().value_counts()
    page.facts(groups=len(teams), largest_group=int(teams.max()))


def lost(cube, metrics, depth, together=None):
    """Return mean changes of score and rank of runs that are left out of a pool."""
    frame = cube.ireval.leave_out(*metrics, depth=depth, together=together)
    means = frame.groupby("metric", sort=False)[["change", "rank_change"]].mean()
    return {
        "Δ%": [f"{value:.2f}" for value in means["change"]],
        "ΔRank": [f"{value:.2f}" for value in means["rank_change"]],
    }


def ties(read_in):
    """Table 6: how many ties there are, and what breaking them otherwise does."""
    rows = []
    for key, (runs, qrels, *_) in read_in.items():
        rates = ir.cube(runs, qrels, depth=20).ireval.tie_rates()
        tau = ir.verbs.tie_agreement(runs, qrels, graded(SHORT, key)).item()
        by_run = rates.mean("topic")
        rows.append(
            {
                "task": NAMES[key],
                "runs": rates.sizes["system"],
                "median of runs": f"{float(by_run.median()):.1%}",
                "median of run-topic pairs": f"{float(rates.median()):.1%}",
                "highest of a run": f"{float(by_run.max()):.0%}",
                "τ": f"{tau:.3f}",
            }
        )
    page.table(rows, "ties")


def curves(made):
    """Figures 2 and 3: scores of all systems by depth."""
    cube = contributed(made["covid"][0])
    full = cube.ireval.score(AP, "nDCG", "Q", LONG, "ERR")
    condensed = cube.ireval.condense().ireval.score(AP, "nDCG", "Q")
    figure, axes = plt.subplots(4, 2, figsize=(9, 12.4), layout="constrained", sharex=True)
    panes = [
        (m, *variant)
        for m in (AP, "nDCG", "Q")
        for variant in ((full, ""), (condensed, "condensed"))
    ]
    panes += [(LONG, full, ""), ("ERR", full, "")]
    for ax, (metric, scores, name) in zip(axes.flat, panes, strict=True):
        scores.ireval.plot.depth_curves(metric=metric, ax=ax)
        ax.set_title(name, loc="left", fontsize=10)
        ax.get_legend().remove()
        if ax not in axes[-1]:
            ax.set_xlabel("")
    page.figure(figure, "scores")
    rows = []
    for metric in [AP, "nDCG", "Q", LONG, "ERR"]:
        row = {"metric": metric}
        for name, scores in (("full runs", full), ("condensed runs", condensed)):
            if metric not in scores["metric"]:
                row[name] = ""
                continue
            means = scores.sel(metric=metric).mean("topic").transpose("system", "depth")
            row[name] = crossings(means.to_numpy())
        rows.append(row)
    page.table(rows, "crossings")


def crossings(means):
    """Return how many pairs of systems change places at least once between depths 7 and 1000."""
    means = means[:, 6:].round(12)
    first, second = np.triu_indices(len(means), 1)
    difference = means[first] - means[second]
    changed = (difference > 0).any(1) & (difference < 0).any(1)
    return f"{changed.mean():.1%}"


def panes(made):
    """Figure 4: six ways to measure how nDCG depends on depth."""
    grid = np.unique(np.geomspace(1, 1000, 60).round().astype(int)).tolist()
    grid = sorted({*grid, 7, 10, 100})
    robust = made["robust"][0]
    contexts = {
        "Robust 2003, d = 100": (robust, 100),
        "Robust 2003, d = 10": (robust.ireval.pooled(10), 10),
        "COVID round 1, d = 7": (made["covid"][0], 7),
        "DL 2021, d = 10": (made["deep"][0], 10),
    }
    quantities = {
        "median p-value": lambda s, _: s.ireval.median_p(),
        "discrimination ratio": lambda s, _: s.ireval.discrimination(ir.Significance(adjust=None)),
        "coverage ratio": lambda s, d: s.ireval.coverage(d, ir.Significance(adjust=None)),
        "inversion ratio": lambda s, d: s.ireval.inversions(d, ir.Significance(adjust=None)),
        "correlation of orders": lambda s, d: s.ireval.agreement(d),
        "correlation of scores": lambda s, d: s.ireval.agreement(d, "pearson"),
    }
    scores = {}
    for name, (cube, depth) in contexts.items():
        deepest = cube.sizes["depth"]
        at = [k for k in grid if k <= deepest]
        scores[name] = (contributed(cube).ireval.score("nDCG", at=at), depth)
    facts = {}
    for quantity, measure in quantities.items():
        measures = [
            measure(s, d).sel(metric="nDCG").drop_vars("pool_depth", errors="ignore")
            for s, d in scores.values()
        ]
        names = pd.Index(scores, name="collection")
        joined = xr.concat(
            measures,
            dim=names,
            combine_attrs="drop_conflicts",
            join="outer",
            coords="minimal",
            compat="override",
        )
        facts[quantity] = joined.rename(quantity)

    def draw(values, ax):
        values.assign_attrs(pool_depth=0).ireval.plot.ratio_curves(ax=ax)
        legend_beside(ax)

    axes = ir.plots.panes(facts, draw, figsize=(9.4, 5.4))
    page.figure(axes[0], "panes")


def cell(scores, reference, metric):
    """Return discrimination, coverage and inversions of a metric at every depth, in percent."""
    arrays = [
        scores.ireval.discrimination(ir.Significance(adjust=None)),
        scores.ireval.coverage(reference, ir.Significance(adjust=None)),
        scores.ireval.inversions(reference, ir.Significance(adjust=None)),
    ]
    arrays = [100 * array.sel(metric=metric).to_numpy() for array in arrays]
    return ["/".join(f"{value:.1f}" for value in values) for values in zip(*arrays, strict=True)]


def ratios(made):
    """Tables 7 and 8."""
    for key, name in (("robust", "a"), ("covid", "b")):
        cube = contributed(made[key][0])
        reference = int(cube.experiment.pool.depth.max())
        at = sorted({*DEPTHS, reference})
        scores = cube.ireval.score(*TABLE_7, at=at)
        for number, metrics in enumerate((TABLE_7[:3], TABLE_7[3:]), 1):
            rows = {"k": at} | {m: cell(scores, reference, m) for m in metrics}
            page.table(rows, f"ratios-{name}-{number}")
        for short, metric in {"ap": AP, "q": "Q", "long": LONG, "short": SHORT}.items():
            last = scores.sel(depth=[reference, at[-1]], metric=[metric])
            arrays = {
                "d": last.ireval.discrimination(ir.Significance(adjust=None))[0, 0],
                "c": last.ireval.coverage(reference, ir.Significance(adjust=None))[0, 1],
                "i": last.ireval.inversions(reference, ir.Significance(adjust=None))[0, 1],
            }
            for ratio, value in arrays.items():
                page.facts(**{f"{name}_{short}_{ratio}": f"{float(value):.1%}"})
    reference, at = 7, [1, 4, 7, 10, 40, 100, 400]
    chosen = [AP, "Q", LONG, SHORT]
    condensed = contributed(made["covid"][0]).ireval.condense().ireval.score(*chosen, at=at)
    page.table({"k": at} | {m: cell(condensed, reference, m) for m in chosen}, "condensed")


def residuals(made):
    """Table 9, and the same for the metrics with a recall base."""
    for key in ("robust", "covid"):
        rows = {"k": DEPTHS}
        cube = contributed(made[key][0])
        means = cube.ireval.bounds(LONG, SHORT, "ERR", at=DEPTHS).mean(["system", "topic"])
        for metric in means["metric"].to_numpy():
            low, high = means.sel(metric=metric).transpose("bound", "depth").to_numpy()
            pairs = zip(low, high, strict=True)
            rows[metric] = [f"{a:.3f} + {b - a:.3f}" for a, b in pairs]
        page.table(rows, f"residuals-{key}")
    at = [1, 4, 7, 10, 40]
    means = cube.ireval.bounds(LONG, AP, "nDCG", "Q", at=at).mean(["system", "topic"])
    wide = means.sel(bound="upper") - means.sel(bound="lower")
    tail = 0.95 ** np.array(at)
    columns = {LONG: wide.sel(metric=LONG), "unread": tail}
    columns["unjudged"] = wide.sel(metric=LONG).to_numpy() - tail
    columns |= {metric: wide.sel(metric=metric) for metric in (AP, "nDCG", "Q")}
    rows = {
        name: [f"{value:.3f}" for value in np.asarray(values)] for name, values in columns.items()
    }
    page.table({"k": at} | rows, "widths")


def maps(made):
    """Figures 5 to 7, and what the matrices come to."""
    at, summary = range(1, 51), []
    robust = contributed(made["robust"][0].ireval.pooled(20)).ireval.score(AP, "nDCG", at=at)
    names = [AP, "nDCG", "ERR", LONG, AP_A, AP_C, ZIPF]
    covid = contributed(made["covid"][0]).ireval.score(*names, at=at)
    volatility = covid.sel(metric=names[:4]).ireval.volatility()
    both = {NAMES["robust"]: robust.ireval.volatility(), NAMES["covid"]: volatility}
    figure, axes = plt.subplots(3, 2, figsize=(9.4, 12), layout="constrained")
    panes = [(metric, *pair) for metric in (AP, "nDCG") for pair in both.items()]
    panes += [(metric, NAMES["covid"], volatility) for metric in ("ERR", LONG)]
    for ax, (metric, name, matrices) in zip(axes.flat, panes, strict=True):
        matrices.ireval.plot.volatility_map(metric=metric, ax=ax)
        ax.set_title(name, loc="right", fontsize=10)
    page.figure(figure, "maps", dpi=72)
    for name, matrices in both.items():
        stable = matrices.ireval.stability()
        for metric in matrices["metric"].to_numpy():
            row = {"collection": name, "metric": metric}
            row["stable from depth"] = f"{stable['stable_depth'].sel(metric=metric).item():.0f}"
            row["share above 0.9"] = f"{stable['share_above'].sel(metric=metric).item():.0%}"
            row["lowest τ"] = f"{matrices.sel(metric=metric).min().item():.2f}"
            summary.append(row)
    page.table(summary, "stability")
    pairs = [(AP_A, AP), (AP_C, AP), ("nDCG", ZIPF), ("nDCG", AP), (LONG, "nDCG"), (LONG, AP)]
    figure, axes = plt.subplots(3, 2, figsize=(9.4, 12), layout="constrained")
    rows = []
    for ax, (down, across) in zip(axes.flat, pairs, strict=True):
        matrix = covid.sel(metric=[down, across]).ireval.volatility(across)
        matrix.ireval.plot.volatility_map(metric=down, ax=ax)
        values = matrix.sel(metric=down).transpose("depth", "depth_other").to_numpy()
        same = np.diagonal(values)
        row = {"vertical": down, "horizontal": across, "above 0.9": f"{(values > 0.9).mean():.0%}"}
        row["τ at the same depth"] = f"{np.nanmin(same):.2f} to {np.nanmax(same):.2f}"
        best = [int(depth) + 1 for depth in np.nanargmax(values[[4, 9, 19]], axis=1)]
        row["closest to depths 5, 10, 20"] = ", ".join(map(str, best))
        rows.append(row)
    page.figure(figure, "maps-cross", dpi=72)
    page.table(rows, "cross")


def main():
    """Write everything beside this script."""
    read_in = read(data_folder(__doc__))
    warnings.simplefilter("ignore", ir.errors.IrframeWarning)
    made = cubes(read_in)
    for write in (pools, left_out, curves, panes, ratios, residuals, maps):
        write(made)
    ties(read_in)


if __name__ == "__main__":
    main()
