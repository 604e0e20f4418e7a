"""Tests of prediction-powered means, their weights, and detectable differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irframe.paired import margins
from irframe.paired.margins import detectable, power, power_pairs
from irframe.paired.pairs import all_pairs


def draw(seed):
    """Return scores under cheap and human judgments, and topic masks."""
    random = np.random.default_rng(seed)
    cheap, human = random.random((2, 6, 12, 3))
    cheap[1], human[1] = cheap[0], human[0]
    cheap[2], human[2] = cheap[0] + 1e-9 * cheap[2], human[0] + 0.25
    cheap[3, :, 0] = human[3, :, 0]
    human[4] = 1 - cheap[4]
    judged = random.random((12, 3)) < 0.5
    judged[:3] = True
    counted = ~judged if seed % 2 else random.random((12, 3)) < 0.9
    counted[-2:], judged[-2:] = True, False
    return cheap, human, counted, judged


@given(st.integers(0, 1000))
def test_power_pairs_equals_power_of_the_differences(seed):
    cheap, human, counted, judged = draw(seed)
    pairs = all_pairs(6)
    powered = power_pairs(cheap, human, counted, judged, pairs)
    sides = [kind[pairs[:, 0]] - kind[pairs[:, 1]] for kind in (cheap, human)]
    expected = power(*sides, counted, judged)
    for name in ("estimate", "error", "weight"):
        values = getattr(expected, name)
        np.testing.assert_allclose(getattr(powered, name), values, rtol=1e-7, atol=1e-14)
    assert (powered.error[0] == 0).all()
    assert (powered.weight[0] == 0).all()


def test_power_pairs_does_not_depend_on_the_size_of_groups(monkeypatch):
    cheap, human, counted, judged = draw(0)
    at_once = power_pairs(cheap, human, counted, judged, all_pairs(6))
    monkeypatch.setattr(margins, "BLOCK", 1)
    repeated = power_pairs(cheap, human, counted, judged, all_pairs(6))
    np.testing.assert_array_equal(repeated.error, at_once.error)


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_the_weight_minimises_the_variance(share):
    random = np.random.default_rng(0)
    human = random.random((400, 1))
    cheap = share * human + 0.1 * random.random(human.shape)
    judged = np.arange(400)[:, np.newaxis] < 100
    powered = power(cheap, human, ~judged, judged)
    few, many = cheap[:100], cheap[100:]
    at = [
        weight**2 * many.var() / 300 + (human[:100] - weight * few).var() / 100
        for weight in np.linspace(0, 1, 101)
    ]
    assert powered.weight.item() == pytest.approx(np.argmin(at) / 100, abs=0.05)
    assert powered.error.item() ** 2 == pytest.approx(min(at), rel=0.02)


@pytest.mark.parametrize("overlap", [0, 4, 12])
def test_the_jackknife_leaves_out_one_topic_at_a_time(overlap):
    """Topics have cheap judgments, human judgments, or both."""
    random = np.random.default_rng(overlap)
    cheap, human = random.random((2, 30, 1))
    human += 0.4 * cheap
    judged = np.arange(30)[:, np.newaxis] < 12
    counted = np.arange(30)[:, np.newaxis] >= 12 - overlap
    powered = power(cheap, human, counted, judged)
    without = []
    for topic in range(12):
        selected = np.arange(30) != topic
        reduced = power(*(values[selected] for values in (cheap, human, counted, judged)))
        without.append(reduced.estimate.item())
    among = ((np.array(without) - np.mean(without)) ** 2).sum() * 11 / 12
    both = np.concatenate([cheap[judged], cheap[counted]])
    number = counted.sum()
    alone = powered.weight**2 * both.var(ddof=1) * (number - overlap) / number**2
    np.testing.assert_allclose(powered.jackknife, np.sqrt(among + alone))
    assert 0 < powered.weight.item() < 1


@pytest.mark.parametrize(
    ("topics", "power", "alpha"), [(3, 0.8, 0.05), (8, 0.5, 0.2), (50, 0.9, 0.01)]
)
def test_detectable_differences_have_the_required_power(topics, power, alpha):
    result = detectable(np.array([0.2]), np.array([topics]), power=power, alpha=alpha).item()
    true, critical = result / 0.2 * topics**0.5, stats.t.isf(alpha / 2, topics - 1)
    by_t = stats.nct.sf(critical, topics - 1, true) + stats.nct.cdf(-critical, topics - 1, true)
    assert by_t == pytest.approx(power, abs=1e-6)
