"""Comparison of reproduced experiments, and standardised scores.

Verbs: replicate, standardise.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, positions_of
from irframe.cubes.parse_scores import ScoreLike, parse_scores, to_scores
from irframe.cubes.scores import Arrays, Scores
from irframe.cubes.verb import verb
from irframe.errors import MetricError, ParameterError, listing, warn
from irframe.metrics.facts import facts
from irframe.names import METRICS, SYSTEM, TOPIC
from irframe.paired.classical import student
from irframe.paired.differences import deviations, exact_moments, ratio
from irframe.planning.components import ROUNDING
from irframe.scores.averages import metric_labels
from irframe.scores.read_scores import (
    match_reference,
    read_scores,
    refuse_infinite,
    refuse_unshared,
)
from irframe.scores.repeats import refuse_design
from irframe.stops import axis_of


@verb
def replicate(
    scores: xr.DataArray | pd.DataFrame,
    original: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable | None = None,
) -> xr.Dataset:
    """Compare a reproduction with the original experiment.

    Parameters
    ----------
    scores
        Scores of the reproduction, per system and topic: an array, or a frame, wide or long.
    original
        Scores of the original experiment, with the same metrics, depths and names of systems, on
        the same or on different topics.
    baseline
        The system with which all other systems are compared.

    Returns
    -------
    xarray.Dataset
        The variables have the dimensions (metric, system, depth). ``mean`` and ``mean_original``
        are the means in the reproduction and in the original experiment. ``p`` is the p-value of a
        t-test of the hypothesis that the two means are equal. If the two experiments have the same
        topics, the test is paired, and there is also ``rmse``, the root mean squared difference of
        scores.

        With a baseline there are two more variables, which are NaN for the baseline itself.
        ``effect_ratio`` is the improvement over the baseline, divided by the improvement in the
        original experiment. The ratio is 1 if the two improvements are equal, and negative if one
        of the two is a loss. ``delta_ri`` is the relative improvement in the original experiment
        minus the relative improvement in the reproduction.

        After `groupby`, the first dimension is the group.

    Raises
    ------
    ParameterError
        See `compare`. An error is also raised if metrics, systems or depths differ, if the two
        experiments share some, but not all topics, or if the topics of either experiment are
        clustered, weighted or from several tasks.
    DepthError
        If the scores lack one of the depths.

    Warns
    -----
    IrframeWarning
        If topics are dropped, because some system has no score on these topics.

    Notes
    -----
    Let a be a system and b the baseline. Let x be the original means, and x' the means of the
    reproduction. The effect ratio is ``(x'_a - x'_b) / (x_a - x_b)``, and ``delta_ri`` is
    ``(x_a - x_b) / x_b - (x'_a - x'_b) / x'_b``. For different topics the test is the two-sample
    t-test with equal variances.

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
    >>> result = replicate(reproduced, original, baseline="bm25")
    >>> result.isel(metric=0, drop=True).to_dataframe().round(3)
            mean  mean_original      p   rmse  effect_ratio  delta_ri
    system
    bm25     0.3            0.3  1.000  0.000           NaN       NaN
    ance     0.5            0.7  0.295  0.224           0.5     0.667
    """
    new = read_scores(scores)
    refuse_design(new, "replicate")
    old = read_scores(original)
    refuse_design(old, "original=")
    advice = "select common metrics and depths of both scores"
    # `match_reference` also accepts one metric or further metrics in the reference
    differing = sorted({*new.metrics} ^ {*old.metrics})
    refuse_unshared("the same metrics in both scores", differing, advice)
    depths, old_depths = (set() if side.depths is None else {*side.depths} for side in (new, old))
    refuse_unshared("depths that the original has too", sorted(depths - old_depths), advice)
    new, old = match_reference(new, old)
    columns = _paired(new, old) if new.topics.isin(old.topics).any() else _unpaired(new, old)
    if baseline is not None:
        (row,) = positions_of("baseline to be one of the systems", [baseline], new.systems.tolist())
        means = columns["mean"], columns["mean_original"]
        effect, original_effect = (side - side[:, [row]] for side in means)
        effect[:, row] = np.nan
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = original_effect / means[1][:, [row]] - effect / means[0][:, [row]]
            columns |= {"effect_ratio": effect / original_effect, "delta_ri": relative}
    labels = new.labels(SYSTEM)
    shape = [len(label) for label in labels.values()]
    variables = {name: (tuple(labels), array.reshape(shape)) for name, array in columns.items()}
    return xr.Dataset(variables, labels)


def _paired(new: Scores, old: Scores) -> dict[str, Array]:
    """Return the variables of `replicate` for common topics.

    Each array has the dimensions (metric, system, depth).
    """
    size = len(new.systems)
    old = old.take(topic=old.topics.get_indexer(new.topics))
    values = np.concatenate([new.values, old.values], axis=1)
    # systems are numbered, because both experiments have systems of the same names
    both = replace(new, values=values, systems=pd.RangeIndex(2 * size))

    columns = both.over_all(2 * size * len(both.topics), _reproduced)
    names = "mean", "mean_original", "p", "rmse"
    return {name: np.swapaxes(values, 1, 2) for name, values in zip(names, columns, strict=True)}


def _reproduced(scores: Array) -> Arrays:
    """Return means, p-values and RMSE of shape (system, depth).

    The first half of the systems belongs to the reproduction. The second half contains the same
    systems in the original experiment.
    """
    new, old = np.split(np.moveaxis(scores, 1, 2), 2)
    topics = new.shape[2]
    # rounding errors are removed, so that equal scores have p = 1 and RMSE 0
    mean, squares = exact_moments(new, old)
    p = student(mean, deviations(squares, topics), topics=topics).p
    return new.mean(axis=2), old.mean(axis=2), p, np.sqrt(mean**2 + squares / topics)


def _unpaired(new: Scores, old: Scores) -> dict[str, Array]:
    """Return the variables of `replicate` for different topics.

    Each array has the dimensions (metric, system, depth).
    """

    def moments(scores: Array) -> Arrays:
        mean = scores.mean(axis=1)
        squares = np.square(scores - mean[:, np.newaxis]).sum(axis=1)
        # the number of topics may differ by metric and depth, because of missing scores
        return np.full(mean.shape, scores.shape[1]), mean, squares

    sides = (side.over_all(side.values[0, ..., 0].size, moments) for side in (new, old))
    (n, mean, squares), (m, old_mean, old_squares) = sides
    df = n + m - 2
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((squares + old_squares) / df * (1 / n + 1 / m))
    t = ratio(mean - old_mean, error)
    # the lower tail keeps the digits of small p-values, which 1 minus a probability near 1 loses
    p = 2 * scipy.special.stdtr(df, -np.abs(t))
    columns = {"mean": mean, "mean_original": old_mean, "p": p}
    return {name: np.swapaxes(values, 1, 2) for name, values in columns.items()}


TO_UNIT: dict[str, Callable[[Array], Array]] = {
    "z": lambda z: z,
    "normal": scipy.special.ndtr,
    "uniform": lambda z: np.clip(0.15 * z + 0.5, 0, 1),
}
"""Mapping from each value of ``scaling=`` to the function that transforms z-scores."""


@verb
def standardise(
    scores: xr.DataArray | pd.DataFrame,
    scaling: Literal["z", "normal", "uniform"] = "z",
    *,
    reference: Hashable | Sequence[Hashable] | xr.DataArray | pd.DataFrame | None = None,
) -> xr.DataArray | pd.DataFrame:
    """Standardise scores per topic by the scores of reference systems.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    scaling
        ``"z"``: the number of standard deviations above the mean of the reference systems.
        ``"normal"`` or ``"uniform"``: the share of systems, from 0 to 1, that would have lower
        scores if scores had a normal or a uniform distribution (N-std and U-std of [3]_).
    reference
        The reference systems: one or several systems of the scores, or scores of other systems with
        the same metrics, topics and depths. The default is all systems of the scores.

    Returns
    -------
    xarray.DataArray or pandas.DataFrame
        An array if `scores` is an array, or a wide frame with the same index if `scores` is a
        frame. For costs, lower standardised scores are better. Missing scores remain NaN, and all
        scores are NaN on topics on which the reference systems do not differ.

    Raises
    ------
    ParameterError
        If the scaling or a system is unknown, if there are fewer than two reference systems, or if
        reference scores lack metrics, topics or depths.
    MetricError
        If a metric is not an arithmetic mean over topics.
    InputError
        If scores are infinite.

    Warns
    -----
    IrframeWarning
        If topics have no standardised scores, because the reference systems do not differ on these
        topics, or because only one reference system has a score.

    Notes
    -----
    ``z = (x - m) / s``. The mean m and the standard deviation s (with divisor n - 1) are those of
    the reference systems on the topic and depth. ``"normal"`` is ``Phi(z)``. ``"uniform"`` is ``.15
    z + .5``, clipped to [0, 1], as in [2]_ and [3]_. The clipped value is 1 for scores that are at
    least 3 1/3 standard deviations above the mean.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. Score standardization for inter-collection comparison of
       retrieval systems. SIGIR 2008. doi:10.1145/1390334.1390346
    .. [2] Sakai. A simple and effective approach to score standardisation. ICTIR 2016.
       doi:10.1145/2970398.2970399
    .. [3] Urbano, Lima, Hanjalic. A new perspective on score standardization. SIGIR 2019.
       doi:10.1145/3331184.3331315

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 2 + ["ance"] * 2 + ["splade"] * 2,
    ...         "topic": ["hard", "easy"] * 3,
    ...         "measure": "AP",
    ...         "value": [0.125, 0.5, 0.25, 0.75, 0.375, 1.0],
    ...     }
    ... )
    >>> standardise(scores)["AP"].unstack("topic").round(3)
    topic   easy  hard
    system
    ance     0.0   0.0
    bm25    -1.0  -1.0
    splade   1.0   1.0
    """
    choice("scaling", scaling, TO_UNIT)
    array = to_scores(scores).compute()
    _refuse_others(array)
    values = _reference(array, reference).to_numpy()
    original_scores = ~np.isnan(values)
    n = original_scores.sum(axis=1, keepdims=True).astype(float)
    n[n < 2] = np.nan
    mean = np.where(original_scores, values, 0).sum(axis=1, keepdims=True) / n
    off = np.where(original_scores, values - mean, 0)
    spread = np.sqrt(np.square(off).sum(axis=1, keepdims=True) / (n - 1))
    largest = np.where(original_scores, np.abs(values), 0).max(axis=1, keepdims=True)
    # dividing by rounding errors would make z-scores of equal scores arbitrary
    spread[~(spread > ROUNDING * largest)] = np.nan
    _warn_constant(array, spread)
    result = array.copy(data=TO_UNIT[scaling]((array.to_numpy() - mean) / spread))
    result = result.assign_attrs(standardised=scaling)
    parsed = parse_scores(scores)
    return result if parsed.rows is None else _as_frame(result, parsed)


def _refuse_others(array: xr.DataArray) -> None:
    """Raise if a metric cannot be standardised."""
    labels = metric_labels(array)
    wrong = [label for label in labels if facts(label).summary != "mean"]
    if wrong:
        raise MetricError("metrics that are arithmetic means over topics", "", "", wrong)
    refuse_infinite(labels, array.to_numpy())


def _reference(array: xr.DataArray, reference: object) -> xr.DataArray:
    """Return the scores of the reference systems, aligned to `array`.

    Raise if the reference lacks metrics, topics or depths of the scores.
    """
    if isinstance(reference, ScoreLike):
        chosen = to_scores(reference).compute()
        _refuse_others(chosen)
        if axis_of(array).dim in {*array.dims} ^ {*chosen.dims}:
            raise ParameterError(
                "depths in the scores and in the reference scores, or in neither", "depths in one"
            )
        for dim in [dim for dim in array.dims if dim != SYSTEM]:
            labels = chosen.indexes[dim].tolist()
            expected = f"a {dim} of the reference scores"
            chosen = chosen.isel({dim: positions_of(expected, array[dim].to_numpy(), labels)})
    elif reference is None:
        chosen = array
    else:
        systems = array.indexes[SYSTEM].tolist()
        chosen = array.isel(
            {SYSTEM: positions_of("reference systems of the scores", reference, systems)}
        )
    if chosen.sizes[SYSTEM] < 2:
        raise ParameterError("at least two reference systems", str(chosen.sizes[SYSTEM]))
    return chosen


def _warn_constant(array: xr.DataArray, spread: Array) -> None:
    """Warn about topics with scores, but without standardised scores."""
    scored = array.notnull().any(SYSTEM).to_numpy()
    lost = (scored & np.isnan(spread[:, 0])).any(axis=tuple(range(2, scored.ndim)))
    for metric, topics in zip(metric_labels(array), np.atleast_2d(lost), strict=True):
        names = array.indexes[TOPIC][topics].astype(str)
        if len(names):
            where = f" at some {dim}" if (dim := axis_of(array).dim) in array.dims else ""
            warn(
                f"{metric} has no standardised scores{where} on {len(names)} topics, because "
                f"reference systems do not differ: {listing(names)}"
            )


def _as_frame(scores: xr.DataArray, parsed: Scores) -> pd.DataFrame:
    """Return standardised scores as a frame with the input's rows."""
    original = parsed.source.to_frame()
    original = original.droplevel(parsed.by) if parsed.by in original.index.names else original
    rows = np.asarray(parsed.rows)
    # a score that the frame lacks has position -1, and the other positions restore the row order
    present = rows >= 0
    order = np.argsort(rows[present])
    index = original.index.take(rows[present][order])
    columns = pd.Index(parsed.metrics, name=original.columns.name)
    frame = pd.DataFrame(scores.to_numpy()[:, present].T[order], index, columns)
    frame.attrs = {**parsed.source.attrs, METRICS: parsed.metrics, **scores.attrs}
    return frame
