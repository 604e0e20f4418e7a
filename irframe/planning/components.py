"""How much of what scores vary by is due to systems, and how far a collection can be relied on."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, level, whole
from irframe.cubes.verb import verb
from irframe.errors import warn
from irframe.names import SYSTEM, TOPIC
from irframe.planning.generalizability import (
    SIGNALS,
    MeanSquares,
    fixed_interval,
    mean_squares,
    reliability,
    variance_interval,
)
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.scores import Arrays, Scores

COMPONENT = "component"
"""Dimension of the sources of variance."""
SOURCES = (SYSTEM, TOPIC, "interaction")
SYSTEMS = ("random", "fixed")


@verb
def components(
    scores: xr.DataArray | pd.DataFrame,
    *,
    topics: int | None = None,
    systems: Literal["random", "fixed"] = "random",
    alpha: float = 0.05,
    at: Depths = None,
    by: str | None = None,
) -> xr.Dataset:
    """Variance components of scores by system, topic and interaction, and reliability of means.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    topics
        For how many topics reliability is wanted, at least 1; by default as many as there are.
    systems
        What intervals take the systems for: ``"random"``, drawn from others like these; or
        ``"fixed"``, those of interest, which only an interval of ``erho2`` is known for.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    at
        Depths to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``: one result per group.

    Returns
    -------
    xarray.Dataset
        Over (metric, depth, component), components being ``"system"``, ``"topic"`` and
        ``"interaction"``: ``variance``, with the interval ``variance_low`` and
        ``variance_high``, and ``share``, that of the three variances together, 0 to 1.

        Over (metric, depth): ``erho2``, how reliably means tell systems apart, and ``phi``, how
        reliably they tell what a system's mean on all topics would be, each 0 to 1, with
        ``erho2_low``, ``erho2_high``, ``phi_low`` and ``phi_high``; and ``n_topics``, the topics
        with a score of every system. With ``systems="fixed"`` intervals other than that of
        ``erho2`` are left out.

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
    ``v_t = (MS_t - MS_st) / S``. For means over n topics
    ``Erho^2 = v_s / (v_s + v_st / n)`` and ``Phi = v_s / (v_s + (v_t + v_st) / n)``.

    The intervals suppose normal effects, of systems too: those of v_st (chi squared) and of Erho^2
    (F, by Feldt) are exact then, that of Phi is by Arteaga, Jeyaratnam and Franklin, those of v_s
    and v_t by the modified large-sample method. In simulations 95% intervals hold the truth 94 to
    96 times in 100, those of Phi up to 98 times; where effects are as skewed as an exponential
    distribution 67 to 87 times, where they are uniform 96 times and more. Resampling topics leaves
    out that systems are a sample too, and holds it far less often, so it is not done.

    With ``systems="fixed"`` the interval of Erho^2 is ``L -+ t s`` on the scale of
    ``L = log(MS_s / MS_st)``, s the jackknife's standard error over topics and t that of Student
    with T - 1 degrees of freedom; ``Erho^2 = 1 - exp(-L)`` for T topics. Topics drawn from real
    ones, 95% intervals held it 95 to 97 times in 100 with 5 to 50 topics.

    References
    ----------
    .. [1] Brennan. Generalizability theory. Springer, 2001. doi:10.1007/978-1-4757-3456-0
    .. [2] Urbano, Marrero, Martin. On the measurement of test collection reliability. SIGIR 2013.
       doi:10.1145/2484028.2484038
    .. [3] Feldt. The approximate sampling distribution of Kuder-Richardson reliability coefficient
       twenty. Psychometrika 30, 1965. doi:10.1007/BF02289499
    .. [4] Arteaga, Jeyaratnam, Franklin. Confidence intervals for proportions of total variance in
       the two-way cross component of variance model. Communications in Statistics: Theory and
       Methods 11, 1982.
    .. [5] Burdick, Graybill. Confidence intervals on variance components. Dekker, 1992.
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
    >>> found[["erho2", "erho2_low", "erho2_high", "phi"]].to_dataframe().round(3)
             erho2  erho2_low  erho2_high    phi
    metric
    AP       0.938      0.850       0.985  0.893
    nDCG@10  0.924      0.818       0.982  0.874
    """
    level(alpha)
    choice("systems", systems, SYSTEMS)
    wanted = None if topics is None else whole("topics", topics, low=1)
    paired = scores_to_compare(scores, at)
    found = list(analyse(paired))
    _tell_negative(paired, np.stack([each.variances for each in found]))
    if systems == "fixed":
        intervals = {"erho2": _fixed(paired, alpha)}
        return _variances(paired, found).assign(_reliabilities(paired, found, wanted, intervals))
    intervals = {name: _random(found, name, alpha) for name in SIGNALS}
    reliable = _reliabilities(paired, found, wanted, intervals)
    return _variances(paired, found).assign({**_variance_ends(paired, found, alpha), **reliable})


def analyse(paired: Scores) -> Iterator[MeanSquares]:
    """Yield the analysis of variance of every metric."""
    _, systems, topics, _ = paired.values.shape
    outputs = len(MeanSquares._fields)
    blocks: dict[int, list[Arrays]] = {}
    for row, block in paired.pieces(systems * topics):
        blocks.setdefault(row, []).append(paired.over(row, block, mean_squares))
    for parts in blocks.values():
        yield MeanSquares(*(np.concatenate([part[i] for part in parts]) for i in range(outputs)))


def _tell_negative(paired: Scores, variances: Array) -> None:
    """Warn of variances below 0, shape (metric, component, depth)."""
    for metric, values in zip(paired.metrics, variances < 0, strict=True):
        below = [f"{name} ({n})" for name, n in zip(SOURCES, values.sum(axis=1), strict=True) if n]
        if below:
            warn(f"variances of {metric} below 0 are taken to be 0: {', '.join(below)}")


def _variances(paired: Scores, found: list[MeanSquares]) -> xr.Dataset:
    variance = np.maximum([each.variances for each in found], 0)
    with np.errstate(invalid="ignore"):
        share = variance / variance.sum(axis=1, keepdims=True)
    return _by_source(paired, {"variance": variance, "share": share})


def _variance_ends(paired: Scores, found: list[MeanSquares], alpha: float) -> xr.Dataset:
    low, high = np.stack([variance_interval(each, alpha) for each in found], axis=1)
    return _by_source(paired, {"variance_low": low, "variance_high": high})


def _by_source(paired: Scores, named: dict[str, Array]) -> xr.Dataset:
    """Put labels on values over metric, source and depth."""
    alike = paired.labelled(next(iter(named.values()))[:, 0], "variance")
    shape = *alike.shape, len(SOURCES)
    arrays = {
        name: ((*alike.dims, COMPONENT), values.swapaxes(1, 2).reshape(shape))
        for name, values in named.items()
    }
    return xr.Dataset(arrays, {**alike.coords, COMPONENT: list(SOURCES)})


def _random(found: list[MeanSquares], name: str, alpha: float) -> Array:
    """Return the interval of a signal for systems drawn at random, shape (2, metric, depth)."""
    _, interval = SIGNALS[name]
    return np.stack([interval(each, alpha) for each in found], axis=1)


def _fixed(paired: Scores, alpha: float) -> Array:
    """Return the interval of the relative signal of these systems, shape (2, metric, depth)."""
    rows = range(len(paired.metrics))
    ends = [paired.over(row, slice(None), partial(fixed_interval, alpha=alpha)) for row in rows]
    return np.stack(ends, axis=1)


def _reliabilities(
    paired: Scores, found: list[MeanSquares], topics: int | None, intervals: dict[str, Array]
) -> dict[str, xr.DataArray]:
    counted = np.stack([each.topics for each in found])
    over = counted if topics is None else topics
    named = {"n_topics": counted}
    for name, (signal, _) in SIGNALS.items():
        named[name] = reliability(np.stack([signal(each) for each in found]), over)
        if name in intervals:
            ends = reliability(intervals[name], over)
            named |= dict(zip((f"{name}_low", f"{name}_high"), ends, strict=True))
    return {name: paired.labelled(values, name) for name, values in named.items()}
