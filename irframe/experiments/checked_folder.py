"""A folder of files with checksums, which appears whole or not at all."""

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
from irframe.files import compression
from irframe.files.compression import is_address, opened_by, refuse_strange
from irframe.files.in_pieces import read_parquet

FACTS = "cube.json"
"""The file that says all of the others, with their checksums; it is written last."""
SYSTEMS, SEAL = "systems.parquet", b"facts"
"""The file that holds a digest of what that says, and under which name."""
CHANGED, CURE = "cut or changed since it was written", "save it again"


class Folder:
    """A folder of files with checksums, by a path or an address."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        refuse_strange(path)
        name = os.fspath(path)
        self.path = name.rstrip("/") if is_address(name) else os.fspath(Path(name).resolve())

    def put(self, name: str, content: bytes) -> str:
        """Write a file, and return its checksum."""
        place = f"{self.path}/{name}"
        if is_address(place):
            store, at = opened_by(place)
            store.makedirs(at.rpartition("/")[0], exist_ok=True)
            store.pipe_file(at, content)
        else:
            Path(place).write_bytes(content)
        return checksum_of(content)

    def get(self, name: str, checksum: str | None = None) -> bytes:
        """Read a file, of which the checksum may be known."""
        place = f"{self.path}/{name}"
        try:
            if is_address(place):
                store, at = opened_by(place)
                content = bytes(store.cat_file(at))
            else:
                content = Path(place).read_bytes()
        except OSError as error:
            how = "missing" if isinstance(error, FileNotFoundError) else f"failing ({error})"
            raise self.damage(name, how, checksum) from error
        if checksum is not None and checksum_of(content) != checksum:
            raise self.damage(name, CHANGED, checksum)
        return content

    def damage(self, name: str, how: str, checksum: str | None = None) -> StoreError:
        """Return what to raise for a damaged file, or one that was replaced with all others."""
        wanted, found = "files as they were written", f"{self.path}/{name} {how}"
        # The facts may be damaged themselves: then all that is known is that this file is.
        with suppress(StoreError):
            if checksum is not None and self.facts()["files"].get(name) != checksum:
                found = f"another cube, which was saved at {self.path} since it was opened"
                return StoreError(wanted, found, "open it again")
        return StoreError(wanted, found, CURE)

    def table(self, name: str, checksum: str) -> pa.Table:
        """Read a table."""
        return read_parquet(self.get(name, checksum), name)

    def facts(self) -> dict[str, Any]:
        """Return what a saved cube says of itself.

        Raises
        ------
        StoreError
            If there is none, or it was changed.
        """
        try:
            content = self.get(FACTS)
        except StoreError as error:
            raise StoreError("a cube written by save()", f"none at {self.path}") from error
        try:
            read = json.loads(content)
            facts: dict[str, Any] = read["facts"]
            sound = content == signed(facts)
            systems = self.get(SYSTEMS, str(facts["files"][SYSTEMS]))
            held = pq.read_schema(pa.BufferReader(systems)).metadata or {}
            sound &= held.get(SEAL) == seal_of(facts)
            sound &= all(isinstance(checksum, str) for checksum in facts["files"].values())
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, pa.ArrowException):
            sound = False
        if not sound:
            raise self.damage(FACTS, CHANGED)
        return facts


def checksum_of(content: bytes) -> str:
    """Return the CRC-32 of some bytes, in hexadecimal digits."""
    return f"{zlib.crc32(content):08x}"


def signed(facts: Mapping[str, Any]) -> bytes:
    """Return facts as JSON, with their checksum."""
    text = json.dumps(facts)
    return json.dumps({"facts": facts, "checksum": checksum_of(text.encode())}).encode()


def seal_of(facts: Mapping[str, Any]) -> bytes:
    """Return a digest of all that is said, and of which files there are; it stands in one of them.

    So what a cube says of itself is what was written, whatever the checksum beside it.
    """
    said = {**facts, "files": sorted(map(str, facts["files"]))}
    return blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=16).hexdigest().encode()


@contextmanager
def beside(folder: Folder) -> Iterator[Folder]:
    """Give a folder to write to, which is gone at the end unless it has taken the other's name."""
    if is_address(folder.path):
        yield folder
        return
    target = Path(folder.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    made = compression.beside(target)
    made.mkdir()
    try:
        yield Folder(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def put_in_place(beside: str, folder: Folder, is_there: Callable[[], bool]) -> None:
    """Give a folder its name; what has that name by now stays if it is sound, or is refused.

    A folder takes the name of no other that holds something, so that none is lost between.
    """
    old = Path(f"{beside}.old")
    while True:
        try:
            Path(beside).rename(folder.path)
        except OSError:
            if not Path(folder.path).exists():
                raise
        else:
            break
        if is_there():  # another writer of the same cube was faster
            return
        with suppress(FileNotFoundError):
            Path(folder.path).rename(old)  # damaged
        shutil.rmtree(old, ignore_errors=True)
