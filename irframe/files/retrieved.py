"""Hits of search engines and vector stores as run rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from numbers import Number
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.errors import InputError, RankingError
from irframe.files.kinds import RUN
from irframe.files.likeness import LIKE_SEARCHES, like_systems
from irframe.files.values import framed, numbers
from irframe.names import (
    ALIASES,
    BORDERS,
    DOC,
    END,
    LAST_RESORTS,
    LISTED_SCORE,
    RANK,
    REPEAT_NAMES,
    SCORE,
    SEARCH,
    START,
    TOPIC,
    roles,
)

CHUNK, PARENT = "chunk_id", "doc_id"
DOCUMENT = "document"
"""The document, or its text: an id if there is no other."""
IDS = {
    CHUNK: ("chunk_id", "node_id", "id_", "id", "_id", "uuid"),
    PARENT: (
        *("doc_id", "ref_doc_id", "document_id", "source_id", "source", "file_path"),
        *(name for name in ALIASES[DOC] if name not in LAST_RESORTS),
    ),
    SCORE: ("score", "_score", "relevance_score", "similarity"),
    START: (*BORDERS[START], "split_idx_start"),
    END: BORDERS[END],
}
"""Column -> what frameworks call it, the surest first."""
PAYLOAD = ("metadata", "meta", "payload", "properties", "fields", "entity", "_source")
"""Keys of what users said of a document, whose scores are of something else."""
INSIDE = ("node", "document", *PAYLOAD, "_additional")
"""Keys of what a hit holds of its document."""
TEXT, TEXTS = "text", ("page_content", "content", "text")
NAMES = {*chain(*IDS.values()), *INSIDE, *TEXTS}


RankedBy = Literal["list", "score"] | None
"""What ranks bare lists of hits; None where their scores do not contradict it."""


class Answers(dict[Any, Any]):
    """Lists of hits by topic, in the order engines returned."""


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
    return of_lists and is_hit(next((hits[0] for hits in lists.values() if hits), None))


def is_hit(hit: Any) -> bool:
    """Tell whether this is a hit, scored or not."""
    if isinstance(hit, tuple | list) and len(hit) == 2:
        if isinstance(hit[0], str | int | np.integer):
            return isinstance(hit[1], Number if isinstance(hit, tuple) else float | np.floating)
        return isinstance(hit[1], Number) and is_hit(hit[0])
    if isinstance(hit, Mapping):
        return not NAMES.isdisjoint(hit) and bool(RUN.lacking(RUN.find(hit)))
    return any(hasattr(hit, n) for n in ("page_content", "node", "meta", "payload", "properties"))


def of_hits(
    lists: Mapping[Any, Sequence[Any]],
    name: str | None = None,
    *,
    ranked_by: RankedBy = None,
    searches: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Return a run frame of hits in their order.

    Scores beside hits are kept as data.

    Parameters
    ----------
    lists
        Topic -> hits.
    name
        The field that is the document; by default the one that is called so.
    ranked_by
        ``"score"`` where scores rank instead; ``"list"`` for bare lists whose scores go both ways.
    searches
        The number of the search that found each hit, one after the other.

    Raises
    ------
    InputError
        If hits have no ids, listing their topics.
    RankingError
        If scores of bare lists both rise and fall, or ranks of hits fall.

    Examples
    --------
    >>> hit = {"page_content": "some text", "metadata": {"source": "a.md", "start_index": 40}}
    >>> of_hits({"q1": [(hit, 0.9)]})
      topic  rank   doc  start  end  listed_score       text
    0    q1     1  a.md     40   49           0.9  some text
    """
    rows = [
        {TOPIC: topic, RANK: rank} | _row_of_hit(hit, name)
        for topic, hits in lists.items()
        for rank, hit in enumerate(hits, start=1)
    ]
    frame = framed(rows)
    if searches is not None:
        frame = frame.assign(**{SEARCH: searches})
        frame[RANK] = frame.groupby([TOPIC, SEARCH]).cumcount() + 1
    _refuse_other_ranks(frame, chain(*lists.values()))
    first = [TOPIC, SEARCH, RANK, CHUNK, PARENT, START, END, SCORE]
    frame = frame[sorted(frame, key=lambda n: first.index(n) if n in first else len(first))]
    own = [each for each in (CHUNK, PARENT) if each in frame.columns]
    without = frame.loc[frame[own].isna().all(axis=1), TOPIC] if own else frame[TOPIC]
    if len(without):
        advice = (
            "give each hit an id: 'id', 'doc_id', or 'source' in its metadata; or name its "
            "field: ir.as_runs(hits, id='...')"
        )
        raise InputError("hits that say what they are", "none for", advice, without.unique())
    partly = [each for each in (START, END) if each in frame and frame[each].isna().any()]
    if SCORE in frame and frame[SCORE].isna().all():
        partly.append(SCORE)
    frame = frame.drop(columns=partly).rename(columns={own[0]: DOC} if len(own) == 1 else {})
    if ranked_by == "score":
        if SCORE not in frame:
            raise InputError("hits with scores, for ranked_by='score'", "none")
        return frame.drop(columns=RANK)
    both_ways = SCORE in frame and _go_both_ways(frame)  # which refuses scores that are no numbers
    if both_ways and ranked_by is None and not isinstance(lists, Answers):
        expected, found = "scores that go one way along lists", "some that rise and some that fall"
        advice = "say what ranks: ir.as_runs(hits, ranked_by='list'), or ranked_by='score'"
        raise RankingError(expected, found, advice)
    return frame.rename(columns={SCORE: LISTED_SCORE})


