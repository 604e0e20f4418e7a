"""Methods that choose documents to judge, and their simulation."""

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
from irframe.evaluation.rejudged import fewer_judged
from irframe.judging.candidates import (
    Candidates,
    JudgingMethod,
    ListedDocuments,
    Prior,
    read_prior,
    tally,
)
from irframe.judging.judge_effect import agreement_of, conclude, winners
from irframe.metrics import Metric
from irframe.metrics.facts import TIE
from irframe.names import SYSTEM
from irframe.scores.read_scores import scores_to_compare


class Outcome(NamedTuple):
    """Judgments of one document per topic, shape (topic,)."""

    topic: Array
    document: Array
    run: Array
    """Position of the run from which the document was chosen."""
    relevant: Array
    """Relevance of the document, from 0 to 1."""


class Judging(ABC):
    """Base class of methods, with their state during judging.

    Parameters
    ----------
    pool
        The candidate documents.
    prior
        Prior probabilities of relevance, or None.
    weight
        Weight of a judgment of each document for each run, shape (topic, document, system), or None
        if a judgment does not affect all runs that retrieved the document.
    """

    by_account = False
    """Whether the state of a method depends on the run from which a document was chosen."""
    random = False
    """Whether the choices of a method depend on the random order of tied runs."""

    def __init__(
        self, pool: Candidates, prior: Prior | None = None, weight: Array | None = None
    ) -> None:
        self.pool = pool
        self.prior = prior
        self.weight = weight
        self.open = pool.exists.copy()
        self.topics = np.arange(len(self.open))
        # for each topic, the run from which the method chose the most recent document
        self.run = np.zeros(len(self.open), np.intp)
        # the prior Beta(1, 1) of each run's precision counts as two judged documents, one of them
        # relevant
        self.hits = np.ones((len(self.open), pool.rank.shape[-1]))  # shape (topic, run)
        self.seen = 2 * self.hits

    @abstractmethod
    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic, and its priority.

        The document is -1 if no candidate of the topic is left.
        """

    def take(self, topic: Array, document: Array) -> None:
        """Mark documents as chosen, at most one per topic."""
        self.open[topic, document] = False

    def learn(self, outcome: Outcome) -> None:
        """Update the state with the relevance of chosen documents."""
        if self.weight is not None:
            weight = self.weight[outcome.topic, outcome.document]
            self.hits[outcome.topic] += weight * outcome.relevant[:, np.newaxis]
            self.seen[outcome.topic] += weight

    def begin(self, judged: Array, relevant: Array) -> None:
        """Update the state with earlier judgments, shape (topic, document)."""
        self.open &= ~judged
        if self.weight is not None:
            relevant_weight, judged_weight = tally(judged, relevant, self.weight)
            self.hits = 1 + relevant_weight
            self.seen = 2 + judged_weight

    def _best(self, priority: Array) -> tuple[Array, Array]:
        """Return the best unjudged document per topic, and its priority."""
        weighted = priority if self.prior is None else priority * self.prior.likely()
        # after rounding, priorities that differed by rounding errors are equal, so that ids decide
        rounded = np.where(self.open, np.round(weighted, TIE), -np.inf)
        # np.argmax fails for an axis without elements, which a pool without documents has
        best = rounded.argmax(axis=-1) if rounded.shape[1] else np.zeros(len(rounded), int)
        has_open = np.asarray(self.open.any(axis=-1))
        values = np.full(len(has_open), np.nan)
        values[has_open] = weighted[self.topics[has_open], best[has_open]]
        return np.where(has_open, best, -1), values


class PoolOrder(Judging):
    """Method ``pool``: documents by best rank, then name."""

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic, and its priority."""
        return self._best(self.pool.earliness)


class Leverage(Judging):
    """Method ``leverage``: spread of ranks times squared probability of relevance."""

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        super().__init__(pool, prior, pool.weight)

    def next(self) -> tuple[Array, Array]:
        """Return the next document of every topic, and its priority."""
        likely = self.pool.likely(self.hits / self.seen)
        return self._best(self.pool.leverage * likely**2)


