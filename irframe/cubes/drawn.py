"""Documents that were drawn to be judged, and totals over lists as estimated from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.cubes.provenance import CAUTION
from irframe.errors import InputError, MetricError, ParameterError, warn
from irframe.experiments.judgments import Judgments
from irframe.experiments.nuggets import strata_of
from irframe.gains import Binary, Gain
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import TIE
from irframe.names import DEPTH, METRIC, SYSTEM, UNJUDGED
from irframe.warned import listing

CELLS = 1 << 22
"""Cells of rankings that are worked on at a time."""
LEAST_DRAWN = 15
"""How many drawn documents lists must have for limits of what drawing them varies to hold."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Which documents of recall bases were drawn and judged, and with which probability."""

    judged: NDArray[np.bool_]
    """Whether each document was judged, shape (judged,), as the two below."""
    probability: Floats
    chance: Floats
    """How likely each document was to be judged, whether or not it was; 0 if that is not known."""
    stratum: NDArray[np.int32]
    size: Array
    """How many documents each stratum has, shape (topic, stratum)."""
    drawn: Array
    """How many of them were judged."""
    together: bool
    """Whether so many of each stratum were drawn, or each document by itself."""

    @classmethod
    def of(
        cls, base: Judgments, grade: Array, label: Array | None, probability: Floats | None
    ) -> "Draw":
        """Read how documents were drawn.

        Parameters
        ----------
        base
            The documents.
        grade, label, probability
            Of each of them: the grade, below 0 where it was not judged; its stratum; and with which
            probability it was drawn.

        Raises
        ------
        InputError
            If there are neither strata nor probabilities.
        ParameterError
            If a probability of a judged document is not above 0 and at most 1.
        GradeError
            If no document of a stratum was judged.
        """
        if label is None and probability is None:
            advice = "draw them with qrels.ireval.sample(share, strata=...)"
            wanted = "judgments that were drawn, in a column stratum or probability"
            raise InputError(wanted, "neither", advice)
        topic, topics, judged = base.topic, base.topics, grade >= 0
        if probability is not None:
            _refuse_probabilities(base, probability, judged)
        if label is None or (label == "").any():
            label = np.full(len(grade), "", object)
        levels = np.unique(np.append(base.levels, grade))
        if probability is None or _known(label):
            found = strata_of(label, grade, topic, topics, levels, complete=True)
        else:
            found = strata_of(label, np.zeros_like(grade), topic, topics, levels)
        stratum = found["stratum"]
        shape = found["stratum_count"].shape[:2]
        cell = np.ravel_multi_index((topic, stratum), shape)
        size = np.bincount(cell, minlength=shape[0] * shape[1])
        drawn = np.bincount(cell, judged, minlength=len(size)).astype(np.int64)
        share = drawn[cell] / size[cell]
        together = _known(label) and (
            probability is None or bool(np.allclose(probability[judged], share[judged]))
        )
        chosen = share if together or probability is None else np.nan_to_num(probability)
        sizes = size.reshape(shape), drawn.reshape(shape)
        known = np.where(judged, chosen, 1.0), np.asarray(chosen)
        return cls(judged, *known, stratum, *sizes, together)

    @property
    def complete(self) -> bool:
        """Whether every document was judged."""
        return bool(self.judged.sum() == self.size.sum())

    @property
    def factor(self) -> Floats:
        """By what the spread within a stratum counts, NaN if one of several was judged."""
        size, drawn = self.size.astype(float), self.drawn.astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = size**2 * (1 / drawn - 1 / size) / (drawn - 1)
        return np.where(self.size == self.drawn, 0.0, np.where(self.drawn > 1, factor, np.nan))


def _known(label: Array) -> bool:
    return bool((label != "").any())


def _refuse_probabilities(base: Judgments, probability: Floats, judged: Array) -> None:
    wrong = np.flatnonzero(judged & ~((probability > 0) & (probability <= 1)))
    if len(wrong):
        named = base.docs[wrong]
        told = [f"{probability[row]} of {doc}" for row, doc in zip(wrong, named, strict=True)]
        wanted = "a probability above 0 and at most 1 for every judged document"
        raise ParameterError(wanted, f"{len(wrong)} without", "", told)


