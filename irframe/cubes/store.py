"""Runs sorted into blocks of topics, from which cubes larger than memory are made."""

import hashlib
import json
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.checks import whole
from irframe.cubes.block import HITS, LISTS, QRELS, ROWS, Blocks, sort_block
from irframe.cubes.block_cube import block_cube
from irframe.cubes.folder import Folder, folder_at
from irframe.cubes.sorting import RAW, sort_runs
from irframe.cubes.working import need_dask, refuse_workers_without, work
from irframe.errors import StoreError
from irframe.experiments.policy import Contributing, Policy, PoolDepth, Topics
from irframe.frames.as_qrels import Qrels, as_qrels
from irframe.frames.documents import take
from irframe.frames.ids import same_kind
from irframe.frames.scanned_runs import ScannedRuns
from irframe.frames.tables import QrelsTable, read_qrels_table
from irframe.names import DOC, FILES, GRADE, TOPIC, VERSION, ScoreDtype, Ties, as_html

BEGUN, SORTED, WHOLE = "begun.json", "sorted.json", "store.json"
"""Facts of a store: of what it is made, written first; of the runs seen; all, written last."""
FRAME = "qrels.parquet"
"""The judgments as given."""
OF_RUNS = (ROWS, LISTS, HITS)


@dataclass(frozen=True)
class Store:
    """Runs and judgments in blocks of topics, in a folder; `store` makes one.

    Parameters
    ----------
    path
        The folder, a path or an address.

    Examples
    --------
    >>> Store("experiment").path
    'experiment'
    """

    path: str

    _repr_html_ = as_html

    def cube(
        self,
        *,
        depth: int | None = None,
        ties: Ties = "trec",
        score_dtype: ScoreDtype = "float64",
        topics: Topics = "qrels",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        collection: str | None = None,
        seed: int | None = None,
    ) -> xr.Dataset:
        """Return the cube of the runs, whose rankings are read block by block when wanted.

        Parameters
        ----------
        depth, ties, score_dtype, topics, contributing, pool_depth, collection, seed
            As for `irframe.cube`; `collection` is a column of the qrels.

        Returns
        -------
        xarray.Dataset
            The cube that `irframe.cube` makes of the same runs and judgments, backed by dask in
            blocks of topics. In memory is what it knows of judgments and of lists, some ten bytes
            for each.

        Raises
        ------
        StoreError
            If the store is not whole.
        IrframeError
            As `irframe.cube`.
        """
        policy = Policy(
            depth=depth,
            ties=ties,
            score_dtype=score_dtype,
            topics=topics,
            contributing=contributing,
            pool_depth=pool_depth,
            collection=collection,
            seed=seed,
        )
        folder = Folder(self.path)
        facts = folder.told(WHOLE)
        if facts is None:
            advice = "make it again with runs.ireval.store(path, qrels), which goes on from there"
            raise StoreError("a store of runs that is whole", f"none at {self.path}", advice)
        qrels = pd.read_parquet(folder.place(FRAME), filesystem=folder.files)
        judged = read_qrels_table(qrels).topics
        built = block_cube(_blocks(folder, facts, judged), facts, qrels, policy)
        built.encoding[FILES] = facts["made"][FILES]
        return built

    def __repr__(self) -> str:
        facts = Folder(self.path).told(WHOLE)
        if facts is None:
            return f"Store({self.path!r}), which is not whole"
        topics, systems = facts["judged"], len(facts["systems"])
        return f"Store({self.path!r}) of {systems} systems and {topics} topics"


