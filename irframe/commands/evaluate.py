"""Commands that score, check or diagnose runs.

Commands: ``evaluate``, ``freeze``, ``check``, ``diagnose``, ``losses``, ``risk-coverage`` and
``judge-next``.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Hashable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import irframe as ir
from irframe import checks
from irframe.commands import answer, inputs, tell
from irframe.errors import InputError, ParameterError, listing
from irframe.files.read_file import plain_table
from irframe.metrics.facts import average, facts
from irframe.metrics.parse_metric import has_level, parse_metric
from irframe.metrics.spellings import PRINTED, SETS, split_level, trec_name
from irframe.names import ALIASES, DOC, DRAWN, GRADE, METRIC, SYSTEM, TOPIC, UNKNOWN, roles
from irframe.printed import FIRST, fitted
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.stops import ROUNDING
from irframe.tables.captions import caption_text

RUNID = "runid"
SUMMARY_ONLY = ("num_q", "gm_map", "gm_bpref")
"""Measures that trec_eval prints for all topics together, but not per topic."""


def trec_layout(
    scores: pd.DataFrame, names: Sequence[str], listed: pd.MultiIndex | None = None
) -> str:
    """Format scores as trec_eval 9.0 prints them.

    Parameters
    ----------
    scores
        Scores from `irframe.evaluate`.
    names
        The metrics in the command. A line ``runid`` names each system if there are several systems,
        or if one of the names stands for a set of measures, such as ``official``.
    listed
        The pairs of system and topic whose scores are printed before the averages, sorted by the
        bytes of the topic. By default, only averages are printed. trec_eval omits topics without a
        list.

    Returns
    -------
    str
        The lines to print.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.evaluate(*ir.example_track(), ["P_5", "map", "num_rel_ret"])
    >>> print(trec_layout(scores.loc[["bm25"]], []), end="")
    num_rel_ret             all     97
    map                     all     0.1630
    P_5                     all     0.2375
    """
    groups = scores.groupby(level=0, sort=False).indices
    named = len(groups) > 1 or any(split_level(name)[0] in {*SETS, RUNID} for name in names)
    columns = _printed_columns(scores)
    topics = scores.index.get_level_values(1).astype(str)
    printed = np.zeros(len(scores), bool) if listed is None else scores.index.isin(listed)
    lines: list[str] = []
    for label, group in groups.items():
        # trec_eval sorts topics by bytes, and not as numbers.
        rows = np.asarray(group)[np.argsort([t.encode() for t in topics[group]], kind="stable")]
        lines += [
            _line(column.label, topics[row], column.text(column.values[row]))
            for row in rows[printed[rows]]
            for column in columns
            if column.by_topic
        ]
        lines += [_line(RUNID, "all", str(label))] * named
        lines += [_line(c.label, "all", c.text(c.average(rows))) for c in columns]
    return "".join(lines)


class Printed(NamedTuple):
    """A column of scores in the layout of trec_eval."""

    sort_key: tuple[float, ...]
    label: str
    values: NDArray[np.float64]
    name: str
    """The metric."""
    by_topic: bool = True
    """Whether the measure is printed per topic."""

    def text(self, value: float) -> str:
        """Format a value, without decimals if it is a count."""
        return f"{value:.0f}" if facts(self.name).summary == "sum" else f"{value:.4f}"

    def average(self, rows: NDArray[np.intp]) -> float:
        """Return the average over topics, as trec_eval computes it.

        Scores are added one by one in the order of topics. If scores were added in another order,
        the last printed digit could differ.
        """
        summary = facts(self.name).summary
        values = self.values[rows]
        values = values[~np.isnan(values)]
        if summary != "mean" or not len(values):
            return float(average(values, summary))
        return float(np.add.accumulate(values)[-1] / len(values))


def _printed_columns(scores: pd.DataFrame) -> list[Printed]:
    """Return the columns in the order of trec_eval.

    Labels contain the relevance level only if levels differ, because trec_eval has one level and
    does not print it.
    """
    names = [str(name) for name in scores.columns]
    entries = [trec_name(split_level(name)[0]) for name in names]
    theirs = [parse_metric(name) for name, entry in zip(names, entries, strict=True) if entry]
    mixed = len({getattr(metric, "rel") for metric in theirs if has_level(metric)}) > 1  # noqa: B009
    columns = []
    for name, entry, values in zip(names, entries, scores.to_numpy().T, strict=True):
        if entry is None:
            columns.append(Printed((len(PRINTED),), name, values, name))
        else:
            label = entry.label + name.removeprefix(split_level(name)[0]) * mixed
            by_topic = entry.measure not in SUMMARY_ONLY
            columns.append(Printed(entry.sort_key, label, values, name, by_topic))
    return sorted(columns, key=lambda column: column.sort_key)


def _line(label: str, topic: str, text: str) -> str:
    return f"{label:<22}\t{topic}\t{text}\n"


def declare_freeze(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe freeze``."""
    inputs.declare_scoring(parser, ir.evaluate, ir.verbs.freeze)
    parser.add_argument(
        "--documents", type=int, metavar="K",
        help="save the first K documents of each list too, to explain later losses",
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="file to write, with the suffix .irframe",
    )


