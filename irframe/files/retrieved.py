"""Lists of hits as frameworks of retrieval have them: objects, dictionaries, pairs."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.files.values import framed
from irframe.names import BORDERS, DOC, END, RANK, SCORE, START, TOPIC

CHUNK, PARENT = "chunk_id", "doc_id"
IDS = {
    CHUNK: ("chunk_id", "node_id", "id_", "id"),
    PARENT: (
        *("doc_id", "ref_doc_id", "document_id", "source_id"),
        *("corpus_id", "source", "file_path"),
    ),
    SCORE: ("score", "relevance_score", "similarity"),
    START: (*BORDERS[START], "split_idx_start"),
    END: BORDERS[END],
}
"""Column -> what frameworks call it, the surest first."""
INSIDE = ("node", "document", "metadata", "meta")
"""Keys of what a hit holds of its document."""
TEXTS = ("page_content", "content", "text")
NAMES = {*chain(*IDS.values()), *INSIDE, *TEXTS}


def holds_hits(lists: Any) -> bool:
    """Tell whether these are lists of hits, by topic.

    Examples
    --------
    >>> holds_hits({"q1": [{"corpus_id": 3, "score": 0.9}]}), holds_hits({"q1": ["d1"]})
    (True, False)
    """
    of_lists = isinstance(lists, Mapping) and all(
        isinstance(h, list | tuple) for h in lists.values()
    )
    first = next((hits[0] for hits in lists.values() if hits), None) if of_lists else None
    hit = first[0] if isinstance(first, tuple | list) and len(first) == 2 else first
    if isinstance(hit, Mapping):
        return not NAMES.isdisjoint(hit)
    return any(hasattr(hit, name) for name in ("page_content", "node", "meta"))


def of_hits(lists: Mapping[Any, Sequence[Any]]) -> pd.DataFrame:
    """Return a run frame of hits, the best of each list first.

    Raises
    ------
    InputError
        If hits have no ids, listing their topics.

    Examples
    --------
    >>> hit = {"page_content": "some text", "metadata": {"source": "a.md", "start_index": 40}}
    >>> of_hits({"q1": [(hit, 0.9)]})
      topic  rank   doc  start  end  score
    0    q1     1  a.md     40   49    0.9
    """
    rows = [
        {TOPIC: topic, RANK: rank} | _row_of_hit(hit)
        for topic, hits in lists.items()
        for rank, hit in enumerate(hits, start=1)
    ]
    frame = framed(rows)
    order = [TOPIC, RANK, CHUNK, PARENT, START, END, SCORE]
    frame = frame[[name for name in order if name in frame.columns]]
    own = [name for name in (CHUNK, PARENT) if name in frame.columns]
    without = frame.loc[frame[own].isna().all(axis=1), TOPIC] if own else frame[TOPIC]
    if len(without):
        advice = "give each hit an id: 'id', 'doc_id', or 'source' in its metadata"
        raise InputError("hits that say what they are", "none for", advice, without.unique())
    partly = [name for name in (START, END) if name in frame and frame[name].isna().any()]
    if SCORE in frame and frame[SCORE].isna().all():
        partly.append(SCORE)
    return frame.drop(columns=partly).rename(columns={own[0]: DOC} if len(own) == 1 else {})


def _row_of_hit(hit: Any) -> dict[str, Any]:
    """Return what a hit says of itself, under the words of irframe."""
    pair = isinstance(hit, tuple | list) and len(hit) == 2
    held = _fields(hit[0] if pair else hit)
    row = {
        column: value
        for column, names in IDS.items()
        if (value := next((held[n] for n in names if held.get(n) is not None), None)) is not None
    }
    if pair:
        row[SCORE] = hit[1]
    text = next((held[name] for name in TEXTS if isinstance(held.get(name), str)), None)
    if START in row and END not in row and text is not None:
        row[END] = row[START] + len(text)
    return row


def _fields(hit: Any) -> dict[str, Any]:
    """Return the fields of a hit and of what it holds, its own first."""
    if isinstance(hit, Mapping):
        own = dict(hit)
    else:
        own = {name: getattr(hit, name, None) for name in NAMES}
    for name in INSIDE:
        inner = own.get(name)
        if inner is not None and not isinstance(inner, str | int | float):
            held = _fields(inner) if name in {"node", "document"} else dict(inner)
            own |= {key: value for key, value in held.items() if own.get(key) is None}
    return own
