"""Runs sorted into blocks of topics, from which cubes larger than memory are made."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

import pandas as pd
import xarray as xr

from irframe.checks import whole
from irframe.cubes.dask_tasks import all_sound
from irframe.cubes.stored.append import append_runs
from irframe.cubes.stored.block import HITS, LISTS, MANIFEST, QRELS, ROWS, Blocks
from irframe.cubes.stored.block_cube import block_cube
from irframe.cubes.stored.contents import (
    CURE,
    KNOWN,
    LOCK,
    blocks_of,
    borders,
    checksums_of,
    coded_judgments,
    finish,
    frame_of,
    keep_frame,
    mark_of,
    sort_blocks,
    whole_facts,
    write_judgments,
)
from irframe.cubes.stored.folder import Folder, folder_at
from irframe.cubes.stored.open_cube import tell_changes
from irframe.cubes.stored.sorted_rows import RAW, Seen, Stretch, sort_runs
from irframe.errors import StoreError
from irframe.experiments.coded_tables import QrelsTable, read_qrels_table
from irframe.experiments.policy import Contributing, Policy, PoolDepth, Topics
from irframe.files.as_qrels import Qrels, as_qrels
from irframe.files.problems import list_problems
from irframe.files.scanned_runs import ScannedRuns
from irframe.names import DEFAULT_DTYPE, DEFAULT_TIES, FILES, VERSION, ScoreDtype, Ties, as_html


@dataclass(frozen=True)
class Store:
    """Runs and judgments in blocks of topics, in a folder; `store` makes one.

    Parameters
    ----------
    path
        The folder, a path or an address.

    Examples
    --------
    >>> Store("experiment").path
    'experiment'
    """

    path: str

    _repr_html_ = as_html

    def cube(
        self,
        *,
        depth: int | None = None,
        ties: Ties = DEFAULT_TIES,
        score_dtype: ScoreDtype = DEFAULT_DTYPE,
        topics: Topics = "qrels",
        contributing: Contributing = None,
        pool_depth: PoolDepth = None,
        collection: str | None = None,
        seed: int = 0,
    ) -> xr.Dataset:
        """Return the cube of the runs, whose rankings are read block by block when wanted.

        Parameters
        ----------
        depth, ties, score_dtype, topics, contributing, pool_depth, collection, seed
            As for `irframe.cube`; `collection` is a column of the qrels.

        Returns
        -------
        xarray.Dataset
            The cube that `irframe.cube` makes of the same runs and judgments, backed by dask in
            blocks of topics. In memory is what it knows of judgments and of lists, some ten bytes
            for each.

        Raises
        ------
        StoreError
            If the store is not whole, or one of its files is damaged; of those with rankings,
            when they are read.
        IrframeError
            As `irframe.cube`.

        Warns
        -----
        IrframeWarning
            If files that the store was made from have changed since, or are gone.
        """
        policy = Policy(
            depth=depth,
            ties=ties,
            score_dtype=score_dtype,
            topics=topics,
            contributing=contributing,
            pool_depth=pool_depth,
            collection=collection,
            seed=seed,
        )
        folder = Folder(self.path, CURE)
        facts = whole_facts(folder)
        tell_changes(facts["made"][FILES], "this store")
        qrels = frame_of(folder, facts)
        judged = read_qrels_table(qrels).topics
        built = block_cube(blocks_of(folder, facts, judged), facts, qrels, policy)
        built.encoding[FILES] = facts["made"][FILES]
        return built

    def append(
        self, runs: ScannedRuns, qrels: Qrels | None = None, *, progress: bool = False
    ) -> "Store":
        """Add the runs of further files: other systems, other topics, or files that were mended.

        Parameters
        ----------
        runs
            Runs from `scan_runs`. Files that the store has, unchanged, are passed over; the
            lists of systems whose files have changed since are replaced.
        qrels
            Judgments of further topics, or further judgments; those that the store has may be
            among them.
        progress
            Whether to show how far the work is, by dask's progress bar.

        Returns
        -------
        Store
            The same store. Only blocks are written that have new rows or judgments. Cubes that
            were taken before may no longer be read; take them again.

        Raises
        ------
        StoreError
            If the store is not whole, or another process writes to it; or for judgments of topics
            that the runs in the store had and that were not judged then, as their rows were
            left out.
        IdError
            For lists that the store has already.

        Notes
        -----
        Until the end of the work the store is what it was before, also if it is interrupted.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import irframe as ir
        >>> runs, qrels = ir.example_track()
        >>> with TemporaryDirectory() as folder:
        ...     for system in ("bm25", "splade"):
        ...         ir.verbs.write_run(runs[runs["system"] == system], Path(folder, f"{system}.gz"))
        ...     made = ir.scan_runs(f"{folder}/bm25.gz").ireval.store(f"{folder}/track", qrels)
        ...     made.append(ir.scan_runs(f"{folder}/*.gz")).cube().sizes["system"]
        2
        """
        append_runs(Folder(self.path, CURE), runs, qrels, progress=progress)
        return self

    @property
    def problems(self) -> pd.DataFrame:
        """The files that were left out, as ``scan_runs(on_error="skip")`` says, and why.

        Columns ``file``, ``wanted`` and ``found``, as `irframe.read_runs` has them.
        """
        return list_problems([*map(tuple, whole_facts(Folder(self.path, CURE))["problems"])])

    def __repr__(self) -> str:
        try:
            facts = whole_facts(Folder(self.path, CURE))
        except StoreError:
            return f"Store({self.path!r}), which is not whole"
        topics, systems = facts["judged"], len(facts["systems"])
        return f"Store({self.path!r}) of {systems} systems and {topics} topics"


def store(
    runs: ScannedRuns,
    path: str | PathLike[str],
    qrels: Qrels,
    *,
    topics: int | None = None,
    progress: bool = False,
) -> Store:
    """Sort runs that are larger than memory into blocks of topics, ranked and joined once.

    Parameters
    ----------
    runs
        Runs from `scan_runs`.
    path
        A folder to be made, a path or an address. Where one holds the same already, it is read
        once and, if all of it is as it was written, left alone; a damaged one is made anew. Where
        one was left unfinished, the work goes on, or begins anew if the runs have changed.
    qrels
        Qrels frame, or what `as_qrels` takes; it fits into memory.
    topics
        Topics in a block, at least 1. A block is what one task works on: its rows, and the cells
        of all systems on its topics, are in memory at a time. By default as many as take some
        64 MiB while they are sorted.
    progress
        Whether to show how far the work is, by dask's progress bar.

    Returns
    -------
    Store
        The store, whose ``cube()`` is a lazy cube.

    Raises
    ------
    StoreError
        If the folder holds something else, or cannot be written, or another process writes to it,
        or workers lack irframe.
    IrframeError
        As `irframe.cube` for runs and judgments that make no cube, naming the block of topics.

    Warns
    -----
    IrframeWarning
        If columns of the runs are left out, or files that ``scan_runs(on_error="skip")`` passes
        over.

    Notes
    -----
    Rows are sorted by topic, a million at a time, and blocks are ranked by whatever scheduler dask
    uses. Every file is written under another name first, and read with its checksum; the one
    that says which there are is written last. On a file system of this machine, or one mounted
    there, a second writer is kept out. Object stores have no locks: start one writer there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> with TemporaryDirectory() as folder:
    ...     ir.verbs.write_run(runs[runs["system"] == "bm25"], Path(folder, "bm25.gz"))
    ...     made = ir.scan_runs(f"{folder}/*.gz").ireval.store(f"{folder}/track", qrels, topics=5)
    ...     round(float(made.cube().ireval.score("AP", at=10).mean()), 4)
    0.0925
    """
    size = None if topics is None else whole("topics", topics, low=1)
    folder = folder_at(path, CURE)
    frame = as_qrels(qrels)
    judgments = coded_judgments(frame)
    sound, problems = runs.sound()
    made = {
        "irframe": VERSION,
        FILES: [*sound.states(), *frame.attrs.get(FILES, [])],
        "by_file": sound.by_file,
        "qrels": mark_of(frame),
        "topics": size,
    }
    with folder.locked(LOCK):
        facts = _begun(folder, made)
        if not facts["whole"]:
            if RAW not in facts:
                facts |= {"problems": problems} | _sorted(sound, folder, judgments, frame, size)
                folder.tell(MANIFEST, facts)
            _finish(blocks_of(folder, facts, judgments.topics), facts, progress=progress)
    return Store(folder.path)


def _begun(folder: Folder, made: dict[str, Any]) -> dict[str, Any]:
    """Return what a store says of itself, beginning one unless one of the same is sound."""
    folder.refuse_strangers(KNOWN, "a store")
    try:
        facts = folder.told(MANIFEST)
    except StoreError:
        facts = None
    if facts is not None and facts["whole"]:
        _refuse_others(facts["made"], made, folder)
    if facts is not None and facts["made"] == made and (facts["whole"] or RAW in facts):
        files = checksums_of(facts) | facts.get("pieces", {}) | _tables(folder)
        if all_sound(folder, files):
            return facts
    folder.remove(MANIFEST)
    folder.keep({LOCK})
    begun = {"made": made, "whole": False}
    folder.tell(MANIFEST, begun)
    return begun


def _sorted(
    runs: ScannedRuns,
    folder: Folder,
    judgments: QrelsTable,
    qrels: pd.DataFrame,
    size: int | None,
) -> dict[str, Any]:
    """Sort the rows of runs by topic, write judgments, and return what is known then."""
    seen = Seen()
    stretches, pieces = sort_runs(runs, folder, judgments.topics, seen)
    ends = borders(seen, size)
    blocks = Blocks(folder, pd.Index(list(seen.systems)), judgments.topics, ends, {})
    return seen.facts | {
        "homes": {system: [home] for system, home in seen.homes.items()},
        "judged": len(judgments.topics),
        "ends": ends,
        "frame": keep_frame(folder, qrels),
        "blocks": {QRELS: write_judgments(blocks, judgments)},
        RAW: stretches,
        "pieces": pieces,
    }


def _finish(blocks: Blocks, facts: dict[str, Any], *, progress: bool) -> None:
    """Rank and join the blocks of which the tables are not there yet, and make the store whole."""
    folder = blocks.folder
    there = _of_blocks(_tables(folder))
    left = [number for number in range(blocks.number) if number not in there]
    stretches = [Stretch(*each) for each in facts.pop(RAW)]
    there |= sort_blocks(blocks, left, stretches, progress=progress)
    of_runs = {kind: [there[each][kind] for each in sorted(there)] for kind in (ROWS, LISTS, HITS)}
    del facts["pieces"]
    finish(folder, facts | {"blocks": facts["blocks"] | of_runs})


def _tables(folder: Folder) -> dict[str, str]:
    """Return the tables of blocks that are there, and their checksums."""
    names = [name for name in folder.names() if KNOWN.fullmatch(name)]
    return {name: name[-16:-8] for name in names if name.partition("/")[0] in (ROWS, LISTS, HITS)}


def _of_blocks(tables: dict[str, str]) -> dict[int, dict[str, str]]:
    """Return the checksums of the tables of blocks of which all are there."""
    found: dict[int, dict[str, str]] = {}
    for name, checksum in tables.items():
        kind, _, file = name.partition("/")
        found.setdefault(int(file.partition("-")[0]), {})[kind] = checksum
    return {number: kinds for number, kinds in found.items() if len(kinds) == 3}


def _refuse_others(begun: Any, made: Any, folder: Folder) -> None:
    differing = [name for name in made if begun.get(name) != made[name]]
    if differing:
        found = f"one made of other {' and '.join(differing)} in {folder.path}"
        advice = "choose another folder, remove it, or add to it with append"
        raise StoreError("a store of these runs", found, advice)
