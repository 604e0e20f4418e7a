"""Files of runs and judgments as tables: text, Parquet, JSON or CBOR, in folders or alone."""

import json
import re
from collections.abc import Iterable, Sequence
from glob import escape, glob
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import InputError, IrframeError, shortened
from irframe.files import compression
from irframe.files.in_pieces import read_in_pieces
from irframe.files.kinds import RUN, Kind, in_types
from irframe.files.limits import shallow
from irframe.files.read_json import is_nested, is_objects, parse_nested, parse_objects
from irframe.files.read_parquet import is_parquet, read_parquet
from irframe.files.text import parse
from irframe.files.values import TYPES, constant, framed
from irframe.names import DOC, RANK, SCORE, SYSTEM, TOPIC, roles

_PARTITION = re.compile(r"([^=/]+)=([^=/]*)")
_PART = re.compile(r"part[-.]\d+.*|data[-_]?\d+\..*", re.IGNORECASE)
"""What Spark and others call the files of one data set."""


def find_files(
    paths: str | PathLike[str] | Iterable[compression.Source],
) -> Sequence[compression.Source]:
    """Return the files that a pattern, a folder, a path or several of them mean.

    Parameters
    ----------
    paths
        A pattern (``**`` crosses folders), a folder, a file, the address of one of these in an
        object store, or an iterable of files. Files that begin with ``.`` or ``_`` are left out
        of patterns and folders; of a folder that holds partitions (``track=web``), or parts,
        all files below are meant.

    Raises
    ------
    InputError
        If there is none.
    """
    if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | PathLike):
        files: list[compression.Source] = list(paths)
    elif not isinstance(paths, str | PathLike):
        raise InputError("a pattern, a path or several", repr(paths))
    else:
        name = fspath(paths)
        files = []
        if compression.is_address(name):
            store, path = compression.opened_by(name)
            for match in sorted(store.glob(path) if escape(path) != path else [path]):
                found = sorted(store.find(match)) if store.isdir(match) else None
                inside = [match] if found is None else _data_files(found, match)
                files += map(store.unstrip_protocol, inside)
        else:
            files += _paths(name)
    if not files:
        wanted, advice = f"files that match {paths!r}", f"the current folder is {Path.cwd()}"
        raise InputError(wanted, "none", advice)
    return files


