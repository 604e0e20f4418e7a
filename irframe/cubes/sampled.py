"""Estimates of scores from a random sample of judged documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade
from irframe.errors import InputError, MetricError, ParameterError
from irframe.experiments.judgments import Judgments, strata_of
from irframe.frames.ids import Codes
from irframe.gains import Binary, Gain
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.facts import TIE
from irframe.metrics.ndcg import nDCG
from irframe.names import UNJUDGED
from irframe.quantities.positions import discounts

CELLS = 1 << 22
"""Approximate number of cells (system, topic, rank) per block, which limits the use of memory."""
LEAST_IDEAL = 5
"""Minimum number of drawn documents in an ideal ranking. With fewer, nDCG is not estimated."""


@dataclass(frozen=True, eq=False)
class Draw:
    """The sample of judged documents and its sampling probabilities."""

    topic: Codes
    """The topic of each document, shape (document,)."""
    judged: NDArray[np.bool_]
    """Whether each document was judged, shape (document,)."""
    probability: Floats
    """Probability with which each judged document was drawn, 1 for unjudged documents."""
    chance: Floats
    """Probability that a document is judged, shape (document,). 0 if unknown."""
    stratum: NDArray[np.int32]
    """The code of the stratum of each document, shape (document,)."""
    size: Array
    """Number of documents per stratum, shape (topic, stratum)."""
    drawn: Array
    """Number of judged documents per stratum, shape (topic, stratum)."""
    fixed_size: bool
    """Whether strata have samples of fixed size. Otherwise documents were drawn independently."""

    @classmethod
    def of(
        cls, base: Judgments, grade: Array, label: Array | None, probability: Floats | None
    ) -> "Draw":
        """Derive the sample from judgments.

        Parameters
        ----------
        base
            The judgments, which list the documents of every pool.
        grade, label, probability
            The grade of each document (below 0 if unjudged), its stratum, and its sampling
            probability.

        Raises
        ------
        InputError
            If both strata and probabilities are missing.
        ParameterError
            If the probability of a judged document is outside (0, 1].
        GradeError
            If no document of a stratum was judged.
        """
        if label is None and probability is None:
            expected = "judgments with a column stratum or probability"
            raise InputError(
                expected, "neither", "draw them with qrels.ireval.draw_to_judge(share)"
            )
        topic = base.topic
        topics = base.topics
        judged = grade >= 0
        if probability is not None:
            wrong = np.flatnonzero(judged & ~((probability > 0) & (probability <= 1)))
            if len(wrong):
                offenders = [f"{probability[row]} of {base.docs[row]}" for row in wrong]
                expected = "a probability above 0 and at most 1 for every judged document"
                raise ParameterError(expected, f"{len(wrong)} other probabilities", "", offenders)
        # strata are ignored unless every document has one
        if label is None or (label == "").any():
            label = np.full(len(grade), "", object)
        levels = np.unique(np.append(base.levels, grade))
        has_strata = bool((label != "").any())
        complete = probability is None or has_strata
        # Without strata, a topic may lack judged documents. Grades of 0 keep `strata_of` from
        # warning about such topics.
        graded = grade if complete else np.zeros_like(grade)
        strata = strata_of(label, graded, topic, topics, levels, complete=complete)
        stratum = strata["stratum"]
        shape = strata["stratum_count"].shape[:2]
        cell = np.ravel_multi_index((topic, stratum), shape)
        size = np.bincount(cell, minlength=shape[0] * shape[1])
        drawn = np.bincount(cell, judged, minlength=len(size)).astype(np.int64)
        share = drawn[cell] / size[cell]
        if probability is None:
            fixed_size = has_strata
            chosen = share
        else:
            # Probabilities that equal the judged share of each stratum come from samples of fixed
            # size.
            fixed_size = has_strata and bool(np.allclose(probability[judged], share[judged]))
            chosen = share if fixed_size else np.nan_to_num(probability)
        sizes = size.reshape(shape), drawn.reshape(shape)
        # unjudged documents have probability 1, so that no inverse is infinite
        chances = np.where(judged, chosen, 1.0), np.asarray(chosen)
        return cls(topic, judged, *chances, stratum, *sizes, fixed_size)

    @property
    def complete(self) -> bool:
        """Whether every document was judged."""
        return bool(self.judged.sum() == self.size.sum())

    @property
    def factor(self) -> Floats:
        """The factor of each stratum's sum of squared deviations.

        The product of factor and sum is the variance of the stratum; see `estimate`. The factor is
        NaN if only one of several documents of the stratum was judged.
        """
        size = self.size.astype(float)
        drawn = self.drawn.astype(float)
        # dividing by n - 1 turns the sum of squared deviations into the sample variance s^2
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = size**2 * (1 / drawn - 1 / size) / (drawn - 1)
        return np.where(self.size == self.drawn, 0.0, np.where(self.drawn > 1, factor, np.nan))


def estimated(
    metrics: Sequence[Metric],
    rows: Array,
    draw: Draw,
    grades: Sequence[tuple[Array, Array]],
    depths: Sequence[int],
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield the estimated scores, variances and biases of each metric.

    Parameters
    ----------
    metrics
        Metrics that sum gains over ranks, or divide this sum by the sum for an ideal ranking.
    rows, draw
        See `totals`.
    grades
        One or two pairs of arrays. Each pair contains the grade of every document, and the top
        grade of the document's collection. The second pair contains predicted grades.
    depths
        The depths. No depth may exceed the number of ranks in `rows`.

    Yields
    ------
    totals, covariances, bias
        The results for each metric; see `totals` and `ratios`.

    Raises
    ------
    MetricError
        If a metric neither sums gains over ranks nor divides such a sum by an ideal sum.
    """
    per_metric = [_weights(metric, rows.shape[-1], depths) for metric in metrics]
    pairs = list(zip(metrics, per_metric, strict=True))
    ideal = [metric for metric, weights in pairs if weights is None]
    refused = [
        str(metric)
        for metric in ideal
        if not isinstance(metric, nDCG) or metric.ideal != "judged" or metric.judged_only
    ]
    if refused:
        expected = "metrics that sum gains over ranks, such as P, DCG, RBP, or nDCG(ideal='judged')"
        raise MetricError(expected, "", "", refused)
    _refuse_shallow(ideal, draw, depths)
    for metric, weights in pairs:
        worth = [gains_of(metric, *graded) for graded in grades]
        if weights is not None:
            estimates = totals(rows, draw, worth, weights)
            yield *estimates, np.zeros_like(estimates[0])
        elif isinstance(metric, nDCG):
            yield ratios(rows, draw, worth, metric, depths)


