"""Input files of commands, and options that set function parameters."""

import inspect
import re
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pandas as pd

import irframe as ir
from irframe.checks import check_int, listed
from irframe.commands import METRIC
from irframe.errors import DepthError, IdError, InputError, OneCall, ParameterError
from irframe.evaluation.collapse import Preparation
from irframe.experiments.rank_table import CONTRIBUTING
from irframe.files.read_file import LEFT_OUT, plain_table
from irframe.files.scan_runs import ScannedRuns
from irframe.files.sources import Source, find_files
from irframe.metrics import Metric
from irframe.names import ALIASES, LAYOUTS, SYSTEM, TOPIC, roles
from irframe.option_values import gathered, plain_parameters


def read_topic_values(path: str, label: str) -> pd.Series:
    """Read the cluster, task or weight of each topic."""
    table = plain_table(path)
    topic = roles(table.columns).get(TOPIC)
    columns = [name for name in table.columns if name != topic]
    if topic is None or len(columns) != 1:
        expected = f"a column {' or '.join(ALIASES[TOPIC])} and one {label} column in {path}"
        raise InputError(expected, "", "", map(str, table.columns))
    values = table[columns[0]]
    values = pd.to_numeric(values, errors="coerce") if label == "weight" else values
    return pd.Series(values.to_numpy(), pd.Index(table[topic].astype(str)), name=columns[0])


def declare_files(parser: ArgumentParser) -> None:
    """Declare the files of judgments and runs."""
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+",
        help="files of runs, folders, patterns in quotes, or - for standard input",
    )  # fmt: skip
    declare_reading(parser)


def declare_reading(parser: ArgumentParser) -> None:
    """Declare the options for reading files of runs."""
    parser.add_argument(
        "--system", choices=("tag", "file"), default="tag",
        help="name systems by the tags in files (default), or by file names",
    )  # fmt: skip
    parser.add_argument(
        "--columns", metavar="NAMES", type=parse_columns,
        help="names of all columns, as in topic,doc,score, or roles, as in model_name=system",
    )  # fmt: skip
    parser.add_argument(
        "--sep", metavar="CHARACTER", type=lambda text: text.replace("\\t", "\t"),
        help="separator of columns in text; write \\t for a tab",
    )  # fmt: skip


def parse_columns(text: str) -> list[str] | dict[str, str]:
    """Parse the names of columns, or their roles.

    Examples
    --------
    >>> parse_columns("topic,doc,score"), parse_columns("model_name=system")
    (['topic', 'doc', 'score'], {'model_name': 'system'})
    """
    names = text.split(",")
    pairs = [name.rpartition("=") for name in names]
    return {n: role for n, _, role in pairs} if all(sign for _, sign, _ in pairs) else names


def reading_options(options: Namespace) -> dict[str, Any]:
    """Return the options that describe files, as arguments of readers."""
    return {"columns": options.columns, "sep": options.sep}


Verb = Callable[..., Any]


def depths(text: str) -> int | list[int]:
    """Parse one depth, or several depths separated by commas.

    Examples
    --------
    >>> depths("10"), depths("5,10")
    (10, [5, 10])
    """
    first, *further = map(int, text.split(","))
    return [first, *further] if further else first


def number_or_column(text: str) -> int | str:
    """Parse an integer or the name of a column.

    Examples
    --------
    >>> number_or_column("1000"), number_or_column("tokens")
    (1000, 'tokens')
    """
    return int(text) if text.isdigit() else text


def task_metric(text: str) -> list[str]:
    """Parse a task and its metric.

    Examples
    --------
    >>> task_metric("news=RBP(p=0.8)")
    ['news', 'RBP(p=0.8)']
    """
    task, metric = text.split("=", 1)
    return [task, metric]


def names_of_stages(text: str) -> list[str]:
    """Parse the stages of a pipeline, separated by commas.

    Examples
    --------
    >>> names_of_stages("bm25,monot5")
    ['bm25', 'monot5']
    """
    return [name.strip() for name in text.split(",")]


def correction(text: str) -> str | None:
    """Parse a correction for multiple comparisons."""
    return None if text == "none" else text


