"""How far long work is, told by tqdm to whoever asks."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from irframe.errors import InputError

Item = TypeVar("Item")


def tracked(items: Iterable[Item], total: int, unit: str, *, progress: bool) -> Iterator[Item]:
    """Pass items on, showing on stderr how many have been worked on.

    Parameters
    ----------
    items
        The items.
    total
        How many there are.
    unit
        What one of them is called.
    progress
        Whether to show anything.

    Raises
    ------
    InputError
        If progress is wanted and tqdm is not installed.

    Examples
    --------
    >>> list(tracked("ab", 2, "run", progress=False))
    ['a', 'b']
    """
    if not progress:
        yield from items
        return
    try:
        from tqdm import tqdm  # noqa: PLC0415 - only when asked for
    except ImportError as error:
        raise InputError("tqdm, to show progress with", "none", "pip install tqdm") from error
    yield from tqdm(items, total=total, unit=f" {unit}s")
