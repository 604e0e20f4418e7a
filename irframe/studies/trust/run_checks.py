"""What is found on each run of a frame, a value per system."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.errors import DepthError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.rank_table import Ranking
from irframe.files.ids import Codes
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.studies.trust.lists import (
    all_lengths,
    contradicting,
    equally_ranked,
    gapped,
    list_lengths,
    undecided,
    usual_length,
    with_infinite_score,
    without_score,
)

EXAMPLES = 3
"""How many documents stand for all of a run, none of which is judged."""

Gathered = list[tuple[Any, ...]]
"""What was found, for every system."""


def _gathered(systems: int, system: Codes, values: Sequence[Any] | NDArray[Any]) -> Gathered:
    """Return the values of every system, in their order."""
    order = np.argsort(system, kind="stable")
    ordered = [values[place] for place in order.tolist()]
    ends = np.searchsorted(system[order], np.arange(systems + 1)).tolist()
    return [tuple(ordered[start:end]) for start, end in pairwise(ends)]


def rows_found(
    table: RunTable, again: Codes, documents: Iterable[Any] | None
) -> dict[str, Gathered]:
    """Return topic and document of the rows of every system of which something is true."""
    strange = np.arange(0)
    if documents is not None:
        known = pa.array(pd.unique(pd.Series(list(documents))))
        inside = pc.is_in(table.doc, value_set=known.cast(table.doc.type))
        strange = np.flatnonzero(~inside.to_numpy())
    rows = {
        "scores_missing": without_score(table),
        "scores_infinite": with_infinite_score(table),
        "duplicates": again,
        "documents_unknown": strange,
    }
    return {
        name: _gathered(len(table.systems), table.system[some], _places(table, some))
        for name, some in rows.items()
    }


def _places(table: RunTable, rows: Codes) -> list[str]:
    """Return topic and document of some rows."""
    docs = table.doc.take(pa.array(rows)).to_pylist()
    topics = table.topics[table.topic[rows]]
    return [f"{topic} {doc}" for topic, doc in zip(topics, docs, strict=True)]


def lists_found(
    table: RunTable, judgments: QrelsTable, length: int | None, tied: Codes
) -> dict[str, Gathered]:
    """Return for every system the topics of which something is true."""
    lengths = list_lengths(table, judgments)
    lists, rows = all_lengths(table)
    usual = usual_length(rows)
    wanted = usual if length is None else whole("length", length, low=1, error=DepthError)
    unknown = ~table.topics.isin(judgments.topics)
    strange = np.unique(table.group[unknown[table.topic]])
    stray = (lengths == 0).all(axis=1)
    found = {
        "topics_unmatched": strange[stray[strange // len(table.topics)]],
        "topics_unknown": strange,
        "lists_long": lists[rows > wanted] if length is not None else lists[:0],
        "scores_constant": undecided(table),
        "ranks_contradict": contradicting(table),
        "ranks_skipped": gapped(table),
        "ranks_repeated": equally_ranked(table),
        "lists_tied": np.unique(tied),
    }
    masks = {"topics_missing": lengths == 0, "lists_short": (lengths > 0) & (lengths < wanted)}
    number, judged = len(table.systems), judgments.topics.tolist()
    topics = table.topics.tolist()
    gathered = {
        name: _gathered(number, lists // len(topics), [topics[t] for t in lists % len(topics)])
        for name, lists in found.items()
    }
    for name, mask in masks.items():
        system, topic = np.nonzero(mask)
        gathered[name] = _gathered(number, system, [judged[t] for t in topic])
    return gathered


def none_judged(
    table: RunTable, judgments: QrelsTable, judged: NDArray[np.bool_]
) -> dict[str, Gathered]:
    """Return by system its first documents, if it has judged topics and no judged document."""
    known = np.asarray(table.topics.isin(judgments.topics))[table.topic]
    number = len(table.systems)
    some, found = (np.bincount(table.system[of], minlength=number) > 0 for of in (known, judged))
    nothing = some & ~found & (judgments.grade != POOLED_UNJUDGED).any()
    rows = np.flatnonzero(nothing[table.system] & known)
    gathered = _gathered(number, table.system[rows], table.doc.take(pa.array(rows)).to_pylist())
    return {"documents_unjudged": [docs[:EXAMPLES] for docs in gathered]}


def identical(table: RunTable, codes: Codes, ranking: Ranking) -> Gathered:
    """Return for every system those with the same documents in the same order."""
    ordered, number = codes[ranking.order], len(table.systems)
    ends = np.searchsorted(table.system[ranking.order], np.arange(number + 1))
    same: dict[bytes, list[int]] = {}
    for system in range(number):
        same.setdefault(ordered[ends[system] : ends[system + 1]].tobytes(), []).append(system)
    labels = table.systems.tolist()
    others = {
        s: tuple(labels[o] for o in group if o != s) for group in same.values() for s in group
    }
    return [others[system] for system in range(number)]


def sizes(table: RunTable, ranking: Ranking) -> dict[str, NDArray[Any]]:
    """Return how much every system lists."""
    number = len(table.systems)
    system = table.system[ranking.order]
    longest = np.zeros(number, np.int64)
    np.maximum.at(longest, system, ranking.rank)
    return {
        "topics": np.bincount(system[ranking.first], minlength=number),
        "documents": np.bincount(system, minlength=number),
        "longest": longest,
        "ties": np.bincount(system[ranking.tied], minlength=number),
    }


def unjudged_tops(
    table: RunTable,
    judgments: QrelsTable,
    judged: NDArray[np.bool_],
    ranking: Ranking,
    depth: int,
) -> dict[str, Any]:
    """Return by system the share of the top that is unjudged, and where the first of these is."""
    number, order = len(table.systems), ranking.order
    known = np.asarray(table.topics.isin(judgments.topics))[table.topic[order]]
    unjudged, system = known & ~judged[order], table.system[order]
    top = known & (ranking.rank <= depth)
    seen, lacking = (np.bincount(system[some], minlength=number) for some in (top, top & unjudged))
    first = pd.Series(ranking.rank[unjudged]).groupby(system[unjudged]).min()
    return {
        f"unjudged_at_{depth}": lacking / np.where(seen, seen, np.nan),
        "first_unjudged": first.reindex(range(number)).astype("Int64").array,
    }
