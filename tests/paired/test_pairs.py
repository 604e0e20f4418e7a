"""Tests of pairs, products, ranks, and random draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refused
from scipy.stats import rankdata

from irframe.errors import ParameterError
from irframe.paired import (
    Bootstrap,
    Permutation,
    TukeyHSD,
    all_pairs,
    baseline_pairs,
    describe_differences,
    pairs,
)
from irframe.paired.pairs import MANY, draw_signs, draw_topics, marked_ranks, product, products


def test_all_pairs_are_in_lexicographic_order():
    for systems in range(6):
        expected = [[a, b] for a in range(systems) for b in range(a + 1, systems)]
        assert all_pairs(systems).tolist() == expected
        assert all_pairs(systems).shape == (len(expected), 2)


def test_the_baseline_is_the_second_system_of_every_pair():
    assert [baseline_pairs(3, index).tolist() for index in range(3)] == [
        [[system, index] for system in range(3) if system != index] for index in range(3)
    ]
    for index in (-1, 3, 0.5, None):
        expected = f"baseline to be a whole number of at least 0 and at most 2, but found {index!r}"
        refused(ParameterError, expected, baseline_pairs, 3, index)


@pytest.mark.parametrize(
    ("shape", "pairs", "pattern"),
    [
        *((shape, None, r"\(system, topic, depth\)") for shape in ((3, 4), (3, 0, 2), (3,))),
        ((3, 2, 1), [0, 1], r"shape \(pair, 2\)"),
        ((3, 2, 1), [[0, 1], [0, 3], [-1, 0]], r"from 0 to 2.*\[0, 3\], \[-1, 0\]"),
    ],
)
def test_invalid_shapes_of_scores_and_pairs_are_refused(shape, pairs, pattern):
    options = None if pairs is None else np.array(pairs)
    refused(ParameterError, pattern, describe_differences, np.zeros(shape), options)
    assert describe_differences(np.zeros((3, 2, 0))).mean.shape == (3, 0)


@pytest.fixture(params=[1, 100, 2**18])
def pieces(request, monkeypatch):
    """Set the number of multiplications per matrix product."""
    monkeypatch.setattr(pairs, "UNTHREADED", request.param)
    monkeypatch.setattr(pairs, "NARROWEST", 3 if request.param < 2**18 else 16)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 5, 7), (3, 4, 40), (0, 3, 5)])
def test_inner_products_of_all_pairs_equal_a_gram_matrix(shape):
    block = np.random.default_rng(0).normal(size=shape)
    expected = np.einsum("dst,dut->dsu", block, block)
    a, b = all_pairs(shape[1]).T
    squares, cross = products(block, all_pairs(shape[1]))
    np.testing.assert_allclose(squares, np.diagonal(expected, 0, 1, 2), atol=1e-12)
    np.testing.assert_allclose(cross, expected[:, a, b], atol=1e-12)


@pytest.mark.parametrize("systems", [3, MANY + 1])
def test_inner_products_of_few_pairs_equal_sums_over_topics(systems):
    block = np.random.default_rng(0).normal(size=(2, systems, 4))
    few = np.array([[0, 2], [2, systems - 1], [1, 1]])
    squares, cross = products(block, few)
    np.testing.assert_allclose(squares, (block**2).sum(axis=-1), atol=1e-12)
    np.testing.assert_allclose(cross, (block[:, few[:, 0]] * block[:, few[:, 1]]).sum(axis=-1))


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
@pytest.mark.parametrize("columns", [0, 1, 7, 33])
def test_product_equals_one_matrix_product(lead, columns):
    random = np.random.default_rng(1)
    rows, right = random.normal(size=(*lead, 6)), random.normal(size=(6, columns))
    result = product(rows, right)
    assert result.shape == (*lead, columns)
    np.testing.assert_allclose(result, rows @ right, atol=1e-12)


@given(data=st.data(), rows=st.integers(1, 4), length=st.integers(1, 12))
def test_rank_sums_of_marked_values_equal_those_of_scipy(data, rows, length):
    values = data.draw(arrays(np.uint32, (rows, length), elements=st.integers(0, 5)))
    marks = data.draw(arrays(np.bool_, (rows, length)))
    rank_sum, cubes = marked_ranks(2 * values + marks.astype(np.uint32))
    assert rank_sum.tolist() == (rankdata(values, axis=-1) * marks).sum(axis=-1).tolist()
    sizes = [np.unique(row, return_counts=True)[1] for row in values]
    assert cubes.tolist() == [float((size**3 - size).sum()) for size in sizes]


def test_marked_ranks_keep_leading_dimensions():
    keys = np.random.default_rng(0).integers(0, 9, size=(2, 3, 8)).astype(np.uint64)
    rank_sum, cubes = marked_ranks(keys.copy())
    assert rank_sum.shape == cubes.shape == (2, 3)
    alone, _ = marked_ranks(keys[1, 2].copy()[np.newaxis])
    assert rank_sum[1, 2] == alone[0]


SCORES = np.array([[[0.1], [0.2], [0.4]], [[0.3], [0.1], [0.2]]])


@pytest.mark.parametrize(
    ("ask", "size"),
    [
        (lambda n: Bootstrap(samples=n).kernel(SCORES), 96),
        (lambda n: Permutation(samples=n).kernel(SCORES), 6),
        (lambda n: TukeyHSD(samples=n).kernel(SCORES), 32),
        (lambda n: draw_topics(5, samples=n, seed=0), 160),
        (lambda n: draw_signs(5, samples=n, seed=0), 10),
    ],
)
def test_too_many_draws_are_refused_before_allocation(ask, size):
    refused(
        ParameterError,
        rf"at most 4 GiB of memory, but .* \({size:,},000,000,000 b",
        ask,
        10**9,
    )
    ask(9)
