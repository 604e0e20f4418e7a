"""Runs in files that are too large to be read at once.

Verbs: scan_runs.
"""

import codecs
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, cast

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.checks import choice
from irframe.errors import InputError, IrframeError
from irframe.files import compression, locations, read_file, read_runs
from irframe.files.comments import notes_of
from irframe.files.ids import TEXT, names_in
from irframe.files.kinds import RUN, Kind, in_types
from irframe.files.text import Cut, cuts_of, parse
from irframe.files.values import to_frame
from irframe.names import RANK, SCORE, SYSTEM, TOPIC, as_html

BATCH = 1 << 24
"""Bytes of files that are read at a time where not all are to be in memory, unless one has more."""
DENSE = 6
"""How many times as large what is read of a packed file is."""

LARGE, PIECE = 1 << 24, 1 << 23
"""Bytes from which on a file is read in pieces, and about how many a piece has."""
ROWS = 1 << 20
"""Rows of whole runs that are held at a time, unless one run has more."""
FEW = 100
"""Rows that a system has on average in files of which each has its turn."""

Read = TypeVar("Read")


@dataclass(frozen=True)
class ScannedRuns:
    """Runs in files, none of which has been read; see `scan_runs`.

    Parameters
    ----------
    files
        The files.
    by_file
        Whether systems are called after their files.
    skip
        Whether files that cannot be read are left out.
    repeat
        What says of the names of files which system and which repeat they are of.
    unit
        What says which document a chunk is of, where lists are to be collapsed.
    kind
        What is told of the files.
    labels
        File's name without its suffixes -> what its repeat of a system is called.

    Examples
    --------
    >>> ScannedRuns(("bm25.gz",)).files
    ('bm25.gz',)
    """

    files: tuple[str, ...]
    by_file: bool = False
    skip: bool = False
    repeat: str | None = None
    unit: Any = None
    kind: Kind = RUN
    labels: Mapping[str, str] | None = None

    _repr_html_ = as_html

    access: ClassVar[Callable[[Any], Any]]
    """What gives the verbs; the accessor puts itself there."""

    @property
    def ireval(self) -> Any:
        """Verbs of these runs."""
        return type(self).access(self)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows of some files at a time.

        No frame is kept here, so that it is gone when the next one is read.
        """
        return map(self._described, read_in_turn(self.files, self.kind, by_file=self.by_file))

    def frame(self) -> pd.DataFrame:
        """Return all runs, as `read_runs` reads them."""
        read = read_runs.read_all(self.files, self.kind, by_file=self.by_file, skip=False)
        return self._described(read)

    def _described(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return runs of documents, called by the repeats that they are."""
        if self.unit is not None:
            frame = read_runs.of_documents(frame, self.unit)
        if self.repeat is None:
            return frame
        if self.labels is None:
            wanted, advice = "runs without repeats", "evaluate and cube take them; or leave it out"
            raise InputError(wanted, f"repeat={self.repeat!r}", advice)
        return frame.assign(**{SYSTEM: frame[SYSTEM].map(dict(self.labels)).array})

    def readable(self) -> "ScannedRuns":
        """Return the runs without unreadable files, if these are skipped.

        Files are read once for that, one at a time.

        Warns
        -----
        IrframeWarning
            If there are some.
        """
        if not self.skip:
            return self
        read = partial(read_file.attempt, by_file=self.by_file, kind=self.kind)
        together, readable_files = read_file.Together(), list[str]()
        for file, table in together.accepted((file, read(file)) for file in self.files):
            notes_of([table])
            readable_files.append(file)
        if not readable_files:
            found = f"none of {len(self.files)} files"
            raise InputError("a run that can be read", found, "", self.files)
        return replace(self, files=tuple(readable_files), skip=False)

    def states(self) -> list[list[Any]]:
        """Return name, size and time of change of every file."""
        return read_runs.states_of(self.files)


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: read_runs.Columns = None,
    sep: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ScannedRuns:
    r"""Find runs that are too large for memory, unread.

    Parameters
    ----------
    paths, system, repeat, unit, columns, sep
        As for `read_runs`; lists are collapsed some files at a time, as these are read.
    on_error
        What verbs do about files that cannot be read, or that do not go together: raise, or
        skip them with a warning. To see that, all files are read once more.

    Returns
    -------
    ScannedRuns
        The files. ``runs.ireval.evaluate(qrels, "AP")`` scores them, some files at a time;
        ``runs.ireval.cube(qrels)`` makes a cube of what they hold of the judgments.

    Raises
    ------
    InputError
        If there is no file.
    ParameterError
        For a pattern without its groups, and where verbs read names of files that do not fit it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.txt").write_text("301 Q0 d7 1 2.5 bm25\n")
    ...     len(scan_runs(f"{folder}/*.txt").files)
    1
    """
    by_file = choice("system", system, ("tag", "file")) == "file" or repeat is not None
    read_runs.named_groups(repeat)
    files = locations.find_files(paths)
    strange = [repr(file) for file in files if not isinstance(file, str | PathLike)]
    if strange:
        raise InputError("paths of runs", "", "read open files with read_runs", strange)
    skip = choice("on_error", on_error, ("raise", "skip")) == "skip"
    return ScannedRuns(
        tuple(map(str, files)), by_file, skip, repeat, unit, RUN.described(columns, sep)
    )


