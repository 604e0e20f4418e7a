"""Arrays as annotations name them, and parts of arrays worked on side by side in threads."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Grade = np.int16
"""The type of grades, of which the two lowest are marks, see `irframe.names`."""
Grades = NDArray[Grade]
Ends = tuple[Floats, Floats]
"""Two arrays, as lower and upper ends are."""


BLOCK = 1 << 17
"""Cells scored at a time by a thread: a few arrays of that size fit the processor's cache."""


def usual_errors() -> np.errstate:
    """Let numpy take floating-point errors as it usually does, whatever the caller has set."""
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


def as_plain(values: Any) -> Array:
    """Return an array of what a model gives, a tensor of any device or precision among that."""
    if type(values) is np.ndarray:
        return values
    narrow = str(getattr(values, "dtype", "")) == "torch.bfloat16"  # which numpy does not have
    for step in ("detach", "cpu", *["float"] * narrow):
        values = getattr(values, step, lambda values=values: values)()
    return np.asarray(values)


Part = TypeVar("Part")
Done = TypeVar("Done")


def in_threads(
    work: Callable[[Part], Done], parts: Iterable[Part], workers: int | None = None
) -> list[Done]:
    """Return what a function makes of every part, in their order.

    Parameters
    ----------
    work
        What is done, in several threads at once where there are several parts.
    parts
        The parts.
    workers
        How many threads at most; by default as many as the machine has processors.

    Examples
    --------
    >>> in_threads(len, ["a", "bc"])
    [1, 2]
    """
    listed = list(parts)
    most = min(len(listed), workers or os.cpu_count() or 1)
    if most < 2:
        return [work(part) for part in listed]
    with ThreadPoolExecutor(most) as pool:
        return list(pool.map(work, listed))


def tiles(systems: int, topics: int, ranks: int) -> list[tuple[slice, slice]]:
    """Return which lists are worked on at a time, about `BLOCK` cells of them.

    Examples
    --------
    >>> tiles(2, 1, BLOCK)
    [(slice(0, 1, None), slice(0, 1, None)), (slice(1, 2, None), slice(0, 1, None))]
    """
    step = max(1, BLOCK // max(ranks * topics, 1))
    inner = max(1, topics if step > 1 else BLOCK // max(ranks, 1))
    return [
        (slice(s, min(s + step, systems)), slice(t, min(t + inner, topics)))
        for s in range(0, systems, step)
        for t in range(0, topics, inner)
    ]


def at_places(values: Any, *places: Any) -> Any:
    """Return what stands at some positions of every dimension, None for all."""
    for axis, chosen in enumerate(places):
        if chosen is not None:
            values = values[(*(slice(None),) * axis, chosen)]
    return values
