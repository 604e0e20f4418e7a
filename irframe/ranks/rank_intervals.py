"""Confidence intervals of ranks.

Verbs: rank_intervals.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice
from irframe.comparing.attainable import beware_of_least
from irframe.comparing.corrections import Significance, Tested
from irframe.comparing.significance import Pairing, without_judged
from irframe.cubes.scores import Arrays, Scores, finite
from irframe.cubes.verb import table_verb
from irframe.errors import ParameterError, caution, united, warn
from irframe.metrics.base import Summary
from irframe.metrics.facts import TIE
from irframe.paired import Bootstrap, MaxT, PairedT, all_pairs
from irframe.paired.design import Design
from irframe.paired.differences import moments
from irframe.paired.pairs import in_blocks
from irframe.paired.randomisation import by_cluster
from irframe.ranks.first import FIRST, could_be_first, too_few
from irframe.scores.averages import Resamples, Resampling
from irframe.scores.read_scores import read_scores, scores_to_compare
from irframe.scores.repeats import draw_attributes
from irframe.scores.summary import INTERVALS, Interval, like_scores, summarise


def holm_counts(
    values: Array, comparable: Array, alpha: float, design: Design | None = None
) -> Arrays:
    """Count significantly better and worse systems, with Holm's correction.

    Systems are compared by one-sided t-tests, which are corrected for each system separately.

    Parameters
    ----------
    values
        Scores, or terms that sum to an average over topics, shape (system, topic, depth), without
        NaN. Higher terms are better.
    comparable
        Whether all terms of a system are finite, shape (system, depth).
    alpha
        Significance level of the tests for better and for worse systems together.
    design
        The sampling design of the topics. The default is independent topics of equal weight.

    Returns
    -------
    better, worse : numpy.ndarray
        The number of significantly better systems and the number of significantly worse systems,
        each of shape (system, depth).

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.8, 0.9, 0.9]])[..., np.newaxis]
    >>> better, worse = holm_counts(scores, np.ones((3, 1), bool), 0.1)
    >>> better.ravel().tolist(), worse.ravel().tolist()
    ([2, 1, 0], [0, 0, 2])
    """
    systems, topics, depths = values.shape
    if topics < 2:
        return 2 * (np.zeros((systems, depths), int),)
    pairs = all_pairs(systems)
    compute = partial(moments, design=design)
    mean, sd, freedom = in_blocks(compute, values, pairs, dtypes=3 * (np.float64,))
    a, b = pairs.T
    # an infinite standard deviation makes t 0, so these tests are never significant
    sd[(sd == 0) | ~comparable[a] | ~comparable[b]] = np.inf
    lead = mean / (sd / np.sqrt(topics))
    ahead = np.full((depths, systems, systems), 1.0)
    ahead[:, b, a] = scipy.special.stdtr(freedom, -lead).T
    ahead[:, a, b] = scipy.special.stdtr(freedom, lead).T
    # tests for better and tests for worse systems use alpha / 2 each, so that both ends together
    # have the confidence level 1 - alpha
    least = alpha / 2 / np.arange(systems - 1, 0, -1)
    counts = []
    for p in (ahead, ahead.swapaxes(1, 2)):  # tests for better, then for worse systems
        rejected = np.sort(p, axis=-1)[..., :-1] < least
        counts.append(np.logical_and.accumulate(rejected, axis=-1).sum(axis=-1).T)
    return tuple(counts)


def _by_max_t(values: Array, comparable: Array, alpha: float, correction: MaxT) -> Array:
    """Count significantly better and worse systems at one depth.

    `values` contains the terms of averages, shape (topic, system). The result has the shape (2,
    system). Its first row counts better systems, and its second row counts worse systems.
    """
    systems = len(comparable)
    means = values.mean(axis=0)
    counts = np.zeros((2, systems), int)
    for system in range(systems):
        competitors = np.flatnonzero(np.arange(systems) != system)
        pairs = np.column_stack([competitors, np.full(systems - 1, system)])
        significant = correction.kernel(values, pairs) < alpha
        significant &= comparable[competitors] & comparable[system]
        lead = means[competitors] - means[system]
        counts[:, system] = [(significant & side).sum() for side in (lead > 0, lead < 0)]
    return counts


RankMethod = Literal["pairs", "holm", "max-t", "bootstrap"]
"""Type of the method of rank intervals, see `rank_intervals`."""
METHODS = ("pairs", "holm", "max-t", "bootstrap")
RANKS: tuple[str, ...] = ("rank", "rank_low", "rank_high", "tier", "first")
"""Columns that `rank_intervals` adds to the columns of `summary`. Only ``"bootstrap"`` returns
``first``."""


@table_verb(repeats=True, one_unit=True)
def rank_intervals(
    scores: xr.DataArray | pd.DataFrame,
    rank_interval: RankMethod = "pairs",
    *,
    test: Tested = "t",
    interval: Interval = "logit",
    resamples: Resampling | int = 1000,
) -> xr.Dataset | pd.DataFrame:
    """Rank systems, with confidence intervals of ranks and tiers.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    rank_interval
        Method of rank intervals.

        - ``"pairs"``: all pairs of systems are tested as in `compare`. The interval contains every
          rank after the significantly better systems and before the significantly worse systems.
        - ``"holm"``: each system is compared with all other systems by one-sided t-tests. Holm's
          correction is applied to each system separately.
        - ``"max-t"``: as ``"holm"``, but with the correction `MaxT`. The intervals of ``"holm"``
          and ``"max-t"`` are narrower than the intervals of ``"pairs"``, and fewer of these
          intervals contain rank 1.
        - ``"bootstrap"``: quantiles of ranks over bootstrap samples of topics. These quantiles are
          not the ends of a confidence interval, because the observed ranking itself depends on
          chance.
    test
        Test of pairs of systems, for ``"pairs"`` and for tiers: an `irframe.Significance`, or the
        name of a test, as in `compare`. ``"holm"`` and ``"max-t"`` need the test t. All intervals
        have the confidence level 1 - `alpha`. If systems have repeats (were run several times), all
        methods except ``"pairs"`` need a test with ``over="topic"``.
    interval
        Method of the confidence intervals of means, see `summary`.
    resamples
        Number of random draws for ``"max-t"`` and ``"bootstrap"``, or an `irframe.Resampling`.

    Returns
    -------
    xarray.Dataset or pandas.DataFrame
        A dataset with the dimensions (metric, system, depth) if `scores` is an array, or a frame
        indexed by metric and system if `scores` is a frame. After `groupby`, the group is the first
        dimension or index level. The options are stored as attributes. The columns are

        - ``mean``, the mean over the topics compared, and its confidence interval, ``ci_low`` and
          ``ci_high``, see `summary`;
        - ``rank``, one more than the number of better systems, so that ties share a rank;
        - ``rank_low`` and ``rank_high``, the confidence interval of the rank, from 1 to the number
          of systems;
        - ``could_be_first``, whether the hypothesis that the system is truly first is not rejected
          (see the notes). The column is missing if systems have repeats, unless ``over="topic"``;
        - ``tier``, the number of the tier, 1 for the best. A tier consists of systems with
          consecutive ranks that do not differ significantly from each other;
        - with ``"bootstrap"``, ``first``, the share of bootstrap samples in which the system has
          rank 1. Systems that tie for rank 1 in a sample receive equal fractions of the sample, so
          that the shares sum to 1. The share is not the probability of being the best system;
        - ``n_topics``, the number of topics compared.

    Raises
    ------
    IrframeError
        See `compare`. An error is also raised if the number of samples or the seed is out of range.

    Warns
    -----
    IrframeWarning
        If topics are left out. For each metric and depth, only topics with scores of all systems
        are used. See also `summary`.

    Notes
    -----
    With ``"pairs"`` the interval is ``[1 + B, S - W]``. Here S is the number of systems, and B and
    W are the numbers of significantly better and worse systems in `compare` with the same `test`.
    The intervals are simultaneous for all systems if the p-values are adjusted for all pairs, as by
    Holm's correction, Tukey's test and max-T.

    With ``"holm"`` every other system k is compared with system j by a one-sided t-test. The
    p-value is ``P(T >= (m_k - m_j) / se_kj)``, where m are means and T has n - 1 degrees of
    freedom. The p-value is 1 if the standard error is 0. Holm's correction is applied to these S -
    1 tests at level ``alpha / 2``. Let B be the number of systems that are significantly better
    than j. Let W be the number of systems that are significantly worse by tests in the opposite
    direction. The interval is ``[1 + B, S - W]``. The coverage is at least ``1 - alpha`` for any
    true ranks. In simulations with samples of real topics, 95% intervals covered the true rank at
    least 99 times in 100 with 10 to 40 systems and 5 to 50 topics.

    With ``"max-t"`` the 2(S - 1) tests of a system are corrected jointly by a step-down procedure.
    Scores are transformed for geometric and harmonic means, and topics are weighted, as in
    `compare`. With ``"bootstrap"`` resampled topics keep their weights. Averages are rounded to 12
    decimals before they are ranked.

    With ``"bootstrap"`` topics are resampled with replacement, and the systems are ranked by their
    averages in every bootstrap sample. All systems, metrics and depths with the same topics use the
    same bootstrap samples. At most a share of ``alpha / 2`` of the resampled ranks is below
    ``rank_low``, and at most a share of ``alpha / 2`` is above ``rank_high``. For similar systems
    the coverage of the true rank is far below ``1 - alpha`` [4]_. In the simulations described
    above, the lowest coverage was 76 in 100, with 5 topics. In 18 of 100 simulations only one
    bootstrap interval contained rank 1. At least two of Holm's intervals contained rank 1 in every
    simulation.

    Rank intervals are about all ranks, whereas ``could_be_first`` is about the first rank only. The
    test statistic of a system is the largest t of the paired comparisons of all other systems with
    this system. A one-sided randomisation test compares the statistic with its distribution under
    sign flips of topics, or of clusters. No correction for multiple comparisons is necessary,
    because only one system is truly first. With probability ``1 - alpha``, ``could_be_first`` is
    True for the truly first system. Fewer systems could be first than have a ``rank_low`` of 1. For
    example, among 143 runs of TREC-COVID by nDCG@10, 19 could be first, but 50 have a ``rank_low``
    of 1 with ``"pairs"``. With fewer than six topics every system could be first.

    With a single topic every rank is possible, and ``first`` is NaN. To compare only two systems,
    use `compare`.

    Tiers are formed from the best system downwards. A system begins a new tier if it differs
    significantly from any system of the current tier. Tied systems are in the same tier. The last
    system of a tier and the first system of the next tier need not differ significantly.

    References
    ----------
    .. [1] Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of
       Statistics 6, 1979. https://www.jstor.org/stable/4615733
    .. [2] Al Mohamad, Goeman, van Zwet. Simultaneous confidence intervals for ranks with
       application to ranking institutions. Biometrics 78, 2022. doi:10.1111/biom.13419
    .. [3] Mogstad, Romano, Shaikh, Wilhelm. Inference for ranks with applications to mobility
       across neighbourhoods and academic achievement across countries. Review of Economic Studies
       91, 2024. doi:10.1093/restud/rdad006
    .. [4] Hall, Miller. Using the bootstrap to quantify the authority of an empirical ranking.
       Annals of Statistics 37, 2009. doi:10.1214/09-AOS699
    .. [5] Goldstein, Spiegelhalter. League tables and their limitations. Journal of the Royal
       Statistical Society A 159, 1996. doi:10.2307/2983325

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, "nDCG@10")
    >>> ranks = scores.ireval.rank_intervals()
    >>> ranks.droplevel("metric")[["mean", "rank", "rank_low", "rank_high", "tier"]]
                 mean  rank  rank_low  rank_high  tier
    system
    bm25        0.204     8         4          8     2
    bm25+rm3    0.332     5         2          8     2
    ance        0.273     6         4          8     2
    colbert     0.214     7         4          8     2
    splade      0.482     3         1          5     1
    doct5query  0.346     4         2          8     2
    monot5      0.558     1         1          3     1
    duot5       0.527     2         1          5     1
    >>> spread = scores.ireval.rank_intervals("bootstrap").droplevel("metric")
    >>> spread["first"][spread["first"] > 0].round(2).to_dict()
    {'splade': 0.05, 'monot5': 0.66, 'duot5': 0.29}
    """
    pairing = Pairing(test)
    ranking = RankOptions(rank_interval, interval, Resamples.of(pairing.alpha, resamples), pairing)
    paired = ranking.to_rank(read_scores(scores, pairing.over))
    return like_scores(*ranking.rank(paired, ranking.significant(paired)), paired, scores)


@dataclass(frozen=True)
class RankOptions:
    """Options of rank intervals, see `rank_intervals`."""

    method: RankMethod
    interval: Interval
    resamples: Resamples
    pairing: Pairing

    def __post_init__(self) -> None:
        choice("rank_interval", self.method, METHODS)
        if self.method in {"holm", "max-t"} and not isinstance(self.pairing.test, PairedT):
            expected = (
                f"test='t' for rank_interval={self.method!r}, whose intervals are from t-tests"
            )
            raise ParameterError(expected, repr(self.pairing.test), "choose rank_interval='pairs'")
        choice("interval", self.interval, INTERVALS)

    def to_rank(self, scores: Scores) -> Scores:
        """Return the scores to rank, or raise for unsupported repeats."""
        paired = scores_to_compare(scores)
        drawn = "" if self.method == "pairs" else self.method
        self.pairing.refuse_over([paired], drawn=drawn)
        return paired

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that these options add to the columns of `summary`."""
        return RANKS if self.method == "bootstrap" else RANKS[:-1]

    def significant(self, paired: Scores) -> Array:
        """Return whether systems differ significantly, shape (metric, depth, pair)."""
        pairs = all_pairs(len(paired.systems))
        [size] = self.pairing.family_sizes([paired], [pairs])
        # p-values are computed before the warning, because an error should not follow a warning
        p = self.pairing.p_values(paired, pairs)
        warn(*without_judged([paired]), *beware_of_least(self.pairing, paired, pairs, size))
        return np.asarray((p < self.pairing.alpha) & paired.has_judged[pairs].all(axis=1))

    def rank(
        self, paired: Scores, significant: Array
    ) -> tuple[dict[str, Array], dict[str, object]]:
        """Return the columns and attributes of `rank_intervals`.

        `significant` is the result of the method `significant`.
        """

        def compute(row: int, depths: slice) -> Array:
            return self._ranks(paired, row, depths, significant[row, depths])

        systems = len(paired.systems)
        size = systems * (self.resamples.samples if self.method == "bootstrap" else systems)
        values = paired.by_piece(size, compute, axis=1)
        common = paired.where(paired.scored)
        drawn = self.method == "bootstrap" or isinstance(self.pairing.test, Bootstrap)
        columns, attributes = summarise(common, self.pairing.alpha, self.interval, drawn=drawn)
        topics = columns.pop("n")
        first = could_be_first(paired, self.resamples)
        for name, array in zip(self.columns, np.moveaxis(values, 1, 0), strict=True):
            column = array.swapaxes(1, 2)
            columns[name] = column if name == "first" else column.astype(int)
        if first is not None:
            columns[FIRST] = first.swapaxes(1, 2)
            attributes = united(attributes, caution(too_few(paired, self.resamples)))
        options = {"rank_interval": self.method} | self.pairing.attributes()
        if self.method in {"max-t", "bootstrap"}:
            options |= {"samples": self.resamples.samples, "seed": self.resamples.seed}
        return {**columns, "n_topics": topics}, attributes | options | draw_attributes([paired])

    def _ranks(self, paired: Scores, row: int, depths: slice, significant: Array) -> Array:
        """Return the columns `RANKS` of one metric.

        The result has the shape (column, depth, system), and `significant` the shape (depth, pair).
        """
        ranks = 1 + count_below(-np.round(paired.means[row, depths], TIE))
        tiers = _tiers(ranks, significant)
        if self.method == "pairs":
            low = np.ones_like(ranks)
            high = np.full_like(ranks, ranks.shape[1])
            pairs = all_pairs(ranks.shape[1])
            ahead = np.sign(ranks[:, pairs[:, 1]] - ranks[:, pairs[:, 0]]) * significant
            for side in (1, -1):
                depth, pair = np.nonzero(ahead == side)
                better, worse = pairs[pair][:, ::side].T
                np.add.at(low, (depth, worse), 1)
                np.subtract.at(high, (depth, better), 1)
            return np.stack([ranks, low, high, tiers])
        low, high, *share = (array.T for array in self.ends(paired, row, depths))
        if self.method != "bootstrap":
            # the tests may exclude the observed rank, which a user expects in the interval
            low = np.minimum(1 + low, ranks)
            high = np.maximum(ranks.shape[1] - high, ranks)
        return np.stack([ranks, low, high, tiers, *share])

    def ends(self, paired: Scores, row: int, depths: slice) -> Arrays:
        """Return arrays for rank intervals, shape (system, depth).

        For ``"holm"`` and ``"max-t"``, the result is the number of better systems and the number of
        worse systems. For ``"bootstrap"``, the result is the lower end, the upper end and the share
        of rank 1.
        """
        summary = paired.summaries[row]
        sign = paired.signs[row]
        alpha = self.pairing.alpha

        def holm(values: Array, *design: Design) -> Arrays:
            return holm_counts(sign * values, finite(values, summary), alpha, *design)

        def max_t(values: Array, *design: Design) -> Arrays:
            is_finite = finite(values, summary)
            for sampled in design:
                values = by_cluster(sampled, values)
            if values.shape[1] < 2:
                return 2 * (np.zeros((len(values), values.shape[2]), int),)
            drawn = MaxT(samples=self.resamples.samples, seed=self.resamples.seed)
            rows = zip(sign * values.T, is_finite.T, strict=True)
            counts = [_by_max_t(summed, mask, alpha, drawn) for summed, mask in rows]
            return tuple(np.stack(counts, axis=-1))

        def spread(scores: Array, *design: Design) -> Arrays:
            # sorted by name, so that rounding errors do not depend on the order of the input
            order = paired.system_order
            order = np.arange(len(scores)) if order is None else order
            ends = _spread(self.resamples, scores[order], summary, sign, *design)
            return tuple(array[np.argsort(order)] for array in ends)

        if self.method == "bootstrap":
            return paired.over(row, depths, spread)
        return paired.over_terms(row, depths, holm if self.method == "holm" else max_t)