def store(
    runs: ScannedRuns,
    path: str | PathLike[str],
    qrels: Qrels,
    *,
    topics: int = 1000,
    progress: bool = False,
) -> Store:
    """Sort runs that are larger than memory into blocks of topics, ranked and joined once.

    Parameters
    ----------
    runs
        Runs from `scan_runs`.
    path
        A folder to be made, a path or an address. Where one holds the same already, nothing is
        done; where one was left unfinished, the work goes on.
    qrels
        Qrels frame, or what `as_qrels` takes; it fits into memory.
    topics
        Topics in a block, at least 1. A block is what one task works on: its rows, and the cells
        of all systems on its topics, are in memory at a time.
    progress
        Whether to show how far the work is, by dask's progress bar.

    Returns
    -------
    Store
        The store, whose ``cube()`` is a lazy cube.

    Raises
    ------
    StoreError
        If the folder holds something else, or cannot be written, or workers lack irframe.
    IrframeError
        As `irframe.cube` for runs and judgments that make no cube, naming the block of topics.

    Warns
    -----
    IrframeWarning
        If columns of the runs are left out.

    Notes
    -----
    Rows are sorted by pyarrow, and blocks are ranked by whatever scheduler dask uses. Every table
    is written under another name first, and the file that makes a store one is written last.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> with TemporaryDirectory() as folder:
    ...     ir.write_run(runs[runs["system"] == "bm25"], Path(folder, "bm25.gz"))
    ...     made = ir.scan_runs(f"{folder}/*.gz").ireval.store(f"{folder}/track", qrels, topics=5)
    ...     round(float(made.cube().ireval.score("AP", at=10).mean()), 4)
    0.0925
    """
    size = whole("topics", topics, low=1)
    folder = folder_at(path)
    frame = as_qrels(qrels)
    judgments = read_qrels_table(frame)
    same_kind(pa.large_string(), judgments.doc.type, DOC, ("the runs", "the qrels"))
    same_kind(pa.large_string(), pa.array(judgments.topics).type, TOPIC, ("the runs", "the qrels"))
    made = {
        "irframe": VERSION,
        FILES: [*runs.states(), *frame.attrs.get(FILES, [])],
        "by_file": runs.by_file,
        "qrels": _mark(frame),
        "topics": size,
    }
    facts = folder.told(WHOLE)
    if facts is not None:
        _refuse_others(facts["made"], made, folder)
        return Store(folder.path)
    facts = _sorted(runs, folder, judgments, frame, made) | {"judged": len(judgments.topics)}
    _sort_blocks(_blocks(folder, facts, judgments.topics), progress=progress)
    folder.remove(RAW)
    folder.tell(WHOLE, facts)
    return Store(folder.path)


def _sorted(
    runs: ScannedRuns, folder: Folder, judgments: QrelsTable, qrels: pd.DataFrame, made: Any
) -> dict[str, Any]:
    """Return what was seen of the runs, sorting their rows into blocks unless that is done."""
    begun = folder.told(BEGUN)
    if begun is None:
        if folder.files.exists(folder.place()) and folder.files.ls(folder.place()):
            raise StoreError("an empty folder, or a store", f"other things in {folder.path}")
        folder.tell(BEGUN, made)
    else:
        _refuse_others(begun, made, folder)
    seen: dict[str, Any] | None = folder.told(SORTED)
    if seen is None:
        for left in (RAW, QRELS, *OF_RUNS):
            folder.remove(left)
        _write_judgments(_marked(folder, made), judgments, made["topics"])
        with folder.files.open(folder.place(FRAME), "wb") as file:
            qrels.to_parquet(file)
        found = sort_runs(runs, folder, judgments.topics, made["topics"])
        seen = found.facts | {"made": made}
        folder.tell(SORTED, seen)
    return seen


def _write_judgments(folder: Folder, judgments: QrelsTable, size: int) -> None:
    """Write the judgments of every block."""
    order = np.argsort(judgments.topic, kind="stable")
    block = judgments.topic[order] // size
    ends = np.append(0, np.cumsum(np.bincount(block)))
    for number, (start, end) in enumerate(pairwise(ends)):
        rows = order[start:end]
        columns = {
            TOPIC: judgments.topic[rows] - np.int32(number * size),
            DOC: take(judgments.doc, rows),
            GRADE: judgments.grade[rows],
        }
        folder.write(pa.table(columns), QRELS, number)


def _blocks(folder: Folder, facts: dict[str, Any], topics: pd.Index) -> Blocks:
    made = facts["made"]
    return Blocks(_marked(folder, made), pd.Index(facts["systems"]), topics, made["topics"])


def _marked(folder: Folder, made: Any) -> Folder:
    """Return a folder whose tables say what they are made of."""
    told = json.dumps(made, sort_keys=True)
    return replace(folder, mark=hashlib.sha256(told.encode()).hexdigest())


def _sort_blocks(blocks: Blocks, *, progress: bool) -> None:
    task = need_dask().delayed(sort_block)
    refuse_workers_without()
    work([task(blocks, number) for number in range(blocks.number)], progress=progress)


def _refuse_others(begun: Any, made: Any, folder: Folder) -> None:
    differing = [name for name in made if begun.get(name) != made[name]]
    if differing:
        found = f"one made of other {' and '.join(differing)} in {folder.path}"
        raise StoreError("a store of these runs", found, "choose another folder, or remove it")


def _mark(qrels: pd.DataFrame) -> str:
    """Return what tells these judgments from others."""
    hashes = pd.util.hash_pandas_object(qrels, index=False).to_numpy()
    names = "".join(map(str, qrels.columns))
    return hashlib.sha256(names.encode() + hashes.tobytes()).hexdigest()
