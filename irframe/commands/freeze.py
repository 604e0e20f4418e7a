"""``irframe freeze``: the scores of a run by topic, as a baseline to be committed."""

from argparse import ArgumentParser, Namespace

import irframe as ir
from irframe.commands.answer import Answer
from irframe.commands.inputs import declare_options, declare_systems, given, scores_of
from irframe.commands.line import declare_files, declare_metrics
from irframe.errors import ParameterError


def declare_freeze(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser)
    declare_options(parser, ir.evaluate, ir.verbs.freeze)
    declare_systems(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="where to; it ends in .irframe"
    )


def run_freeze(options: Namespace) -> Answer:
    """Write the scores of a run, the one named by ``--baseline`` if there are several."""
    asked = given(options, ir.verbs.freeze)
    if isinstance(asked["baseline"], list):
        raise ParameterError("--baseline once", f"{len(asked['baseline'])}")
    ir.verbs.freeze(scores_of(options), options.output, **asked)
    return Answer(None)
