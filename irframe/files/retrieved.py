"""Hits as search engines and vector stores answer them, and lists of objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain
from numbers import Number
from typing import Any, Literal

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

ONLY = "*"
"""The one key of a dictionary, whatever it is."""
GENERATED = frozenset({"replies", "answers", "prompt"})
"""What parts of a pipeline hold that found nothing, beside the one that did."""
ANSWERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "Elasticsearch, OpenSearch": (("hits", "hits"),),
    "Solr": (("response", "docs"),),
    "Pinecone": (("matches",), ("result", "hits")),
    "Qdrant": (("points",), ("result", "points"), ("result",)),
    "Weaviate": (("objects",), ("data", "Get", ONLY)),
    "Haystack": (("documents",), (ONLY, "documents")),
    "LangChain": (("context",), ("source_documents",)),
    "LlamaIndex": (("source_nodes",),),
}
"""Tool -> where it puts the hits of a search in what it answers."""
FIRST = frozenset({"ids", "root", *(path[0] for paths in ANSWERS.values() for path in paths)})
"""Names of which an answer has one, unless all that it has are parts of a pipeline."""
COLUMNS = {"ids": "id", "distances": "distance", "documents": "text", "metadatas": "metadata"}
"""What Chroma answers, a list for each search -> a hit's word for it."""
BATCH = "responses"
"""Where Elasticsearch puts the answers to several searches."""

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
INSIDE = (
    *("node", "document", "metadata", "meta"),
    *("payload", "properties", "fields", "entity", "_source", "_additional"),
)
"""Keys of what a hit holds of its document."""
RankedBy = Literal["list", "score"] | None
"""What ranks hits; None where they say it themselves."""
PAYLOAD = ("metadata", "meta", "payload", "properties", "fields", "entity", "_source")
"""Those of them that hold what users said of it, whose scores are of something else."""
TEXT, TEXTS = "text", ("page_content", "content", "text")
NAMES = {*chain(*IDS.values()), *INSIDE, *TEXTS}


class Answers(dict[Any, Any]):
    """Lists by topic as tools answered them, in an order that nobody has to be asked about."""


def unpacked(x: Any) -> Any:
    """Return what tools answered as lists of hits, ``{topic: hits}``; anything else as it is.

    Examples
    --------
    >>> unpacked({"q1": {"took": 3, "hits": {"hits": [{"_id": "d1", "_score": 0.9}]}}})
    {'q1': [{'_id': 'd1', '_score': 0.9}]}
    """
    if isinstance(x, Mapping):
        if isinstance(x.get(BATCH), list):
            return unpacked(x[BATCH])
        if (lists := _of_columns(x)) is not None:
            return Answers(enumerate(lists))
        _refuse_one_answer(x)
        if (answers := _hits_by_topic(x)) is not None:
            return answers
        runs = ((name, part) for name, part in x.items() if isinstance(part, Mapping))
        told = ((name, _hits_by_topic(part)) for name, part in runs)
        of_systems = {name: lists for name, lists in told if lists is not None}
        return {**x, **of_systems} if of_systems else x
    if isinstance(x, list) and x:
        topics = dict(enumerate(x))
        return _hits_by_topic(topics) or (topics if holds_hits(topics) else x)
    return x


def _hits_by_topic(answers: Mapping[Any, Any]) -> dict[Any, Any] | None:
    """Return the hits of every topic; None where not all are answers, or lists beside these."""
    if hits_in(next(iter(answers.values()), None)) is None:
        return None
    lists = Answers({topic: hits_in(answer) for topic, answer in answers.items()})
    if all(hits is None or hits is answers[topic] for topic, hits in lists.items()):
        return None
    if failed := [repr(topic) for topic, hits in lists.items() if hits is None]:
        advice = "search again for these, or leave them out: they count as empty lists then"
        found = f"{len(failed)} without hits, of"
        raise InputError("the answers of searches", found, advice, failed)
    return lists


