"""``irframe evaluate``: scores of runs."""

from argparse import ArgumentParser, Namespace
from typing import Any

import pandas as pd

import irframe as ir
from irframe.checks import choice
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.commands.each import folder_of, refuse_paths, write_each
from irframe.commands.inputs import FOLDER, metrics_of, read_judgments, runs_of, score
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options
from irframe.commands.relstring import measures, relstrings
from irframe.commands.systems import declare_systems
from irframe.commands.trec_layout import trec_layout
from irframe.errors import ParameterError
from irframe.metrics.base import Summary
from irframe.metrics.facts import average, facts
from irframe.names import SYSTEM, TOPIC, roles

TREC_EVAL = "trec_eval"
"""The format that trec_eval prints."""


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser)
    declare_options(parser, ir.evaluate)
    declare_systems(parser)
    parser.add_argument("-q", "--per-topic", action="store_true", help="each topic, too")
    parser.add_argument(
        "--by", metavar="COLUMN",
        help="summarise by a column of Parquet runs or of --systems, or by 'folder', that of each "
        "run file",
    )  # fmt: skip
    parser.add_argument(
        "--each", action="store_true",
        help="a file per system in the folder that -o names, by default as trec_eval prints it",
    )  # fmt: skip
    declare_output(parser, TREC_EVAL)


def run(options: Namespace) -> Answer:
    """Score runs."""
    folder = folder_of(options, TREC_EVAL) if options.each else None
    asked = list(options.metric)
    kind = format_of(options)
    if kind == TREC_EVAL:
        options.metric = measures(asked)
        if options.by is not None:
            raise ParameterError("no --by where trec_eval's layout is asked for", options.by)
    metrics, rows = metrics_of(options), options.per_topic and kind == TREC_EVAL
    runs, qrels = runs_of(options, rows=rows), read_judgments(options)
    if options.by is not None:
        choice("--by", options.by, [FOLDER, *_further(runs)])
    scores = score(options, runs, qrels, metrics, options.by)
    if folder is not None:
        refuse_paths(scores.index.unique(SYSTEM))
    if kind == TREC_EVAL:
        listed, strings = _listed(options, asked, runs, qrels)
        texts = trec_layout(scores, asked, listed, strings, apart=folder is not None)
        if folder is None:
            return Answer("".join(text for _, text in texts))
        write_each(folder, kind, texts)
        return Answer(None)
    shown = scores if options.per_topic else means(scores)
    if folder is None:
        return Answer(written(shown, kind))
    parts = shown.groupby(level=SYSTEM, sort=False)
    write_each(folder, kind, ((str(system), written(part, kind)) for system, part in parts))
    return Answer(None)


def _listed(
    options: Namespace, asked: list[str], runs: Any, qrels: pd.DataFrame
) -> tuple[pd.MultiIndex | None, dict[str, pd.Series]]:
    """Return which lists trec_eval prints, and their grades if these are asked for."""
    if not options.per_topic:
        return None, {}
    listed = pd.MultiIndex.from_frame(runs[[SYSTEM, TOPIC]].drop_duplicates())
    return listed, relstrings(asked, runs, qrels, options)


def _further(runs: Any) -> list[str]:
    """Return the names of columns that are no part of a run."""
    known = roles(runs.columns).values()
    return [str(name) for name in runs.columns if name not in known and name != FOLDER]


def means(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the average of every system, and group if there are any, a column per metric."""
    levels = [name for name in scores.index.names if name != TOPIC]
    lists = scores.groupby(level=levels, sort=False)
    averages = {name: lists[name].agg(_average, facts(name).summary) for name in scores.columns}
    return pd.DataFrame(averages, columns=scores.columns)


def _average(scores: pd.Series, summary: Summary) -> float:
    return float(average(scores.to_numpy(), summary))
