"""What becomes of scores, orders and conclusions when only a budget of documents is judged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from irframe.agreements import parse_agreement
from irframe.arrays import Array
from irframe.comparing.significance import Pairing
from irframe.cubes.cube import condense
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.view import experiment_of, shown_as
from irframe.experiments.experiment import fewer_judged
from irframe.metrics import Metric
from irframe.names import SYSTEM
from irframe.scores.scores import Scores, scores_to_compare
from irframe.studies.judges.judge_changes import CONCLUSIONS, agreement_of, conclude, decide
from irframe.studies.judging.documents import Documents
from irframe.studies.judging.methods import METHODS
from irframe.studies.judging.turns import Turns, take_turns


@dataclass(frozen=True, eq=False)
class Found:
    """What one sample found; see `irframe.verbs.replay`."""

    judged: Array
    found: Array
    tau: Array
    tau_ap: Array
    conclusions: Array
    kept: Array
    changed: Array
    change: Array


@dataclass(frozen=True, eq=False)
class Budgets:
    """How documents are judged, and what is asked of the judgments."""

    documents: Documents
    methods: Sequence[str]
    budgets: Sequence[int]
    metrics: Sequence[Metric]
    at: int
    pairing: Pairing
    condensed: bool
    batch: int
    rel: int
    prior: pd.DataFrame | None

    def judge_each(self, drawn: Iterable[Array], seed: int, *, alike: bool) -> list[Found]:
        """Judge once for each of some samples.

        Parameters
        ----------
        drawn
            The places of the systems that make the pool in each.
        seed
            Of ties in the first of them.
        alike
            Whether the same systems make it in all.
        """
        found: list[Found] = []
        for sample, systems in enumerate(drawn):
            found.append(self.judge(systems, seed + sample, found[0] if alike and found else None))
        return found

    def judge(self, systems: Array, seed: int, first: Found | None = None) -> Found:
        """Judge by every method, with some systems making the pool.

        Parameters
        ----------
        systems
            The places of those that do.
        seed
            Of ties.
        first
            What was found before with the same systems, which only methods that draw can change.
        """
        pool, number = self.documents.pool(systems, seed)
        row = np.take_along_axis(self.documents.row, np.maximum(number, 0), axis=1)
        grade = self.documents.judgments.grade
        relevant = pool.there & (grade[row] >= self.rel)
        full = self.score(row[pool.there])
        helps = np.isin(np.arange(full.sizes[SYSTEM]), systems)
        rows = []
        for place, name in enumerate(self.methods):
            if first is not None and not METHODS[name].random:
                rows.append([getattr(first, part)[place] for part in Found.__dataclass_fields__])
                continue
            method = METHODS[name](pool, self.documents.prior(self.prior, number, pool.there))
            turns = take_turns(method, relevant.astype(float), max(self.budgets), batch=self.batch)
            rows.append(self._by_budget(turns, row, relevant, full, helps))
        return Found(*(np.stack(part) for part in zip(*rows, strict=True)))

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
        self, turns: Turns, row: Array, relevant: Array, full: xr.DataArray, helps: Array
    ) -> list[Array]:
        """Return what is found with every budget, one array for each field of `Found`."""
        turn, topic, document = turns.all
        topics, found = len(row), []
        for budget in self.budgets:
            topic_, document_ = topic[turn < budget], document[turn < budget]
            new = self.score(row[topic_, document_])
            found.append(
                (
                    np.float64(len(topic_) / topics),
                    np.float64(relevant[topic_, document_].sum() / topics),
                    *self._held(full, new, helps),
                )
            )
        return [np.stack(part) for part in zip(*found, strict=True)]

    def _held(self, full: xr.DataArray, new: xr.DataArray, helps: Array) -> tuple[Array, ...]:
        """Return tau, tau_ap, conclusions, their shares and change against full judgments."""
        there = (full.notnull() & new.notnull()).all(SYSTEM)
        held, other = (scores_to_compare(each.where(there), quiet=True) for each in (full, new))
        agreed = [agreement_of(held, [other], parse_agreement(m)) for m in ("kendall", "tau_ap")]
        counts = conclude(decide(held, self.pairing), [decide(other, self.pairing)])
        taus, counts = [each[0, :, 0] for each in agreed], counts[0, :, 0]
        return *taus, counts, *_shares(counts), _change(held, other, helps)


def _shares(counts: Array) -> tuple[Array, Array]:
    """Return which share of significant differences is kept, and of all pairs changes."""
    kept, lost, new, turned, neither = (counts[..., place] for place in range(len(CONCLUSIONS)))
    significant, pairs = kept + lost + turned, kept + lost + turned + new + neither
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(significant > 0, kept / significant, np.nan), (lost + new + turned) / pairs


def _change(held: Scores, other: Scores, helps: Array) -> Array:
    """Return how much more, in percent, means of systems change that did not help; by metric."""
    old, new = held.means[:, 0], other.means[:, 0]
    if helps.all():
        return np.full(len(old), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = [new[:, side].mean(axis=1) / old[:, side].mean(axis=1) for side in (~helps, helps)]
        return np.asarray(100 * (sides[0] - sides[1]))
