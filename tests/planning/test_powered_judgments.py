"""People's judgments of some documents of every topic, and a model's of all."""

import warnings

import numpy as np
import pytest
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import GradeError, IdError, InputError, IrframeWarning, ParameterError

RUNS, PEOPLE = ir.example_track()
MODEL = PEOPLE.assign(
    grade=(PEOPLE["grade"] + PEOPLE["doc"].str[-1].isin([*"24579"])).clip(upper=3)
)
CUBE = RUNS.ireval.cube(MODEL)
DRAWN = PEOPLE.ireval.draw_to_judge(0.5, seed=4)
TRUE = RUNS.ireval.cube(PEOPLE).ireval.score("P", "DCG", at=[5])


def powered(cube=CUBE, human=DRAWN, **options):
    return cube.ireval.predict_powered(human, metrics=["P", "DCG"], at=5, **options)


def contributions(qrels, system, topic, k=5):
    """Return what each document of a topic adds to P at a depth, by document."""
    pool = qrels[qrels["topic"] == topic].set_index("doc")["grade"]
    run = RUNS[(RUNS["system"] == system) & (RUNS["topic"] == topic)].ireval.rank()
    top = run.loc[run["rank"] <= k, "doc"]
    return ((pool >= 1) & pool.index.isin(top)) / k


def without_each(**options):
    """Return what is estimated without each topic."""
    return [
        powered(CUBE.isel(topic=CUBE.topic != name), **options) for name in CUBE.topic.to_numpy()
    ]


def on_arcsine(mean, reach):
    angle, turn = np.arcsin(np.sqrt(mean)), reach / (2 * np.sqrt(mean * (1 - mean)))
    return np.sin([angle - turn, angle + turn]) ** 2


@pytest.mark.thorough
def test_scores_of_topics_are_those_of_ppi_python():
    """As ppi_mean_pointestimate: lam * mean(model of all) + mean(people - lam * model of some).

    The variance is that of its rectifier, without what an infinite population would add, and with
    the lam of the other topics.
    """
    found, less = powered(topics="fixed"), without_each(topics="fixed")
    weight = found["weight"].sel(metric="P").item()
    others = [each["weight"].sel(metric="P").item() for each in less]
    assert 0 < weight < 1
    for system in found.system.to_numpy()[:3]:
        values, variance, drawn = [], 0.0, 0
        for topic, other in zip(CUBE.topic.to_numpy(), others, strict=True):
            human = contributions(DRAWN, system, topic)
            model = contributions(MODEL, system, topic)
            rows = DRAWN[DRAWN["topic"] == topic].set_index("doc")["grade"] >= 0
            size, number = len(rows), rows.sum()
            values.append(size * (weight * model.mean() + (human - weight * model)[rows].mean()))
            rest = (human - other * model)[rows]
            variance += size**2 * rest.var(ddof=1) / number * (1 - number / size)
            run = RUNS[(RUNS["system"] == system) & (RUNS["topic"] == topic)].ireval.rank()
            drawn += run.loc[run["rank"] <= 5, "doc"].isin(rows.index[rows]).sum()
        n = len(values)
        here = found.sel(metric="P", system=system)
        np.testing.assert_allclose(here["mean"].item(), np.mean(values))
        np.testing.assert_allclose(here["error"].item(), np.sqrt(variance) / n)
        reach = stats.t.ppf(0.975, drawn - 1) * np.sqrt(variance) / n
        ends = [here["ci_low"].item(), here["ci_high"].item()]
        np.testing.assert_allclose(ends, on_arcsine(np.mean(values), reach))


def test_intervals_of_topics_like_these_leave_each_out_in_its_turn():
    found, less = powered(), without_each()
    for name in ("mean", "difference"):
        left, n = np.stack([each[name] for each in less]), len(less)
        reach = stats.t.ppf(0.975, n - 1) * (n - 1) / np.sqrt(n) * left.std(axis=0, ddof=1)
        value = found[name].to_numpy()
        ends = np.stack([value - reach, value + reach])
        if name == "mean":
            ends[:, 0] = on_arcsine(value[0], reach[0])
            ends[:, 1] = (value * np.exp([-reach / value, reach / value]))[:, 1]
        names = ("ci_low", "ci_high") if name == "mean" else ("difference_low", "difference_high")
        np.testing.assert_allclose([found[each] for each in names], ends)
    assert found.attrs["interval"] == "arcsine, log for DCG"


@pytest.mark.parametrize("topics", ["fixed", "random"])
def test_no_interval_is_without_width(topics):
    for some in (1, 2, 3, 16):
        cube = CUBE.isel(topic=slice(some))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = powered(cube, topics=topics)
        assert not (found["ci_high"] <= found["ci_low"]).any()
        lost = np.isnan(found["ci_low"]).any().item()
        assert lost == ("no intervals of" in found.attrs.get("caution", ""))
        assert lost == any("no intervals of" in str(each.message) for each in caught)
        if topics == "fixed" and some < 3:
            assert np.isnan(found["ci_low"]).all()
            assert "fewer than 15 drawn documents in" in found.attrs["caution"]
    assert not lost


