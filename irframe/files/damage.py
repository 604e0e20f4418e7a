"""Damage of files, told alike whatever they hold."""

from collections.abc import Iterator
from contextlib import contextmanager

from irframe.errors import FileFormatError


@contextmanager
def whole(kind: str, source: str, *signs: type[Exception]) -> Iterator[None]:
    """Say which file of a kind is damaged, where its reader gives a sign that it is."""
    try:
        yield
    except FileFormatError:
        raise
    except signs as error:
        wanted, found = f"{kind} that is whole", f"{source} damaged ({error})"
        raise FileFormatError(wanted, found, "fetch or write the file again") from error
