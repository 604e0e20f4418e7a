"""Files and options of a command line."""

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


def read_topic_values(path: str, word: str) -> pd.Series:
    """Read a table of topics with clusters, tasks or weights."""
    table = plain_table(path)
    topic = roles(table.columns).get(TOPIC)
    others = [name for name in table.columns if name != topic]
    if topic is None or len(others) != 1:
        expected = f"a column {' or '.join(ALIASES[TOPIC])} and one of {word} in {path}"
        raise InputError(expected, "", "", map(str, table.columns))
    values = table[others[0]]
    values = pd.to_numeric(values, errors="coerce") if word == "weight" else values
    return pd.Series(values.to_numpy(), pd.Index(table[topic].astype(str)), name=others[0])


def declare_files(parser: ArgumentParser) -> None:
    """Add the files of judgments and runs."""
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+",
        help="files of runs, packed or not, patterns in quotes, folders, or - for standard input",
    )  # fmt: skip
    declare_reading(parser)


def declare_reading(parser: ArgumentParser) -> None:
    """Add options for names of systems, columns and separators."""
    parser.add_argument(
        "--system", choices=("tag", "file"), default="tag", help="name systems by tag or file"
    )
    parser.add_argument(
        "--columns", metavar="NAMES", type=parse_columns,
        help="columns of the files in order, as topic,doc,score, or roles, as model_name=system",
    )  # fmt: skip
    parser.add_argument(
        "--sep", metavar="CHARACTER", type=lambda text: text.replace("\\t", "\t"),
        help="separator of columns; \\t is a tab",
    )  # fmt: skip


def parse_columns(text: str) -> list[str] | dict[str, str]:
    """Return names of columns, or the roles of columns.

    Examples
    --------
    >>> parse_columns("topic,doc,score"), parse_columns("model_name=system")
    (['topic', 'doc', 'score'], {'model_name': 'system'})
    """
    names = text.split(",")
    pairs = [name.rpartition("=") for name in names]
    return {n: role for n, _, role in pairs} if all(each for _, each, _ in pairs) else names


def reading_options(options: Namespace) -> dict[str, Any]:
    """Return the options for reading files."""
    return {"columns": options.columns, "sep": options.sep}


Verb = Callable[..., Any]


def depths(text: str) -> int | list[int]:
    """Return one depth, or several separated by commas.

    Examples
    --------
    >>> depths("10"), depths("5,10")
    (10, [5, 10])
    """
    first, *others = map(int, text.split(","))
    return [first, *others] if others else first


def number_or_column(text: str) -> int | str:
    """Return an integer, or else a column name.

    Examples
    --------
    >>> number_or_column("1000"), number_or_column("tokens")
    (1000, 'tokens')
    """
    return int(text) if text.isdigit() else text


def task_metric(text: str) -> list[str]:
    """Return a task and its metric.

    Examples
    --------
    >>> task_metric("news=RBP(p=0.8)")
    ['news', 'RBP(p=0.8)']
    """
    task, metric = text.split("=", 1)
    return [task, metric]


def names_of_stages(text: str) -> list[str]:
    """Return the stages of a pipeline, separated by commas.

    Examples
    --------
    >>> names_of_stages("bm25,monot5")
    ['bm25', 'monot5']
    """
    return [name.strip() for name in text.split(",")]


def correction(text: str) -> str | None:
    """Return a correction for multiple comparisons, or None."""
    return None if text == "none" else text


