"""``irframe demo``: the embedded track, evaluated and explained."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.commands.answer import Answer, written
from irframe.commands.evaluate import means
from irframe.cubes.view import experiment_of
from irframe.errors import InputError
from irframe.files.atomic import atomic
from irframe.names import DEPTH, METRIC, SYSTEM


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--files", metavar="FOLDER", help="write the track there instead, to try the commands on"
    )
    parser.add_argument(
        "--report", metavar="FILE", default="irframe-demo.html",
        help="where to write the HTML report; irframe-demo.html by default",
    )  # fmt: skip


def run(options: Namespace) -> Answer:
    """Evaluate the track that comes with irframe, or write its files."""
    if options.files is None:
        return Answer(_shown() + _reported(options.report))
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
    pool = int(experiment_of(cube).known_pool.depth.min())
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
        "The same at other depths, for AP(norm='min'):\n\n"
        f"{_by_depth(cube, pool).to_string(float_format='{:.2f}'.format)}\n\n"
        f"{_in_words(_by_depth(cube, pool), 5, pool)}\n"
        "Your own files: ir.read_runs('runs/*.gz') and ir.read_qrels('qrels.txt'), or\n"
        "irframe evaluate QRELS RUN... -m AP nDCG@10; irframe demo --files track writes those of\n"
        "this track.\n\n"
    )


def _in_words(depths: pd.DataFrame, depth: int, pool: int) -> str:
    """Return what the columns of the table mean, by one of its rows."""
    row = depths.loc[depth]
    return (
        f"In words, depth {depth}: {row['discrimination']:.0%} of the pairs of systems differ "
        f"significantly there. Of the\npairs that differ at depth {pool}, where judging stopped, "
        f"{row['coverage']:.0%} differ there too, in the same\ndirection: that is the coverage. "
        f"Kendall's tau compares the orders of the systems by their means:\n{row['tau']:.2f}, "
        "where 1 is the same order as at the pool depth and -1 the reverse.\n"
    )


def _reported(path: str) -> str:
    """Write the HTML report of the track, and say where it is, or what it lacks."""
    runs, qrels = ir.example_track()
    try:
        page = ir.report(runs, qrels, path, baseline="bm25", title="The example track")
    except (InputError, OSError) as error:
        return f"The HTML report of the track was not written: {error}\n"
    return f"The HTML report of the track, to open in a browser: {page.resolve()}\n"


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
