"""Tables, figures and numbers of the page "A shared task, from folder to report", from real runs.

Usage: python docs/real/shared_task.py DATA, where DATA holds trec-covid-round1 with qrels.txt,
runs/*.gz and leaderboard.csv.
"""

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from shown import Page, data_folder
from tracks import OFFICIAL

import irframe as ir
from irframe.diagnostics.check import SEVERITY
from irframe.plots.canvas import COLOURS

PAGE = Page("shared-task")
SENT = "UIowaS_Run3"
"""The run whose sheet is shown; the report shows it, too."""
TOOK = {}


@contextmanager
def timed(name):
    """Note how long something takes."""
    start = time.perf_counter()
    yield
    TOOK[name] = f"{time.perf_counter() - start:.1f}"


def checked(runs, qrels):
    """Write how many runs each kind of finding concerns."""
    with timed("check"):
        findings = runs.ireval.check(qrels)
    kinds = findings["found"].explode().dropna()
    rows = [(f"`{kind}`", SEVERITY[kind], number) for kind, number in kinds.value_counts().items()]
    PAGE.table(pd.DataFrame(rows, columns=["what was found", "severity", "runs"]), "check")
    most = findings["ties"].astype(float).idxmax()
    tied = runs[runs["system"] == most].duplicated(["topic", "score"], keep=False)
    PAGE.facts(
        runs=len(findings),
        rows=f"{len(runs) / 1e6:.1f} million",
        sound=int((~findings["severity"].isin(["error", "warning"])).sum()),
        errors=int((findings["severity"] == "error").sum()),
        most_tied=f"`{most}`",
        most_tied_rows=f"{len(tied):,}",
        most_shared=f"{tied.sum():,}",
    )
    return findings


def pooled(runs, qrels, findings, contributing):
    """Write what the contributing runs bring to pools, and draw what they leave unjudged."""
    rows = []
    for depth in (5, 7, 10, 20):
        pool = runs.ireval.pool(depth, together="team")
        pairs = pool.drop_duplicates(["topic", "doc"])
        judged = pairs.merge(qrels, how="left", on=["topic", "doc"])["grade"].notna()
        teams = pool[pool["unique"]].drop_duplicates(["team", "topic", "doc"])
        rows.append(
            {
                "pool depth": depth,
                "documents": f"{len(pairs):,}",
                "judged": f"{judged.mean():.1%}",
                "left to judge": f"{(~judged).sum():,}",
                "of one team alone": f"{len(teams) / len(pairs):.0%}",
            }
        )
    PAGE.table(rows, "pool")
    share = findings["unjudged_at_10"]
    ax = _histogram(share[contributing], share[~contributing])
    PAGE.figure(ax, "unjudged")
    PAGE.facts(
        contributed=int(contributing.sum()),
        others=int((~contributing).sum()),
        unjudged_in=f"{share[contributing].median():.0%}",
        unjudged_out=f"{share[~contributing].median():.0%}",
        unjudged_most=f"{share.max():.0%}",
        judgments=f"{len(qrels):,}",
    )


def _histogram(inside, outside):
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the backend is chosen

    ax = plt.subplots(figsize=(7, 3), layout="constrained")[1]
    bins = np.linspace(0, 1, 21)
    colours = COLOURS[:2]
    ax.hist([inside, outside], bins, stacked=True, color=colours, label=["contributed", "did not"])
    ax.set(xlabel="share of the top 10 that is unjudged", ylabel="runs", xlim=(0, 1))
    ax.legend(frameon=False)
    return ax


def published(runs, qrels, board):
    """Write how far scores are from those that the track published."""
    computed = {}
    shown = {"measure": [f"`{metric}`" for metric in OFFICIAL.values()]}
    for label, precision in {"double": "float64", "single": "float32"}.items():
        with timed("score"):
            scores = runs.ireval.evaluate(
                qrels, list(OFFICIAL.values()), depth=1000, ties=ir.Ties(dtype=precision)
            )
        means = computed[label] = scores.groupby(level="system").mean()[[*OFFICIAL.values()]]
        off = (means - board[[*OFFICIAL]].set_axis(means.columns, axis=1)).abs()
        alike = (off <= 0.5e-4 + 1e-9).sum()
        shown[f"runs alike, {label} precision"] = [f"{count} of {len(off)}" for count in alike]
    PAGE.table(shown, "published")
    differs = (computed["double"] != computed["single"]).any(axis=1)
    off = (computed["double"] - computed["single"]).abs().max(axis=1)
    PAGE.facts(tied_by_precision=int(differs.sum()), most_by_precision=f"`{off.idxmax()}`")
    return scores


