"""``irframe compare``: tests of the difference between systems, and a gate."""

import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

import pandas as pd

import irframe as ir
from irframe.checks import listed
from irframe.commands.answer import Answer, declare_output, format_of, noted, written
from irframe.commands.inputs import metrics_of, read_all, read_judgments, score
from irframe.commands.line import declare_files, declare_metrics
from irframe.commands.options import declare_options, given
from irframe.commands.systems import declare_systems
from irframe.comparing.significance import POWER
from irframe.errors import ParameterError
from irframe.experiments.policy import cut_at
from irframe.metrics.facts import facts
from irframe.tables.captions import told

FAILING = {"worse": ["worse"], "undecided": ["worse", "undecided"], "never": []}
"""What makes the exit status 1 -> the verdicts that do."""
MARKDOWN = "markdown"


def declare(parser: ArgumentParser) -> None:
    """Declare the options."""
    declare_files(parser)
    declare_metrics(parser)
    declare_options(parser, ir.evaluate, ir.verbs.compare)
    declare_systems(parser)
    parser.add_argument(
        "--fail-on", choices=(*FAILING,), default="never",
        help="verdict on a system against the baseline that makes the exit status 1; undecided: "
        "whatever does not show that it is not worse",
    )  # fmt: skip
    parser.add_argument(
        "--texts", metavar="FILE", action="append", default=[],
        help="Parquet file of texts of documents or queries, for markdown; may be repeated",
    )  # fmt: skip
    parser.add_argument("--wide", action="store_true", help="print all columns of the table")
    declare_output(parser, MARKDOWN)


def run(options: Namespace) -> Answer:
    """Compare every pair, or every system with the baseline."""
    gated = options.fail_on != "never" or options.format == MARKDOWN
    if gated and len(listed(options.baseline)) != 1:
        times = f"{len(listed(options.baseline))}"
        raise ParameterError("--baseline once, a system that others are held against", times)
    metrics = metrics_of(options)
    runs, qrels = read_all(options), read_judgments(options)
    unsaid = gated and options.margin is None and options.power is None
    found = ir.verbs.compare(
        score(options, runs, qrels, metrics, None),
        **given(options, ir.verbs.compare) | ({"power": POWER} if unsaid else {}),
        progress=sys.stderr.isatty() and find_spec("tqdm") is not None,
    )
    failed = gated and bool(found["verdict"].isin(FAILING[options.fail_on]).any())
    if options.format != MARKDOWN:
        kind = format_of(options)
        if kind != "table":
            return Answer(written(found, kind), int(failed))
        shown = written(found if options.wide else _short(found), kind)
        return Answer(noted(shown, _notes(found)), int(failed))
    return Answer(_markdown(options, found, runs, qrels, metrics), int(failed))


def _short(found: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that answer: which pair, by how much, how surely."""
    ends = zip(found["ci_low"], found["ci_high"], strict=True)
    shown = found[["metric", "system_a", "system_b", "difference"]].assign(
        interval=["-" if pd.isna(low) else f"[{low:.4f}, {high:.4f}]" for low, high in ends],
        p_adjusted=found["p_adjusted"],
        verdict=found["verdict"] if "verdict" in found else _verdicts(found),
    )
    return shown if len(found["metric"].unique()) > 1 else shown.drop(columns="metric")


def _verdicts(found: pd.DataFrame) -> list[str]:
    """Say whether the first system of each pair is better."""
    signs = found["metric"].map(lambda name: facts(name).sign) * found["difference"]
    words = zip(found["significant"], signs, found["p_adjusted"].isna(), strict=True)
    return [
        ("better" if sign > 0 else "worse") if sure else "undecided" if lost else "not significant"
        for sure, sign, lost in words
    ]


def _notes(found: pd.DataFrame) -> str:
    metrics = found["metric"].unique()
    of = f"{metrics[0]}: " if len(metrics) == 1 else ""
    return f"{of}{told(found.attrs, interval='interval: {}')}."


def _markdown(
    options: Namespace,
    found: pd.DataFrame,
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    metrics: list[ir.metrics.Metric],
) -> str:
    """Return a comparison as a page of Markdown."""
    from irframe.reports.markdown import markdown  # noqa: PLC0415 - only when asked for

    cube = ir.cube(
        runs,
        qrels,
        depth=cut_at(metrics, options.depth),
        ties=options.ties,
        score_dtype=options.score_dtype,
        topics=options.topics,
        collection=options.collection,
        contributing=options.contributing,
    )
    return markdown(found, cube, metrics, runs=runs, texts=options.texts or None)
