"""Saved experiments, whose hits are read a few blocks of topics at a time when they are wanted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.experiments.coded_tables import NO_OTHERS, QrelsTable
from irframe.experiments.experiment import Experiment
from irframe.experiments.folder import Folder, folder_at
from irframe.experiments.framed import Part, put_together
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.pool_sources import Pool
from irframe.experiments.top_documents import Listed, together
from irframe.files.ids import Codes


@dataclass(frozen=True, eq=False)
class SavedHits:
    """The hits of an experiment in files, of which a few blocks of topics are read when wanted."""

    folder: str
    files: Mapping[str, str]
    """The checksum of each file."""
    ends: Codes
    """Where blocks of topics end."""
    whole: NDArray[np.int64]
    """How long each list is, of all that are saved."""
    hits: NDArray[np.int64]
    """How many hits it has."""
    systems: Codes
    """Which systems and topics of all are wanted."""
    topics: Codes
    row: Codes
    """What each judgment of all is."""

    @property
    def length(self) -> NDArray[np.int64]:
        """How long each list is, shape (system, topic)."""
        return np.asarray(self.whole[np.ix_(self.systems, self.topics)])

    @property
    def count(self) -> NDArray[np.int64]:
        """How many hits it has, likewise."""
        return np.asarray(self.hits[np.ix_(self.systems, self.topics)])

    def part(self, systems: Codes, topics: Codes, row: Codes) -> "SavedHits":
        """Return the hits of some lists; see `Hits.part`."""
        rows = np.where(self.row < 0, -1, np.append(row, -1)[self.row])
        chosen = self.systems[systems], self.topics[topics]
        return replace(self, systems=chosen[0], topics=chosen[1], row=rows)

    def load(self) -> Hits:
        """Read them."""
        shape, parts = (len(self.systems), len(self.topics)), []
        block = np.searchsorted(self.ends, self.topics, side="right")
        for number in np.unique(block).tolist():
            here = np.flatnonzero(block == number)
            first = int(self.ends[number - 1]) if number else 0
            inside = self.whole[:, first : int(self.ends[number])]
            held = replace(_read_block(self.folder, number, tuple(self.files.items())))
            found = replace(held, length=inside)
            part = found.part(self.systems, self.topics[here] - first, self.row)
            lists = (np.arange(shape[0])[:, np.newaxis] * shape[1] + here).ravel()
            parts.append(Part(lists, replace(part, length=part.length.ravel())))
        if len(parts) == 1 and len(parts[0].lists) == shape[0] * shape[1]:
            return replace(parts[0].hits, length=self.length)
        return put_together(parts, shape).by_list()


@lru_cache(maxsize=2)
def _read_block(path: str, number: int, files: tuple[tuple[str, str], ...]) -> Hits:
    """Read the hits of a block of topics, by the rows of all judgments."""
    folder, known = Folder(path), dict(files)
    names = [f"{kind}-{number}.parquet" for kind in ("hits", "ties")]
    hits = folder.table(names[0], known[names[0]])
    columns = {name: hits[name].to_numpy() for name in hits.column_names}
    tied = None
    if names[1] in known:
        ties = folder.table(names[1], known[names[1]])
        tied = np.zeros(int(ties.schema.metadata[b"documents"]), bool)
        tied[ties["document"].to_numpy()] = True
    return Hits(np.zeros((0, 0), np.int64), columns.pop("list"), **columns, tied=tied)


def read_experiment(path: str) -> tuple[Experiment, dict[str, Any], dict[str, Any]]:
    """Read what `write_experiment` has written, but for hits, which are read when wanted.

    Returns
    -------
    experiment, facts, riders
    """
    folder = folder_at(path)
    facts = folder.facts()
    systems, topics, lists, judged = (
        _columns(folder, facts, f"{kind}.parquet")
        for kind in ("systems", "topics", "lists", "judgments")
    )
    shape = len(systems["system"]), len(topics["topic"])
    base = _judgments(judged, pd.Index(topics["topic"]), facts)
    pool = Pool(
        judged["pool_rank"],
        np.zeros(0, np.int64),
        systems.pop(":contributing"),
        facts["stated"],
        topics.pop(":pool_depth"),
    )
    length, count, there = (
        lists.pop(name).reshape(shape) for name in (":length", ":hits", ":took_part")
    )
    files, ends = facts["files"], np.array(facts["ends"], np.int64)
    every = [np.arange(size) for size in (*shape, len(base.row))]
    experiment = Experiment(
        base,
        pd.Index(systems["system"]),
        cast("Hits", SavedHits(folder.path, files, ends, length, count, *every)),
        facts["names"],
        None if there.all() else there,
        topics.pop(":top"),
        pool,
        made=facts["made"],
        listing=_listing(folder, facts, shape) if facts["listing"] else None,
        files=facts["sources"],
    )
    experiment.__dict__["digest"] = facts["digest"]
    riders: dict[str, Any] = {name: (("system",), v) for name, v in systems.items()}
    riders |= {name: (("topic",), values) for name, values in topics.items()}
    riders |= {name: (("system", "topic"), v.reshape(shape)) for name, v in lists.items()}
    named = {name: each for name, each in riders.items() if name not in {"system", "topic"}}
    return experiment, facts, named


def _columns(folder: Folder, facts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the columns of a table in the types that they had, names of documents as in Arrow."""
    table, types = folder.table(name, facts["files"][name]), facts["types"][name]
    return {
        each: _typed(table[each].to_numpy(), types[each]) if each in types else table[each]
        for each in table.column_names
    }


def _typed(values: Array, kind: str) -> Array:
    """Return values in a type of numpy, or as objects where it is one of pandas alone."""
    try:
        return np.asarray(values.astype(np.dtype(kind)))
    except TypeError:
        return np.asarray(values.astype(object))


def _judgments(judged: Mapping[str, Any], topics: pd.Index, facts: Mapping[str, Any]) -> Judgments:
    wide = [values for name, values in judged.items() if name.startswith("subtopic ")]
    strata = judged.get("stratum")
    table = QrelsTable(
        NO_OTHERS,
        facts["columns"],
        judged["topic"].astype(np.int32),
        topics,
        judged["doc"],
        judged["grade"],
        np.stack(wide, axis=1) if wide else None,
        None if strata is None else pa.chunked_array([pa.array(strata)]),
        judged.get("probability"),
    )
    return Judgments.chosen(table, np.arange(len(topics)), np.array(facts["levels"], np.int8))


def _listing(folder: Folder, facts: Mapping[str, Any], shape: tuple[int, int]) -> Listed | None:
    """Read the unjudged documents at the top of lists, by the numbers of all lists."""
    parts, first = list[Listed | None](), 0
    for number, end in enumerate(facts["ends"]):
        name = f"names-{number}.parquet"
        table = folder.table(name, facts["files"][name])
        system, topic = np.divmod(table["list"].to_numpy(), end - first)
        of = system * shape[1] + first + topic
        parts.append(Listed(of, table["rank"].to_numpy(), table["doc"]))
        first = end
    return together(parts)
