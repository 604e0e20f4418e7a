"""Conversion of options to JSON, with digests instead of data."""

import hashlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array

DIGEST = "digest"
"""Key of the digest that a record contains instead of data."""


def is_list(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a value is a sequence, set or vector."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, list | tuple | set | frozenset | range | pd.Index)


def plain(value: object) -> Any:
    """Convert an option to JSON, with digests instead of data.

    Examples
    --------
    >>> import irframe as ir
    >>> plain([ir.metrics.RBP(p=0.5), np.int64(3), None])
    ['RBP(p=0.5)', 3, None]
    """
    if value is None or isinstance(value, np.generic | bool | int | float | str):
        return value.item() if isinstance(value, np.generic) else value
    if is_list(value):
        return [plain(element) for element in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(element) for key, element in value.items()}
    if is_dataclass(value):
        return repr(value)
    if not hasattr(value, "shape") and isinstance(value, Hashable):
        return str(getattr(value, "__name__", value))
    shape = " x ".join(map(str, getattr(value, "shape", ())))
    # a Result differs from a frame only in its printed form, so both have the same description
    kind = pd.DataFrame if isinstance(value, pd.DataFrame) else type(value)
    digest = hashlib.sha256(b"".join(_bytes_of(value))).hexdigest()[:12]
    description = {DIGEST: digest, "data": f"{kind.__name__} {shape}".strip()}
    name = getattr(value, "name", None)
    return description | ({} if name is None else {"name": str(name)})


def _bytes_of(value: object) -> Iterable[bytes]:
    if isinstance(value, xr.Dataset | xr.DataArray):
        # the name is " ", because xarray refuses a variable with the same name as a coordinate
        dataset = value if isinstance(value, xr.Dataset) else value.to_dataset(name=" ")
        for name, variable in dataset.variables.items():
            yield f"{name} {variable.dims} {variable.shape}".encode()
            # a dask array is identified by its name, so that its values need not be computed
            chunked = bool(variable.chunks)
            yield str(variable.data.name).encode() if chunked else bytes_of(variable.to_numpy())
    elif isinstance(value, pd.DataFrame | pd.Series):
        frame = value.to_frame() if isinstance(value, pd.Series) else value
        for name, column in frame.reset_index().items():
            yield f"{name}".encode()
            yield bytes_of(column.to_numpy())
    else:
        yield bytes_of(np.asarray(value)) if hasattr(value, "shape") else repr(value).encode()


def bytes_of(values: Array) -> bytes:
    """Return bytes that identify the values of an array."""
    if values.dtype.kind in "biufcmMSU":
        return bytes(values.tobytes())
    # the bytes of an object array are memory addresses, which differ from process to process
    return "\0".join(map(str, values.ravel())).encode(errors="replace")