def rank_weights(metrics: Sequence[Metric], ranks: int, depths: Sequence[int]) -> list[Floats]:
    """Return what a gain of 1 at every rank adds to each metric at some depths, (rank, depth).

    Raises
    ------
    MetricError
        For metrics that do not add up gains, each by its rank alone.
    """
    found = [_weights(metric, ranks, depths) for metric in metrics]
    others = [str(m) for m, weights in zip(metrics, found, strict=True) if weights is None]
    if others:
        wanted = "metrics that add up gains by rank, such as P, DCG, RBP"
        raise MetricError(wanted, "", "", others)
    return [weights for weights in found if weights is not None]


def _weights(metric: Metric, ranks: int, depths: Sequence[int]) -> Floats | None:
    """Return these weights, None if they depend on what else is relevant or judged."""
    if not (metric.additive and metric.linear and hasattr(metric, "gain")) or metric.judged_only:
        return None
    changed: dict[str, Any] = {"gain": Binary(), "rel": 1}
    plain = replace(metric, **changed)
    found = []
    for relevant in (1, 2):
        block = Block(
            grade=np.where(np.eye(ranks, dtype=bool), 1, UNJUDGED).astype(np.int8),
            retrieved=np.full(ranks, ranks),
            levels=np.array([0, 1]),
            count=np.full((ranks, 2), relevant),
            top=1,
        )
        found.append(plain.score(Evidence(block))[:, np.asarray(depths) - 1])
    return found[0] if np.array_equal(found[0], found[1]) else None


def gains_of(metric: Any, grade: Array, top: Array) -> Floats:
    """Return gains of grades under the top grades of their topics, 0 of marks and below 0.

    Parameters
    ----------
    metric
        A metric.
    grade, top
        Grades, and the highest one of the collection of each of them, of one shape.
    """
    gain: Gain = getattr(metric, "gain", Binary())
    codes, found = np.arange(-128, 128), np.zeros(grade.shape)
    for highest in np.unique(top).tolist():
        table = np.where(codes >= 0, gain.map(codes, rel=getattr(metric, "rel", 1), top=highest), 0)
        here = top == highest
        found[here] = table[grade[here].astype(np.int64) + 128]
    return found


