"""Runs in files too large for memory.

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
from irframe.files import read_file, read_runs, sources
from irframe.files.lines import Cut, notes_of
from irframe.files.text import cuts_of, parse
from irframe.frames.ids import TEXT, names_in
from irframe.frames.kinds import RUN, Columns, Kind, in_types
from irframe.frames.values import to_frame
from irframe.names import RANK, SCORE, SYSTEM, TOPIC, as_html

BATCH = 1 << 24
"""Maximum total size of the files in a batch, in bytes. A larger file is a batch of its own."""
DENSE = 6
"""Typical ratio of the decompressed to the compressed size of a file.

The size of a compressed file in memory is estimated from this ratio."""

LARGE = 1 << 24
PIECE = 1 << 23
"""Files of at least `LARGE` bytes are read in blocks of about `PIECE` bytes."""
ROWS = 1 << 20
"""Maximum number of rows in a group of systems that are read together.

A system with more rows is read alone."""
FEW = 100
"""Minimum mean number of rows per system in files that are read by groups of systems.

A file with shorter runs is read at once, because many passes over it would take longer.
"""

Read = TypeVar("Read")


@dataclass(frozen=True)
class ScannedRuns:
    """Run files that are read in batches; see `scan_runs`.

    Parameters
    ----------
    files
        The files.
    by_file
        Whether systems are named after their files.
    skip
        Whether unreadable files are skipped.
    repeat
        The pattern that extracts system and repeat from file names.
    unit
        How to find the document of each chunk, if runs rank chunks.
    kind
        The columns and separator of the files.
    labels
        A mapping from file names without suffixes to names of the system and its repeat.

    Examples
    --------
    >>> ScannedRuns(("bm25.gz",)).files
    ('bm25.gz',)
    """

    files: tuple[str, ...]
    by_file: bool = False
    skip: bool = False
    repeat: str | None = None
    unit: read_runs.Unit = None
    kind: Kind = RUN
    labels: Mapping[str, str] | None = None

    _repr_html_ = as_html

    access: ClassVar[Callable[["ScannedRuns"], Any]]
    """The class of the accessor. `irframe.accessor` sets it, to avoid a circular import."""

    @property
    def ireval(self) -> Any:
        """The accessor whose methods accept these runs."""
        return type(self).access(self)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield frames of a few files at a time.

        The iterator keeps no reference to a frame, so that the memory of a frame can be freed
        before the next frame is read.
        """
        return map(self._described, read_batches(self.files, self.kind, by_file=self.by_file))

    def frame(self) -> pd.DataFrame:
        """Read all runs into one frame, as `read_runs` does."""
        runs = read_runs.read_all(self.files, self.kind, by_file=self.by_file, skip=False)
        return self._described(runs)

    def _described(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Collapse runs to documents, and label their repeats."""
        if self.unit is not None:
            frame = read_runs.of_documents(frame, self.unit)
        if self.repeat is None:
            return frame
        if self.labels is None:
            advice = "pass the runs to evaluate or cube, or scan them without repeat="
            raise InputError("runs without repeats", f"repeat={self.repeat!r}", advice)
        return frame.assign(**{SYSTEM: frame[SYSTEM].map(dict(self.labels)).array})

    def readable(self) -> "ScannedRuns":
        """Leave out unreadable files, if ``on_error="skip"`` was passed.

        To find unreadable files, all files are read once, one at a time.

        Warns
        -----
        IrframeWarning
            If some files are unreadable.
        """
        if not self.skip:
            return self
        attempt = partial(read_file.attempt, by_file=self.by_file, kind=self.kind)
        file_set = read_file.FileSet()
        readable_files = list[str]()
        for file, table in file_set.accepted((file, attempt(file)) for file in self.files):
            notes_of([table])
            readable_files.append(file)
        if not readable_files:
            got = f"{len(self.files)} files that cannot be read"
            raise InputError("a run that can be read", got, "", self.files)
        return replace(self, files=tuple(readable_files), skip=False)

    def states(self) -> list[read_runs.State]:
        """Return name, size and modification time of every file."""
        return read_runs.states_of(self.files)


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: read_runs.Unit = None,
    columns: Columns = None,
    sep: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ScannedRuns:
    r"""Find run files that are too large for memory.

    Parameters
    ----------
    paths, system, repeat, unit, columns, sep
        As for `read_runs`. Chunks are collapsed to documents when the files are read.
    on_error
        What to do with unreadable files, and with files that cannot be combined with earlier ones,
        when the files are read. ``"raise"`` raises an error. ``"skip"`` leaves these files out with
        a warning, and reads all files once more to find them.

    Returns
    -------
    ScannedRuns
        The files, which are not read yet. ``runs.ireval.evaluate(qrels, "AP")`` reads and scores a
        few files at a time. ``runs.ireval.cube(qrels)`` builds a cube of all runs.

    Raises
    ------
    InputError
        If no file matches `paths`.
    ParameterError
        If the pattern `repeat` lacks a group. When the files are read, file names that do not match
        the pattern raise this error, too.

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
    files = sources.find_files(paths)
    strange = [repr(file) for file in files if not isinstance(file, str | PathLike)]
    if strange:
        raise InputError("paths of runs", "", "pass open files to read_runs", strange)
    skip = choice("on_error", on_error, ("raise", "skip")) == "skip"
    return ScannedRuns(
        tuple(map(str, files)), by_file, skip, repeat, unit, RUN.described(columns, sep)
    )


def read_batches(files: Sequence[str], kind: Kind, *, by_file: bool) -> Iterator[pd.DataFrame]:
    """Yield frames of a few files at a time.

    Threads read the next files while the caller processes a frame.

    Parameters
    ----------
    files
        Paths or addresses. All parts of a run are in one frame, so that ranked lists are complete.
    kind
        The columns and separator of the files.
    by_file
        Whether systems are named after their files.

    Raises
    ------
    IrframeError
        If a file is unreadable or cannot be combined with earlier ones, as in `read_runs`.
    """
    batches = _batches(files, by_file=by_file)
    file_set = read_file.FileSet()
    alone = {names[0] for names, size in batches if len(names) == 1 and size > BATCH}

    def attempt(name: str) -> pa.Table | read_file.Failure | Iterator[pa.Table]:
        several = name in alone and not by_file and not sources.partitions(name)
        runs = read_by_system(name, kind) if several else None
        return runs or read_file.attempt(name, by_file=by_file, kind=kind)

    with read_runs.threads() as pool:
        results = _ahead(partial(pool.map, attempt), batches)
        for names, _ in batches:
            read_tables: list[Any] = list(islice(results, len(names)))
            runs = read_tables.pop() if isinstance(read_tables[0], Iterator) else iter(())
            for batch in chain([read_tables] if read_tables else [], _one_by_one(runs)):
                tables = read_runs.all_read(names, batch)
                batch.clear()  # `one_table` can free a table only if no list contains it
                read_runs.refuse_clashes(file_set, names, tables, by_file=by_file)
                notes_of(tables)
                yield to_frame(read_runs.one_table(tables))


def _one_by_one(runs: Iterator[pa.Table]) -> Iterator[list[pa.Table]]:
    """Yield each table in a separate list."""
    while tables := list(islice(runs, 1)):
        yield tables


def _ahead(
    start: Callable[[list[str]], Iterator[Read]], batches: Sequence[tuple[list[str], int]]
) -> Iterator[Read]:
    """Yield the results of each batch while reading the next."""
    ahead: Iterator[Read] | None = None
    for (names, _), (following, size) in pairwise([*batches, ([], 0)]):
        results = ahead or start(names)
        # a file larger than a batch is not read ahead, because memory may not hold two such files
        ahead = start(following) if size <= BATCH else None
        yield from results


def _batches(files: Sequence[str], *, by_file: bool) -> list[tuple[list[str], int]]:
    """Group files into batches with complete runs."""
    dense = (*sources.PACKED, ".parquet")
    sizes = {
        name: size * (DENSE if name.lower().endswith(dense) else 1)
        for name, size, _ in read_runs.states_of(files)
    }
    groups: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for name in files:
        groups[sources.home(name), None if by_file else sources.system_of(name)].append(name)
    # all files of a system are in one batch, because only complete lists can be scored
    batches: list[tuple[list[str], int]] = []
    for names in groups.values():
        size = sum(sizes.get(name, 0) for name in names)
        is_full = not batches or batches[-1][1] + size > BATCH
        before = ([], 0) if is_full else batches.pop()
        batches.append((before[0] + names, before[1] + size))
    return batches


def read_by_system(file: str, kind: Kind = RUN) -> Iterator[pa.Table] | None:
    """Yield the runs of a few systems at a time.

    Returns
    -------
    iterator of pyarrow.Table or None
        None if the file should be read at once, because it is small, irregular or has only one
        system. Other files are read twice, because the first pass locates the rows of each system.
        If the rows of different systems alternate in the file, every group of systems needs a
        further pass over the file.
    """
    is_file = not sources.is_address(file) and Path(file).is_file()
    if not is_file or Path(file).stat().st_size < LARGE:  # a pipe cannot be read twice
        return None
    with Path(file).open("rb") as stream:
        is_parquet = stream.read(len(sources.PARQUET)) == sources.PARQUET
    pieces_of = dict[str, list[int]]()
    rows = Counter[str]()
    pieces = (piece[SYSTEM] for piece in _pieces(file, kind))
    try:
        for number, systems in enumerate(_labels_of_parquet(file, kind) if is_parquet else pieces):
            for entry in pc.value_counts(systems).to_pylist():
                pieces_of.setdefault(entry["values"], []).append(number)
                rows[entry["values"]] += entry["counts"]
    except (IrframeError, LookupError):
        return None
    # A system with one row may result from a line that was cut off. A warning about such a line
    # needs the complete file.
    if len(rows) < 2 or rows.total() < FEW * len(rows) or min(rows.values()) < 2:
        return None
    read_pieces = _parquet_pieces if is_parquet else _pieces
    return _read_complete_systems(lambda: read_pieces(file, kind), pieces_of, _turns(rows))


def _turns(rows: Counter[str]) -> Iterator[list[str]]:
    """Yield groups of systems that have at most `ROWS` rows."""
    share = list[str]()
    total = 0
    for system, number in rows.items():
        if share and total + number > ROWS:
            yield share
            share = []
            total = 0
        share.append(system)
        total += number
    yield share


def _read_complete_systems(
    read_pieces: Callable[[], Iterator[pa.Table]],
    pieces_of: dict[str, list[int]],
    shares: Iterator[list[str]],
) -> Iterator[pa.Table]:
    """Yield the complete runs of each group of systems."""
    pieces = enumerate(read_pieces())
    at = -1
    piece = pa.table({})
    for systems in shares:
        expected = {number for system in systems for number in pieces_of[system]}
        tables = []
        if min(expected) < at:
            pieces = enumerate(read_pieces())
            at = -1
        while True:
            if at in expected:
                tables.append(piece.filter(pc.is_in(piece[SYSTEM], pa.array(systems, TEXT))))
            if at >= max(expected):
                break
            at, piece = next(pieces)
        # each table leaves the list when it is used, so that its memory can be freed
        freed = (tables.pop(0) for _ in range(len(tables)))
        yield pa.concat_tables(freed, promote_options="permissive")


def _parquet_pieces(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield a Parquet file in pieces."""
    for batch in sources.parquet_batches(file, file):
        with sources.undamaged("a Parquet file", file, advise=kind.advised):
            table = in_types(batch, file, kind)
        yield table


def _labels_of_parquet(file: str, kind: Kind) -> Iterator[pa.ChunkedArray]:
    """Yield the system column of a Parquet file in pieces."""
    schema = next(sources.parquet_batches(file, file)).schema
    columns = kind.require(schema.names, file)
    name = columns[SYSTEM]
    # Different integers or decimals may be equal as floats, which is refused. Only the complete
    # column shows whether it contains such numbers.
    exact = SCORE in columns and not pa.types.is_floating(schema.field(columns[SCORE]).type)
    if not exact:
        for batch in sources.parquet_batches(file, file, [name]):
            yield names_in(batch[name], SYSTEM, name).cast(TEXT)


def _pieces(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield a text file in pieces.

    Raises
    ------
    LookupError
        If the file is not text, or must be read at once because it has a header, comments or
        surplus columns.
    """
    cut = cast("Cut | None", None)
    for data in sources.pieces(file, PIECE):
        lines = data
        if cut is None:
            cut = _cut_of(lines, kind) if sources.is_in_lines(lines) else None
            if cut is None or cut.header or b"ir_metadata" in lines[: cut.start]:
                raise LookupError
            lines = lines.removeprefix(codecs.BOM_UTF8)[cut.start :]
            cut = cut._replace(start=0)
        table = parse(lines, file, kind, cut)
        # Warnings about lines contain line numbers, which a piece of a file does not show. The
        # caller catches the error and reads the complete file at once.
        if table.schema.metadata or pc.any(pc.starts_with(table[TOPIC], "#")).as_py():
            raise LookupError
        yield table


def _cut_of(data: bytes, kind: Kind) -> Cut | None:
    """Return how lines are split; None if ambiguous."""
    for cut in cuts_of(data, kind):
        start = data.removeprefix(codecs.BOM_UTF8)[cut.start :]
        try:
            parse(start, "", kind, cut)
        except IrframeError:
            continue
        # only the whole file shows whether a third column contains ranks or scores
        return None if {RANK, SCORE} & {*cut.columns} == {RANK} else cut
    return None
