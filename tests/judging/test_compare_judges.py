"""Agreement of judges against statsmodels, krippendorff and published numbers."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

import irframe as ir
from irframe.errors import GradeError, IdError, IrframeWarning, ParameterError


def drawn(seed=0, judges=3, topics=16, docs=9, share=1.0):
    """Return random judgments of some judges, who agree more often than not."""
    random = np.random.default_rng(seed)
    truth = random.integers(4, size=(topics, docs))
    found = {}
    for judge in "abcde"[:judges]:
        noise = random.integers(-1, 2, size=truth.shape)
        grades = np.clip(truth + noise, 0, 3)
        grades[0, :2] = 0, 3
        kept = random.random(truth.shape) < share
        kept[0, :2] = True
        topic, doc = np.nonzero(kept)
        names = {"topic": topic.astype(str), "doc": [f"d{place}" for place in doc]}
        found[judge] = pd.DataFrame(names | {"grade": grades[kept]})
    return found


def side_by_side(judges):
    """Return grades with a row per judge, NaN where there is none."""
    columns = {name: each.set_index(["topic", "doc"])["grade"] for name, each in judges.items()}
    return pd.DataFrame(columns).astype(float)


@pytest.mark.filterwarnings("ignore:few topics")
@pytest.mark.parametrize("share", [1.0, 0.7])
def test_coefficients_are_those_of_statsmodels_and_krippendorff(share):
    judges = drawn(share=share, judges=4)
    found = ir.compare_judges(judges, pairs="pairwise", resamples=1)
    grades = side_by_side(judges)
    for pair in range(found.sizes["pair"]):
        one = found.isel(pair=pair)
        both = grades[[one["judge_a"].item(), one["judge_b"].item()]].dropna().astype(int)
        table = np.zeros((4, 4))
        np.add.at(table, tuple(both.to_numpy().T), 1)
        np.testing.assert_array_equal(one["confusion"], table)
        assert one["n"] == len(both)
        for weights, name in {None: "none", "linear": "linear", "quadratic": "quadratic"}.items():
            expected = cohens_kappa(table, wt=weights).kappa
            assert one["kappa"].sel(weights=name).item() == pytest.approx(expected)
        for distance in found["distance"].to_numpy():
            expected = krippendorff.alpha(both.to_numpy().T, level_of_measurement=distance)
            assert one["alpha"].sel(distance=distance).item() == pytest.approx(expected)
    for distance in found["distance"].to_numpy():
        expected = krippendorff.alpha(grades.to_numpy().T, level_of_measurement=distance)
        assert found["joint_alpha"].sel(distance=distance).item() == pytest.approx(expected)


def test_a_threshold_is_what_two_grades_give():
    judges = drawn(judges=2)
    found = ir.compare_judges(judges, resamples=1)
    for threshold in (1, 2, 3):
        two = {name: each.assign(grade=each["grade"] >= threshold) for name, each in judges.items()}
        alone = ir.compare_judges(two, resamples=1)
        at = found.sel(threshold=threshold)
        assert at["kappa_at"].item() == pytest.approx(alone["kappa"].sel(weights="none").item())
        expected = alone["alpha"].sel(distance="nominal").item()
        assert at["alpha_at"].item() == pytest.approx(expected)


def test_a_topic_is_what_its_judgments_alone_give():
    judges = drawn()
    found = ir.compare_judges(judges, per="topic", grades=range(4))
    for topic in "0123":
        part = {name: each[each["topic"] == topic] for name, each in judges.items()}
        with pytest.warns(IrframeWarning) as caught:
            alone = ir.compare_judges(part, grades=range(4), resamples=1)
        assert "below 15 topics: 1" in str(caught[0].message)
        assert "no interval of kappa, alpha" in str(caught[1].message)
        for name in found:
            np.testing.assert_allclose(found[name].sel(topic=topic), alone[name])
        assert np.isnan(alone["kappa_interval"]).all()


def clusters(sizes):
    return max((sizes.sum() ** 2 / (sizes**2).sum()).item(), 1.5)


def expected_interval(name, place, parts, confusion, *, alpha):
    """Return the ends of both intervals of 6 topics of as many documents, and what they hold."""
    value, without, replicates = ([each[name].values[place] for each in part] for part in parts)
    z, n = np.arctanh(np.array(without)), 6
    about = z - z.mean()
    if name.endswith("_at"):
        above = np.arange(4) > place[1]
        given = confusion[:, place[0]]
        by_both = given.sum(axis=1) + given.sum(axis=2)
        sides = [by_both[:, side].sum(axis=1) for side in (above, ~above)]
        n = (min(6, *map(clusters, sides)) + clusters(about**2)) / 2
    t = stats.t.ppf(1 - alpha / 2, n - 1)
    reach = t * np.sqrt(5 / 6 * (about**2).sum())
    one = np.tanh([np.arctanh(value[0]) - reach, np.arctanh(value[0]) + reach])
    values = np.sort(replicates)
    beyond = int(len(values) * stats.norm.cdf(-t * np.sqrt(n / (n - 1))))
    return min(one[0], values[beyond]), max(one[1], values[-1 - beyond])


def test_intervals_are_what_the_jackknife_and_resampled_topics_hold_together(monkeypatch):
    from irframe.judging import compare_judges as module

    judges, asked = drawn(topics=6, docs=30), {"reference": "a", "grades": range(4)}
    times = np.random.default_rng(5).multinomial(6, [1 / 6] * 6, size=9)
    monkeypatch.setattr("irframe.scores.averages.count_drawn", lambda _: times.astype(float))
    monkeypatch.setattr(module, "BLOCK", 1)
    with pytest.warns(IrframeWarning, match="below 15 topics: 6"):
        found = ir.compare_judges(judges, alpha=0.6, resamples=9, **asked)
    replicates = [
        alike(
            {
                name: pd.concat(
                    frame[frame["topic"] == str(topic)].assign(topic=f"{topic}-{copy}")
                    for topic, count in enumerate(each)
                    for copy in range(count)
                )
                for name, frame in judges.items()
            },
            **asked,
        )
        for each in times
    ]
    without = [
        alike({name: each[each["topic"] != topic] for name, each in judges.items()}, **asked)
        for topic in "012345"
    ]
    confusion = ir.compare_judges(judges, per="topic", **asked)["confusion"].to_numpy()
    for name in ("kappa", "alpha", "kappa_at", "alpha_at", "joint_alpha"):
        for place in np.ndindex(found[name].shape):
            parts = ([found], without, replicates)
            expected = expected_interval(name, place, parts, confusion, alpha=0.6)
            np.testing.assert_allclose(found[f"{name}_interval"].values[place], expected)


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        (4, "no interval of kappa_at, .* on fewer than 5 topics"),
        (8, r"from grade 1 \(8\), .*below 10"),
    ],
)
def test_a_threshold_of_few_topics_has_no_interval_or_is_told(topics, told):
    rare = {
        name: each.assign(grade=each["grade"].where(each["topic"].astype(int) < topics, 0))
        for name, each in drawn(topics=16, docs=30).items()
    }
    with pytest.warns(IrframeWarning, match=told):
        found = ir.compare_judges(rare, resamples=50)
    ends = found["kappa_at_interval"]
    assert np.isnan(ends).all() if topics < 5 else (ends[..., 0] < ends[..., 1]).all()
    assert found["kappa_interval"].notnull().all()


def alike(judges, **options):
    """Return the coefficients of all topics as if these were one, without intervals."""
    one = {
        name: each.assign(doc=each["topic"] + each["doc"], topic="all")
        for name, each in judges.items()
    }
    return ir.compare_judges(one, per="topic", **options).sel(topic="all")


def test_means_per_topic_have_student_s_interval():
    judges = drawn()
    found = ir.compare_judges(judges, resamples=5)
    topics = ir.compare_judges(judges, per="topic")
    for name in ("kappa", "joint_alpha"):
        values = topics[name].to_numpy()
        np.testing.assert_allclose(found[f"{name}_per_topic"], values.mean(axis=0))
        ends = stats.t.interval(0.95, len(values) - 1, values.mean(axis=0), stats.sem(values))
        expected = np.stack(ends, axis=-1)
        np.testing.assert_allclose(found[f"{name}_per_topic_interval"], expected)


def test_what_intervals_are_to_be_read_with_is_told():
    judges = drawn(topics=16)
    assert "caution" not in ir.compare_judges(judges, resamples=50).attrs
    uneven = {
        name: each[(each["topic"] == "0") | (each["doc"] == "d0") | (each["doc"] == "d1")]
        for name, each in judges.items()
    }
    with pytest.warns(IrframeWarning) as caught:
        found = ir.compare_judges(uneven, resamples=50)
    told = [str(each.message) for each in caught]
    assert "a coefficient above 0.6: 0.7" in told[0]
    assert found.attrs["caution"] == "\n".join(told)


def test_neither_the_order_of_rows_nor_that_of_topics_matters():
    judges = drawn()
    shuffled = {name: each.sample(frac=1, random_state=1) for name, each in judges.items()}
    assert ir.compare_judges(shuffled, resamples=5).equals(ir.compare_judges(judges, resamples=5))


def test_judges_who_always_say_the_same_agree_by_chance_alone():
    judges = {name: {"1": {"a": 1, "b": 1}} for name in "xy"}
    with pytest.warns(IrframeWarning, match="below 15 topics: 1"):
        found = ir.compare_judges(judges, resamples=2)
    assert np.isnan(found["kappa"]).all()
    assert np.isnan(found["joint_alpha_interval"]).all()
    assert found.sizes["threshold"] == 0


def test_different_documents_are_named_or_left_out_on_request():
    judges = drawn(judges=2)
    judges["b"] = judges["b"].drop(index=[3, 5])
    with pytest.raises(IdError, match="2 of 144 .*0 d3 not by b, 0 d5 not by b.*pairs='common'"):
        ir.compare_judges(judges)
    found = ir.compare_judges(judges, pairs="common", resamples=1)
    alone = {"a": judges["a"].drop(index=[3, 5]), "b": judges["b"]}
    assert found["n"].item() == 142
    assert found["kappa"].equals(ir.compare_judges(alone, resamples=1)["kappa"])


def test_scales_that_differ_are_named_or_stated():
    judges = drawn(judges=3)
    judges["c"] = judges["c"].assign(grade=judges["c"]["grade"].clip(upper=2))
    words = "from 0 to 3, and: c from 0 to 2.*range\\(0, 4\\)"
    refused(GradeError, words, ir.compare_judges, judges)
    with pytest.warns(IrframeWarning, match="no interval of kappa_at"):
        stated, union = (
            ir.compare_judges(judges, grades=grades, resamples=1) for grades in (range(4), "union")
        )
    assert stated["kappa"].equals(union["kappa"])
    words = "grades 0, 1, 2; found grades beyond these, by judge: a: 3, b: 3"
    refused(GradeError, words, ir.compare_judges, judges, grades=[0, 1, 2])


TWICE = pd.DataFrame({"topic": "1", "doc": "x", "grade": [1, 1]})


@pytest.mark.parametrize(
    ("judges", "options", "error", "told"),
    [
        ({"a": {"1": {"x": 1}}}, {}, ParameterError, "at least two judges"),
        ([1, 2], {}, ParameterError, "at least two judges"),
        ({"a": {"1": {"x": 1}}, "b": {"2": {"y": 1}}}, {"pairs": "common"}, IdError, "'2' with"),
        ({"a": {"1": {"x": -1}}, "b": {"1": {"x": 1}}}, {}, GradeError, "grade -1: 1 by a"),
        ({"a": {"1": {"x": 1}}, "b": TWICE}, {}, IdError, "judged again: 1 x"),
    ],
)
def test_what_cannot_be_compared_is_refused(judges, options, error, told):
    refused(error, told, lambda: ir.compare_judges(judges, **options))


def test_published_numbers_of_deep_learning_2021(shared):
    folder = shared / "data" / "trec-dl-2021-judges"
    judges = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    found = ir.compare_judges(judges, resamples=1).squeeze("pair")
    assert round(found["kappa"].sel(weights="none").item(), 3) == 0.373
    assert round(found["kappa_at"].sel(threshold=2).item(), 3) == 0.492


LLMJUDGE = {
    "Olz-gpt4o": (0.2625, 0.5020),
    "Olz-exp": (0.2519, 0.4701),
    "RMITIR-llama70B": (0.2654, 0.4873),
    "h2oloo-fewself": (0.2774, 0.4958),
    "h2oloo-zeroshot1": (0.2817, 0.4812),
    "willia-umbrela1": (0.2863, 0.4918),
    "TREMA-nuggets": (0.0604, 0.1691),
    "TREMA-questions": (0.1137, 0.3148),
}


def test_published_numbers_of_llmjudge(shared):
    folder = shared / "data" / "llmjudge"
    judges = {name: ir.read_qrels(folder / "labels" / f"{name}.txt") for name in LLMJUDGE}
    clipped = {
        name: each.assign(grade=each["grade"].clip(upper=3)) for name, each in judges.items()
    }
    people = {"people": ir.read_qrels(folder / "qrels.human.txt")}
    found = ir.compare_judges(clipped | people, reference="people", resamples=1)
    for name, published in LLMJUDGE.items():
        one = found.isel(pair=found["judge_a"].to_numpy().tolist().index(name))
        kappa, alpha = one["kappa"].sel(weights="none"), one["alpha"].sel(distance="ordinal")
        assert (round(kappa.item(), 4), round(alpha.item(), 4)) == published