def ranked(scores):
    """Write what the board says of places, and a sheet."""
    with timed("leaderboard"):
        board = scores[["nDCG@10"]].ireval.leaderboard()
    drawn = scores[["nDCG@10"]].ireval.rank_intervals("bootstrap").droplevel("metric")
    PAGE.facts(
        tiers=int(board["tier"].max()),
        in_first=int((board["tier"] == 1).sum()),
        could_be_first=int(board["could_be_first"].sum()),
        best=f"`{board.index[0]}`",
        first=f"{drawn.loc[board.index[0], 'first']:.0%}",
        width=int((board["rank_high"] - board["rank_low"] + 1).median()),
    )
    sheet = scores[["nDCG@10"]].ireval.sheet(SENT).loc["nDCG@10"]
    below = (sheet["score"] - sheet["median"]).sort_values().index
    shown = sheet.loc[below].iloc[[0, 1, 2, -2, -1]].reset_index()
    numbers = shown[["score", "best", "median", "worst"]].map("{:.2f}".format)
    shown = shown[["topic"]].join(numbers).assign(rank=shown["rank"].astype(int))
    PAGE.table(shown, "sheet")
    PAGE.facts(sheet_of=f"`{SENT}`", sheet_rank=int(board.loc[SENT, "rank"]))


def kept(runs, qrels):
    """Note what a saved cube weighs, and how long it takes to open and to score again."""
    with timed("cube"):
        cube = runs.ireval.cube(qrels)
    with TemporaryDirectory() as folder:
        path = Path(folder, "task")
        cube.ireval.save(path)
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        with timed("again"):
            ir.open_cube(path).ireval.score("nDCG", at=10).compute()
    PAGE.facts(pool_depth=int(cube.experiment.pool.depth.max()), saved=f"{size / 1e6:.0f} MB")


def commands(folder):
    """Note how long the commands take, reading included."""
    with TemporaryDirectory() as out:
        arguments = {
            "check": [],
            "leaderboard": ["-m", "nDCG@10"],
            "report": ["-m", "nDCG@10", "AP", "-o", f"{out}/report.html"],
        }
        for name, further in arguments.items():
            line = [sys.executable, "-m", "irframe", name]
            with timed(name):
                files = [str(folder / "qrels.txt"), str(folder / "runs")]
                subprocess.run([*line, *files, *further], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - of our own making
            PAGE.facts(**{f"{name}_takes": f"{float(TOOK.pop(name)):.0f}"})


def main():
    """Write everything."""
    folder = data_folder(__doc__) / "trec-covid-round1"
    board = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    with timed("read"):
        runs = ir.read_runs(folder / "runs", on_error="skip")
        qrels = ir.read_qrels(folder / "qrels.txt")
    runs["team"] = runs["system"].map(board["team"])
    runs["contributing"] = runs["system"].map(board["contributed judgments"] == "yes")
    findings = checked(runs, qrels)
    flags = runs.drop_duplicates("system").set_index("system")["contributing"]
    pooled(runs, qrels, findings, flags.reindex(findings.index))
    scores = published(runs, qrels, board)
    ranked(scores)
    kept(runs, qrels)
    steps = {
        "read": "read the files", "check": "`check`", "score": "score five measures",
        "leaderboard": "`leaderboard`", "cube": "build the cube, depth 1,000",
        "again": "open the saved cube and score nDCG",
    }  # fmt: skip
    PAGE.table({"step": [*steps.values()], "seconds": [TOOK[name] for name in steps]}, "times")
    commands(folder)


if __name__ == "__main__":
    main()
