"""Numbers for the page: arrays in one compressed block of text, read by its script."""

import base64
import gzip
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.metrics.facts import TIE

KINDS = {"float32": "Float32Array", "uint8": "Uint8Array", "uint16": "Uint16Array"} | {
    "int16": "Int16Array",
    "int32": "Int32Array",
}
"""What a script calls the types of numpy."""
DROPPED = 7
"""Bits of a float32 that are left out, of 23; five decimal digits stay."""
ALIGNED = 4
"""Bytes; an array of a script begins at a multiple of the size of its numbers."""


def pack(arrays: Mapping[str, NDArray[Any]]) -> tuple[str, dict[str, dict[str, Any]]]:
    """Pack arrays into text.

    Parameters
    ----------
    arrays
        Arrays of the types of `KINDS`, by name.

    Returns
    -------
    text : str
        All of them one after the other, compressed by gzip, in base64.
    contents : dict
        For each the type in the script's words, the first byte, and the shape.

    Examples
    --------
    >>> packed, contents = pack({"a": np.array([1, 2], np.uint8), "b": np.zeros(3, np.float32)})
    >>> contents["b"]
    {'kind': 'Float32Array', 'start': 4, 'shape': [3]}
    """
    contents, parts, start = {}, [], 0
    for name, array in arrays.items():
        kind = KINDS[array.dtype.name]
        contents[name] = {"kind": kind, "start": start, "shape": list(array.shape)}
        data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
        parts.append(data + bytes(-len(data) % ALIGNED))
        start += len(parts[-1])
    return pack_bytes(b"".join(parts)), contents


def rounded(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers to five digits, which take less room when they are packed.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.5])).round(7).tolist()
    [0.33333..., 0.5]
    """
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    kept = (bits + (1 << DROPPED - 1)) >> DROPPED << DROPPED
    return np.where(np.isnan(values), np.float32(np.nan), kept.view(np.float32))


def rounded_apart(values: NDArray[Any], axis: int) -> NDArray[np.float32]:
    """Return numbers to five digits whose order along an axis is kept.

    Numbers are equal afterwards if and only if they agreed to 12 decimals; who is better than
    whom, and on how many topics, can be told from them as from the numbers themselves.

    Examples
    --------
    >>> found = rounded_apart(np.array([0.5000001, 0.5, 0.5 + 1e-15]), 0)
    >>> bool(found[0] > found[1]), bool(found[1] == found[2]), found.round(5).tolist()
    (True, True, [0.5, 0.5, 0.5])
    """
    first = np.moveaxis(np.asarray(values, np.float64), axis, 0)
    order = np.argsort(first, axis=0)
    rising = np.take_along_axis(first, order, axis=0)
    apart = np.diff(rising.round(TIE), axis=0) > 0
    kept = rounded(rising)
    for place, above in enumerate(apart, start=1):
        least = np.nextafter(kept[place - 1], np.float32(np.inf))
        kept[place] = np.where(above, np.maximum(kept[place], least), kept[place - 1])
    kept[np.isnan(rising)] = np.nan
    found = np.empty_like(kept)
    np.put_along_axis(found, order, kept, axis=0)
    return np.moveaxis(found, 0, axis)


def pack_bytes(data: bytes) -> str:
    """Compress bytes by gzip, and spell them in base64.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(pack_bytes(b"abc")))
    b'abc'
    """
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def unpack(packed: str, contents: Mapping[str, Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a page by name, as its script reads them.

    Examples
    --------
    >>> unpack(*pack({"a": np.array([[1, 2]], np.uint16)}))["a"].tolist()
    [[1, 2]]
    """
    data = gzip.decompress(base64.b64decode(packed))
    types = {kind: np.dtype(name) for name, kind in KINDS.items()}
    return {
        name: np.frombuffer(
            data, types[each["kind"]], int(np.prod(each["shape"])), each["start"]
        ).reshape(each["shape"])
        for name, each in contents.items()
    }