class RunChoice(Judging, ABC):
    """Base class of methods that choose a run first."""

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
        self.n_open = np.count_nonzero(self.lists >= 0, axis=-1)
        self.turn = np.zeros(topics, np.int64)

    @abstractmethod
    def quality(self) -> Array:
        """Return the criterion for choosing runs, shape (topic, system)."""

    def next(self) -> tuple[Array, Array]:
        """Return the best run's next document, and the run's quality."""
        quality = self.quality()
        if self.prior is not None:
            # lists without a remaining document get an arbitrary document here, and are excluded
            # below
            every = self._first_open(self.topics[:, np.newaxis], self.lists)
            quality = quality * np.take_along_axis(self.prior.likely(), every, axis=-1)
        rounded = np.where(self.n_open > 0, np.round(quality, TIE), -np.inf)
        best = rounded == rounded.max(axis=-1, initial=-np.inf, keepdims=True)
        # random keys of the best runs alone are compared, so every tied run can win
        keys = self.pool.tie_keys(self.turn)
        self.run = self._stay(np.where(best, keys, np.iinfo(keys.dtype).max).argmin(axis=-1))
        document = self._first_open(self.topics, self.lists[self.topics, self.run])
        remaining = self.n_open.any(axis=-1)
        chosen = np.where(remaining, quality[self.topics, self.run], np.nan)
        return np.where(remaining, document, -1), chosen

    def _stay(self, run: Array) -> Array:
        """Return the run that provides the document, by default `run`."""
        return run

    def _first_open(self, topic: Array, lists: Array) -> Array:
        """Return each list's first document that is not chosen yet.

        `topic` contains the topic of each list. The last dimension of `lists` is the rank.
        """
        if not self.open.size:
            return np.zeros(lists.shape[:-1], np.int32)
        # position -1, after the end of a list, would select the last document of the topic
        index = (self.open[topic[..., np.newaxis], lists] & (lists >= 0)).argmax(axis=-1)
        return np.take_along_axis(lists, index[..., np.newaxis], axis=-1)[..., 0]

    def take(self, topic: Array, document: Array) -> None:
        """Mark documents as chosen, at most one per topic."""
        super().take(topic, document)
        self.turn[topic] += 1
        self.n_open[topic] -= self.pool.listed[topic, document]

    def begin(self, judged: Array, relevant: Array) -> None:
        """Update the state with earlier judgments, shape (topic, document)."""
        super().begin(judged, relevant)
        # a repeated call continues the random order where earlier judging stopped
        self.turn += judged.sum(axis=-1)
        self.n_open = (self.pool.listed & self.open[..., np.newaxis]).sum(axis=1)


class MoveToFront(RunChoice):
    """Method ``mtf``, which leaves a run after a non-relevant document."""

    by_account = True

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        if prior is not None:
            expected = "a method that accepts a prior: 'pool', 'maxmean' or 'leverage'"
            raise ParameterError(expected, "'mtf', which ranks runs instead of documents")
        super().__init__(pool)
        self.priority = np.zeros(self.n_open.shape)
        self.front = np.full(len(self.n_open), -1)

    def quality(self) -> Array:
        """Return minus the number of non-relevant documents of each run."""
        return self.priority

    def learn(self, outcome: Outcome) -> None:
        """Update the state with the relevance of chosen documents."""
        self.priority[outcome.topic, outcome.run] -= 1 - outcome.relevant
        self.front[outcome.topic] = np.where(outcome.relevant < 1, -1, outcome.run)

    def _stay(self, run: Array) -> Array:
        """Return the current run while documents remain, else `run`."""
        stays = (self.front >= 0) & (self.n_open[self.topics, self.front] > 0)
        return np.where(stays, self.front, run)


class MaxMeanOfAll(RunChoice):
    """Method ``maxmean`` that credits all runs that retrieved the document."""

    def __init__(self, pool: Candidates, prior: Prior | None = None) -> None:
        super().__init__(pool, prior, pool.listed)

    def quality(self) -> Array:
        """Return the posterior mean of the precision of each run."""
        return np.asarray(self.hits / self.seen)


