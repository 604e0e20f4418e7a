"""How many pairs of systems differ significantly, by depth, and whether that is confirmed.

Verbs: discrimination, median_p, coverage, inversions, ratios.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Significance, Tested
from irframe.comparing.pairwise import refuse_over
from irframe.comparing.significance import Pairing, leads
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.errors import warn
from irframe.names import P_VALUES
from irframe.paired import all_pairs
from irframe.record import NONE
from irframe.scores.read_scores import (
    Reference,
    Sides,
    match_reference,
    read_scores,
    scores_to_compare,
)
from irframe.scores.repeats import Over, beware_of_repeats, told_draws

NAME = "discrimination ratio"


@verb(repeats=True, one_unit=True)
def discrimination(
    scores: xr.DataArray | pd.DataFrame,
    test: Tested = "t",
    *,
    over: Over = "both",
) -> xr.DataArray:
    """Share of the pairs of systems that a metric finds significantly different, at every depth.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    test
        How a difference is called significant, as for `compare`: an `irframe.Significance`, or the
        name of a test. With ``adjust=None`` in it the ratio is that of the literature.
    over
        What differences are generalised over where systems were run several times, as for
        `compare`.

    Returns
    -------
    xarray.DataArray
        Discrimination ratio, 0 to 1, over (metric, depth), the group first if `by` is given.
        Attributes say how pairs were tested.

    Raises
    ------
    IrframeError
        As `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    ``|{pairs with p < alpha}| / (n(n-1)/2)`` for n systems, two-sided p-values.
    The ratio belongs to a metric, a set of topics and a set of systems together. Differences that
    are the same on all topics are no evidence, as for `compare`; without a correction they are
    significant, as in the literature.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Of three pairs two differ, by about 1 on every topic:

    >>> import xarray as xr
    >>> scores = xr.DataArray([[2, 3, 4.1], [1, 2, 3], [1, 2, 3]], dims=["system", "topic"])
    >>> discrimination(scores).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test)
    return over_pairs(scores, pairing, pairing.share, NAME, over=over)


def over_pairs(
    scores: xr.DataArray | pd.DataFrame | Scores,
    pairing: Pairing,
    reduce: Callable[[Array], Array],
    name: str,
    *,
    over: Over = "both",
) -> xr.DataArray:
    """Reduce the p-values of all pairs, (pair, depth), to a number per depth, for every metric."""
    paired = scores_to_compare(read_scores(scores, over))
    refuse_over([paired], over, pairing.test, pairing.adjust)
    pairs = all_pairs(len(paired.systems))

    def compute(row: int, block: slice) -> Array:
        return reduce(pairing.piece(paired, row, block, pairs))

    result = paired.labelled(paired.by_piece(len(pairs), compute), name)
    warn(*beware_of_repeats(paired, "these tests"))
    return result.assign_attrs(_told(pairing) | told_draws([paired]))


def _told(pairing: Pairing) -> dict[str, Any]:
    """Return the attributes that say how pairs were tested, whether they are corrected first."""
    told = pairing.told()
    if told["adjust"] == NONE:
        return {P_VALUES: "not corrected, as in the literature"} | told
    corrected = f"corrected for the number of pairs ({told['adjust']})"
    return {
        P_VALUES: f"{corrected}; those of the literature are not: Significance(adjust=None)"
    } | told


@verb(repeats=True)
def median_p(
    scores: xr.DataArray | pd.DataFrame,
    test: Tested = "t",
    *,
    over: Over = "both",
) -> xr.DataArray:
    """Median p-value over the pairs of systems, which needs no threshold, at every depth.

    Parameters
    ----------
    scores, over
        As for `discrimination`.
    test
        As for `discrimination`, but by default without a correction: nothing is decided here, and
        corrected p-values of many pairs are mostly 1. Only two-stage corrections
        (``"fdr_tsbh"``, ``"fdr_tsbky"``) depend on the significance level.

    Returns
    -------
    xarray.DataArray
        Median p-value, 0 to 1, over (metric, depth), the group first if `by` is given.

    Raises
    ------
    IrframeError
        As `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    The lower it is, the more pairs differ significantly under a metric. Two-sided p-values.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray([[2, 3, 4], [1, 2, 3], [1, 2, 3]], dims=["system", "topic"])
    >>> median_p(scores).values.tolist()
    [0.0]
    """
    pairing, middle = Pairing(test, auto=None), partial(np.median, axis=0)
    return over_pairs(scores, pairing, middle, "median p-value", over=over)


@verb
def coverage(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: Tested = "t",
    *,
    topics: Sides | None = None,
) -> xr.DataArray:
    """Share of the reference's significant differences that the scores confirm.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    reference
        What to confirm: a depth, for each metric its own scores there; a metric of the scores,
        depth by depth, or at one depth as in ``"AP@10"``; or another array or frame of scores of
        the same systems, with one metric or all those of `scores`, and with one depth or all
        those of `scores`.
    test
        How a difference is called significant on either side, as for `compare`: an
        `irframe.Significance`, or the name of a test. With ``adjust=None`` in it the ratio is that
        of the literature.
    topics
        Of reference scores with other topics: ``"common"`` takes those that both have, ``"own"``
        all of each side, as to ask what some topics say of the verdicts of all. By default both
        sides have the same topics, or none in common, and then each its own.

    Returns
    -------
    xarray.DataArray
        Coverage ratio, 0 to 1, over (metric, depth), the group first if `by` is given. NaN where
        the reference has no significant difference. Attributes say how pairs were tested, and how
        many topics each side has where they need not be the same, ``n_topics`` and
        ``n_topics_reference``.

    Raises
    ------
    DepthError
        For a reference depth outside the scores.
    ParameterError
        For reference scores of other systems, or of some other topics unless `topics` says which
        count, and as `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    With ``D = {(i, j): i significantly better than j}`` on either side, the ratio is
    ``|D_new & D_ref| / |D_ref|``: the pair must differ significantly in the same direction. The
    better of two systems is the one with the better mean; lower is better for a metric that counts
    a cost. Topics count on which every system has a score on both sides, or on its own side where
    the two sides have topics of their own. Differences that are the same on all topics are no
    evidence, as for `compare`; without a correction they are significant, as in the literature.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Three systems differ in the reference; two of the three differences are confirmed:

    >>> import xarray as xr
    >>> reference = xr.DataArray([[3, 3], [2, 2], [1, 1]], dims=["system", "topic"])
    >>> scores = xr.DataArray([[3, 3], [1, 1], [1, 1]], dims=["system", "topic"])
    >>> import irframe as ir
    >>> coverage(scores, reference, ir.Significance(adjust=None)).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test)
    sides = match_reference(scores, reference, topics)
    result = held_against(*sides, pairing, pairing.verdicts, "coverage ratio")
    return result.assign_attrs(_told(pairing))


def held_against(
    paired: Scores,
    held: Scores,
    pairing: Pairing,
    claim: Callable[[Scores, int, slice, Array], Array],
    name: str,
    *,
    sign: int = 1,
) -> xr.DataArray:
    """Return how many of a reference's verdicts scores claim as well or, by a sign, the reverse."""
    pairs = all_pairs(len(paired.systems))
    pairing.correct_together(paired, held, pairs)
    fixed = held.values.shape[3] == 1

    def share(row: int, block: slice) -> Array:
        other = min(row, held.values.shape[0] - 1)
        expected = pairing.verdicts(held, other, slice(0, 1) if fixed else block, pairs)
        alike = (claim(paired, row, block, pairs) == sign * expected) & (expected != 0)
        count = (expected != 0).sum(axis=0)
        return np.asarray(alike.sum(axis=0) / np.where(count > 0, count, np.nan))

    return paired.labelled(paired.by_piece(len(pairs), share), name)


@verb
def inversions(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: Tested = "t",
    *,
    topics: Sides | None = None,
) -> xr.DataArray:
    """Share of the reference's significant differences that the scores contradict.

    Parameters
    ----------
    scores, reference, test, topics
        As for `coverage`.

    Returns
    -------
    xarray.DataArray
        Observed inversion ratio, 0 to 1, over (metric, depth), the group first if `by` is given.
        NaN where the reference has no significant difference.

    Raises
    ------
    IrframeError
        As `coverage`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    ``|{(i, j) in D_ref: mean_new(j) > mean_new(i)}| / |D_ref|``: the mean points the other way,
    significantly or not. Means that differ by less than 5e-13 are equal.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import xarray as xr
    >>> reference = xr.DataArray([[3, 3], [2, 2], [1, 1]], dims=["system", "topic"])
    >>> scores = xr.DataArray([[3, 3], [1, 1], [1, 2]], dims=["system", "topic"])
    >>> import irframe as ir
    >>> inversions(scores, reference, ir.Significance(adjust=None)).values.round(3).tolist()
    [0.333]
    """
    pairing = Pairing(test)
    sides = match_reference(scores, reference, topics)
    result = held_against(*sides, pairing, leads, "inversion ratio", sign=-1)
    return result.assign_attrs(_told(pairing))


@verb
def ratios(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: Tested = "t",
    *,
    topics: Sides | None = None,
) -> pd.DataFrame:
    """Say how many pairs of systems differ significantly, and how many of a reference's are kept.

    Parameters
    ----------
    scores, reference, test, topics
        As for `coverage`.

    Returns
    -------
    pandas.DataFrame
        A row per metric and depth: ``discrimination``, of the scores alone; ``coverage`` and
        ``inversions`` of the reference; ``median_p``, of p-values that are not corrected. The
        group comes first if `by` is given.

    Raises
    ------
    IrframeError
        As `coverage`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Tables 7 and 8. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> scores = cube.ireval.score("AP(norm='min')", "RBP(p=0.8)", at=[1, 10])
    >>> scores.ireval.ratios(10, ir.Significance(adjust=None))
               metric  depth  discrimination  coverage  inversions  median_p
    0  AP(norm='min')      1           0.214     0.333         0.0     0.188
    1  AP(norm='min')     10           0.643     1.000         0.0     0.013
    2      RBP(p=0.8)      1           0.214     0.353         0.0     0.188
    3      RBP(p=0.8)     10           0.607     1.000         0.0     0.013
    <BLANKLINE>
    [p-values not corrected, as in the literature]
    """
    pairing = Pairing(test)
    sides = match_reference(scores, reference, topics)
    uncorrected = replace(Significance.read(test), adjust=None)
    raw, middle = Pairing(uncorrected), partial(np.median, axis=0)
    parts = [
        over_pairs(sides[0], pairing, pairing.share, "discrimination"),
        held_against(*sides, pairing, pairing.verdicts, "coverage"),
        held_against(*sides, pairing, leads, "inversions", sign=-1),
        over_pairs(sides[0], raw, middle, "median_p"),
    ]
    named = {str(part.name): part for part in parts}
    frame = xr.Dataset(named).to_dataframe()[list(named)].reset_index()
    frame.attrs = dict(parts[0].attrs)
    if pairing.adjust is not None:  # a note of the frame is read as one of all columns
        decided = f"of discrimination, coverage and inversions {frame.attrs[P_VALUES]}"
        frame.attrs[P_VALUES] = f"of median_p not corrected; {decided}"
    return frame
