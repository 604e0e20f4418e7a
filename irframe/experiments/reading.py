"""Runs of every kind read into what a scorer needs of them, by the shortest way that they allow."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from irframe.errors import MetricError
from irframe.experiments.absence import warn_lacking, warn_unjudged, warn_unknown
from irframe.experiments.framed import Framed
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.listed import Lists, read_lists
from irframe.experiments.policy import Policy
from irframe.experiments.pool import Pool
from irframe.experiments.ranking import rank_hits
from irframe.frames.as_runs import Runs, as_runs
from irframe.frames.sampling import fresh_seed, whole_seed
from irframe.frames.tables import ONLY_SYSTEM
from irframe.frames.ties import TIE_POLICIES
from irframe.names import SCORE, SYSTEM, TOPIC, roles

ONLY = pd.Index([ONLY_SYSTEM])


@dataclass(frozen=True, eq=False)
class Run:
    """What is read of runs."""

    systems: pd.Index
    """Their systems."""
    names: list[Any]
    """What the caller calls systems and topics."""
    hits: Hits
    """What their lists hold of the judgments."""
    pool: Pool | None = None
    """What the pool was made of, where that is asked for."""


class Reader:
    """Reads runs for the same judgments.

    Parameters
    ----------
    judgments, policy
        The judgments, and how rankings are decided.
    docs
        Documents that arrays may name by their position, besides the judged ones.
    pooled
        Whether it is asked what the pool was made of.
    """

    def __init__(
        self, judgments: Judgments, policy: Policy, docs: Iterable[Any], *, pooled: bool
    ) -> None:
        self._judgments, self._policy, self._pooled = judgments, policy, pooled
        self._ties = TIE_POLICIES[policy.ties]
        self._given = docs

    @property
    def docs(self) -> pd.Index:
        """The documents to which positions refer."""
        raise NotImplementedError

    def read(self, run: Runs | None, topic: Any, doc: Any, score: Any) -> Run:
        """Read a run, or three arrays."""
        found = self._dictionaries(run) or self._frame(run)
        if not len(found.hits.row):
            warn_unknown(self._some_docs(run), self._judgments.names[:3])
        return found

    @property
    def _seed(self) -> int:
        seed = self._policy.seed
        return fresh_seed() if seed is None else whole_seed(seed)

    def _dictionaries(self, run: Any) -> Run | None:
        """Read {topic: {doc: score}}; None for anything else, or anything odd in it."""
        if type(run) is not dict or self._pooled or self._ties.column != SCORE:
            return None
        nothing: dict[Any, float] = {}
        lists = [run.get(topic, nothing) for topic in self._judgments.places]
        if not any(lists) or not self._plain(lists):
            return None
        others = []
        if sum(map(bool, lists)) < len(run):
            others = [each for each in run if each not in self._judgments.places and run[each]]
            if any(type(run[each]) is not dict for each in others):
                return None
        listed = read_lists(lists, self._judgments, self._policy.score_dtype, ONLY)
        if listed is None:
            return None
        hits = rank_hits(listed, self._ties, self._seed)
        return self._told(ONLY, [SYSTEM, TOPIC], hits, others)

    def _plain(self, lists: Lists) -> bool:
        """Return whether lists are dictionaries whose first ids and scores are of the right type."""
        if {type(each) for each in lists} != {dict}:
            return False
        filled = [each for each in lists if each]
        kinds = {type(next(iter(each))) for each in filled}
        numbers = {type(next(iter(each.values()))) for each in filled}
        return kinds <= self._kinds() and numbers <= {float, int, np.float64, np.float32}

    def _kinds(self) -> set[type]:
        text = isinstance(self._judgments.names[0], str)
        return {str, np.str_} if text else {int, np.int64, np.int32}

    def _frame(self, run: Any) -> Run:
        """Read whatever `as_runs` takes."""
        runs = as_runs(run)
        framed = Framed.of(runs, self._judgments, self._policy, self._seed)
        known = roles(runs.columns)
        names = [known.get(role, role) for role in (SYSTEM, TOPIC)]
        hits = framed.hits()
        found = self._told(framed.table.systems, names, hits, framed.unjudged_topics.tolist())
        if not self._pooled:
            return found
        pool, stated = framed.pool(int(hits.length.max(initial=0)))
        if not (stated or pool.complete):
            advice = "tell the contributing= runs or the pool_depth="
            raise MetricError(
                "a known pool", "judgments that these runs alone did not make", advice
            )
        return replace(found, pool=pool)

    def _told(self, systems: pd.Index, names: list[Any], hits: Hits, others: Sequence[Any]) -> Run:
        """Return what was read, with warnings of what is absent."""
        whole = not isinstance(self._policy.topics, str) or self._policy.topics == "qrels"
        if others and self._policy.topics == "qrels":
            warn_unjudged(others)
        if whole and not hits.length.all():
            warn_lacking(systems, hits.length)
        return Run(systems, names, hits)

    def _some_docs(self, run: Any) -> list[Any]:
        if isinstance(run, Mapping):
            return list(islice(chain.from_iterable(each for each in run.values()), 3))
        return []
