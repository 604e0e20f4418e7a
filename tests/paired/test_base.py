"""Tests are values, found by name, and refuse options they cannot mean."""

import pytest

import irframe.paired
from irframe.errors import ParameterError
from irframe.paired import (
    TESTS,
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    TukeyHSD,
    Wilcoxon,
    parse_test,
)

VALUES = [
    *(cls() for cls in TESTS.values()),
    Wilcoxon(correction=True),
    Wilcoxon(exact=True),
    RankSum(correction=False),
    Bootstrap(samples=10, seed=3),
    Permutation(samples=1),
    TukeyHSD(seed=4),
]


@pytest.mark.parametrize("name", TESTS)
def test_names(name):
    assert parse_test(name) == TESTS[name]()
    assert parse_test(name).name == name


@pytest.mark.parametrize("test", VALUES, ids=repr)
def test_values(test):
    assert parse_test(test) is test
    again = eval(repr(test), vars(irframe.paired))  # noqa: S307 - our own text
    assert again == test
    assert hash(again) == hash(test)
    with pytest.raises(AttributeError):
        test.samples = 5


@pytest.mark.parametrize("unknown", ["anova", "T", "", None, 5, PairedT])
def test_unknown_name_lists_what_there_is(unknown):
    with pytest.raises(ParameterError) as caught:
        parse_test(unknown)
    for name in TESTS:
        assert repr(name) in str(caught.value)
