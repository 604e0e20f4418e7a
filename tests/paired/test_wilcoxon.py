"""Wilcoxon's signed-rank test: exact, rounded, of large scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import paired_tests as oracle
from scipy import stats

from irframe.errors import ParameterError
from irframe.paired import Wilcoxon

CUBES = st.tuples(st.integers(2, 4), st.integers(1, 8), st.integers(1, 2)).flatmap(
    lambda shape: arrays(
        float, shape, elements=st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])
    )
)


@given(scores=CUBES)
def test_exact_wilcoxon_enumerates_signs(scores):
    p = oracle.pairwise(lambda a, b: [oracle.wilcoxon_exact(a, b)], scores)
    np.testing.assert_allclose(Wilcoxon(exact=True).kernel(scores).p, p[0], rtol=1e-12)


def test_differences_are_rounded_to_decimals():
    scores = np.array([[0.26, 0.28, 0.0], [0.0, 0.0, 0.34]])[:, :, np.newaxis]
    assert Wilcoxon(decimals=1).kernel(scores).statistic.item() == 2  # ranks 2, 2 and -2
    assert Wilcoxon(decimals=2).kernel(scores).statistic.item() == 0  # ranks 1, 2 and -3
    assert Wilcoxon(decimals=0).kernel(scores).statistic.item() == 0


def test_wilcoxon_of_large_cost_scores():
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 100_000, (2, 40, 1)).astype(float)
    expected = stats.wilcoxon(*scores[:, :, 0], method="asymptotic", correction=False).pvalue
    assert Wilcoxon().kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)


def test_exact_wilcoxon_of_many_topics():
    scores = np.random.default_rng(9).random((2, 150, 1))
    scores[0] += 0.15
    expected = stats.wilcoxon(*scores[:, :, 0], method="exact").pvalue
    assert Wilcoxon(exact=True).kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)


def test_exact_needs_no_correction():
    with pytest.raises(ParameterError, match=r"exact=True\. Leave one"):
        Wilcoxon(correction=True, exact=True)


@pytest.mark.parametrize("decimals", [-1, 16, 2.5, "12", True])
def test_decimals_out_of_range(decimals):
    wanted = f"decimals, a whole number of at least 0 and at most 15; found {decimals!r}"
    with pytest.raises(ParameterError, match=wanted):
        Wilcoxon(decimals=decimals)
