"""Work by dask: what it is asked to do, whether its workers can do it, and how far it is."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any

from irframe.cubes.stored.folder import Folder
from irframe.errors import InputError, StoreError
from irframe.names import VERSION

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


def work(tasks: Iterable[Any], *, progress: bool = False) -> list[Any]:
    """Do delayed tasks with whatever scheduler dask uses.

    Parameters
    ----------
    tasks
        Delayed tasks.
    progress
        Whether to show dask's progress bar.

    Returns
    -------
    list
        Their results.
    """
    with _shown(progress=progress):
        return list(need_dask().compute(*tasks))


def all_sound(folder: Folder, files: Mapping[str, str]) -> bool:
    """Read files, some at a time, and return whether they are as they were written.

    Parameters
    ----------
    folder
        Where they are.
    files
        Their names and checksums.
    """
    check, listed = need_dask().delayed(_are_sound), list(files.items())
    parts = [listed[first : first + 100] for first in range(0, len(listed), 100)]
    return all(work([check(folder, part) for part in parts]))


def _are_sound(folder: Folder, files: Iterable[tuple[str, str]]) -> bool:
    try:
        for name, checksum in files:
            folder.get(name, checksum)
    except StoreError:
        return False
    return True


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


@contextmanager
def _shown(*, progress: bool) -> Iterator[None]:
    if not progress:
        yield
        return
    diagnostics: Any = import_module("dask.diagnostics")
    with diagnostics.ProgressBar():
        yield


def refuse_workers_without() -> None:
    """Raise if a cluster is to do the work whose workers lack this version of irframe."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    try:
        client = distributed.get_client()
    except ValueError:
        return
    found = client.run(_version)
    others = [f"{worker} has {each}" for worker, each in found.items() if each != VERSION]
    if others:
        raise StoreError(f"workers with irframe {VERSION}", "", "install it there", others)


def _version() -> str:
    from importlib import import_module  # noqa: PLC0415 - runs on a worker

    try:
        return str(import_module("irframe").__version__)
    except ImportError:
        return "none"


# Sent to workers as it is: there they need not have this module.
_version.__module__ = "__main__"
