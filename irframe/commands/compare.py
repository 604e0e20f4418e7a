"""``irframe compare``: tests of the difference between systems."""

import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.commands.inputs import scores_of
from irframe.commands.line import declare_files, declare_metrics, declare_scoring
from irframe.commands.systems import declare_systems


def declare(parser: ArgumentParser) -> None:
    """Say what may stand on the line."""
    declare_files(parser)
    declare_metrics(parser)
    declare_scoring(parser)
    declare_systems(parser)
    parser.add_argument("--test", default="t", help="paired test, such as t, wilcoxon, tukey")
    parser.add_argument("--adjust", help="correction for many pairs, such as holm")
    parser.add_argument("--baseline", metavar="SYSTEM", help="compare with this one alone")
    parser.add_argument("--alpha", type=float, default=0.05, help="significance level")
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """Compare every pair, or every system with the baseline."""
    found = ir.verbs.compare(
        scores_of(options),
        options.test,
        adjust=options.adjust,
        baseline=options.baseline,
        alpha=options.alpha,
        progress=sys.stderr.isatty() and find_spec("tqdm") is not None,
    )
    return Answer(written(found, format_of(options)))
