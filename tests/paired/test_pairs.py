"""Which pairs there are."""

import pytest

from irframe.errors import ParameterError
from irframe.paired import all_pairs, baseline_pairs


def test_all_pairs():
    for systems in range(6):
        wanted = [[a, b] for a in range(systems) for b in range(a + 1, systems)]
        assert all_pairs(systems).tolist() == wanted
        assert all_pairs(systems).shape == (len(wanted), 2)


@pytest.mark.parametrize("baseline", [0, 1, 2])
def test_baseline_is_b_of_every_pair(baseline):
    others = [system for system in range(3) if system != baseline]
    assert baseline_pairs(3, baseline).tolist() == [[other, baseline] for other in others]


@pytest.mark.parametrize("baseline", [-1, 3, 0.5, None])
def test_baseline_out_of_range(baseline):
    wanted = f"baseline, a whole number of at least 0 and at most 2; found {baseline!r}"
    with pytest.raises(ParameterError, match=wanted):
        baseline_pairs(3, baseline)
