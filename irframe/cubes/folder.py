"""The folder of a store: tables in blocks and facts as JSON, each of them whole or not there."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa

from irframe.errors import IrframeError, StoreError
from irframe.frames.compression import is_address, opened_by

MARK = "irframe"
"""Key of the mark among the metadata of a table."""


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
        wanted, advice = "blocks that can be read and written", "run it again to go on from here"
        raise StoreError(wanted, f"block {number} failing ({error})", advice) from error


def folder_at(path: str | PathLike[str]) -> "Folder":
    """Return the folder at a path or an address."""
    name = fspath(path)
    return Folder(name if is_address(name) else str(Path(name).resolve()))


@dataclass(frozen=True)
class Folder:
    """A folder by its path or address."""

    path: str
    mark: str = ""
    """What its tables are marked with, to tell them from those of another one."""

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        return opened_by(self.path)

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.path, self.mark)

    @property
    def files(self) -> Any:
        """The file system, as fsspec has it."""
        return self._opened[0]

    def place(self, *names: str) -> str:
        """Return where something stands."""
        return "/".join([self._opened[1], *names])

    def remove(self, *names: str) -> None:
        """Remove a file or folder, if it is there."""
        place = self.place(*names)
        if self.files.exists(place):
            self.files.rm(place, recursive=True)

    def tell(self, name: str, facts: Any) -> None:
        """Write facts."""
        self._put(self.place(name), json.dumps(facts, indent=1).encode())

    def told(self, name: str) -> Any:
        """Return facts, None where they are not there."""
        place = self.place(name)
        return json.loads(self.files.cat_file(place)) if self.files.exists(place) else None

    def has(self, kind: str, number: int) -> bool:
        """Return whether the table of a block is there."""
        return bool(self.files.exists(self._of_block(kind, number)))

    def write(self, table: pa.Table, kind: str, number: int) -> None:
        """Write the table of a block."""
        from pyarrow import parquet  # noqa: PLC0415 - costs time at import

        sink, marked = pa.BufferOutputStream(), table.replace_schema_metadata({MARK: self.mark})
        parquet.write_table(marked, sink, compression="zstd", compression_level=1)
        self._put(self._of_block(kind, number), sink.getvalue().to_pybytes())

    def read(self, kind: str, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read the table of a block."""
        from pyarrow import parquet  # noqa: PLC0415 - costs time at import

        place = self._of_block(kind, number)
        if not self.files.exists(place):
            advice = "make the store again"
            raise StoreError("a store that is whole", f"no {kind} of block {number}", advice)
        with self.files.open(place, "rb") as file:
            table = parquet.ParquetFile(file).read(columns)
        if (table.schema.metadata or {}).get(MARK.encode()) != self.mark.encode():
            found, advice = f"{kind} of block {number} from another one", "make the store again"
            raise StoreError("a store of one experiment", found, advice)
        return table

    def _of_block(self, kind: str, number: int) -> str:
        return self.place(kind, f"{number:06d}.parquet")

    def _put(self, place: str, content: bytes) -> None:
        """Write a file under another name first, so that it is never there in part."""
        part = f"{place}.{uuid4().hex}.part"
        self.files.makedirs(place.rpartition("/")[0], exist_ok=True)
        self.files.pipe_file(part, content)
        self.files.mv(part, place)
