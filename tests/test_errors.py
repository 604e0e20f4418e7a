"""Tests of error messages, and of warnings about groups."""

import pickle
import warnings

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IdError, IrframeError, IrframeWarning, OneCall, in_group, unsaid, warn


@pytest.mark.parametrize(
    ("advice", "expected"),
    [
        ("rename them", "Rename them."),
        ("put -- as in a list, or not", "Put -- as in a list, or not."),
        ("ir.report(runs, qrels, path) or so", "ir.report(runs, qrels, path) or so."),
        ("pip install fsspec", "pip install fsspec."),
        ("irframe demo --files track", "irframe demo --files track."),
        ("at=[5, 10]", "at=[5, 10]."),
        ("'tag' or 'file'", "'tag' or 'file'."),
        ("q_id", "q_id."),
        ("nDCG@10 has a depth", "nDCG@10 has a depth."),
    ],
)
def test_advice_is_capitalised_unless_it_is_code(advice, expected):
    assert str(IrframeError("x", "y", advice)) == f"expected x, but found y. {expected}"


@pytest.mark.parametrize(
    ("found", "offenders", "expected"),
    [
        ("y", [], "y"),
        ("", [], "none"),
        ("", ["a", 1], "a, 1"),
        ("2 twice", "ab", "2 twice: a, b"),
        ("", range(7), "0, 1, 2, 3, 4 and 2 more"),
    ],
)
def test_messages_list_invalid_values_if_found_is_empty(found, offenders, expected):
    error = IrframeError("x", found, "mend it", offenders)
    assert str(error) == f"expected x, but found {expected}. Mend it."
    assert expected.startswith(error.found)
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(copied), copied.found, copied.offenders) == (
        str(error),
        error.found,
        error.offenders,
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("'ndgc'", "found 'ndgc', but expected x. Mend it."),
        ("none", "expected x, but found none. Mend it."),
        ("3 times", "expected x, but found 3 times. Mend it."),
        ("-1", "expected x, but found -1. Mend it."),
    ],
)
def test_messages_on_terminals_begin_with_found_unless_found_is_unclear_alone(found, expected):
    assert IrframeError("x", found, "mend it").found_first == expected


RUNS, QRELS = ir.example_track()
TRACKS = RUNS.assign(track=RUNS["topic"].map(lambda topic: "xyz"[int(topic) % 3]))
SOME = TRACKS[(TRACKS["system"] != "ance") | ~TRACKS["topic"].isin(["101", "102", "105"])]


def warnings_of(call):
    """Return the messages of all warnings that a call issues."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    # pandas 2 warns that apply includes the columns of groups, which is not tested here
    caught = [warning for warning in caught if warning.category is not DeprecationWarning]
    assert {warning.filename for warning in caught} <= {__file__}
    assert {warning.category for warning in caught} <= {IrframeWarning}
    return [str(warning.message) for warning in caught]


def with_shared_ids(runs):
    """Return tracks in which several topics have the same id."""
    qrels = QRELS.assign(track=QRELS["topic"].map(lambda topic: "xyz"[int(topic) % 3]))
    same = [(frame["topic"].astype(int) // 3).astype(str) for frame in (runs, qrels)]
    return runs.assign(topic=same[0]), qrels.assign(topic=same[1])


def test_warnings_of_groups_are_joined():
    runs, qrels = with_shared_ids(SOME)
    (message,) = warnings_of(lambda: runs.ireval.groupby("track").evaluate(qrels, "AP"))
    for text in ("ance 2 of 5 topics", "(track z)", "ance 1 of 6 topics", "(track x)"):
        assert text in message
    assert warnings_of(lambda: runs.ireval.groupby("track").cube(qrels)) == [message]
    (message,) = warnings_of(lambda: SOME.ireval.groupby("track").evaluate(QRELS, "AP"))
    assert message.startswith("lists that systems lack count as empty: ance 3 of 16 topics")


def test_verbs_issue_one_warning_for_all_groups():
    cube = TRACKS.ireval.cube(QRELS)
    cube = cube.where((cube.topic != "101") | (cube.system != "ance"))
    scores = cube.ireval.score("AP", at=10)
    (message,) = warnings_of(lambda: scores.ireval.groupby("track").compare())
    assert message.endswith("(track z)")


def test_apply_of_pandas_issues_each_warning_once():
    def apply(frame):
        return frame.groupby("track").apply(lambda f: f.ireval.evaluate(QRELS, "AP"))

    for _ in range(2):
        (message,) = warnings_of(lambda: apply(TRACKS))
        assert message.startswith("no system has a list for 11 of 16 judged topics: ")
        assert message.endswith("(for the first group of apply; more groups may be affected)")
    first, second = warnings_of(lambda: apply(SOME[SOME["topic"] != "104"]))
    assert first.startswith("no system has")
    assert second.startswith("lists that systems lack")


def test_separate_calls_issue_separate_warnings():
    def loop():
        for _ in range(2):
            SOME.ireval.evaluate(QRELS, "AP")

    assert len(warnings_of(loop)) == 2


def test_warnings_of_judges_are_joined():
    strict = QRELS.assign(grade=QRELS["grade"].replace(1, 0))
    (message,) = warnings_of(
        lambda: SOME.ireval.judge_effect({"a": QRELS, "b": strict}, "AP", at=10)
    )
    assert message.endswith("(judge a, judge b)")


def test_different_warnings_without_groups_stay_separate():
    def call():
        with OneCall():
            for number in (1, 2, 1):
                warn(f"{number} left out")

    assert warnings_of(call) == ["1 left out", "2 left out"]


def test_warnings_name_at_most_five_groups():
    def call():
        with OneCall():
            for number in range(7):
                with in_group(f"year {number}"):
                    warn("something")
                    warn(f"{number} left out")

    first, second = warnings_of(call)
    assert first == "something (year 0, year 1, year 2, year 3, year 4 and 2 more)"
    assert second.startswith("0 left out (year 0); 1 left out (year 1); ")
    assert second.endswith("4 left out (year 4) and 2 more")


def test_suppressed_warnings_are_not_issued():
    def call():
        with OneCall(), unsaid():
            warn("something")
        with unsaid(), OneCall():
            warn("something")

    assert warnings_of(call) == []
    assert warnings_of(lambda: SOME.ireval.diagnose(QRELS)) == []


def test_warnings_before_an_error_are_issued():
    runs = pd.concat([RUNS, RUNS[RUNS["topic"] == "101"], RUNS.assign(topic="x").head(1)])

    def call():
        with pytest.raises(IdError, match="every document once in a list"):
            runs.ireval.evaluate(QRELS, "AP")

    assert warnings_of(call) == ["1 topic of the runs has no judgments and is left out: x"]
