"""What a verb of cubes asks of its argument."""

from typing import Any

import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH


def require_cube(cube: Any, *names: str) -> None:
    """Raise if something is no cube, or has lost variables.

    Parameters
    ----------
    cube
        What was given for a cube.
    names
        Variables that are needed, by default ``grade`` and ``retrieved``.

    Examples
    --------
    >>> require_cube([1])
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: wanted a cube made by irframe.cube; found list.
    """
    needed = set(names or ("grade", "retrieved"))
    if not isinstance(cube, xr.Dataset) or not needed <= set(cube.data_vars):
        raise InputError("a cube made by irframe.cube", type(cube).__name__)
    if DEPTH not in cube.sizes:
        raise InputError("a cube made by irframe.cube", f"a dataset without {DEPTH}")
