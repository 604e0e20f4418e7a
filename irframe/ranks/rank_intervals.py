"""Which rank a system might have on all topics like these.

Verbs: rank_intervals.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.agreements.base import count_below
from irframe.arrays import Array
from irframe.checks import choice
from irframe.comparing.attainable import beware_of_least
from irframe.comparing.corrections import Significance, Tested
from irframe.comparing.pairwise import refuse_over
from irframe.comparing.significance import (
    Pairing,
    family_sizes,
    without_judged,
)
from irframe.cubes.scores import Arrays, Scores, finite
from irframe.cubes.verb import table_verb
from irframe.errors import ParameterError, caution, united, warn
from irframe.metrics.facts import TIE
from irframe.paired import Bootstrap, MaxT, PairedT, all_pairs
from irframe.paired.design import Design
from irframe.paired.differences import moments
from irframe.paired.pairs import in_blocks
from irframe.paired.randomisation import by_cluster
from irframe.ranks.first import FIRST, could_be_first, too_few
from irframe.scores.averages import Resamples
from irframe.scores.read_scores import read_scores, scores_to_compare
from irframe.scores.repeats import draw_attributes
from irframe.scores.resampling import Resampling
from irframe.scores.summary import INTERVALS, Interval, like_scores, summarise


def holm_counts(values: Array, known: Array, alpha: float, design: Design | None = None) -> Arrays:
    """Count the systems that are better and worse by t-tests, corrected as by Holm for each system.

    Parameters
    ----------
    values
        What is added up for the average, higher is better, (system, topic, depth), without NaN.
    known
        Which systems' are finite, (system, depth).
    alpha
        Half of it goes to each side.
    design
        How topics were drawn; by default independently, and all count alike.

    Returns
    -------
    better, worse : numpy.ndarray
        Shape (system, depth).

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
    compute, kinds = partial(moments, design=design), 3 * (np.float64,)
    mean, sd, freedom = in_blocks(compute, values, pairs, dtypes=kinds)
    a, b = pairs.T
    sd[(sd == 0) | ~known[a] | ~known[b]] = np.inf  # where nothing is shown
    lead = mean / (sd / np.sqrt(topics))
    ahead = np.full((depths, systems, systems), 1.0)
    ahead[:, b, a] = scipy.special.stdtr(freedom, -lead).T
    ahead[:, a, b] = scipy.special.stdtr(freedom, lead).T
    least = alpha / 2 / np.arange(systems - 1, 0, -1)
    counts = []
    for p in (ahead, ahead.swapaxes(1, 2)):  # that others are no better, and no worse
        rejected = np.sort(p, axis=-1)[..., :-1] < least
        counts.append(np.logical_and.accumulate(rejected, axis=-1).sum(axis=-1).T)
    return tuple(counts)


def _by_max_t(values: Array, known: Array, alpha: float, correction: MaxT) -> Array:
    """Return the counts of one depth, shape (2, system), from summands (topic, system)."""
    systems = len(known)
    means = values.mean(axis=0)
    counts = np.zeros((2, systems), int)
    for system in range(systems):
        others = np.flatnonzero(np.arange(systems) != system)
        pairs = np.column_stack([others, np.full(systems - 1, system)])
        apart = (correction.kernel(values, pairs) < alpha) & known[others] & known[system]
        lead = means[others] - means[system]
        counts[:, system] = (apart & (lead > 0)).sum(), (apart & (lead < 0)).sum()
    return counts


RankMethod = Literal["pairs", "holm", "max-t", "bootstrap"]
"""How the interval of a rank is found; the last one is of its spread under resampling."""
METHODS = ("pairs", "holm", "max-t", "bootstrap")
RANKS: tuple[str, ...] = ("rank", "rank_low", "rank_high", "tier", "first")
"""What is found of a system besides its summary, the last one only under resampling."""


