"""Between which values an agreement may be: on topics like these, or by averages over all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
import scipy
import xarray as xr

from irframe.agreements import Agreement, Kendall, Pearson, Spearman, TauAP
from irframe.arrays import Array
from irframe.checks import choice
from irframe.errors import ParameterError
from irframe.metrics.facts import TIE
from irframe.scores.cautions import cautious
from irframe.scores.resampled import Resamples, without_each
from irframe.scores.scores import Arrays, Scores

Of = Literal["expected", "averages"]
"""What an interval is of."""
QUANTITIES = {
    "expected": "expected of {} topics like these",
    "averages": "by the averages over all topics",
}
CORRELATIONS = (Kendall, TauAP, Spearman, Pearson)
"""Methods with an interval of the agreement by averages over all topics."""
LEAST_TOPICS = 20
"""Topics from which on that is to be relied on."""
BLOCK_BYTES = 2**26
"""Target size of the agreements of all resamples that are held at a time."""


@dataclass(frozen=True)
class Asked:
    """Which intervals are asked for.

    Parameters
    ----------
    resamples
        The draws, and one minus the level.
    of
        A word of `QUANTITIES`.
    """

    resamples: Resamples
    of: Of = "expected"

    def __post_init__(self) -> None:
        choice("of", self.of, QUANTITIES)

    def refuse(self, method: Agreement) -> None:
        """Raise for a method that has no such interval."""
        if self.of == "averages" and not isinstance(method, CORRELATIONS):
            wanted = "a correlation, as kendall, tau_ap, spearman or pearson, for of='averages'"
            raise ParameterError(wanted, repr(method))

    def told(self, result: xr.Dataset, topics: Array) -> xr.Dataset:
        """Say in attributes what intervals are of, and warn where they are not to be relied on."""
        few, most = int(np.min(topics)), int(np.max(topics))
        counted = f"{few}" if few == most else f"{few} to {most}"
        drawn = {"alpha": self.resamples.alpha, "samples": self.resamples.samples}
        result = result.assign_attrs(drawn, interval_of=QUANTITIES[self.of].format(counted))
        cautions = []
        if self.of == "averages" and few < LEAST_TOPICS:
            what = "intervals of an agreement by the averages over all topics"
            cautions.append(f"{what} are not to be relied on below {LEAST_TOPICS} topics: {few}")
        low = result["ci_low"] if "ci_low" in result else result["agreement_interval"][..., 0]
        without = np.isnan(low.to_numpy()) & ~np.isnan(result["agreement"].to_numpy())
        if without.any() and most > 1:  # of one topic all verbs say that it is a single one
            what = (
                "agreements without an interval, which over resamples do not vary or are undefined"
            )
            cautions.append(f"{what}: {without.sum()} of {without.size}")
        return cautious(result, cautions)


class Side(NamedTuple):
    """What a method compares, K of it to be held against each other.

    Parameters
    ----------
    means
        On all topics, shape (..., K, system).
    drawn
        Of the resamples, shape (sample, ..., K, system).
    without
        Without each topic, shape (topic, ..., K, system); empty where that is not asked for.
    scored
        Which topics count, shape (topic, ..., K).
    """

    means: Array
    drawn: Array
    without: Array
    scored: Array

    @property
    def topics(self) -> Array:
        """How many topics count, shape (..., K)."""
        return np.asarray(self.scored.sum(axis=0))

    def at(self, block: slice) -> Self:
        """Return some of what is to be compared."""
        means, drawn, without = (part[..., block, :] for part in self[:3])
        return type(self)(means, drawn, without, self.scored[..., block])

    def alone(self) -> Self:
        """Return each of what is to be compared for itself, K being 1."""
        means, drawn, without = (part[..., np.newaxis, :] for part in self[:3])
        return type(self)(means, drawn, without, self.scored[..., np.newaxis])

    @classmethod
    def stacked(cls, sides: Sequence[Self]) -> Self:
        """Return several to be held against each other, by what each has several of."""
        each = zip(*(side[:3] for side in sides), strict=True)
        means, drawn, without = (np.stack(part, axis=-2) for part in each)
        return cls(means, drawn, without, np.stack([side.scored for side in sides], axis=-1))


def read_sides(paired: Scores, asked: Asked, method: Agreement) -> list[Side]:
    """Return what a method compares, of each metric, K being its depths."""
    found = []
    for row, summary in enumerate(paired.summaries):
        sign = 1 if method.distance else paired.towards[row]

        def draw(scores: Array, summary: str = summary, sign: int = sign) -> Arrays:
            return (np.moveaxis(asked.resamples.means(scores, summary, sign), 1, -1),)

        (drawn,) = paired.over(row, slice(None), draw)
        scored = paired.scored[row]
        values = np.where(scored, paired.values[row], np.nan)
        means = np.round(paired.means[row], TIE)
        none = np.empty((0, *means.shape))
        without = without_each(values, summary, sign) if asked.of == "averages" else none
        found.append(Side(means, np.moveaxis(drawn, -1, 1), without, scored))
    return found


def with_reference(paired: Scores, held: Scores, asked: Asked, method: Agreement) -> Array:
    """Return the ends of agreements with a reference, shape (2, metric, depth)."""
    refuse_other_topics(paired, held)
    new, old = (read_sides(side, asked, method) for side in (paired, held))
    alone = [old[min(row, len(old) - 1)].alone() for row in range(len(new))]
    ends = [
        ends_of(left, right.alone(), asked, method)[..., 0, 0]
        for left, right in zip(alone, new, strict=True)
    ]
    return np.stack(ends, axis=1)


def between_metrics(paired: Scores, asked: Asked, method: Agreement) -> Array:
    """Return the ends of agreements of metrics, shape (2, metric, metric, depth)."""
    by_depth = Side.stacked(read_sides(paired, asked, method))
    return np.moveaxis(ends_of(by_depth, by_depth, asked, method), 1, -1)


def between_depths(rows: Scores, columns: Scores, asked: Asked, method: Agreement) -> Array:
    """Return the ends of agreements of depths, shape (2, metric, depth, depth)."""
    refuse_other_topics(rows, columns)
    left = read_sides(rows, asked, method)
    right = left if columns is rows else read_sides(columns, asked, method)
    longer = max(len(left), len(right))
    sides = zip(left * (longer // len(left)), right * (longer // len(right)), strict=True)
    return np.stack([ends_of(one, other, asked, method) for one, other in sides], axis=1)


def refuse_other_topics(paired: Scores, held: Scores) -> None:
    """Raise if two sides have no topics in common, which resamples of both would draw."""
    if not paired.topics.isin(held.topics).any():
        raise ParameterError("topics in common with the reference, for an interval", "none")


def with_ends(values: xr.DataArray, ends: Array, asked: Asked, paired: Scores) -> xr.Dataset:
    """Return agreements with the ends of their intervals."""
    low, high = (values.copy(data=end.reshape(values.shape)) for end in ends)
    found = xr.Dataset({"agreement": values, "ci_low": low, "ci_high": high}, attrs=values.attrs)
    return asked.told(found, paired.scored.sum(axis=1))


def ends_of(left: Side, right: Side, asked: Asked, method: Agreement) -> Array:
    """Return between which values agreements may be.

    Parameters
    ----------
    left, right
        What is held against each other, K1 and K2 of it.
    asked
        Which intervals.
    method
        The method of agreement.

    Returns
    -------
    numpy.ndarray
        Lower and upper ends, shape (2, ..., K1, K2); NaN where more resamples than may be beyond
        an end have no agreement, and where it does not vary, unless the two sides are the same.
    """
    asked.refuse(method)
    ends = _of_averages if asked.of == "averages" else _expanded
    width = max(1, BLOCK_BYTES // (8 * max(right.drawn[..., 0].size, right.without[..., 0].size)))
    blocks = []
    for start in range(0, left.means.shape[-2], width):
        block = left.at(slice(start, start + width))
        found = ends(block, right, asked.resamples, method.kernel)
        apart = (block.means[..., :, np.newaxis, :] != right.means[..., np.newaxis, :, :]).any(-1)
        found[:, apart & (found[0] == found[1])] = np.nan
        blocks.append(found)
    return np.concatenate(blocks, axis=-2)


Kernel = Callable[[Array, Array], Array]


def _fewest(left: Side, right: Side) -> Array:
    """Return how many topics an agreement rests on, shape (..., K1, K2)."""
    return np.minimum(left.topics[..., :, np.newaxis], right.topics[..., np.newaxis, :])


def _expanded(left: Side, right: Side, resamples: Resamples, kernel: Kernel) -> Array:
    """Return the expanded percentile interval, shape (2, ..., K1, K2)."""
    values = np.moveaxis(kernel(left.drawn, right.drawn), 0, -1)
    return np.stack(resamples.ends(values, resamples.expanded(_fewest(left, right))))


def _of_averages(left: Side, right: Side, resamples: Resamples, kernel: Kernel) -> Array:
    """Return the interval of the agreement by averages over all topics, shape (2, ..., K1, K2)."""
    found, drawn = kernel(left.means, right.means), kernel(left.drawn, right.drawn)
    counted = left.scored[..., :, np.newaxis] & right.scored[..., np.newaxis, :]
    topics = _fewest(left, right).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        more = np.sqrt(topics / np.where(topics > 1, topics - 1, np.nan))
        one_less = np.where(counted, kernel(left.without, right.without), 0)
        about = np.where(counted, one_less - one_less.sum(axis=0) / topics, 0)
        jackknife = np.sqrt((about**2).sum(axis=0)) / more
        error = np.maximum(drawn.std(axis=0, ddof=1) * more, jackknife)
        reach = scipy.special.stdtrit(topics - 1, 1 - resamples.alpha / 2) * error
    upwards = np.maximum(0, found - drawn.mean(axis=0))
    return np.stack([np.maximum(found - reach, -1), np.minimum(found + upwards + reach, 1)])
