"""How much a file may hold, whatever its format: bytes, columns, and levels of what is nested."""

import re

import numpy as np

from irframe.errors import FileFormatError

MEANT = "check that this is the file you meant"
FREE, RATIO = 1 << 26, 100
"""Bytes that any file may unpack to, and times its size that a larger one may: runs and judgments
pack to a tenth or so."""
COLUMNS, LEVELS = 1 << 13, 100
"""Columns that a table may have, and lists and dictionaries that may stand one in another."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def refuse_large(source: str, size: int, content: int, what: str = "bytes") -> None:
    """Raise for a file that holds more than files of its size do.

    Parameters
    ----------
    source
        What it is called.
    size
        Its bytes, as it is.
    content
        How many bytes it is known to hold.
    what
        Of what, where that is known.
    """
    if content > max(FREE, RATIO * size):
        found = f"{source} with more than {max(FREE, RATIO * size):,} {what} in it"
        least = f"at most {FREE >> 20} MiB or {RATIO} times its size"
        advice = f"{MEANT}, and unpack it first"
        raise FileFormatError(f"a file that unpacks to {least}", found, advice)


def refuse_wide(source: str, columns: int) -> None:
    """Raise for a table of more columns than anybody has named."""
    if columns > COLUMNS:
        found = f"{source} with {columns:,}"
        raise FileFormatError(f"a file of at most {COLUMNS:,} columns", found, MEANT)


def shallow(source: str, data: bytes) -> bytes:
    r"""Return JSON, and raise where it is deeper than readers are safe with: some end the process.

    Examples
    --------
    >>> shallow("a.json", b'{"q1": {"d1": "[[[["}}')
    b'{"q1": {"d1": "[[[["}}'
    >>> shallow("a.json", b"[" * 101)
    Traceback (most recent call last):
    ...
    irframe.errors.FileFormatError: wanted lists and dictionaries at most 100 deep; found some more
    than 100 deep in a.json. Check that this is the file you meant.
    """
    if _levels(data) > LEVELS and _levels(_TEXT.sub(b"", data)) > LEVELS:
        wanted = f"lists and dictionaries at most {LEVELS} deep"
        raise FileFormatError(wanted, f"some more than {LEVELS} deep in {source}", MEANT)
    return data


def _levels(data: bytes) -> int:
    """Return how deep brackets stand one in another, those in texts as well."""
    at = np.frombuffer(data, np.uint8) | 0x20  # so that { is [, and } is ]
    brackets = at[(at == ord("{")) | (at == ord("}"))]
    return int(np.cumsum(np.where(brackets == ord("{"), 1, -1)).max(initial=0))
