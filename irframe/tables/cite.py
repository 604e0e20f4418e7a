"""Papers behind a result."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pandas as pd
import xarray as xr

from irframe.agreements import parse_agreement
from irframe.comparing.corrections import parse_test
from irframe.errors import InputError, IrframeError
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DRAWN
from irframe.paired import MaxT
from irframe.printed import Result
from irframe.record import Step, all_steps, function_of, steps_of

ENTRY = re.compile(r"\.\. \[\d+\] (.*?)(?=\.\. \[\d+\] |$)")
"""Pattern for an entry in the references of a docstring. Each run of white space in the references
must have been replaced by a single space."""

DOI = re.compile(r"\s*\bdoi:(10\.\S+[^\s.,;])")
CITED = ["reference", "doi", "used"]

WHERE = {
    "Schuirmann": "margin",
    "MacKinnon": "drawn",
    "Imbens": "drawn",
    "Clark": "repeats",
    "Chen et al": "best_of worst_of",
    "Hesterberg": "interval_of samples",
    "Yilmaz, Aslam, Robertson": "coefficient=tau_ap",
    "Holm": "rank_interval=holm",
    "Al Mohamad": "rank_interval=holm",
    "Mogstad": "rank_interval=max-t",
    "Hall, Miller": "rank_interval=bootstrap",
    "Sakai. A simple and effective approach": "scaling=uniform",
    "Urbano, Lima": "scaling=uniform",
}
"""Mapping from the beginning of a reference to the options or conditions under which verbs cite it.

Verbs cite all other references in their docstrings unconditionally.
"""
CORRECTIONS = """
holm: Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 1979.
bonferroni: Dunn. Multiple comparisons among means. Journal of the American Statistical Association
    56, 1961. doi:10.1080/01621459.1961.10482090
sidak: Sidak. Rectangular confidence regions for the means of multivariate normal distributions.
    Journal of the American Statistical Association 62, 1967. doi:10.1080/01621459.1967.10482935
holm-sidak: Holland, Copenhaver. An improved sequentially rejective Bonferroni test procedure.
    Biometrics 43, 1987. doi:10.2307/2531823
simes-hochberg: Hochberg. A sharper Bonferroni procedure for multiple tests of significance.
    Biometrika 75, 1988. doi:10.1093/biomet/75.4.800
hommel: Hommel. A stagewise rejective multiple test procedure based on a modified Bonferroni test.
    Biometrika 75, 1988. doi:10.1093/biomet/75.2.383
fdr_bh: Benjamini, Hochberg. Controlling the false discovery rate: a practical and powerful approach
    to multiple testing. Journal of the Royal Statistical Society B 57, 1995.
    doi:10.1111/j.2517-6161.1995.tb02031.x
fdr_by: Benjamini, Yekutieli. The control of the false discovery rate in multiple testing under
    dependency. Annals of Statistics 29, 2001. doi:10.1214/aos/1013699998
fdr_tsbh, fdr_tsbky: Benjamini, Krieger, Yekutieli. Adaptive linear step-up procedures that control
    the false discovery rate. Biometrika 93, 2006. doi:10.1093/biomet/93.3.491
