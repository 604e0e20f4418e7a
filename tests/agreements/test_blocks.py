"""Blocks hold all the work once, however small they are."""

import numpy as np
import pytest

from irframe.agreements import base


@pytest.mark.parametrize("systems", [0, 1, 2, 3, 17, 300])
@pytest.mark.parametrize("budget", [4, 40, 2**25])
def test_blocks_hold_every_pair_once(systems, budget, monkeypatch):
    monkeypatch.setattr(base, "PAIR_BYTES", budget * max(1, systems))
    found = [
        pair
        for first, second in base.pair_blocks(systems, 4)
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert sorted(found) == [(a, b) for a in range(systems) for b in range(a + 1, systems)]


@pytest.mark.parametrize(("row_bytes", "pairs"), [(4, 64), (0, 64), (16, 16), (100, 2), (1000, 1)])
def test_a_block_of_pairs_fits(row_bytes, pairs, monkeypatch):
    monkeypatch.setattr(base, "PAIR_BYTES", 256)
    sizes = [len(first) for first, _ in base.pair_blocks(13, row_bytes)]
    assert max(sizes) == min(sizes[:-1]) == pairs
    assert sum(sizes) == 13 * 12 // 2


@pytest.mark.parametrize(("bytes_", "rows"), [(1, 1), (8 * 2 * 3 * 4, 1), (16 * 2 * 3 * 4, 2)])
def test_a_block_of_rows_fits(bytes_, rows, monkeypatch):
    monkeypatch.setattr(base, "ROW_BYTES", bytes_)
    seen = []

    def reduce(x, y):
        seen.append(np.broadcast_shapes(x.shape, y.shape))
        return (x * y).sum(axis=-1)

    x, y = np.random.default_rng(0).random((2, 5, 4)), np.ones((3, 4))
    np.testing.assert_allclose(base.over_rows(x, y, reduce), x @ y.T)
    assert {shape[1] for shape in seen[:-1]} == {rows}
    assert sum(shape[1] for shape in seen) == 5


def test_signs():
    keys = np.array([[3.0, 1.0, 3.0]], dtype=np.float32)
    found = base.signs(keys, np.array([0, 0, 1]), np.array([1, 2, 2]))
    assert found.tolist() == [[1, 0, -1]]
    assert found.dtype == np.float32
