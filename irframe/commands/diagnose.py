"""``irframe diagnose``: what to know before trusting a number."""

from argparse import ArgumentParser, Namespace
from collections.abc import Hashable
from typing import Any

import irframe as ir
from irframe.commands.answer import (
    Answer,
    declare_failing,
    declare_output,
    format_of,
    status_of,
    written,
)
from irframe.commands.inputs import read_all, read_judgments
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.systems import declare_systems
from irframe.names import TIES

LONGEST = 300
"""Characters of the places of a finding that are printed."""


def declare(parser: ArgumentParser) -> None:
    """Say what may stand on the line."""
    declare_files(parser)
    declare_metrics(parser, required=False)
    parser.add_argument("--depth", type=int, help="evaluation depth of metrics without their own")
    parser.add_argument("--ties", choices=TIES, default="trec", help="order of equal scores")
    parser.add_argument("--pool-depth", type=int, help="depth of the pool, if it is known")
    declare_systems(parser)
    declare_failing(parser)
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """Report everything that is found; files in other formats than text have all places."""
    found = ir.verbs.diagnose(
        read_all(options),
        read_judgments(options),
        options.metric,
        depth=options.depth,
        ties=options.ties,
        contributing=options.contributing,
        pool_depth=options.pool_depth,
        errors="report",
    )
    kind = format_of(options)
    content = (
        "\n".join(map(_told, found.to_dict("records"))) if kind == "table" else written(found, kind)
    )
    return Answer(content, status_of(found["severity"], options.fail_on))


def _told(finding: dict[Hashable, Any]) -> str:
    """Return a paragraph."""
    return (
        f"{finding['severity']}: {finding['what']} ({finding['how_many']})\n"
        f"  where: {_shortened(str(finding['where']))}\n"
        f"  advice: {finding['advice']}\n"
        f"  see: {finding['reference']}\n"
    )


def _shortened(places: str) -> str:
    """Return the first places, whole."""
    if len(places) <= LONGEST:
        return places
    return places[:LONGEST].rpartition(", ")[0] + ", ..."
