"""Judges who judged several times."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from statsmodels.stats.inter_rater import cohens_kappa

import irframe as ir
from irframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of few topics


def judged(seed, topics=16, docs=8):
    """Return people's judgments, and two passes of a model."""
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [[f"q{n}" for n in range(topics)], [f"d{n}" for n in range(docs)]], names=["topic", "doc"]
    ).to_frame(index=False)
    truth = rng.integers(0, 3, len(rows))
    truth[:3] = 0, 1, 2

    def drawn(base, share):
        found = np.where(rng.random(len(rows)) < share, rng.integers(0, 3, len(rows)), base)
        found[:3] = 0, 1, 2
        return rows.assign(grade=found)

    model = drawn(truth, 0.4)["grade"].to_numpy()
    return drawn(truth, 0.2), drawn(model, 0.15), drawn(model, 0.15)


def kappa(one, other):
    table = pd.crosstab(one["grade"].to_numpy(), other["grade"].to_numpy())
    return cohens_kappa(np.array(table)).kappa


def test_a_judge_counts_once_and_passes_agree_among_themselves():
    people, first, second = judged(0)
    found = ir.compare_judges({"people": people, "model": [first, second]}, resamples=20)
    assert found.sizes["pair"] == 1
    pooled = kappa(pd.concat([people, people]), pd.concat([first, second]))
    assert found["kappa"].sel(weights="none").item() == pytest.approx(pooled)
    assert found["n"].item() == len(people)
    both = kappa(pd.concat([first, second]), pd.concat([second, first]))
    assert found["within_kappa"].sel(judge="model", weights="none").item() == pytest.approx(both)
    grades = np.stack([first["grade"], second["grade"]]).astype(float)
    alpha = krippendorff.alpha(reliability_data=grades, level_of_measurement="nominal")
    within = found["within_alpha"].sel(judge="model", distance="nominal").item()
    assert within == pytest.approx(alpha)
    assert found["n_passes"].to_series().to_dict() == {"model": 2}
    low, high = found["within_kappa_interval"].sel(judge="model", weights="none").values
    assert low < both < high


def test_passes_that_are_copies_are_one_judge():
    people, model, _ = judged(1)
    other = judged(2)[1]
    plain = ir.compare_judges({"people": people, "model": model, "other": other}, resamples=20)
    copied = ir.compare_judges(
        {"people": people, "model": [model] * 3, "other": other}, resamples=20
    )
    kept = plain.drop_vars(["confusion", "n", "grade_a", "grade_b"])
    xr.testing.assert_allclose(copied[[*kept]], kept)
    assert copied["within_kappa"].sel(weights="none").item() == 1


def test_a_judge_without_a_pass_is_named():
    people = judged(1)[0]
    with pytest.raises(InputError, match="passes of judge 'model'; found none"):
        ir.compare_judges({"people": people, "model": []})


def test_a_column_says_passes_as_well():
    people, first, second = judged(3)
    column = pd.concat([first.assign(**{"pass": 1}), second.assign(**{"pass": 2})])
    options = {"resamples": 20, "per": None}
    found = ir.compare_judges({"people": people, "model": column}, **options)
    xr.testing.assert_equal(
        found, ir.compare_judges({"people": people, "model": [first, second]}, **options)
    )
    by_topic = ir.compare_judges({"people": people, "model": column}, per="topic")
    assert by_topic["within_kappa"].dims == ("topic", "judge", "weights")


def test_conclusions_under_passes_are_of_means_and_count_passes():
    runs, qrels = ir.example_track()
    rng = np.random.default_rng(5)
    passes = [
        qrels.assign(grade=np.clip(qrels["grade"] + rng.integers(-1, 2, len(qrels)), 0, 3))
        for _ in range(3)
    ]
    found = ir.judge_effect(runs, {"people": qrels, "model": passes}, "AP", at=10)
    each = [ir.cube(runs, part).ireval.score("AP", at=10).mean("topic") for part in passes]
    means = sum(each) / 3
    xr.testing.assert_allclose(
        found["mean"].squeeze(drop=True).reset_coords(drop=True),
        means.squeeze(drop=True).reset_coords(drop=True).rename("mean"),
    )
    together = pd.concat(part.assign(**{"pass": n}) for n, part in enumerate(passes))
    scores = runs.ireval.evaluate(together, "AP@10")
    kept = found["conclusions"].sel(conclusion=["kept", "new", "reversed"]).sum().item()
    assert kept == scores.ireval.compare()["significant"].sum()