class MaxMeanOfRun(MaxMeanOfAll):
    """Method ``maxmean`` that credits only the chosen run."""

    by_account = True

    def learn(self, outcome: Outcome) -> None:
        """Update the state with the relevance of chosen documents."""
        self.hits[outcome.topic, outcome.run] += outcome.relevant
        self.seen[outcome.topic, outcome.run] += 1


METHODS: dict[str, type[Judging]] = {
    "pool": PoolOrder,
    "mtf": MoveToFront,
    "maxmean": MaxMeanOfAll,
    "maxmean(credit='run')": MaxMeanOfRun,
    "leverage": Leverage,
}
"""Mapping from the key of a judging method to its class. ``maxmean`` has one key per credit."""


class Turns(NamedTuple):
    """Chosen documents, at most one per topic and turn."""

    turn: Array
    topic: Array
    document: Array
    """Position of each document among the candidates of its topic."""
    priority: Array
    """Value of the method's criterion for each document."""


def take_turns(
    method: Judging, relevant: Array, turns: int, *, batch: int = 1, judged: Array | None = None
) -> Turns:
    """Choose one document per topic in each turn.

    Parameters
    ----------
    method
        The method that chooses documents. The function changes the state of the method.
    relevant
        Relevance or probability of relevance of each document, from 0 to 1, shape (topic,
        document).
    turns
        Largest number of documents to judge per topic.
    batch
        Number of documents per topic that are chosen before the method learns their relevance, at
        least 1.
    judged
        Whether each document is already judged, shape (topic, document). By default no document is
        judged.

    Returns
    -------
    Turns
        The chosen documents. A topic has fewer than `turns` chosen documents if it has fewer
        unjudged candidates.
    """
    before = np.zeros(relevant.shape, bool) if judged is None else judged
    # methods that track the chosen run must repeat earlier choices, because judgments do not
    # contain the run
    if not method.by_account:
        method.begin(before, relevant)
    chosen: list[tuple[Array, ...]] = []
    waiting: list[Outcome] = []
    for turn in range(1, turns + 1):
        document, priority = _next_unknown(method, relevant, before)
        topic = np.flatnonzero(document >= 0)
        if not len(topic):
            break
        docs = document[topic]
        method.take(topic, docs)
        waiting.append(Outcome(topic, docs, method.run[topic], relevant[topic, docs]))
        chosen.append((np.full(len(topic), turn - 1), topic, docs, priority[topic]))
        if turn % batch == 0:
            for learned in waiting:
                method.learn(learned)
                if method.prior is not None:
                    method.prior.learn(learned.topic, learned.document, learned.relevant)
            waiting.clear()
    # np.concatenate needs at least one array, even if no document was chosen
    none = np.zeros(0, np.int64)
    return Turns(*map(np.concatenate, zip((none,) * 4, *chosen, strict=True)))


def _next_unknown(method: Judging, relevant: Array, judged: Array) -> tuple[Array, Array]:
    """Return each topic's next document that has no earlier judgment."""
    while True:
        document, priority = method.next()
        topic = np.flatnonzero(document >= 0)
        topic = topic[judged[topic, document[topic]]]
        if not len(topic):
            return document, priority
        passed = document[topic]
        method.take(topic, passed)
        method.learn(Outcome(topic, passed, method.run[topic], relevant[topic, passed]))


SampleResult = dict[str, Array]
"""Type of the results of one sample, which map the variables of `replay` to arrays."""
RESULTS = ("judged", "found", "tau", "tau_ap", "conclusions", "kept", "changed", "change")


