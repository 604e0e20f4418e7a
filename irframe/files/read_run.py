"""One run from a file."""

import pandas as pd

from irframe.files.columns import to_frame
from irframe.files.comments import notes_of
from irframe.files.compression import Source, name_of
from irframe.files.read_file import run_table
from irframe.files.run_files import states_of
from irframe.names import FILES

__all__ = ["read_run"]


def read_run(path: Source, system: str | None = None) -> pd.DataFrame:
    r"""Read one run, what a system retrieved, as it was filed.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic Q0 doc rank score tag``, separated by white space; further columns are
          passed over, as by trec_eval, with a warning where not all lines have as many;
        - MS MARCO: ``topic doc rank``;
        - Parquet, with columns by any of their accepted names;
        - JSON, ``{topic: {doc: score}}`` as of BEIR, or MTEB's ``*_predictions.json``; the same
          in CBOR, as ranx writes it to ``.lz4``, for which the package cbor2 is needed.

        gzip, bzip2, xz, zstd and lz4 are unpacked. Empty lines do not count, nor do lines that
        begin with ``#`` and do not fit the columns; a header of ir_metadata is kept, as YAML, in
        ``attrs["ir_metadata"]`` under the system.
    system
        Name of the system, for every row. Default: the tag of each row; where there is none,
        the file's name without ``.gz``, ``.bz2``, ``.xz``, ``.zst`` and then without ``.run``,
        ``.txt``, ``.trec``, ``.tsv``, ``.json``, ``.lz4``, ``.parquet``, ``.parq``.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `topic`, `doc`, `rank` (as filed) and `score`, rows in file order. An
        MS MARCO file has no `score`; further columns of a Parquet file follow.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Ranks and scores are taken as filed; `rank` decides what order they make. Refused are keys that
    a dictionary has twice, lines of more than 16 MiB, and devices, which may never end; a pipe is
    a file. A system that the last line alone names is warned of, as where a file was cut off.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     _ = file.write_text("301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n")
    ...     read_run(file)
      system topic doc  rank  score
    0   bm25   301  d7     1   2.50
    1   bm25   301  d3     2   1.25
    """
    tables = [run_table(path, system)]
    known, notes = states_of([name_of(path)]), notes_of(tables)
    frame = to_frame(tables.pop())
    frame.attrs |= notes | ({FILES: known} if known else {})
    return frame
