"""Costs are told from gains by every name of their metric."""

import numpy as np

from irframe.plots.best_systems import EDGES, _count


def test_an_alias_of_a_cost_is_a_cost():
    lengths = np.array([1.0, 20.0, 400.0])
    for name in ("ASL", "AtomizedSearchLength", "AtomizedSearchLength(first=10)@20"):
        assert _count(lengths, name).nonzero()[0].tolist() == [0, 10, len(EDGES) - 2]
    assert _count(lengths, "my own gain")[0] == 3
