"""Tables and figures of the page "One metric and a hedge" from real runs.

Usage: python docs/real/hedge.py DATA, where DATA holds robust03 and trec-covid-round1, each with
qrels.txt and runs/*.gz.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import pandas as pd

import irframe as ir

HERE = Path(__file__).parent
COLLECTIONS = {"TREC 2003 Robust": "robust03", "TREC-COVID round 1": "trec-covid-round1"}
DEPTHS = [5, 10, 15, 20, 50, 100]
METRICS = ["RR", "P", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "nDCG(gain='binary')"]


def read_cube(folder):
    """Return the cube of a collection, 100 ranks deep."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    return runs.ireval.cube(ir.read_qrels(folder / "qrels.txt"), depth=100)


def write_table(frame, name):
    """Write a frame as a Markdown table."""
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.astype(str).to_numpy()]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    (HERE / f"hedge-{name}.md").write_text(text, encoding="utf-8")


def separability(cubes):
    """Write how often two rankings leave a metric no choice."""
    rows = []
    for k in DEPTHS:
        columns = {"random pairs": ir.random_separability(k).shares}
        for name, cube in cubes.items():
            columns[name] = ir.separability(cube, depth=k).sel(depth=k).to_numpy()
        shares = {name: " / ".join(f"{100 * v:.2f}" for v in c) for name, c in columns.items()}
        rows.append({"k": k} | shares)
    write_table(pd.DataFrame(rows), "separability")


def report(cube):
    """Write the report of all runs against the median one."""
    means = cube.ireval.score("RBP(p=0.8)", at=10).mean("topic")[0, :, 0].to_series()
    median = means.sort_values(ascending=False).index[len(means) // 2]
    found = cube.ireval.corroborate(baseline=median, metric="RBP(p=0.8)@10")
    found = found.sort_values("difference", ascending=False)
    table = pd.DataFrame(
        {
            "system": found["system_a"],
            "mean": found["mean_a"].map("{:.3f}".format),
            "difference": found["difference"].map("{:+.3f}".format) + found["mark"],
            "p (t-test)": found["p"].map("{:.4f}".format),
            **{f"`{group}`": found[group] for group in ("**ns", "ns", "=", "ni", "**ni")},
            "p (orderings)": found["p_orderings"].map("{:.4f}".format).replace("nan", ""),
        }
    )
    write_table(table, "report")
    print("baseline", median, f"{means[median]:.3f}")  # noqa: T201 - a script reports


def line_up(cube):
    """Draw the best run by P@10 against the one at the first quartile."""
    means = cube.ireval.score("P", at=10).mean("topic")[0, :, 0].to_series()
    ranked = means.sort_values(ascending=False).index
    a, b = ranked[0], ranked[len(ranked) // 4]
    pair = cube.ireval.line_up(a, b, *METRICS, depth=10)
    print(a, b, pair["count"].isel(depth=-1).to_series().to_dict(), pair["p"][-1].item())  # noqa: T201
    pair.ireval.plot.orderings().figure.savefig(HERE / "hedge-lineup.png", dpi=80)


def cross_check(cube, name, tests):
    """Draw how often significance on a metric and without one agree."""
    checked = cube.ireval.cross_check(*METRICS, test=tests, at=[5, 10, 20, 50, 100])
    size = (11, 1 + 3 * len(tests))
    axes = checked.ireval.plot.panes(ir.plots.agreement_bars, by="test", columns=1, figsize=size)
    axes[0].figure.savefig(HERE / f"hedge-bars-{name}.png", dpi=80)
    agree = checked["share"].sel(category=["Both: Yes", "Both: No"]).sum("category")
    print(name, "agree", agree.isel(test=0).to_pandas().round(3))  # noqa: T201
    return checked


def main():
    """Write everything beside this script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the collections")
    folder = parser.parse_args().data
    mpl.use("agg")
    cubes = {name: read_cube(folder / place) for name, place in COLLECTIONS.items()}
    separability(cubes)
    robust, covid = cubes.values()
    report(robust)
    line_up(robust)
    cross_check(robust, "robust", ["t", "wilcoxon", "sign"])
    checked = cross_check(covid, "covid", ["t"])
    figure = checked.ireval.plot.agreement_triangle(metric="P", depth=10).figure
    figure.savefig(HERE / "hedge-triangle.png", dpi=80)


if __name__ == "__main__":
    main()
