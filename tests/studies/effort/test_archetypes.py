"""Shares of the kinds of curves."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.studies.effort import ARCHETYPES


def test_archetypes_by_group():
    cube = ir.cube(*ir.example_track())
    data = cube.ireval.misplacement()
    table = data.ireval.archetypes(by="team")
    assert table["team"].to_list() == ["terms", "vectors", "expansion", "rerankers"]
    assert (table["total"] == 32).all()
    np.testing.assert_allclose(table[list(ARCHETYPES)].sum(axis=1), 1)
    with pytest.raises(ParameterError, match="team"):
        data.ireval.archetypes(by="track")
    with pytest.raises(InputError, match="misplacement returned"):
        ir.verbs.archetypes(cube)
