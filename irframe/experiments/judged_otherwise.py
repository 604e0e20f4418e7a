"""Experiments of the same runs, otherwise judged: by less, without unjudged documents, or anew."""

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.experiments.coded_tables import Side, code_documents
from irframe.experiments.experiment import Experiment, Pool
from irframe.experiments.hits import Hits
from irframe.experiments.in_turn import RANKS, TopUnjudged, together
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections
from irframe.experiments.policy import refuse_marks
from irframe.files.ids import Codes, all_of_one_kind, within


def fewer_judged(
    experiment: Experiment, kept: NDArray[np.bool_], depth: int | None = None
) -> Experiment:
    """Return the same with some of the judgments only, and a pool of another depth."""
    judgments, hits, pool = experiment.judgments, experiment.hits, experiment.known_pool
    refuse_marks(judgments.grade)
    new = np.where(kept, np.cumsum(kept) - 1, -1)
    judged = kept[hits.row]
    depths = pool.depth if depth is None else np.full_like(pool.depth, depth)
    remaining = hits.take(judged)
    return replace(
        experiment,
        judgments=judgments.only(np.flatnonzero(kept)),
        hits=replace(remaining, row=new[remaining.row].astype(np.int32)),
        pool=replace(pool, rank=pool.rank[kept], depth=depths),
        listing=together([experiment.listing, _hidden(experiment, judged)]),
    )


def condensed(experiment: Experiment) -> Experiment:
    """Return the same of lists without their unjudged documents, which are closed up."""
    hits, length = experiment.hits.by_list(), experiment.hits.length
    judged = np.flatnonzero(experiment.judgments.grade[hits.row] >= 0)
    order = judged[np.lexsort((hits.rank[judged], hits.of[judged]))]
    of = hits.of[order]
    count = np.bincount(of, minlength=length.size)
    rank = within(of) + 1
    tied = None
    if hits.tied is not None:
        block = np.cumsum(~hits.tied)[hits.first[of] + hits.rank[order] - 1]
        tied = (np.diff(block, prepend=-1) == 0) & (rank > 1)
    there = hits.alongside(itemgetter(hits.first[of] + hits.rank[order] - 1))
    filed, ranks = hits.pool_rank[order], rank.astype(np.int32)
    closed = replace(hits.take(order), rank=ranks, tied=tied, filed=filed, along=there)
    closed = replace(closed, length=count.reshape(length.shape))
    return replace(experiment, hits=closed, listing=None)


def judged_anew(
    experiment: Experiment, judgments: Judgments, *, given: bool, whole: bool
) -> Experiment:
    """Return the same lists by other judgments of their topics.

    Parameters
    ----------
    experiment
        The lists, in memory.
    judgments
        Those of the same topics, in the same order.
    given
        Whether the depth of the pool was given, and so stays.
    whole
        Whether all that is judged is of these topics.

    Raises
    ------
    InputError
        If documents are judged that were not before, and are not found in a list which is known by
        name down to rank `RANKS` alone, naming system and topic.
    """
    before, hits, listing = experiment.judgments, experiment.hits, experiment.listing
    old, new = (_judged_documents(side) for side in (before, judgments))
    nothing = TopUnjudged(np.zeros(0, np.int64), np.zeros(0, np.int16), old.doc[:0])
    listed = nothing if listing is None else listing.load()
    codes = _coded_alike(old, new, Side(listed.of % len(before.count), listed.doc))
    known = pd.Index(codes[1])
    row, listed_row = (known.get_indexer(pd.Index(coded)) for coded in (codes[0], codes[2]))
    fresh = ~np.isin(codes[1], codes[0])
    _refuse_ranks_unknown(experiment, new.topic[fresh], listed.of[listed_row >= 0])
    kept, there = row[hits.row] >= 0, listed_row >= 0
    rank = [hits.rank[kept], listed.rank[there].astype(np.int32) + 1]
    filed = np.concatenate([hits.pool_rank[kept], rank[1]])
    of = np.concatenate([hits.of[kept], listed.of[there]])
    rows = np.concatenate([row[hits.row[kept]], listed_row[there]]).astype(np.int32)
    apart = None if hits.filed is None else filed
    found = np.concatenate(rank)
    anew = Hits(hits.length, of, found, rows, hits.tied, apart, hits.along).by_list()
    collections = _collections(experiment)
    base = judgments.only(np.arange(len(judgments.row)))
    old_pool = experiment.known_pool
    pool = Pool.of(anew, len(base.row), old_pool.contributing, stated=old_pool.stated)
    if given:
        pool = replace(pool, depth=old_pool.depth)
    elif whole and not there.any():
        pool = pool.down_to(None, base, collections, experiment.longest)
    else:  # nobody knows
        pool = replace(pool, depth=np.zeros_like(old_pool.depth), stated=False)
    left = None
    if listing is not None:
        left = together([listed.take(np.flatnonzero(~there)), _hidden(experiment, kept)])
    top: Any = np.full(len(judgments.count), judgments.top)
    if experiment.collection is not None:  # else all judgments count, those of other topics, too
        top = collections.reduce(np.maximum, judgments.topic, judgments.grade, 1)
    made = {**experiment.made, "pool": pool.word(base)}
    return replace(
        experiment, judgments=base, hits=anew, pool=pool, listing=left, top=top, made=made
    )


def _coded_alike(*sides: Side) -> list[Codes]:
    """Code documents of several sides, by their text where one has text."""
    docs = all_of_one_kind([side.doc for side in sides])
    pairs = zip(sides, docs, strict=True)
    return code_documents(*(side._replace(doc=doc) for side, doc in pairs))


def _hidden(experiment: Experiment, kept: NDArray[np.bool_]) -> TopUnjudged:
    """Return the hits at the top of lists that are not kept, by name."""
    judgments, hits = experiment.judgments, experiment.hits
    hidden = np.flatnonzero(~kept & (hits.rank <= RANKS))
    doc = judgments.table.doc.take(pa.array(judgments.row[hits.row[hidden]]))
    return TopUnjudged(hits.of[hidden], (hits.rank[hidden] - 1).astype(np.int16), doc)


def _collections(experiment: Experiment) -> Collections:
    """Return the collections of the topics, one where they are not told."""
    if experiment.collection is None:
        return Collections.one(experiment.shape[1])
    of_topic = np.asarray(experiment.collection.codes, np.intp)
    return Collections(of_topic, experiment.collection.categories, "collection")


def _judged_documents(judgments: Judgments) -> Side:
    return Side(judgments.topic, judgments.table.doc.take(pa.array(judgments.row)))


def _refuse_ranks_unknown(experiment: Experiment, topic: Codes, lists: Codes) -> None:
    """Raise if a list may hold newly judged documents below the ranks that are known by name.

    Parameters
    ----------
    experiment
        The lists.
    topic
        The topic of each document that was not judged before.
    lists
        The list of each one that was found in some.
    """
    shape = experiment.shape
    count = np.bincount(lists, minlength=shape[0] * shape[1]).reshape(shape)
    fresh = np.bincount(topic, minlength=shape[1])
    known = 0 if experiment.listing is None else RANKS
    deeper = experiment.there & (count < fresh) & (experiment.hits.length > known)
    if deeper.any():
        systems, topics = experiment.systems, experiment.judgments.topics
        pairs = [f"{systems[s]} on {topics[t]}" for s, t in np.argwhere(deeper)]
        wanted = f"lists known by name, for {len(topic)} documents that were not judged before"
        known_to = f"{len(pairs)} lists known to rank {known} alone"
        advice = "build the cube anew: irframe.cube(runs, qrels)"
        raise InputError(wanted, known_to, advice, pairs)
