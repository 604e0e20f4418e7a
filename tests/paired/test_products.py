"""Matrix products in pieces."""

import numpy as np
import pytest

from irframe.paired import pairs
from irframe.paired.pairs import gram, product


@pytest.fixture(params=[1, 100, 2**18])
def pieces(request, monkeypatch):
    """Products in pieces of every size."""
    monkeypatch.setattr(pairs, "UNTHREADED", request.param)
    monkeypatch.setattr(pairs, "NARROWEST", 3 if request.param < 2**18 else 16)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 5, 7), (3, 4, 40), (0, 3, 5)])
def test_inner_products_of_all_rows(shape):
    block = np.random.default_rng(0).normal(size=shape)
    expected = np.einsum("dst,dut->dsu", block, block)
    np.testing.assert_allclose(gram(block), expected, atol=1e-12)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
@pytest.mark.parametrize("columns", [0, 1, 7, 33])
def test_rows_times_columns(lead, columns):
    random = np.random.default_rng(1)
    rows, right = random.normal(size=(*lead, 6)), random.normal(size=(6, columns))
    found = product(rows, right)
    assert found.shape == (*lead, columns)
    np.testing.assert_allclose(found, rows @ right, atol=1e-12)
