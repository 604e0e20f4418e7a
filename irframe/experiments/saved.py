"""Experiments saved as folders of Parquet files with checksums."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from irframe.arrays import Grade
from irframe.errors import InputError, StoreError
from irframe.experiments import coded_tables, ranked_runs
from irframe.experiments.experiment import Experiment
from irframe.experiments.folder import FACTS, SEAL, SYSTEMS, Folder, put_in_place, seal_of, staging
from irframe.experiments.hits import Hits, JoinedUnjudged, JudgedPool, TopUnjudged
from irframe.experiments.judgments import Judgments
from irframe.experiments.spans import Spans
from irframe.frames.ids import LARGE, Codes, give_back
from irframe.names import VERSION
from irframe.progress import tracked

Coords = Mapping[str, tuple[Sequence[str], Any]]
"""Mapping from the name of a user coordinate to its dimensions and values."""
EVIDENCE = ":evidence"
SETS = ":sets"
"""Names of the two columns that the saved table of topics contains only if spans were judged.

The colon distinguishes the columns of irframe from user coordinates with the same name.
"""


def write_experiment(
    experiment: Experiment,
    path: str | os.PathLike[str],
    chunks: Sequence[int],
    attributes: Mapping[str, object],
    coords: Coords,
    *,
    progress: bool = False,
) -> None:
    """Write an experiment to a folder, unless already saved.

    Parameters
    ----------
    experiment
        The experiment.
    path
        The folder.
    chunks
        The number of topics in each block of topics. Each block has its own files.
    attributes
        Properties to save in addition to those of the experiment.
    coords
        User coordinates of the cube.
    progress
        Whether to show a progress bar.
    """
    folder = Folder(path)
    is_saved = partial(_is_saved, folder, experiment, attributes)
    if is_saved():
        return
    try:
        with staging(folder) as target:
            facts = _write_files(experiment, target, chunks, coords, attributes, progress=progress)
            target.put(FACTS, json.dumps(facts).encode())
            if target is not folder:
                put_in_place(target.path, folder, is_saved)
    except OSError as error:
        advice = "choose another folder, or free disk space"
        got = f"{path}, which failed ({error})"
        raise StoreError("a writable folder", got, advice) from error


def _is_saved(folder: Folder, experiment: Experiment, attributes: Mapping[str, object]) -> bool:
    """Return whether a folder contains this experiment undamaged.

    Raise if the folder contains another cube or other files.
    """
    try:
        facts = folder.facts()
    except StoreError:
        facts = None
    same = {"digest": experiment.digest, **attributes}
    if facts is not None:
        # JSON converts tuples to lists, so the properties are converted before the comparison, too.
        if {name: facts.get(name) for name in same} != json.loads(json.dumps(same)):
            advice = "choose another path, or remove this folder"
            got = f"another cube at {folder.path}"
            raise StoreError("no other cube in the folder", got, advice)
        with suppress(StoreError):
            for name, checksum in facts["files"].items():
                folder.get(name, checksum)
            return True
        return False
    path = Path(folder.path)
    names = [entry.name for entry in path.iterdir()] if path.is_dir() else []
    if (names and FACTS not in names) or (path.exists() and not path.is_dir()):
        advice = "choose another folder, or remove this folder"
        got = f"other files in {folder.path}"
        raise StoreError("an empty folder, or a saved cube", got, advice, names)
    return False


def _write_files(
    experiment: Experiment,
    folder: Folder,
    chunks: Sequence[int],
    coords: Coords,
    attributes: Mapping[str, object],
    *,
    progress: bool,
) -> dict[str, Any]:
    """Write the files of a cube, and return its properties."""
    ends = np.cumsum(chunks, dtype=np.int64)
    tables = _tables(experiment, coords)
    files = {name: folder.put(name, _parquet(columns)) for name, (columns, _) in tables.items()}
    systems = np.arange(experiment.shape[0])
    base = experiment.judgments
    first_rows = np.append(base.start, len(base.row))
    for number in tracked(range(len(ends)), len(ends), "block", progress=progress):
        topics = np.arange(ends[number] - chunks[number], ends[number])
        row = int(first_rows[ends[number] - chunks[number]])
        # The memory of each block is freed before the next one is made.
        for name, content in _block(experiment.select(systems, topics).loaded, row):
            file = f"{name}-{number}.parquet"
            files[file] = folder.put(file, content)
        give_back(LARGE)
    properties = {
        "irframe": VERSION,
        "digest": experiment.digest,
        "made": dict(experiment.options),
        "names": [str(name) for name in experiment.names],
        "levels": base.levels.tolist(),
        "columns": {name: str(column) for name, column in base.table.columns.items()},
        "stated": experiment.known_pool.stated,
        "ends": ends.tolist(),
        "sources": [list(state) for state in experiment.files],
        "types": {name: types for name, (_, types) in tables.items()},
        "listing": experiment.listing is not None,
        "files": files,
        **attributes,
    }
    # The seal is computed from the properties as a reader will restore them, because JSON changes
    # tuples to lists, and keys to text. The table of systems is written again, because it contains
    # the seal.
    facts: dict[str, Any] = json.loads(json.dumps(properties))
    sealed = _parquet(tables[SYSTEMS][0], {SEAL.decode(): seal_of(facts).decode()})
    facts["files"][SYSTEMS] = folder.put(SYSTEMS, sealed)
    return facts


def _block(experiment: Experiment, row: int) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of a block.

    Parameters
    ----------
    experiment
        The experiment of the block.
    row
        The position of the first judgment of the block among all judgments.
    """
    hits = experiment.hits.by_list()
    columns = {"list": hits.of, "rank": hits.rank, "row": hits.row + np.int32(row)}
    if hits.filed is not None:
        columns["filed"] = hits.filed
    yield "hits", _parquet(columns)
    if hits.tied is not None:
        document = np.flatnonzero(hits.tied)
        yield "ties", _parquet({"document": document}, {"documents": str(len(hits.tied))})
    if hits.along is not None:
        yield "along", _parquet(hits.along)
    if experiment.listing is not None:
        listed = experiment.listing.load()
        yield "names", _parquet({"list": listed.of, "rank": listed.rank, "doc": listed.doc})


