"""A folder of files with checksums, by a path or an address."""

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from irframe.errors import StoreError
from irframe.files.compression import is_address, opened_by, refuse_strange

FACTS = "cube.json"
"""The file that says all of the others, with their checksums; it is written last."""
CURE = "save it again"


def folder_at(path: str) -> "Folder":
    """Return the folder at a path or an address."""
    refuse_strange(path)
    return Folder(path if is_address(path) else os.fspath(Path(path).resolve()))


class Folder:
    """A folder of files with checksums, by a path or an address."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/")

    def put(self, name: str, content: bytes) -> str:
        """Write a file, and return its checksum."""
        place = f"{self.path}/{name}"
        try:
            if is_address(place):
                store, at = opened_by(place)
                store.makedirs(at.rpartition("/")[0], exist_ok=True)
                store.pipe_file(at, content)
            else:
                Path(place).write_bytes(content)
        except OSError as error:
            wanted, advice = "files that can be written", "make room, and save it again"
            raise StoreError(wanted, f"{place} failing ({error})", advice) from error
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
        except FileNotFoundError as error:
            raise self.damage(name, "missing") from error
        except OSError as error:
            raise self.damage(name, f"failing ({error})") from error
        if checksum is not None and checksum_of(content) != checksum:
            raise self.damage(name, "cut or changed since it was written")
        return content

    def damage(self, name: str, how: str) -> StoreError:
        """Return what to raise for a damaged file."""
        return StoreError("files as they were written", f"{self.path}/{name} {how}", CURE)

    def table(self, name: str, checksum: str) -> pa.Table:
        """Read a table."""
        return pq.read_table(pa.BufferReader(self.get(name, checksum)))

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
        except (ValueError, TypeError, KeyError):
            sound = False
        if not sound:
            raise self.damage(FACTS, "cut or changed since it was written")
        return facts

    def is_sound(self) -> bool:
        """Read all files, and return whether they are as they were written."""
        try:
            for name, checksum in self.facts()["files"].items():
                self.get(name, checksum)
        except StoreError:
            return False
        return True


def checksum_of(content: bytes) -> str:
    """Return the CRC-32 of some bytes, in hexadecimal digits."""
    return f"{zlib.crc32(content):08x}"


def signed(facts: Mapping[str, Any]) -> bytes:
    """Return facts as JSON, with their checksum."""
    told = json.dumps(facts)
    return json.dumps({"facts": facts, "checksum": checksum_of(told.encode())}).encode()
