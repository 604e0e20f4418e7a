"""Variance components of repeats, and topics needed with repeats."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, listed
from irframe.cubes.scores import Arrays, Scores
from irframe.errors import ParameterError, warn
from irframe.paired.crossed import table_of
from irframe.paired.margins import missed_one_sided
from irframe.scores.repeats import draw_attributes

OWN = ("topic", "repeat", "system_topic", "residual")
"""Names of the variance components if repeats are nested in systems."""
SHARED = ("system", "topic", "repeat", "system_topic", "system_repeat", "topic_repeat", "residual")
"""Names of the variance components if all systems share repeats."""
COMPONENT = "component"
"""Name of the dimension with the variance components."""
N_REPEATS = "n_repeats"
"""Name of the dimension with numbers of repeats."""
MOST = 2**40
"""Upper limit of the search for the number of topics needed."""


def repeat_components(paired: Scores) -> xr.Dataset:
    """Return variance components of scores with repeats, see `components`."""
    are_shared = paired.repeats.layout == "shared"
    names = SHARED if are_shared else OWN
    estimates, squares = _analysed(paired)
    values = variances(paired, estimates, names) | ({"mean_square": squares} if are_shared else {})
    topics = paired.labelled(paired.scored.sum(axis=1), "n_topics")
    result = by_source(paired, values, names).assign(n_topics=topics)
    return result.assign_attrs(paired.attrs | draw_attributes([paired]))


def variances(paired: Scores, estimates: Array, sources: Sequence[str]) -> dict[str, Array]:
    """Return variances and shares of shape (component, metric, depth).

    Negative variances are set to 0 with a warning.
    """
    for metric, counts in zip(paired.metrics, (estimates < 0).sum(axis=2).T, strict=True):
        below = [f"{name} ({n})" for name, n in zip(sources, counts, strict=True) if n]
        if below:
            warn(f"negative variances of {metric} are set to 0: {', '.join(below)}")
    variance = np.maximum(estimates, 0)
    with np.errstate(invalid="ignore"):
        return {"variance": variance, "share": variance / variance.sum(axis=0)}


def by_source(paired: Scores, values: dict[str, Array], sources: Sequence[str]) -> xr.Dataset:
    """Return a dataset with the components as last dimension."""
    turned = {name: np.moveaxis(values, 0, 2) for name, values in values.items()}
    return paired.beyond_depth(turned, COMPONENT).assign_coords({COMPONENT: list(sources)})


def _analysed(paired: Scores) -> Arrays:
    """Return variances and mean squares of shape (component, metric, depth)."""
    repeats_of = paired.repeats
    every = slice(None)

    def compute(lists: Array, *_: Array) -> Arrays:
        if repeats_of.layout == "shared":
            return shared_components(lists.reshape(len(repeats_of.counts), -1, *lists.shape[1:]))
        estimates = own_components(lists, repeats_of.owner)
        return estimates, estimates

    rows = range(len(paired.metrics))
    estimates = [repeats_of.flat(paired, row, every).over(0, every, compute) for row in rows]
    return tuple(np.stack(arrays, axis=1) for arrays in zip(*estimates, strict=True))


def own_components(lists: Array, owner: Array) -> Array:
    """Return variance components for repeats nested in systems.

    Parameters
    ----------
    lists
        Scores of lists, shape (list, topic, depth), without NaN. A list is one repeat of one
        system.
    owner
        For each list, the position of its system. Positions are in ascending order.

    Returns
    -------
    numpy.ndarray
        Shape (component, depth), with components in the order of `OWN`. Estimates may be negative
        by chance. All estimates are NaN for a single topic or a single system. The component of
        repeats is NaN if no system has several repeats.

    Notes
    -----
    Let T be the number of topics, S the number of systems, and R the number of repeats per system.
    The residual is the residual mean square, pooled over systems.
    ``repeat = var_r(mean_t) - residual / T`` is averaged over systems with several repeats. The
    other components are estimated from the mean squares (MS) of scores averaged over repeats:
    ``system_topic = MS_st - residual / R`` and ``topic = (MS_t - MS_st) / S``.
    """
    table = table_of(lists, owner)
    counts = table.repeats
    topics = table.topics
    means = table.means
    systems = len(counts)
    freedom = (counts - 1) * (topics - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # `table_of` returns variances of means, that is, mean squares divided by the number of
        # topics, of repeats, or of both.
        residual = (table.residual * counts * topics * freedom).sum(axis=0) / freedom.sum()
        repeat = (table.repeat * counts**2).sum(axis=0) / counts[counts > 1].sum()
        repeat = repeat - residual / topics
        by_topic = means.mean(axis=0)
        deviations = means - by_topic - means.mean(axis=1, keepdims=True) + by_topic.mean(axis=0)
        crossing = (deviations**2).sum(axis=(0, 1)) / ((systems - 1) * (topics - 1))
        above = by_topic.var(axis=0, ddof=1) if topics > 1 else np.full_like(repeat, np.nan)
    topic = above - crossing / systems
    return np.stack([topic, repeat, crossing - residual * (1 / counts).mean(), residual])


def shared_components(table: Array) -> Arrays:
    """Return variance components and mean squares for shared repeats.

    Parameters
    ----------
    table
        Scores, shape (system, repeat, topic, depth), without NaN.

    Returns
    -------
    variances, squares : numpy.ndarray
        Variance components and mean squares, shape (component, depth), in the order of `SHARED`.

    Notes
    -----
    The components are estimated by the method of moments, from the mean squares of a three-way
    analysis of variance with one observation per cell.
    """
    sizes = {"s": table.shape[0], "r": table.shape[1], "t": table.shape[2]}
    axes = {"s": 0, "r": 1, "t": 2}
    effects: dict[str, Array] = {}
    squares = []
    # each source follows the sources that it contains, because their effects are subtracted from it
    for source in ("", "s", "t", "r", "st", "sr", "tr", "str"):
        averaged_axes = tuple(axes[letter] for letter in "srt" if letter not in source)
        effect = table.mean(axis=averaged_axes, keepdims=True) if averaged_axes else table
        for smaller, smaller_effect in effects.items():
            if {*smaller} <= {*source}:
                effect = effect - smaller_effect
        effects[source] = effect
        if source:
            freedom = np.prod([sizes[letter] - 1 for letter in source])
            times = np.prod([sizes[letter] for letter in "srt" if letter not in source])
            with np.errstate(invalid="ignore", divide="ignore"):
                squares.append(times * (effect**2).sum(axis=(0, 1, 2)) / freedom)
    s, t, r, st, sr, tr, residual = squares
    systems = sizes["s"]
    topics = sizes["t"]
    repeats = sizes["r"]
    estimates = [
        (s - st - sr + residual) / (topics * repeats),
        (t - st - tr + residual) / (systems * repeats),
        (r - sr - tr + residual) / (systems * topics),
        *((st - residual) / repeats, (sr - residual) / topics, (tr - residual) / systems, residual),
    ]
    return np.stack(estimates), np.stack(squares)


def topics_over_repeats(
    paired: Scores,
    question: str,
    difference: float,
    repeats: int | Sequence[int] | None,
    *,
    power: float,
    alpha: float,
) -> xr.Dataset:
    """Return the number of topics needed with repeats, see `topics_needed`."""
    repeats_of = paired.repeats
    if repeats_of is None:
        advice = "add a column such as repeat or seed"
        raise ParameterError("scores with repeats for n_repeats=", "scores without repeats", advice)
    if repeats_of.layout == "topic":
        advice = "omit n_repeats= to plan for means over the repeats of the pilot"
        expected = "repeats of systems or shared repeats for n_repeats="
        raise ParameterError(expected, "repeats within topics", advice)
    if question not in {"margin", "t"}:
        raise ParameterError("margin= or difference= together with n_repeats=", repr(question))
    counts = [int(repeats_of.counts.min())] if repeats is None else listed(repeats)
    counts = [check_int("repeats", count, low=1) for count in counts]
    if not counts:
        raise ParameterError("at least one number of repeats in n_repeats=", "none")
    of_differences = _of_differences(paired)
    draws = 1 if repeats_of.layout == "shared" else 2
    least = partial(_least_topics, of_differences, draws=draws, one_sided=question == "margin")
    topics = np.stack([least(n, difference, power=power, alpha=alpha) for n in counts], axis=-1)
    result = paired.beyond_depth({"topics": topics}, N_REPEATS).assign_coords({N_REPEATS: counts})
    for name, variance in zip(("topic", "repeat", "residual"), of_differences, strict=True):
        result[f"variance_{name}"] = paired.labelled(variance, name).drop_attrs()
    attributes = draw_attributes([paired]) | {"n_repeats": ", ".join(map(str, counts))}
    return result.assign_attrs(paired.attrs | attributes)


def _of_differences(paired: Scores) -> Arrays:
    """Return the variance components of a difference of systems.

    The components are those of topics, of repeats and of the residual, each of shape (metric,
    depth).
    """
    are_shared = paired.repeats.layout == "shared"
    values, _ = _analysed(paired)
    names = SHARED if are_shared else OWN
    sources = ("system_topic", "system_repeat" if are_shared else "repeat", "residual")
    return tuple(2 * np.maximum(values[names.index(name)], 0) for name in sources)


def _least_topics(
    values: Arrays,
    repeats: int,
    difference: float,
    *,
    draws: int,
    one_sided: bool,
    power: float,
    alpha: float,
) -> Array:
    """Return the smallest number of topics with the required power.

    The result is NaN if no number of topics is sufficient. `draws` is the number of independent
    samples of repeats in a difference: 1 if systems share repeats, and 2 otherwise. Each of two
    samples contributes half of the variance.
    """
    by_topic, by_repeat, residual = (np.asarray(variance, np.float64) for variance in values)

    def enough(topics: Array) -> Array:
        residual_variance = residual / (topics * repeats)
        between = by_topic / topics + residual_variance
        within = by_repeat / repeats + residual_variance
        variance = between + by_repeat / repeats
        weighed = between**2 / (topics - 1)
        if repeats > 1:
            weighed += (within**2 + residual_variance**2 / (topics - 1)) / draws / (repeats - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            # As in the crossed test, there is at least one degree of freedom. The upper limit
            # excludes infinity, because SciPy's F distribution is NaN there.
            freedom = np.clip(variance**2 / weighed, 1, 1e9)
            lead = difference / np.sqrt(variance)
        if one_sided:
            missed = missed_one_sided(lead, freedom, alpha=alpha)
        else:
            critical = scipy.special.fdtri(1, freedom, 1 - alpha)
            missed = scipy.special.ncfdtr(1, freedom, lead**2, critical)
        # without variance, every difference is detected, but the power may be NaN
        return np.asarray((1 - missed >= power) | (variance == 0))

    # doubling finds a sufficient number of topics, and bisection the smallest, in few evaluations
    low = np.full(by_topic.shape, 1.0)
    high = np.full(by_topic.shape, 2.0)
    while ((short := ~enough(high)) & (high < MOST)).any():
        low = np.where(short, high, low)
        high = np.where(short & (high < MOST), high * 2, high)
    never = high >= MOST
    while ((high - low) > 1).any():
        middle = np.maximum(np.floor((low + high) / 2), 2)  # a single topic has no variance
        fits = enough(middle)
        low = np.where(fits, low, middle)
        high = np.where(fits, middle, high)
    missing = never | np.isnan(by_topic + by_repeat + residual)
    return np.where(missing, np.nan, high)
