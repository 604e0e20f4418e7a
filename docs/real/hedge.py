"""Tables and figures of the page "One metric and a hedge" from real runs.

Usage: python docs/real/hedge.py DATA, where DATA holds what tracks.py reads.
"""

import pandas as pd
from shown import Page, data_folder
from tracks import COVID, ROBUST, TRACKS, read_cube

import irframe as ir

PAGE = Page("hedge")
DEPTHS = [5, 10, 15, 20, 50, 100]
METRICS = ["RR", "P", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "nDCG(gain='binary')"]


def separability(cubes):
    """Write how often two rankings leave a metric no choice."""
    rows = []
    for k in DEPTHS:
        columns = {"random pairs": ir.agreements.random_separability(k).shares}
        for name, cube in cubes.items():
            columns[name] = ir.verbs.separability(cube, depth=k).sel(depth=k).to_numpy()
        shares = {name: " / ".join(f"{100 * v:.2f}" for v in c) for name, c in columns.items()}
        rows.append({"k": k} | shares)
    PAGE.table(rows, "separability")


def report(cube):
    """Write the report of all runs against the median one."""
    means = cube.ireval.score("RBP(p=0.8)", at=10).mean("topic")[0].to_series()
    median = means.sort_values(ascending=False).index[len(means) // 2]
    comparison = cube.ireval.compare_orderings(
        baseline=median, metric="RBP(p=0.8)@10", test=ir.Significance(adjust=None)
    )
    comparison = comparison.sort_values("difference", ascending=False)
    table = pd.DataFrame(
        {
            "system": comparison["system_a"],
            "mean": comparison["mean_a"].map("{:.3f}".format),
            "difference": comparison["difference"].map("{:+.3f}".format) + comparison["mark"],
            "p (t-test)": comparison["p"].map("{:.4f}".format),
            **{f"`{group}`": comparison[group] for group in ("**ns", "ns", "=", "ni", "**ni")},
            "p (orderings)": comparison["p_orderings"].map("{:.4f}".format).replace("nan", ""),
        }
    )
    PAGE.table(table, "report")
    PAGE.facts(
        baseline=median,
        baseline_mean=f"{means[median]:.3f}",
        significant=comparison["dagger"].sum(),
        corroborated=comparison["double_dagger"].sum(),
    )


def side_by_side(cube):
    """Draw the best run by P@10 against the one at the first quartile."""
    means = cube.ireval.score("P", at=10).mean("topic")[0].to_series()
    ranked = means.sort_values(ascending=False).index
    a, b = ranked[0], ranked[len(ranked) // 4]
    pair = cube.ireval.side_by_side(a, b, *METRICS, depth=10)
    sizes = [str(size) for size in pair["count"].isel(depth=-1).to_numpy()]
    PAGE.facts(
        groups=", ".join(sizes[:-1]) + f" and {sizes[-1]}",
        superior=sizes[1],
        inferior=sizes[3],
        sign_p=f"{pair['p'][-1].item():.2f}",
    )
    PAGE.figure(pair.ireval.plot.orderings(), "lineup")


def significance_agreement(cube, name, tests):
    """Draw how often significance on a metric and without one agree."""
    checked = cube.ireval.significance_agreement(
        *METRICS, test=ir.Significance(tests, adjust=None), at=[5, 10, 20, 50, 100]
    )
    size = (11, 1 + 3 * len(tests))
    axes = checked.ireval.groupby("test").plot.agreement_bars(columns=1, figsize=size)
    PAGE.figure(axes[0], f"bars-{name}")
    return checked.isel(test=[0])


def agreements(checked):
    """Say on which share of the pairs the two agree, and on how many they oppose each other."""
    covid = checked[COVID].squeeze("test", drop=True)
    share = covid["share"].sel(category=["Both: Yes", "Both: No"]).sum("category").to_series()
    for end, (metric, depth) in {"least": share.idxmin(), "most": share.idxmax()}.items():
        PAGE.facts(
            **{end: f"{share[metric, depth]:.0%}", f"{end}_by": f"{metric} at depth {depth}"}
        )
    for name, short in ((COVID, "covid"), (ROBUST, "robust")):
        agreement = checked[name].squeeze("test", drop=True)
        opposed = (
            agreement["share"].sel(category="Both: Opposed") * agreement.sizes["pair"]
        ).to_series()
        opposed = opposed[opposed > 0].round().astype(int)
        by = [f"{count} by {metric} at depth {depth}" for (metric, depth), count in opposed.items()]
        PAGE.facts(**{f"{short}_opposed": " and ".join(by)})
        PAGE.facts(**{f"{short}_pairs": f"{agreement.sizes['pair']:,}"})


def main():
    """Write everything beside this script."""
    folder = data_folder(__doc__)
    cubes = {name: read_cube(folder, name, depth=100) for name in TRACKS}
    separability(cubes)
    report(cubes[ROBUST])
    side_by_side(cubes[ROBUST])
    checked = {
        ROBUST: significance_agreement(cubes[ROBUST], "robust", ["t", "wilcoxon", "sign"]),
        COVID: significance_agreement(cubes[COVID], "covid", ["t"]),
    }
    agreements(checked)
    PAGE.figure(checked[COVID].ireval.plot.agreement_triangle(metric="P", depth=10), "triangle")


if __name__ == "__main__":
    main()
