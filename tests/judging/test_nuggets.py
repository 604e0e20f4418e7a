"""Tests of `score_nuggets` against a reference implementation."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import IdError, InputError

GAINS = {"support": 1, "partial_support": 0.5, "not_support": 0}


def draw(seed=0, systems=4, topics=6):
    """Return random labels, without vital nuggets on the last topic."""
    random = np.random.default_rng(seed)
    rows = []
    for topic in range(topics):
        kinds = random.choice(["vital", "okay"], size=5) if topic < topics - 1 else ["okay"] * 5
        for system in range(systems):
            labels = random.choice(list(GAINS), size=5)
            rows += [
                (f"s{system}", topic, f"n{number}", kind, label)
                for number, (kind, label) in enumerate(zip(kinds, labels, strict=True))
            ]
    return pd.DataFrame(rows, columns=["system", "topic", "nugget", "importance", "assignment"])


def slow(answer, *, strict):
    """Score one answer with a loop over its nuggets."""
    gains = [int(GAINS[label]) if strict else GAINS[label] for label in answer["assignment"]]
    pairs = list(zip(gains, answer["importance"], strict=True))
    vital = [gain for gain, kind in pairs if kind == "vital"]
    okay = [gain for gain, kind in pairs if kind == "okay"]
    return {
        "all": sum(gains) / len(gains),
        "vital": sum(vital) / len(vital) if vital else 0,
        "weighted": (sum(vital) + 0.5 * sum(okay)) / (len(vital) + 0.5 * len(okay)),
    }


@pytest.fixture(scope="module")
def labels():
    return draw()


def test_nugget_scores_equal_those_of_a_loop_over_answers(labels):
    result = labels.sample(frac=1, random_state=1).ireval.score_nuggets()
    assert len(result) == 24
    for (system, topic), answer in labels.groupby(["system", "topic"]):
        row = result.loc[system, topic]
        assert row[["all", "vital", "weighted"]].to_dict() == pytest.approx(
            slow(answer, strict=False)
        )
        strict = row[["strict_all", "strict_vital", "strict_weighted"]]
        assert strict.to_numpy() == pytest.approx(list(slow(answer, strict=True).values()))


def test_compare_and_summary_accept_nugget_scores(labels):
    scores = labels.ireval.score_nuggets()
    compared = scores.ireval.compare(baseline="s0")
    assert set(compared["metric"]) == set(scores.columns)
    means = scores.groupby("system")["vital"].mean()
    summary = scores.ireval.summary()["mean"]
    assert summary.xs("vital").to_dict() == pytest.approx(means.to_dict())


def test_records_of_nuggetizer_are_accepted():
    nuggets = [
        {"text": "a fact", "importance": "vital", "assignment": "partial_support"},
        {"text": "an aside", "importance": "okay", "assignment": "support"},
    ]
    records = [{"qid": "q1", "run_id": "mine", "nuggets": nuggets}]
    frame = pd.json_normalize(records, "nuggets", ["qid", "run_id"])
    result = frame.ireval.score_nuggets()
    assert result.index.tolist() == [("mine", "q1")]
    assert result.index.names == ["run_id", "qid"]
    assert result["weighted"].item() == pytest.approx(2 / 3)


def test_column_of_systems_can_be_omitted_for_one_system(labels):
    alone = labels[labels["system"] == "s1"]
    result = ir.verbs.score_nuggets(alone.drop(columns="system"))
    assert result.index.unique("system").tolist() == ["run"]
    expected = alone.ireval.score_nuggets()
    np.testing.assert_array_equal(result, expected)


def test_unknown_labels_of_nuggets_are_listed_in_the_error(labels):
    wrong = labels.copy()
    wrong.loc[0, "assignment"] = "supports"
    wrong.loc[[3, 9], "importance"] = None
    refused(InputError, "'importance', 'supports' in 'assignment'", wrong.ireval.score_nuggets)


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        (lambda f: pd.concat([f, f.iloc[[1]]]), "one label .* several: s0 0 n1"),
        (lambda f: f.drop(index=[1, 2]), "every nugget .* fewer: s0 0 has 3 of 5"),
        (
            lambda f: f.assign(importance=f["importance"].where(f.index != 5, "okay")),
            "the same importance .* s1 0 n0",
        ),
    ],
    ids=["twice", "missing", "importance"],
)
def test_duplicate_missing_and_inconsistent_labels_are_refused(change, pattern):
    frame = draw(topics=2)
    frame.loc[frame["topic"] == 0, "importance"] = "vital"
    refused(IdError, pattern, change(frame).ireval.score_nuggets)


def test_frames_without_nugget_columns_are_refused(labels):
    with pytest.raises(InputError, match="column for importance"):
        ir.verbs.score_nuggets(labels.drop(columns="importance"))
    assert not hasattr(labels.drop(columns="nugget"), "ireval")


def test_several_answers_to_a_topic_are_repeats():
    rng = np.random.default_rng(2)
    labels = pd.MultiIndex.from_product(
        [["a", "b"], [1, 2, 3], ["1", "2", "3"], ["n1", "n2"]],
        names=["run_id", "sample", "qid", "nugget"],
    ).to_frame(index=False)
    labels["importance"] = "vital"
    labels["assignment"] = rng.choice(["support", "not_support"], len(labels))
    scores = labels.ireval.score_nuggets()
    assert scores.index.names == ["run_id", "sample", "qid"]
    second = labels[labels["sample"] == 2].drop(columns="sample")
    pd.testing.assert_frame_equal(
        scores.xs(2, level="sample"), second.ireval.score_nuggets(), check_exact=True
    )
    means = scores.groupby(level=["run_id", "qid"]).mean()
    result, plain = (frame.ireval.compare() for frame in (scores, means))
    assert (result["n_topics"] == 3).all()
    np.testing.assert_allclose(result["p"], plain["p"])


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_nugget_scores_can_be_joined_with_span_scores():
    labels = draw(systems=2, topics=3)
    cited = pd.DataFrame(
        {"system": ["s0", "s1"] * 3, "topic": [0, 0, 1, 1, 2, 2], "doc": "a", "rank": 1,
         "start": [0, 5] * 3, "end": [10, 15] * 3}
    )  # fmt: skip
    spans = ir.as_spans(
        pd.DataFrame({"topic": range(3), "doc": "a", "start": 5, "end": [7, 9, 13]})
    )
    nuggets = labels.ireval.score_nuggets()
    both = nuggets[["all"]].join(cited.ireval.evaluate(spans, ["SpanP", "SpanR"]))
    assert both["SpanP"].tolist() == [0.2, 0.4, 0.5, 0.2, 0.4, 0.8]
    assert both["SpanR"].tolist() == [1, 1, 5 / 8, 1, 1, 1]
    assert both.ireval.summary().index.unique("metric").tolist() == ["all", "SpanP", "SpanR"]