def first_shares(paired: Scores, resamples: Resamples) -> Array:
    """Return the column ``first``, shape (metric, depth, system)."""
    uncorrected = Pairing(Significance(adjust=None, alpha=resamples.alpha))
    ranking = RankOptions("bootstrap", "logit", resamples, uncorrected)
    systems = len(paired.systems)

    def compute(row: int, depths: slice) -> Array:
        return ranking.ends(paired, row, depths)[2].T

    return paired.by_piece(systems * resamples.samples, compute)


def _spread(
    resamples: Resamples, scores: Array, summary: Summary, sign: int, *design: Design
) -> Arrays:
    """Return quantiles of resampled ranks, and shares of rank 1."""
    means = resamples.means(scores, summary, sign, *design)
    # a single topic cannot be resampled, so every rank is possible
    if np.isnan(means).any():
        lowest = np.ones(means.shape[:0:-1])
        return lowest, lowest * len(scores), lowest * np.nan
    below = count_below(-means)
    ranks = 1 + np.ascontiguousarray(below.T, dtype=np.int32)
    first = ranks == 1
    shares = (first / first.sum(axis=0)).mean(axis=-1)
    return *resamples.ends(ranks, resamples.alpha / 2), shares


def _tiers(ranks: Array, separated: Array) -> Array:
    """Return the tiers of systems, see `rank_intervals`.

    Parameters
    ----------
    ranks
        Ranks, shape (depth, system). Tied systems share the best of their ranks.
    separated
        Whether the systems of each pair differ significantly, shape (depth, pair).
    """
    depths, systems = ranks.shape
    sides = ranks[:, all_pairs(systems)].astype(int)
    better = sides.min(axis=2)
    worse = sides.max(axis=2)
    # ties are never separated, because tied systems must be in the same tier
    where = np.nonzero(separated & (better < worse))
    closest = np.zeros((depths, systems + 1), dtype=int)
    np.maximum.at(closest, (where[0], worse[where]), better[where])
    begins = np.zeros_like(closest)
    start = np.ones(depths, dtype=int)
    for rank in range(1, systems + 1):
        begins[:, rank] = closest[:, rank] >= start
        start = np.where(begins[:, rank], rank, start)
    return np.take_along_axis(1 + np.cumsum(begins, axis=1), ranks.astype(int), axis=1)