HELP = {
    "test": "paired test: t, wilcoxon, ranksum, sign, permutation, bootstrap or tukey",
    "depth": "depth at which lists are cut; metrics may not be deeper",
    "ties": "how documents with equal scores are ranked",
    "score_dtype": "precision in which scores are compared; float32 as in trec_eval up to 9.0.8",
    "topics": "topics to score: all judged topics, where missing lists score 0 (qrels); those with "
    "a list of some run (runs); or those with a list of every run (common)",
    "pool_depth": "depth of the pool, if known",
    "collection": "column of Parquet files that contains the track of each topic",
    "no_rel": "score of topics without relevant documents, for metrics that do not define it",
    "adjust": "correction for multiple comparisons, such as holm, fdr_bh, max-t or none; auto is "
    "holm if the test needs one",
    "family": "comparisons that are corrected together",
    "alpha": "significance level; confidence intervals have level 1 - alpha",
    "baseline": "system that the others are compared with; may be repeated",
    "freeze.baseline": "system to freeze, if the runs have several",
    "at": "evaluation depths, such as 10 or 5,10",
    "over": "what counts as a random sample, if systems have repeats or topics have tasks",
    "rank_interval": "method for the confidence intervals of ranks",
    "judge_next.method": "method that selects the documents",
    "batch": "number of documents per topic that are selected before one is judged",
    **dict.fromkeys(("judge_next.rel", "risk_coverage.rel"), "lowest relevant grade"),
    "credit": "for maxmean: whether a judgment counts for all runs with the document, or for one",
    "prior": "CSV, TSV or Parquet file of judgments by a model: topic, doc, grade or probability",
    "interval": "method for the confidence intervals of means",
    "samples": "number of bootstrap samples or permutations",
    "seed": "seed of random numbers",
    "margin": "largest difference that does not matter, in units of the metric",
    "train": "file of judgments that the systems were trained on",
    "task_metrics": "metric of a task, such as marco=RR; repeat the option for each task",
    "length": "column with the length of each document, or one length for all documents",
    "list_length": "number of documents that every list should have",
    "check.depth": "depth at which lists are cut",
    "leaderboard.baseline": "system that all others are compared with",
    "report.at": "evaluation depths, such as 10 or 5,10; the page shows the first one at opening",
    "report.baseline": "system that the page compares the others with",
    "of": "column with the document of each chunk, or pattern whose group extracts it from the id",
    "threshold": "lowest score of documents that the user reads: 0.5; several such as 0.2,0.5; one "
    "per system such as a=0.2,b=0.5; or all, for every score in the lists",
    "search": "column that numbers the searches of a topic in reading order",
    "each": "number of documents that the user reads per search",
    "searches": "numbers of searches after which the user stops, such as 2 or 1,2,3",
    "budget": "amount of text that the user reads in the unit of --length, such as 500 or 500,1000",
    "stages": "systems of a pipeline in order, such as bm25,monot5",
    "cut": "what happens to the first document that does not fit into the budget",
}
"""Mapping from an option to its help text, which replaces the first sentence of the docstring."""

DESIGN = {
    "weight": ("--weights", "CSV, TSV or Parquet file with the columns topic and weight"),
    "cluster": ("--cluster", "CSV, TSV or Parquet file with the columns topic and cluster"),
    "task": (
        "--tasks",
        "CSV, TSV or Parquet file with the columns topic and task, of equal weight",
    ),
}
"""Mapping from a parameter of `design` to the option that names its file, and the option's help."""


def _thresholds(text: str) -> str | list[float] | dict[str, float]:
    """Parse thresholds: numbers, system=number pairs, or a word."""
    pairs = [pair_text.rpartition("=") for pair_text in text.split(",")]
    try:
        numbers = [float(number) for *_, number in pairs]
    except ValueError:
        return text
    systems = [system for system, *_ in pairs]
    return dict(zip(systems, numbers, strict=True)) if all(systems) else numbers


