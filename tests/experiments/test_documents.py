"""Documents of several frames coded together, batch by batch."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.experiments import coded_tables
from irframe.experiments.coded_tables import Side, Stretches, code_documents, take

pairs = st.lists(st.tuples(st.integers(0, 6), st.text("abé", max_size=2)), max_size=30)


def side(rows, kind):
    """Lay rows out, the documents in two chunks."""
    docs = [doc for _, doc in rows]
    chunks = [pa.array(part, kind) for part in (docs[:2], docs[2:])]
    return Side(np.array([topic for topic, _ in rows], int), pa.chunked_array(chunks, kind))


@pytest.mark.parametrize("batch", [1, 3, 1 << 14])
@given(sides=st.lists(pairs, min_size=1, max_size=3))
def test_codes_are_equal_where_topic_and_document_are(batch, sides):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_tables, "BATCH", batch)
        kinds = [pa.string(), pa.large_string(), pa.string()]
        coded = code_documents(*map(side, sides, kinds[: len(sides)]))
    assert [len(codes) for codes in coded] == list(map(len, sides))
    codes = [int(code) for codes in coded for code in codes]
    names = [row for rows in sides for row in rows]
    assert pd.factorize(np.array(codes))[0].tolist() == pd.factorize(pd.Series(names))[0].tolist()


@pytest.mark.parametrize("rows", [[], [2], [1, 2, 3], [3, 2, 1], [0, 2, 3], [0, 2, 1, 3], [0, 0]])
def test_rows_taken(rows):
    values = pa.chunked_array([["a", "b"], ["c", "d"]])
    taken = take(values, np.array(rows, int))
    assert taken.type == pa.large_string()
    assert taken.to_pylist() == ["abcd"[row] for row in rows]
    numbers = pa.chunked_array([pa.array([4, 5, 6, 7], pa.int16())])
    assert take(numbers, np.array(rows, int)).to_pylist() == [row + 4 for row in rows]


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(0, 6), st.integers(0, 6))
def test_stretches_of_topics_are_their_rows(topics, first, end):
    codes = np.array(topics, np.int32)
    found = Stretches.of(codes).rows(first, end)
    expected = [row for topic in range(first, end) for row in np.flatnonzero(codes == topic)]
    assert found.tolist() == expected
