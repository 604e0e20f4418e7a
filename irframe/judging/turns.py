"""Ways to choose the next document to judge, the order they give, and what budgets change."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr

from irframe.agreements import parse_agreement
from irframe.arrays import Array
from irframe.comparing.significance import Pairing
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import condense
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import ParameterError
from irframe.experiments.experiment import fewer_judged
from irframe.judging.candidates import Candidates, ListedDocuments, Prior, read_prior, tally
from irframe.judging.judge_effect import agreement_of, conclude, winners
from irframe.judging.judging_method import JudgingMethod
from irframe.metrics import Metric
from irframe.metrics.facts import TIE
from irframe.names import SYSTEM
from irframe.scores.read_scores import scores_to_compare


class Outcome(NamedTuple):
    """What became of one document of each of some topics, shape (topic,)."""

    topic: Array
    document: Array
    run: Array
    """On whose account it was chosen."""
    relevant: Array
    """How relevant it is, from 0 to 1."""


class Judging(ABC):
    """What a method knows while documents are judged.

    Parameters
    ----------
    pool
        The documents.
    prior
        How likely they are relevant, if anything says so.
    weight
        How much a document counts for every run, shape (topic, document, system), where the
        method learns of all runs that have it.
    """

    by_account = False
    """Whether its state depends on the run on whose account a document was judged."""
    random = False
    """Whether runs that tie take turns in an order that a seed decides."""

    def __init__(
        self, pool: Candidates, prior: Prior | None = None, weight: Array | None = None
    ) -> None:
        self.pool, self.prior, self.weight = pool, prior, weight
        self.open = pool.there.copy()
        self.topics = np.arange(len(self.open))
        self.run = np.zeros(len(self.open), np.intp)  # on whose account each document was chosen
        self.found = np.ones((len(self.open), pool.rank.shape[-1]))  # by topic and run
        self.seen = 2 * self.found

    @abstractmethod
    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority; -1 where none is left."""

    def take(self, topic: Array, document: Array) -> None:
        """Choose one document of each of some topics no more."""
        self.open[topic, document] = False

    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out that were taken."""
        if self.weight is not None:
            weight = self.weight[outcome.topic, outcome.document]
            self.found[outcome.topic] += weight * outcome.relevant[:, np.newaxis]
            self.seen[outcome.topic] += weight

    def begin(self, judged: Array, relevant: Array) -> None:
        """Take in all documents that were judged before, shape (topic, document)."""
        self.open &= ~judged
        if self.weight is not None:
            hits, seen = tally(judged, relevant, self.weight)
            self.found, self.seen = 1 + hits, 2 + seen

    def _best(self, priority: Array) -> tuple[Array, Array]:
        """Return the open documents of highest priority, ties by name."""
        given = priority if self.prior is None else priority * self.prior.likely()
        rounded = np.where(self.open, np.round(given, TIE), -np.inf)
        best = rounded.argmax(axis=-1) if rounded.shape[1] else np.zeros(len(rounded), int)
        left = np.asarray(self.open.any(axis=-1))
        values = np.full(len(left), np.nan)
        values[left] = given[self.topics[left], best[left]]
        return np.where(left, best, -1), values


class PoolOrder(Judging):
    """By best rank, then by how many lists have it there, then by name."""

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority."""
        return self._best(self.pool.earliness)


