"""``irframe report``: one page with all of it."""

from argparse import ArgumentParser, Namespace

import irframe as ir
from irframe.commands.answer import Answer
from irframe.commands.inputs import metrics_of, read_all, read_judgments
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.systems import declare_systems


def declare(parser: ArgumentParser) -> None:
    """Say what may stand on the line."""
    declare_files(parser)
    declare_metrics(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the page to write")
    parser.add_argument("--baseline", metavar="SYSTEM", help="what others are compared with")
    parser.add_argument(
        "--collection", metavar="COLUMN", help="a column of Parquet files that tells tracks apart"
    )
    declare_systems(parser)
    parser.add_argument(
        "--texts", metavar="FILE", action="append", default=[],
        help="Parquet file of texts of documents or queries; may be repeated",
    )  # fmt: skip
    parser.set_defaults(depth=None)


def run(options: Namespace) -> Answer:
    """Write the page; nothing is printed."""
    metrics = metrics_of(options)
    runs, qrels = read_all(options), read_judgments(options)
    ir.report(
        runs,
        qrels,
        options.output,
        metrics=metrics,
        baseline=options.baseline,
        collection=options.collection,
        contributing=options.contributing,
        texts=options.texts or None,
    )
    return Answer(None)