def _refuse_shallow(metrics: Sequence[Metric], draw: Draw, depths: Sequence[int]) -> None:
    """Raise if ideal rankings contain too few drawn documents.

    Estimates that are divided by the gain of these ideal rankings would be biased.
    """
    if draw.complete or not metrics:
        return
    # if the probabilities of unjudged documents are unknown (0), the judged share replaces them
    share = (draw.chance if (draw.chance > 0).all() else draw.judged).mean()
    # the product is rounded, because means of probabilities such as 0.1 are inexact
    shallow = [depth for depth in depths if round(depth * share, 6) < LEAST_IDEAL]
    if shallow:
        expected = f"depths at which an ideal ranking has {LEAST_IDEAL} drawn documents or more"
        message = f"{', '.join(map(str, shallow[:5]))} with {share:.0%} of the documents drawn"
        deeper = f"at={int(np.ceil(LEAST_IDEAL / share))} or deeper, or " if share else ""
        raise MetricError(expected, message, f"{deeper}draw more", list(map(str, metrics)))


def _weights(metric: Metric, ranks: int, depths: Sequence[int]) -> Floats | None:
    """Return the weights of ranks in a metric, or None.

    The result is None if the weights depend on other relevant or judged documents.
    """
    if not (metric.additive and metric.linear and hasattr(metric, "gain")) or metric.judged_only:
        return None
    changed: dict[str, Any] = {"gain": Binary(), "rel": 1}
    plain = replace(metric, **changed)
    scores = []
    # Weights are computed with one relevant document at each rank, and again with a further
    # relevant document. If the weights differ, they depend on the recall base.
    for relevant in (1, 2):
        block = Block(
            grade=np.where(np.eye(ranks, dtype=bool), 1, UNJUDGED).astype(Grade),
            retrieved=np.full(ranks, ranks),
            levels=np.array([0, 1]),
            count=np.full((ranks, 2), relevant),
            top=1,
        )
        scores.append(plain.score(Evidence(block))[:, np.asarray(depths) - 1])
    return scores[0] if np.array_equal(scores[0], scores[1]) else None


