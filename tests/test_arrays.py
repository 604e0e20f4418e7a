"""Tests of `in_threads` and `tiles`."""

import threading

import numpy as np
import pytest

from irframe import arrays
from irframe.arrays import in_threads, tiles


@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_threads_return_results_in_the_order_of_the_items(number):
    assert in_threads(lambda item: item * 2, range(number)) == [*range(0, 2 * number, 2)]


def test_several_items_are_computed_in_threads_and_one_item_is_not():
    both = threading.Barrier(2, timeout=20)
    in_threads(lambda _: both.wait(), range(2), 2)
    assert in_threads(lambda _: threading.current_thread(), [0]) == [threading.current_thread()]


def test_an_error_in_a_thread_is_raised():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda item: 1 // item, [1, 0, 2], 2)


@pytest.mark.parametrize("cells", [1, 7, 50, 10_000])
def test_tiles_cover_every_list_once(cells, monkeypatch):
    monkeypatch.setattr(arrays, "BLOCK", cells)
    for systems, topics, ranks in [(3, 5, 7), (1, 1, 1), (4, 1, 100), (1, 9, 20), (2, 3, 0)]:
        times = np.zeros((systems, topics), int)
        for tile in tiles(systems, topics, ranks):
            times[tile] += 1
            assert times[tile].size * ranks <= max(cells, ranks)
        assert (times == 1).all()