def read_in_turn(files: Sequence[str], kind: Kind, *, by_file: bool) -> Iterator[pd.DataFrame]:
    """Yield frames of some files at a time.

    Meanwhile the next ones are read.

    Parameters
    ----------
    files
        Paths or addresses. Parts of one run come together, so that lists are whole.
    kind
        What is told of them.
    by_file
        Whether systems are called after their files.

    Raises
    ------
    IrframeError
        As `read_runs` does of all of them, when it comes to the files at fault.
    """
    batches, together = _batches(files, by_file=by_file), read_file.Together()
    alone = {names[0] for names, size in batches if len(names) == 1 and size > BATCH}

    def attempt(name: str) -> pa.Table | read_file.Failure | Iterator[pa.Table]:
        several = name in alone and not by_file and not locations.partitions(name)
        runs = runs_in_turn(name, kind) if several else None
        return runs or read_file.attempt(name, by_file=by_file, kind=kind)

    with read_runs.threads() as pool:
        read = partial(pool.map, attempt)
        results = _ahead(read, batches)
        for names, _ in batches:
            read_tables: list[Any] = list(islice(results, len(names)))
            runs = read_tables.pop() if isinstance(read_tables[0], Iterator) else iter(())
            for part in chain([read_tables] if read_tables else [], _one_by_one(runs)):
                tables = read_runs.all_read(names, part)
                part.clear()  # so that nobody here holds them
                read_runs.refuse_clashes(together, names, tables, by_file=by_file)
                notes_of(tables)
                yield to_frame(read_runs.one_table(tables))


def _one_by_one(runs: Iterator[pa.Table]) -> Iterator[list[pa.Table]]:
    """Yield tables in lists of their own, which are to be emptied."""
    while part := list(islice(runs, 1)):
        yield part


def _ahead(
    read: Callable[[list[str]], Iterator[Read]], batches: Sequence[tuple[list[str], int]]
) -> Iterator[Read]:
    """Yield results of batches, reading the next small batch meanwhile."""
    ahead: Iterator[Read] | None = None
    for (names, _), (following, size) in pairwise([*batches, ([], 0)]):
        results = ahead or read(names)
        ahead = read(following) if size <= BATCH else None
        yield from results


def _batches(files: Sequence[str], *, by_file: bool) -> list[tuple[list[str], int]]:
    """Group files into batches; parts of a run stay together."""
    dense = (*compression.PACKED, ".parquet")
    sizes = {
        name: size * (DENSE if name.lower().endswith(dense) else 1)
        for name, size, _ in read_runs.states_of(files)
    }
    together: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for name in files:
        together[locations.home(name), None if by_file else locations.system_of(name)].append(name)
    # Parts of one run, and files of one system, stay together: a system's lists come from one
    # batch.
    batches: list[tuple[list[str], int]] = []
    for names in together.values():
        size = sum(sizes.get(name, 0) for name in names)
        is_full = not batches or batches[-1][1] + size > BATCH
        before = ([], 0) if is_full else batches.pop()
        batches.append((before[0] + names, before[1] + size))
    return batches