def run_freeze(options: Namespace) -> answer.Answer:
    """Write the scores of one run to a baseline file."""
    arguments = inputs.arguments_of(options, ir.verbs.freeze)
    if isinstance(arguments["baseline"], list):
        raise ParameterError("one --baseline", f"{len(arguments['baseline'])} systems")
    metrics = inputs.metrics_of(options)
    n_documents = options.documents
    runs: Any = inputs.runs_of(options, rows=n_documents is not None)
    scores = inputs.scored(options, runs, inputs.read_judgments(options), metrics)
    with_documents = {} if n_documents is None else {"documents": n_documents, "runs": runs}
    ir.verbs.freeze(scores, options.output, **with_documents, **arguments)
    return answer.Answer(None)


TREC_EVAL = "trec_eval"
"""Value of ``--format`` for the output format of trec_eval."""


def declare_evaluate(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe evaluate``."""
    inputs.declare_scoring(parser, ir.evaluate)
    parser.add_argument("-q", "--per-topic", action="store_true", help="print a score per topic")
    parser.add_argument(
        "--by", metavar="COLUMN",
        help="average by group: a column of Parquet runs or of --systems",
    )  # fmt: skip
    answer.declare_output(parser, TREC_EVAL)


def run_evaluate(options: Namespace) -> answer.Answer:
    """Score runs."""
    names = list(options.metric)
    kind = answer.format_of(options)
    if kind == TREC_EVAL:
        # runid is a line of the output and not a metric
        options.metric = [name for name in names if name != RUNID]
        for flag, value in (("--by", options.by), ("--repeat", options.repeat)):
            if value is not None:
                raise ParameterError(f"no {flag} together with --format trec_eval", value)
    drawn = [flag for flag in inputs.flags_of_design(options) if kind == TREC_EVAL or options.by]
    if drawn:
        conflict = "--format trec_eval" if kind == TREC_EVAL else "--by"
        expected = f"no {drawn[0]} together with {conflict}, which gives all topics the same weight"
        raise ParameterError(expected, "both")
    metrics = inputs.metrics_of(options)
    rows = options.per_topic and kind == TREC_EVAL
    runs: Any = inputs.runs_of(options, rows=rows)
    qrels = inputs.read_judgments(options)
    scores = inputs.scored(options, runs, qrels, metrics, options.by)
    unknown = checks.listed(scores.attrs.get(UNKNOWN))
    # `evaluate` itself warns if no system has a judged document
    if 0 < len(unknown) < scores.index.get_level_values(SYSTEM).nunique():
        tell(f"warning: no retrieved document of {listing(unknown)} is judged")
    if kind == TREC_EVAL:
        pairs = runs[[SYSTEM, TOPIC]].drop_duplicates() if rows else None
        listed = None if pairs is None else pd.MultiIndex.from_frame(pairs)
        return answer.Answer(trec_layout(scores, names, listed))
    return answer.Answer(_scores_text(scores, kind, per_topic=options.per_topic))


def _scores_text(scores: pd.DataFrame, kind: str, *, per_topic: bool) -> str | bytes:
    """Format scores or their averages."""
    shown = scores if per_topic else means(scores)
    return answer.written(answer.with_short_labels(shown) if kind == "table" else shown, kind)


def means(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the averages by system and group.

    If systems have scores on different topics, columns with the numbers of topics are added.
    """
    # only `summary` takes the weights and tasks of a declared design into account
    if DRAWN in scores.attrs:
        of_systems = ir.verbs.summary(scores)["mean"].unstack(METRIC, sort=False)  # noqa: PD010
        return of_systems[[*scores.columns]]
    levels = [name for name in scores.index.names if name != TOPIC]

    def mean(column: "pd.Series[float]") -> float:
        return float(average(column.to_numpy(), facts(str(column.name)).summary))

    groups = scores.groupby(level=levels, sort=False)
    counts = groups.count()
    uneven = counts.loc[:, (counts != counts.iloc[:1].to_numpy()).any()]
    return groups.agg(mean).join(uneven.add_prefix("n_topics of "))


SHOWN = 3
"""Maximum number of entries per list in printed tables. Other formats contain all entries."""


def declare_check(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe check``."""
    inputs.declare_files(parser)
    inputs.declare_options(parser, ir.verbs.check)
    answer.declare_failing(parser)
    answer.declare_output(parser)


def run_check(options: Namespace) -> answer.Answer:
    """Print the problems of each run, including unreadable files."""
    kind = answer.format_of(options)
    runs = inputs.read_valid(options)
    arguments = inputs.arguments_of(options, ir.verbs.check)
    rows = ir.verbs.check(runs, inputs.read_judgments(options), **arguments)
    write = _table_and_lists if kind in {"table", "markdown"} else answer.written
    content = write(rows, kind)
    return answer.Answer(content, answer.status_of(rows["severity"], options.fail_on))


def _table_and_lists(rows: pd.DataFrame, kind: str) -> str:
    """Format a table, with shortened lists below it."""
    nested = rows.map(lambda value: isinstance(value, tuple)).all()
    numbers = rows.loc[:, ~nested]
    note = ""
    if kind == "table":
        numbers, note = fitted(pd.DataFrame(numbers), FIRST["check"])
    lines = []
    for run, row in rows.iterrows():
        for name in row["found"]:
            shown = [*map(str, row[name][:SHOWN]), *["..."] * (len(row[name]) > SHOWN)]
            begin = "- " if kind == "markdown" else ""
            lines.append(f"{begin}{run}: {name} ({len(row[name])}): {', '.join(shown)}\n")
    table = str(answer.written(numbers, kind))
    return "".join([table, note and f"{note}\n", "\n" * bool(lines), *lines])


LONGEST = 300
"""Maximum number of characters for the locations of a finding in printed text."""


def declare_diagnose(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe diagnose``."""
    inputs.declare_scoring(parser, ir.verbs.diagnose, required=False)
    answer.declare_failing(parser)
    answer.declare_output(parser)


def run_diagnose(options: Namespace) -> answer.Answer:
    """Print all findings.

    The default format shortens long lists of positions.
    """
    kind = answer.format_of(options)
    findings = ir.verbs.diagnose(
        inputs.read_all(options),
        inputs.read_judgments(options),
        options.metric,
        errors="report",
        **inputs.arguments_of(options, ir.verbs.diagnose),
    )
    paragraphs = kind == "table" and "\n".join(map(_finding_text, findings.to_dict("records")))
    content = paragraphs or answer.written(findings, kind)
    return answer.Answer(content, answer.status_of(findings["severity"], options.fail_on))


def _finding_text(finding: dict[Hashable, object]) -> str:
    """Format a finding as a paragraph."""
    positions = str(finding["where"])
    if len(positions) > LONGEST:
        positions = positions[:LONGEST].rpartition(", ")[0] + ", ..."
    lines = (
        f"{finding['severity']}: {finding['what']} ({finding['how_many']})",
        f"  where: {positions}",
        f"  advice: {finding['advice']}",
        f"  see: {finding['reference']}",
    )
    return "".join(f"{answer.wrapped(line, '    ')}\n" for line in lines)


def declare_losses(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe losses``."""
    inputs.declare_scoring(parser, ir.verbs.losses, usual=("nDCG@10",))
    parser.add_argument("-q", "--per-topic", action="store_true", help="print losses per topic")
    answer.declare_output(parser)


def run_losses(options: Namespace) -> answer.Answer:
    """Print scores and losses, as means or per topic."""
    kind = answer.format_of(options)
    runs = inputs.read_all(options)
    qrels = inputs.read_judgments(options)
    arguments = inputs.arguments_of(options, ir.verbs.losses)
    metrics: Any = options.metric or [*options.usual]
    losses: Any = ir.verbs.losses(runs, qrels, metrics, **arguments)
    content = _scores_text(losses, kind, per_topic=options.per_topic)
    return answer.Answer(
        answer.noted(content, f"{caption_text(losses.attrs, interval='')}.")
        if kind == "table"
        else content
    )


TENTHS = 10
"""Number of intervals into which coverage is divided.

Printed tables show one threshold per system and interval."""


def declare_risk_coverage(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe risk-coverage``."""
    inputs.declare_files(parser)
    inputs.declare_options(parser, ir.verbs.risk_coverage)
    answer.declare_output(parser)


def run_risk_coverage(options: Namespace) -> answer.Answer:
    """Print risk and coverage by system and threshold.

    The printed table has one row per tenth of coverage. Other formats contain all thresholds.
    """
    kind = answer.format_of(options)
    runs = inputs.read_all(options)
    qrels = inputs.read_judgments(options)
    rows = ir.verbs.risk_coverage(
        runs, qrels, **inputs.arguments_of(options, ir.verbs.risk_coverage)
    )
    if kind != "table":
        return answer.Answer(answer.written(rows, kind))
    # without the tolerance, rounding errors could move a coverage of 0.3 to the next interval
    tenths = np.ceil(rows["coverage"] * TENTHS - ROUNDING)
    shown = rows[~pd.concat([rows[SYSTEM], tenths], axis=1).duplicated(keep="last")]
    note = f"[{len(shown)} of {len(rows)} thresholds: the lowest one per tenth of coverage]"
    return answer.Answer(answer.noted(answer.narrow_table(shown, [*rows.columns]), note))


QRELS = "qrels"
TEXT = "text"


def declare_judge_next(parser: ArgumentParser) -> None:
    """Declare the options of ``irframe judge-next``."""
    inputs.declare_files(parser)
    parser.add_argument(
        "-n", type=int, default=100, help="number of documents over all topics; default: 100"
    )
    parser.add_argument(
        "--texts", metavar="TABLE", help="CSV, TSV or Parquet file with the columns doc and text"
    )
    inputs.declare_options(parser, ir.verbs.judge_next, ir.cube)
    inputs.declare_systems(parser)
    answer.declare_output(parser, QRELS)


def run_judge_next(options: Namespace) -> answer.Answer:
    """List the documents to judge next."""
    kind = answer.format_of(options)
    cube = ir.cube(
        inputs.read_all(options),
        inputs.read_judgments(options),
        **inputs.arguments_of(options, ir.cube) | {"depth": None},
    )
    arguments = inputs.arguments_of(options, ir.verbs.judge_next)
    documents = ir.verbs.judge_next(cube, options.n, **arguments)
    if kind == QRELS:  # the grade -1 is a placeholder, which assessors replace
        with TemporaryDirectory() as folder:
            path = Path(folder, "lines")
            ir.verbs.write_qrels(documents.assign(**{GRADE: POOLED_UNJUDGED}), path)
            return answer.Answer(path.read_bytes())
    if options.texts is not None:
        documents[TEXT] = documents[DOC].astype(str).map(_texts(options.texts)).fillna("")
    return answer.Answer(answer.written(documents, kind))


def _texts(path: str) -> pd.Series:
    """Read the text of each document from a table."""
    table = plain_table(path)
    doc = roles(table.columns).get(DOC)
    if doc is None or TEXT not in table.columns:
        expected = f"a column {' or '.join(ALIASES[DOC])} and a column {TEXT} in {path}"
        raise InputError(expected, "", "", table.columns)
    texts = table.set_index(table[doc].astype(str))[TEXT]
    return texts[~texts.index.duplicated()]
