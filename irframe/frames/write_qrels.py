"""Judgments into files."""

from os import PathLike

import pyarrow as pa

from irframe.frames.as_qrels import Qrels
from irframe.frames.columns import TEXT
from irframe.frames.formats import QRELS
from irframe.frames.lines import columns_of, write
from irframe.names import ITERATION, TOPIC

__all__ = ["write_qrels"]


def write_qrels(frame: Qrels, path: str | PathLike[str]) -> None:
    """Write judgments in the TREC format, ``topic iteration doc grade``.

    Parameters
    ----------
    frame
        Columns for topic, doc and grade (whole numbers), and where there is one for iteration,
        by any of their accepted names; or what
        `as_qrels` takes. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Notes
    -----
    Rows keep their order, so that `read_qrels` gives back what was written. A frame without
    iterations gets ``0``, as TREC has it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> qrels = pd.DataFrame({"qid": [301, 301], "docno": ["d3", "d7"], "label": [0, 2]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     write_qrels(qrels, file)
    ...     print(file.read_text())
    301 0 d3 0
    301 0 d7 2
    """
    columns = columns_of(frame, QRELS)
    if ITERATION not in columns:
        columns[ITERATION] = pa.chunked_array(
            [pa.repeat(pa.scalar("0", TEXT), len(columns[TOPIC]))]
        )
    write(path, columns, QRELS)