READING: dict[str, dict[str, Any]] = {
    "topics": {"choices": ("qrels", "runs", "common")},
    "pool_depth": {"type": int},
    "test": {},
    "adjust": {"type": correction},
    "baseline": {"metavar": "SYSTEM", "action": "append"},
    "at": {"type": depths, "metavar": "DEPTHS"},
    "depths": {"metavar": "DEPTHS"},
    "stages": {"metavar": "SYSTEMS", "action": "append", "type": names_of_stages},
    "margin": {"type": float},
    "prior": {"metavar": "TABLE"},
    **{name: {"metavar": "COLUMN"} for name in ("collection", "of", "search")},
    "method": {},
    "train": {"metavar": "FILE"},
    "task_metrics": {"metavar": "TASK=METRIC", "action": "append", "type": task_metric},
    "length": {"type": number_or_column},
    "budget": {"metavar": "BUDGETS"},
    "searches": {"type": depths, "metavar": "NUMBERS"},
    "threshold": {"type": _thresholds, "metavar": "SCORES"},
}
"""Mapping from a parameter to arguments of argparse that its annotation does not determine."""
ELSEWHERE = {
    "metrics": "-m",
    "leaderboard.at": "in the name of a metric, such as AP@10",
    "contributing": "--contributing, a column of the table of systems",
    "progress": "always shown on a terminal",
    **dict.fromkeys(("copies", "later_copies", "documents"), "not available: no file lists them"),
    "errors": "always reported",
    "rel": "in the name of a metric, such as AP(rel=2)",
    "texts": "--texts, with files",
    "runs": "the files",
    "scores": "read if --threshold is used",
}
"""Mapping from a parameter without its own option to what replaces it on the command line."""
_LISTS = re.compile('^[^.;:]*: ``"')
"""Pattern of a sentence that lists the accepted values after a colon."""


