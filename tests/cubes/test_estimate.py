"""Estimates from sampled judgments, over all samples that there are, and what is refused."""

import warnings
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning, MetricError, ParameterError

METRICS = ("P(rel=2)", "DCG", "RBP(p=0.8, gain='linear')", "INSQ(T=1.0)")
AT = [1, 3, 6]
POOL = pd.DataFrame(
    {
        "topic": list("11111112"),
        "doc": list("abcdefgh"),
        "stratum": list("xxxxyyyz"),
        "grade": [2, 0, 1, 1, 0, 2, 0, 2],
    }
)
RUNS = pd.DataFrame(
    {
        "system": list("ssssssrrrsr"),
        "topic": list("11111111122"),
        "doc": list("fazcbdegahh"),
        "score": [6, 5, 4, 3, 2, 1, 3, 2, 1, 1, 1],
    }
)


def samples(sizes):
    """Yield the pool with each choice of so many documents of every stratum judged."""
    rows = [POOL.index[POOL["stratum"] == name] for name in "xy"]
    for chosen in product(*(combinations(r, n) for r, n in zip(rows, sizes, strict=True))):
        kept = POOL.index.isin([7, *(row for part in chosen for row in part)])
        yield POOL.assign(grade=POOL["grade"].where(kept, -1))


@pytest.mark.thorough
@pytest.mark.parametrize("column", ["stratum", "probability"])
def test_estimates_and_variances_are_right_over_all_samples(column):
    complete = RUNS.ireval.cube(POOL).ireval.score(*METRICS, at=AT)
    if column == "stratum":
        drawn = [(frame, 1.0) for frame in samples((2, 2))]
    else:
        chance = np.array([0.5, 1, 0.25, 1, 1, 0.75, 1, 1])
        odds = POOL.drop(columns="stratum").assign(probability=chance)
        unsure = np.flatnonzero(chance < 1)
        drawn = []
        for lot in product([False, True], repeat=len(unsure)):
            kept = np.ones(len(POOL), bool)
            kept[unsure] = lot
            weight = np.where(kept, chance, 1 - chance).prod()
            drawn.append((odds.assign(grade=POOL["grade"].where(kept, -1)), weight))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no intervals of", IrframeWarning)
        found = [RUNS.ireval.cube(frame).ireval.estimate(*METRICS, at=AT) for frame, _ in drawn]
    weights = np.array([weight for _, weight in drawn])
    values, errors = (np.stack([each[n] for each in found]) for n in ("estimate", "error"))
    mean = np.average(values, axis=0, weights=weights)
    np.testing.assert_allclose(mean, complete, atol=1e-12)
    spread = np.average((values - complete.to_numpy()) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(np.average(errors**2, axis=0, weights=weights), spread, atol=1e-12)


def test_complete_judgments_have_no_error_and_means_are_over_topics():
    runs, qrels = ir.example_track()
    every = runs.ireval.cube(qrels.assign(probability=1.0))
    with pytest.warns(
        IrframeWarning, match="no intervals of 16 of 16 means, as every document was"
    ):
        found = every.ireval.estimate("P", "DCG", at=5)
    complete = runs.ireval.cube(qrels).ireval.score("P", "DCG", at=5)
    np.testing.assert_allclose(found["estimate"], complete, atol=1e-12)
    np.testing.assert_allclose(found["mean"], complete.mean("topic"), atol=1e-12)
    assert np.isnan(found["ci_high"]).all()
    drawn = qrels.ireval.draw_to_judge(0.4, seed=3)
    some = runs.ireval.cube(drawn).ireval.estimate("P", "DCG", at=5)
    error = np.sqrt((some["error"] ** 2).sum("topic")) / 16
    np.testing.assert_allclose(some["mean_error"], error)
    assert ((some["ci_low"] < some["mean"]) & (some["mean"] < some["ci_high"])).all()
    assert float(some["ci_high"].sel(metric="P").max()) < 1
    one = runs.ireval.cube(qrels).ireval.draw_to_judge(0.4, seed=3)
    np.testing.assert_array_equal(one.ireval.estimate("P", at=5)["error"], some["error"][:1])


def test_what_cannot_be_estimated_is_refused(cube):
    runs, qrels = ir.example_track()
    refused(InputError, "judgments that were drawn.*found neither", cube.ireval.estimate, "P", at=5)
    with pytest.raises(MetricError, match="add up gains by rank.*found Recall, nDCG"):
        cube.ireval.draw_to_judge(0.5).ireval.estimate("P", "Recall", "nDCG", at=5)
    with pytest.raises(ParameterError, match="a probability above 0.*found 523 without: 0.0 of"):
        runs.ireval.cube(qrels.assign(probability=0.0)).ireval.estimate("P", at=5)
    lone = POOL.assign(grade=[1, -1, -1, -1, 0, 2, 0, 2])
    with (
        pytest.warns(IrframeWarning, match="standard errors of 1 topic are not known"),
        pytest.warns(IrframeWarning, match="fewer than 15 drawn documents in a system's lists"),
    ):
        found = RUNS.ireval.cube(lone).ireval.estimate("P", at=3)
    assert np.isnan(found["error"]).any()
    assert not np.isnan(found["estimate"]).any()
