"""Ways to choose the next document to judge, in all topics at once.

A method begins on a pool, says which document of every topic is next, and takes in how relevant it
was. What is judged before it begins is taken in likewise, by those whose state is on whose account
a document was judged in the order in which they would have come to it.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from irframe.arrays import Array
from irframe.errors import ParameterError
from irframe.metrics.facts import TIE
from irframe.studies.judging.candidates import Pool
from irframe.studies.judging.prior import Prior


class Outcome(NamedTuple):
    """What became of one document of each of some topics, shape (topic,)."""

    topic: Array
    document: Array
    run: Array
    """On whose account it was chosen."""
    relevant: Array
    """How relevant it is, from 0 to 1."""


class Judging(ABC):
    """What a method knows while documents are judged."""

    by_account = False
    """Whether its state depends on the run on whose account a document was judged."""
    random = False
    """Whether runs that tie take turns in an order that a seed decides."""

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
        self.pool, self.prior = pool, prior
        self.open = pool.there.copy()
        self.topics = np.arange(len(self.open))
        self.run = np.zeros(len(self.open), np.intp)  # on whose account each document was chosen

    @abstractmethod
    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority; -1 where none is left."""

    def take(self, topic: Array, document: Array) -> None:
        """Choose one document of each of some topics no more."""
        self.open[topic, document] = False

    @abstractmethod
    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out that were taken."""

    def begin(self, judged: Array, relevant: Array) -> None:  # noqa: ARG002 - others read it
        """Take in all documents that were judged before, shape (topic, document)."""
        self.open &= ~judged

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

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
        super().__init__(pool, prior)
        lists = 1 + pool.rank.shape[-1]
        beyond = pool.best_rank - pool.runs_there / lists  # before the next rank, whoever has it
        with np.errstate(divide="ignore"):
            self.priority = np.where(pool.there, 1 / (beyond + 1), 0.0)

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority."""
        return self._best(self.priority)

    def learn(self, outcome: Outcome) -> None:
        """Take in what changes nothing."""


class Leverage(Judging):
    """What tells systems apart and is likely relevant."""

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
        super().__init__(pool, prior)
        self.found = np.ones((len(self.open), pool.rank.shape[-1]))
        self.seen = 2 * self.found

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic and its priority."""
        likely = self.pool.likely(self.found / self.seen)
        return self._best(self.pool.leverage * likely**2)

    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out."""
        weight = self.pool.weight[outcome.topic, outcome.document]
        self.found[outcome.topic] += weight * outcome.relevant[:, np.newaxis]
        self.seen[outcome.topic] += weight

    def begin(self, judged: Array, relevant: Array) -> None:
        """Take in all documents that were judged before."""
        super().begin(judged, relevant)
        found, seen = self.pool.tally(judged, relevant)
        self.found, self.seen = 1 + found, 2 + seen


class OfRuns(Judging, ABC):
    """Takes the next open document of the run that is best so far."""

    random = True

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
        super().__init__(pool, prior)
        topics, _, systems = pool.rank.shape
        deepest = int(pool.rank.max(initial=1))
        self.lists = np.full((topics, systems, deepest), -1, np.int32)
        topic, document, system = np.nonzero(pool.listed)
        self.lists[topic, system, pool.rank[topic, document, system] - 1] = document
        self.waiting = self.lists >= 0
        self.left = np.count_nonzero(self.waiting, axis=-1)
        self.turn = np.zeros(topics, np.int64)

    @abstractmethod
    def standing(self) -> Array:
        """Return how good every run is so far, shape (topic, system)."""

    def next(self) -> tuple[Array, Array]:
        """Return the next document of the best run of every topic, and how good the run is."""
        standing = self.standing()
        if self.prior is not None:
            standing = standing * self._likely_next(self.prior)
        rounded = np.where(self.left > 0, np.round(standing, TIE), -np.inf)
        best = rounded == rounded.max(axis=-1, initial=-np.inf, keepdims=True)
        lot = self.pool.lot(self.turn)
        self.run = self._stay(np.where(best, lot, np.iinfo(lot.dtype).max).argmin(axis=-1))
        place = self.waiting[self.topics, self.run].argmax(axis=-1)
        document = self.lists[self.topics, self.run, place]
        some = self.left.any(axis=-1)
        chosen = np.where(some, standing[self.topics, self.run], np.nan)
        return np.where(some, document, -1), chosen

    def _stay(self, run: Array) -> Array:
        """Return the runs to take, given those that are best so far."""
        return run

    def _likely_next(self, prior: Prior) -> Array:
        """Return how likely the next document of every run is relevant, (topic, system)."""
        place = self.waiting.argmax(axis=-1)[..., np.newaxis]
        document = np.take_along_axis(self.lists, place, axis=-1)[..., 0]
        return np.take_along_axis(prior.likely(), document, axis=-1)

    def take(self, topic: Array, document: Array) -> None:
        """Choose one document of each of some topics no more."""
        super().take(topic, document)
        self.turn[topic] += 1
        row, system = np.nonzero(self.pool.listed[topic, document])
        rank = self.pool.rank[topic[row], document[row], system]
        self.waiting[topic[row], system, rank - 1] = False
        self.left[topic[row], system] -= 1

    def begin(self, judged: Array, relevant: Array) -> None:
        """Take in all documents that were judged before."""
        super().begin(judged, relevant)
        if not judged.size:
            return
        self.turn += judged.sum(axis=-1)
        gone = (self.lists >= 0) & np.take_along_axis(
            judged, np.maximum(self.lists, 0).reshape(len(judged), -1), axis=-1
        ).reshape(self.lists.shape)
        self.waiting &= ~gone
        self.left = np.count_nonzero(self.waiting, axis=-1)


class MoveToFront(OfRuns):
    """Stays with a run while its documents are relevant; then another one is first."""

    by_account = True

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
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

    def __init__(self, pool: Pool, prior: Prior | None = None) -> None:
        super().__init__(pool, prior)
        self.found = np.ones(self.left.shape)
        self.seen = 2 * self.found

    def standing(self) -> Array:
        """Return the mean of the Beta distribution of every run."""
        return np.asarray(self.found / self.seen)

    def learn(self, outcome: Outcome) -> None:
        """Take in how relevant documents turned out."""
        has = self.pool.listed[outcome.topic, outcome.document]
        self.found[outcome.topic] += has * outcome.relevant[:, np.newaxis]
        self.seen[outcome.topic] += has

    def begin(self, judged: Array, relevant: Array) -> None:
        """Take in all documents that were judged before."""
        super().begin(judged, relevant)
        has = self.pool.listed & judged[..., np.newaxis]
        self.found = 1 + (has * relevant[..., np.newaxis]).sum(axis=1)
        self.seen = 2.0 + has.sum(axis=1)


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