class Leverage(Judging):
    """What tells systems apart and is likely relevant."""

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        super().__init__(pool, prior, pool.weight)

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority."""
        likely = self.pool.likely(self.found / self.seen)
        return self._best(self.pool.leverage * likely**2)


class OfRuns(Judging, ABC):
    """Takes the next open document of the run that is best so far."""

    random = True

    def __init__(
        self, pool: Candidates, prior: Prior | None = None, weight: Array | None = None
    ) -> None:
        super().__init__(pool, prior, weight)
        topics, _, systems = pool.rank.shape
        deepest = int(pool.rank.max(initial=1))
        self.lists = np.full((topics, systems, deepest), -1, np.int32)
        topic, document, system = np.nonzero(pool.listed)
        self.lists[topic, system, pool.rank[topic, document, system] - 1] = document
        self.left = np.count_nonzero(self.lists >= 0, axis=-1)
        self.turn = np.zeros(topics, np.int64)

    @abstractmethod
    def standing(self) -> Array:
        """Return how good every run is so far, shape (topic, system)."""

    def next(self) -> tuple[Array, Array]:
        """Return the next document of the best run of every topic, and how good the run is."""
        standing = self.standing()
        if self.prior is not None:
            every = self._first_open(self.topics[:, np.newaxis], self.lists)
            standing = standing * np.take_along_axis(self.prior.likely(), every, axis=-1)
        rounded = np.where(self.left > 0, np.round(standing, TIE), -np.inf)
        best = rounded == rounded.max(axis=-1, initial=-np.inf, keepdims=True)
        lot = self.pool.lot(self.turn)
        self.run = self._stay(np.where(best, lot, np.iinfo(lot.dtype).max).argmin(axis=-1))
        document = self._first_open(self.topics, self.lists[self.topics, self.run])
        remaining = self.left.any(axis=-1)
        chosen = np.where(remaining, standing[self.topics, self.run], np.nan)
        return np.where(remaining, document, -1), chosen

    def _stay(self, run: Array) -> Array:
        """Return the runs to take, given those that are best so far."""
        return run

    def _first_open(self, topic: Array, lists: Array) -> Array:
        """Return the first open document of lists, of topics of the same shape but for ranks."""
        if not self.open.size:
            return np.zeros(lists.shape[:-1], np.int32)
        place = (self.open[topic[..., np.newaxis], lists] & (lists >= 0)).argmax(axis=-1)
        return np.take_along_axis(lists, place[..., np.newaxis], axis=-1)[..., 0]

    def take(self, topic: Array, document: Array) -> None:
        """Choose one document of each of some topics no more."""
        super().take(topic, document)
        self.turn[topic] += 1
        self.left[topic] -= self.pool.listed[topic, document]

    def begin(self, judged: Array, relevant: Array) -> None:
        """Take in all documents that were judged before."""
        super().begin(judged, relevant)
        self.turn += judged.sum(axis=-1)
        self.left = (self.pool.listed & self.open[..., np.newaxis]).sum(axis=1)


class MoveToFront(OfRuns):
    """Stays with a run while its documents are relevant; then another one is first."""

    by_account = True

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        if prior is not None:
            wanted = "a method that a prior can weigh: 'pool', 'maxmean' or 'leverage'"
            raise ParameterError(wanted, "'mtf', whose priorities only say which run is next")
        super().__init__(pool)
        self.priority = np.zeros(self.left.shape)
        self.front = np.full(len(self.left), -1)

    def standing(self) -> Array:
        """Return minus the documents judged on account of each run that were not relevant."""
        return self.priority

    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out."""
        self.priority[outcome.topic, outcome.run] -= 1 - outcome.relevant
        self.front[outcome.topic] = np.where(outcome.relevant < 1, -1, outcome.run)

    def _stay(self, run: Array) -> Array:
        """Return the runs in front that have documents left, others where none is in front."""
        stays = (self.front >= 0) & (self.left[self.topics, self.front] > 0)
        return np.where(stays, self.front, run)


class MaxMeanOfAll(OfRuns):
    """Takes the run most likely to be right, by all documents of it that were judged."""

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        super().__init__(pool, prior, pool.listed)

    def standing(self) -> Array:
        """Return the mean of the Beta distribution of every run."""
        return np.asarray(self.found / self.seen)


