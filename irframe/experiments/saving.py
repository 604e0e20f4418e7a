"""Experiments written to folders of Parquet by blocks of topics, whole or not there at all."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from irframe.checks import tracked
from irframe.errors import StoreError
from irframe.experiments.experiment import Experiment
from irframe.experiments.folder import FACTS, Folder, folder_at, signed
from irframe.files.compression import is_address
from irframe.names import VERSION

CHECKED = {"write_page_checksum": True, "compression": "zstd"}


def write_experiment(
    experiment: Experiment,
    path: str,
    chunks: Sequence[int],
    told: Mapping[str, Any],
    riders: Mapping[str, tuple[Sequence[str], Any]],
    *,
    progress: bool = False,
) -> None:
    """Write an experiment, unless it is there already.

    Parameters
    ----------
    experiment
        What is written.
    path
        A folder, by a path or an address.
    chunks
        How many topics each block has.
    told
        What is said beside it.
    riders
        Coordinates of users: their dimensions and values.
    progress
        Whether to show how many blocks are written, by tqdm.
    """
    folder = folder_at(path)
    if _is_there(folder, experiment, told):
        return
    local = not is_address(path)
    beside = Folder(f"{folder.path}.{uuid4().hex}.part") if local else folder
    try:
        if local:
            _make(beside.path)
        facts = _written(experiment, beside, chunks, riders, progress=progress)
        beside.put(FACTS, signed({**facts, **told}))
        if local:
            _rename(beside.path, folder.path)
    except BaseException:
        if local:
            shutil.rmtree(beside.path, ignore_errors=True)
        raise


def _is_there(folder: Folder, experiment: Experiment, told: Mapping[str, Any]) -> bool:
    """Return whether an experiment is in a folder, refusing to write over anything else."""
    try:
        facts = folder.facts()
    except StoreError:
        facts = None
    same = {"digest": experiment.digest, **told}
    if facts is not None:
        if {name: facts.get(name) for name in same} != json.loads(json.dumps(same)):
            advice = "choose another path, or remove it"
            raise StoreError("this cube, or nothing yet", f"another one at {folder.path}", advice)
        return folder.is_sound()
    place = Path(folder.path)
    names = [each.name for each in place.iterdir()] if place.is_dir() else []
    if (names and FACTS not in names) or (place.exists() and not place.is_dir()):
        found, advice = f"other things in {folder.path}", "choose another folder, or remove this"
        raise StoreError("an empty folder, or a saved cube", found, advice, names)
    return False


def _make(path: str) -> None:
    try:
        Path(path).mkdir(parents=True)
    except OSError as error:
        found = f"{path} failing ({error})"
        raise StoreError("a folder that can be written to", found) from error


def _rename(beside: str, path: str) -> None:
    old = f"{beside}.old"
    try:
        if Path(path).exists():
            Path(path).rename(old)
        Path(beside).rename(path)
    except OSError as error:
        raise StoreError("a folder that can be written to", f"{path} failing ({error})") from error
    shutil.rmtree(old, ignore_errors=True)


def _written(
    experiment: Experiment,
    folder: Folder,
    chunks: Sequence[int],
    riders: Mapping[str, tuple[Sequence[str], Any]],
    *,
    progress: bool,
) -> dict[str, Any]:
    """Write all files but the last, and return what that says."""
    ends, small = np.cumsum(chunks, dtype=np.int64), _small(experiment, riders)
    files = {name: folder.put(name, _parquet(columns)) for name, (columns, _) in small.items()}
    every, start = np.arange(experiment.shape[0]), ends - np.asarray(chunks)
    base = experiment.judgments
    starts = np.append(base.start, len(base.row))
    numbers = tracked(range(len(ends)), len(ends), "block", progress=progress)
    for number in numbers:
        topics = np.arange(start[number], ends[number])
        part = experiment.part(every, topics).loaded
        for name, columns, more in _block(part, int(starts[start[number]])):
            file = f"{name}-{number}.parquet"
            files[file] = folder.put(file, _parquet(columns, more))
    return {
        "irframe": VERSION,
        "digest": experiment.digest,
        "made": dict(experiment.made),
        "names": [str(name) for name in experiment.names],
        "levels": base.levels.tolist(),
        "columns": {name: str(column) for name, column in base.table.columns.items()},
        "stated": experiment.known_pool.stated,
        "ends": ends.tolist(),
        "sources": [list(state) for state in experiment.files],
        "types": {name: types for name, (_, types) in small.items()},
        "listing": experiment.listing is not None,
        "files": files,
    }


def _block(part: Experiment, row: int) -> Iterable[tuple[str, dict[str, Any], dict[str, str]]]:
    """Yield the tables of a block of topics, given the first of its judgments among all."""
    hits = part.hits.by_list()
    columns = {"list": hits.of, "rank": hits.rank, "row": hits.row + np.int32(row)}
    if hits.filed is not None:
        columns["filed"] = hits.filed
    yield "hits", columns, {}
    if hits.tied is not None:
        document = np.flatnonzero(hits.tied)
        yield "ties", {"document": document}, {"documents": str(len(hits.tied))}
    if part.listing is not None:
        listed = part.listing
        yield "names", {"list": listed.of, "rank": listed.rank, "doc": listed.doc}, {}


def _small(
    experiment: Experiment, riders: Mapping[str, tuple[Sequence[str], Any]]
) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """Return the tables of systems, topics, lists and judgments, and the types of columns."""
    base, pool, hits = experiment.judgments, experiment.known_pool, experiment.hits
    table, own = base.table, pa.array(base.row)
    tables: dict[str, dict[str, Any]] = {
        "systems": {"system": experiment.systems, ":contributing": pool.contributing},
        "topics": {"topic": base.topics, ":top": experiment.tops, ":pool_depth": pool.depth},
        "lists": {
            ":length": hits.length.ravel(),
            ":hits": hits.count.ravel(),
            ":took_part": experiment.there.ravel(),
        },
        "judgments": {
            "topic": base.topic,
            "doc": table.doc.take(own),
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
    for name, (dims, values) in riders.items():
        home = {"system": "systems", "topic": "topics"}.get(",".join(dims), "lists")
        tables[home][name] = np.asarray(values).ravel()
    types = {
        kind: {name: str(each.dtype) for name, each in columns.items() if hasattr(each, "dtype")}
        for kind, columns in tables.items()
    }
    return {f"{kind}.parquet": (columns, types[kind]) for kind, columns in tables.items()}


def _parquet(columns: Mapping[str, Any], more: Mapping[str, str] | None = None) -> bytes:
    arrays = {
        name: each if isinstance(each, pa.ChunkedArray) else pa.array(each, from_pandas=True)
        for name, each in columns.items()
    }
    stream = BytesIO()
    table = pa.table(arrays)
    pq.write_table(table.replace_schema_metadata(dict(more)) if more else table, stream, **CHECKED)
    return stream.getvalue()
