"""Local and remote folders of files with checksums."""

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from irframe.errors import StoreError
from irframe.files import write_run
from irframe.files.sources import is_address, opened_by, read_parquet, refuse_strange

FACTS = "cube.json"
"""The name of the file with the properties of a saved cube and the checksums of all other files.

`FACTS` is written last, so a folder without this file is incomplete.
"""
SYSTEMS = "systems.parquet"
"""The name of the file with the names of the systems."""
SEAL = b"facts"
"""The key in the metadata of `SYSTEMS` whose value is a digest of the properties."""
CHANGED = "cut or changed since it was written"
"""Description of a file whose checksum does not match, for error messages."""


class Folder:
    """A local or remote folder of files with checksums."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        refuse_strange(path)
        name = os.fspath(path)
        self.path = name.rstrip("/") if is_address(name) else os.fspath(Path(name).resolve())

    def put(self, name: str, content: bytes) -> str:
        """Write a file, and return its checksum."""
        path = f"{self.path}/{name}"
        if is_address(path):
            store, at = opened_by(path)
            store.makedirs(at.rpartition("/")[0], exist_ok=True)
            store.pipe_file(at, content)
        else:
            Path(path).write_bytes(content)
        return checksum_of(content)

    def get(self, name: str, checksum: str | None = None) -> bytes:
        """Return the content of a file; verify a given checksum."""
        path = f"{self.path}/{name}"
        try:
            if is_address(path):
                store, at = opened_by(path)
                content = bytes(store.cat_file(at))
            else:
                content = Path(path).read_bytes()
        except OSError as error:
            state = "missing" if isinstance(error, FileNotFoundError) else f"failing ({error})"
            raise self.damage(name, state, checksum) from error
        if checksum is not None and checksum_of(content) != checksum:
            raise self.damage(name, CHANGED, checksum)
        return content

    def damage(self, name: str, state: str, checksum: str | None = None) -> StoreError:
        """Return the error for a damaged or replaced file."""
        expected = "files as they were written"
        # If the file with the checksums is damaged too, the general error below is returned.
        with suppress(StoreError):
            if checksum is not None and self.facts()["files"].get(name) != checksum:
                got = f"another cube, which was saved at {self.path} since it was opened"
                return StoreError(expected, got, "open it again")
        return StoreError(expected, f"{self.path}/{name} {state}", "save it again")

    def table(self, name: str, checksum: str) -> pa.Table:
        """Read a Parquet file of the folder; verify its checksum."""
        return read_parquet(self.get(name, checksum), name)

    def facts(self) -> dict[str, Any]:
        """Return the properties of a saved cube; raise if damaged."""
        try:
            content = self.get(FACTS)
        except StoreError as error:
            raise StoreError("a cube written by save()", f"none at {self.path}") from error
        try:
            facts: dict[str, Any] = json.loads(content)
            systems = self.get(SYSTEMS, str(facts["files"][SYSTEMS]))
            stored = pq.read_schema(pa.BufferReader(systems)).metadata or {}
            is_intact = stored.get(SEAL) == seal_of(facts)
            is_intact &= all(isinstance(checksum, str) for checksum in facts["files"].values())
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, pa.ArrowException):
            is_intact = False
        if not is_intact:
            raise self.damage(FACTS, CHANGED)
        return facts


def checksum_of(content: bytes) -> str:
    """Return the CRC-32 of a file's content as hexadecimal digits."""
    return f"{zlib.crc32(content):08x}"


def seal_of(facts: Mapping[str, Any]) -> bytes:
    """Return a digest of the properties and the file names."""
    # Checksums of files are left out, because the digest is itself stored in one of the files.
    texts = {**facts, "files": sorted(map(str, facts["files"]))}
    return blake2b(json.dumps(texts, sort_keys=True).encode(), digest_size=16).hexdigest().encode()


@contextmanager
def staging(folder: Folder) -> Iterator[Folder]:
    """Provide a temporary folder for writing.

    For a remote folder, no temporary folder is made, and the remote folder is returned.
    """
    # Object stores cannot rename a folder in one step, so remote folders are written in place.
    if is_address(folder.path):
        yield folder
        return
    temporary = write_run.temporary_path(Path(folder.path))
    temporary.mkdir(parents=True)
    with write_run.locked(temporary):
        try:
            yield Folder(temporary)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def put_in_place(temporary: str, folder: Folder, is_saved: Callable[[], bool]) -> None:
    """Rename a temporary folder to its final name.

    A damaged folder with the final name is replaced.

    Parameters
    ----------
    temporary
        The path of the temporary folder.
    folder
        The folder with the final name.
    is_saved
        Function that returns whether the final folder already contains the same cube.
    """
    old = Path(f"{temporary}.old")
    while True:
        try:
            Path(temporary).rename(folder.path)
        except OSError:
            if not Path(folder.path).exists():
                raise
        else:
            break
        # Another process may have saved the same cube since the check before writing.
        if is_saved():
            return
        # The damaged folder is renamed before deletion, so that no reader sees a half-deleted
        # folder.
        with suppress(FileNotFoundError):
            Path(folder.path).rename(old)
        shutil.rmtree(old, ignore_errors=True)
