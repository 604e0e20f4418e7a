"""Documents of run and qrels frames as integers that are equal where topic and document are."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from irframe.frames.ids import Codes, grouped, is_text

BATCH = 1 << 14
"""Rows per batch: small enough for a batch's dictionary to stay in the processor's cache."""


class Side(NamedTuple):
    """Topics and documents of one frame."""

    topic: Codes
    doc: pa.ChunkedArray


def code_documents(*sides: Side) -> list[Codes]:
    """Code the documents of several frames so that equal codes mean same topic and document.

    Topics are taken in batches of neighbours, so that every dictionary of documents is small.

    Parameters
    ----------
    sides
        Topic codes, at least 0 and shared by all sides, and documents; one length per side.

    Returns
    -------
    list of numpy.ndarray
        A code for every row, per side.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> run = Side(np.array([0, 0, 1]), pa.chunked_array([["a", "b", "a"]]))
    >>> qrels = Side(np.array([1, 0]), pa.chunked_array([["a", "a"]]))
    >>> left, right = code_documents(run, qrels)
    >>> bool(left[0] == right[1]), bool(left[2] == right[0]), bool(left[0] == left[2])
    (True, True, False)
    """
    topics = 1 + max((int(side.topic.max(initial=-1)) for side in sides), default=-1)
    if topics == 0:
        return [np.zeros(len(side.topic), np.int64) for side in sides]
    orders = [grouped(side.topic) for side in sides]
    sorted_topics = [side.topic[order] for side, order in zip(sides, orders, strict=True)]
    sorted_docs = [take(side.doc, order) for side, order in zip(sides, orders, strict=True)]
    sizes = sum(np.bincount(side.topic, minlength=topics) for side in sides)
    cuts = _batches(np.asarray(sizes))
    bounds = [np.searchsorted(topic, cuts) for topic in sorted_topics]
    coded: list[Codes] = [np.empty(len(side.topic), np.int64) for side in sides]

    def code(batch: int) -> None:
        parts = [
            doc[bound[batch] : bound[batch + 1]]
            for doc, bound in zip(sorted_docs, bounds, strict=True)
        ]
        joined = pa.concat_arrays(parts).dictionary_encode()
        doc = joined.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        start = 0
        for side, (order, topic, bound, part) in enumerate(
            zip(orders, sorted_topics, bounds, parts, strict=True)
        ):
            inside = slice(bound[batch], bound[batch + 1])
            stop = start + len(part)
            coded[side][order[inside]] = (topic[inside].astype(np.int64) << 32) + doc[start:stop]
            start = stop

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(code, range(len(cuts) - 1)))
    return coded


def take(values: pa.ChunkedArray, rows: Codes) -> pa.Array:
    """Return some rows as one array of ``large_string`` or ``int64``, by slicing if possible."""
    if len(rows) and bool((np.diff(rows) == 1).all()):
        part = values.slice(int(rows[0]), len(rows))
    else:
        part = values.take(pa.array(rows))
    part = part.cast(pa.large_string() if is_text(part.type) else pa.int64())
    return part.chunk(0) if part.num_chunks == 1 else part.combine_chunks()


def _batches(sizes: Codes) -> Codes:
    """Return topic bounds such that a batch holds about `BATCH` rows, or one topic."""
    batch = np.cumsum(sizes) // BATCH
    first = np.flatnonzero(np.diff(batch, prepend=-1))
    return np.append(first, len(sizes))
