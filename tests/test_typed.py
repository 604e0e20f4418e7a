"""Tests that type stubs equal the signatures."""

import runpy
from functools import cache
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import get_args, get_overloads

import pytest
from pandas import DataFrame
from refusals import refused
from xarray import DataArray, Dataset

import irframe as ir
from irframe.agreements.correlations import AGREEMENTS, AgreementName
from irframe.kinds import verbs
from irframe.paired import TESTS, TestName
from irframe.typed import ireval

ROOT = Path(__file__).resolve().parents[1]


@cache
def stub():
    """Return the functions and types in the generated stub."""
    text = runpy.run_path(str(ROOT / ".ci" / "typed_stub.py"))["stub"]()
    defined = {"__name__": "stub"}
    exec(text.replace("type_check_only", "final"), defined)  # noqa: S102 - which checkers alone have
    return defined


def arguments(function):
    """Return the parameters of a function called as a method."""
    every = signature(function).parameters.values()
    return [(param.name, param.kind, param.default) for param in every][1:]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "home", ["irframe.verbs", pytest.param("irframe.plots", marks=pytest.mark.thorough)]
)
def test_the_stub_equals_the_signatures(home):
    defined = stub()
    for kind, type_ in {"Frame": DataFrame, "Cube": Dataset, "Scores": DataArray}.items():
        functions = {name: f for name, (f, kinds) in verbs(home).items() if type_ in kinds}
        stated = defined[kind + ("Verbs" if home == "irframe.verbs" else "Figures")]
        assert {name for name in vars(stated) if name[0] != "_"} - {"plot"} == functions.keys()
        for name, function in functions.items():
            ways = [arguments(overload) for overload in get_overloads(function) or [function]]
            named = SimpleNamespace(__module__="stub", __qualname__=f"{stated.__name__}.{name}")
            for overload in get_overloads(named) or [getattr(stated, name)]:
                assert arguments(overload) in ways


def test_literal_types_list_all_values():
    assert set(get_args(TestName)) == TESTS.keys()
    assert set(get_args(AgreementName)) == AGREEMENTS.keys()


def test_verbs_of_the_package_are_typed():
    runs, qrels = ir.example_track()
    assert (
        ireval(ireval(runs).cube(qrels))
        .score("AP")
        .equals(ir.verbs.score(ir.cube(runs, qrels), "AP"))
    )
    refused(AttributeError, "did you mean evaluate", lambda: ireval(runs).evalute(qrels, "AP"))
