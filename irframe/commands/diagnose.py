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
    wrapped,
    written,
)
from irframe.commands.inputs import read_all, read_judgments
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options, given
from irframe.commands.systems import declare_systems

LONGEST = 300
"""Characters of the places of a finding that are printed."""


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser, required=False)
    declare_options(parser, ir.verbs.diagnose)
    declare_systems(parser)
    declare_failing(parser)
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """Report everything that is found; files in other formats than text have all places."""
    found = ir.verbs.diagnose(
        read_all(options),
        read_judgments(options),
        options.metric,
        contributing=options.contributing,
        errors="report",
        **given(options, ir.verbs.diagnose),
    )
    kind = format_of(options)
    content = (
        "\n".join(map(_told, found.to_dict("records"))) if kind == "table" else written(found, kind)
    )
    return Answer(content, status_of(found["severity"], options.fail_on))


def _told(finding: dict[Hashable, Any]) -> str:
    """Return a paragraph."""
    lines = (
        f"{finding['severity']}: {finding['what']} ({finding['how_many']})",
        f"  where: {_shortened(str(finding['where']))}",
        f"  advice: {finding['advice']}",
        f"  see: {finding['reference']}",
    )
    return "".join(f"{wrapped(line, '    ')}\n" for line in lines)


def _shortened(places: str) -> str:
    """Return the first places, whole."""
    if len(places) <= LONGEST:
        return places
    return places[:LONGEST].rpartition(", ")[0] + ", ..."
