"""Tests are values, found by name, and refuse options they cannot mean; what is significant."""

import numpy as np
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


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize("topics", [1, 2, 9])
def test_what_is_significant_is_what_has_a_p_value_below_alpha(name, topics):
    rng = np.random.default_rng(topics)
    scores = rng.integers(0, 6, (6, topics, 3)) / 5
    scores[1], scores[2] = scores[0], scores[0] + 0.2  # the same, and shifted
    samples = {"samples": 99} if hasattr(parse_test(name), "samples") else {}
    test = TESTS[name](**samples)
    found = test.kernel(scores)
    p = np.where(np.isfinite(found.statistic), found.p, np.nan)  # without spread
    for alpha in {0.05, *p[(p > 0) & (p < 1)][:5]}:
        for level in (alpha, np.nextafter(alpha, 1)):
            np.testing.assert_array_equal(test.significant(scores, alpha=level), p < level)


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


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("permutation", Permutation(samples=10_000, seed=0)),
        ("tukey", TukeyHSD(samples=10_000, seed=0)),
        ("bootstrap", Bootstrap(samples=1000, seed=0)),
        ("wilcoxon", Wilcoxon(correction=False, exact=False, decimals=12)),
        ("ranksum", RankSum(correction=True)),
    ],
)
def test_defaults(name, test):
    assert parse_test(name) == test


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
