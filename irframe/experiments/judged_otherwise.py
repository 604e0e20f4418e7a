"""Experiments judged otherwise: by fewer judgments, and lists of judged documents alone."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import Hits
from irframe.experiments.sampling import refuse_marks
from irframe.experiments.top_documents import RANKS, Listed, together


def fewer_judged(
    experiment: Experiment, kept: NDArray[np.bool_], depth: int | None = None
) -> Experiment:
    """Return the same with some of the judgments only, and a pool of another depth."""
    judgments, hits, pool = experiment.judgments, experiment.hits, experiment.known_pool
    refuse_marks(judgments.grade)
    new = np.where(kept, np.cumsum(kept) - 1, -1)
    some = kept[hits.row]
    depths = pool.depth if depth is None else np.full_like(pool.depth, depth)
    hidden = np.flatnonzero(~some & (hits.rank <= RANKS))
    doc = judgments.table.doc.take(pa.array(judgments.row[hits.row[hidden]]))
    lost = Listed(hits.of[hidden], (hits.rank[hidden] - 1).astype(np.int16), doc)
    remaining = hits.take(some)
    return replace(
        experiment,
        judgments=judgments.only(np.flatnonzero(kept)),
        hits=replace(remaining, row=new[remaining.row].astype(np.int32)),
        pool=replace(pool, rank=pool.rank[kept], depth=depths),
        listing=together([experiment.listing, lost]),
    )


def condensed(experiment: Experiment) -> Experiment:
    """Return the same of lists without their unjudged documents, which are closed up."""
    hits, length = experiment.hits.by_list(), experiment.hits.length
    some = np.flatnonzero(experiment.judgments.grade[hits.row] >= 0)
    order = some[np.lexsort((hits.rank[some], hits.of[some]))]
    of = hits.of[order]
    count = np.bincount(of, minlength=length.size)
    rank = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count) + 1
    tied = None
    if hits.tied is not None:
        block = np.cumsum(~hits.tied)[hits.first[of] + hits.rank[order] - 1]
        tied = (np.diff(block, prepend=-1) == 0) & (rank > 1)
    closed = Hits(
        count.reshape(length.shape),
        of,
        rank.astype(np.int32),
        hits.row[order],
        tied,
        hits.pool_rank[order],
    )
    return replace(experiment, hits=closed, listing=None)