def totals(
    rows: Array, draw: Draw, worth: Sequence[Floats], weights: Floats
) -> tuple[Floats, Floats]:
    """Estimate totals over lists by Horvitz and Thompson, and how they vary.

    Parameters
    ----------
    rows
        Which judgment is at each rank of lists, -1 for none, shape (system, topic, rank).
    draw
        Which documents were judged.
    worth
        One or several values of each document, shape (judged,), 0 where it was not judged.
    weights
        What a value counts for at every rank and depth, shape (rank, depth).

    Returns
    -------
    totals, covariances
        Shape (value, system, topic, depth), and (value, value, system, topic, depth).
    """
    systems, topics, ranks = rows.shape
    several, depths = len(worth), weights.shape[1]
    found = np.empty((several, systems, topics, depths))
    spread = np.zeros((several, several, systems, topics, depths))
    step = max(1, CELLS // max(1, topics * ranks))
    padded = [np.append(np.where(draw.judged, each, 0.0), 0.0) for each in worth]
    inverse = np.append(1 / draw.probability, 0.0)
    for first in range(0, systems, step):
        some = slice(first, first + step)
        place = rows[some]
        held = np.stack([each[place] for each in padded])
        found[:, some] = (held * inverse[place]) @ weights
        spread[:, :, some] = _spread(draw, held, place, weights, inverse)
    return found, spread


def _spread(draw: Draw, held: Floats, place: Array, weights: Floats, inverse: Floats) -> Floats:
    """Return covariances of estimated totals, (value, value, system, topic, depth)."""
    products = held[:, np.newaxis] * held[np.newaxis]
    if not draw.together:
        each = inverse[place]
        return np.asarray((products * (each * (each - 1))) @ weights**2)
    total = np.zeros((*products.shape[:-1], weights.shape[1]))
    stratum, factor = np.append(draw.stratum, -1)[place], draw.factor
    for code in range(factor.shape[1]):
        inside = stratum == code
        if not (factor[:, code] != 0).any() or not inside.any():
            continue
        sums = (held * inside) @ weights
        crossed = sums[:, np.newaxis] * sums[np.newaxis]
        number = np.maximum(draw.drawn[:, code], 1)[:, np.newaxis]
        within = (products * inside) @ weights**2 - crossed / number
        total += factor[:, code][:, np.newaxis] * within
    return total


def freedom_of(rows: Array, draw: Draw, depths: Sequence[int]) -> xr.DataArray:
    """Return degrees of freedom of what drawing documents varies, (system, depth).

    One less than documents in a system's lists that might not have been drawn and judged; NaN at
    depths where fewer than `LEAST_DRAWN` were to be expected, in the mean of systems. Rows are
    those of `totals`.
    """
    place, left = rows[..., : max(depths)], draw.chance < 1
    drawn, expected = (
        np.append(np.where(left, each, 0.0), 0.0)[place].sum(axis=1).cumsum(axis=1)
        for each in (draw.judged, draw.chance)
    )
    least = expected if (draw.chance > 0).all() else drawn
    last = np.asarray(depths) - 1
    number = drawn[:, last]
    enough = (least[:, last].mean(axis=0).round(6) >= LEAST_DRAWN) & (number > 1)
    return xr.DataArray(np.where(enough, number - 1, np.nan), dims=(SYSTEM, DEPTH))


def limits(mean: xr.DataArray, reach: xr.DataArray, shares: Sequence[bool]) -> list[xr.DataArray]:
    """Return limits of means from 0 to 1 on the scale of arcsine, of others on that of logarithms.

    None where nothing varies, and of means that the scale does not know.
    """
    share = xr.DataArray(list(shares), dims=METRIC)
    reach = reach.where(reach > 10.0**-TIE)
    inside = mean.where((mean > 0) & (mean < 1))
    angle, turn = np.arcsin(np.sqrt(inside)), reach / (2 * np.sqrt(inside * (1 - inside)))
    ends = []
    for sign in (-1, 1):
        with np.errstate(over="ignore"):
            grown = mean * np.exp(sign * reach / mean.where(mean > 0))
        ends.append((np.sin((angle + sign * turn).clip(0, np.pi / 2)) ** 2).where(share, grown))
    return ends


def told_scale(metrics: Sequence[Any], shares: Sequence[bool]) -> str:
    """Say on which scale the limits of each metric are found.

    Examples
    --------
    >>> told_scale(["P", "DCG"], [True, False])
    'arcsine, log for DCG'
    """
    others = [str(metric) for metric, share in zip(metrics, shares, strict=True) if not share]
    if not 0 < len(others) < len(metrics):
        return "log" if others else "arcsine"
    return f"arcsine, log for {listing(others)}"


def tell_unknown(
    draw: Draw, known: xr.DataArray, low: xr.DataArray, freedom: xr.DataArray
) -> dict[str, str]:
    """Warn of limits that are not known though something else is, and return that as attribute."""
    none = bool(np.isnan(freedom).all())
    lost = int((np.isnan(low) & (known.notnull() | none)).sum())
    if not lost:
        return {}
    why = "the documents that were drawn do not differ in what they add to the score"
    if draw.complete:
        why = "every document was judged"
    elif none:
        why = f"there is one topic, or fewer than {LEAST_DRAWN} drawn documents in a system's lists"
    told = f"no intervals of {lost} of {low.size} means, as {why}"
    warn(told)
    return {CAUTION: told}


def tell_lone(draw: Draw, labels: Any) -> None:
    """Warn of topics with a stratum of which one of several documents was judged."""
    lone = (np.isnan(draw.factor)).any(axis=1) & draw.together
    if lone.any():
        listed = ", ".join(map(str, labels[lone][:5]))
        warn(
            f"standard errors of {lone.sum()} topics are not known, as a stratum of several "
            f"documents has one that was judged: {listed}"
        )
