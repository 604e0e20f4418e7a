"""Types of arrays, and computation by blocks in threads."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
AnyFloats = NDArray[np.floating[Any]]
"""Floats in single or double precision."""
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Grade = np.int16
"""Integer type of grades, whose two lowest values mark empty ranks and unjudged documents."""
Grades = NDArray[Grade]
Ends = tuple[Floats, Floats]
"""Two arrays with the lower and the upper limits of intervals."""


BLOCK = 1 << 17
"""Number of ranks that a thread scores at a time. A few arrays of this size fit into the cache of a
processor."""


def usual_errors() -> np.errstate:
    """Return a context with numpy's default handling of floating-point errors.

    The context is needed because users may have changed these defaults with ``np.seterr``.
    """
    return np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")


def as_plain(values: object) -> Array:
    """Convert an array or tensor to a numpy array."""
    if type(values) is np.ndarray:
        return values
    # tensors are recognised by these methods, which other objects lack, without importing torch
    steps = ["detach", "cpu"]
    # numpy has no dtype for bfloat16, so such tensors are first converted to float32
    if str(getattr(values, "dtype", "")) == "torch.bfloat16":
        steps.append("float")
    for step in steps:
        values = getattr(values, step, lambda values=values: values)()
    return np.asarray(values)


Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None
) -> list[Result]:
    """Call a function with every item, in several threads.

    Parameters
    ----------
    work
        The function to call.
    items
        The arguments, one for each call.
    workers
        Maximum number of threads. The default is the number of processors.

    Examples
    --------
    >>> in_threads(len, ["a", "bc"])
    [1, 2]
    """
    every = list(items)
    n_threads = min(len(every), workers or os.cpu_count() or 1)
    if n_threads < 2:
        return [work(item) for item in every]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, every))


def tiles(systems: int, topics: int, ranks: int) -> list[tuple[slice, slice]]:
    """Split lists into blocks of about `BLOCK` ranks.

    A block is a slice of systems and a slice of topics. Each list has `ranks` ranks.

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


def at_positions(values: Any, *positions: Any) -> Any:
    """Select positions along each dimension of an array.

    For each dimension, pass an array of positions, or None for all positions.
    """
    # numpy would combine several arrays of positions element by element if applied at once
    for axis, chosen in enumerate(positions):
        if chosen is not None:
            values = values[(*(slice(None),) * axis, chosen)]
    return values


def on_front(cost: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of systems on the Pareto front.

    A system is on the front unless another system is at least as good in both cost and value, and
    better in one of the two. Among equal systems, only the first is returned. Systems without a
    cost or value (NaN) are never on the front. The result is sorted by cost.

    Examples
    --------
    >>> on_front(np.array([3.0, 1.0, 2.0, 2.0]), np.array([0.5, 0.2, 0.6, 0.4]))
    array([1, 2])
    """
    # among equal costs the highest value comes first, so that only a better system raises the
    # maximum
    order = np.lexsort((-value, cost))
    # unlike `np.maximum`, `np.fmax` skips systems without a value
    best = np.fmax.accumulate(np.append(-np.inf, np.where(np.isnan(cost), np.nan, value)[order]))
    return np.asarray(order[best[1:] > best[:-1]])


def low_to_high(numbers: ArrayLike) -> str:
    """Return the range of integers as text.

    Examples
    --------
    >>> low_to_high([16, 3, 5]), low_to_high([16, 16])
    ('3 to 16', '16')
    """
    low, high = int(np.min(numbers)), int(np.max(numbers))
    return f"{high}" if low == high else f"{low} to {high}"
