"""``irframe demo``: the embedded track, evaluated and explained."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.commands.answer import Answer, written
from irframe.commands.evaluate import means
from irframe.frames.atomic import atomic
from irframe.names import DEPTH, METRIC, SYSTEM


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--files", metavar="FOLDER", help="write the track there instead, to try the commands on"
    )


def run(options: Namespace) -> Answer:
    """Evaluate the track that comes with irframe, or write its files."""
    if options.files is None:
        return Answer(_shown())
    _write(Path(options.files))
    return Answer(None)


def _write(folder: Path) -> None:
    """Write judgments, a run for each system, and a table of the systems."""
    runs, qrels = ir.example_track()
    Path(folder, "runs").mkdir(parents=True, exist_ok=True)
    ir.verbs.write_qrels(qrels, folder / "qrels.txt")
    for system, run in runs.groupby(SYSTEM, sort=False):
        ir.verbs.write_run(run, folder / "runs" / f"{system}.gz")
    known = runs[[SYSTEM, "team", "contributing"]].drop_duplicates()
    with atomic(folder / "systems.csv") as stream:
        known.to_csv(stream, index=False)


def _shown() -> str:
    """Return what is to be seen on the track, and how to see it."""
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)
    systems, topics, depth = cube["grade"].shape
    pool = int(cube["pool_depth"].min())
    scores = ir.evaluate(runs, qrels, ["AP", "nDCG@10", "RBP(p=0.8)"])
    versus = ir.verbs.compare(scores, adjust="holm", baseline="bm25").query("metric == 'AP'")
    columns = ["system_a", "difference", "ci_low", "ci_high", "p_adjusted", "wins", "losses"]
    return (
        f"A simulated track: {systems} systems, {topics} topics, lists of {depth}, judged by "
        f"pooling some\nof the runs to depth {pool}. Everything below is a line of code each.\n\n"
        "Mean scores, runs.ireval.evaluate(qrels, [...]).ireval.summary():\n\n"
        f"{written(means(scores), 'table')!s}\n"
        "AP against bm25, scores.ireval.compare('t', adjust='holm', baseline='bm25'):\n\n"
        f"{versus[columns].to_string(index=False, float_format='{:.3f}'.format)}\n\n"
        "The same question at other depths, for AP(norm='min'): the share of significant pairs,\n"
        "the share of those at the pool depth that is confirmed, and Kendall's tau\n"
        "between the orderings there and at the pool depth:\n\n"
        f"{_by_depth(cube, pool).to_string(float_format='{:.2f}'.format)}\n\n"
        "Where to go next: ir.read_runs('runs/*.gz') and ir.read_qrels('qrels.txt') for your own\n"
        "files, or irframe evaluate QRELS RUN... -m AP nDCG@10; irframe demo --files track writes\n"
        "those of this track.\n"
    )


def _by_depth(cube: xr.Dataset, reference: int) -> pd.DataFrame:
    scores = ir.verbs.score(cube, "AP(norm='min')")
    columns = {
        "discrimination": ir.verbs.discrimination(scores),
        "coverage": ir.verbs.coverage(scores, reference),
        "tau": ir.verbs.volatility(scores).sel(depth_other=reference),
    }
    depths = [k for k in (1, 2, 5, 10, 20, 50) if k <= cube.sizes[DEPTH]]
    return pd.DataFrame(
        {name: values.isel({METRIC: 0}).sel({DEPTH: depths}) for name, values in columns.items()},
        index=pd.Index(depths, name=DEPTH),
    )
