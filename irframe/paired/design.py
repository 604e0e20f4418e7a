"""Sampling designs of topics: clusters, tasks and weights.

A mean score is a sum of contributions of clusters, which are linear in the scores. The variance of
the mean is a weighted sum of squares of these contributions. The variances of all pairs of systems
are therefore computed from a Gram matrix, like those without a design.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from irframe.arrays import Array, Floats, Ints
from irframe.paired.pairs import DRAWN, count_drawn, products, refuse_large

ROUNDING = 8 * np.finfo(np.float64).eps
"""Maximum range of differences that are treated as constant, relative to the largest score."""
GUARD = 1e-3
"""Minimum ratio of a difference of sums of squares to the sums. Below this ratio, cancellation
makes the difference inaccurate."""


class Estimate(NamedTuple):
    """A mean, with its variance and degrees of freedom.

    Parameters
    ----------
    mean
        The mean.
    variance
        Variance of the mean. The variance is exactly 0 for constant values, and NaN if a task has a
        single cluster.
    freedom
        Degrees of freedom of the variance.
    """

    mean: Floats
    variance: Floats
    freedom: Floats


@dataclass(frozen=True, eq=False)
class Design:
    """Sampling design of topics, as returned by `design_of`.

    Parameters
    ----------
    weights
        Weight of each topic, above 0. Only the ratios of weights within a task matter.
    cluster
        Cluster of each topic, starting at 0. The clusters of a task have consecutive numbers, in
        the order of their first topics.
    task
        Task of each topic, starting at 0. Tasks are numbered in the order of their first topics.

    Notes
    -----
    Let d be the values and w the weights of topics. Each of K tasks has the share ``W = 1 / K``,
    and the topics of a task have the shares ``b = w / sum w``. The mean of task h is ``m_h = sum b
    d``, and the overall mean is ``sum W m_h``. Let B be the sum of b^2 over the task, and let B_g
    and Q_g be the sums of b and of b^2 over cluster g. The contribution of the cluster is ``r_g =
    sum b (d - m_h)``, summed over its topics. The variance of m_h is ``V_h = sum c_g r_g^2`` with
    ``c_g = Q_g / (Q_g - 2 B_g Q_g + B_g^2 B)``. The variance of the overall mean is ``sum W^2
    V_h``.

    The degrees of freedom of V_h are ``tr(P)^2 / tr(P^2)`` with
    ``P_gk = sqrt(c_g c_k) ([g = k] Q_g - Q_g B_k - B_g Q_k + B_g B_k B)``. The degrees of freedom
    assume independent values of equal variance, and are combined over tasks by Satterthwaite's
    formula. For independent topics of equal weight in one task, the t-test with these quantities
    equals Student's test. For clusters of equal size, the t-test equals Student's test on the means
    of the clusters.

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
        """Return the design of the selected topics.

        `topics` is a mask or an array of indices.
        """
        return type(self)(self.weights[topics], *_in_order(self.cluster[topics], self.task[topics]))

    @cached_property
    def plain(self) -> bool:
        """Whether topics are independent, with equal weights, in one task."""
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
        """Share of each topic in the mean, with sum 1."""
        within = np.bincount(self.task, self.weights)
        return np.asarray(self.weights / within[self.task] / self.tasks)

    @cached_property
    def masses(self) -> Floats:
        """Share of each cluster in the mean."""
        return np.asarray(np.bincount(self.cluster, self.shares), np.float64)

    @cached_property
    def starts(self) -> Ints:
        """First cluster of each task, then the number of clusters."""
        owner = np.zeros(self.clusters, np.int64)
        owner[self.cluster] = self.task
        # the tasks of consecutive clusters ascend, as searchsorted requires
        return np.searchsorted(owner, np.arange(self.tasks + 1))

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of topics."""
        return float(1 / (self.shares**2).sum())

    @cached_property
    def _scaling(self) -> tuple[Floats, Floats]:
        """Square roots of c_g, and degrees of freedom per task."""
        squares = np.asarray(np.bincount(self.cluster, self.shares**2), np.float64)
        # shares sum to 1 / K in each of K tasks, but to 1 in the formulas for one task
        by_task = [
            _adjusted(self.masses[task] * self.tasks, squares[task] * self.tasks**2)
            for task in self._tasks
        ]
        return np.concatenate([scale for scale, _ in by_task]), np.array([df for _, df in by_task])

    @property
    def _tasks(self) -> list[slice]:
        """Slice of the clusters of each task."""
        return [slice(*ends) for ends in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def sums(self, values: Floats) -> Floats:
        """Return the sum of shares times values for each cluster.

        Values have the shape (..., topic), and sums have the shape (..., cluster).
        """
        # scores are copied only if the topics of some cluster are not consecutive
        order = np.argsort(self.cluster, kind="stable")
        if not (np.diff(order) == 1).all():
            return _summed(values[..., order] * self.shares[order], self.cluster[order])
        return _summed(values * self.shares, self.cluster)

    def projected(self, values: Floats) -> tuple[Floats, Floats]:
        """Return means, and the scaled deviation of each cluster.

        The sum of the squared deviations is the variance of the mean.
        """
        sums = self.sums(values)
        of_tasks = np.add.reduceat(sums, self.starts[:-1], axis=-1)
        means = np.repeat(of_tasks * self.tasks, np.diff(self.starts), axis=-1)
        return of_tasks.sum(axis=-1), self._scaling[0] * (sums - self.masses * means)

    def estimate(self, values: Floats, largest: Floats) -> Estimate:
        """Return means over topics, with variances and degrees of freedom.

        Parameters
        ----------
        values
            Scores or differences, shape (..., topic).
        largest
            Largest absolute score, shape (...). Deviations within the rounding error of this score
            are treated as 0.

        Examples
        --------
        With two topics in each cluster, the variance is that of the mean of the two cluster means:

        >>> pairs = design_of(4, cluster=np.array([0, 0, 1, 1]))
        >>> pairs.estimate(np.array([0.1, 0.3, 0.2, 0.6]), np.array(0.6)).variance.round(4).item()
        0.01
        """
        mean, deviations = self.projected(values)
        least = ROUNDING * np.asarray(largest)
        flat = np.all(
            abs(deviations) <= self._scaling[0] * self.masses * least[..., np.newaxis], axis=-1
        )
        variances = np.add.reduceat(deviations**2, self.starts[:-1], axis=-1)
        variances = np.where(np.expand_dims(flat, -1), 0.0, variances)
        mean = np.where(flat & (abs(mean) <= least), 0.0, mean)
        return Estimate(mean, *self._total(np.moveaxis(variances, -1, 0)))

    def by_gram(self, block: Floats, pairs: Ints) -> tuple[Estimate, tuple[Ints, ...]]:
        """Return estimates for all pairs, and indices of inaccurate estimates.

        Parameters
        ----------
        block
            Scores, shape (depth, system, topic).
        pairs
            Indices of systems, shape (pair, 2).

        Returns
        -------
        Estimate
            Arrays of shape (depth, pair).
        tuple of numpy.ndarray
            Indices of the depths and pairs whose estimates are inaccurate because of cancellation.
            The caller should compute these estimates again with `estimate`.
        """
        a, b = pairs.T
        # topic means cancel in differences, and subtracting them first prevents a loss of digits
        means, deviations = self.projected(block - block.mean(axis=1, keepdims=True))
        variances = []
        power = 0.0
        for task in self._tasks:
            single, cross = products(np.ascontiguousarray(deviations[..., task]), pairs)
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
        """Return the variance and degrees of freedom over all tasks.

        `by_task` contains the variance of each task, shape (task, ...).
        """
        variance = by_task.sum(axis=0)
        freedoms = self._scaling[1].reshape(-1, *[1] * (by_task.ndim - 1))
        # for one task, the formula below would only add rounding errors
        if len(by_task) == 1:
            return variance, np.broadcast_to(freedoms[0], variance.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = variance**2 / (by_task**2 / freedoms).sum(axis=0)
        return variance, np.where(variance == 0, self._scaling[1].sum(), freedom)

    def counts(self, *, samples: int, seed: int) -> Floats:
        """Draw clusters with replacement within tasks, and count the draws.

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
        return np.concatenate([count_drawn(sample) for sample in drawn], axis=1)

    def drawn(self, *, samples: int, seed: int) -> Floats:
        """Return topic shares in resampled means, shape (sample, topic)."""
        times = self.counts(samples=samples, seed=seed)
        within = np.add.reduceat(times * self.masses, self.starts[:-1], axis=1) * self.tasks
        topics = times[:, self.cluster] * self.shares
        return np.asarray(topics / within[:, self.task])

    def replicates(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Return resampled means and their variances, shape (..., sample).

        Parameters
        ----------
        sums
            Sums of shares times values, shape (..., cluster), as returned by the method `sums`.
        counts
            Number of times that each bootstrap sample contains each cluster, shape (sample,
            cluster).

        Notes
        -----
        Let s be the sums and A the shares of the G clusters of a task. The mean of the task is ``m
        = sum s / sum A``, with the variance ``G / (G - 1) sum (s - A m)^2 / (sum A)^2``. The sums
        are over the drawn clusters, and a cluster may be drawn several times.
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
            # expanding the square replaces an array over samples and clusters by matrix products
            squares = s**2 @ times
            about = squares - 2 * m * ((s * mass) @ times) + m**2 * (mass**2 @ times)
            about = np.where(about > DEGENERATE * squares, about, 0.0)
            mean = mean + m / self.tasks
            share = clusters / (clusters - 1) if clusters > 1 else np.nan
            variance = variance + share * about / (total * self.tasks) ** 2
        return mean, variance


DEGENERATE = 1e-13
"""Maximum ratio of the sum of squared deviations to the sum of squares in a bootstrap sample.
Deviations with a smaller ratio are treated as rounding errors."""


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
        Weight of each topic, above 0. By default all weights are equal.
    cluster
        Cluster of each topic within its task. By default each topic is a separate cluster.
    task
        Task of each topic. By default all topics are in one task. All tasks have equal weight.

    Returns
    -------
    Design
        The design, with the topics in the order of the arguments.

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
    """Assign numbers to clusters and tasks by their first topics.

    The clusters of a task have consecutive numbers.
    """
    task = _by_first(task)
    _, cluster = np.unique(cluster, return_inverse=True)
    within = task * (cluster.max(initial=0) + 1) + cluster
    firsts = _by_first(within)
    return _by_first(within, task * (firsts.max(initial=0) + 1) + firsts), task


def _by_first(labels: Ints, keys: Ints | None = None) -> Ints:
    """Assign numbers to labels in the order of first occurrence.

    With `keys`, the order is that of the keys at the first occurrences.
    """
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first if keys is None else keys[first], kind="stable")
    return np.asarray(np.argsort(order)[codes])


