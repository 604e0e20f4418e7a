"""One run, or judgments, from a file.

Verbs: read_run, read_qrels.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from irframe.files.comments import notes_of
from irframe.files.compression import Source, is_address, name_of, opened_by
from irframe.files.kinds import QRELS, RUN
from irframe.files.read_file import read_file, run_table
from irframe.files.values import to_frame
from irframe.names import FILES, ITERATION, SUBTOPIC

Columns = Sequence[str] | Mapping[str, str] | None
"""What columns of a file are, in order; or name -> role."""


def changed_files(states: Iterable[list[Any]]) -> list[str]:
    """Return the files that are no longer as they were, or are gone."""
    changed = []
    for name, *state in states:
        try:
            same = [*state_of(name)] == state
        except OSError:
            same = False
        changed += [] if same else [name]
    return changed


def states_of(files: Iterable[str]) -> list[list[Any]]:
    """Return name, size and time of change of all files that have a name to be found by."""
    there = (file for file in files if is_address(file) or Path(file).is_file())
    return [[file, *state_of(file)] for file in there]


def state_of(file: str) -> tuple[int, str]:
    """Return the size of a file and when it was changed."""
    if is_address(file):
        store, path = opened_by(file)
        # Stores say in various words when a file changed, some by a tag alone.
        info = store.info(path)
        changed = info.get("mtime", info.get("LastModified", info.get("ETag", "")))
        return int(info["size"]), str(changed)
    stat = Path(file).stat()
    return stat.st_size, str(stat.st_mtime_ns)


def read_run(
    path: Source, system: str | None = None, *, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
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
        ``.txt``, ``.trec``, ``.tsv``, ``.csv``, ``.json``, ``.lz4``, ``.parquet``, ``.parq``.
    columns
        Where a file does not tell: what its columns are, in order, of lines without a header, such
        as ``["topic", "doc", "score"]``; or name -> role, such as ``{"model_name": "system"}``.
    sep
        What stands between columns of text; by default tabs, blanks, commas or semicolons, as they
        fit.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `topic`, `doc`, `rank` (as filed) and `score`, rows in file order. An
        MS MARCO file has no `score`; further columns of a Parquet file follow.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Ranks and scores are taken as filed; `rank` decides what order they make. Refused are scores
    beyond all floats, such as ``1e400``, keys that a dictionary has twice, and devices, which
    may never end; a pipe is a file. A system that
    the last line alone names is warned of, as where a file was cut off.

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
    tables = [run_table(path, system, RUN.told(columns, sep))]
    known, notes = states_of([name_of(path)]), notes_of(tables)
    frame = to_frame(tables.pop())
    frame.attrs |= notes | ({FILES: known} if known else {})
    return frame


def read_qrels(
    path: Source, *, subtopics: bool = False, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
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
    columns, sep
        As for `read_run`.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `grade` (whole numbers) and, where the file has them, `iteration`
        and `stratum` (text), rows in file order; further columns of a file with names follow, among
        them the `probability` with which a document was drawn to be judged.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Refused are keys that a dictionary has twice, and devices.

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
    tables = [read_file(path, QRELS.told(columns, sep))]
    notes = notes_of(tables)
    frame = to_frame(tables.pop())
    if subtopics and SUBTOPIC not in frame:
        frame = frame.rename(columns={ITERATION: SUBTOPIC})
    frame.attrs |= notes | {FILES: states_of([name_of(path)])}
    return frame
