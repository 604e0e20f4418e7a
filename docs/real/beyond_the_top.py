"""Tables and figures of the page "Beyond the top of the ranking" from real runs.

Usage: python docs/real/beyond_the_top.py DATA, where DATA holds dl-hard and what
tracks.py reads.
"""

import numpy as np
import pandas as pd
from shown import Page, data_folder
from tracks import TRACKS, read_cube

import irframe as ir

PAGE = Page("beyond-the-top")
HARD = {"DL-HARD documents": "doc", "DL-HARD passages": "passage"}
METRICS = ["P@20", "ASL(first=10)", "AP", "ASL"]


def read_cubes(folder):
    """Return the cubes of all collections and their relevance thresholds."""
    cubes = {name: (read_cube(folder, name), 1) for name in TRACKS}
    for name, kind in HARD.items():
        files = sorted((folder / "dl-hard" / "baselines" / kind).glob("*"))
        runs = ir.read_runs([f for f in files if "eval" not in f.name], system="file")
        qrels = ir.read_qrels(folder / "dl-hard" / f"dl_hard-{kind}.qrels")
        cubes[name] = runs.ireval.cube(qrels), 2
    return cubes


def score_all(cube, rel):
    """Score the four metrics on the topics with relevant documents, under their plain names."""
    metrics = [ir.parse_metric(name) for name in METRICS]
    metrics = [type(m)(**(vars(m) | {"rel": rel})) for m in metrics]
    scores = cube.ireval.score(*metrics, at=cube.sizes["depth"], no_rel="nan")
    return scores.assign_coords(metric=METRICS).drop_vars("depth")


def long_enough(cube):
    """Return which systems list at least nine tenths of the depth for a topic on average."""
    return cube["retrieved"].mean("topic") >= 0.9 * cube.sizes["depth"]


def systems(cube, scores, name):
    """Write the means of all systems, best ASL first; return the best long run and the median."""
    means = scores.mean("topic").transpose("system", "metric").to_pandas().sort_values("ASL")
    table = means.rename(columns={"AP": "MAP"})
    for column in ("P@20", "MAP"):
        table[column] = table[column].map("{:.3f}".format)
    for column in ("ASL(first=10)", "ASL"):
        table[column] = table[column].map("{:.0f}".format)
    length = cube["retrieved"].mean("topic").to_series()[table.index]
    table.insert(0, "documents per topic", length.map("{:.0f}".format))
    PAGE.table(table.rename_axis("system").reset_index(), name)
    if name == "robust":
        PAGE.facts(shortest=f"{length.iloc[0]:.0f}", next_shortest=f"{length.iloc[1]:.0f}")
    long = means.index[long_enough(cube).sel(system=means.index).to_numpy()]
    return long[0], long[len(long) // 2]


def ablation(cubes):
    """Write what each step from MAP to ASL does."""
    rows = [
        {
            "collection": name,
            "runs": row["n_systems"],
            "step": row["step"],
            "Delta-Sort, %": f"{row['delta_sort']:.0f}",
            "by": row["system"],
            "Kendall": f"{row['kendall']:.2f}",
            "Delta-Value": f"{row['delta_value']:.3g}",
        }
        for name, (cube, rel) in cubes.items()
        for runs in (cube, cube.isel(system=long_enough(cube).to_numpy()))
        for row in runs.ireval.ablation(rel=rel).to_dict("records")
        if runs is cube or runs.sizes["system"] < cube.sizes["system"]
    ]
    PAGE.table(rows, "ablation")
    facts = {"sort": "Delta-Sort, %", "tau": "Kendall", "value": "Delta-Value"}
    for short, track in zip(("robust", "covid"), TRACKS, strict=True):
        last = [row for row in rows if row["collection"] == track][-1]  # long lists, all steps
        PAGE.facts(**{f"{short}_{fact}": last[column] for fact, column in facts.items()})


def top(cubes):
    """Write what share of the relevant documents an average of precision notices."""
    rows = []
    for name, (cube, rel) in cubes.items():
        lengths = cube.ireval.search_lengths(rel=rel)
        row = {"collection": name}
        for kind in ("map", "atomized"):
            share = 100 * lengths.ireval.effective_top(precision=kind)["share"]
            row[f"{kind}, mean"] = f"{share.mean():.0f}%"
            row[f"{kind}, standard deviation"] = f"{share.std():.0f}"
        rows.append(row)
    PAGE.table(rows, "effective")


def best_systems(scored):
    """Write and draw the best system of every collection."""
    tables = [scores.ireval.best_systems().assign(collection=name) for name, scores in scored]
    best = pd.concat(tables)[["collection", "metric", "system", "value"]]
    ax = ir.plots.best_systems(best[best["metric"].isin(["P@20", "ASL(first=10)"])])
    PAGE.figure(ax, "best-top")
    ax = ir.plots.best_systems(best[best["metric"].isin(["AP", "ASL"])])
    PAGE.figure(ax, "best-all")
    maps, lengths = (best.loc[best["metric"] == name, "value"] for name in ("AP", "ASL"))
    PAGE.facts(map_low=f"{maps.min():.2f}", map_high=f"{maps.max():.2f}")
    PAGE.facts(one_in_low=f"{1 / maps.max():.0f}", one_in_high=f"{1 / maps.min():.0f}")
    PAGE.facts(asl_low=f"{lengths.min():.0f}", asl_high=f"{lengths.max():.0f}")
    short = [f"{v:.3f}" if v < 1 else f"{v:.0f}" for v in best["value"]]
    text = best.assign(value=np.array(short) + " (" + best["system"].to_numpy(str) + ")")
    table = text.pivot_table(index="collection", columns="metric", values="value", aggfunc="first")
    PAGE.table(table.loc[best["collection"].unique(), METRICS].reset_index(), "best")


def draw(cube, best, median):
    """Draw the search lengths of the best system, and its wins and losses."""
    lengths = cube.ireval.search_lengths()
    histogram = lengths[lengths["system"] == best].ireval.length_histogram()
    PAGE.figure(histogram.ireval.plot.length_histogram(), "lengths")
    between = lengths.ireval.difference_histogram(best, median, bins=5, width=100)
    PAGE.figure(between.ireval.plot.difference_histogram(), "differences")
    outer = between.iloc[[0, -1]]
    PAGE.facts(
        relevant=f"{histogram['documents'].sum():,}",
        unretrieved=f"{histogram['share'].iloc[-1]:.0%}",
        wins=f"{between.loc[between['high'] < 0, 'documents'].sum():,}",
        losses=f"{between.loc[between['low'] > 0, 'documents'].sum():,}",
        outer=f"{outer['share'].sum():.0%}",
        outer_unretrieved=f"{outer['unretrieved'].sum() / outer['documents'].sum():.0%}",
    )


def main():
    """Write everything beside this script."""
    folder = data_folder(__doc__)
    cubes = read_cubes(folder)
    scored = [(name, score_all(cube, rel)) for name, (cube, rel) in cubes.items()]
    for (name, scores), short in zip(scored, ("robust", "covid"), strict=False):
        ends = systems(cubes[name][0], scores, short)
        if short == "covid":
            draw(cubes[name][0], *ends)
    ablation(cubes)
    top(cubes)
    best_systems([(n, s[:, long_enough(cubes[n][0]).to_numpy()]) for n, s in scored])


if __name__ == "__main__":
    main()