def _tables(
    experiment: Experiment, coords: Coords
) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """Return all tables except hits, and their column types."""
    base = experiment.judgments
    pool = experiment.known_pool
    hits = experiment.hits
    table = base.table
    tables: dict[str, dict[str, Any]] = {
        "systems": {"system": experiment.systems, ":contributing": pool.contributing},
        "topics": {"topic": base.topics, ":top": experiment.tops, ":pool_depth": pool.depth},
        "lists": {
            ":length": hits.length.ravel(),
            ":hits": hits.count.ravel(),
            ":took_part": experiment.participated.ravel(),
        },
        "judgments": {
            "topic": base.topic,
            "doc": table.doc.take(pa.array(base.row)),
            "grade": base.grade,
            "pool_rank": pool.rank,
        },
    }
    if table.subtopic_grade is not None:
        columns = enumerate(table.subtopic_grade[base.row].T)
        tables["judgments"] |= {f"subtopic {number}": column for number, column in columns}
    if base.strata is not None:
        tables["judgments"]["stratum"] = base.strata
    if base.probability is not None:
        tables["judgments"]["probability"] = base.probability
    if table.spans is not None:
        spans = table.spans.of_topics(base.code)
        tables |= spans.tables
        counts = {EVIDENCE: spans.evidence, SETS: spans.n_sets}
        tables["topics"] |= {name: count for name, count in counts.items() if count is not None}
    types = {
        kind: {n: str(column.dtype) for n, column in columns.items() if hasattr(column, "dtype")}
        for kind, columns in tables.items()
    }
    for name, (dims, values) in coords.items():
        kind = {"system": "systems", "topic": "topics"}.get(",".join(dims), "lists")
        tables[kind][name] = np.asarray(values).ravel()
        # A user coordinate may have an extension dtype of pandas, which NumPy cannot restore.
        types[kind][name] = str(values.dtype)
    return {f"{kind}.parquet": (columns, types[kind]) for kind, columns in tables.items()}


def _parquet(columns: Mapping[str, Any], metadata: dict[str, str] | None = None) -> bytes:
    """Return columns as a Parquet file with metadata."""
    arrays = {}
    for name, column in columns.items():
        try:
            is_arrow = isinstance(column, pa.ChunkedArray)
            arrays[name] = column if is_arrow else pa.array(column, from_pandas=True)
        except (pa.ArrowException, OverflowError):
            kinds = " and ".join(sorted({type(value).__name__ for value in column}))
            advice = f"convert the values to text: assign_coords({name}=[...])"
            expected = f"values of {name} that are all text or all numbers"
            raise InputError(expected, f"values of types {kinds}", advice) from None
    table = pa.table(arrays).replace_schema_metadata(metadata)
    stream = BytesIO()
    pq.write_table(table, stream, write_page_checksum=True, compression="zstd")
    return stream.getvalue()


