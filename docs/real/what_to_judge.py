"""Tables and figures of the page "What should be judged next?" from real runs.

Usage: python docs/real/what_to_judge.py DATA, where DATA holds what tracks.py reads, and
trec-dl-2021-judges with runs/*.gz, qrels.nist.txt and qrels.gpt4o.txt.
"""

import re
import time

import matplotlib.pyplot as plt
import pandas as pd
from shown import Page, data_folder
from tracks import COVID, ROBUST, read_track

import irframe as ir

PAGE = Page("what-to-judge")
DL = "TREC 2021 Deep Learning"
METHODS = ["pool", "mtf", "maxmean(credit='run')", "maxmean", "leverage"]
BUDGETS = [10, 30, 60, 100, 200, 300]
DEPTH = 100
PREFIXES = re.compile(
    "Fast_Forward|NLE|TUW|WLU|bcai|bl_bcai|ielab|ihsm|mono|pash|pass|paug|p_|top1000|uogTr|wat|yorku"
)
SAME = {"bl_bcai": "bcai", "paug": "p_", "top1000": "pass"}
"""Beginnings of names of runs that mean a team which other runs begin with, too."""


def team_of(system):
    """Return the team of a run of the deep learning track, by how its runs are called."""
    begins = PREFIXES.match(system).group()
    return SAME.get(begins, begins)


def read(data, name):
    """Return runs with their team, and judgments."""
    if name != DL:
        runs, qrels = read_track(data, name)
        return (runs if name == COVID else runs.assign(team=runs["system"])), qrels
    folder = data / "trec-dl-2021-judges"
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    teams = {system: team_of(system) for system in runs["system"].unique()}
    runs = runs.assign(team=runs["system"].map(teams))
    return runs, ir.read_qrels(folder / "qrels.nist.txt")


def kept(found):
    """Return the share of significant conclusions that are kept, and of all pairs that differ."""
    counts = found["conclusions"].squeeze("metric", drop=True)
    were = counts.sel(conclusion=["kept", "lost", "reversed"]).sum("conclusion")
    wrong = counts.sel(conclusion=["lost", "new", "reversed"]).sum("conclusion")
    return counts.sel(conclusion="kept") / were, wrong / counts.sum("conclusion")


def halves(cubes):
    """Return what random halves of the teams find, by collection, and the seconds that took."""
    found = {}
    for name, cube in cubes.items():
        start = time.perf_counter()
        options = {"share": 0.5, "together": "team", "samples": 8}
        found[name] = cube.ireval.replay(METHODS, BUDGETS, "AP", **options)
        print(
            (found[name].conclusions_interval.isel(bound=1) - found[name].conclusions)
            .sel(conclusion="kept")
            .squeeze()
            .to_pandas()
            / 2.36
            / found[name]
            .conclusions.sel(conclusion=["kept", "lost"])
            .sum("conclusion")
            .values.mean(),
            name,
            f"{time.perf_counter() - start:.0f} s",
            flush=True,
        )
        share, wrong = kept(found[name])
        print(share.to_pandas().round(3), wrong.to_pandas().round(3), flush=True)
        for part in ("found", "tau", "change"):
            print(part, found[name][part].squeeze().to_pandas().round(3), flush=True)
    return found


if __name__ == "__main__":
    data = data_folder(__doc__)
    cubes = {
        name: read(data, name)[0].ireval.cube(read(data, name)[1], depth=DEPTH)
        for name in (DL, ROBUST, COVID)
    }
    found = halves(cubes)
    import pickle

    pickle.dump(found, open("/tmp/halves.pkl", "wb"))
