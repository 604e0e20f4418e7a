"""Tests of judges with several passes."""

import re

import krippendorff
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from statsmodels.stats.inter_rater import cohens_kappa

import irframe as ir
from irframe.errors import IdError, InputError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # few topics


def judged(seed, topics=16, docs=8):
    """Return human judgments and two passes of a model."""
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [[f"q{n}" for n in range(topics)], [f"d{n}" for n in range(docs)]], names=["topic", "doc"]
    ).to_frame(index=False)
    truth = rng.integers(0, 3, len(rows))
    truth[:3] = 0, 1, 2

    def drawn(base, share):
        result = np.where(rng.random(len(rows)) < share, rng.integers(0, 3, len(rows)), base)
        result[:3] = 0, 1, 2
        return rows.assign(grade=result)

    model = drawn(truth, 0.4)["grade"].to_numpy()
    return drawn(truth, 0.2), drawn(model, 0.15), drawn(model, 0.15)


def kappa(first, second):
    table = pd.crosstab(first["grade"].to_numpy(), second["grade"].to_numpy())
    return cohens_kappa(np.array(table)).kappa


def test_passes_count_as_one_judge():
    people, first, second = judged(0)
    result = ir.compare_judges({"people": people, "model": [first, second]}, resamples=20)
    assert result.sizes["pair"] == 1
    pooled = kappa(pd.concat([people, people]), pd.concat([first, second]))
    assert result["kappa"].sel(weights="none").item() == pytest.approx(pooled)
    assert result["n"].item() == len(people)
    both = kappa(pd.concat([first, second]), pd.concat([second, first]))
    assert result["within_kappa"].sel(judge="model", weights="none").item() == pytest.approx(both)
    grades = np.stack([first["grade"], second["grade"]]).astype(float)
    alpha = krippendorff.alpha(reliability_data=grades, level_of_measurement="nominal")
    within = result["within_alpha"].sel(judge="model", distance="nominal").item()
    assert within == pytest.approx(alpha)
    assert result["n_passes"].to_series().to_dict() == {"model": 2}
    low, high = result["within_kappa_interval"].sel(judge="model", weights="none").values
    assert low < both < high


def test_identical_passes_do_not_change_coefficients():
    people, model, _ = judged(1)
    model_2 = judged(2)[1]
    plain = ir.compare_judges({"people": people, "model": model, "other": model_2}, resamples=20)
    copied = ir.compare_judges(
        {"people": people, "model": [model] * 3, "other": model_2}, resamples=20
    )
    subset = plain.drop_vars(["confusion", "n", "grade_a", "grade_b"])
    xr.testing.assert_allclose(copied[[*subset]], subset)
    assert copied["within_kappa"].sel(weights="none").item() == 1


def test_judges_without_a_pass_are_refused():
    people = judged(1)[0]
    with pytest.raises(InputError, match="passes of judge 'model', but found none"):
        ir.compare_judges({"people": people, "model": []})


def test_column_of_passes_is_equivalent_to_a_list_of_passes():
    people, first, second = judged(3)
    column = pd.concat([first.assign(**{"pass": 1}), second.assign(**{"pass": 2})])
    options = {"resamples": 20, "per": None}
    result = ir.compare_judges({"people": people, "model": column}, **options)
    xr.testing.assert_equal(
        result, ir.compare_judges({"people": people, "model": [first, second]}, **options)
    )
    by_topic = ir.compare_judges({"people": people, "model": column}, per="topic")
    assert by_topic["within_kappa"].dims == ("topic", "judge", "weights")


def test_passes_are_repeats_in_judge_effect():
    runs, qrels = ir.example_track()
    rng = np.random.default_rng(5)
    passes = [
        qrels.assign(grade=np.clip(qrels["grade"] + rng.integers(-1, 2, len(qrels)), 0, 3))
        for _ in range(3)
    ]
    result = ir.judge_effect(runs, {"people": qrels, "model": passes}, "AP", at=10)
    means_by_pass = [
        ir.cube(runs, frame).ireval.score("AP", at=10).mean("topic") for frame in passes
    ]
    means = sum(means_by_pass) / 3
    xr.testing.assert_allclose(
        result["mean"].squeeze(drop=True).reset_coords(drop=True),
        means.squeeze(drop=True).reset_coords(drop=True).rename("mean"),
    )
    all_passes = pd.concat(frame.assign(**{"pass": n}) for n, frame in enumerate(passes))
    scores = runs.ireval.evaluate(all_passes, "AP@10")
    subset = result["conclusions"].sel(conclusion=["kept", "new", "reversed"]).sum().item()
    assert subset == scores.ireval.compare()["significant"].sum()


@pytest.mark.parametrize(
    ("judges", "name"),
    [
        (lambda q, again: {"m [pass 1]": q, "m": [q, again]}, "m [pass 1]"),
        (lambda q, again: {"m": [q, again], "m [pass 2]": q}, "m [pass 2]"),
        (lambda q, again: {1: [q, again], "1": [q, again]}, "1 [pass 1], 1 [pass 2]"),
        (
            lambda q, again: {"m": pd.concat([q.assign(seed=1), again.assign(seed="1")]), "n": q},
            "m [pass 1]",
        ),
    ],
)
def test_judges_with_names_of_passes_are_refused(judges, name):
    _, first, second = judged(0)
    named = judges(first, second)
    expected = rf"every judge and every pass, but found several called: {re.escape(name)}\."
    with pytest.raises(IdError, match=expected):
        ir.compare_judges(named)
    run = {"q0": {"d0": 1.0}}
    with pytest.raises(IdError, match=expected):
        ir.verbs.judge_effect({"a": run, "b": run}, named, "AP")
