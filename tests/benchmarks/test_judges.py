"""Time of judge comparisons, and coverage of prediction-powered intervals.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_judges.py``.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir

JUDGES, TOPICS, DOCS, GRADES = 33, 25, 177, 4


@pytest.fixture(scope="module")
def judges():
    """Return judgments by several judges, as many as in LLMJudge."""
    random = np.random.default_rng(0)
    topic, doc = np.divmod(np.arange(TOPICS * DOCS), DOCS)
    truth = random.integers(GRADES, size=len(topic))
    noise = random.integers(-1, 2, size=(JUDGES + 1, len(topic)))
    names = {"topic": topic.astype(str), "doc": doc.astype(str)}
    judgments = {
        f"model {index}": pd.DataFrame(names | {"grade": grade})
        for index, grade in enumerate(np.clip(truth + noise, 0, GRADES - 1))
    }
    return judgments | {"people": judgments.pop("model 33")}


@pytest.mark.parametrize("reference", ["people", None], ids=["33 pairs", "561 pairs"])
def test_judges_are_compared(benchmark, judges, reference):
    agreement = benchmark.pedantic(ir.compare_judges, (judges,), {"reference": reference}, rounds=3)
    assert agreement.sizes["pair"] == (33 if reference else 561)


def test_means_and_differences_are_predicted(benchmark):
    random = np.random.default_rng(0)
    dims = ("system", "topic", "depth")
    labels = {dim: range(size) for dim, size in zip(dims, (110, 249, 20), strict=True)}
    model = xr.DataArray(random.random((110, 249, 20)), labels, dims)
    people = model.isel(topic=slice(50)) ** 2
    estimates = benchmark.pedantic(ir.verbs.predict_powered, (model, people), rounds=3)
    assert estimates.sizes["pair"] == 5995