def _paths(name: str) -> list[str]:
    if Path(name).is_dir():
        inside = sorted(path for path in Path(name).rglob("*") if path.is_file())
        return _data_files([str(path) for path in inside], name)
    if escape(name) != name and not Path(name).exists():
        matches = sorted(glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
        within = [_paths(match) if Path(match).is_dir() else [match] for match in matches]
        keep = [files for match, files in zip(matches, within, strict=True) if _is_shown(match)]
        return [file for files in keep for file in files]
    return [name]


def _data_files(files: list[str], folder: str) -> list[str]:
    """Return the files of a folder: its own, and those of its partitions and parts."""
    kept = []
    for file in files:
        inner = PurePosixPath(Path(file).as_posix()[len(Path(folder).as_posix()) :].lstrip("/"))
        below = inner.parts[:-1]
        data_set = all(_PARTITION.fullmatch(part) for part in below) or _PART.fullmatch(inner.name)
        if data_set and all(_is_shown(part) for part in inner.parts):
            kept.append(file)
    return kept


def _is_shown(path: str) -> bool:
    return not PurePosixPath(path).name.startswith((".", "_"))


def partitions(name: str) -> dict[str, str]:
    """Return what the folders of a partitioned data set say of a file.

    Examples
    --------
    >>> partitions("runs/track=web/system=bm25%2Brm3/part-0.parquet")
    {'track': 'web', 'system': 'bm25+rm3'}
    """
    folders = PurePosixPath(name.replace("\\", "/")).parts[:-1]
    matches = (_PARTITION.fullmatch(folder) for folder in folders)
    return {match[1]: unquote(match[2]) for match in matches if match}


def home(name: str) -> str:
    """Return the data set that a file is a part of, else the file.

    Examples
    --------
    >>> home("runs/bm25.parquet/part-00000-1f3a.snappy.parquet"), home("runs/system=a/x.parquet")
    ('runs/bm25.parquet', 'runs')
    >>> home("runs/bm25.gz")
    'runs/bm25.gz'
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if _PART.fullmatch(path.name) or _PARTITION.fullmatch(path.parent.name):
        path = path.parent
        while _PARTITION.fullmatch(path.name):
            path = path.parent
        return str(path)
    return name


def parse_parquet(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a Parquet file into a table with a column per role, then its further columns.

    Parameters
    ----------
    data
        The file.
    source
        Its name, for messages.
    kind
        What it should be.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text; ids that were whole numbers are written out. Of further
        columns with one name only the first is read.
    """
    return in_types(read_parquet(data, source), source, kind)


LINES = 3
"""How many lines at fault of a file are listed; the others are counted."""

Failure = IrframeError | OSError
Problem = tuple[str, str, str]
"""A file, what was wanted of it, and what was found there instead."""


def problems_of(file: str, error: Exception) -> list[Problem]:
    """Return what is wrong with a file that could not be read: its first lines, and a count."""
    wanted = getattr(error, "wanted", "a file that can be read")
    faults = [*getattr(error, "offenders", ())] or [getattr(error, "found", error)]
    more = len(faults) - LINES
    counted = [f"{more:,} more"] if more > 0 else []
    return [(file, wanted, shortened(fault, str)) for fault in [*faults[:LINES], *counted]]


ONCE = "each system in one file"
"""What is wanted of files that are no parts of one data set."""


class Together:
    """The files of runs that go together, as they are read one after the other."""

    def __init__(self) -> None:
        self.first: tuple[str, list[str]] | None = None
        self.homes: dict[str, str] = {}

    def problems(self, name: str, table: pa.Table | Failure) -> list[Problem]:
        """Return why a file does not go with those before it; where it does, it is one of them."""
        if isinstance(table, Exception):
            return problems_of(name, table)
        columns = table.column_names
        first, others = self.first = self.first or (name, columns)
        problems = [
            (
                name,
                f"a {role} in every file or in none",
                f"{'one' if role in columns else 'none'}, unlike {first}",
            )
            for role in (RANK, SCORE)
            if (role in columns) != (role in others)
        ]
        systems, here = pc.unique(table[SYSTEM]).to_pylist(), home(name)
        problems += [
            (name, ONCE, f"{system!r}, which is in {self.homes[system]}")
            for system in systems
            if system in self.homes and (here == name or self.homes[system] != here)
        ]
        if not problems:
            self.homes |= dict.fromkeys(systems, here)
        return problems


def empty_run() -> pa.Table:
    """Return the run of no file."""
    columns = (SYSTEM, TOPIC, DOC, RANK, SCORE)
    return pa.table({name: pa.array([], TYPES[name]) for name in columns})


RUN_SUFFIXES = (
    *(".run", ".txt", ".trec", ".tsv", ".csv", ".json", ".jsonl", ".lz4", ".parquet", ".parq"),
)


READERS = ((is_objects, parse_objects), (is_nested, parse_nested), (is_parquet, parse_parquet))
"""What tells by its content whether a file is of a format, and reads it; all others are text."""


def read_file(source: compression.Source, kind: Kind, *, outline: bool = False) -> pa.Table:
    """Read a file of either kind, whatever its content is written in.

    Of an outline, a large run may be a few rows of each system.
    """
    whole = read_in_pieces(source, kind, outline=outline) if kind.value == SCORE else None
    if whole is not None:
        return whole
    data, name = compression.load(source), compression.name_of(source)
    reader = next((read for tells, read in READERS if tells(data)), parse)
    return reader(data, name, kind)


def plain_table(source: compression.Source, *, na_filter: bool = False) -> pd.DataFrame:
    """Read a table of any kind: Parquet, JSON, or CSV and TSV, what is text as it stands.

    Parameters
    ----------
    source
        The file; text of which neither content nor name says what it is is CSV.
    na_filter
        Whether empty fields of text are missing.
    """
    data, name = compression.load(source), compression.name_of(source)
    with compression.undamaged("a table", name, ValueError, OSError):
        if is_parquet(data):
            frame: pd.DataFrame = read_parquet(data, name).to_pandas()
            return frame
        if compression.may_be_json(data):
            text = shallow(name, data).decode("utf-8-sig").strip()
            rows = [text] if text[0] == "[" else filter(str.strip, text.split("\n"))
            held = [json.loads(row) for row in rows]
            return framed(held[0] if text[0] == "[" else held)
        between = "\t" if ".tsv" in Path(name.lower()).suffixes else ","
        return pd.read_csv(BytesIO(data), dtype=str, sep=between, na_filter=na_filter)


def run_table(
    source: compression.Source, system: str | None, kind: Kind = RUN, *, outline: bool = False
) -> pa.Table:
    """Read a run whose first column names the system, with what its folders say of it."""
    table = read_file(source, kind, outline=outline)
    parts, label = partitions(compression.name_of(source)), system_of(compression.name_of(source))
    parts.pop(str(roles(parts).get(SYSTEM)), None)
    for name, value in parts.items():
        if name not in table.column_names:
            table = table.append_column(name, constant(value, table.num_rows))
    if system is None and label is None and SYSTEM in table.column_names:
        return table
    chosen = system or label or stem(source)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, constant(chosen, table.num_rows))


def attempt(
    source: compression.Source, *, by_file: bool, kind: Kind, outline: bool = False
) -> pa.Table | Failure:
    """Read a run, or return what is wrong with its file."""
    try:
        return run_table(source, stem(source) if by_file else None, kind, outline=outline)
    except (IrframeError, OSError) as error:
        return error


def system_of(name: str) -> str | None:
    """Return which system the folders of a partitioned data set say that a file is of."""
    parts = partitions(name)
    return parts.get(str(roles(parts).get(SYSTEM)))


def stem(source: compression.Source) -> str:
    """Name a system after its file."""
    path = Path(home(compression.name_of(source)))
    for suffixes in (compression.PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