def _options_of(function: Verb) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function that become options."""
    return {
        name: parameter
        for name, parameter in plain_parameters(inspect.signature(function)).items()
        if f"{function.__name__}.{name}" not in ELSEWHERE
        and (
            {name, f"{function.__name__}.{name}"} & {*HELP, *READING}
            or (parameter.kind is parameter.KEYWORD_ONLY and name not in ELSEWHERE)
        )
    }


def declare_options(parser: ArgumentParser, *functions: Verb) -> None:
    """Declare the parameters of functions as options."""
    declared: set[str] = set()
    for function in functions:
        for name, parameter in _options_of(function).items():
            if name not in declared:
                keywords = _reading(parameter.annotation) | READING.get(name, {})
                specific = HELP.get(f"{function.__name__}.{name}")
                keywords["help"] = specific or HELP.get(name) or _sentence(function, name)
                flag = "--" + name.replace("_", "-")
                parser.add_argument(flag, default=parameter.default, **keywords)
                declared.add(name)


def _sentence(function: Verb, name: str) -> str:
    """Return the first sentence about a parameter in a docstring."""
    text = inspect.getdoc(function) or ""
    match = re.search(rf"^(?:\w+, )*{name}(?:, \w+)*\n((?: {{4}}.*\n?)+)", text, re.MULTILINE)
    description = " ".join(match[1].split()) if match else ""
    ends = r"(?<=[.;])\s" if _LISTS.search(description) else r"(?<=[.;:])\s"
    sentence = re.split(ends, description)[0].rstrip(".;:").replace("%", "%%")  # for argparse
    return re.sub('``?"?(.*?)"?``?', r"\1", sentence[:1].lower() + sentence[1:])


def _reading(annotation: object) -> dict[str, Any]:
    """Return arguments of argparse for the type of an option."""
    united = get_origin(annotation) in {Union, UnionType}
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType] if united else []
    [only, *further] = kinds or [annotation]
    if further:
        return {"type": depths} if [only, *further] == [int, Sequence[int]] else {}
    if only is bool:
        return {"action": BooleanOptionalAction}
    if get_origin(only) is Literal:
        return {"choices": get_args(only)}
    return {"type": only} if only in {int, float} else {}


def arguments_of(options: Namespace, function: Verb) -> dict[str, Any]:
    """Return the arguments of a function that the options contain."""
    arguments = {name: getattr(options, name) for name in _options_of(function)}
    if arguments.get("prior") is not None:
        arguments["prior"] = plain_table(arguments["prior"])
    if arguments.get("train") is not None:
        arguments["train"] = ir.read_qrels(arguments["train"])
    if arguments.get("task_metrics") is not None:
        arguments["task_metrics"] = dict(arguments["task_metrics"])
    if len(listed(arguments.get("baseline"))) == 1:
        [arguments["baseline"]] = arguments["baseline"]
    return gathered(inspect.signature(function), arguments)


def usual(function: Verb, name: str) -> Any:
    """Return the default of a parameter of a function."""
    return inspect.signature(function).parameters[name].default


YES = {"yes", "true", "1"}
NO = {"no", "false", "0"}
"""Texts in lower case that mean False in a column of booleans."""


def declare_systems(parser: ArgumentParser) -> None:
    """Declare the options for the table of systems."""
    parser.add_argument(
        "--systems", metavar="TABLE",
        help="CSV or Parquet file of systems: a column system, name or run, and others",
    )  # fmt: skip
    parser.add_argument(
        "--contributing", metavar="COLUMN",
        help="column that says which systems contributed to the pool (yes or no)",
    )  # fmt: skip


def declare_scoring(
    parser: ArgumentParser, *functions: Verb, required: bool = True, usual: Sequence[str] = ()
) -> None:
    """Declare files, metrics, and the options of functions."""
    declare_files(parser)
    help_text = f"; default: {' '.join(usual)}" if usual else ""
    parser.add_argument(
        *METRIC, required=required and not usual, metavar="METRIC", action="append", default=[],
        help="one or more metrics, such as AP nDCG@10 'RBP(p=0.8)' map_cut_10, or a set such as "
        f"official; may be repeated{help_text}",
    )  # fmt: skip
    parser.set_defaults(usual=usual)
    parser.add_argument(
        "--repeat", metavar="PATTERN",
        help="regular expression that extracts system and repeat from file names, such as "
        r"'(?P<system>.+)-seed(?P<repeat>\d+)'",
    )  # fmt: skip
    parser.add_argument(
        "--repeats",
        choices=LAYOUTS,
        help="whether repeats are drawn per system, for all systems, or within topics",
    )
    declare_options(parser, *functions)
    if ir.evaluate in functions:
        for flag, help_text in DESIGN.values():
            parser.add_argument(flag, metavar="TABLE", help=help_text)
    declare_systems(parser)


def read_systems(path: str) -> pd.DataFrame:
    """Read the table of systems; return it indexed by system."""
    table = plain_table(path, na_filter=True)
    name = roles(table.columns).get(SYSTEM)
    if name is None:
        raise InputError(f"a column {' or '.join(ALIASES[SYSTEM])} in {path}", "none")
    table = table.set_index(table[name].astype(str).rename(SYSTEM)).drop(columns=name)
    twice = table.index[table.index.duplicated()].unique()
    if len(twice):
        raise IdError(f"one row per system in {path}", "several rows for the systems", "", twice)
    lowered = table.apply(lambda column: column.astype(str).str.lower())
    booleans = [name for name in table if lowered[name].isin(YES | NO).all()]  # no missing values
    return table.assign(**{str(name): lowered[name].isin(YES) for name in booleans})


def with_systems(runs: pd.DataFrame, options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Add columns of the table of systems to runs."""
    named = [getattr(options, name, None) for name in ("by", "contributing")]
    if getattr(options, "systems", None) is None:
        return runs
    table = read_systems(options.systems)
    strange = [name for name in runs[SYSTEM].unique() if name not in table.index]
    if strange:
        expected = f"a row in {options.systems} for every system of the runs"
        raise IdError(expected, f"{len(strange)} systems without a row", "", strange)
    further = [name for name in table.columns if every and name not in runs.columns]
    columns = [name for name in dict.fromkeys([*named, *further]) if name in table.columns]
    return runs.assign(**{str(name): runs[SYSTEM].map(table[name]) for name in columns})