def _summed(values: Floats, cluster: Ints) -> Floats:
    """Return sums over consecutive topics of the same cluster."""
    starts = np.flatnonzero(np.diff(cluster, prepend=-1))
    if len(starts) == len(cluster):
        return values
    return np.asarray(np.add.reduceat(values, starts, axis=-1))


def _adjusted(mass: Floats, squares: Floats) -> tuple[Floats, float]:
    """Return the square roots of c_g, and degrees of freedom.

    The arguments are B_g and Q_g of the clusters of one task, see `Design`. The cluster with the
    largest share is excluded from all sums and added at the end, because its terms may nearly
    cancel.
    """
    if len(mass) < 2:
        return np.full(1, np.nan), np.nan
    top = int(mass.argmax())
    not_top = np.arange(len(mass)) != top
    other_mass = mass[not_top].sum()
    spread = squares[not_top].sum()
    total = squares[top] + spread
    remaining = np.where(not_top, 1 - mass, other_mass)
    outside = np.where(not_top, total - squares, spread)
    c = squares / (remaining**2 * squares + mass**2 * outside)
    e = c * mass**2
    q = squares / mass
    # P is a diagonal matrix plus a matrix of rank 2, so sums over clusters give tr(P^2), and no
    # matrix of clusters x clusters is needed.
    e0, e1, e2 = ((e * q**power)[not_top].sum() for power in (0, 1, 2))
    traces = (total * e0) ** 2 + 2 * e0 * e2 + 2 * e1**2 - 4 * total * e0 * e1
    traces -= ((e * (total - 2 * q)) ** 2)[not_top].sum()
    across = e[top] * (e * (q[top] * other_mass - spread + q) ** 2)[not_top].sum()
    return np.sqrt(c), float(total**2 / (traces + (squares**2).sum() + 2 * across))
