"""Documents of run and qrels frames as integers that are equal where topic and document are."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from irframe.arrays import in_threads
from irframe.files.ids import Codes, beginnings, grouped, is_text, rows_of_ranges

BATCH = 1 << 14
"""Rows per batch: small enough for a batch's dictionary to stay in the processor's cache."""


class Side(NamedTuple):
    """Topics and documents of one frame."""

    topic: Codes
    doc: pa.ChunkedArray


Visit = Callable[[list[Codes], list[Codes]], None]
"""Takes the rows of a batch and the codes of their documents, one array per side."""


class Stretches(NamedTuple):
    """Where rows of one topic follow each other, topic by topic."""

    topic: Codes
    start: Codes
    length: Codes

    @classmethod
    def of(cls, topic: Codes) -> "Stretches":
        """Find the stretches of rows with some topics."""
        start = beginnings(topic)
        length = np.diff(start, append=len(topic))
        order = grouped(topic[start])
        return cls(topic[start][order], start[order], length[order])

    def rows(self, first: int, end: int) -> Codes:
        """Return the rows of the topics from the first one on, in row order for each."""
        some = slice(*np.searchsorted(self.topic, [first, end]))
        return rows_of_ranges(self.start[some], self.length[some])


def code_documents(*sides: Side) -> list[Codes]:
    """Code the documents of several frames so that equal codes mean same topic and document.

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
    coded: list[Codes] = [np.zeros(len(side.topic), np.int64) for side in sides]

    def write(rows: list[Codes], codes: list[Codes]) -> None:
        for whole, where, part in zip(coded, rows, codes, strict=True):
            whole[where] = part

    in_batches(write, *sides)
    return coded


def in_batches(visit: Visit, *sides: Side) -> None:
    """Code documents as `code_documents` does, some topics at a time, and pass the codes on.

    Neighbouring topics are taken together, so that every dictionary of documents is small.

    Parameters
    ----------
    visit
        What takes the rows and the codes of a batch; in several threads at once.
    sides
        As for `code_documents`.
    """
    topics = 1 + max((int(side.topic.max(initial=-1)) for side in sides), default=-1)
    if topics == 0:
        return
    stretches = [Stretches.of(side.topic) for side in sides]
    docs = [_in_one(side.doc) for side in sides]
    sizes = np.array([np.bincount(side.topic, minlength=topics) for side in sides])
    cuts = _batches(sizes.sum(axis=0))

    def code(batch: int) -> None:
        rows = [some.rows(cuts[batch], cuts[batch + 1]) for some in stretches]
        parts = [take(doc, some) for doc, some in zip(docs, rows, strict=True)]
        doc = pa.concat_arrays(parts).dictionary_encode().indices.to_numpy(zero_copy_only=False)
        topic = np.concatenate([side.topic[some] for side, some in zip(sides, rows, strict=True)])
        coded = (topic.astype(np.int64) << 32) + doc
        visit(rows, np.split(coded, np.cumsum([len(some) for some in rows])[:-1]))

    in_threads(code, range(len(cuts) - 1), 2)


def take(values: pa.ChunkedArray | pa.Array, rows: Codes) -> pa.Array:
    """Return some rows as one array of ``large_string`` or ``int64``, by slicing if possible."""
    if len(rows) and bool((np.diff(rows) == 1).all()):
        part = values.slice(int(rows[0]), len(rows))
    else:
        part = values.take(pa.array(rows))
    part = part.cast(pa.large_string() if is_text(part.type) else pa.int64())
    if isinstance(part, pa.Array):
        return part
    return part.chunk(0) if part.num_chunks == 1 else part.combine_chunks()


def _in_one(doc: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece, from which rows are taken several times as fast."""
    return doc.chunk(0) if doc.num_chunks == 1 else take(doc, np.arange(len(doc)))


def _batches(sizes: Codes) -> Codes:
    """Return topic bounds such that a batch holds about `BATCH` rows, or one topic."""
    batch = np.cumsum(sizes) // BATCH
    first = np.flatnonzero(np.diff(batch, prepend=-1))
    return np.append(first, len(sizes))
