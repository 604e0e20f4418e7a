"""``irframe report``: one page with all of it."""

from argparse import ArgumentParser, Namespace
from typing import Any

import pandas as pd

import irframe as ir
from irframe.commands.answer import Answer
from irframe.commands.inputs import metrics_of, read_all, read_judgments
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options, given
from irframe.commands.spelling import spelled
from irframe.commands.systems import declare_systems
from irframe.reports.origins import MADE
from irframe.reports.report import METRICS


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser, required=False)
    declare_options(parser, ir.report)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the page to write")
    declare_systems(parser)
    parser.add_argument(
        "--texts", metavar="FILE", action="append", default=[],
        help="Parquet file of texts of documents or queries; may be repeated",
    )  # fmt: skip


def run(options: Namespace) -> Answer:
    """Write the page; nothing is printed."""
    metrics = metrics_of(options) if options.metric else METRICS
    runs, qrels = read_all(options, every=True), read_judgments(options)
    made = MADE.set(spelled(options.words))
    try:
        _write(options, runs, qrels, metrics)
    finally:
        MADE.reset(made)
    return Answer(None)


def _write(options: Namespace, runs: pd.DataFrame, qrels: pd.DataFrame, metrics: Any) -> None:
    ir.report(
        runs,
        qrels,
        options.output,
        metrics=metrics,
        contributing=options.contributing,
        texts=options.texts or None,
        **given(options, ir.report),
    )
