"""How much of what scores vary by is due to systems, and how far that generalises.

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
from irframe.cubes.score_table import read_score_table
from irframe.cubes.verb import verb
from irframe.files.repeats import checked_layout
from irframe.names import REPEATS, SYSTEM, TOPIC, Layout
from irframe.paired import all_pairs, describe_differences
from irframe.paired.design import Design, design_of
from irframe.planning.over_repeats import by_source, repeat_components, variances
from irframe.scores.read_scores import scores_to_compare
from irframe.scores.scores import Scores

ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the largest score: a deviation no larger is none."""


class MeanSquares(NamedTuple):
    """The analysis of variance of systems x topics with one score each.

    Parameters
    ----------
    system, topic, residual
        Mean squares, each of shape (depth,).
    systems, topics
        How many there are; topics for every depth, if depths have topics of their own.
    """

    system: Array
    topic: Array
    residual: Array
    systems: Array
    topics: Array

    @property
    def variances(self) -> Array:
        """Variances of systems, topics and interaction, shape (3, depth), where they are < 0 too.

        By expected mean squares.
        """
        system = (self.system - self.residual) / self.topics
        topic = (self.topic - self.residual) / self.systems
        return np.stack([system, topic, self.residual])


def mean_squares(scores: Array) -> MeanSquares:
    """Analyse the variance of scores.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.

    Returns
    -------
    MeanSquares
        Mean squares of every depth; NaN with a single topic, 0 for deviations that rounding
        explains.
    """
    systems, topics, depths = scores.shape
    of_topic, of_system = scores.mean(axis=0), scores.mean(axis=1)
    grand = of_topic.mean(axis=0)
    rest = scores - of_topic
    rest -= (of_system - grand)[:, np.newaxis]
    squares = np.stack(
        [
            topics * np.square(of_system - grand).sum(axis=0),
            systems * np.square(of_topic - grand).sum(axis=0),
            np.einsum("stk,stk->k", rest, rest),
        ]
    )
    none = (ROUNDING * np.maximum(scores.max(axis=(0, 1)), -scores.min(axis=(0, 1)))) ** 2
    freedom = np.array([systems - 1, topics - 1, (systems - 1) * (topics - 1)])
    with np.errstate(invalid="ignore"):
        means = squares / freedom[:, np.newaxis]
    means[means <= none] = 0
    system, topic, residual = means
    sizes = np.full(depths, systems), np.full(depths, topics)
    return MeanSquares(system, topic, residual, *sizes)


def variance_interval(squares: MeanSquares, alpha: float) -> tuple[Array, Array]:
    """Return lower and upper variances of systems, topics and interaction, shape (3, depth).

    That of the interaction is exact for normal scores, by chi squared; the others are those of a
    difference of mean squares by the modified large-sample method.
    """
    freedom = squares.systems - 1, squares.topics - 1
    rest = freedom[0] * freedom[1]
    low, high = [], []
    sides = (squares.system, squares.topics), (squares.topic, squares.systems)
    for (mean, times), df in zip(sides, freedom, strict=True):
        centre = mean - squares.residual
        low.append((centre - _reach(mean, df, squares.residual, rest, alpha / 2)) / times)
        high.append((centre + _reach(mean, df, squares.residual, rest, 1 - alpha / 2)) / times)
    low.append(squares.residual / _f(alpha / 2, rest))
    high.append(squares.residual / _f(1 - alpha / 2, rest))
    return np.maximum(np.stack(low), 0), np.maximum(np.stack(high), 0)


def _reach(first: Array, df1: Array, second: Array, df2: Array, tail: float) -> Array:
    """Return how far the end of an interval with this upper tail lies from its centre."""
    ratio = _f(tail, df1, df2)
    one, two = 1 - 1 / _f(tail, df1), 1 / _f(1 - tail, df2) - 1
    cross = ((ratio - 1) ** 2 - (one * ratio) ** 2 - two**2) / ratio
    square = (one * first) ** 2 + (two * second) ** 2 + cross * first * second
    return np.sqrt(np.maximum(square, 0))


def _f(tail: float, df1: Array, df2: Array | float = np.inf) -> Array:
    """Return upper quantiles of F, of chi squared over its degrees of freedom if df2 is infinite.

    NaN without degrees of freedom.
    """
    df1 = np.where(np.asarray(df1) > 0, df1, np.nan)
    if np.isscalar(df2):
        return np.asarray(scipy.special.chdtri(df1, tail) / df1)
    return np.asarray(scipy.special.fdtri(df1, np.where(df2 > 0, df2, np.nan), 1 - tail))


SOURCES = (SYSTEM, TOPIC, "interaction")


