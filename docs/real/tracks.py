"""The collections that several scripts of this folder read.

The folder of the data holds robust03 and trec-covid-round1, each with qrels.txt and runs/*.gz, the
second with leaderboard.csv, too; and score-matrices with a table of topics by systems per metric.
"""

import pandas as pd

import irframe as ir

ROBUST, COVID = "TREC 2003 Robust", "TREC-COVID round 1"
OFFICIAL = {
    "ndcg@10": "nDCG@10",
    "p@5": "P@5",
    "RBP(p=.5)": "RBP(p=0.5, gain='linear')",
    "bpref": "Bpref",
    "MAP": "AP",
}
"""Column of TREC-COVID's published leaderboard -> metric."""
LAST_OLD = 600
"""Greatest number of a topic of the Robust track that was judged in an earlier year."""
TRACKS = {ROBUST: "robust03", COVID: "trec-covid-round1"}


def read_folder(folder, **options):
    """Return the runs and the judgments of a collection; options as of `irframe.read_runs`."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")), **options)
    return runs, ir.read_qrels(folder / "qrels.txt")


def read_track(data, name):
    """Return runs and judgments; TREC-COVID's runs with their team, and if they contributed."""
    folder = data / TRACKS[name]
    runs, qrels = read_folder(folder)
    if name == COVID:
        published = pd.read_csv(folder / "leaderboard.csv", index_col="run")
        runs["team"] = runs["system"].map(published["team"])
        runs["contributing"] = runs["system"].map(published["contributed judgments"].eq("yes"))
    return runs, qrels


def read_matrix(data, name, metric):
    """Return scores by one metric, a table of topics by systems, as a long frame."""
    table = pd.read_csv(data / "score-matrices" / f"{name}.csv")
    long = table.rename_axis("topic").melt(ignore_index=False, var_name="system").reset_index()
    return long.assign(measure=metric)


def read_cube(data, name, **options):
    """Return the cube of a collection."""
    runs, qrels = read_track(data, name)
    return runs.ireval.cube(qrels, **options)


def read_pooled_robust(data, pool_depth):
    """Return the cube of the Robust track's new topics, which its runs were pooled for.

    The older half of the topics had been judged in earlier years, from other runs.
    """
    cube = read_cube(data, ROBUST, pool=pool_depth)
    return cube.isel(topic=cube["topic"].astype(int).to_numpy() > LAST_OLD)
