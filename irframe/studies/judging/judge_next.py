"""Which documents to judge next."""

from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, whole
from irframe.cubes.verb import read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.errors import ParameterError
from irframe.experiments.in_turn import RANKS
from irframe.files.as_runs import Runs, as_runs
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import DEPTH, DOC, TOPIC, UNJUDGED
from irframe.studies.judging.candidates import Pool
from irframe.studies.judging.documents import Documents, by_label, helping
from irframe.studies.judging.methods import METHODS
from irframe.studies.judging.prior import Prior
from irframe.studies.judging.turns import take_turns

Credit = Literal["all", "run"]


@verb
def judge_next(
    cube: xr.Dataset,
    n: int,
    method: Literal["pool", "mtf", "maxmean", "leverage"] = "leverage",
    *,
    credit: Credit = "all",
    batch: int = 1,
    prior: pd.DataFrame | None = None,
    depth: int | None = None,
    rel: int = 1,
    runs: Runs | None = None,
    seed: int = 0,
    by: str | None = None,
) -> pd.DataFrame:
    """List the documents to judge next, the most useful first.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`; one built from run frames knows what its unjudged documents
        are called, down to rank 100.
    n
        How many documents to judge, over all topics, at least 1. Topics take turns, in each turn
        those with the fewest judgments first.
    method
        ``"pool"``: by best rank, then by how many runs have it there, then by name. ``"mtf"``,
        move to front: the next document of the run that stays in front while its documents are
        relevant. ``"maxmean"``: that of the run most likely to be right. ``"leverage"``: what
        tells systems apart and is likely relevant.
    credit
        Of ``"maxmean"``: whether a judgment counts for every run that has the document
        (``"all"``) or for that on whose account it was made (``"run"``).
    batch
        How many documents of a topic are chosen on what is known before the first of them, at
        least 1. After that they count, until they are judged, with how likely they are relevant.
    prior
        A model's judgments: topic, doc, and ``grade`` or ``probability``, from 0 to 1. By grade
        it is learned from all judgments how likely documents are relevant. Multiplies what a
        method goes by; ``"mtf"`` takes none.
    depth
        How deep the lists are read; by default 100, or as deep as the cube is.
    rel
        Lowest relevant grade, at least 1.
    runs
        The runs that the cube was made of, where it does not know what its unjudged documents are
        called, as at depths beyond 100.
    seed
        Of the order of runs that tie, from 0.
    by
        A coordinate of systems or topics such as ``"track"``: `n` documents for each group,
        labelled with the group.

    Returns
    -------
    pandas.DataFrame
        `n` rows in the order to judge, with the columns ``topic`` and ``doc``; ``priority``, what
        the method goes by; ``probability``, how likely the document is relevant by the prior or,
        without one, by the precision so far of the runs that have it; ``best_rank``; and
        ``runs``, how many have it.

    Raises
    ------
    ParameterError
        For `n` beyond what is left unjudged, an unknown method, a prior with ``"mtf"``, or
        probabilities outside [0, 1].
    InputError
        If unjudged documents have no name, as at depths beyond 100 without `runs`; for other runs
        than those of the cube; or if the prior lacks a column.
    DepthError
        For a depth below 1 or beyond the cube.

    Warns
    -----
    IrframeWarning
        If the pool is not known: all systems of the cube make it then. Of documents without prior.

    Notes
    -----
    The state follows from the judgments alone: add those of the documents handed out to the
    qrels, build the cube anew, and go on; with one document a topic at a time that is the
    method as published. Runs that tie take turns in an order that the seed decides; whatever else
    ties is in the order of its name, whichever rows came first.

    ``"leverage"``: with W = 1 / sqrt(rank of d in s), 0 where s lacks it, L the standard deviation
    of W over the systems that took part, m = (1 + sum of W over relevant) / (2 + sum of W over
    judged documents) for every system, and p the mean of m weighted by W, it judges the largest
    L p^2. Its form was chosen on TREC-8, Robust 2003, TREC-COVID round 1 and DL 2021.

    References
    ----------
    .. [1] Cormack, Palmer, Clarke. Efficient construction of large test collections. SIGIR 1998.
       doi:10.1145/290941.291009
    .. [2] Losada, Parapar, Barreiro. Multi-armed bandits for adjudicating documents in
       pooling-based evaluation of information retrieval systems. Information Processing &
       Management 53, 2017. doi:10.1016/j.ipm.2017.04.005

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> judge_next(cube, 3).round(3)
      topic   doc  priority  probability  best_rank  runs
    0   101  d546     0.052        0.700         14     1
    1   105  d433     0.036        0.562         12     1
    2   106  d807     0.012        0.336         15     1
    """
    n, batch, seed = whole("n", n, low=1), whole("batch", batch, low=1), whole("seed", seed, low=0)
    name, rel = _method(method, credit), whole("rel", rel, low=1)
    named, cube = None if runs is None else as_runs(runs), by_label(cube)
    documents = Documents.named(cube, _depth(cube, depth), named)
    pool, number = documents.pool(helping(cube), seed)
    grade = np.where(number >= 0, np.take_along_axis(documents.grade, number, axis=1), UNJUDGED)
    known = pool.there & (grade != UNJUDGED)
    _refuse_beyond(n, int((pool.there & ~known).sum()))
    learned = documents.prior(prior, number, pool.there & ~known)
    likely = _likely(pool, known, (grade >= rel) & known, learned)
    chosen = METHODS[name](pool, learned)
    relevant = np.where(known, grade >= rel, likely)
    turns = take_turns(chosen, relevant, _turns(pool.there & ~known, n), batch=batch, known=known)
    turn, topic, place = turns.all
    order = np.lexsort((np.arange(len(turn)), _judged(cube)[topic], turn))[:n]
    turn, topic, place = turn[order], topic[order], place[order]
    rows = {
        TOPIC: cube.indexes[TOPIC].take(topic),
        DOC: documents.label(topic, number[topic, place]),
        "priority": turns.priority[turn, topic],
        "probability": likely[topic, place],
        "best_rank": pool.best_rank[topic, place],
        "runs": pool.runs[topic, place],
    }
    return pd.DataFrame(rows)