@dataclass(frozen=True, eq=False)
class Trial:
    """Simulation of judging for `replay`, with its options."""

    documents: ListedDocuments
    methods: Sequence[JudgingMethod]
    budgets: Sequence[int]
    metrics: Sequence[Metric]
    at: int
    pairing: Pairing
    condensed: bool
    rel: int

    def judge_each(self, drawn: Iterable[Array], seed: int, *, alike: bool) -> list[SampleResult]:
        """Simulate judging in every sample, and return the results.

        Parameters
        ----------
        drawn
            Positions of the contributing systems in each sample.
        seed
            Seed of the order of tied runs in the first sample. The seed increases by 1 with every
            sample.
        alike
            Whether all samples have the same contributing systems. The results of methods that do
            not break ties at random are then copied from the first sample.
        """
        results: list[SampleResult] = []
        for sample, systems in enumerate(drawn):
            first = results[0] if alike and results else None
            results.append(self._judge(systems, seed + sample, first))
        return results

    def _judge(self, systems: Array, seed: int, first: SampleResult | None) -> SampleResult:
        pool = self.documents.pool(systems, seed)
        row = self.documents.row
        # row -1 marks padding, which `exists` excludes, because all documents here are judged
        relevant = pool.exists & (self.documents.judgments.grade[row] >= self.rel)
        full = self.score(row[pool.exists])
        contributes = np.isin(np.arange(full.sizes[SYSTEM]), systems)
        rows = []
        for index, choice in enumerate(self.methods):
            if first is not None and not METHODS[choice.key].random:
                rows.append([values[index] for values in first.values()])
                continue
            method = METHODS[choice.key](
                pool, read_prior(choice.prior, self.documents, pool.exists)
            )
            turns = take_turns(
                method, relevant.astype(float), max(self.budgets), batch=choice.batch
            )
            rows.append(self._by_budget(turns, relevant, full, contributes))
        return dict(zip(RESULTS, map(np.stack, zip(*rows, strict=True)), strict=True))

    def score(self, rows: Array) -> xr.DataArray:
        """Return the scores with only the judgments in `rows`."""
        cube = self.documents.cube
        experiment = experiment_of(cube)
        is_judged = np.zeros(len(experiment.judgments.row), bool)
        is_judged[rows] = True
        fewer = shown_as(cube, fewer_judged(experiment, is_judged))
        fewer = condense(fewer) if self.condensed else fewer
        at = wanted_depths(cube, self.metrics, self.at)
        return score(fewer, *self.metrics, at=at).reset_coords(drop=True)

    def _by_budget(
        self, turns: Turns, relevant: Array, full: xr.DataArray, contributes: Array
    ) -> list[Array]:
        """Return an array over budgets for every name in `RESULTS`."""
        row = self.documents.row
        rows = []
        # turns do not depend on later turns, so one simulation serves all budgets
        for budget in self.budgets:
            within = turns.turn < budget
            judged = turns.topic[within], turns.document[within]
            counts = np.array([len(judged[0]), relevant[judged].sum()]) / len(row)
            rows.append((*counts, *self._against_full(full, self.score(row[judged]), contributes)))
        return [np.stack(values) for values in zip(*rows, strict=True)]

    def _against_full(
        self, full: xr.DataArray, new: xr.DataArray, contributes: Array
    ) -> tuple[Array, ...]:
        """Compare the scores under fewer judgments with the full scores."""
        scored = (full.notnull() & new.notnull()).all(SYSTEM)
        base, other = (
            scores_to_compare(scores.where(scored), quiet=True) for scores in (full, new)
        )
        agreed = [agreement_of(base, [other], parse_agreement(m)) for m in ("kendall", "tau_ap")]
        counts = conclude(winners(base, self.pairing), [winners(other, self.pairing)])[0, :, 0]
        kept, lost, new_only, turned, _ = counts.T
        significant = kept + lost + turned
        old_means = base.means[:, 0]
        new_means = other.means[:, 0]
        change = np.full(len(old_means), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(significant > 0, kept / significant, np.nan)
            if not contributes.all():
                outside, inside = (
                    new_means[:, side].mean(axis=1) / old_means[:, side].mean(axis=1)
                    for side in (~contributes, contributes)
                )
                change = 100 * (outside - inside)
        changed = (lost + new_only + turned) / counts.sum(axis=-1)
        return *(values[0, :, 0] for values in agreed), counts, share, changed, change
