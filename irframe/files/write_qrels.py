"""Judgments into files."""

from os import PathLike

import numpy as np
import pyarrow as pa

from irframe.errors import warn
from irframe.files.as_qrels import Qrels
from irframe.files.columns import TEXT
from irframe.files.compression import look_at
from irframe.files.formats import QRELS
from irframe.files.write_lines import columns_of, write
from irframe.names import GRADE, ITERATION, PROBABILITY, STRATUM, TOPIC

__all__ = ["write_qrels"]


def write_qrels(frame: Qrels, path: str | PathLike[str]) -> None:
    """Write judgments in the TREC format, ``topic iteration doc grade``.

    Parameters
    ----------
    frame
        Columns for topic, doc and grade (whole numbers), and where there are some for iteration
        and stratum, by any of their accepted names; or what `as_qrels` takes. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Warns
    -----
    IrframeWarning
        If documents were drawn with a `probability` that is not the judged share of their stratum,
        for which the format has no column.

    Notes
    -----
    Rows keep their order, so that `read_qrels` gives back what was written. A frame without
    iterations gets ``0``, as TREC has it. One with a column `stratum` is written in the five
    columns ``topic iteration doc stratum grade`` that NIST's sample_eval.pl reads, where grade -1
    marks a document that was pooled and not judged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> qrels = pd.DataFrame({"qid": [301, 301], "docno": ["d3", "d7"], "label": [0, 2]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     write_qrels(qrels, file)
    ...     write_qrels(qrels.assign(stratum=1), Path(folder, "sample.txt"))
    ...     print(file.read_text() + Path(folder, "sample.txt").read_text())
    301 0 d3 0
    301 0 d7 2
    301 0 d3 1 0
    301 0 d7 1 2
    """
    look_at(path)
    columns = columns_of(frame, QRELS)
    if ITERATION not in columns:
        columns[ITERATION] = pa.chunked_array(
            [pa.repeat(pa.scalar("0", TEXT), len(columns[TOPIC]))]
        )
    if PROBABILITY in columns and not _follows(columns):
        told = "the column probability, which the TREC format lacks, is not written; "
        warn(told + "frame.to_parquet(path) keeps it, and read_qrels reads that")
    write(path, columns, QRELS)


def _follows(columns: dict[str, pa.ChunkedArray]) -> bool:
    """Tell whether probabilities are the judged shares of strata, which can be counted again."""
    if STRATUM not in columns:
        return False
    names = (TOPIC, STRATUM, GRADE, PROBABILITY)
    frame = pa.table({name: columns[name] for name in names}).to_pandas()
    judged = (frame[GRADE] >= 0).groupby([frame[TOPIC], frame[STRATUM]]).transform("mean")
    return bool(np.allclose(judged, frame[PROBABILITY]))
