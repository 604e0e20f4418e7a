"""Shares of pairs of rankings that leave a metric no choice."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import ParameterError


def test_separability():
    cube = ir.cube(*ir.example_track())
    shares = cube.ireval.separability(depth=20)
    label = cube.ireval.orderings(depth=20, labels=True)["label"].to_numpy()
    expected = [
        [(abs(label) == code).mean(axis=(0, 1)) for code in (0, 1, 2)][row] for row in range(3)
    ]
    np.testing.assert_allclose(shares, expected, atol=1e-12)
    assert shares["outcome"].to_numpy().tolist() == ["equal", "separable", "non-separable"]


def test_one_system_is_refused():
    with pytest.raises(ParameterError, match="two systems"):
        ir.verbs.separability(ir.cube(*ir.example_track()).isel(system=[0]))
