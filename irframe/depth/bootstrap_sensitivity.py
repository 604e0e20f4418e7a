"""Bootstrap sensitivity: how well metrics discriminate between systems.

Verbs: bootstrap_sensitivity.
"""

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from irframe.arrays import Array
from irframe.cubes.scores import Arrays
from irframe.cubes.verb import verb
from irframe.names import GIVEN_RESAMPLES, PAIR
from irframe.paired import Bootstrap, all_pairs
from irframe.paired.design import Design
from irframe.scores.averages import Resamples, Resampling
from irframe.scores.read_scores import pair_labels, scores_to_compare
from irframe.scores.repeats import refuse_design


@verb
def bootstrap_sensitivity(
    scores: xr.DataArray | pd.DataFrame,
    *,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
    positions: ArrayLike | None = None,
) -> xr.Dataset:
    """Return discriminative power and required differences by the bootstrap.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    alpha
        Significance level, above 0 and below 1.
    resamples
        Resamples of the topics: an `irframe.Resampling`, or the number of resamples. The same
        resamples are used for every pair, metric and depth.
    positions
        Resamples to use instead of random ones: the positions of the topics of each resample,
        counted from 0, shape (resample, topic).

    Returns
    -------
    xarray.Dataset
        ``asl``, over (metric, depth, pair), is the achieved significance level (ASL). The sorted
        values of ``asl`` are the ASL curve. ``power``, over (metric, depth), is the share of pairs
        of systems with ``asl < alpha``. ``pair_delta``, over (metric, depth, pair), is the
        difference of means that a pair needs for significance. ``delta``, over (metric, depth), is
        the largest ``pair_delta`` of all pairs. The coordinates ``system_a`` and ``system_b`` name
        the systems of each pair. After `groupby`, the group is the first dimension.

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
    Let z be the differences of a pair over n topics, ``w = z - mean(z)``, w* a resample of w, and
    ``t(v) = mean(v) / (sd(v) / sqrt(n))``. The ASL is the share of resamples with
    ``|t(w*)| >= |t(z)|``. The ``pair_delta`` of a pair is ``|mean(w*)|`` of the resample with the
    ``ceil(samples alpha)``-th largest ``|t(w*)|``.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "RR"])
    >>> result = scores.ireval.bootstrap_sensitivity(resamples=200)
    >>> result[["power", "delta"]].to_dataframe().round(3)
            power  delta
    metric
    AP      0.750  0.130
    RR      0.321  0.255
    """
    drawn = Resamples.of(alpha, resamples)
    bootstrap = Bootstrap(samples=drawn.samples, seed=drawn.seed)
    fixed = None if positions is None else np.asarray(positions)

    paired = scores_to_compare(scores)
    pairs = all_pairs(len(paired.systems))
    if fixed is not None:  # these resamples contain single topics instead of clusters within tasks
        refuse_design(paired, "positions=")

    def discriminate(values: Array, *design: Design) -> Arrays:
        outcome = bootstrap.discriminate(values, pairs, *design, alpha=alpha, resamples=fixed)
        return outcome.asl, outcome.pair_deltas

    # resamples of means use the terms of the metric's mean, such as logarithms for GMAP
    asl, deltas = paired.over_all(len(pairs), discriminate, on_terms=True)
    power = paired.labelled((asl < alpha).mean(axis=2), "power")
    delta = paired.labelled(deltas.max(axis=2), "delta")
    result = paired.beyond_depth({"asl": asl, "pair_delta": deltas}, PAIR)
    result = result.assign_coords(pair_labels(paired, pairs)).assign(power=power, delta=delta)
    attributes = {"test": repr(bootstrap), "alpha": alpha}
    if fixed is not None:
        attributes |= {"test": GIVEN_RESAMPLES, "samples": len(fixed)}
    return result.assign_attrs(attributes)