def _who_contributed(runs: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    """Add to runs the column that marks contributing systems."""
    name = getattr(options, "contributing", None)
    if name is None:
        return runs
    if name not in runs.columns:
        raise ParameterError(
            "--contributing to name a column of the runs or of --systems", repr(name)
        )
    return runs.assign(**{CONTRIBUTING: runs[name]})


DEEPEST = 2**31 - 1  # the depth must fit the 32-bit integers of a cube
STDIN = "-"


def source_of(arg: str) -> Source:
    """Return standard input for ``-``, and the path otherwise."""
    return sys.stdin.buffer if arg == STDIN else arg


def sources_of(args: Sequence[str], *further: str) -> list[Source]:
    """Return the files that the arguments name."""
    times = [*args, *further].count(STDIN)
    if times > 1:
        raise InputError("standard input (-) once", f"it {times} times")
    sources = ([source_of(arg)] if arg == STDIN else find_files(arg) for arg in args)
    return [*chain.from_iterable(sources)]


def read_judgments(options: Namespace) -> pd.DataFrame:
    """Read the file of judgments."""
    return ir.read_qrels(source_of(options.qrels))


def read_all(options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Read all runs; add columns of the table of systems."""
    sources = sources_of(options.runs, options.qrels)
    repeat = getattr(options, "repeat", None)
    runs = ir.read_runs(sources, system=options.system, repeat=repeat, **reading_options(options))
    return _who_contributed(with_systems(runs, options, every=every), options)


def runs_of(options: Namespace, *, rows: bool = False) -> pd.DataFrame | ScannedRuns:
    """Scan files of runs, or read the files if needed.

    Parameters
    ----------
    options
        The options of the command. Runs are read if an option needs a column of the runs.
    rows
        Whether the command needs the rows of the runs.
    """
    choices = (getattr(options, name, None) for name in ("by", "contributing", "systems", "repeat"))
    if rows or any(choices) or STDIN in options.runs:
        return read_all(options)
    paths: Any = sources_of(options.runs, options.qrels)
    return ir.scan_runs(paths, system=options.system, **reading_options(options))


def read_valid(options: Namespace) -> pd.DataFrame:
    """Read the valid runs, and record the skipped files."""
    sources = sources_of(options.runs, options.qrels)
    # Warnings are not printed, because the answer names the skipped files.
    with OneCall(without=LEFT_OUT):
        return ir.read_runs(
            sources, system=options.system, on_error="skip", **reading_options(options)
        )


def metrics_of(options: Namespace) -> list[Metric]:
    """Return the metrics, and the costs that they need."""
    units: Any = {name: getattr(options, name, None) for name in ("of", "length", "search")}
    metrics, prepared = Preparation(**units).with_costs(options.metric or options.usual)
    deepest = DEEPEST if options.depth is None else options.depth
    check_int("--depth", deepest, low=1, high=DEEPEST, error=DepthError)
    deeper = [metric for metric in metrics if (metric.depth or 0) > deepest]
    if deeper:
        advice = "omit --depth, or pass a larger one" if deepest < DEEPEST else ""
        raise DepthError(f"metrics of depth {deepest} at most", "", advice, deeper)
    return [*metrics, *prepared.costs]


def flags_of_design(options: Namespace) -> list[str]:
    """Return the options of the topic design that were passed."""
    return [flag for flag, _ in DESIGN.values() if getattr(options, flag[2:])]


def scored(
    options: Namespace,
    runs: pd.DataFrame | ScannedRuns,
    qrels: pd.DataFrame,
    metrics: Sequence[Metric],
    by: str | None = None,
) -> pd.DataFrame:
    """Score runs with the options of a command."""
    scored: Any = partial(ir.evaluate, runs)
    if by is not None:
        groups: Any = by
        if by in qrels.columns and isinstance(runs, pd.DataFrame) and by not in runs.columns:
            groups = qrels.drop_duplicates([TOPIC, by]).set_index(TOPIC)[by]
        scored = ir.verbs.groupby(runs, groups).evaluate
    scores: pd.DataFrame = scored(qrels, metrics, **arguments_of(options, ir.evaluate))
    paths = {label: getattr(options, flag[2:]) for label, (flag, _) in DESIGN.items()}
    drawn: Any = {label: read_topic_values(path, label) for label, path in paths.items() if path}
    drawn |= {"repeats": options.repeats} if options.repeats else {}
    return ir.verbs.design(scores, **drawn) if drawn else scores
