"""``irframe compare``: tests of the difference between systems."""

import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.commands.inputs import scores_of
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options, given
from irframe.commands.systems import declare_systems


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser)
    declare_options(parser, ir.evaluate, ir.verbs.compare)
    declare_systems(parser)
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """Compare every pair, or every system with the baseline."""
    found = ir.verbs.compare(
        scores_of(options),
        **given(options, ir.verbs.compare),
        progress=sys.stderr.isatty() and find_spec("tqdm") is not None,
    )
    return Answer(written(found, format_of(options)))
