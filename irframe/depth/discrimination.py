"""Significant differences between systems, by depth and against a reference.

Verbs: discrimination, median_p, coverage, inversions, ratios.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.corrections import Significance, Tested, TestedMeans
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
from irframe.scores.repeats import beware_of_repeats, draw_attributes

NAME = "discrimination ratio"


@verb(repeats=True, one_unit=True)
def discrimination(
    scores: xr.DataArray | pd.DataFrame,
    test: Tested = "t",
) -> xr.DataArray:
    """Compute the share of significantly different pairs by depth.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    test
        The significance test, as for `compare`: an `irframe.Significance`, or the name of a test.
        By default, p-values are corrected for the number of pairs. Pass
        ``Significance(adjust=None)`` for uncorrected p-values, which are common in the literature.

    Returns
    -------
    xarray.DataArray
        Discrimination ratio, 0 to 1, over (metric, depth). After `groupby`, the group is the first
        dimension. Attributes describe the test.

    Raises
    ------
    IrframeError
        For the same reasons as in `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    The ratio is ``|{pairs with p < alpha}| / (n(n-1)/2)`` for n systems. p-values are two-sided.
    The ratio depends on the metric, the topics and the systems. A pair of systems with equal
    differences on all topics counts as not significant, as in `compare`. Without a correction, such
    a pair counts as significant, which is common in the literature.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Two of three pairs differ, by about 1 on every topic:

    >>> import xarray as xr
    >>> scores = xr.DataArray([[2, 3, 4.1], [1, 2, 3], [1, 2, 3]], dims=["system", "topic"])
    >>> discrimination(scores).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test)
    return over_pairs(scores, pairing, pairing.share, NAME)


def over_pairs(
    scores: xr.DataArray | pd.DataFrame | Scores,
    pairing: Pairing,
    reduce: Callable[[Array], Array],
    name: str,
) -> xr.DataArray:
    """Reduce p-values over pairs to one value per depth."""
    paired = scores_to_compare(read_scores(scores, pairing.over))
    pairing.refuse_over([paired])
    pairs = all_pairs(len(paired.systems))

    def compute(row: int, block: slice) -> Array:
        return reduce(pairing.piece(paired, row, block, pairs))

    result = paired.labelled(paired.by_piece(len(pairs), compute), name)
    warn(*beware_of_repeats(paired, "these tests"))
    return result.assign_attrs(_attributes(pairing) | draw_attributes([paired]))


def _attributes(pairing: Pairing) -> dict[str, object]:
    """Return the attributes of a result that describe the test."""
    attributes = pairing.attributes()
    if attributes["adjust"] == NONE:
        return {P_VALUES: "not corrected, as in the literature"} | attributes
    corrected = f"corrected for the number of pairs ({attributes['adjust']})"
    return {
        P_VALUES: f"{corrected}; those of the literature are not: Significance(adjust=None)"
    } | attributes


@verb(repeats=True)
def median_p(
    scores: xr.DataArray | pd.DataFrame,
    test: Tested = "t",
) -> xr.DataArray:
    """Compute the median p-value over pairs of systems by depth.

    Parameters
    ----------
    scores
        The scores, as for `discrimination`.
    test
        The significance test, as for `discrimination`. By default, p-values are not corrected,
        because with many pairs most corrected p-values are 1. The significance level matters only
        for the two-stage corrections ``"fdr_tsbh"`` and ``"fdr_tsbky"``.

    Returns
    -------
    xarray.DataArray
        Median p-value, 0 to 1, over (metric, depth). After `groupby`, the group is the first
        dimension.

    Raises
    ------
    IrframeError
        For the same reasons as in `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    p-values are two-sided. A lower median p-value of a metric means that more pairs of systems tend
    to differ significantly.

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
    pairing = Pairing(test, auto=None)
    median = partial(np.median, axis=0)
    return over_pairs(scores, pairing, median, "median p-value")


@verb
def coverage(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: TestedMeans = "t",
    *,
    topics: Sides | None = None,
) -> xr.DataArray:
    """Compute the share of significant reference differences that scores confirm.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    reference
        The scores whose significant differences should be confirmed: a depth, a metric, or another
        array or frame. With a depth, each metric is compared with itself at this depth. With a
        metric of `scores`, each metric is compared with this metric at the same depth, or at a
        fixed depth if the name has one, such as ``"AP@10"``. Another array or frame must have the
        same systems as `scores`, either one metric or the same metrics, and either one depth or the
        same depths.
    test
        The significance test on both sides, as for `compare`: an `irframe.Significance`, or the
        name of a test. By default, p-values are corrected for the number of pairs. Pass
        ``Significance(adjust=None)`` for uncorrected p-values, which are common in the literature.
    topics
        The topics to use if the reference has different topics. ``"common"``: the topics that both
        sides have. ``"own"``: all topics of each side. By default, the two sides must have either
        the same topics or no topic in common. If the sides have no topic in common, each side uses
        its own topics.

    Returns
    -------
    xarray.DataArray
        Coverage ratio, 0 to 1, over (metric, depth). After `groupby`, the group is the first
        dimension. The ratio is NaN if the reference has no significant difference. Attributes
        describe the test. If the sides may have different topics, the attributes ``n_topics`` and
        ``n_topics_reference`` are the numbers of topics of the scores and of the reference.

    Raises
    ------
    DepthError
        If `reference` is a depth without scores.
    ParameterError
        If the scores and the reference have different systems, or different topics while `topics`
        is None. An error is also raised for the same reasons as in `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    Let ``D = {(i, j): i is significantly better than j}``, with ``D_new`` from the scores and
    ``D_ref`` from the reference. The ratio is ``|D_new & D_ref| / |D_ref|``, so a difference is
    confirmed if the scores have a significant difference in the same direction. The better system
    has the better mean, which is the lower mean for a cost metric. A topic is used only if every
    system has a score on the topic. If both sides use the same topics, each system needs scores on
    both sides. A pair of systems with equal differences on all topics counts as not significant, as
    in `compare`. Without a correction, such a pair counts as significant, which is common in the
    literature.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Three pairs of systems differ in the reference. Two of the three differences are confirmed:

    >>> import xarray as xr
    >>> reference = xr.DataArray([[3, 3], [2, 2], [1, 1]], dims=["system", "topic"])
    >>> scores = xr.DataArray([[3, 3], [1, 1], [1, 1]], dims=["system", "topic"])
    >>> import irframe as ir
    >>> coverage(scores, reference, ir.Significance(adjust=None)).values.round(3).tolist()
    [0.667]
    """
    pairing = Pairing(test)
    sides = match_reference(scores, reference, topics)
    result = share_of_verdicts(*sides, pairing, pairing.verdicts, "coverage ratio")
    return result.assign_attrs(_attributes(pairing))


