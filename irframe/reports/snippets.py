"""Texts of documents and queries beside two lists, of as many topics as a page has room for."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from irframe.comparing.document_texts import SNIPPET, Told
from irframe.reports.lists import SHOWN, Lists

PAGE_BYTES = 3_000_000
"""Size of a page with texts, at most, where it is smaller without them."""
OPENING_BYTES = 2 * SHOWN * 2 * SNIPPET
"""What the two lists that a page opens with take, which stand there uncompressed, at most."""
SPELLED = 4 / 3
"""Bytes of text that spell a compressed byte."""


@dataclass(frozen=True, eq=False)
class Snippets:
    """What is shown of texts.

    Parameters
    ----------
    documents
        Position of a document in the lists' names -> the beginning of its text.
    queries
        Position of a topic -> its query.
    topics
        How many topics have the texts of their documents.
    """

    documents: dict[int, str] = field(default_factory=dict)
    queries: dict[int, str] = field(default_factory=dict)
    topics: int = 0


def cut(text: str) -> str:
    r"""Return the beginning of a text, on one line.

    Examples
    --------
    >>> cut("two\n lines"), len(cut("x" * 400))
    ('two lines', 300)
    """
    words = " ".join(text.split())
    return words if len(words) <= SNIPPET else f"{words[: SNIPPET - 1]}…"


def choose(
    told: Told, lists: Lists, topics: Sequence[str], order: NDArray[np.intp], room: int
) -> Snippets:
    """Return the texts for which a page has room, topic after topic.

    Parameters
    ----------
    told
        The texts that are known.
    lists
        The top of every ranking.
    topics
        The names of the topics.
    order
        Their positions, the one on which systems differ most first.
    room
        Bytes that the page may grow by.
    """
    queries, known = _placed(told.queries, topics), _placed(told.documents, lists.names)
    kept: dict[int, str] = {}
    room -= OPENING_BYTES + _size(queries)
    for number, topic in enumerate(order):
        places = np.unique(lists.doc[:, topic]).tolist()
        new = {place: known[place] for place in places if place in known and place not in kept}
        room -= _size(new)
        if room < 0:
            return Snippets(kept, queries, number)
        kept |= new
    return Snippets(kept, queries, len(order))


def _placed(texts: dict[str, str], names: Sequence[str]) -> dict[int, str]:
    """Return the beginnings of texts by the positions of what they are about."""
    return {place: cut(texts[name]) for place, name in enumerate(names) if name in texts}


def _size(texts: dict[int, str]) -> int:
    """Return about how many bytes texts take on a page, rather more than less."""
    return int(SPELLED * len(gzip.compress(json.dumps(texts).encode(), 9))) if texts else 0


def by_spread(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return topics by how much the scores of systems on them, (system, topic), differ."""
    there = np.isfinite(scores).sum(axis=0) > 1
    spread = np.where(there, np.nanstd(np.where(there, scores, 0.0), axis=0), -1.0)
    return np.argsort(-spread, kind="stable")
