"""Cubes read from where they were saved, checked."""

from functools import partial
from os import PathLike
from typing import Any

import xarray as xr

from irframe.cubes.dask_tasks import need_dask
from irframe.cubes.gate import read_cube
from irframe.cubes.layout import FACTS, LAZY, PARTS, SAVED
from irframe.cubes.stored.folder import Folder, folder_at
from irframe.cubes.stored.manifest import (
    CURE,
    chunk_name,
    description,
    in_memory,
    is_chunk,
    quiet,
    read_block,
    told,
)
from irframe.errors import StoreError, warn
from irframe.files.run_files import changed_files
from irframe.names import FILES, SYSTEM, TOPIC


def open_cube(path: str | PathLike[str]) -> xr.Dataset:
    """Open a saved cube; its rankings are read block by block when wanted.

    Parameters
    ----------
    path
        Where `save` has written it, a path or an address.

    Returns
    -------
    xarray.Dataset
        The cube, backed by dask. What it knows of judgments and lists is in memory;
        ``open_cube(path).load()`` brings all of it there.

    Raises
    ------
    StoreError
        If there is no saved cube, it was not written to its end, or one of its files is missing,
        cut or changed; of files with rankings, when they are read.

    Warns
    -----
    IrframeWarning
        If files that the cube was made from have changed, or are gone.

    Notes
    -----
    Every file is read with its checksum. xarray opens the folder too, as the Zarr that it is;
    then changed files are Zarr's errors, and nothing says that some are missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> with TemporaryDirectory() as folder:
    ...     _ = ir.cube(*ir.example_track()).ireval.save(f"{folder}/cube.zarr")
    ...     dict(open_cube(f"{folder}/cube.zarr").sizes)["topic"]
    16
    """
    need_dask()
    folder = folder_at(path, CURE)
    facts = told(folder)
    if facts is None:
        raise StoreError("a cube written by save()", f"none at {folder.path}")
    if not facts["whole"]:
        found = f"one with {facts['done']} of {facts['blocks']} blocks of topics at {folder.path}"
        raise StoreError("a cube that was saved whole", found, "save it again, which goes on")
    tell_changes(facts[FILES], "this cube")
    kept = facts["written"]
    files = {name: folder.get(name, kept[name]) for name in kept if not is_chunk(name)}
    with quiet():
        cube = xr.open_zarr(in_memory(files), consolidated=False, chunks=None, zarr_format=3)
    cube.attrs.pop(SAVED)
    small = {name: cube[name].variable.load() for name in cube.coords if name not in LAZY}
    labels = {dim: small[dim].astype(object) for dim in (SYSTEM, TOPIC) if _is_text(small[dim])}
    lazy = {name: _lazy(folder, facts, files, name, cube[name].shape) for name in LAZY}
    small |= {name: lazy.pop(name) for name in LAZY if name in FACTS}
    return read_cube(cube.assign_coords(small | labels).assign(lazy))


def _lazy(
    folder: Folder, facts: dict[str, Any], files: dict[str, bytes], name: str, shape: Any
) -> xr.Variable:
    """Return a variable whose blocks of topics are read when they are wanted."""
    dask, size, kept = need_dask(), facts["size"], facts["written"]
    token = dask.base.tokenize(folder.path, facts["mark"])
    read = partial(read_block, folder, files[description(name)], name)
    blocks = []
    for number, first in enumerate(range(0, shape[1], size)):
        topics = slice(first, min(first + size, shape[1]))
        task = dask.delayed(read, pure=False, traverse=False)(
            number,
            topics,
            kept.get(chunk_name(name, number)),
            dask_key_name=f"irframe-saved-{name}-{token}-{number}",
        )
        block = (shape[0], topics.stop - first, *shape[2:])
        blocks.append(dask.array.from_delayed(task, block, PARTS[name].dtype))
    return xr.Variable(PARTS[name].dims, dask.array.concatenate(blocks, axis=1))


def _is_text(labels: xr.Variable) -> bool:
    return str(labels.dtype.kind) == "T"


def tell_changes(files: list[list[Any]], what: str) -> None:
    """Warn of files that are no longer as they were."""
    changed = changed_files(files)
    if changed:
        listed = ", ".join(changed[:5]) + (", ..." if len(changed) > 5 else "")
        found = f"{len(changed)} files that {what} was made from"
        warn(f"{found} are gone, or have changed since: {listed}")
