"""``irframe metrics``: what can be asked for."""

import inspect
from argparse import ArgumentParser, Namespace

import pandas as pd

import irframe as ir
from irframe.commands.answer import Answer, declare_output, format_of, written
from irframe.metrics.facts import names_of


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", metavar="METRIC", nargs="*", help="explain these, such as nDCG or map_cut_10"
    )
    declare_output(parser)


def run(options: Namespace) -> Answer:
    """List all metrics, or explain some."""
    if not options.names:
        rows = [_row(name, kind) for name, kind in sorted(ir.metrics.METRICS.items(), key=_folded)]
        return Answer(written(pd.DataFrame(rows), format_of(options)))
    return Answer("\n".join(_explained(type(ir.parse_metric(name))) for name in options.names))


def _folded(item: tuple[str, object]) -> str:
    return item[0].lower()


def _row(name: str, kind: type[ir.metrics.Metric]) -> dict[str, object]:
    """Return a metric's name, others for it, and what it says."""
    others = ", ".join(names_of(kind)[1:])
    return {"metric": name, "also": others, "says": (inspect.getdoc(kind) or "").partition("\n")[0]}


def _explained(kind: type[ir.metrics.Metric]) -> str:
    return f"{kind.__name__}{inspect.signature(kind)}\n\n{inspect.getdoc(kind)}\n"
