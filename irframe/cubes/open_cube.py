"""Cubes read from where they were saved, checked."""

import os
from os import PathLike

import numpy as np
import xarray as xr

from irframe.cubes.dask_tasks import need_dask
from irframe.cubes.view import view
from irframe.errors import warn
from irframe.experiments.saved import read_experiment
from irframe.files.read_run import changed_files
from irframe.record import RECORD


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
        If there is no saved cube, or one of its files is missing, cut or changed; of files with
        rankings, when they are read.

    Warns
    -----
    IrframeWarning
        If files that the cube was made from have changed, or are gone.

    Notes
    -----
    Every file is read with its checksum.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> with TemporaryDirectory() as folder:
    ...     _ = ir.cube(*ir.example_track()).ireval.save(f"{folder}/cube")
    ...     dict(open_cube(f"{folder}/cube").sizes)["topic"]
    16
    """
    need_dask()
    experiment, facts, riders = read_experiment(os.fspath(path))
    tell_changes(facts["sources"], "this cube")
    chunks = tuple(np.diff(facts["ends"], prepend=0).tolist())
    known = {name: xr.Variable(dims, values) for name, (dims, values) in riders.items()}
    return view(experiment, facts["depth"], known, chunks=chunks).assign_attrs(
        {RECORD: facts[RECORD]}
    )


def tell_changes(files: list[list[str]], what: str) -> None:
    """Warn of files that are no longer as they were."""
    changed = changed_files(files)
    if changed:
        listed = ", ".join(changed[:5]) + (", ..." if len(changed) > 5 else "")
        found = f"{len(changed)} files that {what} was made from"
        warn(f"{found} are gone, or have changed since: {listed}")
