"""Runs into files."""

from os import PathLike

import pyarrow as pa
import pyarrow.compute as pc

from irframe.files.as_runs import Runs
from irframe.files.columns import constant, to_arrow, to_frame
from irframe.files.compression import look_at
from irframe.files.formats import RUN
from irframe.files.write_lines import columns_of, write
from irframe.names import RANK, SCORE, SYSTEM, TOPIC

__all__ = ["write_run"]


def write_run(frame: Runs, path: str | PathLike[str], *, system: str | None = None) -> None:
    """Write a run in the TREC format, ``topic Q0 doc rank score tag``.

    Parameters
    ----------
    frame
        Columns for topic and doc, and where there are any for rank, score and system, by any
        of their accepted names. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    system
        The tag, for every row. Default: the frame's system; ``run`` where it has none.

    Notes
    -----
    Rows keep their order, and scores every digit, so that `read_run` gives back what was
    written. A frame without ranks gets 1, 2, ... in row order for each system and topic. A
    frame without scores gets minus the rank, which keeps the order: the format has no way to
    leave a score out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> run = pd.DataFrame({"qid": [301, 301], "docno": ["d7", "d3"], "score": [2.5, 0.1]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     write_run(run, file, system="bm25")
    ...     print(file.read_text())
    301 Q0 d7 1 2.5 bm25
    301 Q0 d3 2 0.1 bm25
    """
    look_at(path)
    columns = columns_of(frame, RUN)
    if system is not None or SYSTEM not in columns:
        columns[SYSTEM] = constant("run" if system is None else system, len(columns[TOPIC]))
    if RANK not in columns:
        columns[RANK] = _row_ranks(columns)
    if SCORE not in columns:
        columns[SCORE] = pc.negate(columns[RANK])
    write(path, columns, RUN)


def _row_ranks(columns: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    lists = to_frame(pa.table({role: columns[role] for role in (SYSTEM, TOPIC)}))
    ranks = lists.groupby([SYSTEM, TOPIC], sort=False).cumcount() + 1
    return to_arrow(ranks)