HELP = {
    "test": "a paired test: t, wilcoxon, ranksum, sign, permutation, bootstrap or tukey",
    "depth": "cut every list there; no metric may be deeper",
    "ties": "order of equal scores",
    "score_dtype": "precision in which scores are equal; float32 as in trec_eval up to 9.0.8",
    "topics": "qrels: judged topics, on which a missing list scores 0; runs: topics for which some "
    "run has a list; common: topics for which every run has one",
    "pool_depth": "depth of the pool, if known",
    "collection": "column of Parquet files with the track of each topic",
    "no_rel": "score of topics without relevant documents, unless a metric defines it",
    "adjust": "correction for multiple comparisons, such as holm, fdr_bh, max-t or none; auto is "
    "holm if the test needs one",
    "family": "the comparisons that are corrected together",
    "alpha": "significance level; intervals are at 1 - alpha",
    "baseline": "a system that others are compared with; repeat for several",
    "at": "evaluation depths, such as 10 or 5,10",
    "over": "the samples that differences generalise over if systems have repeats",
    "rank_interval": "method of the rank intervals",
    "judge_next.method": "method that chooses the documents",
    **dict.fromkeys(("judge_next.rel", "risk_coverage.rel"), "lowest relevant grade"),
    "credit": "maxmean: whether a judgment counts for all runs with the document, or for one",
    "prior": "CSV, TSV or Parquet file of a model's judgments: topic, doc, grade or probability",
    "interval": "method of the intervals of means",
    "samples": "number of resamples",
    "seed": "seed of random draws",
    "margin": "difference that is too small to matter",
    "train": "judgments that systems were trained with",
    "task_metrics": "the metric of a task, such as marco=RR; repeat for each task",
    "length": "column with the length of each document, or one length of all",
    "list_length": "expected length of lists",
    "check.depth": "cut every list at this depth",
    "leaderboard.baseline": "a system that all others are compared with",
    "report.at": "evaluation depths, such as 10 or 5,10; the page opens with the first",
    "report.baseline": "a system that others are compared with on the page",
    "of": "column, or pattern with one group, with the document of each chunk",
    "threshold": "lowest score that is read, such as 0.5 or 0.2,0.5; a=0.2,b=0.5 for systems a and "
    "b; or all for every score of the lists",
    "search": "column that numbers the searches of a topic, in reading order",
    "each": "number of documents read of each search",
    "searches": "numbers of searches that are read, such as 2 or 1,2,3",
    "budget": "amount of text that is read, in the unit of --length, such as 500 or 500,1000",
    "stages": "systems of a pipeline in order, such as bm25,monot5",
    "cut": "treatment of the first document that does not fit into a budget",
}
"""Option of a verb -> its help text, if it differs from the sentence in the verb's docstring."""


DESIGN = {
    "weight": (
        "--weights",
        "CSV, TSV or Parquet file of the weights of topics: topic and one more column",
    ),
    "cluster": (
        "--cluster",
        "such a file of clusters of topics: topic and a column of clusters",
    ),
    "task": (
        "--tasks",
        "such a file of tasks of equal weight: topic and a column of tasks",
    ),
}
"""Option of `design` -> its option of the command line, and the help text."""


def _thresholds(text: str) -> str | list[float] | dict[str, float]:
    """Return thresholds: numbers, system=number pairs, or a word."""
    pairs = [part.rpartition("=") for part in text.split(",")]
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
    **{word: {"metavar": "COLUMN"} for word in ("collection", "of", "search")},
    "method": {},
    "train": {"metavar": "FILE"},
    "task_metrics": {"metavar": "TASK=METRIC", "action": "append", "type": task_metric},
    "length": {"type": number_or_column},
    "budget": {"metavar": "BUDGETS"},
    "searches": {"type": depths, "metavar": "NUMBERS"},
    "threshold": {"type": _thresholds, "metavar": "SCORES"},
}
"""Option of a verb -> arguments of argparse besides those for its type."""
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
"""Option of a verb -> its replacement on the command line, if the name differs."""


_LISTS = re.compile('^[^.;:]*: ``"')
"""Beginning of a sentence that lists values."""


def _options_of(function: Verb) -> dict[str, inspect.Parameter]:
    """Return the options of a verb for the command line."""
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
    """Add the options of verbs, each once."""
    declared: set[str] = set()
    for function in functions:
        for name, parameter in _options_of(function).items():
            if name not in declared:
                keywords = _reading(parameter.annotation) | READING.get(name, {})
                own = HELP.get(f"{function.__name__}.{name}")
                keywords["help"] = own or HELP.get(name) or _sentence(function, name)
                flag = "--" + name.replace("_", "-")
                parser.add_argument(flag, default=parameter.default, **keywords)
                declared.add(name)


def _sentence(function: Verb, name: str) -> str:
    """Return the first sentence about a parameter in a docstring."""
    text = inspect.getdoc(function) or ""
    match = re.search(rf"^(?:\w+, )*{name}(?:, \w+)*\n((?: {{4}}.*\n?)+)", text, re.MULTILINE)
    words = " ".join(match[1].split()) if match else ""
    ends = r"(?<=[.;])\s" if _LISTS.search(words) else r"(?<=[.;:])\s"
    sentence = re.split(ends, words)[0].rstrip(".;:").replace("%", "%%")
    return re.sub('``?"?(.*?)"?``?', r"\1", sentence[:1].lower() + sentence[1:])


