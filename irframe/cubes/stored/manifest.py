"""What a saved cube is made of: Zarr's own files, and one that says which there must be."""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import LAZY, PARTS, SAVED
from irframe.cubes.stored.folder import Folder, folder_at, signed, verified
from irframe.errors import StoreError

Files = dict[str, bytes]
"""Files by their names in the folder."""

MANIFEST = "manifest/zarr.json"
"""Which files there must be, with their checksums; to Zarr an empty group with attributes."""
ROOT = "zarr.json"
"""What Zarr says of the whole; by its attribute a cube is known as one that was saved."""
LOCK = "manifest/lock"
"""Held by who saves a cube."""
CURE = "save the cube again; where that is refused, remove the folder first"
"""What mends a damaged one."""


def tell(folder: Folder, facts: dict[str, Any]) -> None:
    """Write the facts of a saved cube."""
    folder.put(MANIFEST, _as_node(signed(facts)))


def told(folder: Folder) -> dict[str, Any] | None:
    """Return the facts of a saved cube, None where there is none."""
    content = folder.content(MANIFEST)
    if content is None:
        if mark_at(folder):
            raise folder.damage(MANIFEST, "missing")
        return None
    try:
        text = json.loads(content)["attributes"][SAVED]
        facts = verified(text) if content == _as_node(text) else None
    except (ValueError, TypeError, KeyError):
        facts = None
    if facts is None:
        raise folder.damage(MANIFEST, "cut or changed since it was written")
    return facts


def refuse_damaged(cube: xr.Dataset) -> None:
    """Raise for a saved cube that xarray opened though it is not whole, or lacks files.

    xarray puts nothing where a file is missing; `open_cube` reads every file with its checksum.
    """
    mark, source = cube.attrs.get(SAVED), cube.encoding.get("source", "")
    if mark is None:
        return
    if not json.loads(mark)["whole"]:
        found, advice = "one of which not all is written", "save it again, which goes on"
        raise StoreError("a cube that was saved whole", found, advice)
    if not source:
        return
    folder = folder_at(source, CURE)
    if folder.files.exists(folder.place(MANIFEST)):
        missing = (told(folder) or {"written": {}})["written"].keys() - {*folder.names()}
        if missing:
            raise folder.damage(min(missing), "missing")


def mark_at(folder: Folder) -> str | None:
    """Return the mark of the cube that was saved in a folder, by what Zarr says of it."""
    try:
        return str(json.loads(json.loads(folder.content(ROOT) or b"")["attributes"][SAVED])["mark"])
    except (ValueError, TypeError, KeyError):
        return None


def _as_node(text: str) -> bytes:
    node = {"zarr_format": 3, "node_type": "group", "attributes": {SAVED: text}}
    return json.dumps(node).encode()


def marked(root: bytes, mark: str, *, whole: bool) -> bytes:
    """Return what Zarr says of a cube, with a mark that says whether all of it is there."""
    node = json.loads(root)
    node["attributes"][SAVED] = json.dumps({"mark": mark, "whole": whole})
    return json.dumps(node, indent=2).encode()


def chunk_name(name: str, number: int) -> str:
    """Return what the file of a block of topics of a variable is called.

    Examples
    --------
    >>> chunk_name("grade", 7), chunk_name("tail_size", 0)
    ('grade/c/0/7/0', 'tail_size/c/0/0')
    """
    return "/".join([name, "c", "0", str(number), *["0"] * (len(PARTS[name].dims) - 2)])


def is_chunk(file: str) -> bool:
    """Return whether a file holds rankings, and is read when they are wanted."""
    name, _, rest = file.partition("/")
    return name in LAZY and rest.startswith("c/")


def description(name: str) -> str:
    """Return what the file is called in which Zarr describes a variable."""
    return f"{name}/zarr.json"


def in_memory(files: Mapping[str, bytes]) -> Any:
    """Return files as a store of Zarr's."""
    from zarr.core.buffer import default_buffer_prototype  # noqa: PLC0415 - comes with dask
    from zarr.storage import MemoryStore  # noqa: PLC0415

    buffer = default_buffer_prototype().buffer
    return MemoryStore({name: buffer.from_bytes(content) for name, content in files.items()})


def files_of(store: Any) -> Files:
    """Return the files of a store of Zarr's in memory."""
    return {name: content.to_bytes() for name, content in store._store_dict.items()}  # noqa: SLF001


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Zarr 3.0 from saying that its specification had no text then."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The codec `vlen-utf8`", UserWarning)
        yield


def write_block(
    folder: Folder, described: Files, number: int, topics: slice, parts: Mapping[str, NDArray[Any]]
) -> dict[str, str]:
    """Write a block of topics, and return the checksums of its files.

    Parameters
    ----------
    folder
        Where to.
    described
        What Zarr says of the variables.
    number, topics
        The block, and the places of its topics.
    parts
        Its part of each variable.
    """
    made = {}
    for name, values in parts.items():
        store = in_memory({description(name): described[description(name)]})
        _array(store, name, "r+")[:, topics] = values
        file = chunk_name(name, number)
        written = files_of(store)
        if file in written:  # it is not where all is as where nothing is
            made[file] = folder.put(file, written[file])
    return made


def read_block(
    folder: Folder, described: bytes, name: str, number: int, topics: slice, checksum: str | None
) -> NDArray[Any]:
    """Read a block of topics of a variable."""
    files = {description(name): described}
    if checksum is not None:
        file = chunk_name(name, number)
        files[file] = folder.get(file, checksum)
    values: NDArray[Any] = np.asarray(_array(in_memory(files), name, "r")[:, topics])
    return values.astype(PARTS[name].dtype, copy=False)


def _array(store: Any, name: str, mode: str) -> Any:
    import zarr  # noqa: PLC0415 - comes with dask

    return zarr.open_array(store=store, path=name, mode=mode, zarr_format=3)