"""
"""References for corrections for multiple comparisons. These corrections have no docstrings."""


def cite(result: pd.DataFrame | xr.DataArray | xr.Dataset) -> pd.DataFrame:
    """List the papers behind a result.

    Parameters
    ----------
    result
        Scores, or the result of a verb, such as a comparison or a leaderboard. Its attributes must
        be complete.

    Returns
    -------
    pandas.DataFrame
        A row for each paper, in the order of the steps that used it. ``doi`` is empty if the paper
        has none. ``used`` lists the metrics, tests and verbs that refer to the ``reference``.

    Raises
    ------
    InputError
        If the attributes do not record how the result was computed.

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
    7                                    holm
    """
    steps = steps_of(result)
    if not steps:
        advice = "call cite on what a verb returned, as it returned it"
        raise InputError("a result whose attributes record how it was computed", "none", advice)
    options = {"n_repeats": "repeats", DRAWN: "drawn"}
    attributes = getattr(result, "attrs", {})
    return papers(steps, [option for name, option in options.items() if name in attributes])


def papers(steps: Iterable[Step], conditions: Iterable[str] = ()) -> pd.DataFrame:
    """Return a table of the papers that the steps use.

    Parameters
    ----------
    steps
        Verbs with their options.
    conditions
        Conditions that are not options but have references, such as ``"repeats"``.
    """
    further = dict.fromkeys(conditions, True)
    rows = [row for step in all_steps(steps) for row in _papers_of_step(step, further)]
    frame = pd.DataFrame(rows, columns=CITED, dtype=object)
    # methods may cite one paper in different words, so papers are identified by their DOI
    paper = frame["doi"].where(frame["doi"] != "", frame["reference"])
    grouped = frame.groupby(paper, sort=False)
    table = grouped.agg({"reference": "first", "doi": "first", "used": _unique_names})
    return Result(table.reset_index(drop=True))


def _unique_names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _papers_of_step(step: Step, further: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield each paper's reference and DOI, and the citing method."""
    options = {**step.options, **further}
    for name, kind in _used(step):
        for reference, doi in references(kind):
            conditions = next(
                (terms.split() for start, terms in WHERE.items() if reference.startswith(start)), []
            )
            applies = not conditions or any(_is_met(condition, options) for condition in conditions)
            if name != step.verb or applies:
                yield reference, doi, name
    adjust = str(step.options.get("adjust"))
    for names, entry in re.findall(r"^(\w.*?): ((?:.|\n )+)", CORRECTIONS, re.MULTILINE):
        if adjust in names.split(", "):
            yield *_reference(entry), adjust


def _is_met(condition: str, options: Mapping[str, object]) -> bool:
    """Return whether the options meet a condition of `WHERE`."""
    name, _, value = condition.partition("=")
    option = options.get(name)
    # the condition coefficient=tau_ap is also met by the option "TauAP(symmetric=True)"
    return _letters_of(option).startswith(_letters_of(value)) if value else bool(option)


def _letters_of(value: object) -> str:
    return re.sub(r"[^a-z]", "", str(value).lower())


def references(used: object) -> Iterator[tuple[str, str]]:
    """Yield the reference and DOI of each docstring entry.

    Examples
    --------
    >>> from irframe.metrics import P, SetP
    >>> [doi for _, doi in references(P)], [doi for _, doi in references(SetP)]
    (['10.1007/s10791-016-9282-6'], ['10.1017/CBO9780511809071'])
    """
    section = (inspect.getdoc(used) or "").partition("\nReferences\n")[2]
    # the section begins with the line of hyphens below its heading
    text = " ".join(section.partition("\n\n")[0].split()).lstrip("- ")
    yield from map(_reference, ENTRY.findall(text))


def _reference(entry: str) -> tuple[str, str]:
    """Return the text and the DOI of a reference."""
    text = " ".join(entry.split())
    doi = DOI.search(text)
    return DOI.sub("", text).strip(), doi[1] if doi else ""


def _used(step: Step) -> Iterator[tuple[str, object]]:
    """Yield the names and classes of methods of a step.

    The methods are metrics, a test, measures of agreement, max-T and the verb.
    """
    metrics = step.options.get("metrics") or [step.options.get("metric")]
    methods = step.options.get("coefficients") or [step.options.get("coefficient")]
    named: list[tuple[Callable[[Any], object], object]] = [(parse_metric, name) for name in metrics]
    named += [(parse_test, step.options.get("test"))]
    named += [(parse_agreement, name) for name in methods]
    for parse, name in named:
        with suppress(IrframeError, TypeError):  # metrics of other libraries cannot be parsed
            if name:
                yield str(name), type(parse(name))
    if str(step.options.get("adjust")).startswith(MaxT.__name__):
        yield str(step.options["adjust"]), MaxT
    if (verb := function_of(step.verb)) is not None:
        yield step.verb, verb
