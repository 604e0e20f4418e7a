"""Texts of documents and queries, of those that are shown."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from irframe.checks import listed
from irframe.errors import FileFormatError, IdError, InputError
from irframe.names import DOC, TOPIC, roles

Texts = pd.DataFrame | Mapping[Any, Any] | str | os.PathLike[str] | Sequence[Any]
"""Texts as users have them: a frame, a dictionary, a Parquet file, or several of these."""
Found = dict[str, str]

TEXT, QUERY = "text", "query"
SNIPPET = 300
"""Characters of a text that are shown."""
COLUMNS = {
    DOC: (TEXT, "contents", "content", "body", "passage", "snippet", "document"),
    TOPIC: (QUERY, "question", "title", TEXT),
}
"""Role of an id -> names of the column with its text, the first that there is."""
EXAMPLES = 2
"""How many ids of each side an error shows."""


class Told(NamedTuple):
    """Texts by id, ids as text."""

    documents: Found
    queries: Found


def read_texts(texts: Texts | None, docs: Iterable[Any], topics: Iterable[Any]) -> Told:
    """Return the texts of some documents and topics, as far as they are known.

    Parameters
    ----------
    texts
        Texts: a frame with a column of documents or topics, called as in runs and judgments, and
        one of texts, ``text`` or ``query``; a Parquet file of such a table; a dictionary
        doc -> text, or ``{"doc": {doc: text}, "topic": {topic: query}}``; or several of these.
        They may be of more documents and topics than are asked for.
    docs, topics
        Those asked for.

    Raises
    ------
    InputError
        For anything else, an id with several texts, or a text that is none.
    IdError
        If no id of a table is asked for.
    FileFormatError
        For a file that is no Parquet file.

    Examples
    --------
    >>> told = read_texts({"d1": "Cats.", "d2": "Dogs."}, ["d2", "d3"], [])
    >>> told.documents
    {'d2': 'Dogs.'}
    """
    wanted = {DOC: {*map(str, docs)}, TOPIC: {*map(str, topics)}}
    known: dict[str, Found] = {DOC: {}, TOPIC: {}}
    single = isinstance(texts, pd.DataFrame | Mapping | str | os.PathLike)
    sources = listed(texts) if not single else [texts]
    for source in sources:
        for role, table in _tables(source, wanted):
            known[role] |= _known(table, role, wanted[role])
    return Told(known[DOC], known[TOPIC])


def _tables(source: Any, wanted: dict[str, set[str]]) -> list[tuple[str, pd.DataFrame]]:
    """Return frames with the columns id and text, each with the role of its ids."""
    if isinstance(source, Mapping):
        both = bool(source) and {*source} <= {DOC, TOPIC}
        parts = source if both else {DOC: source}
        for part in parts.values():
            if not isinstance(part, Mapping):
                raise InputError("texts by id, a dictionary", f"a {type(part).__name__}")
        return [
            (role, pd.DataFrame({"id": list(part), TEXT: list(part.values())}, dtype=object))
            for role, part in parts.items()
        ]
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source), wanted)
    if isinstance(source, pd.DataFrame):
        named = _columns(source.columns)
        return [(role, _renamed(source, *names)) for role, names in named.items()]
    wanted_words = "texts: a frame, a dictionary doc -> text, or a Parquet file"
    raise InputError(wanted_words, f"a {type(source).__name__}")


def _columns(names: Iterable[Any]) -> dict[str, tuple[Any, Any]]:
    """Return role -> column of ids and column of texts, of a table of texts."""
    present, role = list(names), roles(names)
    columns = {}
    for kind, known in COLUMNS.items():
        text = next((name for name in known if name in present), None)
        taken = kind == TOPIC and DOC in role and text == TEXT
        if kind in role and text is not None and not taken:
            columns[kind] = role[kind], text
    if not columns:
        advice = "name the columns doc and text, or topic and query"
        wanted = "a table of texts, with a column of ids and one of texts"
        raise InputError(wanted, "only the columns", advice, present)
    return columns


def _renamed(frame: pd.DataFrame, ids: Any, text: Any) -> pd.DataFrame:
    table = pd.DataFrame({"id": frame[ids].to_numpy(object), TEXT: frame[text].to_numpy(object)})
    return table.drop_duplicates()


def _of_file(path: Path, wanted: dict[str, set[str]]) -> list[tuple[str, pd.DataFrame]]:
    """Read what is asked for out of a Parquet file, which may be a whole collection."""
    import pyarrow as pa  # noqa: PLC0415 - costs time at import
    from pyarrow import compute, parquet  # noqa: PLC0415 - costs time at import

    try:
        names = _columns(parquet.read_schema(path).names)
        tables = []
        for role, (ids, text) in names.items():
            condition = compute.field(ids).cast(pa.string()).isin(pa.array(sorted(wanted[role])))
            table = parquet.read_table(path, columns=[ids, text], filters=condition)
            rows = table if table.num_rows else parquet.read_table(path, columns=[ids, text])[:2]
            tables.append((role, _renamed(rows.to_pandas(), ids, text)))
    except FileNotFoundError as error:
        raise FileFormatError("a Parquet file of texts", f"no file {path}") from error
    except pa.ArrowException as error:
        wanted_words = "texts in a Parquet file that is whole"
        raise FileFormatError(wanted_words, f"{path} ({error})") from error
    return tables


def _known(table: pd.DataFrame, role: str, wanted: set[str]) -> Found:
    """Return the texts that are asked for, refusing a table of which none is."""
    ids = table["id"].map(str)
    rows = table[ids.isin(wanted) & table[TEXT].notna()]
    if not len(rows):
        if not wanted or not len(table):
            return {}
        sides = f"texts of {_shown(ids)}; results of {_shown(sorted(wanted))}"
        raise IdError(f"texts of {role}s that occur", sides, "check how the ids are written")
    strange = [str(key) for key, text in rows.to_numpy() if not isinstance(text, str)]
    if strange:
        raise InputError("texts that are text", f"other values for {role}s", "", strange)
    known = rows["id"].map(str)
    if known.duplicated().any():
        again = known[known.duplicated()].unique()
        raise InputError(f"one text for each {role}", f"{len(again)} with several", "", again)
    return dict(zip(known, rows[TEXT], strict=True))


def _shown(ids: Iterable[Any]) -> str:
    return ", ".join(repr(str(name)) for name in list(ids)[:EXAMPLES])