def _reading(annotation: object) -> dict[str, Any]:
    """Return the reader of an option from its annotation."""
    united = get_origin(annotation) in {Union, UnionType}
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType] if united else []
    [only, *others] = kinds or [annotation]
    if others:
        return {"type": depths} if [only, *others] == [int, Sequence[int]] else {}
    if only is bool:
        return {"action": BooleanOptionalAction}
    if get_origin(only) is Literal:
        return {"choices": get_args(only)}
    return {"type": only} if only in {int, float} else {}


def given(options: Namespace, function: Verb) -> dict[str, Any]:
    """Return the arguments of a verb from the options."""
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
    """Return the default of a parameter of a verb."""
    return inspect.signature(function).parameters[name].default


YES = {"yes", "true", "1"}
NO = {"no", "false", "0"}
"""Texts of a column of booleans."""


def declare_systems(parser: ArgumentParser) -> None:
    """Add options for systems and the contributing ones."""
    parser.add_argument(
        "--systems", metavar="TABLE",
        help="CSV or Parquet file with a row per system: a column system, name or run, and others",
    )  # fmt: skip
    parser.add_argument(
        "--contributing",
        metavar="COLUMN",
        help="column with the systems that contributed to the pool (yes, no)",
    )


def declare_scoring(
    parser: ArgumentParser, *functions: Verb, required: bool = True, usual: Sequence[str] = ()
) -> None:
    """Add files, metrics, repeats, options of verbs and systems."""
    declare_files(parser)
    words = f"; by default {' '.join(usual)}" if usual else ""
    parser.add_argument(
        *METRIC, required=required and not usual, metavar="METRIC", action="append", default=[],
        help="metrics, such as AP nDCG@10 'RBP(p=0.8)', map_cut_10 or official; several after one "
        f"-m, or -m several times, anywhere on the line{words}",
    )  # fmt: skip
    parser.set_defaults(usual=usual)
    parser.add_argument(
        "--repeat", metavar="PATTERN",
        help="regular expression of names of files with the groups system and repeat, such as "
        r"'(?P<system>.+)-seed(?P<repeat>\d+)'",
    )  # fmt: skip
    parser.add_argument("--repeats", choices=LAYOUTS, help="what each repeat varies")
    declare_options(parser, *functions)
    if ir.evaluate in functions:
        for flag, words in DESIGN.values():
            parser.add_argument(flag, metavar="TABLE", help=words)
    declare_systems(parser)


def read_systems(path: str) -> pd.DataFrame:
    """Read a table of systems, indexed by their names."""
    table = plain_table(path, na_filter=True)
    name = roles(table.columns).get(SYSTEM)
    if name is None:
        raise InputError(f"a column {' or '.join(ALIASES[SYSTEM])} in {path}", "none")
    table = table.set_index(table[name].astype(str).rename(SYSTEM)).drop(columns=name)
    again = table.index[table.index.duplicated()].unique()
    if len(again):
        raise IdError(f"a row per system in {path}", f"{len(again)} with several", "", again)
    words = table.apply(lambda column: column.astype(str).str.lower())
    booleans = [name for name in table if words[name].isin(YES | NO).all()]  # no missing values
    return table.assign(**{str(name): words[name].isin(YES) for name in booleans})


