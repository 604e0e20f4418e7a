"""``irframe compare``, ``irframe leaderboard`` and ``irframe report``."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import irframe as ir
from irframe import escaping
from irframe.checks import listed
from irframe.commands import inputs, tell
from irframe.commands.answer import (
    Answer,
    declare_output,
    format_of,
    narrow_table,
    noted,
    wrapped,
    written,
)
from irframe.comparing.freeze import CONDITIONS, Frozen, failing
from irframe.comparing.pairwise import POWER
from irframe.comparing.rehearse import rehearse
from irframe.errors import ParameterError
from irframe.experiments.policy import cut_at
from irframe.files.write_run import look
from irframe.metrics import Metric
from irframe.metrics.facts import facts
from irframe.names import NO_VERDICT, SIDES, UNKNOWN
from irframe.paired.margins import EFFECTS
from irframe.printed import interval_text, redundant_columns
from irframe.ranks.first import FIRST
from irframe.reports.markdown import markdown
from irframe.reports.report import MADE, METRICS
from irframe.tables.captions import caption_text


def command_line(args: Sequence[str]) -> str:
    """Return the shell command, with patterns for lists of files.

    If the arguments contain all files of a folder that have a certain suffix, one pattern such as
    ``runs/*.run`` replaces their names.

    Parameters
    ----------
    args
        The arguments after ``irframe``.

    Examples
    --------
    >>> command_line(["report", "my qrels.txt", "a.run", "-o", "page.html"])
    "irframe report 'my qrels.txt' a.run -o page.html"
    """
    files = {str(Path(arg)) for arg in args if Path(arg).suffix and Path(arg).is_file()}
    shortened: list[str] = []
    for arg in args:
        path = Path(arg)
        name = f"*{path.suffix}"
        matched = {str(match) for match in path.parent.glob(name)} if str(path) in files else set()
        pattern = str(path.parent / name) if 1 < len(matched & files) == len(matched) else arg
        if pattern == arg or pattern not in shortened:
            shortened.append(pattern)
    return shlex.join(["irframe", *shortened])


MARKDOWN = "markdown"
REHEARSALS = 500
"""The number of comparisons that ``--rehearse`` simulates."""


def declare_compare(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe compare``."""
    inputs.declare_scoring(parser, ir.evaluate, ir.cube, ir.verbs.compare)
    parser.add_argument(
        "--baseline-file", metavar="FILE",
        help="compare with a baseline file of irframe freeze instead of a run; judgments, "
        "policies and metrics must be the same",
    )  # fmt: skip
    parser.add_argument(
        "--rehearse", action="store_true",
        help="simulate the gate: print on stderr how often it fails if no mean changed, and if "
        "every mean is worse by the margin",
    )  # fmt: skip
    parser.add_argument(
        "--update", action="store_true",
        help="if the gate passes, freeze the run in the baseline file",
    )  # fmt: skip
    parser.add_argument(
        "--fail-on", choices=CONDITIONS, default="never",
        help="gate: the condition for exit status 1, see below",
    )  # fmt: skip
    gates = "\n".join(
        wrapped(f"  {name:<14} {condition}", " " * 17) for name, condition in CONDITIONS.items()
    )
    parser.epilog = f"--fail-on:\n{gates}\n\n{parser.epilog or ''}"
    parser.add_argument(
        "--texts", metavar="FILE", action="append", default=[],
        help="Parquet file with texts of documents or queries, for markdown; may be repeated",
    )  # fmt: skip
    _declare_wide(parser)
    parser.add_argument("--link", metavar="URL", help="address of the report, for markdown")
    parser.set_defaults(gate=True)
    declare_output(parser)


def _declare_wide(parser: ArgumentParser) -> None:
    parser.add_argument("--wide", action="store_true", help="print all columns of the table")


def run_compare(options: Namespace) -> Answer:
    """Compare all pairs, or all systems with a baseline."""
    kind = format_of(options)
    gated = options.fail_on != "never" or kind == MARKDOWN
    _refuse_conflicts(options, gated=gated)
    metrics = inputs.metrics_of(options)
    runs = inputs.read_all(options)
    qrels = inputs.read_judgments(options)
    scores = inputs.scored(options, runs, qrels, metrics)
    arguments = inputs.arguments_of(options, ir.verbs.compare)
    if options.baseline_file is not None:
        arguments["baseline"] = Path(options.baseline_file)
    power = POWER if gated and options.margin is None and options.power is None else options.power
    comparison = ir.verbs.compare(scores, **arguments | {"power": power})
    if options.rehearse:
        _rehearse(options, scores, arguments)
    failed = not failing(comparison, options.fail_on, options.margin).empty if gated else False
    content: str | bytes
    if kind == MARKDOWN:
        cube_options = inputs.arguments_of(options, ir.cube) | {
            "depth": cut_at(metrics, options.depth)
        }
        cube = ir.cube(runs, qrels, **cube_options)
        more: Any = {name: getattr(options, name) for name in ("link", "fail_on")}
        more |= {"scores": scores, "runs": runs, "texts": options.texts or None}
        content = markdown(comparison, cube, metrics, **more)
    elif kind == "table":
        shown = written(comparison, kind) if options.wide else _short(comparison, options)
        content = noted(shown, _notes(comparison))
    else:
        content = written(comparison, kind)
    # The baseline file is replaced last, because `markdown` reads its old content.
    if options.update and not failed:
        _update(options, (runs, qrels, metrics), scores, comparison)
    return Answer(content, int(failed))


def _refuse_conflicts(options: Namespace, *, gated: bool) -> None:
    """Raise `ParameterError` for options that conflict."""
    baselines = listed(options.baseline)
    file = options.baseline_file
    if file is not None and baselines:
        raise ParameterError("either --baseline or --baseline-file", "both")
    if gated and file is None and len(baselines) != 1:
        expected = (
            "--baseline-file, or --baseline with one system that the others are compared with"
        )
        raise ParameterError(expected, f"{len(baselines)} baselines")
    if options.update and (file is None or options.fail_on == "never"):
        flag = "--baseline-file" if file is None else "--fail-on"
        raise ParameterError("--baseline-file and --fail-on together with --update", f"no {flag}")
    if options.rehearse and (options.margin is None or options.fail_on == "never"):
        flag = "--margin" if options.margin is None else "--fail-on"
        raise ParameterError("--margin and --fail-on together with --rehearse", f"no {flag}")
    if options.update:
        look(file)
    if options.fail_on == "drop" and options.margin is None:
        raise ParameterError("--margin together with --fail-on drop", "none")


def _rehearse(options: Namespace, scores: pd.DataFrame, arguments: dict[str, object]) -> None:
    """Print how often simulated comparisons fail the check of ``--fail-on``."""
    unchanged, worse = rehearse(scores, arguments, options.fail_on, samples=REHEARSALS)
    rates = (
        f"{unchanged:.1%} if nothing changed, and {worse:.1%} if every mean is worse by the margin"
    )
    tell(f"--fail-on {options.fail_on} fails in {REHEARSALS:,} simulated comparisons: {rates}")


def _update(
    options: Namespace,
    scored: tuple[pd.DataFrame, pd.DataFrame, list[Metric]],
    scores: pd.DataFrame,
    rows: pd.DataFrame,
) -> None:
    """Replace the baseline file by the run that passed.

    The run is scored by all metrics in the old file, so that the new file contains the same
    metrics. The changed means are printed.
    """
    systems = scores.index.unique(level=0)
    if len(systems) != 1:
        expected = f"one run to freeze in {options.baseline_file}"
        raise ParameterError(expected, f"{len(systems)} runs", "", systems)
    frozen = Frozen.read(options.baseline_file)
    runs, qrels, metrics = scored
    missing = [metric for metric, _ in frozen.facts["columns"] if metric not in scores.columns]
    if missing:
        scores = inputs.scored(options, runs, qrels, [*metrics, *missing])
    drawn: Any = {name: of for name, of in frozen.drawn.items() if name not in scores.index.names}
    scores = ir.verbs.design(scores, **drawn) if drawn else scores
    ir.verbs.freeze(scores, options.baseline_file, documents=frozen.documents, runs=runs)
    moved = [f"{row.metric} {row.mean_b:.4f} to {row.mean_a:.4f}" for row in rows.itertuples()]
    tell(f"{options.baseline_file} now contains {systems[0]}: {', '.join(moved)}")


def _short(comparison: pd.DataFrame, options: Namespace) -> str:
    """Print a comparison as a narrow table.

    If all rows have the same metric or baseline, a note below the table names it, and its column is
    omitted.
    """
    shown = comparison[["metric", *SIDES, "difference"]].assign(
        interval=_intervals(comparison["ci_low"], comparison["ci_high"]),
        p_adjusted=comparison["p_adjusted"],
        verdict=comparison["verdict"] if "verdict" in comparison else _verdict_words(comparison),
    )
    if options.power is not None:
        shown = shown.assign(detectable=comparison["detectable"])
    if options.effects:
        g, *ends = (comparison[name] for name in EFFECTS)
        shown = shown.assign(hedges_g=g).join(_intervals(*ends).rename("g interval"))
    further = [name for name in shown.columns if name not in {*SHORT, "metric", *SIDES}]
    shown = shown.drop(columns=[*_same(comparison)])
    return narrow_table(shown, ["difference", "verdict", *further, *SHORT])


SHORT = ("difference", "interval", "p_adjusted", "verdict")
"""Columns that every printed table of a comparison contains."""


def _intervals(low: pd.Series, high: pd.Series) -> pd.Series:
    return pd.Series(list(map(interval_text, low, high)), low.index)


def _same(comparison: pd.DataFrame) -> dict[str, str]:
    """Return the metric and the baseline that all rows share."""
    names = ["metric", SIDES[1]][: 1 + (len(comparison) > 1)]
    return {n: str(v[0]) for n in names if len(v := comparison[n].unique()) == 1}


def _verdict_words(comparison: pd.DataFrame) -> list[str]:
    """Return a verdict on the first system of each pair."""
    # differences of cost metrics are reversed, so that a positive sign is always better
    signs = comparison["metric"].map(lambda name: facts(name).sign) * comparison["difference"]
    void = comparison[[*SIDES]].astype(str).isin(listed(comparison.attrs.get(UNKNOWN))).any(axis=1)
    verdicts = pd.Series("not significant", comparison.index)
    verdicts = verdicts.mask(comparison["p_adjusted"].isna(), "undecided")
    significant = comparison["significant"].astype(bool)
    verdicts = verdicts.mask(significant & (signs > 0), "better")
    verdicts = verdicts.mask(significant & ~(signs > 0), "worse")
    return list(verdicts.mask(void, NO_VERDICT))


def _notes(comparison: pd.DataFrame) -> str:
    templates = {"metric": "{}", SIDES[1]: "against {}"}
    of = " ".join(templates[name].format(value) for name, value in _same(comparison).items())
    return f"{f'{of}: ' if of else ''}{caption_text(comparison.attrs, interval='interval: {}')}."


def declare_leaderboard(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe leaderboard``."""
    inputs.declare_scoring(parser, ir.evaluate, ir.verbs.leaderboard, usual=("nDCG@10",))
    _declare_wide(parser)
    declare_output(parser)


def run_leaderboard(options: Namespace) -> Answer:
    """Print the leaderboard.

    Without metrics, the systems are scored by the metrics of the tasks.
    """
    kind = format_of(options)
    options.metric = options.metric or [metric for _, metric in options.task_metrics or []]
    scores = inputs.scored(
        options, inputs.runs_of(options), inputs.read_judgments(options), inputs.metrics_of(options)
    )
    board = ir.verbs.leaderboard(scores, **inputs.arguments_of(options, ir.verbs.leaderboard))
    short = kind == "table" and not options.wide
    notes = caption_text(
        board.attrs, interval=f"{'interval' if short else 'ci_low to ci_high'}: {{}}"
    )
    board = _short_board(board) if short else board
    if options.systems is not None:
        table = inputs.read_systems(options.systems)
        board = board.join(table[table.columns.difference(board.columns, sort=False)])
    first = ["rank", *scores.columns, "interval", "change", "p_adjusted"]
    content = narrow_table(board, first) if short else written(board, kind)
    if kind == "markdown":
        return Answer(f"{content!s}\n{escaping.markdown(notes)}.\n")
    return Answer(noted(content, f"{notes}.") if kind == "table" else content)


def _short_board(board: pd.DataFrame) -> pd.DataFrame:
    """Return a leaderboard with fewer and shorter columns.

    One column contains both bounds of an interval.
    """
    ends = zip(board["rank_low"], board["rank_high"], strict=True)
    names = {"ci_low": "interval", "rank_low": "ranks", FIRST: "1st?"}
    values: dict[str, list[str] | pd.Series] = {
        "ci_low": [*map(interval_text, board["ci_low"], board["ci_high"])],
        "rank_low": [f"{low}-{high}" for low, high in ends],
    }
    if FIRST in board:
        values[FIRST] = board[FIRST].map({True: "yes", False: "no"}).astype(object)
    replaced = [*redundant_columns(board), "ci_high", "rank_high"]
    return board.assign(**values).drop(columns=replaced, errors="ignore").rename(columns=names)


def declare_report(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe report``."""
    inputs.declare_scoring(parser, ir.report, ir.cube, usual=METRICS)
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="irframe-report.html",
        help="HTML file to write; default: irframe-report.html",
    )  # fmt: skip
    parser.add_argument(
        "--texts", metavar="FILE", action="append", default=[],
        help="Parquet file with texts of documents or queries; may be repeated",
    )  # fmt: skip


def run_report(options: Namespace) -> Answer:
    """Write the report."""
    if Path(options.output).suffix.lower() not in {".html", ".htm", ""}:
        raise ParameterError("-o to name a file with the suffix .html", options.output)
    metrics = inputs.metrics_of(options)
    runs = inputs.read_all(options, every=True)
    qrels = inputs.read_judgments(options)
    token = MADE.set(command_line(options.words))
    try:
        built = inputs.arguments_of(options, ir.cube)
        is_default = all(value == inputs.usual(ir.cube, name) for name, value in built.items())
        is_default = is_default and not options.repeats
        data: Any = runs if is_default else ir.cube(runs, qrels, **built)
        data = ir.verbs.design(data, repeats=options.repeats) if options.repeats else data
        arguments: Any = inputs.arguments_of(options, ir.report)
        arguments |= {"metrics": metrics, "texts": options.texts or None}
        ir.report(data, qrels if is_default else None, options.output, **arguments)
    finally:
        MADE.reset(token)
    tell(f"the report is {Path(options.output).resolve().as_uri()}")
    return Answer(None)
