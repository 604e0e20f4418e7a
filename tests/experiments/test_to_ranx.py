"""Frames as the objects that ranx takes."""

import sys

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import InputError


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_objects_of_ranx():
    ranx = pytest.importorskip("ranx")
    runs, qrels = ir.example_track()
    judged, made = ir.verbs.to_ranx(qrels), runs.ireval.to_ranx()
    assert isinstance(judged, ranx.Qrels)
    assert [run.name for run in made] == runs["system"].unique().tolist()
    expected = ir.evaluate(runs, qrels, "AP")
    pd.testing.assert_frame_equal(
        ir.evaluate({run.name: run for run in made}, judged, "AP").reindex_like(expected), expected
    )
    one = ir.verbs.to_ranx(runs[runs["system"] == "bm25"])
    assert one.name == "bm25"
    assert ir.verbs.to_ranx(runs[runs["system"] == "bm25"].drop(columns="system")).name is None


def test_the_package_that_is_needed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ranx", None)
    with pytest.raises(InputError, match="pip install ranx"):
        ir.verbs.to_ranx(ir.example_track()[0])
