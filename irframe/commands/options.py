"""The options of verbs, as they stand on the line of a command: the same names and defaults."""

import inspect
from argparse import Action, ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from irframe.commands.text_tables import read_weights

Verb = Callable[..., Any]


def depths(text: str) -> int | list[int]:
    """Return one depth, or several between commas.

    Examples
    --------
    >>> depths("10"), depths("5,10")
    (10, [5, 10])
    """
    found = [int(part) for part in text.split(",")]
    return found if len(found) > 1 else found[0]


def correction(text: str) -> str | None:
    """Return a correction for many comparisons, ``none`` for none."""
    return None if text == "none" else text


class Several(Action):
    """One label, or a list of them where the option stands several times."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option: Any = None) -> None:  # noqa: ARG002
        """Add a label to those before it."""
        before = getattr(namespace, self.dest)
        known = before if isinstance(before, list) else [] if before is None else [before]
        setattr(namespace, self.dest, [*known, values] if known else values)


OPTIONS: dict[str, dict[str, Any]] = {
    "depth": {"type": int, "help": "cut every list there; no metric may be deeper"},
    "ties": {"help": "order of equal scores"},
    "score_dtype": {
        "help": "precision in which scores are equal; float32 as in trec_eval up to 9.0.8",
    },
    "topics": {
        "choices": ("qrels", "runs", "common"),
        "help": "qrels: those judged, where a run lacks one it scores 0; runs: only those for "
        "which some run has a list; common: those for which every run has one",
    },
    "pool_depth": {"type": int, "help": "depth of the pool, if it is known"},
    "collection": {
        "metavar": "COLUMN",
        "help": "a column of Parquet files that tells tracks apart",
    },
    "no_rel": {
        "help": "what topics without relevant documents score, where a metric does not say",
    },
    "test": {"help": "paired test, such as t, wilcoxon, tukey"},
    "adjust": {
        "type": correction,
        "help": "correction for many comparisons, such as holm, fdr_bh, max-t or none; auto is "
        "holm where the test needs one",
    },
    "family": {"help": "which comparisons are corrected for each other"},
    "alpha": {"type": float, "help": "significance level; intervals are at 1 - alpha"},
    "baseline": {
        "metavar": "SYSTEM",
        "action": Several,
        "help": "what others are compared with; several by using it again",
    },
    "at": {"type": depths, "metavar": "DEPTHS", "help": "evaluation depths, such as 10 or 5,10"},
    "depths": {"type": depths, "metavar": "DEPTHS", "help": "depths to show, such as 5,10,100"},
    "method": {"help": "how intervals of ranks are found"},
    "interval": {"help": "how intervals of means are found"},
    "samples": {"type": int, "help": "resamples"},
    "seed": {"type": int, "help": "seed of what is drawn"},
    "title": {"help": "title of the page"},
    "margin": {"type": float, "help": "difference that is too small to matter"},
    "power": {"type": float, "help": "power for which a difference is told"},
    "weights": {
        "metavar": "TABLE",
        "help": "CSV, TSV or Parquet file of how much topics count: topic and one more column",
    },
    "effects": {"action": BooleanOptionalAction, "help": "Hedges' g with its interval"},
    "simultaneous": {"action": BooleanOptionalAction, "help": "intervals that hold all at once"},
    "length": {"type": int, "help": "how long lists should be; else as most are"},
}
"""Option of a verb -> what a command says of it; its words are those that the verb names."""
ELSEWHERE = {
    "metrics": "-m",
    "contributing": "--contributing, a column of the table of systems",
    "by": "--by of evaluate; the summary by groups",
    "progress": "shown where errors go to a terminal",
    "documents": "documents that a collection has are no file of a line",
    "problems": "those of the files themselves",
    "errors": "reported",
    "rel": "in the name of a metric, as -l of trec_eval does",
    "texts": "--texts, files of them",
}
"""Option of a verb that is given in another way, and how."""


def declare_options(parser: ArgumentParser, *functions: Verb) -> None:
    """Let the options of verbs stand on a line, each once."""
    declared: set[str] = set()
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            if name in OPTIONS and name not in declared:
                flag = "--" + name.replace("_", "-")
                told = _words(parameter.annotation) | OPTIONS[name]
                parser.add_argument(flag, default=parameter.default, **told)
                declared.add(name)


def _words(annotation: Any) -> dict[str, Any]:
    """Return the words between which an option chooses, if its parameter takes them alone."""
    united = get_origin(annotation) in {Union, UnionType}
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType] if united else []
    [only, *others] = kinds or [annotation]
    return {"choices": get_args(only)} if get_origin(only) is Literal and not others else {}


def given(options: Namespace, function: Verb) -> dict[str, Any]:
    """Return the arguments of a verb that a line has."""
    names = [name for name in inspect.signature(function).parameters if name in OPTIONS]
    found = {name: getattr(options, name) for name in names}
    if found.get("weights") is not None:
        found["weights"] = read_weights(found["weights"])
    return found
