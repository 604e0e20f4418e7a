"""Innate orderings agree with Algorithm 1, worked cases and counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import innate as oracle
from refusals import refused

from irframe.agreements import innate
from irframe.agreements.innate import (
    LABELS,
    compare_rankings,
    count_labels,
    integer_gains,
    label_depths,
    random_separability,
)
from irframe.errors import MetricError, ParameterError

FOUR = {code: name[:2] for code, name in LABELS.items()}
"""Mapping from the code of a label to its first two characters, which are ``**`` for all
non-separable pairs."""


def codes(first, second):
    depth = max(len(first), len(second), 1)
    rows = [[g or 0 for g in serp] + [0] * (depth - len(serp)) for serp in (first, second)]
    levels = sorted({gain for row in rows for gain in row})
    scaled = dict(zip(levels, integer_gains(levels), strict=True))
    gains = np.array([[[scaled[gain] for gain in row]] for row in rows])
    return label_depths(compare_rankings(gains, np.array([[0, 1]])), depth)[0, 0].tolist()


def test_labels_of_examples_in_the_paper(golden):
    case = golden["001-text-examples"]
    last = [codes(*pair)[-1] for pair in case["input"]["pairs"]]
    assert [FOUR[code] for code in last] == case["expected"]["labels"]
    assert [LABELS[code] for code in last] == case["expected"]["groups"]


def test_labels_change_with_depth(golden):
    case = golden["001-figure4"]
    result = codes(case["input"]["S1"], case["input"]["S2"])
    assert [FOUR[code] for code in result] == case["expected"]["labels"]
    assert LABELS[result[-1]] == case["expected"]["group"]


def test_labels_of_graded_gains_agree_with_the_worked_case(golden):
    case = golden["001-graded"]
    serps, expected = case["input"], case["expected"]
    for pair in ("S1-S2", "S1-S3", "S2-S3"):
        first, second = pair.split("-")
        assert FOUR[codes(serps[first], serps[second])[-1]] == expected[pair]
    depths = codes(serps["S1"], serps["S3"])
    assert [FOUR[code] for code in depths] == expected["depths S1-S3"]


def test_equal_sums_of_gains_are_compared_without_rounding_errors():
    assert codes([0.1, 0.2], [0.3, 0]) == [-1, -1]
    assert codes([0.3, 0], [0.1, 0.2]) == [1, 1]
    assert codes([1 / 3, 1 / 3, 1 / 3], [1, 0, 0]) == [-1, -1, -1]


@given(
    st.integers(1, 9).flatmap(
        lambda depth: st.lists(
            st.lists(st.sampled_from([0, 0.2, 0.5, 1]), min_size=depth, max_size=depth),
            min_size=2,
            max_size=4,
        )
    )
)
def test_labels_at_every_depth_agree_with_algorithm_1(serps):
    gains = np.array([[[round(10 * gain) for gain in serp]] for serp in serps])
    first, second = np.indices((len(serps),) * 2).reshape(2, -1)
    transitions = compare_rankings(gains, np.stack([first, second], axis=1))
    labels = label_depths(transitions, gains.shape[-1])[:, 0]
    for a, b, row in zip(first, second, labels, strict=True):
        assert [FOUR[code] for code in row.tolist()] == oracle.by_depth(serps[a], serps[b])
        assert LABELS[row[-1]] == oracle.group(serps[a], serps[b])
    np.testing.assert_array_equal(
        labels.reshape(len(serps), len(serps), -1),
        -labels.reshape(len(serps), len(serps), -1).swapaxes(0, 1),
    )


def test_transitions_mark_changes_of_labels():
    rng = np.random.default_rng(4)
    gains = rng.integers(0, 2, size=(12, 3, 4))
    gains[1] = gains[0]
    actual = compare_rankings(gains, np.stack(np.triu_indices(12, 1), axis=1))
    labels = label_depths(actual, 4).reshape(-1, 4)
    assert {0, 1, 2} <= set(abs(labels[:, -1]).tolist())
    for row, *transitions in zip(
        labels.tolist(), *(values.ravel() for values in actual), strict=True
    ):
        decided = next((rank for rank, code in enumerate(row, 1) if code), 0)
        split = next((rank for rank, code in enumerate(row, 1) if abs(code) == 2), 0)
        assert transitions == [np.sign(row[decided - 1]) if decided else 0, decided, split]


@pytest.mark.parametrize("depth", [254, 255, 256])
def test_labels_of_more_than_255_depths(depth):
    gains = np.zeros((3, 1, depth), int)
    gains[2, 0, -1] = 1
    transitions = compare_rankings(gains, np.array([[0, 1], [2, 0]]))
    labels = label_depths(transitions, depth).reshape(2, depth)
    assert not labels[0].any()
    assert labels[1].tolist() == [0] * (depth - 1) + [1]


def test_counts_equal_the_numbers_of_labels(monkeypatch):
    rng = np.random.default_rng(2)
    gains = rng.integers(0, 3, size=(7, 11, 13))
    pairs = np.stack(np.triu_indices(7, 1), axis=1)
    transitions = compare_rankings(gains, pairs)
    labels = label_depths(transitions, 13)
    expected = np.stack([(labels == code).sum(axis=1) for code in LABELS], axis=-1)
    np.testing.assert_array_equal(count_labels(transitions, 13), expected)
    monkeypatch.setattr(innate, "BLOCK", 300)
    for forward, backward in zip(compare_rankings(gains, pairs), transitions, strict=True):
        np.testing.assert_array_equal(forward, backward)


@pytest.mark.parametrize("scale", [1, 100, 10**4, 10**9, 10**15])
def test_scaled_gains_have_the_same_order(scale):
    gains = np.random.default_rng(3).integers(0, 4, size=(5, 6, 40))
    pairs = np.stack(np.triu_indices(5, 1), axis=1)
    for plain, scaled_gains in zip(
        compare_rankings(gains, pairs), compare_rankings(scale * gains, pairs), strict=True
    ):
        np.testing.assert_array_equal(plain, scaled_gains)


def test_sums_beyond_64_bits_are_refused():
    with pytest.raises(MetricError, match="summed exactly"):
        compare_rankings(np.full((2, 1, 10), 2**61), np.array([[0, 1]]))


def test_integer_gains_keep_proportions():
    assert integer_gains([]) == []
    assert integer_gains([0, 0.2, 0.8, 1]) == [0, 1, 4, 5]
    assert integer_gains([0.1234567891]) == [1234567891]
    assert integer_gains([3 / 8, 1 / 3]) == [9, 8]


def test_random_separability_of_worked_cases(golden):
    case = golden["001-counts"]
    names = {"equal": "equal", "separable": "separable", "nonseparable": "non-separable"}
    for k in case["input"]["ks"]:
        result, expected = random_separability(k), case["expected"][str(k)]
        for field, name in names.items():
            assert getattr(result, field) == int(expected[name])
        assert result.shares == pytest.approx(expected["fractions"], rel=1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_random_separability_agrees_with_enumeration(k):
    assert tuple(random_separability(k)) == oracle.count_pairs(k)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_invalid_lengths_of_random_pairs_are_refused(k):
    refused(ParameterError, "at least 1", lambda: random_separability(k))
