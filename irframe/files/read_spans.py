"""Spans of evidence from files."""

from os import PathLike
from pathlib import Path

import pandas as pd

from irframe.errors import FileFormatError
from irframe.files.as_spans import CORPORA, Texts, as_spans
from irframe.names import ALIASES, DOC, SET, TOPIC


def read_spans(path: str | PathLike[str], *, texts: Texts = None) -> pd.DataFrame:
    """Read evidence spans from a file of JSON lines or CSV.

    Parameters
    ----------
    path
        A file that ends in ``.jsonl`` or ``.json`` (a line for every span or question; ``.json``
        may be one list), or in ``.csv`` or ``.tsv``, also compressed; its columns are those that
        `as_spans` takes.
    texts
        As for `as_spans`.

    Returns
    -------
    pandas.DataFrame
        What `as_spans` gives.

    Raises
    ------
    FileFormatError
        For a file that is none of these.
    InputError
        If it has other columns, or spans that end beyond their texts.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "spans.jsonl")
    ...     _ = file.write_text('{"topic": "1", "doc": "a", "start": 3, "end": 9}')
    ...     read_spans(file)
      topic doc  start  end  grade
    0     1   a      3    9      1
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    ids = dict.fromkeys((*ALIASES[TOPIC], *ALIASES[DOC], *CORPORA, SET), str)
    kind = next((each for each in (".jsonl", ".json", ".csv", ".tsv") if each in suffixes), None)
    try:
        if kind in {".csv", ".tsv"}:
            separator = "," if kind == ".csv" else "\t"
            frame = pd.read_csv(path, sep=separator, dtype=ids, keep_default_na=False)
        elif kind is not None:
            frame = pd.read_json(path, lines=kind == ".jsonl", dtype=ids)
        else:
            advice = "read it with pandas, and hand the frame over to irframe.as_spans"
            raise FileFormatError("spans in a file .jsonl, .json, .csv or .tsv", str(path), advice)
    except (ValueError, pd.errors.ParserError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"spans in {path}", str(error)) from error
    return as_spans(frame, texts=texts)
