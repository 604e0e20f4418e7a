"""Blocks of unjudged documents are joined into one block."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.experiments.hits import Hits, JoinedUnjudged, TopUnjudged
from irframe.experiments.ranked_runs import Gathered, ListHits

NAMES = st.lists(st.sampled_from(["a", "b", "", "é", "long name of a document"]), max_size=6)


def block(names, first=0):
    """Return a block with one unjudged document per list."""
    of = np.arange(first, first + len(names), dtype=np.int32)
    chunks = [names[:2], names[2:]]
    return TopUnjudged.named(
        of, np.zeros(len(names), np.int16), pa.chunked_array(chunks, pa.large_string())
    )


@given(st.lists(NAMES, max_size=8))
def test_joined_blocks_keep_the_names_of_documents(lists):
    joined = JoinedUnjudged(map(block, lists)).joined()
    if not lists:
        assert joined is None
        return
    assert joined.doc.to_pylist() == [name for names in lists for name in names]
    assert joined.of.tolist() == [of for names in lists for of in range(len(names))]
    assert sorted(joined.docs.to_pylist()) == sorted({name for names in lists for name in names})


NUMBERED = TopUnjudged.named(np.zeros(1, int), np.zeros(1, int), pa.chunked_array([[7]]))


@pytest.mark.parametrize("unlike", [None, NUMBERED], ids=["unknown", "numbers"])
def test_blocks_with_unknown_names_or_names_of_different_types_are_not_joined(unlike):
    for blocks in ([block(["a"]), unlike], [unlike, block(["a"])]):
        assert JoinedUnjudged(blocks).joined() is None


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=20), min_size=1, max_size=5))
def test_lists_gathered_in_reverse_order_keep_their_ties(ties):
    none = np.zeros(0, np.int32)
    lists = [
        ListHits(np.array([number]), Hits(np.array([len(tied)]), none, none, none, np.array(tied)))
        for number, tied in enumerate(ties)
    ]
    gathered = Gathered(reversed(lists)).hits((1, len(lists)))
    assert gathered.tied.tolist() == [value for tied in ties for value in tied]
