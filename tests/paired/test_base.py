"""Options that tests share, refused where they cannot be meant."""

import pytest

from irframe.errors import ParameterError
from irframe.paired import Bootstrap, Permutation, RankSum, TukeyHSD, Wilcoxon


@pytest.mark.parametrize("cls", [Permutation, Bootstrap, TukeyHSD])
@pytest.mark.parametrize("value", [-5, 2.0, True, "10", None])
def test_samples_and_seed(cls, value):
    with pytest.raises(ParameterError, match=f"samples, .* of at least 1; found {value!r}"):
        cls(samples=value)
    with pytest.raises(ParameterError, match=f"seed, .* of at least 0; found {value!r}"):
        cls(seed=value)


@pytest.mark.parametrize("cls", [Permutation, Bootstrap, TukeyHSD])
def test_fewest_samples(cls):
    assert cls(samples=1, seed=0).samples == 1
    with pytest.raises(ParameterError, match="at least 1; found 0"):
        cls(samples=0)


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_switches(value):
    with pytest.raises(ParameterError, match=f"correction={value!r}, exact={value!r}"):
        Wilcoxon(correction=value, exact=value)
    with pytest.raises(ParameterError, match=f"correction={value!r}"):
        RankSum(correction=value)
