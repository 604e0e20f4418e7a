"""Variance components of scores.

Verbs: components.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import level
from irframe.cubes.scores import Scores
from irframe.cubes.verb import verb
from irframe.names import SYSTEM, TOPIC
from irframe.paired import all_pairs, describe_differences
from irframe.paired.design import Design, design_of
from irframe.planning.over_repeats import by_source, repeat_components, variances
from irframe.scores.read_scores import scores_to_compare

ROUNDING = 8 * np.finfo(np.float64).eps
"""Maximum deviation that is treated as a rounding error, relative to the largest score."""


class MeanSquares(NamedTuple):
    """Two-way analysis of variance of scores by system and topic.

    Parameters
    ----------
    system, topic, residual
        Mean squares of systems, of topics and of the interaction, each of shape (depth,).
    systems, topics
        Number of systems and number of topics, each of shape (depth,).
    """

    system: Array
    topic: Array
    residual: Array
    systems: Array
    topics: Array

    @property
    def variances(self) -> Array:
        """Variances of systems, topics and the interaction, shape (3, depth).

        The variances are estimated by the method of moments, and may be negative.
        """
        system = (self.system - self.residual) / self.topics
        topic = (self.topic - self.residual) / self.systems
        return np.stack([system, topic, self.residual])


def mean_squares(scores: Array) -> MeanSquares:
    """Return the two-way analysis of variance of scores.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.

    Returns
    -------
    MeanSquares
        Mean squares per depth. The mean squares of topics and of the residual are NaN for a single
        topic. A mean square is 0 if all its deviations are rounding errors.
    """
    systems, topics, depths = scores.shape
    of_topic = scores.mean(axis=0)
    of_system = scores.mean(axis=1)
    grand = of_topic.mean(axis=0)
    deviations = scores - of_topic
    deviations -= (of_system - grand)[:, np.newaxis]
    squares = np.stack(
        [
            topics * np.square(of_system - grand).sum(axis=0),
            systems * np.square(of_topic - grand).sum(axis=0),
            # einsum adds up squares without an array of all squares
            np.einsum("stk,stk->k", deviations, deviations),
        ]
    )
    rounding_error = (ROUNDING * np.maximum(scores.max(axis=(0, 1)), -scores.min(axis=(0, 1)))) ** 2
    freedom = np.array([systems - 1, topics - 1, (systems - 1) * (topics - 1)])
    with np.errstate(invalid="ignore"):
        means = squares / freedom[:, np.newaxis]
    # without this limit, equal scores would have tiny variances, and shares would be arbitrary
    means[means <= rounding_error] = 0
    system, topic, residual = means
    sizes = np.full(depths, systems), np.full(depths, topics)
    return MeanSquares(system, topic, residual, *sizes)


def variance_interval(squares: MeanSquares, alpha: float) -> tuple[Array, Array]:
    """Return the ends of confidence intervals of variances.

    Both ends have the shape (3, depth), in the order system, topic, interaction. The interval of
    the interaction uses the chi-squared distribution, and is exact for normal scores. The variances
    of systems and of topics are differences of mean squares, whose intervals use the modified
    large-sample method, see `components`.
    """
    freedom = squares.systems - 1, squares.topics - 1
    df_st = freedom[0] * freedom[1]
    low = []
    high = []
    sides = (squares.system, squares.topics), (squares.topic, squares.systems)
    for (mean, times), df in zip(sides, freedom, strict=True):
        centre = mean - squares.residual
        low.append((centre - _reach(mean, df, squares.residual, df_st, alpha / 2)) / times)
        high.append((centre + _reach(mean, df, squares.residual, df_st, 1 - alpha / 2)) / times)
    low.append(squares.residual / _f(alpha / 2, df_st))
    high.append(squares.residual / _f(1 - alpha / 2, df_st))
    return np.maximum(np.stack(low), 0), np.maximum(np.stack(high), 0)


def _reach(first: Array, df1: Array, second: Array, df2: Array, tail: float) -> Array:
    """Return the distance from an interval's centre to an end.

    The modified large-sample method combines the mean squares `first` and `second`, see
    `components`.
    """
    # g1, h2 and g12 are the constants G1, H2 and G12 of Burdick and Graybill
    ratio = _f(tail, df1, df2)
    g1 = 1 - 1 / _f(tail, df1)
    h2 = 1 / _f(1 - tail, df2) - 1
    g12 = ((ratio - 1) ** 2 - (g1 * ratio) ** 2 - h2**2) / ratio
    square = (g1 * first) ** 2 + (h2 * second) ** 2 + g12 * first * second
    return np.sqrt(np.maximum(square, 0))


def _f(tail: float, df1: Array, df2: Array | float = np.inf) -> Array:
    """Return upper quantiles of the F distribution.

    `tail` is the upper tail probability. If df2 is infinite, the quantiles are those of chi-squared
    divided by df1. Quantiles are NaN for 0 degrees of freedom.
    """
    df1 = np.where(np.asarray(df1) > 0, df1, np.nan)
    if np.isscalar(df2):
        return np.asarray(scipy.special.chdtri(df1, tail) / df1)
    return np.asarray(scipy.special.fdtri(df1, np.where(df2 > 0, df2, np.nan), 1 - tail))


SOURCES = (SYSTEM, TOPIC, "interaction")


@verb(repeats=True)
def components(scores: xr.DataArray | pd.DataFrame, *, alpha: float = 0.05) -> xr.Dataset:
    """Estimate the variance of scores over systems, topics and interaction.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.

    Returns
    -------
    xarray.Dataset
        The variance components are ``"system"``, ``"topic"`` and ``"interaction"``. The variables
        are

        - ``variance`` (metric, depth, component), with its confidence interval ``variance_low`` and
          ``variance_high``;
        - ``share`` (metric, depth, component), the share of the component in the total variance,
          from 0 to 1;
        - ``n_topics`` (metric, depth), the number of topics with scores of all systems.

        If systems have repeats (were run several times), there are no intervals. If repeats are
        nested in systems, the components are ``"topic"``, ``"repeat"``, ``"system_topic"`` and
        ``"residual"``. If all systems share the repeats, there are seven components: systems,
        topics, repeats and their interactions. For shared repeats there is also the variable
        ``mean_square``. Repeats within topics are averaged first.

        After `groupby`, the first dimension is the group. Variances are NaN for a single topic.
        Shares are NaN if the total variance is 0.

    Raises
    ------
    IrframeError
        See `compare`.

    Warns
    -----
    IrframeWarning
        If topics are dropped, because some system has no score on these topics. A warning is also
        issued if a negative variance is set to 0.

    Notes
    -----
    A score is the sum of a mean and independent random effects of system, topic and their
    interaction. The variances of these effects are v_s, v_t and v_st, where v_st includes the
    random error. With S systems and T topics, the variances are estimated from mean squares (MS) by
    ``v_st = MS_st``, ``v_s = (MS_s - MS_st) / T`` and ``v_t = (MS_t - MS_st) / S``.

    The intervals assume that all effects, including those of systems, are normal. The interval of
    v_st uses the chi-squared distribution, and is exact under this assumption. The intervals of v_s
    and v_t use the modified large-sample method [3]_. In simulations with normal effects, 95%
    intervals covered the true value 94 to 96 times in 100. With exponential effects the coverage
    was 67 to 87 in 100, and with uniform effects at least 96 in 100. Intervals from resampled
    topics are not provided, because their coverage is far lower. Resampling topics ignores that
    systems are also a sample.

    References
    ----------
    .. [1] Brennan. Generalizability theory. Springer, 2001. doi:10.1007/978-1-4757-3456-0
    .. [2] Urbano, Marrero, Martin. On the measurement of test collection reliability. SIGIR 2013.
       doi:10.1145/2484028.2484038
    .. [3] Burdick, Graybill. Confidence intervals on variance components. Dekker, 1992.
       ISBN 978-0-8247-8644-1

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> result = runs.ireval.evaluate(qrels, ["AP", "nDCG@10"]).ireval.components()
    >>> result["share"].to_pandas().round(3)
    component  system  topic  interaction
    metric
    AP        0.342  0.296        0.362
    nDCG@10   0.302  0.303        0.395
    """
    level(alpha)
    paired = scores_to_compare(scores)
    if paired.repeats is not None and paired.repeats.crossing:
        return repeat_components(paired)
    squares = analyse(paired)
    low, high = variance_interval(squares, alpha)
    values = variances(paired, squares.variances, SOURCES)
    values |= {"variance_low": low, "variance_high": high}
    by_depth = {"n_topics": squares.topics}
    by_depth |= {} if paired.design is None else design_effects(paired)
    result = {name: paired.labelled(values, name) for name, values in by_depth.items()}
    return by_source(paired, values, SOURCES).assign(result)


def design_effects(paired: Scores) -> dict[str, Array]:
    """Return design effects and intraclass correlations, shape (metric, depth).

    Returns
    -------
    dict
        ``design_effect`` is the variance of mean differences, divided by the variance for the same
        number of independent topics of equal weight. The two variances are summed over pairs of
        systems. If topics have clusters, there is also ``icc``, the intraclass correlation ``(r -
        1) / (m - 1)``, from -1 to 1. The ratio r is the variance divided by the variance without
        clusters, with the same weights and tasks. The mean cluster size is ``m = sum B^2 / sum
        b^2``, where b is the weight of a topic and B the weight of a cluster.
    """
    pairs = all_pairs(len(paired.systems))

    def effects(scores: Array, design: Design | None = None) -> tuple[Array, Array]:
        unclustered = None
        size = 1.0  # without clusters, the mean cluster size is 1
        if design is not None:
            # both designs have the same weights and tasks, so that only clusters change the ratio
            unclustered = design_of(len(design.task), weights=design.weights, task=design.task)
            size = (design.masses**2).sum() / (design.shares**2).sum()
        variances = (
            describe_differences(scores, pairs, under).sd ** 2
            for under in (None, unclustered, design)
        )
        plain, without, drawn = (values.sum(axis=0, keepdims=True) for values in variances)
        with np.errstate(divide="ignore", invalid="ignore"):
            return drawn / plain, np.clip((drawn / without - 1) / (size - 1), -1, 1)

    effect, icc = paired.over_all(1, effects, on_terms=True)
    result = {"design_effect": effect[..., 0]}
    clustered = paired.design is not None and paired.design.clusters < len(paired.topics)
    return result | ({"icc": icc[..., 0]} if clustered else {})


def analyse(paired: Scores) -> MeanSquares:
    """Return the analysis of variance per metric and depth.

    Each field has the shape (metric, depth). Clusters, tasks and weights of topics are ignored.
    """
    paired = replace(paired, design=None)
    return MeanSquares(*paired.over_all(paired.values[0, ..., 0].size, mean_squares))
