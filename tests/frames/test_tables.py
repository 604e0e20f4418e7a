"""Tests of matrices, and of tables of other libraries."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from refusals import refused
from scipy import sparse

import irframe as ir
from irframe.errors import IdError, IrframeError

QRELS = {"1": {"a": 1}, "2": {"b": 1}}
LABELS = {"topics": ["1", "2"], "docs": ["a", "b", "a"]}
VALUES = np.array([[0.5, 0.9, 0.1], [0.2, 0.3, 0.4]])


def _matrices(values, topics, docs):
    frame = pd.DataFrame(values, pd.Index(topics, name="qid"), pd.Index(docs, name="docno"))
    labels = {"topics": topics, "docs": docs}
    yield frame
    yield frame.T
    yield xr.DataArray(values, {"qid": topics, "docno": docs}, ["qid", "docno"])
    yield ir.as_runs(values, **labels)
    yield ir.as_runs(sparse.csr_array(values), **labels)


def test_matrices_of_any_kind_give_the_same_scores():
    for matrix in _matrices(VALUES, ["1", "2"], ["a", "b", "c"]):
        assert ir.evaluate(matrix, QRELS, "RR")["RR"].tolist() == [0.5, 0.5]
        assert sorted(ir.as_runs(matrix)["score"]) == sorted(VALUES.ravel())


def test_a_repeated_document_in_a_matrix_is_refused():
    for docs, topics in ((["a", "b", "a"], ["1", "2"]), (["a", "b", "c"], ["1", "1"])):
        for matrix in _matrices(VALUES, topics, docs):
            refused(IdError, "listed again: run 1 a", ir.evaluate, matrix, QRELS, "RR")
    judged = ir.as_qrels((VALUES > 0.2).astype(int), **LABELS)
    refused(IdError, "1 a", ir.evaluate, {"1": {"a": 1.0}}, judged, "RR")


def _encoded(values, dictionary):
    codes = pa.array([dictionary.index(v) if v in dictionary else None for v in values])
    return pa.DictionaryArray.from_arrays(codes, pa.array(dictionary))


@pytest.mark.parametrize("role", ["topic", "doc", "score", "system", "title"])
def test_missing_values_of_arrow_dictionaries_are_refused(role):
    columns = {"topic": ["1", "1", "2"], "doc": ["a", "b", "b"], "score": [3.0, 2.0, 1.0]}
    columns |= {"system": ["s"] * 3, "title": ["x", "y", "z"]}
    values = [*columns[role][:2], None]
    distinct = [*dict.fromkeys(columns[role])]
    plain = pa.table(columns | {role: pa.array(values)})
    tables = [
        plain.set_column([*columns].index(role), role, _encoded(values, dictionary))
        for dictionary in (distinct, [*distinct, None], [None, *distinct, *distinct[:1]])
    ]

    def answer(table):
        try:
            return ir.evaluate(table, QRELS, "RR")["RR"].tolist()
        except IrframeError as error:
            return type(error), str(error)

    assert [answer(table) for table in tables] == [answer(plain)] * 3
    assert (answer(plain) == [1.0, 1.0]) == (role == "title")
