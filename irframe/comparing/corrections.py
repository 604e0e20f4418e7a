"""Corrections of p-values for the number of comparisons, one by one or jointly."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import as_written, choice
from irframe.errors import ParameterError
from irframe.paired import TESTS, MaxT, PairedT, PairedTest, Permutation
from irframe.record import NONE
from irframe.scores.scores import Scores

Correction = Literal[
    "bonferroni",
    "sidak",
    "holm-sidak",
    "holm",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "fdr_tsbh",
    "fdr_tsbky",
]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""The corrections of statsmodels' `multipletests`."""

Family = Literal["depth", "metric", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Which comparisons are corrected for each other."""


def adjust_p(
    groups: Sequence[NDArray[Any]], adjust: Correction | None, *, family: Family, alpha: float
) -> list[NDArray[Any]]:
    """Correct p-values for the number of comparisons.

    Parameters
    ----------
    groups
        p-values of each group, shape (metric, depth, pair).
    adjust
        One of `CORRECTIONS`, or None.
    family
        ``"depth"``: the pairs of a metric at a depth; ``"metric"``: those of a metric at all its
        depths; ``"all"``: every p-value of every group.
    alpha
        Significance level, which the two-stage corrections (``fdr_ts...``) depend on.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values, shaped as `groups`.

    Examples
    --------
    >>> adjust_p([np.array([[[0.01, 0.02]]])], "bonferroni", family="depth", alpha=0.05)
    [array([[[0.02, 0.04]]])]
    """
    if adjust is None:
        return [p.copy() for p in groups]
    if family == "all":
        flat = np.concatenate([p.ravel() for p in groups])
        ends = np.cumsum([p.size for p in groups])[:-1]
        parts = np.split(_adjust(flat[np.newaxis], adjust, alpha)[0], ends)
        return [part.reshape(p.shape) for part, p in zip(parts, groups, strict=True)]
    kept = 2 if family == "depth" else 1
    return [_adjust(p.reshape(*p.shape[:kept], -1), adjust, alpha).reshape(p.shape) for p in groups]


def _adjust(p: NDArray[Any], adjust: str, alpha: float) -> NDArray[Any]:
    """Correct the p-values of every row together, rows along the last axis."""
    compute = IN_ORDER.get(adjust) or partial(_by_statsmodels, method=adjust, alpha=alpha)
    missing = np.isnan(p)  # which count as comparisons
    filled = np.where(missing, 1, p)
    order = filled.argsort(axis=-1)
    adjusted = np.empty(p.shape)
    np.put_along_axis(adjusted, order, compute(np.take_along_axis(filled, order, axis=-1)), axis=-1)
    return np.where(missing, np.nan, np.minimum(adjusted, 1))


def _by_statsmodels(p: NDArray[Any], *, method: str, alpha: float) -> NDArray[Any]:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow to import

    rows = p.reshape(-1, p.shape[-1])
    with np.errstate(divide="ignore"):  # Sidak's takes the logarithm of 1 - p
        adjusted = [multipletests(row, alpha, method, is_sorted=True)[1] for row in rows]
    return np.array(adjusted).reshape(p.shape)


def _bh(p: NDArray[Any]) -> NDArray[Any]:
    shares = np.arange(1, p.shape[-1] + 1) / p.shape[-1]
    return np.asarray(np.minimum.accumulate((p / shares)[..., ::-1], axis=-1)[..., ::-1])


IN_ORDER: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "bonferroni": lambda p: p * p.shape[-1],
    "holm": lambda p: np.maximum.accumulate(p * np.arange(p.shape[-1], 0, -1), axis=-1),
    "fdr_bh": _bh,
}
"""Usual corrections, of all rows at once, of p-values that rise along the last axis."""


MAX_T: Literal["max-t"] = "max-t"
AUTO: Literal["auto"] = "auto"
Adjust = Correction | Literal["max-t", "auto", "none"] | MaxT | None
"""A correction for many comparisons, or its name; ``"auto"`` is Holm's where the test needs one,
and ``"none"`` is None."""
Parsed = Correction | MaxT | None


def parse_correction(
    adjust: Adjust, test: PairedTest | None = None, family: Family = "depth"
) -> Parsed:
    """Return a correction as it is or, of a name, as what it stands for.

    Parameters
    ----------
    adjust
        A correction or its name.
    test
        The test whose p-values it corrects; None for one that is no paired test.
    family
        What is corrected together.

    Raises
    ------
    ParameterError
        For an unknown correction or family, one of other tests, and any correction of a test that
        allows for all pairs itself.

    Examples
    --------
    >>> from irframe.paired import TukeyHSD
    >>> parse_correction("auto", PairedT()), parse_correction("auto", TukeyHSD())
    ('holm', None)
    """
    chosen: Any = as_written(adjust, {MaxT.__name__: MaxT}) or adjust
    if chosen is not None and not isinstance(chosen, MaxT):
        chosen = choice("adjust=None or a correction", chosen, (*CORRECTIONS, MAX_T, AUTO, NONE))
    if chosen == AUTO:
        chosen = None if test is not None and test.joint else "holm"
    chosen = MaxT() if chosen == MAX_T else None if chosen == NONE else chosen
    choice("family", family, FAMILIES)
    if chosen is not None and test is not None and test.joint:
        wanted = f"adjust=None, as p-values of {test.name} allow for all pairs already"
        raise ParameterError(wanted, repr(adjust))
    if isinstance(chosen, MaxT) and not isinstance(test, PairedT | Permutation):
        wanted = f"the test t or permutation, whose pairs {MAX_T} corrects"
        raise ParameterError(wanted, "another" if test is None else repr(test))
    parsed: Parsed = chosen
    return parsed


def parse_stepwise(
    adjust: Adjust, test: PairedTest | None = None, family: Family = "depth"
) -> Correction | None:
    """Return a correction as `parse_correction` does, where it can only read p-values.

    Raises
    ------
    ParameterError
        As `parse_correction`, and for max-T, which reads scores.
    """
    correction = parse_correction(adjust, test, family)
    if isinstance(correction, MaxT):
        raise ParameterError("a correction that reads p-values alone, such as 'holm'", MAX_T)
    return correction


def correction_told(
    test: PairedTest, adjust: Parsed, family: Family = "depth", *, alpha: float
) -> dict[str, Any]:
    """Return the attributes that say how pairs were tested, and how p-values were corrected.

    Examples
    --------
    >>> correction_told(PairedT(), None, alpha=0.05)
    {'test': 't', 'adjust': 'none', 'family': 'depth', 'alpha': 0.05}
    >>> correction_told(Permutation(), MaxT(), alpha=0.05)["test"]
    'Permutation(samples=10000, seed=0)'
    """
    usual = TESTS.get(test.name)
    plain = usual is not None and test == usual() and not hasattr(test, "samples")
    named = test.name if plain else repr(test)
    return {"test": named, "adjust": str(adjust or NONE), "family": family, "alpha": alpha}


def refuse_unweighable(test: PairedTest, adjust: Parsed) -> None:
    """Raise for a test or correction that has no form for topics with weights."""
    if not test.weighable:
        known = ", ".join(name for name, kind in TESTS.items() if kind.weighable)
        raise ParameterError(f"a test with a weighted form, {known}, for weights=", test.name)
    if isinstance(adjust, MaxT):
        wanted = "a correction with a weighted form, such as 'holm', for weights="
        raise ParameterError(wanted, MAX_T)


class Compared(NamedTuple):
    """Pairs of systems that were compared."""

    paired: Scores
    pairs: Array
    p: Array
    """Shape (metric, depth, pair)."""


def correct(
    parts: Sequence[Compared], adjust: Parsed, *, family: Family, alpha: float
) -> list[Array]:
    """Correct p-values for the number of comparisons.

    Parameters
    ----------
    parts
        What was compared, of each group.
    adjust
        As `parse_correction` gives it.
    family
        As for `adjust_p`.
    alpha
        Significance level, on which some corrections depend.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values of each group, shape (metric, depth, pair).
    """
    if not isinstance(adjust, MaxT):
        return adjust_p([part.p for part in parts], adjust, family=family, alpha=alpha)
    adjusted = _by_family(parts, family, adjust.kernel)
    return [np.maximum(part.p, p) for part, p in zip(parts, adjusted, strict=True)]


def reach(parts: Sequence[Compared], adjust: MaxT, *, family: Family, alpha: float) -> list[Array]:
    """Return which |t| pairs must exceed for intervals that hold for a family at once.

    Parameters
    ----------
    parts, adjust, family
        As for `correct`.
    alpha
        One minus the confidence level.

    Returns
    -------
    list of numpy.ndarray
        Of each group, shape (metric, depth, pair).
    """
    return _by_family(parts, family, partial(adjust.reach, alpha=alpha))


def _by_family(
    parts: Sequence[Compared], family: Family, compute: Callable[..., Array]
) -> list[Array]:
    """Return what is computed of the pairs of every family, shaped as p-values of groups."""
    results = [np.empty(part.p.shape) for part in parts]
    shapes = [part.p.shape[:2] for part in parts]
    every = [(number, *place) for number, shape in enumerate(shapes) for place in np.ndindex(shape)]
    together = {"depth": 3, "metric": 2, "all": 0}[family]
    for _, group in groupby(every, lambda cell: cell[:together]):
        cells = list(group)
        for (part, *place), values in zip(cells, _jointly(parts, cells, compute), strict=True):
            results[part][*place] = values
    return results


def _jointly(
    parts: Sequence[Compared], cells: Sequence[tuple[int, ...]], compute: Callable[..., Array]
) -> list[Array]:
    """Return what is computed of all pairs of a family, for its cells: part, metric and depth."""
    tables, columns, topics, end = [], [], [], 0
    for part, metric, depth in cells:
        paired, pairs, _ = parts[part]
        scored = paired.scored[metric, :, depth]
        names = paired.topics.astype(str)[scored]
        tables.append(pd.DataFrame(paired.values[metric, :, scored, depth], index=names))
        columns.append(pairs + end)
        topics.append(np.full(len(pairs), len(names)))
        end += tables[-1].shape[1]
    scores = pd.concat(tables, axis=1).sort_index().fillna(0).to_numpy()
    values = compute(scores, np.concatenate(columns), np.concatenate(topics))
    return np.split(values, np.cumsum([len(counts) for counts in topics])[:-1])
