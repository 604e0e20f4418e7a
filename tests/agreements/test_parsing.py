"""Methods by name."""

import pytest

from irframe import agreements
from irframe.agreements import AGREEMENTS, RBO, RMSE, Kendall, TauAP, parse_agreement
from irframe.errors import ParameterError


@pytest.mark.parametrize("name", AGREEMENTS)
def test_every_name_stands_for_a_value_that_reads_back(name):
    method = parse_agreement(name)
    assert parse_agreement(method) is method
    assert eval(repr(method), vars(agreements)) == method  # noqa: S307 - a repr of ours
    assert hash(method) == hash(parse_agreement(name))


def test_names():
    assert parse_agreement("kendall") == parse_agreement("tau_b") == Kendall(variant="b")
    assert parse_agreement("tau_a") == Kendall(variant="a")
    assert parse_agreement("tau_ap") == TauAP(symmetric=False)
    assert parse_agreement("tau_ap_b") == TauAP(ties="b")
    assert parse_agreement("rbo") == RBO(p=0.9, ties="w")
    assert parse_agreement("rbo_a") == RBO(ties="a")
    assert parse_agreement("rbo_b") == RBO(ties="b")
    assert parse_agreement("rmse") == RMSE()
    assert RMSE.distance


@pytest.mark.parametrize("unknown", ["tau", "RBO", "", None, 3, Kendall, ["kendall"]])
def test_unknown_method_lists_what_there_is(unknown):
    with pytest.raises(ParameterError, match="one of '") as caught:
        parse_agreement(unknown)
    assert all(repr(name) in str(caught.value) for name in AGREEMENTS)


def test_public_names_are_sorted_and_there():
    names = agreements.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert all(hasattr(agreements, name) for name in names)