def with_systems(runs: pd.DataFrame, options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Return runs with columns of the table of systems."""
    expected = [getattr(options, name, None) for name in ("by", "contributing")]
    if getattr(options, "systems", None) is None:
        return runs
    table = read_systems(options.systems)
    strange = [name for name in runs[SYSTEM].unique() if name not in table.index]
    if strange:
        found = f"{len(strange)} that it lacks"
        raise IdError(f"all systems of the runs in {options.systems}", found, "", strange)
    further = [name for name in table.columns if every and name not in runs.columns]
    columns = [name for name in dict.fromkeys([*expected, *further]) if name in table.columns]
    return runs.assign(**{str(name): runs[SYSTEM].map(table[name]) for name in columns})


def _who_contributed(runs: pd.DataFrame, options: Namespace) -> pd.DataFrame:
    """Return runs with a boolean column of contributing systems."""
    name = getattr(options, "contributing", None)
    if name is None:
        return runs
    if name not in runs.columns:
        raise ParameterError("--contributing, a column of the runs or of --systems", repr(name))
    return runs.assign(**{CONTRIBUTING: runs[name]})


DEEPEST = 2**31 - 1  # cubes store depths as 32-bit integers
STDIN = "-"


def source_of(word: str) -> Source:
    """Return the path of an argument, or standard input."""
    return sys.stdin.buffer if word == STDIN else word


def sources_of(words: Sequence[str], *others: str) -> list[Source]:
    """Return the files of paths, patterns, folders and standard input."""
    times = [*words, *others].count(STDIN)
    if times > 1:
        raise InputError("standard input (-) once", f"it {times} times")
    sources = ([source_of(word)] if word == STDIN else find_files(word) for word in words)
    return [*chain.from_iterable(sources)]


def read_judgments(options: Namespace) -> pd.DataFrame:
    """Read the file of judgments."""
    return ir.read_qrels(source_of(options.qrels))


def read_all(options: Namespace, *, every: bool = False) -> pd.DataFrame:
    """Read all runs, with columns of a table of systems."""
    sources = sources_of(options.runs, options.qrels)
    repeat = getattr(options, "repeat", None)
    runs = ir.read_runs(sources, system=options.system, repeat=repeat, **reading_options(options))
    return _who_contributed(with_systems(runs, options, every=every), options)


def runs_of(options: Namespace, *, rows: bool = False) -> pd.DataFrame | ScannedRuns:
    """Return scanned files of runs, or their rows if needed.

    Parameters
    ----------
    options
        Options of the command. Rows are needed if an option names a column of the runs.
    rows
        Whether rows are needed in any case.
    """
    choices = (getattr(options, name, None) for name in ("by", "contributing", "systems", "repeat"))
    if rows or any(choices) or STDIN in options.runs:
        return read_all(options)
    paths: Any = sources_of(options.runs, options.qrels)
    return ir.scan_runs(paths, system=options.system, **reading_options(options))


def read_valid(options: Namespace) -> pd.DataFrame:
    """Read the valid runs, and record problems of others."""
    sources = sources_of(options.runs, options.qrels)
    with OneCall(without=LEFT_OUT):  # the answer names the files that were left out
        return ir.read_runs(
            sources, system=options.system, on_error="skip", **reading_options(options)
        )


def metrics_of(options: Namespace) -> list[Metric]:
    """Return the metrics, none deeper than the lists, and costs."""
    units: Any = {name: getattr(options, name, None) for name in ("of", "length", "search")}
    metrics, prepared = Preparation(**units).with_costs(options.metric or options.usual)
    deepest = DEEPEST if options.depth is None else options.depth
    check_int("--depth", deepest, low=1, high=DEEPEST, error=DepthError)
    deeper = [metric for metric in metrics if (metric.depth or 0) > deepest]
    if deeper:
        advice = "leave --depth out or make it deeper" if deepest < DEEPEST else ""
        raise DepthError(f"metrics down to depth {deepest} at most", "", advice, deeper)
    return [*metrics, *prepared.costs]


def flags_of_design(options: Namespace) -> list[str]:
    """Return the options for the design of topics."""
    return [flag for flag, _ in DESIGN.values() if getattr(options, flag[2:])]


def scored(
    options: Namespace,
    runs: pd.DataFrame | ScannedRuns,
    qrels: pd.DataFrame,
    metrics: Sequence[Metric],
    by: str | None = None,
) -> pd.DataFrame:
    """Score runs by the options of a line."""
    scored: Any = partial(ir.evaluate, runs)
    if by is not None:
        groups: Any = by
        if by in qrels.columns and isinstance(runs, pd.DataFrame) and by not in runs.columns:
            groups = qrels.drop_duplicates([TOPIC, by]).set_index(TOPIC)[by]
        scored = ir.verbs.groupby(runs, groups).evaluate
    scores: pd.DataFrame = scored(qrels, metrics, **given(options, ir.evaluate))
    paths = {label: getattr(options, flag[2:]) for label, (flag, _) in DESIGN.items()}
    drawn: Any = {label: read_topic_values(path, label) for label, path in paths.items() if path}
    drawn |= {"repeats": options.repeats} if options.repeats else {}
    return ir.verbs.design(scores, **drawn) if drawn else scores
