"""Comparison frames as tables for a page or a paper."""

import string
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import whole
from irframe.cubes.provenance import caption
from irframe.errors import InputError
from irframe.inference.compare import COLUMNS
from irframe.inference.matched import Array
from irframe.metrics.facts import facts, label_at
from irframe.names import ALIASES, DEPTH, METRIC, SIDES, SYSTEM

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

LETTERS = len(string.ascii_lowercase)
SUMMARY = ("mean", "ci_low", "ci_high", "n")
"""Columns of a summary."""
MARK = "mark"
"""Name of the row labels that superscripts refer to."""


def styled(result: pd.DataFrame | xr.Dataset, precision: int = 3) -> "Styler":
    r"""Lay a comparison or a summary out as a table: a mean per system and metric.

    Parameters
    ----------
    result
        What `compare` or `summary` returned.
    precision
        Decimals of the means, at least 0.

    Returns
    -------
    pandas.io.formats.style.Styler
        A row per system, a column per metric and depth (and group), the means as numbers, and a
        caption that says how they came about. Of a summary each mean is followed by half the
        width of its confidence interval. Of a comparison every system has a mark, a letter (or a
        number where there are more than 26 systems); a mean carries as superscripts the marks of
        all systems that this one significantly beats (``significant`` in the comparison), and a
        baseline comes first. Shows itself in notebooks; ``to_html()`` has ``<sup>``,
        ``to_latex()`` has ``$^{...}$`` and the rules of booktabs. Further methods of a Styler
        apply.

    Raises
    ------
    InputError
        For what is neither, or has some pair twice at a metric and depth.
    ParameterError
        For a precision below 0.

    Notes
    -----
    The better of two systems is the one with the better mean; lower is better for a metric that
    counts a cost. Needs jinja2, as every Styler does.

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
    >>> print(frame.ireval.styled().to_latex())
    \begin{table}
    \caption{ties trec; scores as float64; topics qrels; top grade 3; pool depth 10; irframe 0.1.0}
    \begin{tabular}{llrr}
    \toprule
     & metric & AP & RR \\
    mark & system &  &  \\
    \midrule
    a & bm25 & 0.163 & 0.412 \\
    b & splade & 0.411$^{a}$ & 0.797$^{a}$ \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    from irframe.inference.marking import MARGIN, SUPERSCRIPT, MarkedStyler  # noqa: PLC0415 - jinja2

    whole("precision", precision, low=0)
    if set(SUMMARY) <= {*getattr(result, "columns", getattr(result, "data_vars", ()))}:
        numbers, marks, markup = *_summarised(result, precision), MARGIN
    else:
        numbers, marks, markup = *_compared(result), SUPERSCRIPT
    table = MarkedStyler.of(numbers, marks, precision, markup)
    return table.set_caption(caption(result.attrs)) if result.attrs else table


def _summarised(
    summary: pd.DataFrame | xr.Dataset, precision: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the means, and half the widths of their intervals as texts."""
    if isinstance(summary, xr.Dataset):
        summary = summary.reset_coords(drop=True).to_dataframe()
    frame = summary.dropna(subset=["mean"]).reset_index().rename(columns=_system_role)
    if DEPTH not in frame:
        frame[DEPTH] = pd.NA
    groups = [name for name in frame.columns if name not in {METRIC, SYSTEM, DEPTH, *SUMMARY}]
    keys = frame[[*groups, METRIC, DEPTH]].drop_duplicates()
    columns = _labels(keys, groups)
    column = frame.groupby([*groups, METRIC, DEPTH], sort=False, dropna=False).ngroup().to_numpy()
    row, systems = pd.factorize(frame[SYSTEM])
    half = (frame["ci_high"] - frame["ci_low"]) / 2
    means = np.full((len(systems), len(columns)), np.nan)
    means[row, column] = frame["mean"]
    margins = np.full(means.shape, "", dtype=object)
    margins[row, column] = ["" if np.isnan(each) else f"{each:.{precision}f}" for each in half]
    index = pd.Index(systems, name=SYSTEM)
    return pd.DataFrame(means, index, columns), pd.DataFrame(margins, index, columns)


