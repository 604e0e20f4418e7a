"""The recall bases of a cube: the judged documents of all topics, one topic after the other.

A topic's documents are those from ``judged_start`` on, ``judged_count`` of them, and the place of
a document among them is what ``doc`` and ``filed`` of a cube hold. So a topic with many judgments
costs what it has and no more, and a cube of which topics are selected still finds theirs. Rows of
one width would be selected by xarray alone; they take 1.3 to 2.1 times the room on collections of
TREC, and without bound where one topic of thousands has all of its documents judged.
"""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import JUDGED, PARTS, SOMETIMES
from irframe.errors import InputError
from irframe.files.ids import Codes, rows_of_ranges

ALONG = tuple(name for name, part in PARTS.items() if part.dims == (JUDGED,))
"""What every cube knows of every judged document."""


def along(cube: xr.Dataset) -> list[str]:
    """Return the coordinates that say what a cube knows of every judged document.

    Examples
    --------
    >>> import irframe as ir
    >>> along(ir.cube(*ir.example_track()))
    ['judged_doc', 'judged_grade', 'pool_rank']
    """
    return [*ALONG, *(name for name in SOMETIMES if name in cube.variables)]


def starts(count: Codes) -> NDArray[np.int64]:
    """Return where each topic's documents begin, given how many each has.

    Examples
    --------
    >>> starts(np.array([2, 0, 3]))
    array([0, 2, 2])
    """
    total = np.asarray(count, np.int64)
    return np.asarray(np.cumsum(total) - total)


def topic_of(cube: xr.Dataset) -> Codes:
    """Return the topic, by its place in the cube, of every judged document.

    Of a cube of which topics were selected and that did not pass `gather`, -1 for the others'.

    Examples
    --------
    >>> import irframe as ir
    >>> topic_of(ir.cube(*ir.example_track()))[-3:]
    array([15, 15, 15])
    """
    count = cube["judged_count"].to_numpy()
    topic = np.full(cube.sizes[JUDGED], -1)
    topic[_rows(cube)] = np.repeat(np.arange(len(count)), count)
    return topic


def count_by_topic(cube: xr.Dataset, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the judged documents of every topic that are chosen.

    Parameters
    ----------
    cube
        A cube.
    chosen
        Which judged documents, shape (judged,).

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> count_by_topic(cube, cube.judged_grade.to_numpy() >= 1)[:4]
    array([15, 10,  7,  8])
    """
    kept = topic_of(cube)[chosen]
    return np.asarray(np.bincount(1 + kept, minlength=1 + cube["judged_count"].size)[1:], np.int64)


def gather(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube whose judged documents are those of its topics, in their order.

    Raises
    ------
    InputError
        If it has lost documents of a topic, or topics have the same ones.
    """
    count, start = (cube.variables[name].to_numpy() for name in ("judged_count", "judged_start"))
    size, first = cube.sizes[JUDGED], starts(count)
    if count.sum() == size and (start == first).all():
        return cube
    beyond = (start < 0) | (count < 0) | (start + count > size)
    if beyond.any():
        topics = cube["topic"].to_numpy()[beyond]
        raise InputError("a cube with all judged documents", "fewer of topics", "", topics)
    _refuse_shared(cube, start, count)
    rows = _rows(cube)
    facts: dict[str, Any] = {name: cube.variables[name][rows] for name in along(cube)}
    facts["judged_start"] = cube.variables["judged_start"].copy(data=first)
    return cube.drop_vars(along(cube)).assign_coords(facts)


def _refuse_shared(cube: xr.Dataset, start: NDArray[Any], count: NDArray[Any]) -> None:
    """Raise if topics have the same documents, as where cubes were put together by hand."""
    some = np.flatnonzero(count)
    order = some[np.argsort(start[some], kind="stable")]
    shared = order[1:][(start + count)[order[:-1]] > start[order[1:]]]
    if len(shared):
        advice = "put cubes together with irframe.concat"
        found = f"{len(shared)} topics with the documents of another one"
        topics = cube["topic"].to_numpy()[np.sort(shared)]
        raise InputError("a cube with judgments of its own for every topic", found, advice, topics)


def _rows(cube: xr.Dataset) -> Codes:
    """Return where the documents of a cube's topics stand, topic by topic."""
    start, count = (cube.variables[name].to_numpy() for name in ("judged_start", "judged_count"))
    return rows_of_ranges(start, count)
