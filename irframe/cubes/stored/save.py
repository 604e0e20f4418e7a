"""Cubes written to Zarr, a few blocks of topics at a time."""

import os
import re
from functools import partial
from os import PathLike
from typing import Any

import xarray as xr

from irframe.cubes.dask_tasks import all_sound, need_dask, work
from irframe.cubes.gate import read_cube
from irframe.cubes.layout import FACTS, LAZY, LIST, PARTS, SOMETIMES
from irframe.cubes.stored.folder import Folder, folder_at
from irframe.cubes.stored.manifest import (
    CURE,
    LOCK,
    MANIFEST,
    ROOT,
    description,
    files_of,
    mark_at,
    marked,
    quiet,
    tell,
    told,
    write_block,
)
from irframe.cubes.stored.open_cube import open_cube
from irframe.errors import StoreError
from irframe.names import FILES, TOPIC, VERSION

OURS = re.compile(re.escape(MANIFEST) + "|" + re.escape(LOCK))
"""How files are called that may be where nothing was saved yet."""
BYTES = 1 << 24
"""Bytes of the rankings of a block of topics."""
TOGETHER = 2 * (os.cpu_count() or 1)
"""Blocks that are written at a time; then it is noted that they are."""


def save(cube: xr.Dataset, path: str | PathLike[str], *, progress: bool = False) -> xr.Dataset:
    """Write a cube to Zarr, so that it need not be built again.

    Parameters
    ----------
    cube
        A cube, in memory or lazy, in whatever chunks.
    path
        Where to, a path or an address. Where the same cube has been written in part, by a job
        that did not end, the rest is written; where it is there already, it is read once and, if
        a file is damaged, written anew.
    progress
        Whether to show dask's progress bar.

    Returns
    -------
    xarray.Dataset
        The saved cube, as `open_cube` gives it, in blocks of topics of some 16 MiB.

    Raises
    ------
    StoreError
        If something else is there, another process writes to it, or it cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> with TemporaryDirectory() as folder:
    ...     saved = cube.ireval.save(f"{folder}/cube.zarr")
    ...     saved.compute().equals(cube)
    True
    """
    folder, files = folder_at(path, CURE), cube.encoding.get(FILES, [])
    need_dask()
    whole = read_cube(cube, passed_on=True)
    with folder.locked(LOCK):
        mark = _mark(whole)
        facts = _begun(folder, mark) or _described(whole, folder, mark, files)
        if not facts["whole"]:
            _write(whole, folder, facts, progress=progress)
            _end(folder, facts)
    return open_cube(path)


def _begun(folder: Folder, mark: str) -> dict[str, Any] | None:
    """Return what a saved cube says of itself, None if one is to be begun."""
    there = folder.files.exists(folder.place(MANIFEST))
    if not there and mark_at(folder) != mark:
        folder.refuse_strangers(OURS, "a saved cube")
    try:
        facts = told(folder)
    except StoreError:
        facts = None
    if facts is None:
        return None
    if facts["whole"] and facts["mark"] != mark:
        found, advice = f"another one at {folder.path}", "choose another path, or remove it"
        raise StoreError("this cube, or nothing yet", found, advice)
    return facts if facts["mark"] == mark and all_sound(folder, facts["written"]) else None