def _system_role(name: Any) -> Any:
    return SYSTEM if name in ALIASES[SYSTEM] else name


def _compared(comparison: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the means, and the marks of the systems that each of them beats."""
    missing = [name for name in COLUMNS if name not in getattr(comparison, "columns", ())]
    if missing:
        raise InputError("what compare or summary returned", "columns missing", "", missing)
    cells = _cells(comparison)
    systems, columns = _systems(comparison), _columns(comparison)
    marks = _marks(len(systems))
    rows = pd.MultiIndex.from_arrays([marks, systems], names=[MARK, SYSTEM])
    means = np.full((len(rows), len(columns)), np.nan)
    for system, mean in (("a", "mean_a"), ("b", "mean_b")):
        means[cells[system], cells["column"]] = comparison[mean]
    superscripts = _superscripts(comparison, cells, marks, means.shape)
    return pd.DataFrame(means, rows, columns), pd.DataFrame(superscripts, rows, columns)


def _keys(comparison: pd.DataFrame) -> list[str]:
    groups = [name for name in comparison.columns if name not in COLUMNS]
    return [*groups, METRIC, DEPTH]


def _systems(comparison: pd.DataFrame) -> pd.Index:
    """Return the systems in order, a baseline first."""
    first, second = (pd.Index(comparison[side].unique()) for side in SIDES)
    baseline = len(second) == 1 and len(first) > 1
    both: pd.Index = second.append(first) if baseline else first.append(second)
    return both.unique()


def _marks(systems: int) -> list[str]:
    if systems <= LETTERS:
        return list(string.ascii_lowercase[:systems])
    return [str(number) for number in range(1, systems + 1)]


def _columns(comparison: pd.DataFrame) -> pd.Index:
    *groups, _, _ = keys = _keys(comparison)
    return _labels(comparison[keys].drop_duplicates(), groups)


def _labels(order: pd.DataFrame, groups: list[str]) -> pd.Index:
    """Return the labels of columns for groups, metrics and depths."""
    labels = [
        str(metric) if pd.isna(depth) else label_at(str(metric), depth)
        for metric, depth in zip(order[METRIC], order[DEPTH], strict=True)
    ]
    levels = [order[group].to_numpy() for group in groups]
    return (
        pd.MultiIndex.from_arrays([*levels, labels], names=[*groups, METRIC])
        if groups
        else pd.Index(labels, name=METRIC)
    )


def _cells(comparison: pd.DataFrame) -> dict[str, Array]:
    """Return the table's column and the two systems' rows for every row of a comparison."""
    keys = _keys(comparison)
    twice = comparison[comparison.duplicated([*keys, *SIDES])]
    if len(twice):
        found = f"{len(twice)} again"
        raise InputError("each pair once per metric and depth", found, "", twice["system_a"])
    systems = _systems(comparison)
    column = comparison.groupby(keys, sort=False, dropna=False, observed=True).ngroup()
    a, b = (systems.get_indexer(pd.Index(comparison[side])) for side in SIDES)
    return {"column": column.to_numpy(), "a": a, "b": b}


def _superscripts(
    comparison: pd.DataFrame, cells: dict[str, Array], marks: list[str], shape: tuple[int, ...]
) -> Array:
    """Return the marks of the systems that each system significantly beats."""
    costs = {label: facts(label).cost for label in comparison[METRIC].unique()}
    lead = (comparison["mean_a"] - comparison["mean_b"]).to_numpy()
    lead = np.where(comparison[METRIC].map(costs), -lead, lead)
    told = np.flatnonzero(comparison["significant"].to_numpy() & (lead != 0))
    ahead = lead[told] > 0
    a, b, column = cells["a"][told], cells["b"][told], cells["column"][told]
    winner, loser = np.where(ahead, a, b), np.where(ahead, b, a)
    result = np.full(shape, "", dtype=object)
    between = "" if len(marks) <= LETTERS else ","
    for place in np.argsort(loser, kind="stable"):
        cell = winner[place], column[place]
        result[cell] += (between if result[cell] else "") + marks[loser[place]]
    return result