@dataclass(frozen=True, eq=False)
class SavedHits:
    """The hits of a saved experiment, read on demand."""

    folder: str
    files: Mapping[str, str]
    """Mapping from the name of each file to its checksum."""
    ends: Codes
    """The position of the topic after each block, among the saved topics."""
    all_lengths: NDArray[np.int64]
    """The length of every saved list, shape (system, topic)."""
    hits: NDArray[np.int64]
    """The number of hits of every saved list, shape (system, topic)."""
    systems: Codes
    """The positions of the selected systems among the saved systems."""
    topics: Codes
    """The positions of the selected topics among the saved topics."""
    row: Codes
    """The position of each saved judgment among the selected judgments, or -1."""

    @property
    def length(self) -> NDArray[np.int64]:
        """The length of each selected list, shape (system, topic)."""
        return np.asarray(self.all_lengths[np.ix_(self.systems, self.topics)])

    @property
    def count(self) -> NDArray[np.int64]:
        """The number of hits per selected list, shape (system, topic)."""
        return np.asarray(self.hits[np.ix_(self.systems, self.topics)])

    def select(self, systems: Codes, topics: Codes, row: Codes) -> "SavedHits":
        """Return the hits of selected lists, as `Hits.select` does."""
        row = np.where(self.row < 0, -1, np.append(row, -1)[self.row])
        return replace(self, systems=self.systems[systems], topics=self.topics[topics], row=row)

    def load(self) -> Hits:
        """Read the hits of the selected lists into memory."""
        shape = len(self.systems), len(self.topics)
        blocks = []
        block_of = np.searchsorted(self.ends, self.topics, side="right")
        for number in np.unique(block_of).tolist():
            inside = np.flatnonzero(block_of == number)
            first = int(self.ends[number - 1]) if number else 0
            stored = _read_block(self.folder, number, tuple(self.files.items()))
            block = replace(stored, length=self.all_lengths[:, first : int(self.ends[number])])
            hits = block.select(self.systems, self.topics[inside] - first, self.row)
            lists = (np.arange(shape[0])[:, np.newaxis] * shape[1] + inside).ravel()
            blocks.append(ranked_runs.ListHits(lists, replace(hits, length=hits.length.ravel())))
        if len(blocks) == 1 and len(blocks[0].lists) == shape[0] * shape[1]:
            return replace(blocks[0].hits, length=self.length)
        return ranked_runs.Gathered(blocks).hits(shape).by_list()


@dataclass(frozen=True, eq=False)
class SavedNames:
    """The unjudged documents on the first ranks of saved lists."""

    folder: str
    files: Mapping[str, str]
    ends: Codes
    position: Codes
    """The position of each saved list among the selected lists, or -1."""

    def onto(self, position: Codes) -> "SavedNames":
        """Return the documents with new list numbers, as `TopUnjudged.onto` does."""
        # A position of -1 selects the appended -1, so unselected lists stay unselected.
        return replace(self, position=np.append(position, -1)[self.position])

    def load(self) -> TopUnjudged | None:
        """Read the unjudged documents of the selected lists into memory."""
        folder = Folder(self.folder)
        blocks: list[TopUnjudged | None] = []
        position = np.split(self.position.reshape(-1, self.ends[-1]), self.ends[:-1], axis=1)
        for number, lists in enumerate(position):
            name = f"names-{number}.parquet"
            # The first block is always read, because the type of the ids is needed even if no list
            # is selected.
            if not blocks or (lists >= 0).any():
                stored = folder.table(name, self.files[name])
                of, rank = (stored[column].to_numpy() for column in ("list", "rank"))
                names = TopUnjudged.named(of, rank, stored["doc"])
                blocks.append(names.onto(lists.ravel()))
        return JoinedUnjudged(blocks).joined()


