"""``irframe leaderboard``: the systems from the best on."""

from argparse import ArgumentParser, Namespace

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, noted, written
from irframe.commands.inputs import scores_of
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options, given
from irframe.commands.systems import declare_systems, read_systems
from irframe.tables.captions import told


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser)
    declare_options(parser, ir.evaluate, ir.verbs.leaderboard)
    declare_systems(parser)
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """List the systems."""
    found = ir.verbs.leaderboard(scores_of(options), **given(options, ir.verbs.leaderboard))
    notes = told(found.attrs, interval="ci_low to ci_high: {}")
    if options.systems is not None:
        table = read_systems(options.systems)
        found = found.join(table[table.columns.difference(found.columns, sort=False)])
    kind = format_of(options)
    content = written(found, kind)
    return Answer(noted(content, f"{notes}.") if kind == "table" else content)
