"""Tests of `compare_judges` against statsmodels, krippendorff and published numbers."""

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
    """Return random judgments of judges with similar grades."""
    random = np.random.default_rng(seed)
    truth = random.integers(4, size=(topics, docs))
    result = {}
    for judge in "abcde"[:judges]:
        noise = random.integers(-1, 2, size=truth.shape)
        grades = np.clip(truth + noise, 0, 3)
        grades[0, :2] = 0, 3
        subset = random.random(truth.shape) < share
        subset[0, :2] = True
        topic, doc = np.nonzero(subset)
        names = {"topic": topic.astype(str), "doc": [f"d{index}" for index in doc]}
        result[judge] = pd.DataFrame(names | {"grade": grades[subset]})
    return result


def side_by_side(judges):
    """Return a frame of grades with one column per judge."""
    columns = {name: frame.set_index(["topic", "doc"])["grade"] for name, frame in judges.items()}
    return pd.DataFrame(columns).astype(float)


@pytest.mark.filterwarnings("ignore:intervals at a threshold")
@pytest.mark.parametrize("share", [1.0, 0.7])
def test_kappa_and_alpha_equal_those_of_statsmodels_and_krippendorff(share):
    judges = drawn(share=share, judges=4)
    result = ir.compare_judges(judges, pairs="pairwise", resamples=1)
    grades = side_by_side(judges)
    for pair in range(result.sizes["pair"]):
        cell = result.isel(pair=pair)
        both = grades[[cell["judge_a"].item(), cell["judge_b"].item()]].dropna().astype(int)
        table = np.zeros((4, 4))
        np.add.at(table, tuple(both.to_numpy().T), 1)
        np.testing.assert_array_equal(cell["confusion"], table)
        assert cell["n"] == len(both)
        for weights, name in {None: "none", "linear": "linear", "quadratic": "quadratic"}.items():
            expected = cohens_kappa(table, wt=weights).kappa
            assert cell["kappa"].sel(weights=name).item() == pytest.approx(expected)
        for distance in result["distance"].to_numpy():
            expected = krippendorff.alpha(both.to_numpy().T, level_of_measurement=distance)
            assert cell["alpha"].sel(distance=distance).item() == pytest.approx(expected)
    for distance in result["distance"].to_numpy():
        expected = krippendorff.alpha(grades.to_numpy().T, level_of_measurement=distance)
        assert result["joint_alpha"].sel(distance=distance).item() == pytest.approx(expected)


def test_coefficients_at_a_threshold_equal_those_of_binary_grades():
    judges = drawn(judges=2)
    result = ir.compare_judges(judges, resamples=1)
    for threshold in (1, 2, 3):
        binary = {
            name: frame.assign(grade=frame["grade"] >= threshold) for name, frame in judges.items()
        }
        alone = ir.compare_judges(binary, resamples=1)
        at = result.sel(threshold=threshold)
        assert at["kappa_at"].item() == pytest.approx(alone["kappa"].sel(weights="none").item())
        expected = alone["alpha"].sel(distance="nominal").item()
        assert at["alpha_at"].item() == pytest.approx(expected)


def test_coefficients_per_topic_equal_coefficients_of_one_topic_alone():
    judges = drawn()
    result = ir.compare_judges(judges, per="topic", grades=range(4))
    for topic in "0123":
        subset = {name: frame[frame["topic"] == topic] for name, frame in judges.items()}
        with pytest.warns(IrframeWarning) as caught:
            alone = ir.compare_judges(subset, grades=range(4), resamples=1)
        assert "fewer than 15 topics (here 1)" in str(caught[0].message)
        assert "no interval of kappa, alpha" in str(caught[1].message)
        for name in result:
            np.testing.assert_allclose(result[name].sel(topic=topic), alone[name])
        assert np.isnan(alone["kappa_interval"]).all()


def clusters(sizes):
    return max((sizes.sum() ** 2 / (sizes**2).sum()).item(), 1.5)


def expected_interval(name, index, samples, confusion, *, alpha):
    """Return the union of a coefficient's jackknife and percentile intervals."""
    value, left_out, replicates = (
        [result[name].values[index] for result in results] for results in samples
    )
    z, n = np.arctanh(np.array(left_out)), 6
    influence = z - z.mean()
    if name.endswith("_at"):
        above = np.arange(4) > index[1]
        counts = confusion[:, index[0]]
        by_both = counts.sum(axis=1) + counts.sum(axis=2)
        sides = [by_both[:, side].sum(axis=1) for side in (above, ~above)]
        n = (min(6, *map(clusters, sides)) + clusters(influence**2)) / 2
    t = stats.t.ppf(1 - alpha / 2, n - 1)
    reach = t * np.sqrt(5 / 6 * (influence**2).sum())
    jackknife = np.tanh([np.arctanh(value[0]) - reach, np.arctanh(value[0]) + reach])
    values = np.sort(replicates)
    beyond = int(len(values) * stats.norm.cdf(-t * np.sqrt(n / (n - 1))))
    return min(jackknife[0], values[beyond]), max(jackknife[1], values[-1 - beyond])


