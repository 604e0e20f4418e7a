"""Scores that contradict ranks raise an error or a warning."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.__main__ import main
from irframe.errors import IrframeWarning, RankingError, singular

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
pytestmark = pytest.mark.filterwarnings(
    "ignore:no system has a list", "ignore:lists that systems", "ignore:intervals"
)
FALLING, RISING, EQUAL = [3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]


def run(*lists, system="s", ranks=(1, 2, 3)):
    """Return a run with three ranks and scores per list."""
    rows = [
        (system, f"q{n}", doc, rank, score)
        for n, scores in enumerate(lists, start=1)
        for doc, rank, score in zip("abc", ranks, scores, strict=True)
    ]
    return pd.DataFrame(rows, columns=["system", "topic", "doc", "rank", "score"])


@pytest.mark.parametrize("lists", [[RISING], [RISING] * 3, [RISING, EQUAL, [1.0, 1.0, 2.0]]])
@pytest.mark.parametrize("with_another_system", [False, True])
def test_scores_that_rise_along_ranks_in_all_lists_are_refused(lists, with_another_system):
    frame = run(*lists)
    if with_another_system:
        frame = pd.concat([run(FALLING, FALLING, system="t"), frame])
    message = r"'score' that rise with the ranks in 'rank' in every list of: s\. .*pass ties='rank'"
    refused(RankingError, message, frame.ireval.evaluate, QRELS, "RR")
    assert frame.ireval.evaluate(QRELS, "RR", ties="rank").RR.iloc[0] == 1
    refused(RankingError, r"frame.drop\(columns='rank'\)", frame.ireval.evaluate, QRELS, "RR")
    assert frame.drop(columns="rank").ireval.evaluate(QRELS, "RR").RR.xs("s").iloc[0] == 1 / 3


@pytest.mark.parametrize(
    ("frame", "lists"),
    [
        (run(RISING, FALLING), "1 of 2"),
        (run([1.0, 3.0, 3.0], FALLING, EQUAL), "1 of 2"),
        (run(FALLING, FALLING, ranks=(3, 2, 1)), "2 of 2"),
        (run(RISING, RISING).iloc[::-1], "2 of 2"),
        (run(RISING, RISING).iloc[[0, 2, 1, 3, 5, 4]], "2 of 2"),
    ],
    ids=["some lists", "more steps", "the rank column alone", "rows by score", "shuffled rows"],
)
def test_warnings_count_lists_whose_scores_rise_with_ranks(frame, lists):
    expected = frame.drop(columns="rank").ireval.evaluate(QRELS, "RR")
    message = f"scores rise with the ranks.*: s in {lists} lists"
    with pytest.warns(IrframeWarning, match=message):
        scores = frame.ireval.evaluate(QRELS, "RR")
    pd.testing.assert_frame_equal(scores, expected)
    assert f"s in {lists} lists" in scores.attrs["caution"]
    assert f"s in {lists} lists" in scores.ireval.summary().attrs["caution"]
    with pytest.warns(IrframeWarning, match=message):
        assert f"s in {lists} lists" in frame.ireval.cube(QRELS).ireval.score("RR").attrs["caution"]
    with pytest.warns(IrframeWarning, match=message):
        ir.scorer(QRELS, "RR")(frame)


def slow_directions(frame):
    """Return systems that raise errors, and counts of rising lists."""
    refusals, cautions = [], {}
    for system, lists in frame.groupby("system"):
        says, rises, moved = 0, 0, 0
        for _, rows in lists.groupby("topic"):
            by_rank = rows.sort_values("rank", kind="stable")
            pairs = [*zip(by_rank["rank"], by_rank["score"], strict=True)]
            steps = [(r, s, t) for (r, s), (q, t) in pairwise(pairs) if q > r]
            says += rows["score"].max() > rows["score"].min()
            if sum(np.sign(t - s) for _, s, t in steps) > 0:
                rises += 1
                moved += not rows["rank"].is_monotonic_increasing
        if rises and rises == says and not moved:
            refusals.append(system)
        elif rises:
            cautions[system] = f"{system} in {rises} of {says} lists"
    return refusals, [*cautions.values()]


rows = st.tuples(st.sampled_from("st"), st.sampled_from(["q1", "q2"]), st.integers(0, 3))


RISING_IN_ALL_OR_SOME = [
    (("t", "q2", 0), 0), (("t", "q2", 1), 1),
    (("s", "q1", 0), 0), (("s", "q1", 1), 1), (("s", "q2", 0), 1), (("s", "q2", 1), 0),
]  # fmt: skip


@given(st.lists(st.tuples(rows, st.integers(-2, 2)), min_size=1, max_size=12), st.booleans())
@example(RISING_IN_ALL_OR_SOME, False)  # noqa: FBT003 - positional like `given`
def test_errors_and_warnings_about_rising_scores_agree_with_a_loop(drawn, by_rank):
    frame = pd.DataFrame(
        [(*row, s) for row, s in drawn], columns=["system", "topic", "rank", "score"]
    )
    frame = frame.drop_duplicates(["system", "topic", "rank"])
    frame["doc"] = [f"d{n}" for n in range(len(frame))]
    if by_rank:
        frame = frame.sort_values("rank", kind="stable")
    refusals, cautions = slow_directions(frame)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if refusals:
            message = f"in every list of: {', '.join(refusals)}"
            refused(RankingError, message, ir.verbs.rank, frame)
            cautions = []  # the error comes before any warning about another system
        else:
            ir.verbs.rank(frame)
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == bool(cautions)
    assert all(singular(caution) in messages[0] for caution in cautions)


def test_ranks_that_are_not_numbers_are_ignored():
    frame = run(FALLING, FALLING).assign(rank="first")
    assert frame.ireval.evaluate(QRELS, "RR").RR.tolist() == [1, 1, 0]


def test_systems_without_scores_are_ranked_by_their_ranks():
    ranked = run(EQUAL, EQUAL, system="r").drop(columns="score")
    both = pd.concat([run(FALLING, system="s").drop(columns="rank"), ranked])
    scores = both.ireval.evaluate(QRELS, "RR").RR
    assert scores["r"].tolist() == ranked.ireval.evaluate(QRELS, "RR").RR.tolist() == [1, 1, 0]
    some = both.assign(score=both["score"].where(both["doc"] != "b"))
    refused(RankingError, "a score in every row", some.ireval.evaluate, QRELS, "RR")


@pytest.mark.parametrize("lists", [[RISING, FALLING], [RISING, RISING]], ids=["caution", "refusal"])
def test_messages_of_the_console_advise_ties_rank(lists, tmp_path, capsys):
    frame = run(*lists)
    ir.verbs.write_run(frame, tmp_path / "s.run")
    ir.verbs.write_qrels(ir.as_qrels(QRELS), tmp_path / "qrels.txt")
    line = ["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / "s.run"), "-m", "RR"]
    assert main(line) == 2 * (lists[1] == RISING)
    assert "pass --ties rank" in capsys.readouterr().err
    assert main([*line, "--ties", "rank"]) == 0
    assert "--ties" not in capsys.readouterr().err


def test_the_console_explains_how_to_name_a_third_column(tmp_path, capsys):
    (tmp_path / "s.run").write_text("q1 x 3\nq1 a 2\nq1 b 1\n")
    ir.verbs.write_qrels(ir.as_qrels(QRELS), tmp_path / "qrels.txt")
    line = ["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / "s.run"), "-m", "RR", "-q"]
    assert main(line) == 2
    message = capsys.readouterr().err
    for columns, score in ("topic,doc,score", "0.5000"), ("topic,doc,rank", "0.5000"):
        assert f"--columns {columns}" in message
        assert main([*line, "--columns", columns]) == 0
        assert score in capsys.readouterr().out
