"""Speed of comparisons over repeats, against the same without.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_repeats.py``: 20 systems x 5
repeats x 250 topics x 50 depths, all pairs at all depths.
"""

import sys
import time

import numpy as np
import pytest
import xarray as xr

import irframe as ir

MOST = 3
"""How many times the time without repeats it may take."""


def drawn():
    rng = np.random.default_rng(0)
    values = rng.random((1, 20, 5, 250, 50))
    dims = "metric", "system", "repeat", "topic", "depth"
    labels = {
        "metric": ["nDCG"],
        "system": [f"s{n:02}" for n in range(20)],
        "repeat": range(5),
        "topic": [f"q{n:03}" for n in range(250)],
        "depth": range(1, 51),
    }
    return xr.DataArray(values, labels, dims)


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


@pytest.mark.parametrize("layout", ["system", "shared", "topic"])
def test_compare_over_repeats(benchmark, layout):
    scores = drawn().assign_attrs(repeats=layout)
    means = scores.mean("repeat")
    ir.verbs.compare(means)
    plain = min(seconds(ir.verbs.compare, means) for _ in range(20))
    benchmark.pedantic(ir.verbs.compare, (scores,), rounds=20, warmup_rounds=1)
    ours = benchmark.stats.stats.min
    sys.stdout.write(f"\n{layout}: {ours:.3f} s, without repeats {plain:.3f} s\n")
    assert ours <= MOST * plain
