"""How long it takes to compare judges, and how often prediction-powered intervals are right.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_judges.py``.
"""

import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir

JUDGES, TOPICS, DOCS, GRADES = 33, 25, 177, 4
DRAWS = 1000


@pytest.fixture(scope="module")
def judges():
    """Return judgments as many as those of the LLMJudge collection."""
    random = np.random.default_rng(0)
    topic, doc = np.divmod(np.arange(TOPICS * DOCS), DOCS)
    truth = random.integers(GRADES, size=len(topic))
    noise = random.integers(-1, 2, size=(JUDGES + 1, len(topic)))
    names = {"topic": topic.astype(str), "doc": doc.astype(str)}
    found = {
        f"model {place}": pd.DataFrame(names | {"grade": grade})
        for place, grade in enumerate(np.clip(truth + noise, 0, GRADES - 1))
    }
    return found | {"people": found.pop("model 33")}


@pytest.mark.parametrize("reference", ["people", None], ids=["33 pairs", "561 pairs"])
def test_judges_are_compared(benchmark, judges, reference):
    found = benchmark.pedantic(ir.compare_judges, (judges,), {"reference": reference}, rounds=3)
    assert found.sizes["pair"] == (33 if reference else 561)


def test_means_and_differences_are_predicted(benchmark):
    random = np.random.default_rng(0)
    dims = ("system", "topic", "depth")
    labels = {dim: range(size) for dim, size in zip(dims, (110, 249, 20), strict=True)}
    model = xr.DataArray(random.random((110, 249, 20)), labels, dims)
    people = model.isel(topic=slice(50)) ** 2
    found = benchmark.pedantic(ir.verbs.predict_powered, (model, people), rounds=3)
    assert found.sizes["pair"] == 5995


@pytest.mark.parametrize(("topics", "human"), [(50, 20), (100, 40), (200, 40), (200, 80)])
def test_predicted_intervals_hold_the_truth(benchmark, topics, human):
    random = np.random.default_rng(topics + human)
    people = random.normal(0.5, 0.2, (2, topics, DRAWS))
    model = 0.8 * people + random.normal(0.3, 0.12, people.shape)
    dims = ("system", "topic", "depth")
    scores, few = (xr.DataArray(each, dims=dims) for each in (model, people[:, :human]))
    student = benchmark.pedantic(ir.verbs.predict_powered, (scores, few), rounds=1)
    normal = ir.verbs.predict_powered(scores, few, distribution="normal")
    shares = [
        ((found["ci_low"] <= 0.5) & (found["ci_high"] >= 0.5)).mean().item()
        for found in (normal, student)
    ]
    told = f"{shares[0]:.1%} of normal intervals, {shares[1]:.1%} of Student's"
    sys.stdout.write(f"\n{human} of {topics} topics: {told}\n")
    assert 0.93 <= shares[1] <= 0.97
