"""The words of a command, as a line that a shell reads again."""

import shlex
from collections.abc import Sequence
from pathlib import Path


def spelled(words: Sequence[str]) -> str:
    """Return a line of a shell: all files of a folder that end alike are one pattern.

    Parameters
    ----------
    words
        Those after ``irframe``, as the shell passed them on.

    Examples
    --------
    >>> spelled(["report", "my qrels.txt", "a.run", "-o", "page.html"])
    "irframe report 'my qrels.txt' a.run -o page.html"
    """
    found: list[str] = []
    place = 0
    while place < len(words):
        pattern, count = _pattern(words[place:])
        found.append(pattern if count > 1 else words[place])
        place += max(count, 1)
    return shlex.join(["irframe", *found])


def _pattern(words: Sequence[str]) -> tuple[str, int]:
    """Return a pattern, and how many of the first words are all the files that it matches."""
    first = Path(words[0])
    if not first.suffix or not first.is_file():
        return "", 0
    matched = {str(path) for path in first.parent.glob(f"*{first.suffix}")}
    if len(matched) < 2 or {str(Path(word)) for word in words[: len(matched)]} != matched:
        return "", 0
    return str(first.parent / f"*{first.suffix}"), len(matched)
