"""Results as tables for a page or a paper."""

from collections.abc import Hashable
from typing import Any, Literal

import pandas as pd
import xarray as xr
from pandas.io.formats.style import Styler

from irframe.checks import as_annotated, choice, whole
from irframe.comparing.compare import COLUMNS
from irframe.cubes.as_scores import is_scores
from irframe.cubes.score_arrays import with_costs
from irframe.files.tables import once_named
from irframe.names import ALIASES, BOUND, METRIC, RESULT, SCORE_VERBS, SYSTEM, TOPIC
from irframe.scores.summary import summary
from irframe.stops import axis_of
from irframe.tables.marked_styler import MarkedStyler, Table
from irframe.tables.mean_tables import Asked, of_comparison, of_result, of_summary

SUMMARY = {"mean", "ci_low", "ci_high", "n"}
"""Columns of a summary."""
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
    r"""Lay a result out as a table for a page or a paper.

    Parameters
    ----------
    result
        Scores, or what a verb returned: `summary`, `compare`, `compare_orderings`,
        `discrimination`, `ablation`, the summary of `outcomes`, or any other frame, array or
        dataset.
    precision
        Decimals of the numbers, at least 0.
    best
        Whether the best mean of each column is bold: the lowest where a metric counts a cost.
    marks
        What follows a mean of a comparison, raised. ``"letters"``: those of all systems that this
        one significantly beats, or of more than 26 systems how many these are. ``"daggers"``:
        one where a system differs significantly from the baseline, or with several baselines
        the numbers of those from which it does. ``"verdicts"``: what a comparison with one
        baseline and a margin, or a power, says of each system, such as ``not worse``. ``"none"``:
        nothing.
    intervals
        Whether intervals follow: of a summary that of the mean, which is the default; of a
        comparison with a baseline that of the difference.
    relative_to
        A system: the others' differences from its means follow, in per cent of these.
    sort
        True, or the label of a column: the best system of the first, or of this column comes
        first. By default systems stand in their own order, a baseline first.

    Returns
    -------
    pandas.io.formats.style.Styler
        Of scores, summaries and comparisons a row per system, a column per metric and depth (and
        group), and the means as numbers. Of an array a row per metric (and group), a column per
        depth. Of other frames their rows, without what is the same in all of them, and without
        letters of which some system has more than six. The caption tells that, the test, its
        correction and level, depths, topics, and what decided the numbers. The methods of a Styler
        apply and leave what follows the numbers in place, but for ``clear()``, which takes it
        away, and ``to_excel()``, which writes the numbers alone; ``highlight_best(props)`` is one
        more. ``to_latex()`` has the rules of booktabs and turns CSS into LaTeX; commands of LaTeX
        are flagged as pandas has it, ``"textbf: --rwrap --latex"``.

    Raises
    ------
    InputError
        For what is none of these; has some pair twice at a metric and depth; or, with
        ``marks="daggers"``, ``"verdicts"`` or ``intervals=True``, is a comparison without a
        baseline; or with ``"verdicts"`` one without verdicts.
    ParameterError
        For a precision below 0, and for an unknown kind of marks, system or column.

    Notes
    -----
    The better of two systems is the one with the better mean; lower is better for a metric that
    counts a cost. Needs jinja2, as every Styler does. Bold cells need no package of LaTeX, those
    with a colour need xcolor with its option ``table``.

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
    whole("precision", precision, low=0)
    choice("marks", marks, MARKS)
    as_annotated("best", best, bool)
    table = _laid_out(result, Asked(marks, intervals, relative_to, sort))
    styler = MarkedStyler.of(table, precision)
    return styler.highlight_best() if best else styler


def _laid_out(result: Any, asked: Asked) -> Table:
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
        return of_comparison(result, asked)
    levels = getattr(result, "coords", getattr(getattr(result, "index", None), "names", ()))
    if names >= SUMMARY and METRIC in {*levels} and not names & set(ALIASES[SYSTEM]):
        return of_summary(result, asked)
    return of_result(result)