def weights_of(metric: Metric, ranks: int, depths: Sequence[int]) -> Floats:
    """Return the weights of ranks in a score.

    For nDCG, these are the weights of ranks in DCG.
    """
    if isinstance(metric, nDCG):
        inside = np.arange(ranks)[:, np.newaxis] < np.asarray(depths)
        return inside * discounts(metric.discount, metric.base, ranks)[:, np.newaxis]
    weights = _weights(metric, ranks, depths)
    return np.ones((ranks, len(depths))) if weights is None else weights


def placed(metric: nDCG, draw: Draw, graded: tuple[Array, Array], depths: Sequence[int]) -> Array:
    """Return the number of drawn documents in each ideal ranking.

    The shape is (topic, depth).
    """
    gain = np.where(draw.judged, gains_of(metric, *graded), 0.0)
    order = np.lexsort([-gain, draw.topic])
    order = order[gain[order] > 0]
    topic = draw.topic[order]
    ranks = 1 / draw.probability[order]
    before = np.cumsum(ranks) - ranks
    # topics are sorted, so `searchsorted` finds the first document of each topic
    before -= before[np.searchsorted(topic, topic)]
    counts = np.zeros((len(draw.size), len(depths)))
    np.add.at(counts, topic, before[:, np.newaxis] < np.asarray(depths))
    return counts


def gains_of(metric: Metric, grade: Array, top: Array) -> Floats:
    """Return the gains of grades.

    The gain depends on the top grade of the topic. Unjudged documents, empty ranks and negative
    grades have gain 0.

    Parameters
    ----------
    metric
        A metric.
    grade, top
        Grades of documents, and the top grade of each document's collection. Both arrays have the
        same shape.
    """
    gain: Gain = getattr(metric, "gain", Binary())
    gains = np.zeros(grade.shape)
    for highest in np.unique(top).tolist():
        here = (top == highest) & (grade >= 0)
        gains[here] = gain.map(grade[here], rel=getattr(metric, "rel", 1), top=highest)
    return gains


