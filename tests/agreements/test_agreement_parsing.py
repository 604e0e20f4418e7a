"""Names of methods, and values refused."""

from importlib import import_module

import numpy as np
import pytest

from irframe.agreements import AGREEMENTS, RBO, RMSE, Kendall, TauAP, parse_agreement
from irframe.errors import ParameterError

agreement = import_module("irframe.agreement")


@pytest.mark.parametrize("name", AGREEMENTS)
def test_every_name_stands_for_a_value_that_reads_back(name):
    method = parse_agreement(name)
    assert parse_agreement(method) is method
    assert eval(repr(method), vars(agreement)) == method  # noqa: S307 - a repr of ours
    assert hash(method) == hash(parse_agreement(name))


def test_names():
    assert parse_agreement("kendall") == parse_agreement("tau_b") == Kendall(variant="b")
    assert parse_agreement("tau_a") == Kendall(variant="a")
    assert parse_agreement("tau_ap") == TauAP(symmetric=False)
    assert parse_agreement("rbo") == RBO(p=0.9)
    assert [name for name in AGREEMENTS if AGREEMENTS[name].distance] == ["rmse"]
    assert parse_agreement("rmse") == RMSE()


@pytest.mark.parametrize("unknown", ["tau", "RBO", "", None, 3, Kendall, ["kendall"]])
def test_unknown_method_lists_what_there_is(unknown):
    with pytest.raises(ParameterError, match="one of 'kendall', 'pearson', 'rbo'") as caught:
        parse_agreement(unknown)
    assert all(repr(name) in str(caught.value) for name in AGREEMENTS)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, np.nan, "0.9", None, True])
def test_rbo_refuses_p_out_of_range(p):
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        RBO(p=p)


def test_other_parameters_out_of_range():
    with pytest.raises(ParameterError, match="variant to be 'a' or 'b'; found 'c'"):
        Kendall(variant="c")
    with pytest.raises(ParameterError, match="True or False; found 'yes'"):
        TauAP(symmetric="yes")


def test_public_names_are_sorted_and_there():
    names = agreement.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert all(hasattr(agreement, name) for name in names)
