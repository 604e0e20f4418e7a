"""How topics were drawn: which belong together, which are one task, and what each counts for.

Everything that a mean and its variance take of it is linear in the scores: what a topic counts, and
a projection on clusters, whose squares add up to the variance. Pairs are then a Gram matrix, as
without a design.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from irframe.arrays import Array, Floats, Ints
from irframe.paired.pairs import DRAWN, count_drawn, products, refuse_large

ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the larger score: differences this close together count as one constant."""
GUARD = 1e-3
"""Share of the operands' power below which the Gram matrix's variance is not trusted."""


class Sureness(NamedTuple):
    """A mean and how sure it is.

    Parameters
    ----------
    mean
        The mean.
    variance
        Of the mean; exactly 0 where nothing varies, NaN where a task has a single cluster.
    freedom
        Its degrees of freedom.
    """

    mean: Floats
    variance: Floats
    freedom: Floats


@dataclass(frozen=True, eq=False)
class Design:
    """How topics were drawn; see `design_of`.

    Parameters
    ----------
    weights
        Those of the topics, above 0; within a task only their ratios matter.
    cluster
        That of each topic, from 0; those of a task follow each other, in the order of their first
        topics, so that names do not matter.
    task
        That of each topic, from 0, in the order of their first topics.

    Notes
    -----
    Task h of K has the share ``W = 1 / K``, its topics ``b = w / sum w``; ``m_h = sum b d`` and the
    mean is ``sum W m_h``. With B the sum of b^2 in the task, and B_g, Q_g the sums of b and b^2 in
    cluster g: ``V_h = sum c_g r_g^2``, ``r_g = sum b (d - m_h)`` over the cluster and ``c_g = Q_g /
    (Q_g - 2 B_g Q_g + B_g^2 B)``. The variance of the mean is ``sum W^2 V_h``.

    Of differences of equal variance that do not depend on each other, V_h has the degrees of
    freedom ``tr(P)^2 / tr(P^2)``, with ``P_gk = sqrt(c_g c_k) ([g = k] Q_g - Q_g B_k - B_g Q_k +
    B_g B_k B)``; over tasks these are Satterthwaite's. All clusters of one topic and one weight,
    in one task, are Student's; clusters of one size his on their means.

    References
    ----------
    .. [1] Bell, McCaffrey. Bias reduction in standard errors for linear regression with multi-stage
       samples. Survey Methodology 28, 2002.
    .. [2] Imbens, Kolesar. Robust standard errors in small samples: some practical advice. Review
       of Economics and Statistics 98, 2016. doi:10.1162/REST_a_00552
    .. [3] Satterthwaite. An approximate distribution of estimates of variance components.
       Biometrics Bulletin 2, 1946. doi:10.2307/3002019
    """

    weights: Floats
    cluster: Ints
    task: Ints

    def take(self, topics: Array) -> Self:
        """Return that of some topics, by a mask or positions."""
        return type(self)(self.weights[topics], *_in_order(self.cluster[topics], self.task[topics]))

    @cached_property
    def plain(self) -> bool:
        """Whether topics are independent draws that count alike, of one task."""
        alike = np.ptp(self.weights) == 0 and self.tasks == 1
        return bool(alike and self.clusters == len(self.weights))

    @cached_property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max(initial=-1)) + 1

    @cached_property
    def tasks(self) -> int:
        """How many tasks there are."""
        return int(self.task.max(initial=-1)) + 1

    @cached_property
    def shares(self) -> Floats:
        """What each topic has of the mean; they add up to 1."""
        within = np.bincount(self.task, self.weights)
        return np.asarray(self.weights / within[self.task] / self.tasks)

    @cached_property
    def masses(self) -> Floats:
        """What each cluster has of the mean."""
        return np.asarray(np.bincount(self.cluster, self.shares), np.float64)

    @cached_property
    def starts(self) -> Ints:
        """The first cluster of every task, and the number of clusters."""
        owner = np.zeros(self.clusters, np.int64)
        owner[self.cluster] = self.task
        return np.searchsorted(owner, np.arange(self.tasks + 1))

    @cached_property
    def effective(self) -> float:
        """How many topics that count alike would be as good."""
        return float(1 / (self.shares**2).sum())

    @cached_property
    def _sure(self) -> tuple[Floats, Floats]:
        """The root of c of every cluster, and the degrees of freedom of every task."""
        squares = np.asarray(np.bincount(self.cluster, self.shares**2), np.float64)
        parts = [
            _adjusted(self.masses[own] * self.tasks, squares[own] * self.tasks**2)
            for own in self._tasks
        ]
        return np.concatenate([scale for scale, _ in parts]), np.array([df for _, df in parts])

    @property
    def _tasks(self) -> list[slice]:
        """The clusters of every task."""
        return [slice(*ends) for ends in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sums(self, values: Floats) -> Floats:
        """Add values (..., topic) up within clusters, times their shares: (..., cluster)."""
        order = np.argsort(self.cluster, kind="stable")
        if not (np.diff(order) == 1).all():
            return _summed(values[..., order] * self.shares[order], self.cluster[order])
        return _summed(values * self.shares, self.cluster)

    def projected(self, values: Floats) -> tuple[Floats, Floats]:
        """Return means, and what each cluster is off by, whose squares add up to the variance."""
        sums = self.sums(values)
        of_tasks = np.add.reduceat(sums, self.starts[:-1], axis=-1)
        means = np.repeat(of_tasks * self.tasks, np.diff(self.starts), axis=-1)
        return of_tasks.sum(axis=-1), self._sure[0] * (sums - self.masses * means)

    def sure(self, values: Floats, largest: Floats) -> Sureness:
        """Return means over the last axis and how sure they are.

        Parameters
        ----------
        values
            Scores or differences, shape (..., topic).
        largest
            Largest absolute score, shape (...): what rounding of it explains is none.

        Examples
        --------
        Of clusters of two topics each, Student's of their means:

        >>> pairs = design_of(4, cluster=np.array([0, 0, 1, 1]))
        >>> pairs.sure(np.array([0.1, 0.3, 0.2, 0.6]), np.array(0.6)).variance.round(4).item()
        0.01
        """
        mean, off = self.projected(values)
        least = ROUNDING * np.asarray(largest)
        flat = np.all(abs(off) <= self._sure[0] * self.masses * least[..., np.newaxis], axis=-1)
        parts = np.add.reduceat(off**2, self.starts[:-1], axis=-1)
        parts = np.where(np.expand_dims(flat, -1), 0.0, parts)
        mean = np.where(flat & (abs(mean) <= least), 0.0, mean)
        return Sureness(mean, *self._total(np.moveaxis(parts, -1, 0)))

    def by_gram(self, block: Floats, pairs: Ints) -> tuple[Sureness, tuple[Ints, ...]]:
        """Return what `sure` says of the differences of pairs, and where that is in doubt.

        Parameters
        ----------
        block
            Shape (depth, system, topic).
        pairs
            Shape (pair, 2).

        Returns
        -------
        Sureness
            Shape (depth, pair) each.
        tuple of numpy.ndarray
            Depths and pairs whose differences are to be looked at themselves.
        """
        a, b = pairs.T
        means, off = self.projected(block - block.mean(axis=1, keepdims=True))
        parts, power = [], 0.0
        for own in self._tasks:
            alone, cross = products(np.ascontiguousarray(off[..., own]), pairs)
            both = alone.take(a, axis=1) + alone.take(b, axis=1)
            parts.append(np.maximum(both - 2 * cross, 0))
            power = power + both
        mean = means.take(a, axis=1) - means.take(b, axis=1)
        found = Sureness(mean, *self._total(np.stack(parts)))
        size = (means**2).take(a, axis=1) + (means**2).take(b, axis=1)
        rounding = (ROUNDING * abs(block).max(axis=(1, 2)))[:, np.newaxis] ** 2
        share = ((self._sure[0] * self.masses) ** 2).sum()
        doubt = np.maximum(GUARD * (power + share * size), share * rounding)
        return found, np.nonzero(found.variance <= doubt)

    def _total(self, parts: Floats) -> tuple[Floats, Floats]:
        """Return variance and degrees of freedom, from those of every task, which come first."""
        variance, own = parts.sum(axis=0), self._sure[1].reshape(-1, *[1] * (parts.ndim - 1))
        if len(parts) == 1:
            return variance, np.broadcast_to(own[0], variance.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = variance**2 / (parts**2 / own).sum(axis=0)
        return variance, np.where(variance == 0, self._sure[1].sum(), freedom)

    def counts(self, *, samples: int, seed: int) -> Floats:
        """Draw clusters within tasks with replacement: how often each is drawn, (sample, cluster).

        Examples
        --------
        >>> design_of(3).counts(samples=2, seed=0)
        array([[0., 2., 1.],
               [3., 0., 0.]])
        """
        refuse_large(samples, self.clusters, DRAWN)
        generator = np.random.default_rng(seed)
        drawn = [
            generator.integers(size, size=(samples, size), dtype=np.int64)
            for size in np.diff(self.starts)
        ]
        return np.concatenate([count_drawn(each) for each in drawn], axis=1)

    def drawn(self, *, samples: int, seed: int) -> Floats:
        """Return what each topic has of the mean of every resample, (sample, topic)."""
        times = self.counts(samples=samples, seed=seed)
        within = np.add.reduceat(times * self.masses, self.starts[:-1], axis=1) * self.tasks
        topics = times[:, self.cluster] * self.shares
        return np.asarray(topics / within[:, self.task])

    def replicates(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Return means of resamples, and their variance by how clusters are off, (..., sample).

        Parameters
        ----------
        sums
            Those of clusters, (..., cluster).
        counts
            How often resamples have each cluster.

        Notes
        -----
        Of G clusters of a task, with sums s and masses A: ``m = sum s / sum A`` and ``V = G / (G -
        1) sum (s - A m)^2 / (sum A)^2``, over those that were drawn.
        """
        mean: Floats = np.zeros(())
        variance: Floats = np.zeros(())
        for own in self._tasks:
            times, s, mass = counts[:, own].T, sums[..., own], self.masses[own]
            total, clusters = mass @ times, len(mass)
            m = s @ times / total
            squares = s**2 @ times
            about = squares - 2 * m * ((s * mass) @ times) + m**2 * (mass**2 @ times)
            about = np.where(about > DEGENERATE * squares, about, 0.0)
            mean = mean + m / self.tasks
            share = clusters / (clusters - 1) if clusters > 1 else np.nan
            variance = variance + share * about / (total * self.tasks) ** 2
        return mean, variance


DEGENERATE = 1e-13
"""Sum of squares about the mean of a resample, relative to that about 0, below which it is 0."""


def design_of(
    topics: int,
    *,
    weights: Floats | None = None,
    cluster: Ints | None = None,
    task: Ints | None = None,
) -> Design:
    """Return how topics were drawn.

    Parameters
    ----------
    topics
        How many there are.
    weights
        Those of the topics, above 0; by default all count alike.
    cluster
        Topics with the same number, in the same task, were drawn together; by default none were.
    task
        Topics with the same number are of one task, each of which counts alike; by default one.

    Returns
    -------
    Design
        Of the topics in this order.

    Examples
    --------
    >>> found = design_of(4, cluster=np.array([7, 2, 7, 2]), task=np.array([1, 0, 1, 0]))
    >>> found.cluster.tolist(), found.task.tolist(), found.shares.tolist()
    ([0, 1, 0, 1], [0, 1, 0, 1], [0.25, 0.25, 0.25, 0.25])
    """
    own = np.arange(topics) if cluster is None else cluster
    one = np.zeros(topics, np.int64) if task is None else task
    counted = np.ones(topics) if weights is None else np.asarray(weights, np.float64)
    return Design(counted, *_in_order(own, one))


def _in_order(cluster: Ints, task: Ints) -> tuple[Ints, Ints]:
    """Return clusters and tasks by the order of first topics, a task's clusters side by side."""
    task = _by_first(task)
    _, cluster = np.unique(cluster, return_inverse=True)
    within = task * (cluster.max(initial=0) + 1) + cluster
    firsts = _by_first(within)
    return _by_first(within, task * (firsts.max(initial=0) + 1) + firsts), task


def _by_first(labels: Ints, keys: Ints | None = None) -> Ints:
    """Return codes of labels, in the order of their first places or of the keys of these."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first if keys is None else keys[first], kind="stable")
    return np.asarray(np.argsort(order)[places])


def _summed(values: Floats, cluster: Ints) -> Floats:
    """Add up runs of values that belong together."""
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    if len(starts) == len(cluster):
        return values
    return np.asarray(np.add.reduceat(values, starts, axis=-1))


def _adjusted(mass: Floats, squares: Floats) -> tuple[Floats, float]:
    """Return the root of c of clusters of one task, and the degrees of freedom.

    The heaviest one stands apart in all sums, as nearly all may cancel out of its part.
    """
    if len(mass) < 2:
        return np.full(1, np.nan), np.nan
    top = int(mass.argmax())
    others = np.arange(len(mass)) != top
    rest, spread = mass[others].sum(), squares[others].sum()
    total = squares[top] + spread
    left = np.where(others, 1 - mass, rest)
    beside = np.where(others, total - squares, spread)
    c = squares / (left**2 * squares + mass**2 * beside)
    e, q = c * mass**2, squares / mass
    zero, one, two = ((e * q**power)[others].sum() for power in (0, 1, 2))
    traces = (total * zero) ** 2 + 2 * zero * two + 2 * one**2 - 4 * total * zero * one
    traces -= ((e * (total - 2 * q)) ** 2)[others].sum()
    across = e[top] * (e * (q[top] * rest - spread + q) ** 2)[others].sum()
    return np.sqrt(c), float(total**2 / (traces + (squares**2).sum() + 2 * across))