def test_intervals_are_the_union_of_jackknife_and_percentile_intervals(monkeypatch):
    from irframe.judging import compare_judges as module

    judges, options = drawn(topics=6, docs=30), {"reference": "a", "grades": range(4)}
    times = np.random.default_rng(5).multinomial(6, [1 / 6] * 6, size=9)
    monkeypatch.setattr("irframe.scores.averages.count_drawn", lambda _: times.astype(float))
    monkeypatch.setattr(module, "BLOCK", 1)
    with pytest.warns(IrframeWarning, match="fewer than 15 topics .here 6"):
        result = ir.compare_judges(judges, alpha=0.6, resamples=9, **options)
    replicates = [
        alike(
            {
                name: pd.concat(
                    frame[frame["topic"] == str(topic)].assign(topic=f"{topic}-{copy}")
                    for topic, count in enumerate(counts)
                    for copy in range(count)
                )
                for name, frame in judges.items()
            },
            **options,
        )
        for counts in times
    ]
    left_out = [
        alike({name: frame[frame["topic"] != topic] for name, frame in judges.items()}, **options)
        for topic in "012345"
    ]
    confusion = ir.compare_judges(judges, per="topic", **options)["confusion"].to_numpy()
    for name in ("kappa", "alpha", "kappa_at", "alpha_at", "joint_alpha"):
        for index in np.ndindex(result[name].shape):
            samples = ([result], left_out, replicates)
            expected = expected_interval(name, index, samples, confusion, alpha=0.6)
            np.testing.assert_allclose(result[f"{name}_interval"].values[index], expected)


@pytest.mark.parametrize(
    ("topics", "pattern"),
    [
        (4, "no interval of kappa_at, .* fewer than 5 topics"),
        (8, r"fewer than 10 topics .*: 8 topics for grade 1"),
    ],
)
def test_intervals_at_thresholds_with_few_topics_raise_a_warning(topics, pattern):
    rare = {
        name: frame.assign(grade=frame["grade"].where(frame["topic"].astype(int) < topics, 0))
        for name, frame in drawn(topics=16, docs=30).items()
    }
    with pytest.warns(IrframeWarning, match=pattern):
        result = ir.compare_judges(rare, resamples=50)
    ends = result["kappa_at_interval"]
    assert np.isnan(ends).all() if topics < 5 else (ends[..., 0] < ends[..., 1]).all()
    assert result["kappa_interval"].notnull().all()


def alike(judges, **options):
    """Return the coefficients after all topics are merged into one."""
    merged = {
        name: frame.assign(doc=frame["topic"] + frame["doc"], topic="all")
        for name, frame in judges.items()
    }
    return ir.compare_judges(merged, per="topic", **options).sel(topic="all")


def test_means_of_coefficients_over_topics_have_students_intervals():
    judges = drawn()
    result = ir.compare_judges(judges, resamples=5)
    topics = ir.compare_judges(judges, per="topic")
    for name in ("kappa", "joint_alpha"):
        values = topics[name].to_numpy()
        np.testing.assert_allclose(result[f"{name}_per_topic"], values.mean(axis=0))
        ends = stats.t.interval(0.95, len(values) - 1, values.mean(axis=0), stats.sem(values))
        expected = np.stack(ends, axis=-1)
        np.testing.assert_allclose(result[f"{name}_per_topic_interval"], expected)


def test_topics_of_unequal_size_raise_a_warning():
    judges = drawn(topics=16)
    assert "caution" not in ir.compare_judges(judges, resamples=50).attrs
    uneven = {
        name: frame[(frame["topic"] == "0") | (frame["doc"] == "d0") | (frame["doc"] == "d1")]
        for name, frame in judges.items()
    }
    with pytest.warns(IrframeWarning) as caught:
        result = ir.compare_judges(uneven, resamples=50)
    messages = [str(frame.message) for frame in caught]
    assert "exceeds 0.6 (here 0.7" in messages[0]
    assert result.attrs["caution"] == "\n".join(messages)