def hits_in(answer: Any) -> Sequence[Any] | None:
    """Return the hits of one search, or what is a list of these already; None for no answer."""
    if isinstance(answer, list | tuple):
        return answer
    if _is_none(answer):  # asked first, as it is true of most hits, of which there are many
        return None
    if isinstance(answer, str | bytes | Number | pd.DataFrame | None):
        return None
    if isinstance(answer, Mapping) and (lists := _of_columns(answer)) is not None:
        return lists[0] if len(lists) == 1 else None
    if (hits := _of_vespa(answer)) is not None:
        return hits
    known = (_hits_at(answer, path) for path in chain(*ANSWERS.values()))
    return next((hits for hits in known if hits is not None), None)


def _is_none(answer: Any) -> bool:
    """Tell whether a dictionary has no field of an answer, nor parts alone, as a pipeline has."""
    other = isinstance(answer, dict) and FIRST.isdisjoint(answer) and len(answer) > 1
    return other and not all(isinstance(held, Mapping) for held in answer.values())


def _hits_at(answer: Any, path: Sequence[str]) -> Sequence[Any] | None:
    found = answer
    for name, inside in zip(path, [*path[1:], ""], strict=True):
        found = part(found, name, inside)
    is_list = isinstance(found, list | tuple) and (not found or is_hit(found[0]))
    return found if is_list else None


def _refuse_one_answer(x: Mapping[Any, Any]) -> None:
    """Raise for what a tool answered to one search, of which nothing says for which topic."""
    paths = (path for path in chain(*ANSWERS.values()) if ONLY not in path)
    if _of_vespa(x) is not None or any(_hits_at(x, path) is not None for path in paths):
        found, advice = "one answer without its topic", "name it: {'q1': answer}"
        raise InputError("the answers of searches by topic", found, advice)


def part(held: Any, name: str, inside: str = "") -> Any:
    """Return what is under a name; or, whatever that is, the only part but what was generated."""
    if not isinstance(held, Mapping):
        return getattr(held, name, None)
    if name != ONLY:
        return held.get(name)
    parts = [*held.values()]
    if inside and all(isinstance(part, Mapping) for part in parts):
        parts = [part for part in parts if GENERATED.isdisjoint(part)]
    return parts[0] if len(parts) == 1 else None


def _of_vespa(answer: Any) -> list[Any] | None:
    """Return the hits of Vespa, whose source is no document, and which lacks a list of none."""
    root = answer.get("root") if isinstance(answer, Mapping) else None
    if not isinstance(root, Mapping) or not isinstance(root.get("id"), str):
        return None
    hits = [*root.get("children", ())]
    if "relevance" not in root or not all(isinstance(hit, Mapping) for hit in hits):
        return None
    return [{**hit, "source": None, SCORE: hit.get("relevance")} for hit in hits]


def _of_columns(answer: Mapping[Any, Any]) -> list[list[dict[str, Any]]] | None:
    """Return the hits of every search where they stand in columns; None where they do not."""
    ids = answer.get("ids")
    if not isinstance(ids, list) or not all(isinstance(each, list) for each in ids):
        return None
    held = {word: answer[name] for name, word in COLUMNS.items() if answer.get(name) is not None}
    shape = [*map(len, ids)]
    if uneven := [repr(n) for n, w in COLUMNS.items() if w in held and _shape(held[w]) != shape]:
        wanted = f"columns of the same searches and hits as 'ids', which has {shape}"
        raise InputError(wanted, "columns of more or fewer", "", uneven)
    searches = zip(*held.values(), strict=True)
    return [
        [dict(zip(held, hit, strict=True)) for hit in zip(*each, strict=True)] for each in searches
    ]