def count_unjudged(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return how many documents of the pool of a cube are unjudged, down to a depth.

    Examples
    --------
    >>> import irframe as ir
    >>> count_unjudged(ir.cube(*ir.example_track()))
    1200
    """
    documents = Documents.named(cube, _depth(cube, depth))
    pool, number = documents.pool(helping(cube), 0)
    grade = np.take_along_axis(documents.grade, np.maximum(number, 0), axis=1)
    return int((pool.there & (grade == UNJUDGED)).sum())


def _method(method: Any, credit: Any) -> str:
    """Return the name of a method in the registry."""
    plain = [name for name in METHODS if "(" not in name]
    name = choice("method", method, plain)
    spelled = f"{name}(credit='run')"
    return (
        spelled
        if choice("credit", credit, ("all", "run")) == "run" and spelled in METHODS
        else name
    )


def _depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return how deep lists are read."""
    return min(cube.sizes[DEPTH], RANKS) if depth is None else read_depth(cube, depth)


def _refuse_beyond(n: int, left: int) -> None:
    if n > left:
        found = f"{n}, and {left} in the pool are unjudged"
        advice = "take contributing systems, or a greater depth, that have more"
        raise ParameterError("n of at most as many documents as are unjudged", found, advice)


def _likely(pool: Pool, known: Array, relevant: Array, prior: Prior | None) -> Array:
    """Return how likely documents are relevant by what is judged, shape (topic, document)."""
    if prior is not None:
        topic, document = np.nonzero(known)
        prior.learn(topic, document, relevant[topic, document])
        return prior.likely()
    found, seen = pool.tally(known, relevant)
    return pool.likely((1 + found) / (2 + seen))


def _turns(open_: Array, n: int) -> int:
    """Return in how many turns topics have so many documents left."""
    left = open_.sum(axis=1)
    turns = np.arange(1, int(left.max()) + 1)
    reached = np.minimum(left, turns[:, np.newaxis]).sum(axis=1)
    return int(turns[np.searchsorted(reached, n)])


def _judged(cube: xr.Dataset) -> Array:
    """Return how many judgments every topic has."""
    base = experiment_of(cube).judgments
    return base.count_by_topic(base.grade != POOLED_UNJUDGED)
