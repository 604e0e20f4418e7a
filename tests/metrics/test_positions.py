"""Where curves cross zero."""

from itertools import pairwise, product

import numpy as np
import pytest

from irframe.metrics.positions import crosses, first_crossing

CURVES = np.array(list(product(range(-2, 3), repeat=3)))


def crossed(here, then, crossing):
    """Say in words whether a curve crosses 0 from one rank to the next."""
    if crossing == "matters":
        return (here > 0 and not then > 0) or (then > 0 and not here > 0)
    if crossing == "sign_change":
        return here != 0 and here * then <= 0
    return here * then <= 0


@pytest.mark.parametrize("crossing", ["sign_change", "definition", "matters"])
def test_curves_cross_zero_by_each_rule(crossing):
    found = crosses(CURVES, crossing)
    expected = [[crossed(a, b, crossing) for a, b in pairwise(curve)] for curve in CURVES.tolist()]
    assert found.tolist() == expected
    first = [1 + steps.index(True) if any(steps) else np.inf for steps in expected]
    assert first_crossing(found)[:, 0].tolist() == first
