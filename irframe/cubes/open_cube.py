"""Cubes read from where they were saved, checked."""

import json
from os import PathLike
from typing import Any

import xarray as xr

from irframe.cubes.folder import Folder, folder_at
from irframe.cubes.gate import read_cube, refuse_unfinished
from irframe.cubes.layout import FACTS, LAZY, SAVED
from irframe.cubes.working import need_dask
from irframe.errors import IrframeError, StoreError, warn
from irframe.frames.pieces import state_of
from irframe.names import SYSTEM, TOPIC


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
        If there is no saved cube, or it was not written to its end.

    Warns
    -----
    IrframeWarning
        If files that the cube was made from have changed, or are gone.

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
    folder = folder_at(path)
    told = saved(folder)
    if told is None:
        raise StoreError("a cube written by save()", f"none at {folder.path}")
    _tell_changes(told["files"])
    try:
        cube = xr.open_zarr(folder.path, consolidated=False, chunks=None)
        refuse_unfinished(cube)
        del cube.attrs[SAVED]
        size = {TOPIC: told["size"], SYSTEM: -1}
        lazy = {name: cube[name].variable.chunk(size) for name in LAZY}
        small = {name: cube[name].variable.load() for name in cube.coords if name not in LAZY}
        labels = {dim: small[dim].astype(object) for dim in (SYSTEM, TOPIC) if _is_text(small[dim])}
        small |= {name: lazy.pop(name) for name in LAZY if name in FACTS}
        opened = read_cube(cube.assign_coords(small | labels).assign(lazy))
    except StoreError:
        raise
    except (OSError, KeyError, IrframeError) as error:
        found, advice = f"one at {folder.path} that is not ({error})", "save it again"
        raise StoreError("a saved cube that is whole", found, advice) from error
    return opened


def saved(folder: Folder) -> dict[str, Any] | None:
    """Return what a saved cube says of itself, None where there is none."""
    place = folder.place("zarr.json"), folder.place(".zattrs")
    found = [json.loads(folder.files.cat_file(name)) for name in place if folder.files.exists(name)]
    attributes = found[0].get("attributes", found[0]) if found else {}
    return json.loads(attributes[SAVED]) if SAVED in attributes else None


def _is_text(labels: xr.Variable) -> bool:
    return str(labels.dtype.kind) == "T"


def _tell_changes(files: list[list[Any]]) -> None:
    """Warn of files that are no longer as they were."""
    changed = [name for name, *state in files if _state(name) != state]
    if changed:
        listed = ", ".join(changed[:5]) + (", ..." if len(changed) > 5 else "")
        warn(f"{len(changed)} files that this cube was made from have changed since: {listed}")


def _state(name: str) -> list[Any] | None:
    try:
        return [*state_of(name)]
    except OSError:
        return None