def runs_in_turn(file: str, kind: Kind = RUN) -> Iterator[pa.Table] | None:
    """Yield complete runs of some systems of a large file.

    Returns
    -------
    iterator of pyarrow.Table or None
        None where a file is small, odd, or of one system, so that it is read at once. Files are
        read twice: first for where the rows of each system stand; and again and again where
        systems take turns in them, a part of the systems at a time.
    """
    is_file = not compression.is_address(file) and Path(file).is_file()
    if not is_file or Path(file).stat().st_size < LARGE:  # a pipe is read once
        return None
    with Path(file).open("rb") as stream:
        is_parquet = stream.read(len(compression.PARQUET)) == compression.PARQUET
    places, rows = dict[str, list[int]](), Counter[str]()
    pieces = (piece[SYSTEM] for piece in _pieces(file, kind))
    try:
        for place, systems in enumerate(_labels_of_parquet(file, kind) if is_parquet else pieces):
            for entry in pc.value_counts(systems).to_pylist():
                places.setdefault(entry["values"], []).append(place)
                rows[entry["values"]] += entry["counts"]
    except (IrframeError, LookupError):
        return None
    if len(rows) < 2 or rows.total() < FEW * len(rows) or min(rows.values()) < 2:
        return None
    read = _parquet_pieces if is_parquet else _pieces
    return _whole_runs(lambda: read(file, kind), places, _turns(rows))


def _turns(rows: Counter[str]) -> Iterator[list[str]]:
    """Yield groups of systems with about `ROWS` rows."""
    share, total = list[str](), 0
    for system, number in rows.items():
        if share and total + number > ROWS:
            yield share
            share, total = [], 0
        share.append(system)
        total += number
    yield share


def _whole_runs(
    read: Callable[[], Iterator[pa.Table]],
    places: dict[str, list[int]],
    shares: Iterator[list[str]],
) -> Iterator[pa.Table]:
    """Yield all rows of each group of systems."""
    pieces, at, piece = enumerate(read()), -1, pa.table({})
    for systems in shares:
        wanted, parts = {place for system in systems for place in places[system]}, []
        if min(wanted) < at:
            pieces, at = enumerate(read()), -1
        while True:
            if at in wanted:
                parts.append(piece.filter(pc.is_in(piece[SYSTEM], pa.array(systems, TEXT))))
            if at >= max(wanted):
                break
            at, piece = next(pieces)
        taken = (parts.pop(0) for _ in range(len(parts)))  # so that nobody here holds them
        yield pa.concat_tables(taken, promote_options="permissive")


def _parquet_pieces(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield the rows of Parquet, by their roles."""
    for batch in compression.parquet_batches(file, file):
        with compression.undamaged("a Parquet file", file, advise=kind.advised):
            table = in_types(batch, file, kind)
        yield table


def _labels_of_parquet(file: str, kind: Kind) -> Iterator[pa.ChunkedArray]:
    """Yield the systems of each batch of a Parquet file."""
    schema = next(compression.parquet_batches(file, file)).schema
    columns = kind.require(schema.names, file)
    name = columns[SYSTEM]
    exact = SCORE in columns and not pa.types.is_floating(schema.field(columns[SCORE]).type)
    if not exact:
        for batch in compression.parquet_batches(file, file, [name]):
            yield names_in(batch[name], SYSTEM, name).cast(TEXT)


def _pieces(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield the rows of a run in lines, piece by piece.

    Raises
    ------
    LookupError
        For any other file, and where a line is a comment, or of another length.
    """
    cut = cast("Cut | None", None)
    for data in compression.pieces(file, PIECE):
        lines = data
        if cut is None:
            cut = _cut_of(lines, kind) if compression.is_in_lines(lines) else None
            if cut is None or cut.header or b"ir_metadata" in lines[: cut.start]:
                raise LookupError
            lines = lines.removeprefix(codecs.BOM_UTF8)[cut.start :]
            cut = cut._replace(start=0)
        table = parse(lines, file, kind, cut)
        # Notes count lines of the whole file, which is read again for them.
        if table.schema.metadata or pc.any(pc.starts_with(table[TOPIC], "#")).as_py():
            raise LookupError
        yield table


def _cut_of(data: bytes, kind: Kind) -> Cut | None:
    """Return how the first lines of a run are split."""
    for cut in cuts_of(data, kind):
        start = data.removeprefix(codecs.BOM_UTF8)[cut.start :]
        try:
            parse(start, "", kind, cut)
        except IrframeError:
            continue
        # Whether a third column holds ranks or scores, all of its lines decide.
        return None if {RANK, SCORE} & {*cut.columns} == {RANK} else cut
    return None