def _shape(column: Any) -> list[int] | None:
    """Return how many hits each search has in a column; None where these are no lists."""
    of_lists = isinstance(column, list) and all(isinstance(part, Sized) for part in column)
    return [*map(len, column)] if of_lists else None


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
    """Tell whether this is a hit, with a score beside it or not."""
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
    """Return a run frame of hits, ranked as they stand; scores beside them are data.

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
    if (
        SCORE in frame
        and _go_both_ways(frame)
        and ranked_by is None
        and not isinstance(lists, Answers)
    ):
        wanted, found = "scores that go one way along lists", "some that rise and some that fall"
        advice = "say what ranks: ir.as_runs(hits, ranked_by='list'), or ranked_by='score'"
        raise RankingError(wanted, found, advice)
    return frame.rename(columns={SCORE: LISTED_SCORE})


def _refuse_other_ranks(frame: pd.DataFrame, hits: Iterable[Any]) -> None:
    """Raise if hits have ranks that run against the order of their lists."""
    told = [hit.get(RANK) if isinstance(hit, Mapping) else None for hit in hits]
    ranks = pd.Series(
        [rank if isinstance(rank, int | float) else None for rank in told], dtype=float
    )
    lists = [frame[name].to_numpy() for name in (TOPIC, SEARCH) if name in frame]
    falls = (ranks.groupby(lists).diff() < 0).to_numpy()
    if falls.any():
        found, advice = "ranks that fall, of", "sort the hits by rank, or leave their ranks out"
        raise RankingError(
            "ranks that rise from hit to hit", found, advice, frame[TOPIC][falls].unique()
        )


def _go_both_ways(frame: pd.DataFrame) -> bool:
    """Tell whether scores rise somewhere along lists and fall elsewhere, refusing what is none."""
    step = np.diff(numbers(frame[SCORE]))[frame[RANK].to_numpy()[1:] > 1]
    return bool((step > 0).any() and (step < 0).any())


def _row_of_hit(hit: Any, name: str | None) -> dict[str, Any]:
    """Return what a hit says of itself, under the words of irframe."""
    pair = isinstance(hit, tuple | list) and len(hit) == 2
    levels = [*_levels(hit[0] if pair else hit)]
    held = levels[0][1]
    for _, level in levels[1:]:
        held = {**level, **{key: value for key, value in held.items() if value is not None}}
    row = {}
    for column, names in IDS.items():
        for told, level in levels:
            value = next((level[n] for n in names if level.get(n) is not None), None)
            if value is not None and not (told and column == SCORE):
                row[column] = value
                break
    if name is not None:
        row = {n: value for n, value in row.items() if n not in {CHUNK, PARENT}}
        row |= {PARENT: held[name]} if held.get(name) is not None else {}
    elif not row.keys() & {CHUNK, PARENT} and isinstance(held.get(DOCUMENT), str | int):
        row[PARENT] = held[DOCUMENT]
    if pair:
        row[SCORE] = hit[1]
    text = next((held[each] for each in TEXTS if isinstance(held.get(each), str)), None)
    if START in row and END not in row and text is not None:
        row[END] = row[START] + len(text)
    further = {key: value for key, value in held.items() if key not in row and _is_kept(key, value)}
    return row | further | ({TEXT: text} if text else {})


def has_id(hit: Any, name: str | None = None) -> bool:
    """Tell whether this says which document it is, and is no document's id alone."""
    plain = isinstance(hit, str | int | float | None)
    return not plain and not {CHUNK, PARENT}.isdisjoint(_row_of_hit(hit, name))


def _is_kept(name: Any, value: Any) -> bool:
    """Tell whether a field is a column of its own, which nobody takes for something else."""
    if not isinstance(name, str) or name in NAMES or name.startswith("_"):
        return False
    taken = roles([name]) or name in {*REPEAT_NAMES, *LIKE_SEARCHES} or like_systems(name)
    return isinstance(value, str | Number) and not taken


def _levels(hit: Any, *, told: bool = False) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Yield the fields of a hit, then of what it holds, and whether users told these."""
    if isinstance(hit, Mapping):
        own = dict(hit)
    elif isinstance(hit, str | int | np.integer):
        own = {"id": hit}
    else:
        own = {name: getattr(hit, name, None) for name in NAMES}
    yield told, own
    for name in INSIDE:
        inner = own.get(name)
        if inner is not None and not isinstance(inner, str | int | float):
            yield from _levels(inner, told=told or name in PAYLOAD)
