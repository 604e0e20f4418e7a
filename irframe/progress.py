"""Progress of long computations on terminals or in notebooks."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TypeVar

from irframe.errors import needing

Item = TypeVar("Item")


def tracked(items: Iterable[Item], total: int, unit: str, *, progress: bool) -> Iterator[Item]:
    """Yield items, with a progress bar on standard error.

    Parameters
    ----------
    items
        The items to yield.
    total
        Number of items.
    unit
        Singular noun for the items, which is printed beside the progress bar.
    progress
        Whether to show the progress bar.

    Raises
    ------
    InputError
        If `progress` is True and tqdm is not installed.

    Examples
    --------
    >>> list(tracked("ab", 2, "run", progress=False))
    ['a', 'b']
    """
    if not progress:
        yield from items
        return
    with needing("tqdm", "the progress bar", "tqdm"):
        from tqdm import tqdm  # noqa: PLC0415 - only when asked for
    yield from tqdm(items, total=total, unit=f" {unit}s")


ERASED = "\r\033[K"
"""Control sequence that erases the current line of a terminal."""
_COUNTING = Lock()


@contextmanager
def elapsed(name: str) -> Iterator[None]:
    """Show the elapsed seconds of a block on standard error.

    Seconds are shown only after two seconds, and only on a terminal or in a notebook. If contexts
    are nested, only the outermost context shows seconds.

    Parameters
    ----------
    name
        Name of the task, which is printed before the seconds.

    Examples
    --------
    >>> with elapsed("report"):
    ...     total = sum(range(100))
    """
    # a notebook replaces sys.stderr by a stream of ipykernel, which is no terminal
    is_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    if not (is_notebook or sys.stderr.isatty()) or not _COUNTING.acquire(blocking=False):
        yield
        return
    finished = Event()

    def count_up() -> None:
        seconds = 2
        # unlike time.sleep, wait returns at once if the block ends
        while not finished.wait(2 if seconds == 2 else 1):
            sys.stderr.write(f"\r{name}: {seconds} s ")
            sys.stderr.flush()
            seconds += 1
        sys.stderr.write(ERASED if seconds > 2 else "")

    thread = Thread(target=count_up, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        _COUNTING.release()
