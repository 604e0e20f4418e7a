"""Tables and figures of the page "Beyond the top of the ranking" from real runs.

Usage: python docs/real/beyond_the_top.py DATA, where DATA holds robust03 and trec-covid-round1,
each with qrels.txt and runs/*.gz, and dl-hard.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
TRACKS = {"TREC 2003 Robust": "robust03", "TREC-COVID round 1": "trec-covid-round1"}
HARD = {"DL-HARD documents": "doc", "DL-HARD passages": "passage"}
METRICS = ["P@20", "ASL(first=10)", "AP", "ASL"]


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"beyond-the-top-{name}.md").write_text(text, encoding="utf-8")


def read_cubes(folder):
    """Return the cubes of all collections and their relevance thresholds."""
    cubes = {}
    for name, place in TRACKS.items():
        runs = ir.read_runs(sorted((folder / place / "runs").glob("*.gz")))
        cubes[name] = runs.ireval.cube(ir.read_qrels(folder / place / "qrels.txt")), 1
    for name, kind in HARD.items():
        files = sorted((folder / "dl-hard" / "baselines" / kind).glob("*"))
        runs = ir.read_runs([f for f in files if "eval" not in f.name], system="file")
        qrels = ir.read_qrels(folder / "dl-hard" / f"dl_hard-{kind}.qrels")
        cubes[name] = runs.ireval.cube(qrels), 2
    return cubes


def score_all(cube, rel):
    """Score the four metrics on the topics with relevant documents, under their plain names."""
    own = [ir.parse_metric(name) for name in METRICS]
    own = [type(m)(**(vars(m) | {"rel": rel})) for m in own]
    scores = cube.ireval.score(*own, at=cube.sizes["depth"], no_rel="nan")
    return scores.assign_coords(metric=METRICS).isel(depth=0, drop=True)


def long_enough(cube):
    """Return which systems list at least nine tenths of the depth for a topic on average."""
    return cube["retrieved"].mean("topic") >= 0.9 * cube.sizes["depth"]


def systems(cube, scores, name):
    """Write the means of all systems, best ASL first, and say how the metrics agree."""
    means = scores.mean("topic").transpose("system", "metric").to_pandas().sort_values("ASL")
    table = means.rename(columns={"AP": "MAP"})
    for column in ("P@20", "MAP"):
        table[column] = table[column].map("{:.3f}".format)
    for column in ("ASL(first=10)", "ASL"):
        table[column] = table[column].map("{:.0f}".format)
    length = cube["retrieved"].mean("topic").to_series()[table.index]
    table.insert(0, "documents per topic", length.map("{:.0f}".format))
    write_table(table.rename_axis("system").reset_index(), name)
    scores = scores[:, long_enough(cube).to_numpy()]
    means = means[means.index.isin(scores.indexes["system"])]
    for first, second in (("AP", "ASL"), ("P@20", "ASL(first=10)")):
        row = scores.sel(metric=[first, second]).ireval.reordering().iloc[0]
        print(name, row.to_dict())  # noqa: T201 - a script reports
    best, median = means.index[0], means.index[len(means) // 2]
    reduction = scores.ireval.rrie(baseline=median).query("system == @best")
    print(name, "best", best, "median", median)  # noqa: T201
    print(reduction.round(3).to_string())  # noqa: T201
    return best, median


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
        for part in (cube, cube.isel(system=long_enough(cube).to_numpy()))
        for row in part.ireval.ablation(rel=rel).to_dict("records")
        if part is cube or part.sizes["system"] < cube.sizes["system"]
    ]
    write_table(pd.DataFrame(rows), "ablation")


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
    write_table(pd.DataFrame(rows), "effective")


def best_systems(scored):
    """Write and draw the best system of every collection."""
    parts = [scores.ireval.best_systems().assign(collection=name) for name, scores in scored]
    best = pd.concat(parts)[["collection", "metric", "system", "value"]]
    ax = ir.plots.best_systems(best[best["metric"].isin(["P@20", "ASL(first=10)"])])
    ax.figure.savefig(HERE / "beyond-the-top-best-top.png", dpi=80)
    ax = ir.plots.best_systems(best[best["metric"].isin(["AP", "ASL"])])
    ax.figure.savefig(HERE / "beyond-the-top-best-all.png", dpi=80)
    short = [f"{v:.3f}" if v < 1 else f"{v:.0f}" for v in best["value"]]
    text = best.assign(value=np.array(short) + " (" + best["system"].to_numpy(str) + ")")
    table = text.pivot_table(index="collection", columns="metric", values="value", aggfunc="first")
    write_table(table.loc[best["collection"].unique(), METRICS].reset_index(), "best")


def draw(cube, best, median):
    """Draw the search lengths of the best system, and its wins and losses."""
    lengths = cube.ireval.search_lengths()
    own = lengths[lengths["system"] == best].ireval.length_histogram()
    figure = own.ireval.plot.length_histogram().figure
    figure.savefig(HERE / "beyond-the-top-lengths.png", dpi=80)
    between = lengths.ireval.difference_histogram(best, median, bins=5, width=100)
    figure = between.ireval.plot.difference_histogram().figure
    figure.savefig(HERE / "beyond-the-top-differences.png", dpi=80)
    print(own.to_string(), between.to_string())  # noqa: T201


def main():
    """Write everything beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the collections")
    folder = parser.parse_args().data
    mpl.use("agg")
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
