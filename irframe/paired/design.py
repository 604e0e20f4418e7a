"""Sampling designs of topics: clusters, tasks and weights.

Mean scores are linear in the scores. Their variance is a sum of squares of contributions of
clusters, which are linear in the scores as well. The variances of all pairs of systems therefore
follow from a Gram matrix, with and without a design.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from irframe.arrays import Array, Floats, Ints
from irframe.paired.pairs import DRAWN, count_drawn, products, refuse_large

ROUNDING = 8 * np.finfo(np.float64).eps
"""Largest range of differences that count as constant, relative to the larger score."""
GUARD = 1e-3
"""Sums of squares below this share of their operands lose digits to cancellation."""


class Estimate(NamedTuple):
    """A mean, its variance and its degrees of freedom.

    Parameters
    ----------
    mean
        The mean.
    variance
        The variance of the mean. It is exactly 0 for constant values, and NaN if a task has a
        single cluster.
    freedom
        The degrees of freedom of the variance.
    """

    mean: Floats
    variance: Floats
    freedom: Floats


@dataclass(frozen=True, eq=False)
class Design:
    """A sampling design of topics, see `design_of`.

    Parameters
    ----------
    weights
        Weight of each topic, above 0. Only ratios within a task matter.
    cluster
        Cluster of each topic, from 0. The clusters of a task are numbered consecutively, in the
        order of their first topics.
    task
        Task of each topic, from 0, in the order of their first topics.

    Notes
    -----
    Each of K tasks has the share ``W = 1 / K``, and its topics have the shares ``b = w / sum w``.
    The mean of task h is ``m_h = sum b d``, and the overall mean is ``sum W m_h``. Let B be the sum
    of b^2 in the task, and B_g and Q_g the sums of b and b^2 in cluster g. Cluster g contributes
    ``r_g = sum b (d - m_h)``, summed over its topics. The variance of m_h is ``V_h = sum c_g
    r_g^2`` with ``c_g = Q_g / (Q_g - 2 B_g Q_g + B_g^2 B)``. The variance of the overall mean is
    ``sum W^2 V_h``.

    V_h has the degrees of freedom ``tr(P)^2 / tr(P^2)`` with ``P_gk = sqrt(c_g c_k) ([g = k] Q_g -
    Q_g B_k - B_g Q_k + B_g B_k B)``. They hold for independent differences of equal variance, and
    are combined over tasks by Satterthwaite's formula. For independent topics of equal weight in
    one task this is Student's test. For clusters of equal size it is Student's test on their means.

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
        """Return the design of topics at a mask or positions."""
        return type(self)(self.weights[topics], *_in_order(self.cluster[topics], self.task[topics]))

    @cached_property
    def plain(self) -> bool:
        """Whether topics are independent, equally weighted, and one task."""
        equal = np.ptp(self.weights) == 0 and self.tasks == 1
        return bool(equal and self.clusters == len(self.weights))

    @cached_property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    @cached_property
    def tasks(self) -> int:
        """Number of tasks."""
        return int(self.task.max(initial=-1)) + 1

    @cached_property
    def shares(self) -> Floats:
        """Share of each topic in the mean; sums to 1."""
        within = np.bincount(self.task, self.weights)
        return np.asarray(self.weights / within[self.task] / self.tasks)

    @cached_property
    def masses(self) -> Floats:
        """Share of each cluster in the mean."""
        return np.asarray(np.bincount(self.cluster, self.shares), np.float64)

    @cached_property
    def starts(self) -> Ints:
        """First cluster of every task, and number of clusters."""
        owner = np.zeros(self.clusters, np.int64)
        owner[self.cluster] = self.task
        return np.searchsorted(owner, np.arange(self.tasks + 1))

    @cached_property
    def effective(self) -> float:
        """Effective number of topics (Kish)."""
        return float(1 / (self.shares**2).sum())

    @cached_property
    def _scaling(self) -> tuple[Floats, Floats]:
        """Square roots of c, and degrees of freedom by task."""
        squares = np.asarray(np.bincount(self.cluster, self.shares**2), np.float64)
        by_task = [
            _adjusted(self.masses[task] * self.tasks, squares[task] * self.tasks**2)
            for task in self._tasks
        ]
        return np.concatenate([scale for scale, _ in by_task]), np.array([df for _, df in by_task])

    @property
    def _tasks(self) -> list[slice]:
        """The clusters of every task."""
        return [slice(*ends) for ends in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sums(self, values: Floats) -> Floats:
        """Return the sums of shares times values by cluster.

        Values have the shape (..., topic), sums (..., cluster).
        """
        order = np.argsort(self.cluster, kind="stable")
        if not (np.diff(order) == 1).all():
            return _summed(values[..., order] * self.shares[order], self.cluster[order])
        return _summed(values * self.shares, self.cluster)

    def projected(self, values: Floats) -> tuple[Floats, Floats]:
        """Return means and scaled deviations by cluster.

        The sum of squares of the deviations is the variance.
        """
        sums = self.sums(values)
        of_tasks = np.add.reduceat(sums, self.starts[:-1], axis=-1)
        means = np.repeat(of_tasks * self.tasks, np.diff(self.starts), axis=-1)
        return of_tasks.sum(axis=-1), self._scaling[0] * (sums - self.masses * means)

    def estimate(self, values: Floats, largest: Floats) -> Estimate:
        """Return means over the last axis with their variances.

        Parameters
        ----------
        values
            Scores or differences, shape (..., topic).
        largest
            Largest absolute score, shape (...). Deviations within its rounding error are 0.

        Examples
        --------
        With two topics in each cluster this is Student's variance of the cluster means:

        >>> pairs = design_of(4, cluster=np.array([0, 0, 1, 1]))
        >>> pairs.estimate(np.array([0.1, 0.3, 0.2, 0.6]), np.array(0.6)).variance.round(4).item()
        0.01
        """
        mean, off = self.projected(values)
        least = ROUNDING * np.asarray(largest)
        flat = np.all(abs(off) <= self._scaling[0] * self.masses * least[..., np.newaxis], axis=-1)
        variances = np.add.reduceat(off**2, self.starts[:-1], axis=-1)
        variances = np.where(np.expand_dims(flat, -1), 0.0, variances)
        mean = np.where(flat & (abs(mean) <= least), 0.0, mean)
        return Estimate(mean, *self._total(np.moveaxis(variances, -1, 0)))

    def by_gram(self, block: Floats, pairs: Ints) -> tuple[Estimate, tuple[Ints, ...]]:
        """Return estimates of all pairs, and positions of inaccurate ones.

        Parameters
        ----------
        block
            Shape (depth, system, topic).
        pairs
            Shape (pair, 2).

        Returns
        -------
        Estimate
            Arrays of shape (depth, pair).
        tuple of numpy.ndarray
            Depths and pairs whose estimates are inaccurate because of cancellation. Their
            differences should be passed to `estimate`.
        """
        a, b = pairs.T
        means, off = self.projected(block - block.mean(axis=1, keepdims=True))
        variances = []
        power = 0.0
        for task in self._tasks:
            single, cross = products(np.ascontiguousarray(off[..., task]), pairs)
            both = single.take(a, axis=1) + single.take(b, axis=1)
            variances.append(np.maximum(both - 2 * cross, 0))
            power = power + both
        mean = means.take(a, axis=1) - means.take(b, axis=1)
        estimates = Estimate(mean, *self._total(np.stack(variances)))
        size = (means**2).take(a, axis=1) + (means**2).take(b, axis=1)
        rounding = (ROUNDING * abs(block).max(axis=(1, 2)))[:, np.newaxis] ** 2
        share = ((self._scaling[0] * self.masses) ** 2).sum()
        doubt = np.maximum(GUARD * (power + share * size), share * rounding)
        return estimates, np.nonzero(estimates.variance <= doubt)

    def _total(self, by_task: Floats) -> tuple[Floats, Floats]:
        """Return variance and degrees of freedom over all tasks.

        The variances of tasks have the shape (task, ...).
        """
        variance = by_task.sum(axis=0)
        freedoms = self._scaling[1].reshape(-1, *[1] * (by_task.ndim - 1))
        if len(by_task) == 1:
            return variance, np.broadcast_to(freedoms[0], variance.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = variance**2 / (by_task**2 / freedoms).sum(axis=0)
        return variance, np.where(variance == 0, self._scaling[1].sum(), freedom)

    def counts(self, *, samples: int, seed: int) -> Floats:
        """Draw clusters within tasks with replacement, and count them.

        The counts have the shape (sample, cluster).

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
        """Return the shares of topics in resampled means, (sample, topic)."""
        times = self.counts(samples=samples, seed=seed)
        within = np.add.reduceat(times * self.masses, self.starts[:-1], axis=1) * self.tasks
        topics = times[:, self.cluster] * self.shares
        return np.asarray(topics / within[:, self.task])

    def replicates(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Return resampled means and their variances, (..., sample).

        Parameters
        ----------
        sums
            Sums by cluster, shape (..., cluster), see `sums`.
        counts
            Number of times that each bootstrap sample contains each cluster, shape (sample,
            cluster).

        Notes
        -----
        Let a task have G clusters with sums s and shares A. Its mean is ``m = sum s / sum A``, with
        the variance ``G / (G - 1) sum (s - A m)^2 / (sum A)^2``. Sums are over the clusters drawn.
        """
        mean: Floats = np.zeros(())
        variance: Floats = np.zeros(())
        for task in self._tasks:
            times = counts[:, task].T
            s = sums[..., task]
            mass = self.masses[task]
            total = mass @ times
            clusters = len(mass)
            m = s @ times / total
            squares = s**2 @ times
            about = squares - 2 * m * ((s * mass) @ times) + m**2 * (mass**2 @ times)
            about = np.where(about > DEGENERATE * squares, about, 0.0)
            mean = mean + m / self.tasks
            share = clusters / (clusters - 1) if clusters > 1 else np.nan
            variance = variance + share * about / (total * self.tasks) ** 2
        return mean, variance


DEGENERATE = 1e-13
"""Sums of squares about the mean of a bootstrap sample, relative to those about 0, that are 0."""


def design_of(
    topics: int,
    *,
    weights: Floats | None = None,
    cluster: Ints | None = None,
    task: Ints | None = None,
) -> Design:
    """Return the sampling design of topics.

    Parameters
    ----------
    topics
        Number of topics.
    weights
        Weight of each topic, above 0; by default all are equal.
    cluster
        Cluster of each topic within its task; by default every topic is a cluster of its own.
    task
        Task of each topic; by default there is one task. All tasks have equal weight.

    Returns
    -------
    Design
        The design of the topics in this order.

    Examples
    --------
    >>> design = design_of(4, cluster=np.array([7, 2, 7, 2]), task=np.array([1, 0, 1, 0]))
    >>> design.cluster.tolist(), design.task.tolist(), design.shares.tolist()
    ([0, 1, 0, 1], [0, 1, 0, 1], [0.25, 0.25, 0.25, 0.25])
    """
    cluster = np.arange(topics) if cluster is None else cluster
    task = np.zeros(topics, np.int64) if task is None else task
    weights = np.ones(topics) if weights is None else np.asarray(weights, np.float64)
    return Design(weights, *_in_order(cluster, task))


def _in_order(cluster: Ints, task: Ints) -> tuple[Ints, Ints]:
    """Return codes of clusters and tasks, ordered by first topics.

    The clusters of a task have consecutive codes.
    """
    task = _by_first(task)
    _, cluster = np.unique(cluster, return_inverse=True)
    within = task * (cluster.max(initial=0) + 1) + cluster
    firsts = _by_first(within)
    return _by_first(within, task * (firsts.max(initial=0) + 1) + firsts), task


def _by_first(labels: Ints, keys: Ints | None = None) -> Ints:
    """Return codes of labels, ordered by first position or key."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first if keys is None else keys[first], kind="stable")
    return np.asarray(np.argsort(order)[codes])


def _summed(values: Floats, cluster: Ints) -> Floats:
    """Return the sums over consecutive topics of the same cluster."""
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    if len(starts) == len(cluster):
        return values
    return np.asarray(np.add.reduceat(values, starts, axis=-1))


def _adjusted(mass: Floats, squares: Floats) -> tuple[Floats, float]:
    """Return square roots of c by cluster; degrees of freedom.

    The terms of the heaviest cluster may nearly cancel. This cluster is therefore left out of all
    sums, and added at the end.
    """
    if len(mass) < 2:
        return np.full(1, np.nan), np.nan
    top = int(mass.argmax())
    others = np.arange(len(mass)) != top
    rest = mass[others].sum()
    spread = squares[others].sum()
    total = squares[top] + spread
    left = np.where(others, 1 - mass, rest)
    beside = np.where(others, total - squares, spread)
    c = squares / (left**2 * squares + mass**2 * beside)
    e = c * mass**2
    q = squares / mass
    zero, one, two = ((e * q**power)[others].sum() for power in (0, 1, 2))
    traces = (total * zero) ** 2 + 2 * zero * two + 2 * one**2 - 4 * total * zero * one
    traces -= ((e * (total - 2 * q)) ** 2)[others].sum()
    across = e[top] * (e * (q[top] * rest - spread + q) ** 2)[others].sum()
    return np.sqrt(c), float(total**2 / (traces + (squares**2).sum() + 2 * across))
