"""Tables of the page "Ties" from real runs.

Usage: python docs/real/ties.py DATA, where DATA holds what tracks.py reads.
"""

from shown import Page, data_folder
from tracks import COVID, ROBUST, TRACKS, read_track

import irframe as ir

PAGE = Page("ties")
METRICS = ["RBP(p=0.8)", "nDCG@10", "P@5", "AP"]


def rates(collections, cubes):
    """Write tie rates, and what the order of ties does to the order of systems."""
    rows = []
    for name, (runs, qrels) in collections.items():
        means = cubes[name].ireval.tie_rates().mean("topic")
        tau = runs.ireval.tie_agreement(qrels, METRICS).squeeze("depth").to_series()
        row = {
            "collection": name,
            "runs": len(means),
            "runs with ties": int((means > 0).sum()),
            "median rate": f"{float(means.median()):.1%}",
            "highest rate": f"{float(means.max()):.0%}",
        }
        rows.append(row | {f"tau {metric}": f"{tau[metric]:.4f}" for metric in METRICS})
    PAGE.table(rows, "rates")
    covid = rows[list(collections).index(COVID)]
    PAGE.facts(covid_tied=covid["runs with ties"], covid_runs=covid["runs"])


def ranges(cube, name):
    """Write the ranges of scores over tie orders of the runs with the most ties."""
    ranges_of_scores = cube.ireval.tie_ranges(*METRICS)
    deepest = ranges_of_scores.isel(depth=-1).mean("topic")
    means = cube.ireval.tie_rates().mean("topic").to_series().sort_values(ascending=False)
    rows = []
    for system, rate in means.head(6).items():
        row = {"run": system, "tie rate": f"{rate:.0%}"}
        for metric in METRICS:
            low, high = deepest.sel(metric=metric, system=system).to_numpy()
            row[metric] = f"{low:.3f} to {high:.3f}"
        rows.append(row)
    PAGE.table(rows, f"ranges-{name}")
    if name == "robust":
        most = means.index[0]
        low, high = deepest.sel(metric="nDCG@10", system=most).to_numpy()
        PAGE.facts(most=most, rate=f"{means[most]:.0%}", low=f"{low:.2f}", high=f"{high:.2f}")


def swaps(cubes):
    """Write how many pairs of systems the order of ties could swap."""
    rows = []
    for name, cube in cubes.items():
        pairs = cube.ireval.tie_ranges(*METRICS, at=cube.sizes["depth"]).ireval.decide()
        shares = 1 - pairs.groupby("metric")["decided"].mean()
        row = {"collection": name, "pairs": len(pairs) // len(METRICS)}
        rows.append(row | {metric: f"{shares[metric]:.1%}" for metric in METRICS})
    PAGE.table(rows, "swaps")


def main():
    """Write everything."""
    data = data_folder(__doc__)
    collections = {name: read_track(data, name) for name in TRACKS}
    cubes = {name: ir.cube(*track) for name, track in collections.items()}
    rates(collections, cubes)
    ranges(cubes[ROBUST], "robust")
    ranges(cubes[COVID], "covid")
    swaps(cubes)


if __name__ == "__main__":
    main()