def _refuse_other_ranks(frame: pd.DataFrame, hits: Iterable[Any]) -> None:
    """Raise if the ranks of hits contradict their order."""
    given_ranks = [hit.get(RANK) if isinstance(hit, Mapping) else None for hit in hits]
    ranks = pd.Series(
        [rank if isinstance(rank, int | float) else None for rank in given_ranks], dtype=float
    )
    lists = [frame[name].to_numpy() for name in (TOPIC, SEARCH) if name in frame]
    falls = (ranks.groupby(lists).diff() < 0).to_numpy()
    if falls.any():
        found, advice = "ranks that fall, of", "sort the hits by rank, or leave their ranks out"
        raise RankingError(
            "ranks that rise from hit to hit", found, advice, frame[TOPIC][falls].unique()
        )


def _go_both_ways(frame: pd.DataFrame) -> bool:
    """Tell whether scores both rise and fall along lists."""
    step = np.diff(numbers(frame[SCORE]))[frame[RANK].to_numpy()[1:] > 1]
    return bool((step > 0).any() and (step < 0).any())


def _row_of_hit(hit: Any, name: str | None) -> dict[str, Any]:
    """Return the fields of a hit under irframe's column names."""
    pair = isinstance(hit, tuple | list) and len(hit) == 2
    levels = [*_levels(hit[0] if pair else hit)]
    if name is None:
        _refuse_two_ids(levels[0])
    fields_of_hit = levels[0].fields
    for level in levels[1:]:
        fields_of_hit = {
            **level.fields,
            **{key: v for key, v in fields_of_hit.items() if v is not None},
        }
    row = {}
    for column, names in IDS.items():
        own = (level.fields for level in levels if column != SCORE or not level.is_payload)
        values = (fields[n] for fields in own for n in names if fields.get(n) is not None)
        value = next(values, None)
        if value is not None and (column not in {START, END} or isinstance(value, Number)):
            row[column] = value
    if name is not None:
        row = {n: value for n, value in row.items() if n not in {CHUNK, PARENT}}
        row |= {PARENT: fields_of_hit[name]} if fields_of_hit.get(name) is not None else {}
    elif not row.keys() & {CHUNK, PARENT} and isinstance(fields_of_hit.get(DOCUMENT), str | int):
        row[PARENT] = fields_of_hit[DOCUMENT]
    if pair:
        row[SCORE] = hit[1]
    text = next(
        (fields_of_hit[each] for each in TEXTS if isinstance(fields_of_hit.get(each), str)), None
    )
    if START in row and END not in row and text is not None:
        row[END] = row[START] + len(text)
    further = {
        key: value
        for key, value in fields_of_hit.items()
        if key not in row and _is_kept(key, value)
    }
    return row | further | ({TEXT: text} if text else {})


def has_id(hit: Any, name: str | None = None) -> bool:
    """Tell whether this is a hit that names its document."""
    plain = isinstance(hit, str | int | float | None)
    return not plain and not {CHUNK, PARENT}.isdisjoint(_row_of_hit(hit, name))


def _is_kept(name: Any, value: Any) -> bool:
    """Tell whether a field becomes a column of its own."""
    if not isinstance(name, str) or name in NAMES or name.startswith("_") or name == LISTED_SCORE:
        return False
    taken = roles([name]) or name in {*REPEAT_NAMES, *LIKE_SEARCHES} or like_systems(name)
    return isinstance(value, str | Number) and not taken


class Level(NamedTuple):
    """Fields of a hit or of a nested object."""

    fields: dict[str, Any]
    is_payload: bool
    """Whether users chose what they are called."""


def _levels(hit: Any, *, is_payload: bool = False) -> Iterator[Level]:
    """Yield the fields of a hit and of nested objects."""
    if isinstance(hit, Mapping):
        own = dict(hit)
    elif isinstance(hit, str | int | np.integer):
        own = {"id": hit}
    else:
        own = {name: getattr(hit, name, None) for name in NAMES}
    yield Level(own, is_payload)
    for name in INSIDE:
        inner = own.get(name)
        if name == "fields" and isinstance(inner, Mapping):  # a list of values for each field
            inner = {
                n: v[0] if isinstance(v, list) and len(v) == 1 else v for n, v in inner.items()
            }
        if inner is not None and not isinstance(inner, str | int | float):
            yield from _levels(inner, is_payload=is_payload or name in PAYLOAD)


def _refuse_two_ids(own: Level) -> None:
    """Raise if a hit has two different ids."""
    names = [name for name in IDS[CHUNK] if own.fields.get(name) is not None]
    if len({str(own.fields[name]) for name in names}) > 1:
        advice = f"say which is the document: ir.as_runs(hits, id={names[0]!r})"
        raise InputError("hits with one id", "several that differ", advice, map(repr, names))
