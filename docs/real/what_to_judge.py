"""Tables and figures of the page "What should be judged next?" from real runs.

Usage: python docs/real/what_to_judge.py DATA, where DATA holds what tracks.py reads, and
trec-dl-2021-judges with runs/*.gz, qrels.nist.txt and qrels.gpt4o.txt.
"""

import re
import time

from scipy.special import stdtrit
from shown import Page, data_folder
from tracks import COVID, ROBUST, read_track

import irframe as ir

PAGE = Page("what-to-judge")
DL = "TREC 2021 Deep Learning"
METHODS = ["pool", "mtf", "maxmean(credit='run')", "maxmean", "leverage"]
BUDGETS = [10, 30, 60, 100, 200, 300]
SAMPLES = 8
DEPTH = 100
RELEVANT = {COVID: 2, ROBUST: 1, DL: 2}
"""Lowest relevant grade."""
TRIAL = {
    COVID: {
        "pool": (0.720, 0.853, 0.903, 0.936, 0.986),
        "mtf": (0.677, 0.860, 0.927, 0.956, 0.988),
        "maxmean(credit='run')": (0.660, 0.815, 0.907, 0.963, 0.991),
        "maxmean": (0.692, 0.842, 0.904, 0.953, 0.992),
        "leverage": (0.817, 0.892, 0.933, 0.962, 0.991),
    },
    ROBUST: {
        "pool": (0.521, 0.828, 0.884, 0.932, 0.981),
        "mtf": (0.602, 0.837, 0.896, 0.939, 0.981),
        "maxmean(credit='run')": (0.609, 0.809, 0.880, 0.910, 0.991),
        "maxmean": (0.479, 0.821, 0.872, 0.941, 0.993),
        "leverage": (0.596, 0.860, 0.884, 0.939, 0.993),
    },
    DL: {
        "pool": (0.841, 0.916, 0.941, 0.965, 0.996),
        "mtf": (0.749, 0.891, 0.943, 0.975, 0.996),
        "maxmean(credit='run')": (0.699, 0.802, 0.878, 0.955, 0.996),
        "maxmean": (0.797, 0.898, 0.962, 0.981, 0.994),
        "leverage": (0.866, 0.926, 0.953, 0.972, 0.997),
    },
}
"""What was kept in the trials by which leverage was chosen, with eight other halves."""
TEAM = re.compile(
    "Fast_Forward|NLE|TUW|WLU|(bl_)?bcai|ielab|ihsm|mono|pash|pass|paug|p_|top1000|uogTr|wat|yorku"
)
"""How the names of runs begin that a team of the deep learning track submitted."""
SAME = {"bl_bcai": "bcai", "paug": "p_", "top1000": "pass"}
"""Beginnings that mean a team which other names of runs mean, too."""


def read(data, name):
    """Return runs with their team, and judgments."""
    if name != DL:
        runs, qrels = read_track(data, name)
        return (runs if name == COVID else runs.assign(team=runs["system"])), qrels
    folder = data / "trec-dl-2021-judges"
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    begins = {system: TEAM.match(system).group() for system in runs["system"].unique()}
    teams = {system: SAME.get(begin, begin) for system, begin in begins.items()}
    return runs.assign(team=runs["system"].map(teams)), ir.read_qrels(folder / "qrels.nist.txt")


def replayed(cube, rel):
    """Return what budgets buy where a random half of the teams helps to judge."""
    options = {"contributing_share": 0.5, "together": "team", "resamples": SAMPLES, "rel": rel}
    test = ir.Significance("t", adjust=None)
    return cube.ireval.replay(METHODS, BUDGETS, f"AP(rel={rel})", test=test, **options)


def trial(replays):
    """Write where what is kept differs from the trials by more than two standard errors."""
    rows, cells = [], 0
    for name, methods in TRIAL.items():
        shares, ends = (
            replays[name][variable].squeeze("metric") for variable in ("kept", "kept_interval")
        )
        half = ends.diff("bound").squeeze("bound") / 2 / stdtrit(SAMPLES - 1, 0.975)
        for method, before in methods.items():
            for budget, old in zip(BUDGETS[:-1], before, strict=True):
                position = {"strategy": method, "budget": budget}
                new, error = shares.sel(position).item(), half.sel(position).item() * 2**0.5
                cells += 1
                if abs(new - old) > 2 * error:
                    row = {"collection": name, "method": f"`{method}`", "judgments": budget}
                    row |= {"here": f"{new:.3f}", "in the trial": f"{old:.3f}"}
                    rows.append(row | {"standard errors apart": f"{(new - old) / error:+.1f}"})
    PAGE.table(rows, "trial")
    PAGE.facts(apart=len(rows), compared=cells)


def cells(replays, variable, digits):
    """Return a table of means and half widths of their intervals, a row for each method."""
    mean = replays[variable]
    if "metric" in mean.dims:
        mean = mean.squeeze("metric", drop=True)
    ends = replays[f"{variable}_interval"]
    ends = ends.squeeze("metric", drop=True) if "metric" in ends.dims else ends
    half = (ends.sel(bound="upper") - ends.sel(bound="lower")) / 2
    rows = {"method": [f"`{name}`" for name in mean["strategy"].to_numpy()]}
    for budget in mean["budget"].to_numpy():
        pairs = zip(mean.sel(budget=budget), half.sel(budget=budget), strict=True)
        rows[str(budget)] = [f"{m:.{digits}f} ± {h:.{digits}f}" for m, h in pairs]
    return rows


def tables(replays):
    """Write what budgets buy, collection by collection."""
    digits_by_variable = {"kept": 3, "changed": 3, "found": 1, "tau": 3, "change": 1}
    for name, label in {COVID: "covid", ROBUST: "robust", DL: "dl"}.items():
        for variable, digits in digits_by_variable.items():
            PAGE.table(cells(replays[name], variable, digits), f"{variable}-{label}")
        counts = replays[name]["conclusions"].squeeze("metric", drop=True).round(0).astype(int)
        rows = {"method": [f"`{method}`" for method in METHODS]}
        for budget in (30, 100):
            for kind in ("kept", "lost", "new", "reversed"):
                shown = counts.sel(budget=budget, conclusion=kind)
                rows[f"{kind}, {budget}"] = shown.to_numpy()
        PAGE.table(rows, f"conclusions-{label}")


def facts(replays, seconds):
    """Write numbers that stand in running text."""
    for name, label in {COVID: "covid", ROBUST: "robust", DL: "dl"}.items():
        shares = replays[name]["kept"].squeeze("metric", drop=True).to_pandas()
        PAGE.facts(
            **{
                f"{label}_{method}_{budget}": f"{shares.loc[method, budget]:.0%}"
                for method in ("pool", "mtf", "maxmean", "leverage")
                for budget in (10, 30, 60, 100)
            }
        )
    PAGE.facts(seconds=f"{seconds:.0f}", samples=SAMPLES)


if __name__ == "__main__":
    data = data_folder(__doc__)
    found, start = {}, time.perf_counter()
    for name in (COVID, ROBUST, DL):
        runs, qrels = read(data, name)
        cube = runs.ireval.cube(qrels, depth=DEPTH)
        found[name] = replayed(cube, RELEVANT[name])
    tables(found)
    trial(found)
    axes = ir.plots.panes(found, ir.plots.budget_curves, figsize=(11.5, 3.6))
    PAGE.figure(axes[0], "kept")
    facts(found, time.perf_counter() - start)