@lru_cache(maxsize=2)
def _read_block(path: str, number: int, files: tuple[tuple[str, str], ...]) -> Hits:
    """Return the hits of a saved block of topics."""
    # Checksums are arguments, so that a folder with new content is not answered from the cache.
    checksums = dict(files)
    tables: dict[str, pa.Table] = {}
    for kind in ("hits", "ties", "along"):
        if (name := f"{kind}-{number}.parquet") in checksums:
            tables[kind] = Folder(path).table(name, checksums[name])
    columns = {
        kind: {name: table[name].to_numpy() for name in table.column_names}
        for kind, table in tables.items()
    }
    hits = columns["hits"]
    tied = None
    if "ties" in tables:
        tied = np.zeros(int(tables["ties"].schema.metadata[b"documents"]), bool)
        tied[columns["ties"]["document"]] = True
    no_lengths = np.zeros((0, 0), np.int64)
    return Hits(no_lengths, hits.pop("list"), **hits, tied=tied, along=columns.get("along"))


def read_experiment(
    path: str | os.PathLike[str],
) -> tuple[Experiment, dict[str, Any], dict[str, Any]]:
    """Return a saved experiment, its properties and user coordinates.

    Hits are not read until a function needs them.
    """
    folder = Folder(path)
    facts = folder.facts()
    systems, topics, lists, judged = (
        _typed_columns(folder, facts, kind) for kind in ("systems", "topics", "lists", "judgments")
    )
    shape = len(systems["system"]), len(topics["topic"])
    counts = [topics.pop(name, None) for name in (EVIDENCE, SETS)]
    spans = Spans.of_tables(partial(_typed_columns, folder, facts), *counts)
    table = _as_judged(judged, pd.Index(topics["topic"]), facts["columns"], spans)
    base = Judgments.chosen(table, np.arange(len(table.topics)), np.array(facts["levels"], Grade))
    pool_fields = systems.pop(":contributing"), facts["stated"], topics.pop(":pool_depth")
    pool = JudgedPool(judged["pool_rank"], np.zeros(0, np.int64), *pool_fields)
    length, count, participated = (
        lists.pop(name).reshape(shape) for name in (":length", ":hits", ":took_part")
    )
    source = folder.path, facts["files"], np.array(facts["ends"], np.int64)
    all_positions = [np.arange(size) for size in (*shape, len(base.row))]
    names = SavedNames(*source, np.arange(shape[0] * shape[1]))
    experiment = Experiment(
        base,
        pd.Index(systems["system"]),
        cast("Hits", SavedHits(*source, length, count, *all_positions)),
        facts["names"],
        None if participated.all() else participated,
        topics.pop(":top"),
        pool,
        options=facts["made"],
        listing=cast("TopUnjudged", names) if facts["listing"] else None,
        files=facts["sources"],
    )
    # The saved digest is used, because a new digest would depend on the path of the folder.
    experiment.__dict__["digest"] = facts["digest"]
    del systems["system"], topics["topic"]
    coords: dict[str, Any] = {name: (("system",), values) for name, values in systems.items()}
    coords |= {name: (("topic",), values) for name, values in topics.items()}
    coords |= {name: (("system", "topic"), v.reshape(shape)) for name, v in lists.items()}
    return experiment, facts, coords


def _as_judged(
    judged: Mapping[str, Any], topics: pd.Index, columns: Mapping[str, str], spans: Spans | None
) -> coded_tables.QrelsTable:
    """Return saved judgments as a table without the caller's frame."""
    wide = [values for name, values in judged.items() if name.startswith("subtopic ")]
    strata = judged.get("stratum")
    return coded_tables.QrelsTable(
        coded_tables.NO_OTHERS,
        columns,
        judged["topic"].astype(np.int32),
        topics,
        judged["doc"],
        judged["grade"],
        np.stack(wide, axis=1) if wide else None,
        None if strata is None else pa.chunked_array([pa.array(strata)]),
        judged.get("probability"),
        spans=spans,
    )


def _typed_columns(folder: Folder, facts: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the columns of a saved table with original dtypes."""
    name = f"{kind}.parquet"
    table = folder.table(name, facts["files"][name])
    columns: dict[str, Any] = dict(zip(table.column_names, table.columns, strict=True))
    for column, dtype in facts["types"][name].items():
        values = columns[column].to_numpy()
        original = pd.api.types.pandas_dtype(dtype)
        is_numpy = isinstance(original, np.dtype)
        columns[column] = values.astype(original) if is_numpy else pd.array(values, dtype=original)
    return columns