class MaxMeanOfRun(MaxMeanOfAll):
    """Takes the run most likely to be right, by the documents judged on its account."""

    by_account = True

    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out."""
        self.found[outcome.topic, outcome.run] += outcome.relevant
        self.seen[outcome.topic, outcome.run] += 1


METHODS: dict[str, type[Judging]] = {
    "pool": PoolOrder,
    "mtf": MoveToFront,
    "maxmean": MaxMeanOfAll,
    "maxmean(credit='run')": MaxMeanOfRun,
    "leverage": Leverage,
}
"""Every method by name; ``maxmean`` for whichever runs a judgment counts."""


class Turns(NamedTuple):
    """What was judged, turn by turn, of each the topics in order."""

    turn: Array
    topic: Array
    document: Array
    """Places of documents in the pool of their topic."""
    priority: Array
    """How good the choice was, by what the method goes by."""


def take_turns(
    method: Judging, relevant: Array, turns: int, *, batch: int = 1, known: Array | None = None
) -> Turns:
    """Judge one document of every topic at each turn.

    Parameters
    ----------
    method
        What chooses, with all that it knows.
    relevant
        How relevant each document turns out, or is taken to be, from 0 to 1; (topic, document).
    turns
        How many documents of a topic to judge at most.
    batch
        How many of them are chosen before the method learns how relevant they are, at least 1.
    known
        Which documents are judged before the first turn, shape (topic, document).

    Returns
    -------
    Turns
        What was judged, as many turns as some topic had documents for.
    """
    before = np.zeros(relevant.shape, bool) if known is None else known
    if not method.by_account:
        method.begin(before, relevant)
    chosen: list[tuple[Array, ...]] = []
    waiting: list[Outcome] = []
    for turn in range(1, turns + 1):
        document, priority = _next_unknown(method, relevant, before)
        topic = np.flatnonzero(document >= 0)
        if not len(topic):
            break
        taken = document[topic]
        method.take(topic, taken)
        waiting.append(Outcome(topic, taken, method.run[topic], relevant[topic, taken]))
        chosen.append((np.full(len(topic), turn - 1), topic, taken, priority[topic]))
        if turn % batch == 0:
            for learned in waiting:
                method.learn(learned)
                if method.prior is not None:
                    method.prior.learn(learned.topic, learned.document, learned.relevant)
            waiting.clear()
    none = np.zeros(0, np.int64)
    return Turns(*map(np.concatenate, zip((none,) * 4, *chosen, strict=True)))


def _next_unknown(method: Judging, relevant: Array, known: Array) -> tuple[Array, Array]:
    """Return the next documents, after the method has passed those that are judged already."""
    while True:
        document, priority = method.next()
        topic = np.flatnonzero(document >= 0)
        topic = topic[known[topic, document[topic]]]
        if not len(topic):
            return document, priority
        passed = document[topic]
        method.take(topic, passed)
        method.learn(Outcome(topic, passed, method.run[topic], relevant[topic, passed]))


Found = dict[str, Array]
"""What one sample found, by name; see `irframe.verbs.replay`."""
FOUND = ("judged", "found", "tau", "tau_ap", "conclusions", "kept", "changed", "change")


@dataclass(frozen=True, eq=False)
class Trial:
    """How documents are judged, and what is asked of the judgments."""

    documents: ListedDocuments
    methods: Sequence[JudgingMethod]
    budgets: Sequence[int]
    metrics: Sequence[Metric]
    at: int
    pairing: Pairing
    condensed: bool
    rel: int

    def judge_each(self, drawn: Iterable[Array], seed: int, *, alike: bool) -> list[Found]:
        """Judge once for each of some samples.

        Parameters
        ----------
        drawn
            The places of the systems that make the pool in each.
        seed
            Of ties in the first of them.
        alike
            Whether the same systems make it in all, so that only methods that draw differ.
        """
        done: list[Found] = []
        for sample, systems in enumerate(drawn):
            done.append(self._judge(systems, seed + sample, done[0] if alike and done else None))
        return done

    def _judge(self, systems: Array, seed: int, first: Found | None) -> Found:
        pool, row = self.documents.pool(systems, seed), self.documents.row
        relevant = pool.there & (self.documents.judgments.grade[row] >= self.rel)
        full = self.score(row[pool.there])
        helps = np.isin(np.arange(full.sizes[SYSTEM]), systems)
        rows = []
        for place, way in enumerate(self.methods):
            if first is not None and not METHODS[way.key].random:
                rows.append([part[place] for part in first.values()])
                continue
            method = METHODS[way.key](pool, read_prior(way.prior, self.documents, pool.there))
            turns = take_turns(method, relevant.astype(float), max(self.budgets), batch=way.batch)
            rows.append(self._by_budget(turns, relevant, full, helps))
        return dict(zip(FOUND, map(np.stack, zip(*rows, strict=True)), strict=True))

    def score(self, rows: Array) -> xr.DataArray:
        """Return scores with only some documents judged, given where these stand."""
        cube = self.documents.cube
        experiment = experiment_of(cube)
        kept = np.zeros(len(experiment.judgments.row), bool)
        kept[rows] = True
        fewer = shown_as(cube, fewer_judged(experiment, kept))
        fewer = condense(fewer) if self.condensed else fewer
        at = wanted_depths(cube, self.metrics, self.at)
        return score(fewer, *self.metrics, at=at).reset_coords(drop=True)

    def _by_budget(
        self, turns: Turns, relevant: Array, full: xr.DataArray, helps: Array
    ) -> list[Array]:
        """Return what is found with every budget, one array for each of `FOUND`."""
        row, rows = self.documents.row, []
        for budget in self.budgets:
            within = turns.turn < budget
            judged = turns.topic[within], turns.document[within]
            counts = np.array([len(judged[0]), relevant[judged].sum()]) / len(row)
            rows.append((*counts, *self._held(full, self.score(row[judged]), helps)))
        return [np.stack(part) for part in zip(*rows, strict=True)]

    def _held(self, full: xr.DataArray, new: xr.DataArray, helps: Array) -> tuple[Array, ...]:
        """Return tau, tau_ap, conclusions, their shares and change against full judgments."""
        there = (full.notnull() & new.notnull()).all(SYSTEM)
        held, other = (scores_to_compare(scores.where(there), quiet=True) for scores in (full, new))
        agreed = [agreement_of(held, [other], parse_agreement(m)) for m in ("kendall", "tau_ap")]
        counts = conclude(winners(held, self.pairing), [winners(other, self.pairing)])[0, :, 0]
        kept, lost, begun, turned, _ = counts.T
        significant = kept + lost + turned
        old, now = held.means[:, 0], other.means[:, 0]
        change = np.full(len(old), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(significant > 0, kept / significant, np.nan)
            if not helps.all():
                rest, own = (
                    now[:, side].mean(axis=1) / old[:, side].mean(axis=1)
                    for side in (~helps, helps)
                )
                change = 100 * (rest - own)
        changed = (lost + begun + turned) / counts.sum(axis=-1)
        return *(values[0, :, 0] for values in agreed), counts, share, changed, change
