"""Judgments from a file."""

import pandas as pd

from irframe.files.columns import to_frame
from irframe.files.comments import notes_of
from irframe.files.compression import Source, name_of
from irframe.files.formats import QRELS
from irframe.files.read_file import read_file
from irframe.files.run_files import states_of
from irframe.names import FILES, ITERATION, SUBTOPIC

__all__ = ["read_qrels"]


def read_qrels(path: Source, *, subtopics: bool = False) -> pd.DataFrame:
    r"""Read judgments: the grade that assessors gave to each document they saw.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic iteration doc grade``, separated by white space;
        - TREC, of a sample: ``topic iteration doc stratum grade``, grade -1 for documents that were
          pooled and not judged;
        - the same with a header that names the columns in any order, as in BEIR
          (``query-id corpus-id score``);
        - Parquet, with columns by any of their accepted names;
        - JSON, ``{topic: {doc: grade}}``.

        gzip, bzip2, xz, zstd and lz4 are unpacked. Empty lines do not count, nor do lines that
        begin with ``#`` and do not fit the columns.
    subtopics
        Whether the second column of a TREC file names subtopics, as it does in tracks of diversity;
        it is `subtopic` then and not `iteration`.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `grade` (whole numbers) and, where the file has them, `iteration`
        and `stratum` (text), rows in file order; further columns of a file with names follow, among
        them the `probability` with which a document was drawn to be judged.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Refused are keys that a dictionary has twice, lines of more than 16 MiB, and devices.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     _ = file.write_text("301 0 d3 0\n301 0 d7 2\n")
    ...     read_qrels(file)
      topic doc  grade iteration
    0   301  d3      0         0
    1   301  d7      2         0
    """
    tables = [read_file(path, QRELS)]
    notes = notes_of(tables)
    frame = to_frame(tables.pop())
    if subtopics:
        frame = frame.rename(columns={ITERATION: SUBTOPIC})
    frame.attrs |= notes | {FILES: states_of([name_of(path)])}
    return frame
