"""Tied scores: how many there are, and what they leave to the choice of an order."""

from collections.abc import Sequence

import xarray as xr

from irframe.cubes.score import label_scores, refuse_metrics, wanted_depths
from irframe.cubes.unjudged import both_sides
from irframe.cubes.verb import verb
from irframe.errors import ParameterError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.extremes.labelled_bounds import reordered_scores
from irframe.names import DEFAULT_TIES


@verb(bounded=True)
def tie_ranges(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    by: str | None = None,
) -> xr.DataArray:
    """Say between which scores the order of tied documents decides.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score, whatever its `ties`.
    metrics
        Metrics or their names.
    at
        Depths to return, within the cube; by default all.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.DataArray
        The lowest and the highest score over all orders of the tied documents; dimensions (bound,
        metric, system, topic, depth), `bound` being ``lower`` and ``upper``.

    Raises
    ------
    MetricError
        If a ranking has more than 20,000 orders, for a metric of which it is not known which is the
        best.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.
    InputError
        If documents tied across the last depth are not known any more.

    Notes
    -----
    The extremes are exact: wherever a document of more worth stands directly below one of less,
    swapping the two never lowers the score at any depth. So the highest score has every tied
    block in falling order of worth, and the lowest in rising order. Worth is relevance or gain;
    for Bpref unjudged documents stand between relevant and other judged ones, and for Judged
    the judged ones come first. For a cost the highest score is the worst one, NaN where ESL finds
    nothing then. For InfAP, Twist and its parts, CRP, Q with gain below its threshold, G, INST
    and others whose users adapt to what they find no one order is known to be the best, and every
    one is tried. Documents below the cube's depth are counted
    if they are tied with one above. Takes time in proportion to the cells, times the orders tried.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in
       the presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [2.0, 1.0, 1.0]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "grade": [0, 1]})
    >>> tie_ranges(run.ireval.cube(qrels), "RR", at=3).values.ravel()
    array([0.33333333, 0.5       ])
    """
    refuse_untied(cube)
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen, ties=DEFAULT_TIES)  # each order is one of documents, not shared
    found = both_sides(cube, chosen, depths, reordered_scores, ties=True)
    return label_scores(cube, found, chosen, depths)


def refuse_untied(cube: xr.Dataset) -> None:
    """Raise if a cube was not ranked by score."""
    if cube.attrs["ties"] == "rank":
        raise ParameterError("a cube ranked by score", "ties='rank', which has no ties")
