"""Numbers of random pairs against the worked cases and counting."""

import pytest
from oracles import innate as oracle

from irframe.agreements.innate import random_separability
from irframe.errors import ParameterError


def test_random_pairs(golden):
    case = golden["001-counts"]
    names = {"equal": "equal", "separable": "separable", "nonseparable": "non-separable"}
    for k in case["input"]["ks"]:
        found, expected = random_separability(k), case["expected"][str(k)]
        for field, name in names.items():
            assert getattr(found, field) == int(expected[name])
        assert found.shares == pytest.approx(expected["fractions"], rel=1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_random_pairs_counted(k):
    assert tuple(random_separability(k)) == oracle.count_pairs(k)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_lengths_of_random_pairs_are_checked(k):
    with pytest.raises(ParameterError, match="at least 1"):
        random_separability(k)
