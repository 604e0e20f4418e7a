"""A folder whose files are whole, read with their checksums, and written by one at a time."""

import json
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa

from irframe.errors import IrframeError, StoreError
from irframe.files.compression import is_address, opened_by

PART = ".part"
"""How files are called while they are written."""
_UNFINISHED = re.compile(rf"\.[0-9a-f]{{32}}{re.escape(PART)}$")
CHECKSUM = "checksum"
"""Key of the checksum of facts among them."""
AGAIN = "run it again to go on from there"


@contextmanager
def naming_block(number: int) -> Iterator[None]:
    """Name a block in the errors that come up while it is worked on."""
    try:
        yield
    except StoreError:
        raise
    except IrframeError as error:
        raise error.within(f"(in block {number})") from error
    except (OSError, pa.ArrowException) as error:
        wanted = "blocks that can be read and written"
        raise StoreError(wanted, f"block {number} failing ({error})", AGAIN) from error


def folder_at(path: str | PathLike[str], cure: str) -> "Folder":
    """Return the folder at a path or an address."""
    name = fspath(path)
    return Folder(name if is_address(name) else str(Path(name).resolve()), cure)


def checksum_of(content: bytes) -> str:
    """Return the CRC-32 of some bytes, in hexadecimal digits.

    Examples
    --------
    >>> checksum_of(b"123456789")
    'cbf43926'
    """
    return f"{zlib.crc32(content):08x}"


def signed(facts: dict[str, Any]) -> str:
    """Return facts as JSON, with their checksum.

    Examples
    --------
    >>> signed({"whole": True})
    '{"whole": true, "checksum": "cd276dc0"}'
    """
    return json.dumps(facts | {CHECKSUM: checksum_of(json.dumps(facts).encode())})


def verified(text: str | bytes) -> dict[str, Any] | None:
    """Return the facts of what `signed` made, None if any byte of it has changed.

    Examples
    --------
    >>> verified(signed({"whole": True})), verified(signed({"whole": True}).replace("u", "U"))
    ({'whole': True}, None)
    """
    try:
        facts: dict[str, Any] = json.loads(text)
        del facts[CHECKSUM]
        told = signed(facts)
    except (ValueError, TypeError, KeyError):
        return None
    return facts if told == (text if isinstance(text, str) else text.decode()) else None


@dataclass(frozen=True)
class Folder:
    """A folder by its path or address."""

    path: str
    cure: str
    """What mends its files, for messages."""

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        return opened_by(self.path)

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.path, self.cure)

    @property
    def files(self) -> Any:
        """The file system, as fsspec has it."""
        return self._opened[0]

    @property
    def is_local(self) -> bool:
        """Whether it is a folder of this machine, or mounted there."""
        protocol = self.files.protocol
        return "file" in ([protocol] if isinstance(protocol, str) else protocol)

    def place(self, name: str = "") -> str:
        """Return where something stands."""
        return f"{self._opened[1]}/{name}" if name else self._opened[1]

    def names(self) -> Iterator[str]:
        """Yield the names of all files in it, by their paths from there."""
        self.files.invalidate_cache()
        for within, _, names in self.files.walk(self.place()):
            for name in names:
                yield f"{within}/{name}"[len(self.place()) + 1 :]

    def refuse_strangers(self, known: re.Pattern[str], what: str) -> None:
        """Raise if there are files that are called otherwise than those of an experiment."""
        strange = [name for name in self.names() if not known.fullmatch(_UNFINISHED.sub("", name))]
        if strange:
            found, advice = f"other things in {self.path}", "choose another folder, or remove this"
            raise StoreError(f"an empty folder, or {what}", found, advice, strange)

    def put(self, name: str, content: bytes) -> str:
        """Write a file under another name first, so that it is never there in part.

        Returns
        -------
        str
            Its checksum.
        """
        place = self.place(name)
        part = f"{place}.{uuid4().hex}{PART}"
        try:
            self.files.makedirs(place.rpartition("/")[0], exist_ok=True)
            self.files.pipe_file(part, content)
            Path(part).replace(place) if self.is_local else self.files.mv(part, place)
        except OSError as error:
            with suppress(OSError):
                self.files.rm(part)
            found, advice = f"{place} failing ({error})", f"make room, and {AGAIN}"
            raise StoreError("files that can be written", found, advice) from error
        return checksum_of(content)

    def tell(self, name: str, facts: dict[str, Any]) -> None:
        """Write facts."""
        self.put(name, signed(facts).encode())

    def get(self, name: str, checksum: str, part: tuple[int, int] | None = None) -> bytes:
        """Read a file, or the bytes of a part of it, of which the checksum is known."""
        place = self.place(name)
        try:
            content: bytes = self.files.cat_file(place, *(part or ()))
        except FileNotFoundError as error:
            raise self.damage(name, "missing") from error
        except OSError as error:
            raise self.damage(name, f"failing ({error})") from error
        if checksum_of(content) != checksum:
            raise self.damage(name, "cut or changed since it was written")
        return content

    def damage(self, name: str, how: str) -> StoreError:
        """Return what to raise for a damaged file."""
        return StoreError("files as they were written", f"{self.place(name)} {how}", self.cure)

    def content(self, name: str) -> bytes | None:
        """Return a file that says itself whether it is whole, None where it is not there."""
        self.files.invalidate_cache()
        try:
            return bytes(self.files.cat_file(self.place(name)))
        except FileNotFoundError:
            return None

    def told(self, name: str) -> dict[str, Any] | None:
        """Return facts, None where they are not there."""
        content = self.content(name)
        if content is None:
            return None
        facts = verified(content)
        if facts is None:
            raise self.damage(name, "cut or changed since it was written")
        return facts

    def remove(self, name: str) -> None:
        """Remove a file or folder, if it is there."""
        with suppress(FileNotFoundError):
            self.files.rm(self.place(name), recursive=True)

    def keep(self, names: set[str]) -> None:
        """Remove all files but some, and what was left of files that were being written."""
        for name in [*self.names()]:
            if name not in names:
                self.remove(name)

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Keep other writers out, of this machine or of those that have the folder mounted.

        A lock goes with the process that holds it, however it ends. Object stores have none.
        """
        if not self.is_local:
            yield
            return
        lock = self._lock(name)
        try:
            yield
        finally:
            with suppress(OSError):
                Path(self.place(name)).unlink()
            os.close(lock)

    def _lock(self, name: str) -> int:
        path = Path(self.place(name))
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = os.open(path, os.O_RDWR | os.O_CREAT)
            except OSError as error:
                found = f"{path} failing ({error})"
                raise StoreError("a folder that can be written to", found) from error
            try:
                _hold(lock)
            except OSError as error:
                os.close(lock)
                found, advice = f"another one at {self.path}", "wait for its end, and run it again"
                raise StoreError("no other writer", found, advice) from error
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), path.stat()):
                    return lock
            os.close(lock)  # whoever held it has removed it since it was opened


def _hold(lock: int) -> None:
    """Lock an open file, or raise OSError."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - is there only

        msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - is not there

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