def _described(cube: xr.Dataset, folder: Folder, mark: str, files: list[Any]) -> dict[str, Any]:
    """Begin a saved cube: write all but its blocks, and return what it says of itself."""
    size = _block_size(cube)
    facts: dict[str, Any] = {
        "irframe": VERSION,
        "mark": "",
        FILES: files,
        "size": size,
        "topics": cube.sizes[TOPIC],
        "blocks": -(-cube.sizes[TOPIC] // size),
        "done": 0,
        "whole": False,
        "written": {},
    }
    tell(folder, facts)
    folder.keep({MANIFEST, LOCK})
    labels = _labels(cube, size)
    root = labels.pop(ROOT)
    folder.put(ROOT, marked(root, mark, whole=False))
    written = {name: folder.put(name, content) for name, content in labels.items()}
    facts |= {"mark": mark, "written": written, "root": marked(root, mark, whole=True).decode()}
    tell(folder, facts)
    return facts


def _labels(cube: xr.Dataset, size: int) -> dict[str, bytes]:
    """Return the files of all that is in memory, and of what Zarr says of the blocks."""
    from zarr.codecs import Crc32cCodec, ZstdCodec  # noqa: PLC0415 - comes with dask
    from zarr.storage import MemoryStore  # noqa: PLC0415

    whole, store, codecs = cube.drop_encoding(), MemoryStore(), [ZstdCodec(), Crc32cCodec()]
    small = {name: whole[name].variable.compute() for name in whole.variables if name not in LAZY}
    shapes = {name: whole[name].shape for name in LAZY}
    chunks = {name: (shape[0], size, *shape[2:]) for name, shape in shapes.items()}
    room = {name: _room(name, shapes[name], chunks[name]) for name in LAZY}
    facts = {name: room.pop(name) for name in LAZY if name in FACTS}
    noted = whole.assign_coords(small | facts).assign(room)
    encoding: dict[Any, dict[str, Any]] = {
        name: {"compressors": codecs} for name in noted.variables
    }
    for name in LAZY:
        encoding[name]["chunks"] = chunks[name]
    with quiet():
        noted.to_zarr(
            store, mode="w", compute=False, encoding=encoding, consolidated=False, zarr_format=3
        )
    return files_of(store)


def _room(name: str, shape: tuple[int, ...], chunks: tuple[int, ...]) -> xr.Variable:
    """Return a lazy variable of which only shape, type and chunks are of interest."""
    empty = need_dask().array.zeros(shape, dtype=PARTS[name].dtype, chunks=chunks)
    return xr.Variable(PARTS[name].dims, empty)


def _block_size(cube: xr.Dataset) -> int:
    """Return how many topics are written as one block."""
    topics = max(1, cube.sizes[TOPIC])
    return max(1, topics * BYTES // max(1, sum(cube[name].nbytes for name in LAZY)))


def _write(cube: xr.Dataset, folder: Folder, facts: dict[str, Any], *, progress: bool) -> None:
    """Write the blocks that are left, a few at a time, and say each time that they are written."""
    dask, size, written = need_dask(), facts["size"], facts["written"]
    described = {name: folder.get(name, written[name]) for name in map(description, LAZY)}
    for first in range(facts["done"], facts["blocks"], TOGETHER):
        numbers = range(first, min(first + TOGETHER, facts["blocks"]))
        topics = slice(numbers.start * size, numbers.stop * size)
        parts = _blocks(cube, topics, size)
        tasks = []
        for number in numbers:
            place = slice(number * size, min((number + 1) * size, facts["topics"]))
            write = partial(write_block, folder, described, number, place)
            block = {name: blocks[number - first] for name, blocks in parts.items()}
            tasks.append(dask.delayed(write, traverse=False)(block))
        for made in work(tasks, progress=progress):
            written |= made
        facts["done"] = numbers.stop
        tell(folder, facts)


def _blocks(cube: xr.Dataset, topics: slice, size: int) -> dict[str, list[Any]]:
    """Return delayed values of the blocks of some topics, whatever the chunks of the cube."""
    lazy = {name: cube[name].variable.isel({TOPIC: topics}) for name in LAZY}
    whole = {
        name: one.chunk(dict.fromkeys(one.dims, -1) | {TOPIC: size}) for name, one in lazy.items()
    }
    return {name: list(one.data.to_delayed().ravel()) for name, one in whole.items()}


def _end(folder: Folder, facts: dict[str, Any]) -> None:
    """Say that a cube is whole."""
    facts["written"][ROOT] = folder.put(ROOT, facts.pop("root").encode())
    tell(folder, facts | {"whole": True})


def _mark(cube: xr.Dataset) -> str:
    """Return what tells this cube from others: its arrays, or what is to be computed."""
    names = (*PARTS, *SOMETIMES, *LIST)
    arrays = [cube.variables[name].data for name in names if name in cube.variables]
    return str(need_dask().base.tokenize(arrays, sorted(map(str, cube.attrs.items()))))
