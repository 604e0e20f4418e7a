"""Cubes written to Zarr, a few blocks of topics at a time."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import xarray as xr

from irframe.cubes.folder import Folder, folder_at
from irframe.cubes.gate import read_cube
from irframe.cubes.layout import FACTS, LAZY, LIST, PARTS, SAVED, SOMETIMES
from irframe.cubes.open_cube import open_cube, saved
from irframe.cubes.working import need_dask, work
from irframe.errors import StoreError
from irframe.names import DEPTH, FILES, SYSTEM, TOPIC, VERSION

CELLS = 1 << 24
"""Cells of a cube in memory that are written as one block."""
TOGETHER = 2 * (os.cpu_count() or 1)
"""Blocks that are written at a time; then it is noted that they are."""


def save(cube: xr.Dataset, path: str | PathLike[str], *, progress: bool = False) -> xr.Dataset:
    """Write a cube to Zarr, so that it need not be built again.

    Parameters
    ----------
    cube
        A cube, in memory or lazy.
    path
        Where to, a path or an address. Where the same cube has been written in part, by a job
        that did not end, the rest is written.
    progress
        Whether to show dask's progress bar.

    Returns
    -------
    xarray.Dataset
        The saved cube, as `open_cube` gives it.

    Raises
    ------
    StoreError
        If something else is there, or it cannot be written.

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
    whole, folder = read_cube(cube, passed_on=True), folder_at(path)
    told = _begun(whole, folder)
    if not told["whole"]:
        lazy = whole.reset_coords([name for name in LAZY if name in FACTS])[list(LAZY)]
        bare = lazy.drop_vars(list(lazy.coords))
        for block in _left(told):
            _write(bare, folder, told, block, progress=progress)
        _tell(folder, told | {"whole": True})
    return open_cube(path)


def _begun(cube: xr.Dataset, folder: Folder) -> dict[str, Any]:
    """Return what a saved cube says of itself, writing all but its blocks unless that is done."""
    told, mark = saved(folder), _mark(cube)
    if told is not None:
        if told["mark"] != mark:
            found, advice = f"another one at {folder.path}", "choose another path, or remove it"
            raise StoreError("this cube, or nothing yet", found, advice)
        return told
    if folder.files.exists(folder.place()) and folder.files.ls(folder.place()):
        raise StoreError("an empty folder, or a saved cube", f"other things at {folder.path}")
    told = {
        "irframe": VERSION,
        "mark": mark,
        FILES: cube.encoding.get(FILES, []),
        "size": _block_size(cube),
        "topics": cube.sizes[TOPIC],
        "blocks": -(-cube.sizes[TOPIC] // _block_size(cube)),
        "done": 0,
        "whole": False,
    }
    _write_labels(cube, folder, told)
    return told


def _write_labels(cube: xr.Dataset, folder: Folder, told: dict[str, Any]) -> None:
    """Write all that is in memory, and room for the blocks."""
    size = told["size"]
    shapes = {name: cube[name].shape for name in LAZY}
    chunks = {name: {"chunks": (shape[0], size, *shape[2:])} for name, shape in shapes.items()}
    blocks = [cube[name].variable.chunk({TOPIC: size, SYSTEM: -1}) for name in LAZY]
    parts = dict(zip(LAZY, blocks, strict=True))
    facts = {name: parts.pop(name) for name in LAZY if name in FACTS}
    with _naming(folder, "its labels"):
        noted = cube.assign(parts).assign_coords(facts).assign_attrs({SAVED: json.dumps(told)})
        noted.to_zarr(folder.path, mode="w", compute=False, encoding=chunks, consolidated=False)


def _tell(folder: Folder, told: dict[str, Any]) -> None:
    import zarr  # noqa: PLC0415 - comes with dask

    zarr.open_group(folder.path, mode="r+").attrs[SAVED] = json.dumps(told)


def _block_size(cube: xr.Dataset) -> int:
    """Return how many topics are written as one block."""
    chunks = cube["grade"].variable.chunksizes.get(TOPIC)
    if chunks:
        return int(max(chunks))
    return max(1, CELLS // max(1, cube.sizes[SYSTEM] * cube.sizes[DEPTH]))


def _left(told: dict[str, Any]) -> Iterator[range]:
    """Return the blocks that are still to be written, as many at a time as can be worked on."""
    left = range(told["done"], told["blocks"])
    return (left[first : first + TOGETHER] for first in range(0, len(left), TOGETHER))


def _write(
    bare: xr.Dataset, folder: Folder, told: dict[str, Any], blocks: range, *, progress: bool
) -> None:
    """Write some blocks, and say that they are written."""
    size = told["size"]
    topics = slice(blocks[0] * size, min((blocks[-1] + 1) * size, told["topics"]))
    part = bare.isel({TOPIC: topics}).chunk({TOPIC: size, SYSTEM: -1})
    with _naming(folder, f"blocks {blocks[0]} to {blocks[-1]}"):
        task = part.to_zarr(
            folder.path, mode="r+", region={TOPIC: topics}, compute=False, consolidated=False
        )
        work([task], progress=progress)
    told["done"] = blocks.stop
    _tell(folder, told)


@contextmanager
def _naming(folder: Folder, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        found, advice = f"{what} failing ({error})", "save it again to go on from here"
        raise StoreError(f"a folder to write to at {folder.path}", found, advice) from error


def _mark(cube: xr.Dataset) -> str:
    """Return what tells this cube from others: its arrays, or what is to be computed."""
    names = (*PARTS, *SOMETIMES, *LIST)
    arrays = [cube.variables[name].data for name in names if name in cube.variables]
    return str(need_dask().base.tokenize(arrays, sorted(map(str, cube.attrs.items()))))
