"""Strategies of hypothesis for topics and blocks of arrays.

`topics` draws a ranking and judgments of a topic. `batches` draws several topics with the same top
grade. `block` converts a batch to the arrays that metrics read. Rankings may be empty or shorter
than the depth, contain unjudged documents and negative grades, and have no relevant documents. Half
of the topics have a pool. A run that contributes to a pool has no unjudged document above the pool
depth, and its documents enter the pool at their rank or at a better rank.
"""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from oracles import Topic

from irframe.metrics import Block, Evidence
from irframe.names import EMPTY, UNJUDGED

GRADES = (0, 1, 2, 3, None, -1, -2)
"""Grades of retrieved documents, in the order in which hypothesis simplifies examples.

None stands for an unjudged document.
"""

CODES = (UNJUDGED, -1, 0, 1, 2, 3)
"""Grades of documents, including `UNJUDGED`. Tests enumerate all short lists of these grades."""

BARREN = 8
"""On average, one of this number of topics (or collections) has no relevant document."""


def top_grades(grades):
    """Draw the top grade of a collection, sometimes 0."""
    scale = [grade for grade in grades if grade is not None and grade > 0]
    lot = st.integers(1, BARREN)
    return lot.flatmap(lambda drawn: st.just(0) if drawn == BARREN else st.sampled_from(scale))


def series(draw, choices, *, min_size, max_size):
    """Draw a list of choices with a uniformly distributed length.

    The function `st.lists` would prefer short lists. The list is drawn as one byte string, because
    a draw per element would take most of the time of a test.
    """
    size = draw(st.integers(min_size, max_size))
    drawn = draw(st.binary(min_size=size, max_size=size))
    return [choices[byte % len(choices)] for byte in drawn]


@st.composite
def pools(draw, serp, missed):
    """Draw the judgments and the pool of a topic."""
    retrieved = [(grade, rank) for rank, grade in enumerate(serp, start=1) if grade is not None]
    judged = tuple(grade for grade, _ in retrieved) + tuple(missed)
    depth = draw(st.none() | st.integers(1, len(serp) + 3))
    if depth is None:
        return {"judged": judged}
    complete = serp.index(None) if None in serp else depth
    contributed = complete > 0 and draw(st.booleans())
    depth = min(depth, complete) if contributed else depth
    n = len(judged)
    entry = series(draw, range(1, depth + 1), min_size=n, max_size=n)
    if contributed:
        entry[: len(retrieved)] = [min(e, r) for e, (_, r) in zip(entry, retrieved, strict=False)]
    judged_at = {
        k: tuple(grade for grade, first in zip(judged, entry, strict=True) if first <= k)
        for k in range(1, depth)
    }
    return {"judged": judged, "judged_at": judged_at, "pool_depth": depth}


@st.composite
def topics(draw, min_len=0, max_len=12, grades=GRADES, gmax=None):
    """Draw a topic with a ranking and judgments."""
    gmax = draw(top_grades(grades)) if gmax is None else gmax
    top = 0 if draw(st.integers(1, BARREN)) == BARREN else gmax
    allowed = [grade for grade in grades if grade is None or grade <= top]
    serp = series(draw, allowed, min_size=min_len, max_size=max_len)
    judgeable = [grade for grade in allowed if grade is not None]
    missed = series(draw, judgeable, min_size=0, max_size=max_len)
    return Topic(serp=tuple(serp), gmax=gmax, **draw(pools(serp, missed)))


@st.composite
def batches(draw, min_len=0, max_len=12, grades=GRADES, *, max_topics=4):
    """Draw topics of one collection, and an evaluation depth.

    The depth may exceed the length of the longest ranking.
    """
    gmax = draw(top_grades(grades))
    row = topics(min_len=min_len, max_len=max_len, grades=grades, gmax=gmax)
    return draw(st.lists(row, min_size=1, max_size=max_topics)), draw(st.integers(1, max_len + 3))


def scored(metric, serp, judged=None, depth=None):
    """Return the scores of one list at every depth."""
    grades = tuple(g for g in serp if g is not None) if judged is None else tuple(judged)
    topic = Topic(serp=tuple(serp), judged=grades, gmax=max(1, *grades))
    return metric.score(Evidence(block([topic], depth or len(serp))))[0]


def judged_of(codes, missed=()):
    """Return the grades of retrieved and missed judged documents."""
    return [code for code in (*codes, *missed) if code != UNJUDGED]


def block_of(lists, judged, width, **fields):
    """Return a block of arrays from lists of grades.

    Lists are cut or padded to `width` ranks.
    """
    levels = np.array(CODES[1:], np.int16)
    grade = np.array([(*codes, *[EMPTY] * width)[:width] for codes in lists], np.int16)
    count = np.array([[grades.count(level) for level in CODES[1:]] for grades in judged])
    return Block(
        grade=grade,
        retrieved=(grade != EMPTY).sum(axis=-1),
        levels=levels,
        count=count,
        top=3,
        pool_count=np.repeat(count[:, np.newaxis], width, axis=1),
        pool_depth=width,
        **fields,
    )


def block(batch: Sequence[Topic], K: int) -> Block:
    """Return a block of arrays from topics cut at K."""
    tops = {topic.gmax for topic in batch}
    levels = sorted({grade for topic in batch for grade in topic.judged}) or [0]
    grade = np.full((len(batch), K), EMPTY, dtype=np.int16)
    for row, topic in zip(grade, batch, strict=True):
        marks = [UNJUDGED if g is None else g for g in topic.serp[:K]]
        row[: len(marks)] = marks
    count = [[topic.judged.count(level) for level in levels] for topic in batch]
    pool_count = [
        [[topic.pool(k).count(level) for level in levels] for k in range(1, K + 1)]
        for topic in batch
    ]
    return Block(
        grade=grade,
        retrieved=np.array([min(K, len(topic.serp)) for topic in batch]),
        levels=np.array(levels),
        count=np.array(count),
        pool_count=np.array(pool_count),
        top=tops.pop() if len(tops) == 1 else np.array([topic.gmax for topic in batch]),
        pool_depth=np.array([topic.pool_depth or 0 for topic in batch]),
        beyond=np.array([topic.serp[K:].count(None) for topic in batch]),
    )
