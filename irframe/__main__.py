"""The command line: ``python -m irframe``."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.checks import choice, whole
from irframe.cubes.score import parse_metrics
from irframe.errors import DepthError, IrframeError, IrframeWarning
from irframe.frames.ranking import TIES
from irframe.names import DEPTH, METRIC, roles

FOLDER = "folder"
DEEPEST = 2**31 - 1
"""The greatest rank that a cube can hold."""
FORMATS = ("table", "csv", "json", "latex")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        The words after ``python -m irframe``; by default those of the process.

    Returns
    -------
    int
        The exit status: 0, or 2 after an error, which is printed.
    """
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", IrframeWarning)
            text = options.run(options)
    except (IrframeError, OSError, MemoryError) as error:
        return _tell(error)
    for each in told:
        _tell(f"warning: {each.message}")
    return _write(text)


def _write(text: str) -> int:
    try:
        print(text, end="", flush=True)
    except UnicodeError as error:
        return _tell(error)
    except OSError as error:  # what is left in the buffer would fail once more on leaving
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _tell(error)
    return 0


def _tell(message: object) -> int:
    """Print one line on stderr, and return the exit status of an error."""
    print("irframe:", " ".join(str(message).split()), file=sys.stderr)
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.exit(_tell(f"{message}; see {self.prog} --help"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m irframe", description="Evaluate retrieval runs at every depth."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    scoring = commands.add_parser("evaluate", help="score run files with a qrels file")
    scoring.set_defaults(run=_evaluate)
    scoring.add_argument("qrels", metavar="QRELS", help="qrels file")
    scoring.add_argument("runs", metavar="RUN", nargs="+", help="run files; packed ones too")
    scoring.add_argument(
        "-m", "--metric", nargs="+", required=True, metavar="METRIC", action="extend",
        help="metrics, such as AP nDCG@10 'RBP(p=0.8)', map_cut_10 or official",
    )  # fmt: skip
    scoring.add_argument("--depth", type=int, help="cut every list there; no metric may be deeper")
    scoring.add_argument("--ties", choices=TIES, default="trec", help="order of equal scores")
    scoring.add_argument("--per-topic", action="store_true", help="a row per system and topic")
    scoring.add_argument(
        "--by", metavar="COLUMN",
        help=f"summarise by a column of Parquet runs, or by '{FOLDER}', that of each run file",
    )  # fmt: skip
    scoring.add_argument(
        "--system", choices=("tag", "file"), default="tag", help="where systems get their names"
    )
    scoring.add_argument("--format", choices=FORMATS, default="table", help="of the output")
    demo = commands.add_parser("demo", help="evaluate the embedded track and explain the result")
    demo.set_defaults(run=_demo)
    return parser


def _evaluate(options: argparse.Namespace) -> str:
    metrics = _metrics(options)
    runs, qrels = _read(options), ir.read_qrels(options.qrels)
    if options.by is not None:
        choice("--by", options.by, [FOLDER, *_further(runs)])
    scores = ir.evaluate(
        runs, qrels, metrics, depth=options.depth, ties=options.ties, by=options.by
    )
    table = scores if options.per_topic else _means(scores, options.by)
    return _formatted(table, options.format)


def _metrics(options: argparse.Namespace) -> list[ir.Metric]:
    """Return the metrics, if none of them looks deeper than lists are read."""
    metrics = parse_metrics(options.metric)
    deepest = DEEPEST if options.depth is None else options.depth
    whole("--depth", deepest, low=1, high=DEEPEST, error=DepthError)
    deeper = [metric for metric in metrics if (metric.depth or 0) > deepest]
    if deeper:
        advice = "leave --depth out or make it deeper" if deepest < DEEPEST else ""
        raise DepthError(f"metrics down to depth {deepest} at most", "others", advice, deeper)
    return metrics


def _further(runs: pd.DataFrame) -> list[str]:
    """Return the names of columns that are no part of a run."""
    known = roles(runs.columns).values()
    return [str(name) for name in runs.columns if name not in known]


def _read(options: argparse.Namespace) -> pd.DataFrame:
    if options.by != FOLDER:
        return ir.read_runs(options.runs, system=options.system)
    folders: dict[str, list[str]] = {}
    for path in options.runs:
        folders.setdefault(Path(path).parent.name, []).append(path)
    parts = [
        ir.read_runs(paths, system=options.system).assign(**{FOLDER: folder})
        for folder, paths in folders.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _means(scores: pd.DataFrame, by: str | None) -> pd.DataFrame:
    summary = ir.summary(scores, by=by)
    means = summary["mean"].unstack(METRIC)  # noqa: PD010 - not a pivot
    rows = summary.reset_index(METRIC).index.unique()
    return pd.DataFrame(means).reindex(index=rows, columns=scores.columns)


def _formatted(table: pd.DataFrame, kind: str) -> str:
    if kind == "csv":
        return table.to_csv()
    if kind == "json":
        return str(table.reset_index().to_json(orient="records", indent=2)) + "\n"
    if kind == "latex":
        styled = table.rename_axis(columns=None).style.format(precision=4, escape="latex")
        for axis in (0, 1):
            styled = styled.format_index(escape="latex", axis=axis)
        return str(styled.to_latex(hrules=True))
    return table.rename_axis(columns=None).to_string(float_format="{:.4f}".format) + "\n"


def _demo(options: argparse.Namespace) -> str:  # noqa: ARG001 - every command gets them
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    systems, topics, depth = cube["grade"].shape
    pool = int(cube["pool_depth"].min())
    scores = ir.evaluate(runs, qrels, ["AP", "nDCG@10", "RBP(p=0.8)"])
    versus = ir.compare(scores, adjust="holm", baseline="bm25").query("metric == 'AP'")
    columns = ["system_a", "difference", "ci_low", "ci_high", "p_adjusted", "wins", "losses"]
    return (
        f"A simulated track: {systems} systems, {topics} topics, lists of {depth}, judged by "
        f"pooling some\nof the runs to depth {pool}. Everything below is a line of code each.\n\n"
        "Mean scores, runs.ireval.evaluate(qrels, [...]).ireval.summary():\n\n"
        f"{_formatted(_means(scores, None), 'table')}\n"
        "AP against bm25, scores.ireval.compare('t', adjust='holm', baseline='bm25'):\n\n"
        f"{versus[columns].to_string(index=False, float_format='{:.3f}'.format)}\n\n"
        "The same question at other depths, for AP(norm='min'): the share of pairs told apart,\n"
        "the share of those told apart at the pool depth that is confirmed, and Kendall's tau\n"
        "between the orderings there and at the pool depth:\n\n"
        f"{_by_depth(cube, pool).to_string(float_format='{:.2f}'.format)}\n\n"
        "Where to go next: ir.read_runs('runs/*.gz') and ir.read_qrels('qrels.txt') for your own\n"
        "files, or python -m irframe evaluate QRELS RUN... -m AP nDCG@10.\n"
    )


def _by_depth(cube: xr.Dataset, reference: int) -> pd.DataFrame:
    scores = ir.score(cube, "AP(norm='min')")
    columns = {
        "discrimination": ir.discrimination(scores),
        "coverage": ir.coverage(scores, reference),
        "tau": ir.volatility(scores).sel(depth_other=reference),
    }
    depths = [k for k in (1, 2, 5, 10, 20, 50) if k <= cube.sizes[DEPTH]]
    return pd.DataFrame(
        {name: values.isel({METRIC: 0}).sel({DEPTH: depths}) for name, values in columns.items()},
        index=pd.Index(depths, name=DEPTH),
    )


if __name__ == "__main__":
    sys.exit(main())
