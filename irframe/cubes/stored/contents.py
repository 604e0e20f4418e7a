"""What a store keeps: which files there must be, what they hold, and how they are made."""

import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from irframe.cubes.dask_tasks import need_dask, refuse_workers_without, work
from irframe.cubes.stored.block import (
    HITS,
    LISTS,
    MANIFEST,
    QRELS,
    ROWS,
    Blocks,
    sort_block,
    table_name,
)
from irframe.cubes.stored.folder import Folder, checksum_of
from irframe.cubes.stored.sorted_rows import RAW, Seen, Stretch
from irframe.errors import StoreError
from irframe.experiments.coded_tables import QrelsTable, read_qrels_table
from irframe.experiments.documents import take
from irframe.files.ids import same_kind
from irframe.names import DOC, GRADE, TOPIC

LOCK = "store.lock"
"""Held by who writes to a store."""
KINDS = (ROWS, LISTS, HITS, QRELS)
"""The tables of a block."""
KNOWN = re.compile(
    rf"({'|'.join(KINDS)})/\d{{6,}}-[0-9a-f]{{8}}\.parquet|judgments-[0-9a-f]{{8}}\.parquet"
    rf"|{RAW}/\d{{6,}}\.arrow|{re.escape(MANIFEST)}|{re.escape(LOCK)}"
)
"""How the files of a store are called."""
CURE = "make the store again with runs.ireval.store(path, qrels), which begins anew"
"""What mends a damaged store."""

BYTES = 1 << 26
"""Memory that a block takes while it is ranked and joined."""
ROW = 150
"""Bytes of it that a row takes."""
CELL = 6
"""Bytes that a cell of a cube takes."""


def whole_facts(folder: Folder) -> dict[str, Any]:
    """Return the facts of a store, or raise if it is not whole."""
    facts = folder.told(MANIFEST)
    if facts is None or not facts["whole"]:
        found = "none" if facts is None else "one that is not"
        advice = "make it with runs.ireval.store(path, qrels)" + ", which goes on" * bool(facts)
        raise StoreError("a store of runs that is whole", f"{found} at {folder.path}", advice)
    return facts


def blocks_of(folder: Folder, facts: dict[str, Any], topics: pd.Index) -> Blocks:
    """Return the blocks of a store."""
    return Blocks(folder, pd.Index(facts["systems"]), topics, facts["ends"], facts["blocks"])


def checksums_of(facts: dict[str, Any]) -> dict[str, str]:
    """Return the files that there must be besides the facts, with their checksums."""
    names = {
        table_name(kind, number, checksum): checksum
        for kind, checksums in facts["blocks"].items()
        for number, checksum in enumerate(checksums)
    }
    return names | {frame_name(facts["frame"]): facts["frame"]}


def frame_name(checksum: str) -> str:
    """Return what the file of the judgments as given is called."""
    return f"judgments-{checksum}.parquet"


def coded_judgments(qrels: pd.DataFrame) -> QrelsTable:
    """Return judgments, coded, whose identifiers are text as those of files are."""
    judgments = read_qrels_table(qrels)
    sides = "the runs", "the qrels"
    same_kind(pa.large_string(), judgments.doc.type, DOC, sides)
    same_kind(pa.large_string(), pa.array(judgments.topics).type, TOPIC, sides)
    return judgments


def mark_of(qrels: pd.DataFrame) -> str:
    """Return what tells these judgments from others."""
    hashes = pd.util.hash_pandas_object(qrels, index=False).to_numpy()
    names = "".join(map(str, qrels.columns))
    return hashlib.sha256(names.encode() + hashes.tobytes()).hexdigest()


def keep_frame(folder: Folder, qrels: pd.DataFrame) -> str:
    """Write the judgments as given, and return their checksum."""
    content = io.BytesIO()
    qrels.to_parquet(content)
    made = content.getvalue()
    return folder.put(frame_name(checksum_of(made)), made)


def frame_of(folder: Folder, facts: dict[str, Any]) -> pd.DataFrame:
    """Return the judgments as given."""
    checksum = facts["frame"]
    return pd.read_parquet(io.BytesIO(folder.get(frame_name(checksum), checksum)))


def borders(seen: Seen, topics: int | None) -> list[int]:
    """Return where among the topics seen each block ends.

    Parameters
    ----------
    seen
        How many rows topics have, of how many systems, and how long the longest list is.
    topics
        How many topics a block has; by default as many as `BYTES` have room for.
    """
    number = len(seen.counts)
    if topics is not None:
        return [min(first + topics, number) for first in range(0, number, topics)]
    size = seen.counts * ROW + len(seen.systems) * seen.longest * CELL
    total, ends = np.cumsum(size), [0]
    while ends[-1] < number:
        before = total[ends[-1] - 1] if ends[-1] else 0
        fits = int(np.searchsorted(total, before + BYTES, side="right"))
        ends.append(max(fits, ends[-1] + 1))
    return ends[1:]


def write_judgments(blocks: Blocks, judgments: QrelsTable) -> list[str]:
    """Write the judgments of every block, and return the checksums."""
    order = np.argsort(judgments.topic, kind="stable")
    ends = np.searchsorted(judgments.topic[order], blocks.ends)
    made = []
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        rows = order[start:end]
        columns = {
            TOPIC: judgments.topic[rows] - np.int32(blocks.span(number).start),
            DOC: take(judgments.doc, rows),
            GRADE: judgments.grade[rows],
        }
        made.append(blocks.write(pa.table(columns), QRELS, number))
    return made


def sort_blocks(
    blocks: Blocks,
    numbers: Sequence[int],
    stretches: Sequence[Stretch],
    *,
    replaced: Sequence[int] = (),
    progress: bool,
) -> dict[int, dict[str, str]]:
    """Rank and join some blocks with whatever scheduler dask uses, and return the checksums."""
    delayed, inside = need_dask().delayed, by_block(blocks, stretches)
    refuse_workers_without()
    whole = [partial(sort_block, blocks, number, inside[number], replaced) for number in numbers]
    made = work([delayed(task, traverse=False)() for task in whole], progress=progress)
    return dict(zip(numbers, made, strict=True))


def by_block(blocks: Blocks, stretches: Sequence[Stretch]) -> dict[int, list[Stretch]]:
    """Return the stretches that rows of each block are in."""
    inside: dict[int, list[Stretch]] = defaultdict(list)
    for one in stretches:
        first, last = np.searchsorted(blocks.ends, [one.first, one.last], side="right")
        for number in range(first, last + 1):
            inside[number].append(one)
    return inside


def finish(folder: Folder, facts: dict[str, Any]) -> None:
    """Say that a store is whole, and remove what does not belong to it any more."""
    folder.tell(MANIFEST, facts | {"whole": True})
    folder.keep({MANIFEST, LOCK, *checksums_of(facts)})
    folder.remove(RAW)
