"""Results as styled tables for pages and papers."""

from collections.abc import Hashable
from typing import Any, Literal

import pandas as pd
import xarray as xr
from pandas.io.formats.style import Styler

from irframe.checks import as_annotated, check_int, choice
from irframe.comparing.compare import COLUMNS
from irframe.cubes.score_arrays import with_costs
from irframe.cubes.score_frames import is_scores
from irframe.frames.tables import once_named
from irframe.names import ALIASES, BOUND, METRIC, RESULT, SCORE_VERBS, SYSTEM, TOPIC
from irframe.scores.summary import summary
from irframe.stops import axis_of
from irframe.tables.marked_styler import MarkedStyler, Table
from irframe.tables.mean_tables import Options, of_comparison, of_result, of_summary

SUMMARY = {"mean", "ci_low", "ci_high", "n"}
"""Columns by which `styled` recognises the result of `summary`."""
MARKS = ("letters", "daggers", "verdicts", "none")


@with_costs
def styled(
    result: pd.DataFrame | xr.Dataset | xr.DataArray,
    precision: int = 3,
    *,
    best: bool = True,
    marks: Literal["letters", "daggers", "verdicts", "none"] = "letters",
    intervals: bool | None = None,
    relative_to: Hashable | None = None,
    sort: Hashable = False,
) -> Styler:
    r"""Return a result as a styled table.

    Parameters
    ----------
    result
        Scores, or the result of a verb, such as `summary`, `compare`, `compare_orderings`,
        `discrimination`, `ablation`, or the summary of `outcomes`.
    precision
        Decimals of the numbers, at least 0.
    best
        Whether the best mean of each column is bold. For costs, the best mean is the lowest.
    marks
        Superscripts for the means of a comparison. ``"letters"`` lists the systems that a system
        significantly beats. If there are more than 26 systems, a superscript is the number of
        significantly beaten systems. ``"daggers"`` marks significant differences from the baseline.
        If there are several baselines, the numbers of the baselines replace the daggers.
        ``"verdicts"`` adds the verdict on each system, such as ``not worse``, and needs one
        baseline and a margin or a power. ``"none"`` adds no marks.
    intervals
        Whether to show intervals after the numbers. A summary has intervals of means, which are
        shown by default. A comparison with a baseline has intervals of differences.
    relative_to
        A system. The mean of every other system is followed by the relative difference from the
        mean of this system, in per cent.
    sort
        Label of the column by which systems are sorted, or True for the first column. The best
        system comes first. By default, systems keep their order, except that a baseline comes
        first.

    Returns
    -------
    pandas.io.formats.style.Styler
        The table of scores, a summary or a comparison contains means, with a row per system and a
        column per group, metric and depth. The table of an array has a row per group and metric
        and a column per depth. The table of any other frame contains the rows of the frame without
        constant columns, and without letters if a system has more than six letters. The caption
        contains the constants, the test, its correction and level, depths, topics, and the data
        behind the numbers.

        The result has all methods of a Styler, and also ``highlight_best(props)``.
        ``clear()`` removes marks and intervals, and ``to_excel()`` writes the numbers only.
        ``to_latex()`` uses the rules of booktabs and converts CSS. Write LaTeX commands with the
        flags of pandas, such as ``"textbf: --rwrap --latex"``.

    Raises
    ------
    InputError
        If the result cannot be shown as a table, or is a comparison with a duplicate pair. For a
        comparison without a baseline, if ``marks="daggers"``, ``marks="verdicts"`` or
        ``intervals=True`` is passed. For a comparison without verdicts, if ``marks="verdicts"`` is
        passed.
    ParameterError
        If the precision is below 0, or the kind of marks, the system or the column is unknown.

    Notes
    -----
    The better of two systems is the one with the better mean. For costs, this is the lower mean. A
    Styler needs jinja2. In LaTeX, coloured cells need the package xcolor with its option
    ``table``.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> two = runs[runs["system"].isin(["bm25", "splade"])]
    >>> frame = two.ireval.evaluate(qrels, ["AP", "RR"]).ireval.compare()
    >>> print(frame.ireval.styled().to_latex(caption="Means over 16 topics."))
    \begin{table}
    \caption{Means over 16 topics.}
    \begin{tabular}{llrr}
    \toprule
     & metric & AP & RR \\
    mark & system &  &  \\
    \midrule
    a & bm25 & 0.163 & 0.412 \\
    b & splade & \bfseries 0.411$^{a}$ & \bfseries 0.797$^{a}$ \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    check_int("precision", precision, low=0)
    choice("marks", marks, MARKS)
    as_annotated("best", best, bool)
    table = _table_of(result, Options(marks, intervals, relative_to, sort))
    styler = MarkedStyler.of(table, precision)
    return styler.highlight_best() if best else styler


def _table_of(result: Any, options: Options) -> Table:
    # results of other verbs may have values by system and topic too, but these are no scores
    if getattr(result, "attrs", {}).get(RESULT, "") not in {"", *SCORE_VERBS}:
        scores = False
    elif isinstance(result, xr.DataArray):
        scores = {SYSTEM, TOPIC} <= set(result.dims) and BOUND not in result.dims
    else:
        scores = isinstance(result, pd.DataFrame) and is_scores(result)
    result = summary(result) if scores else result
    result = once_named(result) if isinstance(result, pd.DataFrame) else result
    names = {str(name) for name in getattr(result, "columns", getattr(result, "data_vars", ()))}
    if names >= {*COLUMNS, axis_of(result).dim}:
        return of_comparison(result, options)
    levels = getattr(result, "coords", getattr(getattr(result, "index", None), "names", ()))
    if names >= SUMMARY and METRIC in {*levels} and not names & set(ALIASES[SYSTEM]):
        return of_summary(result, options)
    return of_result(result)
