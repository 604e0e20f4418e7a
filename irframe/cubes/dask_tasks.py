"""Work by dask: what it is asked to do, whether its workers can do it, and how far it is."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from irframe.errors import InputError

Beyond = tuple[Any, tuple[int, ...]]
"""The type of an array, and its lengths beyond systems and topics."""


def need_dask() -> Any:
    """Return dask, which only users of cubes larger than memory need.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        import dask  # noqa: PLC0415 - only where work is chunked
        import dask.array  # noqa: PLC0415
    except ImportError as error:
        advice = 'pip install "irframe[dask]"'
        raise InputError("dask, by which blocks of topics are worked on", "none", advice) from error
    return dask


def assemble(
    made: Sequence[Any], counts: Sequence[int], systems: int, parts: Mapping[str, Beyond]
) -> dict[str, Any]:
    """Return arrays over systems and topics of what tasks make of blocks of topics.

    Parameters
    ----------
    made
        Delayed tasks, each of which gives a mapping of names to arrays.
    counts
        How many topics each of them is of.
    systems
        How many systems there are.
    parts
        The names, with the type of an array and its lengths beyond systems and topics.
    """
    da = need_dask().array
    return {
        name: da.concatenate(
            [
                da.from_delayed(one[name], (systems, topics, *beyond), dtype)
                for one, topics in zip(made, counts, strict=True)
            ],
            axis=1,
        )
        for name, (dtype, beyond) in parts.items()
    }


LARGE, BLOCK = 1 << 28, 1 << 24
"""Cells of a cube whose grades are worked out when they are wanted, and so many at a time."""


def blocks_of(systems: int, topics: int, depth: int, least: int = LARGE) -> tuple[int, ...] | None:
    """Return how many topics each block of a large cube has, None for one that is not.

    Examples
    --------
    >>> blocks_of(2, 5, 10), blocks_of(2, 5, BLOCK, least=1)
    (None, (1, 1, 1, 1, 1))
    """
    if systems * topics * depth < least or not topics:
        return None
    step = min(topics, max(1, BLOCK // max(1, systems * depth)))
    return tuple(min(step, topics - first) for first in range(0, topics, step))


def slices_of(chunks: Sequence[int]) -> list[slice]:
    """Return where chunks of some lengths are.

    Examples
    --------
    >>> slices_of((2, 3))
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(*ends) for ends in pairwise([0, *accumulate(chunks)])]


def topic_blocks(array: Any) -> list[tuple[slice, Any]]:
    """Return the topics and the delayed values of the blocks of a lazy array of rankings."""
    whole = array.rechunk({0: -1, 2: -1})
    return list(zip(slices_of(whole.chunks[1]), whole.to_delayed()[0, :, 0], strict=True))
