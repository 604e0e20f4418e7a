"""The papers behind a result."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import pandas as pd
import xarray as xr

from irframe.agreements import parse_agreement
from irframe.errors import InputError, IrframeError
from irframe.metrics.parse_metric import parse_metric
from irframe.paired import MaxT, parse_test
from irframe.record import Step, all_steps, steps_of

ENTRY = re.compile(r"\.\. \[\d+\] (.*?)(?=\.\. \[\d+\] |$)")
"""A reference in a docstring whose white space is single blanks."""


DOI = re.compile(r"\s*\bdoi:(10\.\S+[^\s.,;])")


CITED = ["reference", "doi", "used"]


def cite(result: pd.DataFrame | xr.DataArray | xr.Dataset | xr.DataTree) -> pd.DataFrame:
    """List the papers behind the metrics, tests and verbs that led to a result.

    Parameters
    ----------
    result
        What a verb returned, with its attributes: scores, a comparison, a leaderboard, or a tree.

    Returns
    -------
    pandas.DataFrame
        A row for each paper, in the order in which it was needed: the ``reference``; its ``doi``,
        empty where it has none; and ``used``, what of irframe refers to it.

    Raises
    ------
    InputError
        If attributes do not say how the result came about.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["RBP(p=0.8)", "AP"])
    >>> cite(scores.ireval.leaderboard())[["doi", "used"]]
                             doi         used
    0    10.1145/1416950.1416952   RBP(p=0.8)
    1  10.1007/s10791-016-9282-6           AP
    2    10.1145/1183614.1183630           AP
    3      10.1145/345508.345543           AP
    4       10.1093/biomet/6.1.1            t
    5            10.2307/2983325  leaderboard
    6      10.1198/1061860043515  leaderboard
    """
    steps = steps_of(result)
    if not steps:
        advice = "call cite on what a verb returned, as it returned it"
        raise InputError("a result whose attributes say how it came about", "none", advice)
    return papers(steps)


def papers(steps: Iterable[Step]) -> pd.DataFrame:
    """Return the papers behind some steps, as `cite` does.

    Parameters
    ----------
    steps
        Verbs with their options.
    """
    used = {name: kind for step in all_steps(steps) for name, kind in _used(step)}
    rows = [(*paper, name) for name, kind in used.items() for paper in references(kind)]
    frame = pd.DataFrame(rows, columns=CITED, dtype=object)
    paper = frame["doi"].where(frame["doi"] != "", frame["reference"])
    grouped = frame.groupby(paper, sort=False)
    told = grouped.agg({"reference": "first", "doi": "first", "used": ", ".join})
    return told.reset_index(drop=True)


def references(used: Any) -> Iterator[tuple[str, str]]:
    """Yield reference and DOI of each entry of a docstring.

    Examples
    --------
    >>> from irframe.metrics import P, SetP
    >>> [doi for _, doi in references(P)], [doi for _, doi in references(SetP)]
    (['10.1007/s10791-016-9282-6'], ['10.1017/CBO9780511809071'])
    """
    section = (inspect.getdoc(used) or "").partition("\nReferences\n")[2]
    text = " ".join(section.partition("\n\n")[0].split()).lstrip("- ")
    for entry in ENTRY.findall(text):
        doi = DOI.search(entry)
        yield DOI.sub("", entry).strip(), doi[1] if doi else ""


def _used(step: Step) -> Iterator[tuple[str, Any]]:
    """Yield what a step used, by name: metrics, a test, measures of agreement, max-T, its verb."""
    metrics = step.options.get("metrics") or [step.options.get("metric")]
    methods = step.options.get("methods") or [step.options.get("method")]
    named: list[tuple[Callable[[Any], Any], Any]] = [(parse_metric, name) for name in metrics]
    named += [(parse_test, step.options.get("test"))]
    named += [(parse_agreement, name) for name in methods]
    for parse, name in named:
        with suppress(IrframeError, TypeError):  # it may be called otherwise, as of elsewhere
            if name:
                yield str(name), type(parse(name))
    if str(step.options.get("adjust")).startswith(MaxT.__name__):
        yield str(step.options["adjust"]), MaxT
    verb = getattr(import_module("irframe.verbs"), step.verb, None)
    if verb is not None:
        yield step.verb, verb
