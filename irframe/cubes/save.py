"""Cubes written to a folder of Parquet files."""

import os
import zlib
from os import PathLike

import xarray as xr

from irframe.cubes.dask_tasks import blocks_of
from irframe.cubes.layout import LIST, OURS
from irframe.cubes.open_cube import open_cube
from irframe.cubes.view import experiment_of, hold, read_cube
from irframe.experiments.saved import write_experiment
from irframe.names import DEPTH
from irframe.record import RECORD


def save(cube: xr.Dataset, path: str | PathLike[str], *, progress: bool = False) -> xr.Dataset:
    """Write a cube to a folder of Parquet files, so that it need not be built again.

    Parameters
    ----------
    cube
        A cube, in memory or lazy.
    path
        Where to, a path or an address. The folder appears whole: it is written beside, and then
        renamed. Where the same cube is there already, it is read once and, if a file is damaged,
        written anew.
    progress
        Whether to show how many blocks of topics are written, by tqdm.

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
    ...     saved = cube.ireval.save(f"{folder}/cube")
    ...     saved.compute().equals(cube)
    True
    """
    whole = read_cube(cube)
    hold(whole)
    experiment, depth = experiment_of(whole), whole.sizes[DEPTH]
    chunks = blocks_of(*experiment.shape, depth, least=0) or ()
    riders = {
        str(name): ([str(dim) for dim in each.dims], each.transpose(*LIST, missing_dims="ignore"))
        for name, each in whole.coords.items()
        if name not in OURS and each.dims and {*each.dims} <= {*LIST}
    }
    known = {
        name: zlib.crc32(repr(each[1].values.tolist()).encode()) for name, each in riders.items()
    }
    told = {"depth": depth, "riders": known, RECORD: cube.attrs.get(RECORD, "[]")}
    write_experiment(experiment, os.fspath(path), chunks, told, riders, progress=progress)
    return open_cube(path)
