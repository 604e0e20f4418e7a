"""Speed of variance components.

Run with ``pytest --benchmark-only -n 0 tests/benchmarks/test_planning.py``.
"""

import numpy as np
import xarray as xr


def test_components_of_a_large_track(benchmark):
    rng = np.random.default_rng(0)
    labels = {"metric": ["AP"], "system": range(110), "topic": range(249), "depth": range(1000)}
    values = rng.random((1, 110, 249, 1000)) + rng.random((110, 1, 1)) + rng.random((249, 1))
    scores = xr.DataArray(values, labels, dims=[*labels])
    components = benchmark.pedantic(scores.ireval.components, rounds=3, warmup_rounds=0)
    assert components.sizes["depth"] == 1000
    assert benchmark.stats.stats.min < 1
