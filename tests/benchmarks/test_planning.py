"""How often intervals of variance components hold the truth.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_planning.py``. The pages of the
documentation quote these simulations as `docs/real/simulated.py` writes them down.
"""

import sys

import numpy as np
import pytest
import xarray as xr

from irframe.planning.components import mean_squares, variance_interval

DESIGNS = [
    (20, 50, (0.003, 0.025, 0.01)),
    (5, 25, (0.003, 0.02, 0.01)),
    (60, 50, (0.0003, 0.03, 0.01)),
]
"""Systems, topics, and the variances of systems, topics and interaction."""
EFFECTS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: (rng.random(shape) - 0.5) * np.sqrt(12),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}
NAMES = "v_s", "v_t", "v_st"


def draw(rng, kind, systems, topics, truth, draws):
    """Return scores of simulated collections, shape (system, topic, draw)."""
    shapes = (systems, 1, draws), (1, topics, draws), (systems, topics, draws)
    parts = zip(truth, shapes, strict=True)
    return sum(np.sqrt(v) * EFFECTS[kind](rng, shape) for v, shape in parts)


def analytic(scores):
    found = mean_squares(scores)
    return [*zip(*variance_interval(found, 0.05), strict=True)]


def resampled(rng, scores, samples=300):
    """Return percentile intervals over resamples of the topics."""
    topics = scores.shape[1]
    draws = (rng.integers(topics, size=topics) for _ in range(samples))
    rows = [mean_squares(scores[:, draw]).variances for draw in draws]
    return list(np.moveaxis(np.quantile(rows, (0.025, 0.975), axis=0), 1, 0))


def held(ends, truth):
    """Return how often intervals hold the truth, one share for each of `NAMES`."""
    return [((low <= t) & (t <= high)).mean() for (low, high), t in zip(ends, truth, strict=True)]


def coverage(kind):
    """Return how often both kinds of intervals hold the truth, a row per design."""
    rng = np.random.default_rng(0)
    exact, drawn = [], []
    for systems, topics, truth in DESIGNS:
        exact.append(held(analytic(draw(rng, kind, systems, topics, truth, 1000)), truth))
        drawn.append(held(resampled(rng, draw(rng, kind, systems, topics, truth, 300)), truth))
    return np.array(exact), np.array(drawn)


@pytest.mark.parametrize("kind", EFFECTS)
def test_how_often_intervals_hold_the_truth(benchmark, kind):
    both = benchmark.pedantic(coverage, (kind,), rounds=1)
    sys.stdout.write(f"\n{kind} effects: {', '.join(NAMES)}\n")
    for exact, drawn in zip(*both, strict=True):
        sys.stdout.write(f"{exact.round(3)}, topics resampled: {drawn.round(3)}\n")
    assert kind == "skewed" or both[0].min() >= 0.93


def test_components_of_a_large_track(benchmark):
    rng = np.random.default_rng(0)
    labels = {"metric": ["AP"], "system": range(110), "topic": range(249), "depth": range(1000)}
    values = rng.random((1, 110, 249, 1000)) + rng.random((110, 1, 1)) + rng.random((249, 1))
    scores = xr.DataArray(values, labels, dims=[*labels])
    found = benchmark.pedantic(scores.ireval.components, rounds=3, warmup_rounds=0)
    sys.stdout.write(f"\ncomponents, 1000 depths: {benchmark.stats.stats.min:.2f} s\n")
    assert found.sizes["depth"] == 1000
    assert benchmark.stats.stats.min < 1
