"""Columns by role, once for a frame."""

import pandas as pd
import pytest

from irframe.errors import InputError
from irframe.files.as_runs import qrels_by_role, runs_by_role
from irframe.files.formats import DOCUMENTS, QRELS, RUN
from irframe.files.ids import require_columns

ROW = {"qid": ["1"], "docno": ["d"], "score": [1.0]}


@pytest.mark.parametrize("by_role", [runs_by_role, qrels_by_role])
def test_what_is_known_by_role_stays_as_it_is(by_role):
    named = by_role(pd.DataFrame(ROW))
    assert by_role(named) is named
    assert named.columns.keys() - {"score", "grade"} == {"topic", "doc"}


def test_roles_that_a_kind_does_not_have_are_not_among_its_columns():
    frame = pd.DataFrame({**ROW, "label": [1], "iteration": ["0"]})
    assert require_columns(frame, RUN) == {"topic": "qid", "doc": "docno", "score": "score"}
    assert require_columns(frame, DOCUMENTS) == {"topic": "qid", "doc": "docno"}
    expected = {"topic": "qid", "doc": "docno", "grade": "label", "iteration": "iteration"}
    assert require_columns(frame, QRELS) == expected


def test_all_missing_roles_are_named_with_their_aliases():
    with pytest.raises(InputError) as caught:
        require_columns(pd.DataFrame({"docno": ["d"], "price": [1]}), RUN)
    error = caught.value
    assert error.wanted == "a run with a column for topic and score or rank"
    assert error.found == "a frame with other columns"
    assert error.offenders == ["docno", "price"]
    assert "topic may be named topic, qid, " in error.advice
    assert "rank may be named rank" in error.advice
    assert error.advice.endswith("for example frame.rename(columns={'price': 'topic'})")


def test_names_that_stand_twice_are_named():
    frame = pd.DataFrame(
        [["1", "d", 1, "d", "1"]], columns=["qid", "docno", "rank", "docno", "qid"]
    )
    with pytest.raises(InputError, match="a frame with several named: qid, docno"):
        require_columns(frame, RUN)


def test_a_frame_with_a_column_per_system_is_to_be_melted():
    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "bm25": [1.0], "ance": [2.0]})
    with pytest.raises(InputError, match=r"frame\.melt\(\['qid', 'docno'\]"):
        require_columns(frame, RUN)


def test_judgments_are_no_run():
    with pytest.raises(InputError, match="wanted a run; found judgments"):
        require_columns(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1]}), RUN)
