"""Experiments whose judgments are reduced or replaced."""

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.experiments.coded_tables import Side, code_documents
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import RANKS, Hits, JoinedUnjudged, JudgedPool, TopUnjudged
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections
from irframe.experiments.policy import refuse_marks
from irframe.frames.ids import Codes, all_of_one_kind, within
from irframe.names import counted


def fewer_judged(
    experiment: Experiment, is_judged: NDArray[np.bool_], depth: int | None = None
) -> Experiment:
    """Return the experiment with the selected judgments.

    Parameters
    ----------
    experiment
        The experiment.
    is_judged
        Whether to keep each judgment.
    depth
        The new depth of the pool. The default is the old depth.
    """
    judgments = experiment.judgments
    hits = experiment.hits
    pool = experiment.known_pool
    refuse_marks(judgments.grade)
    new = np.where(is_judged, np.cumsum(is_judged) - 1, -1)
    judged = is_judged[hits.row]
    depths = pool.depth if depth is None else np.full_like(pool.depth, depth)
    remaining = hits.take(judged)
    return replace(
        experiment,
        judgments=judgments.only(np.flatnonzero(is_judged)),
        hits=replace(remaining, row=new[remaining.row].astype(np.int32)),
        pool=replace(pool, rank=pool.rank[is_judged], depth=depths),
        listing=JoinedUnjudged([experiment.listing, _hidden(experiment, judged)]).joined(),
    )


def condensed(experiment: Experiment) -> Experiment:
    """Return the experiment with unjudged documents removed from lists."""
    hits = experiment.hits.by_list()
    # grade -1 marks documents of the pool that are not judged
    judged = np.flatnonzero(experiment.judgments.grade[hits.row] >= 0)
    order = judged[np.lexsort((hits.rank[judged], hits.of[judged]))]
    of = hits.of[order]
    rank = within(of) + 1
    document = hits.first[of] + hits.rank[order] - 1
    tied = None
    if hits.tied is not None:
        # documents with equal scores stay tied when the documents between them are removed
        block = np.cumsum(~hits.tied)[document]
        tied = (np.diff(block, prepend=-1) == 0) & (rank > 1)
    closed = replace(
        hits.take(order),
        length=np.bincount(of, minlength=hits.length.size).reshape(hits.length.shape),
        rank=rank.astype(np.int32),
        tied=tied,
        # the pool was formed from complete lists, so pooling ranks do not change when documents are
        # removed
        filed=hits.pool_rank[order],
        along=hits.alongside(itemgetter(document)),
    )
    return replace(experiment, hits=closed, listing=None)