def test_coefficients_do_not_depend_on_the_order_of_rows():
    judges = drawn()
    shuffled = {name: frame.sample(frac=1, random_state=1) for name, frame in judges.items()}
    assert ir.compare_judges(shuffled, resamples=5).equals(ir.compare_judges(judges, resamples=5))


def test_kappa_is_nan_if_judges_use_one_grade():
    judges = {name: {"1": {"a": 1, "b": 1}} for name in "xy"}
    with pytest.warns(IrframeWarning, match="fewer than 15 topics .here 1"):
        result = ir.compare_judges(judges, resamples=2)
    assert np.isnan(result["kappa"]).all()
    assert np.isnan(result["joint_alpha_interval"]).all()
    assert result.sizes["threshold"] == 0


def test_documents_that_some_judge_did_not_judge_are_refused_or_dropped():
    judges = drawn(judges=2)
    judges["b"] = judges["b"].drop(index=[3, 5])
    with pytest.raises(IdError, match="2 of 144 .*0 d3 not by b, 0 d5 not by b.*pairs='common'"):
        ir.compare_judges(judges)
    result = ir.compare_judges(judges, pairs="common", resamples=1)
    alone = {"a": judges["a"].drop(index=[3, 5]), "b": judges["b"]}
    assert result["n"].item() == 142
    assert result["kappa"].equals(ir.compare_judges(alone, resamples=1)["kappa"])


def test_judges_with_different_scales_are_refused_unless_grades_are_passed():
    judges = drawn(judges=3)
    judges["c"] = judges["c"].assign(grade=judges["c"]["grade"].clip(upper=2))
    pattern = "0 to 3, except for judges: c from 0 to 2.*range\\(0, 4\\)"
    refused(GradeError, pattern, ir.compare_judges, judges)
    with pytest.warns(IrframeWarning, match="no interval of kappa_at"):
        stated, union = (
            ir.compare_judges(judges, grades=grades, resamples=1) for grades in (range(4), "union")
        )
    assert stated["kappa"].equals(union["kappa"])
    pattern = "grades 0, 1, 2, but found other grades by judge: a: 3, b: 3"
    refused(GradeError, pattern, ir.compare_judges, judges, grades=[0, 1, 2])


TWICE = pd.DataFrame({"topic": "1", "doc": "x", "grade": [1, 1]})


@pytest.mark.parametrize(
    ("judges", "options", "error", "pattern"),
    [
        ({"a": {"1": {"x": 1}}}, {}, ParameterError, "at least two judges"),
        ([1, 2], {}, ParameterError, "at least two judges"),
        ({"a": {"1": {"x": 1}}, "b": {"2": {"y": 1}}}, {"pairs": "common"}, IdError, "'2' with"),
        ({"a": {"1": {"x": -1}}, "b": {"1": {"x": 1}}}, {}, GradeError, "grade -1: 1 by a"),
        ({"a": {"1": {"x": 1}}, "b": TWICE}, {}, IdError, "judged again: 1 x"),
    ],
)
def test_invalid_judges_are_refused(judges, options, error, pattern):
    refused(error, pattern, lambda: ir.compare_judges(judges, **options))


def test_kappa_equals_published_values_of_deep_learning_2021(shared):
    folder = shared / "data" / "trec-dl-2021-judges"
    judges = {name: ir.read_qrels(folder / f"qrels.{name}.txt") for name in ("nist", "gpt4o")}
    result = ir.compare_judges(judges, resamples=1).squeeze("pair")
    assert round(result["kappa"].sel(weights="none").item(), 3) == 0.373
    assert round(result["kappa_at"].sel(threshold=2).item(), 3) == 0.492


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


def test_kappa_and_alpha_equal_published_values_of_llmjudge(shared):
    folder = shared / "data" / "llmjudge"
    judges = {name: ir.read_qrels(folder / "labels" / f"{name}.txt") for name in LLMJUDGE}
    clipped = {
        name: frame.assign(grade=frame["grade"].clip(upper=3)) for name, frame in judges.items()
    }
    people = {"people": ir.read_qrels(folder / "qrels.human.txt")}
    result = ir.compare_judges(clipped | people, reference="people", resamples=1)
    for name, published in LLMJUDGE.items():
        cell = result.isel(pair=result["judge_a"].to_numpy().tolist().index(name))
        kappa, alpha = cell["kappa"].sel(weights="none"), cell["alpha"].sel(distance="ordinal")
        assert (round(kappa.item(), 4), round(alpha.item(), 4)) == published