@table_verb(repeats=True, one_unit=True)
def rank_intervals(
    scores: xr.DataArray | pd.DataFrame,
    rank_interval: RankMethod = "pairs",
    *,
    test: Tested = "t",
    interval: Interval = "logit",
    resamples: Resampling | int = 1000,
) -> xr.Dataset | pd.DataFrame:
    """Rank of every system with its confidence interval, and tiers of significant differences.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    rank_interval
        How the interval of a rank is found. ``"pairs"``, from all pairs of systems as `compare`
        decides them: systems significantly better come before, those significantly worse after. Or
        for each system by itself ``"holm"``, from its own one-sided t-tests, corrected as by Holm,
        or ``"max-t"``, from the same tests corrected by `MaxT`: these are narrower, and may name
        fewer systems that could be first than `compare` leaves. Or ``"bootstrap"``, how far the
        rank spreads under resampling of the topics, which is no confidence interval: it leaves out
        that the topics themselves came first by chance.
    test
        How a difference of any pair is called significant, as for `compare`: an
        `irframe.Significance`, or the name of a test. For ``"pairs"`` and for tiers; with
        ``"holm"`` and ``"max-t"`` the t-test. Intervals of means and ranks are at 1 - `alpha` of
        it. If systems have repeats, every `over` but ``"topic"`` needs ``"pairs"``.
    interval
        How the intervals of means are made, as for `summary`.
    resamples
        The draws that ``"max-t"`` and ``"bootstrap"`` make: an `irframe.Resampling`, or their
        number.

    Returns
    -------
    xarray.Dataset or pandas.DataFrame
        For an array a dataset over (metric, system, depth), for a frame a frame indexed by metric
        and system; After `groupby` the group comes first. Attributes say what was asked for. With

        - ``mean``, ``ci_low``, ``ci_high``, as `summary` gives them on the topics compared;
        - ``rank``, from 1, the best: one more than the number of systems that are better, so that
          systems that tie have the same;
        - ``rank_low`` and ``rank_high``, the interval of the rank, 1 to the number of systems;
        - ``could_be_first``, whether a test of just this question leaves the system; not with
          repeats, but for ``over="topic"``;
        - ``tier``, from 1, the best: neighbours in the ranking none of which differ significantly;
        - with ``"bootstrap"`` also ``first``, the share of the resamples in which the system has
          rank 1, 0 to 1, in which systems that tie for it have equal parts, so that the shares of
          all systems add up to 1. It is not the probability of being best;
        - ``n_topics``, the topics compared.

    Raises
    ------
    IrframeError
        As `compare`, and for samples or a seed out of range.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it. And as `summary`.

    Notes
    -----
    With ``"pairs"`` the interval is ``[1 + B, S - W]``, where of S systems B are significantly
    better and W significantly worse in `compare` with the same `test`. Where the correction allows
    for all pairs, as Holm's, Tukey's and max-T do, these intervals hold for all systems at once.

    With ``"holm"``, for system j, every other system k is compared with it by a one-sided t-test,
    ``p_k = P(T >= (m_k - m_j) / se_kj)`` with n - 1 degrees of freedom, m the means, and 1 where
    the standard error is 0. Holm's correction over these S - 1 tests at ``alpha / 2`` finds B
    systems better than j; likewise W systems are found worse. The interval is ``[1 + B, S - W]``.
    It holds at least as often as it says, wherever the true ranks are: topics drawn from real ones,
    95% intervals held the true rank 99 times in 100 and more in every setting of 10 to 40 systems
    and 5 to 50 topics. With ``"max-t"`` the 2(S - 1) tests of a system are corrected together, step
    down. A metric that is not averaged plainly is tested on what is added up for its average.
    Averages are rounded to 12 decimals, and lower is better for a metric that counts a cost.
    Weights of topics are those of `compare`; topics that ``"bootstrap"`` draws keep theirs.

    Under ``"bootstrap"`` topics are drawn with replacement, as many as there are; the systems are
    ranked anew by their averages in every resample. All systems, depths and metrics see the same
    draws (where topics are left out, those with the same topics do). At most ``alpha / 2`` of the
    ranks in the resamples are below ``rank_low``, and at most so many above ``rank_high``. Where
    systems are much alike these hold the true rank far less often than ``1 - alpha`` [4]_: in the
    worst of the settings above 76 times in 100 with 5 topics, in which a sole possible first was
    named in 18 of 100 draws, where Holm's intervals never did.

    Intervals answer for all ranks at once. Which systems could be first is a question about one
    place: for each system alone the largest paired t of the others against it is compared with the
    same maximum under sign flips of topics, or clusters, one-sided. Nothing is corrected for the
    number of systems, as only one is truly first: with probability ``1 - alpha`` it is among those
    left. These are therefore fewer than those with a ``rank_low`` of 1: of 143 runs of TREC-COVID
    19 by nDCG@10, where all pairs leave 50. With fewer than six topics all are left.

    Of a single topic nothing follows: every rank may be the true one, and ``first`` is NaN. Of two
    systems alone ask `compare`.

    A tier is a maximal run of neighbours that do not differ significantly after correction: the
    ranking is read from the best on, and a system begins a new tier where it differs from
    any of the tier so far. Systems that tie share a tier. The last of one tier and the first of
    the next need not differ.

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
    >>> found = scores.ireval.rank_intervals()
    >>> found.droplevel("metric")[["mean", "rank", "rank_low", "rank_high", "tier"]]
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
    return like_scores(*ranking.of(paired, ranking.apart(paired)), paired, scores)


@dataclass(frozen=True)
class RankOptions:
    """How systems are ranked, and how sure that is; the fields as the arguments of a verb."""

    method: RankMethod
    interval: Interval
    resamples: Resamples
    pairing: Pairing

    def __post_init__(self) -> None:
        choice("rank_interval", self.method, METHODS)
        if self.method in {"holm", "max-t"} and not isinstance(self.pairing.test, PairedT):
            wanted = f"test='t' for rank_interval={self.method!r}, whose intervals are from t-tests"
            raise ParameterError(wanted, repr(self.pairing.test), "choose rank_interval='pairs'")
        choice("interval", self.interval, INTERVALS)

    def to_rank(self, read: Scores) -> Scores:
        """Return scores of the systems to rank, refusing repeats without a form."""
        paired = scores_to_compare(read)
        drawn = "" if self.method == "pairs" else self.method
        how = self.pairing.over, self.pairing.test, self.pairing.adjust
        refuse_over([paired], *how, drawn=drawn)
        return paired

    @property
    def columns(self) -> tuple[str, ...]:
        """What is found of a system besides its summary."""
        return RANKS if self.method == "bootstrap" else RANKS[:-1]

    def apart(self, paired: Scores) -> Array:
        """Tell which pairs of systems differ significantly, shape (metric, depth, pair)."""
        pairs = all_pairs(len(paired.systems))
        how = self.pairing.test, self.pairing.adjust, paired, pairs
        [size] = family_sizes([paired], [pairs], self.pairing.family)
        p = self.pairing.p_values(paired, pairs)  # before cautions on a test that it may refuse
        warn(*without_judged([paired]), *beware_of_least(*how, size, self.pairing.alpha))
        return np.asarray((p < self.pairing.alpha) & paired.known[pairs].all(axis=1))

    def of(self, paired: Scores, apart: Array) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return what `rank_intervals` says of scores, as `summarise` does, given pairs apart."""

        def compute(row: int, depths: slice) -> Array:
            return self._ranks(paired, row, depths, apart[row, depths])

        systems = len(paired.systems)
        size = systems * (self.resamples.samples if self.method == "bootstrap" else systems)
        values = paired.by_piece(size, compute, axis=1)
        common = paired.where(paired.scored)
        drawn = self.method == "bootstrap" or isinstance(self.pairing.test, Bootstrap)
        columns, attributes = summarise(common, self.pairing.alpha, self.interval, drawn=drawn)
        topics, first = columns.pop("n"), could_be_first(paired, self.resamples)
        for name, array in zip(self.columns, np.moveaxis(values, 1, 0), strict=True):
            places = array.swapaxes(1, 2)
            columns[name] = places if name == "first" else places.astype(int)
        if first is not None:
            columns[FIRST] = first.swapaxes(1, 2)
            attributes = united(attributes, caution(too_few(paired, self.resamples)))
        options = {"rank_interval": self.method} | self.pairing.attributes()
        if self.method in {"max-t", "bootstrap"}:
            options |= {"samples": self.resamples.samples, "seed": self.resamples.seed}
        return {**columns, "n_topics": topics}, attributes | options | draw_attributes([paired])

    def _ranks(self, paired: Scores, row: int, depths: slice, apart: Array) -> Array:
        """Return what `columns` names, (name, depth, system), of pairs apart (depth, pair)."""
        ranks = 1 + count_below(-np.round(paired.means[row, depths], TIE))
        tiers = _tiers(ranks, apart)
        if self.method == "pairs":
            low, high = np.ones_like(ranks), np.full_like(ranks, ranks.shape[1])
            pairs = all_pairs(ranks.shape[1])
            ahead = np.sign(ranks[:, pairs[:, 1]] - ranks[:, pairs[:, 0]]) * apart
            for side in (1, -1):
                depth, pair = np.nonzero(ahead == side)
                better, worse = pairs[pair][:, ::side].T
                np.add.at(low, (depth, worse), 1)
                np.subtract.at(high, (depth, better), 1)
            return np.stack([ranks, low, high, tiers])
        low, high, *share = (array.T for array in self.ends(paired, row, depths))
        if self.method != "bootstrap":
            low, high = np.minimum(1 + low, ranks), np.maximum(ranks.shape[1] - high, ranks)
        return np.stack([ranks, low, high, tiers, *share])

    def ends(self, paired: Scores, row: int, depths: slice) -> Arrays:
        """Return what says how sure ranks are, each (system, depth)."""
        summary, sign = paired.summaries[row], paired.signs[row]
        alpha = self.pairing.alpha

        def holm(values: Array, *design: Design) -> Arrays:
            return holm_counts(sign * values, finite(values, summary), alpha, *design)

        def max_t(values: Array, *design: Design) -> Arrays:
            known = finite(values, summary)
            for each in design:
                values = by_cluster(each, values)
            if values.shape[1] < 2:
                return 2 * (np.zeros((len(values), values.shape[2]), int),)
            drawn = MaxT(samples=self.resamples.samples, seed=self.resamples.seed)
            rows: Any = zip(sign * values.T, known.T, strict=True)
            counts = [_by_max_t(one, here, alpha, drawn) for one, here in rows]
            return tuple(np.stack(counts, axis=-1))

        def spread(scores: Array, *design: Design) -> Arrays:
            order = paired.system_order
            order = np.arange(len(scores)) if order is None else order
            found = _spread(self.resamples, scores[order], summary, sign, *design)
            return tuple(array[np.argsort(order)] for array in found)

        if self.method == "bootstrap":
            return paired.over(row, depths, spread)
        return paired.given(row, depths, holm if self.method == "holm" else max_t)


