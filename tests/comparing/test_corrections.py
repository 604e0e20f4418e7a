"""Corrections of p-values against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from irframe.comparing.corrections import CORRECTIONS, FAMILIES, adjust_p, refuse_correction
from irframe.errors import ParameterError

ps = st.lists(st.floats(1e-9, 1), min_size=1, max_size=8)


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_every_correction_is_that_of_statsmodels_in_every_family(adjust):
    random = np.random.default_rng(3)
    p = np.round(random.random((3, 4, 7)) ** 4, 3)  # some tie
    p[0, 0, 2], p[0, 1, 3], p[1, 2] = 0, 1, 0.01
    with np.errstate(divide="ignore"):
        wanted = [multipletests(row, 0.05, adjust)[1] for row in p.reshape(-1, 7)]
    (found,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(found, np.reshape(wanted, p.shape))
    assert adjust_p([p[:1, :1, :1]], adjust, family="all", alpha=0.05)[0] == p[0, 0, 0]


@pytest.mark.parametrize("adjust", CORRECTIONS)
@given(p=ps, data=st.data())
def test_corrected_values_are_in_order_and_no_smaller(adjust, p, data):
    shuffle = data.draw(st.permutations(range(len(p))))
    (found,) = adjust_p([np.array([[p]])], adjust, family="all", alpha=0.05)
    (again,) = adjust_p([np.array([[p]])[..., shuffle]], adjust, family="all", alpha=0.05)
    np.testing.assert_allclose(again, found[..., shuffle])
    sortable = found[0, 0][np.argsort(p, kind="stable")]
    assert (np.diff(sortable) >= -1e-12).all()
    if not adjust.startswith("fdr_ts"):
        assert (found[0, 0] >= np.array(p) - 1e-12).all()
    assert (found <= 1).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_corrected_together(family):
    random = np.random.default_rng(0)
    groups = [random.random((2, 3, 4)) / 50, random.random((2, 1, 5)) / 50]
    sizes = {
        "depth": [group.shape[2] for group in groups],
        "metric": [group[0].size for group in groups],
        "all": [sum(group.size for group in groups)] * 2,
    }[family]
    found = adjust_p(groups, "bonferroni", family=family, alpha=0.05)
    for p, adjusted, size in zip(groups, found, sizes, strict=True):
        np.testing.assert_allclose(adjusted, np.minimum(1, p * size))


def test_without_a_correction_there_is_a_copy():
    p = np.array([[[0.5, 0.1]]])
    (found,) = adjust_p([p], None, family="depth", alpha=0.05)
    assert (found == p).all()
    assert not np.shares_memory(found, p)


def test_words_that_are_none():
    words = "adjust, one of 10 words; found 'bonf' .in irframe: 'bonferroni'.. It may be one of 'b"
    with pytest.raises(ParameterError, match=words):
        refuse_correction("bonf", "depth")
    with pytest.raises(ParameterError, match="family to be one of 'depth', 'metric', 'all'"):
        refuse_correction("holm", "pair")
    refuse_correction(None, "all")


@pytest.mark.parametrize("adjust", CORRECTIONS)
def test_what_has_no_p_value_counts_as_a_comparison_that_shows_nothing(adjust):
    p = np.array([[[0.01, np.nan, 0.002, 0.3, np.nan]]])
    (found,) = adjust_p([p], adjust, family="depth", alpha=0.05)
    (filled,) = adjust_p([np.nan_to_num(p, nan=1.0)], adjust, family="depth", alpha=0.05)
    np.testing.assert_array_equal(found, np.where(np.isnan(p), np.nan, filled))