def test_the_model_helps_as_far_as_it_is_right():
    with pytest.warns(IrframeWarning, match="no intervals of 16 of 16 means"):
        same = powered(RUNS.ireval.cube(PEOPLE), topics="fixed")
    assert np.isnan(same["ci_low"]).all()
    np.testing.assert_allclose(same["mean"], TRUE.mean("topic"), atol=1e-12)
    np.testing.assert_allclose(same["error"], 0, atol=1e-9)
    everybody = powered(human=PEOPLE.assign(probability=1.0))
    np.testing.assert_allclose(everybody["mean"], TRUE.mean("topic"), atol=1e-12)
    useless = MODEL.assign(
        grade=np.random.default_rng(0).permutation(3 * MODEL["grade"]).clip(0, 3)
    )
    useless.loc[0, "grade"] = 3
    alone = powered(RUNS.ireval.cube(useless), topics="fixed")
    some = powered(topics="fixed")
    assert (some["saving"].mean() > alone["saving"].mean() + 0.1).item()
    complete = RUNS.ireval.cube(DRAWN).ireval.estimate("P", "DCG", at=5)["mean_error"]
    np.testing.assert_allclose(some["error_alone"], complete)


def test_ndcg_is_that_of_people_plus_what_the_model_has_more_than_its_sample():
    asked = {"metrics": "nDCG", "at": 12, "topics": "fixed"}
    found = CUBE.ireval.predict_powered(DRAWN, **asked)
    masked = MODEL.assign(grade=MODEL["grade"].where(DRAWN["grade"] >= 0, -1))
    masked = masked.merge(DRAWN[["topic", "doc", "stratum"]], on=["topic", "doc"])
    people, cheap = (
        RUNS.ireval.cube(each).ireval.estimate("nDCG", at=12)["mean"] for each in (DRAWN, masked)
    )
    model = CUBE.ireval.score("nDCG", at=[12]).mean("topic")
    weight = found["weight"].item()
    assert 0 < weight <= 1
    np.testing.assert_allclose(found["mean"], people + weight * (model - cheap))
    assert found["saving"].mean() > 0
    with pytest.warns(IrframeWarning, match="every document was judged"):
        everybody = CUBE.ireval.predict_powered(PEOPLE.assign(probability=1.0), **asked)
    true = RUNS.ireval.cube(PEOPLE).ireval.score("nDCG", at=[12]).mean("topic")
    np.testing.assert_allclose(everybody["mean"], true, atol=1e-12)


def test_differences_are_students_over_topics():
    found = powered(baseline="bm25")
    values = found["mean"].sel(system=found["system_a"].to_numpy()).to_numpy()
    apart = values - found["mean"].sel(system=["bm25"]).to_numpy()
    np.testing.assert_allclose(found["difference"], apart)
    assert (found["difference_low"] <= found["difference"]).all()
    assert "difference" not in powered(topics="fixed")
    assert powered().sizes["pair"] == 28


def test_plan_is_what_was_spent_where_it_asks_for_what_was_got():
    for topics in ("fixed", "random"):
        found = powered(topics=topics)
        reach = stats.norm.ppf(0.975) if topics == "fixed" else stats.t.ppf(0.975, 15)
        half = (reach * found["error"]).sel(metric="DCG").squeeze()
        system = half.idxmax().item()
        options = {"topics": topics, "half_width": half.max().item()}
        asked = CUBE.ireval.predict_powered(DRAWN, metrics="DCG", at=5, **options)
        needed = asked.sel(metric="DCG", system=system)
        assert abs(needed["n_needed"].item() - found["n_human"].item()) <= 1
        assert needed["n_needed_alone"].item() > needed["n_needed"].item()
    with pytest.warns(IrframeWarning, match="no number of judgments on these topics"):
        powered(half_width=1e-4)


PARTS = PEOPLE["doc"].str[-1].isin([*"01234"]).map({True: "low", False: "high"})
"""Of every document one of two parts of its topic."""


def test_what_was_not_drawn_needs_no_row():
    """Where a topic is one stratum, or the model's judgments say the stratum of each document."""
    for drop in ([], ["probability"]):
        drawn = DRAWN[DRAWN["grade"] >= 0].drop(columns=drop)
        assert powered(human=drawn).equals(powered())
    drawn = PEOPLE.assign(part=PARTS).ireval.draw_to_judge(0.5, strata="part", seed=4)
    cube = RUNS.ireval.cube(MODEL.assign(stratum=drawn["stratum"]))
    found = powered(cube, drawn[drawn["grade"] >= 0])
    assert found.equals(powered(human=drawn))


def test_bad_input_is_named():
    parts = PEOPLE.assign(part=PARTS).ireval.draw_to_judge(0.5, strata="part", seed=4)
    strange = DRAWN.assign(doc=DRAWN["doc"].replace(DRAWN["doc"].iloc[0], "nobody"))
    for error, told, human in [
        (InputError, "a row for every document of the model", parts[parts["grade"] >= 0]),
        (InputError, "judgments that were drawn.*found neither", PEOPLE),
        (IdError, "among those that the model judged.*nobody of topic 101", strange),
        (GradeError, "up to the highest of the model.*5 of", DRAWN.replace({"grade": {1: 5}})),
        (IdError, "topics of the cube", DRAWN.assign(topic="x")),
    ]:
        refused(error, told, powered, human=human)
    scores = CUBE.ireval.score("P", at=[5])
    with pytest.raises(ParameterError, match="with a cube only.*metrics="):
        scores.ireval.predict_powered(scores.isel(topic=[0, 1]), metrics="P")
    refused(ParameterError, "topics to be one of 'fixed', 'random'", lambda: powered(topics="rest"))