def first_shares(paired: Scores, resamples: Resamples) -> Array:
    """Return in which share of resamples each system is first, shape (metric, depth, system)."""
    uncorrected = Pairing(Significance(adjust=None, alpha=resamples.alpha))
    ranking = RankOptions("bootstrap", "logit", resamples, uncorrected)
    systems = len(paired.systems)

    def compute(row: int, depths: slice) -> Array:
        return ranking.ends(paired, row, depths)[2].T

    return paired.by_piece(systems * resamples.samples, compute)


def _spread(
    resamples: Resamples, scores: Array, summary: Any, sign: int, *design: Design
) -> Arrays:
    """Return ends of the ranks in resamples, and how often they are 1, each (system, depth)."""
    means = resamples.means(scores, summary, sign, *design)
    if np.isnan(means).any():
        lowest = np.ones(means.shape[:0:-1])
        return lowest, lowest * len(scores), lowest * np.nan
    below = count_below(-means)
    ranks = 1 + np.ascontiguousarray(below.T, dtype=np.int32)
    first = ranks == 1
    shared = (first / first.sum(axis=0)).mean(axis=-1)
    return *resamples.ends(ranks, resamples.alpha / 2), shared


def _tiers(ranks: Array, separated: Array) -> Array:
    """Cut the ranking, best first, wherever a system differs significantly from one of the tier.

    Parameters
    ----------
    ranks
        Competition ranks, shape (depth, system).
    separated
        Which pairs differ significantly, shape (depth, pair).
    """
    depths, systems = ranks.shape
    sides = ranks[:, all_pairs(systems)].astype(int)
    better, worse = sides.min(axis=2), sides.max(axis=2)
    where = np.nonzero(separated & (better < worse))
    closest = np.zeros((depths, systems + 1), dtype=int)
    np.maximum.at(closest, (where[0], worse[where]), better[where])
    begins = np.zeros_like(closest)
    start = np.ones(depths, dtype=int)
    for rank in range(1, systems + 1):
        begins[:, rank] = closest[:, rank] >= start
        start = np.where(begins[:, rank], rank, start)
    return np.take_along_axis(1 + np.cumsum(begins, axis=1), ranks.astype(int), axis=1)
