"""Tests of registered names against their oracles."""

import inspect
from typing import get_args

import numpy as np
import pytest
from oracles import agreement, gains, paired_tests

from irframe.agreements.base import Agreement
from irframe.agreements.correlations import AGREEMENTS, AgreementName, parse_agreement
from irframe.comparing.corrections import parse_test
from irframe.gains import GAINS, Gain, GainMap, parse_gain
from irframe.paired import TESTS, PairedTest, TestName


def kinds(base):
    """Return the concrete subclasses of a class that irframe defines."""
    every = [base]
    for kind in every:
        every += kind.__subclasses__()
    return {
        kind
        for kind in every
        if kind.__module__.startswith("irframe.") and not inspect.isabstract(kind)
    }


@pytest.mark.parametrize(
    ("names", "registry", "oracles"),
    [
        (get_args(TestName), TESTS, paired_tests.ORACLES),
        (get_args(AgreementName), AGREEMENTS, agreement.ORACLES),
        (GAINS, GAINS, gains.ORACLES),
    ],
    ids=["paired tests", "agreements", "gains"],
)
def test_every_registered_name_has_an_oracle(names, registry, oracles):
    assert {*names} == registry.keys() == oracles.keys()


def test_every_class_is_registered():
    assert kinds(PairedTest) == {*TESTS.values()}
    assert len({test.title for test in TESTS.values()}) == len(TESTS)
    assert kinds(Agreement) == {type(measure) for measure in AGREEMENTS.values()}
    assert kinds(Gain) == {*GAINS.values(), GainMap}


@pytest.mark.parametrize("name", TESTS)
def test_paired_tests_equal_their_oracles(name):
    scores = np.random.default_rng(8).integers(0, 8, (4, 9, 2)) / 7
    samples = {"samples": 40} if hasattr(parse_test(name), "samples") else {}
    test = TESTS[name](**samples)
    for result, expected in zip(
        test.kernel(scores), paired_tests.ORACLES[name](test, scores), strict=True
    ):
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", AGREEMENTS)
def test_agreements_equal_their_oracles(name):
    x, y = np.random.default_rng(8).integers(0, 5, (2, 3, 6)) / 4
    expected = [[agreement.ORACLES[name](a, b) for b in y.tolist()] for a in x.tolist()]
    np.testing.assert_allclose(parse_agreement(name).kernel(x, y), expected, atol=1e-12)


@pytest.mark.parametrize("name", GAINS)
@pytest.mark.parametrize(("rel", "top"), [(1, 1), (1, 3), (2, 5)])
def test_gain_maps_equal_their_oracles(name, rel, top):
    grades = np.arange(-2, top + 1)
    expected = [gains.ORACLES[name](grade, rel, top) for grade in grades.tolist()]
    np.testing.assert_allclose(parse_gain(name).map(grades, rel=rel, top=top), expected, rtol=1e-15)