def share_of_verdicts(
    paired: Scores,
    reference: Scores,
    pairing: Pairing,
    claim: Callable[[Scores, int, slice, Array], Array],
    name: str,
    *,
    sign: int = 1,
) -> xr.DataArray:
    """Return the share of significant reference differences that `claim` repeats.

    `claim` returns the sign of each difference in score between two systems. If `sign` is -1,
    differences of opposite sign are counted.
    """
    pairs = all_pairs(len(paired.systems))
    # one correction for both sides makes the coverage 1 where the reference is among the scores
    pairing.correct_together(paired, reference, pairs)
    one_depth = reference.values.shape[3] == 1

    def share(row: int, block: slice) -> Array:
        # a reference with one metric or one depth is compared with all metrics or depths
        metric = min(row, reference.values.shape[0] - 1)
        expected = pairing.verdicts(reference, metric, slice(0, 1) if one_depth else block, pairs)
        alike = (claim(paired, row, block, pairs) == sign * expected) & (expected != 0)
        count = (expected != 0).sum(axis=0)
        return np.asarray(alike.sum(axis=0) / np.where(count > 0, count, np.nan))

    return paired.labelled(paired.by_piece(len(pairs), share), name)


@verb
def inversions(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: TestedMeans = "t",
    *,
    topics: Sides | None = None,
) -> xr.DataArray:
    """Compute the share of significant reference differences that scores reverse.

    Parameters
    ----------
    scores, reference, test, topics
        Scores, reference, significance test and topics, as for `coverage`.

    Returns
    -------
    xarray.DataArray
        Inversion ratio, 0 to 1, over (metric, depth). After `groupby`, the group is the first
        dimension. The ratio is NaN if the reference has no significant difference.

    Raises
    ------
    IrframeError
        For the same reasons as in `coverage`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    With ``D_ref`` as in `coverage`, the ratio is
    ``|{(i, j) in D_ref: mean_new(j) is better than mean_new(i)}| / |D_ref|``, where ``mean_new`` is
    the mean score of a system. The difference between the two means need not be significant. Means
    that differ by less than 5e-13 count as equal.

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
    result = share_of_verdicts(*sides, pairing, leads, "inversion ratio", sign=-1)
    return result.assign_attrs(_attributes(pairing))


@verb
def ratios(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference,
    test: TestedMeans = "t",
    *,
    topics: Sides | None = None,
) -> pd.DataFrame:
    """Return discrimination, coverage, inversions and median p-values by depth.

    Parameters
    ----------
    scores, reference, test, topics
        Scores, reference, significance test and topics, as for `coverage`.

    Returns
    -------
    pandas.DataFrame
        One row per metric and depth, with the results of `discrimination`, `coverage` and
        `inversions`, and with ``median_p``, the median of the uncorrected p-values. After
        `groupby`, the group is the first column.

    Raises
    ------
    IrframeError
        For the same reasons as in `coverage`.

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
    # p-values are not corrected, because the median corrected p-value of many pairs is often 1
    uncorrected = replace(Significance.read(test), adjust=None)
    raw = Pairing(uncorrected)
    median = partial(np.median, axis=0)
    columns = [
        over_pairs(sides[0], pairing, pairing.share, "discrimination"),
        share_of_verdicts(*sides, pairing, pairing.verdicts, "coverage"),
        share_of_verdicts(*sides, pairing, leads, "inversions", sign=-1),
        over_pairs(sides[0], raw, median, "median_p"),
    ]
    named = {str(column.name): column for column in columns}
    frame = xr.Dataset(named).to_dataframe()[list(named)].reset_index()
    frame.attrs = dict(columns[0].attrs)
    # median_p never uses corrected p-values, so the note on p-values must exclude this column
    if pairing.adjust is not None:
        corrected = f"of discrimination, coverage and inversions {frame.attrs[P_VALUES]}"
        frame.attrs[P_VALUES] = f"of median_p not corrected; {corrected}"
    return frame