@verb(repeats=True)
def components(
    scores: xr.DataArray | pd.DataFrame,
    *,
    alpha: float = 0.05,
    repeats: Layout | None = None,
) -> xr.Dataset:
    """Variance components of scores by system, topic and interaction.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    repeats
        What one repeat is where systems were run several times, as for `irframe.evaluate`; by
        default what scores say.

    Returns
    -------
    xarray.Dataset
        Over (metric, depth, component), components being ``"system"``, ``"topic"`` and
        ``"interaction"``: ``variance``, with the interval ``variance_low`` and
        ``variance_high``, and ``share``, that of the three variances together, 0 to 1.

        Over (metric, depth): ``n_topics``, the topics with a score of every system.

        Where systems have repeats, ``variance``, ``share`` and ``n_topics`` alone: of the
        components ``"topic"``, ``"repeat"``, ``"system_topic"`` and ``"residual"`` where each
        system has repeats of its own; where they are shared, of all seven of systems x topics x
        repeats, with ``mean_square``. Repeats inside topics are averaged in each.

        The group comes first if `by` is given. NaN with a single topic, and what is a share of
        no variance.

    Raises
    ------
    IrframeError
        As `compare`.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or a variance comes out
        below 0 and is taken to be 0.

    Notes
    -----
    A score is a mean plus what the system, the topic and both together add, independent of each
    other and with variances v_s, v_t, v_st; the last holds all noise. By expected mean squares,
    with S systems and T topics, ``v_st = MS_st``, ``v_s = (MS_s - MS_st) / T`` and
    ``v_t = (MS_t - MS_st) / S``.

    The intervals suppose normal effects, of systems too: those of v_st, by chi squared, are exact
    then, those of v_s and v_t by the modified large-sample method [3]_. In simulations 95%
    intervals hold the truth 94 to 96 times in 100; where effects are as skewed as an exponential
    distribution 67 to 87 times, where they are uniform 96 times and more. Resampling topics leaves
    out that systems are a sample too, and holds it far less often, so it is not done.

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
    >>> found = runs.ireval.evaluate(qrels, ["AP", "nDCG@10"]).ireval.components()
    >>> found["share"].to_pandas().round(3)
    component  system  topic  interaction
    metric
    AP        0.342  0.296        0.362
    nDCG@10   0.302  0.303        0.395
    """
    level(alpha)
    table = read_score_table(scores)
    if checked_layout(repeats) is not None:
        table = replace(table, attrs={**table.attrs, REPEATS: repeats})
    paired = scores_to_compare(table)
    if paired.repeats is not None and paired.repeats.crossing:
        return repeat_components(paired)
    squares = analyse(paired)
    low, high = variance_interval(squares, alpha)
    parts = variances(paired, squares.variances, SOURCES)
    parts |= {"variance_low": low, "variance_high": high}
    named = {"n_topics": squares.topics}
    named |= {} if paired.design is None else design_effects(paired)
    found = {name: paired.labelled(values, name) for name, values in named.items()}
    return by_source(paired, parts, SOURCES).assign(found)


def design_effects(paired: Scores) -> dict[str, Array]:
    """Return what the design of topics does to the variance of differences, (metric, depth).

    Returns
    -------
    dict
        ``design_effect``, the variance of mean differences over that of as many independent topics
        that count alike, both added up over pairs. With clusters also ``icc``, the correlation
        within clusters: ``(ratio - 1) / (m - 1)``, -1 to 1. Here ``ratio`` is the same variance
        over that without clusters, by the same weights and tasks, and m the mean size of the
        cluster of a topic, ``sum B^2 / sum b^2`` with b the share of a topic in the mean and B that
        of a cluster.
    """
    pairs = all_pairs(len(paired.systems))

    def effects(scores: Array, *design: Design) -> tuple[Array, Array]:
        alone = [design_of(len(each.task), weights=each.weights, task=each.task) for each in design]
        plain, without, drawn = (
            (describe_differences(scores, pairs, *each).sd ** 2).sum(axis=0, keepdims=True)
            for each in ((), alone, design)
        )
        larger = [(each.masses**2).sum() / (each.shares**2).sum() - 1 for each in design]
        with np.errstate(divide="ignore", invalid="ignore"):
            icc = np.clip((drawn / without - 1) / sum(larger), -1, 1)
            return drawn / plain, icc

    effect, icc = paired.over_all(1, effects, given=True)
    found = {"design_effect": effect[..., 0]}
    clustered = paired.design is not None and paired.design.clusters < len(paired.topics)
    return found | ({"icc": icc[..., 0]} if clustered else {})


def analyse(paired: Scores) -> MeanSquares:
    """Return the analysis of variance of all metrics, each part of shape (metric, depth).

    It is of the topics as they are, however they were drawn.
    """
    paired = replace(paired, design=None)
    return MeanSquares(*paired.over_all(paired.values[0, ..., 0].size, mean_squares))