def judged_anew(
    experiment: Experiment, judgments: Judgments, *, pool_stated: bool, all_judged: bool
) -> Experiment:
    """Return the experiment with its judgments replaced.

    Parameters
    ----------
    experiment
        The experiment, with hits in memory.
    judgments
        The new judgments of the experiment's topics, in the order of the topics.
    pool_stated
        Whether the caller stated the depth of the pool, which is then kept.
    all_judged
        Whether the caller's judgments contain only topics of the experiment.

    Raises
    ------
    InputError
        If a newly judged document may be in a list below rank `RANKS`, where the names
        of unjudged documents are unknown.
    """
    before = experiment.judgments
    hits = experiment.hits
    listing = experiment.listing
    old, new = (side.table.doc.take(pa.array(side.row)) for side in (before, judgments))
    nothing = TopUnjudged.named(np.zeros(0, np.int64), np.zeros(0, np.int8), old[:0])
    listed = nothing if listing is None else listing.load()
    topics = before.topic, judgments.topic, listed.of % len(before.count)
    docs = all_of_one_kind([old, new, listed.doc])
    codes = code_documents(*map(Side, topics, docs))
    judged = pd.Index(codes[1])
    row, listed_row = (judged.get_indexer(pd.Index(coded)) for coded in (codes[0], codes[2]))
    is_new = listed_row >= 0
    fresh = ~np.isin(codes[1], codes[0])
    _refuse_ranks_unknown(experiment, judgments.topic[fresh], listed.of[is_new])
    still_judged = row[hits.row] >= 0
    # the rank of an unjudged document counts from 0, and that of a hit from 1
    rank = [hits.rank[still_judged], listed.rank[is_new].astype(np.int32) + 1]
    filed = None if hits.filed is None else np.concatenate([hits.filed[still_judged], rank[1]])
    of = np.concatenate([hits.of[still_judged], listed.of[is_new]])
    rows = np.concatenate([row[hits.row[still_judged]], listed_row[is_new]]).astype(np.int32)
    anew = Hits(hits.length, of, np.concatenate(rank), rows, hits.tied, filed, hits.along).by_list()
    collections, top = _collections_and_tops(experiment, judgments)
    base = judgments.only(np.arange(len(judgments.row)))
    old_pool = experiment.known_pool
    pool = JudgedPool.of(anew, len(base.row), old_pool.contributing, stated=old_pool.stated)
    if pool_stated:
        pool = replace(pool, depth=old_pool.depth)
    elif all_judged and not is_new.any():
        pool = pool.down_to(None, base, collections, experiment.longest)
    # Documents with new judgments may be outside the pool, so the depth of the pool is unknown.
    else:
        pool = replace(pool, depth=np.zeros_like(old_pool.depth), stated=False)
    if listing is not None:
        unjudged = listed.take(np.flatnonzero(~is_new))
        listing = JoinedUnjudged([unjudged, _hidden(experiment, still_judged)]).joined()
    options = {**experiment.options, "pool": pool.kind(base)}
    return replace(
        experiment, judgments=base, hits=anew, pool=pool, listing=listing, top=top, options=options
    )


def _collections_and_tops(
    experiment: Experiment, judgments: Judgments
) -> tuple[Collections, NDArray[np.integer[Any]]]:
    """Return collections, and the highest grade in each topic's collection."""
    collection = experiment.collection
    # The highest grade also depends on the judgments of topics that are not scored.
    if collection is None:
        topics = len(judgments.count)
        return Collections.single(topics), np.full(topics, judgments.top)
    of_topic = np.asarray(collection.codes, np.intp)
    collections = Collections(of_topic, collection.categories, "collection")
    return collections, collections.reduce(np.maximum, judgments.topic, judgments.grade, 1)


def _hidden(experiment: Experiment, is_judged: NDArray[np.bool_]) -> TopUnjudged:
    """Return the top documents whose judgments were removed."""
    hits = experiment.hits
    hidden = np.flatnonzero(~is_judged & (hits.rank <= RANKS))
    row = experiment.judgments.row[hits.row[hidden]]
    doc = experiment.judgments.table.doc.take(pa.array(row))
    return TopUnjudged.named(hits.of[hidden], hits.rank[hidden] - 1, doc)


def _refuse_ranks_unknown(experiment: Experiment, topic: Codes, lists: Codes) -> None:
    """Raise if the ranks of newly judged documents are unknown.

    The array `topic` contains the topic of each newly judged document. The array `lists` contains
    the list of each newly judged document that is in a list.
    """
    shape = experiment.shape
    count = np.bincount(lists, minlength=shape[0] * shape[1]).reshape(shape)
    fresh = np.bincount(topic, minlength=shape[1])
    named_ranks = 0 if experiment.listing is None else RANKS
    deeper = experiment.participated & (count < fresh) & (experiment.hits.length > named_ranks)
    if deeper.any():
        topics = experiment.judgments.topics
        newly = counted(len(topic), "newly judged document")
        pairs = [f"{experiment.systems[s]} on {topics[t]}" for s, t in np.argwhere(deeper)]
        expected = f"ids of all documents in lists that may contain {newly}"
        got = f"{len(pairs)} lists without ids of unjudged documents below rank {named_ranks}"
        advice = "build the cube anew: irframe.cube(runs, qrels)"
        raise InputError(expected, got, advice, pairs)