def totals(
    rows: Array, draw: Draw, worth: Sequence[Floats], weights: Floats
) -> tuple[Floats, Floats]:
    """Return Horvitz-Thompson estimates of totals and their covariances.

    Parameters
    ----------
    rows
        Position of the judgment of the document at each rank, or -1 if unjudged; shape (system,
        topic, rank).
    draw
        The sample of judged documents.
    worth
        Arrays with the value (gain) of each document, 0 if unjudged; shape (document,).
    weights
        Weight of each rank in the total down to each depth, shape (rank, depth).

    Returns
    -------
    totals, covariances
        The estimates, shape (value, system, topic, depth), and their covariances, shape (value,
        value, system, topic, depth). The dimension called value is the position in `worth`.
    """
    systems, topics, ranks = rows.shape
    several = len(worth)
    depths = weights.shape[1]
    estimates = np.empty((several, systems, topics, depths))
    spread = np.zeros((several, several, systems, topics, depths))
    step = max(1, CELLS // max(1, topics * ranks))
    padded = [np.append(np.where(draw.judged, gains, 0.0), 0.0) for gains in worth]
    # ranks without a judgment have position -1, so that they read the appended 0
    inverse = np.append(1 / draw.probability, 0.0)
    for first in range(0, systems, step):
        chunk = slice(first, first + step)
        index = rows[chunk]
        gained = np.stack([gains[index] for gains in padded])
        estimates[:, chunk] = (gained * inverse[index]) @ weights
        spread[:, :, chunk] = _spread(draw, gained, index, weights, inverse)
    return estimates, spread


def _spread(draw: Draw, gains: Floats, index: Array, weights: Floats, inverse: Floats) -> Floats:
    """Return the covariances of totals; see `totals`."""
    products = gains[:, np.newaxis] * gains[np.newaxis]
    if not draw.fixed_size:
        inverses = inverse[index]
        # this is (1 - p) / p^2, but 0 for ranks without a judgment, because their inverse is 0
        return np.asarray((products * (inverses * (inverses - 1))) @ weights**2)
    total = np.zeros((*products.shape[:-1], weights.shape[1]))
    stratum = np.append(draw.stratum, -1)[index]
    factor = draw.factor
    for code in range(factor.shape[1]):
        inside = stratum == code
        # completely judged strata have no variance
        if not (factor[:, code] != 0).any() or not inside.any():
            continue
        sums = (gains * inside) @ weights
        crossed = sums[:, np.newaxis] * sums[np.newaxis]
        number = np.maximum(draw.drawn[:, code], 1)[:, np.newaxis]
        # The sum of squared deviations equals the sum of squares minus the squared sum divided by
        # n.
        within = (products * inside) @ weights**2 - crossed / number
        total += factor[:, code][:, np.newaxis] * within
    return total


class _Leaving:
    """Totals by topic, with and without each judged document.

    The jackknife leaves out each document in turn. If a sample of fixed size was drawn from the
    document's stratum, the weights of its other documents increase to replace the omitted document.
    """

    def __init__(self, draw: Draw, *, fixed_size: bool) -> None:
        self.judged = np.flatnonzero(draw.judged)
        self.draw = draw
        self.topic = draw.topic[self.judged]
        self.inverse = 1 / draw.probability[self.judged]
        self._cell = self.topic * draw.drawn.shape[1] + draw.stratum[self.judged]
        entries = np.ones(len(self.judged))
        columns = np.arange(len(self.judged))
        shape = draw.drawn.size, len(self.judged)
        # the product with a sparse matrix sums the rows of all systems by stratum at once
        self._matrix = scipy.sparse.csr_array((entries, (self._cell, columns)), shape)
        # If one of n drawn documents is left out, the weights of the others are multiplied by n /
        # (n - 1).
        number = draw.drawn.ravel()[self._cell]
        self.grown = np.where(fixed_size & (number > 1), number / np.maximum(number - 1, 1), 1.0)

    def _sums(self, values: Floats) -> Floats:
        """Return sums of values by stratum, shape (..., topic, stratum)."""
        flat = (self._matrix @ values.reshape(-1, len(self.judged)).T).T
        return np.asarray(flat.reshape(*values.shape[:-1], *self.draw.drawn.shape))

    def totals(self, values: Floats) -> tuple[Floats, Floats]:
        """Return estimated totals, with and without each document.

        The first array has the shape (..., topic). The second array has the shape (..., document):
        the total of the document's topic without the document.
        """
        sums = self._sums(values * self.inverse)
        total = sums.sum(axis=-1)
        stratum_sums = sums.reshape(*sums.shape[:-2], -1)[..., self._cell]
        changed = (self.grown - 1) * stratum_sums - self.grown * self.inverse * values
        return total, total[..., self.topic] + changed

    def covariances(self, value: Floats, without: Floats) -> Floats:
        """Return jackknife covariances, shape (value, value, system, topic).

        The contribution of a document is the change of the score if the document is left out. The
        formula of the variance is the same as for totals.
        """
        # the scaled effect on a total is the value of the document, up to a constant per stratum
        effects = (value[..., self.topic] - without) / (self.grown * self.inverse)
        products = effects[:, np.newaxis] * effects
        if not self.draw.fixed_size:
            products *= self.inverse * (self.inverse - 1)
            return np.asarray(self._sums(products).sum(axis=-1))
        sums = self._sums(effects)
        within = self._sums(products) - sums[:, np.newaxis] * sums / np.maximum(self.draw.drawn, 1)
        return np.asarray((within * self.draw.factor).sum(axis=-1))

    def bias(self, value: Floats, without: Floats) -> Floats:
        """Return the jackknife estimate of the bias.

        The shape is (value, system, topic). The larger the judged share of a stratum, the smaller
        the bias.
        """
        drawn = self.draw.drawn
        size = np.maximum(self.draw.size, 1)
        factor = (1 - drawn / size) * (drawn - 1) / np.maximum(drawn, 1)
        return np.asarray((self._sums(without - value[..., self.topic]) * factor).sum(axis=-1))


def ratios(
    rows: Array, draw: Draw, worth: Sequence[Floats], metric: nDCG, depths: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """Return estimates of nDCG, their variances and biases.

    nDCG is the estimated DCG of the list divided by the estimated ideal DCG.

    The first two arrays have the shapes of the results of `totals`. Scores are 0 if no document has
    gain. The third array is the jackknife's estimate of the bias, which is already subtracted from
    the scores. For the bias, the weights of the other documents in the stratum always increase,
    even if documents were drawn independently.
    """
    fixed_size = draw.fixed_size
    estimates, spread, bias = _ratios(rows, draw, worth, metric, depths, fixed_size=fixed_size)
    if not fixed_size:
        bias = _ratios(rows, draw, worth, metric, depths, fixed_size=True)[2]
    return estimates - bias, spread, bias


def _ratios(
    rows: Array,
    draw: Draw,
    worth: Sequence[Floats],
    metric: nDCG,
    depths: Sequence[int],
    *,
    fixed_size: bool,
) -> tuple[Floats, Floats, Floats]:
    """Return estimates of nDCG with their biases, and their variances."""
    systems, topics, ranks = rows.shape
    leaving = _Leaving(draw, fixed_size=fixed_size)
    gain = np.stack(worth)[:, leaving.judged]
    weights = np.append(discounts(metric.discount, metric.base, ranks), 0.0)
    estimates = np.empty((len(gain), systems, topics, len(depths)))
    spread = np.empty((len(gain), *estimates.shape))
    bias = np.empty(estimates.shape)
    ideals = [_ideals(leaving, gain, metric, depth) for depth in depths]
    step = max(1, CELLS // max(1, len(draw.judged)))
    for first in range(0, systems, step):
        chunk = slice(first, first + step)
        index = rows[chunk].reshape(len(rows[chunk]), -1)
        # Documents that a list lacks get the rank `ranks`, at which the appended weight is 0. Ranks
        # without a judgment have position -1, so that they write to the additional last column.
        rank = np.full((len(index), len(draw.judged) + 1), ranks)
        np.put_along_axis(rank, index, np.tile(np.arange(ranks), topics)[np.newaxis], axis=1)
        rank = rank[:, leaving.judged]
        for column, (depth, ideal) in enumerate(zip(depths, ideals, strict=True)):
            gained = gain[:, np.newaxis] * np.where(rank < depth, weights[rank], 0.0)
            # an ideal DCG that only rounding keeps above 0 is treated as 0
            value, without = (
                np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 10.0**-TIE)
                for dcg, best in zip(leaving.totals(gained), ideal, strict=True)
            )
            spread[:, :, chunk, :, column] = leaving.covariances(value, without)
            bias[:, chunk, :, column] = leaving.bias(value, without)
            estimates[:, chunk, :, column] = value
    return estimates, spread, bias


def _ideals(leaving: _Leaving, gain: Floats, metric: nDCG, depth: int) -> list[Floats]:
    """Return estimated ideal DCG, with and without each document.

    The shapes of the arrays are (value, 1, topic) and (value, 1, document). The first dimension is
    that of `gain`.

    The number of documents of each gain is an estimate and not an integer. Therefore the cumulative
    discount is interpolated linearly between ranks.
    """
    # the ideal ranking contains documents in descending order of gain
    levels = np.unique(np.append(gain, 0.0))[::-1]
    added = np.append(0.0, discounts(metric.discount, metric.base, depth).cumsum())
    gained = [np.zeros(total.shape) for total in leaving.totals(gain)]
    # A document counts at every level up to its gain. At each level it adds the difference to the
    # next lower level, so that these differences add up to its gain.
    for high, low in pairwise(levels):
        for row, count in enumerate(leaving.totals(1.0 * (gain >= high))):
            reached = np.clip(count, 0, depth)
            gained[row] += (high - low) * np.interp(reached, np.arange(depth + 1), added)
    return [ideal[:, np.newaxis] for ideal in gained]
