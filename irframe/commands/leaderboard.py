"""``irframe leaderboard``: the systems from the best on."""

from argparse import ArgumentParser, Namespace

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.commands.inputs import scores_of
from irframe.commands.line import declare_files, declare_metrics, declare_scoring
from irframe.commands.systems import declare_systems, read_systems


def declare(parser: ArgumentParser) -> None:
    """Say what may stand on the line."""
    declare_files(parser)
    declare_metrics(parser)
    declare_scoring(parser)
    declare_systems(parser)
    parser.add_argument("--baseline", metavar="SYSTEM", help="hold all others against this one")
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """List the systems."""
    found = ir.verbs.leaderboard(scores_of(options), baseline=options.baseline)
    if options.systems is not None:
        table = read_systems(options.systems)
        found = found.join(table[table.columns.difference(found.columns, sort=False)])
    return Answer(written(found, format_of(options)))
