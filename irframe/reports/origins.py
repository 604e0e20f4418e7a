"""Where a report's numbers come from: policies, versions, what was read, and the call."""

import hashlib
import platform
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.groups import provenance
from irframe.cubes.view import EXPERIMENT, experiment_of
from irframe.metrics import Metric
from irframe.names import DEPTH
from irframe.paired import PairedTest
from irframe.reports.part import Part
from irframe.reports.setting import text
from irframe.reports.words import say
from irframe.tables.captions import ORIGIN_WORDS

LIBRARIES = ("numpy", "pandas", "scipy", "xarray", "altair", "vl-convert-python")
"""What else numbers and figures depend on."""
SPELLED = {
    "ties": "order of equal scores (ties)",
    "score_dtype": "precision of scores (score_dtype)",
    "topics": "topics that count (topics)",
    "top": "highest grade",
    "rel": "lowest relevant grade",
    "depth": "lists are cut at (depth)",
    "collection": "topics come in tracks by (collection)",
}
"""What decides numbers, in words, with the argument that sets it."""
MADE: ContextVar[str] = ContextVar("irframe_made", default="")
"""The line of a shell that makes a report, if that is how it is made."""


def told(cube: xr.Dataset, frames: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Return where the numbers come from: lists by heading, and the table of what was read."""
    read = inputs(cube, frames)
    part = Part("inputs", say("origins.inputs", n=len(read)), [say("origins.how")], data=read)
    return {"lists": {"Settings": policies(cube), "Versions": versions()}, "inputs": part}


def policies(cube: xr.Dataset) -> list[tuple[str, str]]:
    """Return what decided the numbers of a cube, in words."""
    told = provenance(cube)
    return [
        (SPELLED.get(name, name), ", ".join(text(value) for value in np.atleast_1d(told[name])))
        for name in ORIGIN_WORDS
        if name in told and name != "pool_depth"  # which may be read off the runs
    ]


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of the libraries."""
    return [("python", platform.python_version()), *((name, version(name)) for name in LIBRARIES)]


def inputs(cube: xr.Dataset, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what was read, with its SHA-256: files, or else frames, or else the cube."""
    files = [_of_file(*state) for state in cube.attrs[EXPERIMENT].files]
    if files:
        return pd.DataFrame(files, columns=["input", "bytes", "SHA-256"])
    found = [(name, f"{len(frame)} rows", _of_frame(frame)) for name, frame in frames.items()]
    return pd.DataFrame(found or [_of_cube(cube)], columns=["input", "size", "SHA-256"])


def _of_file(name: str, size: int, changed: str) -> tuple[str, str, str]:
    """Return name, size and hash of a file, unless it is no longer what was read."""
    path = Path(name)
    if not path.is_file():
        return path.name, text(size), "not here any more"
    now = path.stat()
    if (now.st_size, str(now.st_mtime_ns)) != (int(size), str(changed)):
        return path.name, text(size), "changed since it was read"
    with path.open("rb") as file:
        return path.name, text(size), hashlib.file_digest(file, "sha256").hexdigest()


def _of_frame(frame: pd.DataFrame) -> str:
    """Return the hash of the values of a frame, row by row."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return hashlib.sha256(rows.tobytes()).hexdigest()


def _of_cube(cube: xr.Dataset) -> tuple[str, str, str]:
    arrays = cube["grade"].to_numpy(), experiment_of(cube).laid(cube.sizes[DEPTH], "doc")
    data = b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)
    shape = " x ".join(map(str, cube["grade"].shape))
    return "the cube's grades and documents", shape, hashlib.sha256(data).hexdigest()


def call(names: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the call that makes a report, with what was not left at its default.

    Examples
    --------
    >>> call("cube, 'a.html'", {"baseline": "bm25", "alpha": 0.05}, {"alpha": 0.05})
    "ir.report(cube, 'a.html', baseline='bm25')"
    """
    if MADE.get():
        return MADE.get()
    said = [
        f"{name}={_spelled(value)}"
        for name, value in options.items()
        if name not in defaults or repr(value) != repr(defaults[name])
    ]
    return f"ir.report({', '.join([names, *said])})"


def _spelled(value: Any) -> str:
    """Return an argument as a call with ``import irframe as ir`` has it.

    Examples
    --------
    >>> from irframe.metrics import AP
    >>> from irframe.paired import PairedT
    >>> _spelled([AP() @ 10, "RR"]), _spelled(PairedT())
    ("['AP@10', 'RR']", 'ir.paired.PairedT()')
    """
    if isinstance(value, Metric):
        return repr(str(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_spelled, value))}]"
    return f"ir.paired.{value!r}" if isinstance(value, PairedTest) else repr(value)
