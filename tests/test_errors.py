"""Errors: one sentence of what was wanted and found, one of advice."""

import pickle

import pytest

from irframe.errors import IrframeError


@pytest.mark.parametrize(
    ("advice", "said"),
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
def test_advice_is_a_sentence_and_code_stays_code(advice, said):
    assert str(IrframeError("x", "y", advice)) == f"wanted x; found y. {said}"


@pytest.mark.parametrize(
    ("found", "offenders", "said"),
    [
        ("y", [], "y"),
        ("", [], "none"),
        ("", ["a", 1], "a, 1"),
        ("2 twice", "ab", "2 twice: a, b"),
        ("", range(7), "0, 1, 2, 3, 4 and 2 more"),
    ],
)
def test_what_was_found_may_be_the_offenders_themselves(found, offenders, said):
    error = IrframeError("x", found, "mend it", offenders)
    assert str(error) == f"wanted x; found {said}. Mend it."
    assert said.startswith(error.found)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.found, again.offenders) == (str(error), error.found, error.offenders)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("'ndgc'", "found 'ndgc'; wanted x. Mend it."),
        ("none", "wanted x; found none. Mend it."),
        ("3 times", "wanted x; found 3 times. Mend it."),
        ("-1", "wanted x; found -1. Mend it."),
    ],
)
def test_a_terminal_shows_first_what_is_wrong_if_that_says_something(found, said):
    assert IrframeError("x", found, "mend it").found_first == said
