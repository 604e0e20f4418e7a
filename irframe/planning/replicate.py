"""How well an experiment was reproduced."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import places
from irframe.cubes.verb import verb
from irframe.experiments.group_columns import GroupBy
from irframe.names import SYSTEM
from irframe.paired.classical import student
from irframe.paired.differences import deviations, exact_moments, ratio
from irframe.scores.read_scores import (
    Depths,
    match_reference,
    read_scores,
    refuse_unshared,
    select_depths,
)
from irframe.scores.repeats import refuse_design
from irframe.scores.scores import Arrays, Scores


@verb
def replicate(
    scores: xr.DataArray | pd.DataFrame,
    original: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable | None = None,
    at: Depths = None,
    by: GroupBy | None = None,
) -> xr.Dataset:
    """Say how close scores come to those of an experiment that they are to reproduce.

    Parameters
    ----------
    scores
        Scores of the reproduction, per system and topic: an array, or a frame, wide or long.
    original
        Those of the experiment: the same metrics, depths and systems, a reproduced system under
        the name of the original one, on the same topics or on others.
    baseline
        A system of which the others are held to be an improvement, in both.
    at
        Depths to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group. The original is split alike.

    Returns
    -------
    xarray.Dataset
        Over (metric, system, depth): ``mean`` and ``mean_original``; ``p``, of a t-test of the
        hypothesis that both are the same, paired on the same topics; and, on the same topics,
        ``rmse``, the root of the mean squared difference, at least 0.

        With a baseline, NaN for itself: ``effect_ratio``, 1 if the improvement is as large as
        it was, between 0 and 1 if it is smaller, above 1 if it is larger and below 0 if it is
        none; and ``delta_ri``, by how much the improvement, as a share of the baseline, was
        larger than it is; below 0 if it is larger now.

        The group comes first if `by` is given.

    Raises
    ------
    ParameterError
        For other metrics, systems or depths on both sides, or topics of which only some are the
        same; and as `compare`.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them.

    Notes
    -----
    With ' for the reproduction, a a system and b the baseline, x their means:
    ``ER = (x'_a - x'_b) / (x_a - x_b)``,
    ``Delta RI = (x_a - x_b) / x_b - (x'_a - x'_b) / x'_b``. On other topics the t-test is one of
    two samples with equal variances.

    References
    ----------
    .. [1] Breuer, Ferro, Fuhr, Maistro, Sakai, Schaer, Soboroff. How to measure the
       reproducibility of system-oriented IR experiments. SIGIR 2020. doi:10.1145/3397271.3401036

    Examples
    --------
    >>> import pandas as pd
    >>> def scores(values):
    ...     names = {"system": ["bm25"] * 2 + ["ance"] * 2, "topic": ["1", "2"] * 2}
    ...     return pd.DataFrame({**names, "measure": "AP", "value": values})
    >>> original = scores([0.2, 0.4, 0.6, 0.8])
    >>> reproduced = scores([0.2, 0.4, 0.5, 0.5])
    >>> found = replicate(reproduced, original, baseline="bm25")
    >>> found.isel(metric=0, drop=True).to_dataframe().round(3)
            mean  mean_original      p   rmse  effect_ratio  delta_ri
    system
    bm25     0.3            0.3  1.000  0.000           NaN       NaN
    ance     0.5            0.7  0.295  0.224           0.5     0.667
    """
    here = read_scores(scores)
    here = here if at is None else select_depths(here, at)
    refuse_design(here, "replicate")
    there, chosen = read_scores(original), "choose those of both"
    refuse_unshared(
        "the same metrics in both scores", sorted({*here.metrics} ^ {*there.metrics}), chosen
    )
    depths, theirs = (set() if side.depths is None else {*side.depths} for side in (here, there))
    refuse_unshared("depths that the original has too", sorted(depths - theirs), chosen)
    new, old = match_reference(here, there)
    columns = _paired(new, old) if new.topics.isin(old.topics).any() else _unpaired(new, old)
    if baseline is not None:
        (row,) = places("baseline to be one of the systems", [baseline], new.systems.tolist())
        means = columns["mean"], columns["mean_original"]
        gained, was = (side - side[:, [row]] for side in means)
        gained[:, row] = np.nan
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = was / means[1][:, [row]] - gained / means[0][:, [row]]
            columns |= {"effect_ratio": gained / was, "delta_ri": relative}
    labels = new.labels(SYSTEM)
    shape = [len(label) for label in labels.values()]
    parts = {name: (tuple(labels), array.reshape(shape)) for name, array in columns.items()}
    return xr.Dataset(parts, labels)


def _paired(new: Scores, old: Scores) -> dict[str, Array]:
    """Return what is said of every system on the same topics, shape (metric, system, depth)."""
    size = len(new.systems)
    old = old.take(topic=old.topics.get_indexer(new.topics))
    values = np.concatenate([new.values, old.values], axis=1)
    both = replace(new, values=values, systems=pd.RangeIndex(2 * size))

    columns = both.over_all(2 * size * len(both.topics), _reproduced)
    names = "mean", "mean_original", "p", "rmse"
    return {name: np.swapaxes(values, 1, 2) for name, values in zip(names, columns, strict=True)}


def _reproduced(scores: Array) -> Arrays:
    """Return means of both sides, p and root mean squared difference, each (system, depth).

    The first half of the systems are those of one side, the others the same of the other.
    """
    new, old = np.split(np.moveaxis(scores, 1, 2), 2)
    topics = new.shape[2]
    mean, squares = exact_moments(new, old)
    p = student(mean, deviations(squares, topics), topics=topics).p
    return new.mean(axis=2), old.mean(axis=2), p, np.sqrt(mean**2 + squares / topics)


def _unpaired(new: Scores, old: Scores) -> dict[str, Array]:
    """Return what is said of every system on other topics, shape (metric, system, depth)."""

    def moments(scores: Array) -> Arrays:
        mean = scores.mean(axis=1)
        squares = np.square(scores - mean[:, np.newaxis]).sum(axis=1)
        return np.full(mean.shape, scores.shape[1]), mean, squares

    sides = []
    for side in (new, old):
        rows = [side.over(row, slice(None), moments) for row in range(len(side.metrics))]
        sides.append([np.stack(arrays) for arrays in zip(*rows, strict=True)])
    (n, mean, squares), (m, other, others) = sides
    df = n + m - 2
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((squares + others) / df * (1 / n + 1 / m))
    t = ratio(mean - other, error)
    p = 2 * scipy.special.stdtr(df, -np.abs(t))
    return {"mean": mean, "mean_original": other, "p": p}
