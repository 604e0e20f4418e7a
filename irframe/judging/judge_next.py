"""What to judge next, and what a budget of judgments buys.

Verbs: judge_next, replay.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, each_once, listed, number, tracked, whole
from irframe.comparing.corrections import Tested
from irframe.comparing.significance import Pairing
from irframe.cubes.unjudged import SIDES
from irframe.cubes.verb import attended, read_depth, shared, verb
from irframe.cubes.view import experiment_of
from irframe.depth.leave_out import contributing_groups
from irframe.errors import ParameterError, warn
from irframe.experiments.in_turn import RANKS
from irframe.experiments.policy import parse_metrics
from irframe.experiments.topic_design import refuse_declared
from irframe.files.as_runs import Runs, as_runs
from irframe.judging.candidates import (
    Candidates,
    ListedDocuments,
    Prior,
    by_label,
    helping,
    read_prior,
    tally,
)
from irframe.judging.judge_effect import CONCLUSIONS
from irframe.judging.judging_method import JudgingMethod, MethodName
from irframe.judging.turns import METHODS, Found, Trial, take_turns
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import BOUND, DEPTH, DOC, METRIC, SYSTEM, TOPIC, UNJUDGED
from irframe.scores.averages import Resamples
from irframe.scores.resampling import Resampling


@verb
def judge_next(
    cube: xr.Dataset,
    n: int,
    method: JudgingMethod | MethodName = "leverage",
    *,
    depth: int | None = None,
    rel: int = 1,
    runs: Runs | None = None,
    seed: int = 0,
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
        tells systems apart and is likely relevant. With a credit, a
        batch or a prior: an `irframe.JudgingMethod`.
    depth
        How deep the lists are read; by default 100, or as deep as the cube is.
    rel
        Lowest relevant grade, at least 1.
    runs
        The runs that the cube was made of, where it does not know what its unjudged documents are
        called, as at depths beyond 100.
    seed
        Of the order of runs that tie, from 0.

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
    >>> judge_next(cube, 3)
      topic   doc  priority  probability  best_rank  runs
    0   101  d546     0.052        0.700         14     1
    1   105  d433     0.036        0.562         12     1
    2   106  d807     0.012        0.336         15     1
    """
    n, seed, rel = whole("n", n, low=1), whole("seed", seed, low=0), whole("rel", rel, low=1)
    way = JudgingMethod.read(method)
    named, cube = None if runs is None else as_runs(runs), by_label(cube)
    documents = ListedDocuments.named(cube, _depth(cube, depth), named)
    pool, grade = documents.pool(helping(cube), seed), documents.grade
    known = pool.there & (grade != UNJUDGED)
    open_ = pool.there & ~known
    most, learned = _turns(open_, n), read_prior(way.prior, documents, open_)
    likely = _likely(pool, known, (grade >= rel) & known, learned)
    chosen = METHODS[way.key](pool, learned)
    relevant = np.where(known, grade >= rel, likely)
    turns = take_turns(chosen, relevant, most, batch=way.batch, known=known)
    order = np.lexsort((_judged(cube)[turns.topic], turns.turn))[:n]
    _, topic, place, priority = (part[order] for part in turns)
    return pd.DataFrame(
        {
            TOPIC: cube.indexes[TOPIC].take(topic),
            DOC: documents.label(topic, place),
            "priority": priority,
            "probability": likely[topic, place],
            "best_rank": pool.best_rank[topic, place],
            "runs": pool.runs[topic, place],
        }
    )


def count_unjudged(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return how many documents of the pool of a cube are unjudged, down to a depth.

    Examples
    --------
    >>> import irframe as ir
    >>> count_unjudged(ir.cube(*ir.example_track()))
    1200
    """
    documents = ListedDocuments.named(cube, _depth(cube, depth))
    there = documents.pool(helping(cube), 0).there
    return int((there & (documents.grade == UNJUDGED)).sum())


def _depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return how deep lists are read."""
    return min(cube.sizes[DEPTH], RANKS) if depth is None else read_depth(cube, depth)


def _likely(pool: Candidates, known: Array, relevant: Array, prior: Prior | None) -> Array:
    """Return how likely documents are relevant by what is judged, shape (topic, document)."""
    if prior is not None:
        topic, document = np.nonzero(known)
        prior.learn(topic, document, relevant[topic, document])
        return prior.likely()
    hits, seen = tally(known, relevant, pool.weight)
    return pool.likely((1 + hits) / (2 + seen))


def _turns(open_: Array, n: int) -> int:
    """Return in how many turns topics have so many documents left, refusing more than there are."""
    left = open_.sum(axis=1)
    if n > left.sum():
        found = f"{n}, and {left.sum()} in the pool are unjudged"
        advice = "take contributing systems, or a greater depth, that have more"
        raise ParameterError("n of at most as many documents as are unjudged", found, advice)
    turns = np.arange(1, int(left.max()) + 1)
    reached = np.minimum(left, turns[:, np.newaxis]).sum(axis=1)
    return int(turns[np.searchsorted(reached, n)])


def _judged(cube: xr.Dataset) -> Array:
    """Return how many judgments every topic has."""
    base = experiment_of(cube).judgments
    return base.count_by_topic(base.grade != POOLED_UNJUDGED)


DIMS = "strategy", "budget"


@verb(reads=("together",))
def replay(
    cube: xr.Dataset,
    methods: JudgingMethod | str | Sequence[JudgingMethod | str],
    budgets: int | Sequence[int],
    *metrics: Metric | MetricType | str,
    test: Tested = "t",
    at: int | None = None,
    unjudged: Literal["nonrelevant", "condensed"] = "nonrelevant",
    depth: int | None = None,
    rel: int = 1,
    contributing_share: float = 1.0,
    together: str | None = None,
    resamples: Resampling | int = 8,
    progress: bool = False,
) -> xr.Dataset:
    """Say what fewer judgments would have concluded, by how their documents are chosen.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, whose judgments are taken for the truth.
    methods
        Methods of `judge_next`: ``"pool"``, ``"mtf"``, ``"maxmean"``, ``"leverage"``, or each an
        `irframe.JudgingMethod`, which prints as ``"maxmean(credit='run')"``.
    budgets
        Judgments of each topic, at least 1.
    metrics
        Metrics or their names.
    test
        How a difference is called significant, as for `compare`: an `irframe.Significance`, or the
        name of a test. Intervals are at 1 - `alpha` of it.
    at
        Evaluation depth of metrics without their own, by default the depth of the cube.
    unjudged
        Whether documents that a budget leaves unjudged count as not relevant, or are removed from
        all lists before they are scored (``"condensed"``).
    rel
        As for `judge_next`.
    depth
        How deep the lists of those who help are read, by default as deep as the cube.
    contributing_share
        Which share of the contributing systems, or of their groups, helps to judge; above 0, at
        most 1. Below 1, another random part helps in every sample.
    together
        A coordinate of the systems such as ``"team"``: groups help, or do not, as a whole.
    resamples
        How many times to judge, with other systems helping and ties in another order: an
        `irframe.Resampling`, or a number.
    progress
        Whether to show how many samples are done, by tqdm.

    Returns
    -------
    xarray.Dataset
        Means over samples, and each as ``..._interval`` with (..., bound), Student's over samples,
        NaN for one sample:

        - ``judged`` and ``found`` (strategy, budget), documents judged and relevant ones, by
          topic;
        - ``tau`` and ``tau_ap`` (strategy, budget, metric), agreement of the order of all systems
          with that by full judgments;
        - ``conclusions`` (strategy, budget, metric, conclusion), pairs of systems: ``kept``,
          significantly different in the same direction; ``lost``, only by full judgments; ``new``,
          only by the budget's; ``reversed``; ``neither``;
        - ``kept`` and ``changed`` (strategy, budget, metric), the share of the significant
          differences by full judgments that is kept, and that of all pairs for which significance
          or direction change;
        - ``change`` (strategy, budget, metric), by how many percent the mean over systems that did
          not help changes against full judgments, less the same of those that did; NaN if all do.

    Raises
    ------
    ParameterError
        For unknown methods, budgets, a share outside (0, 1], or a coordinate that is none.
    DepthError
        For depths beyond the cube, or lists that were cut and are to be condensed.
    GradeError
        If grade -1 marks unjudged documents.

    Warns
    -----
    IrframeWarning
        If the pool is not known: all systems make it then; and if judgments are set aside.

    Notes
    -----
    Full judgments are those of the documents that the systems who help have in the pool; others
    are set aside, as no method could choose them. All systems are scored on all topics in which
    all took part, those who did not help as well. Only ``"mtf"`` and ``"maxmean"`` have ties that
    chance decides: where all help, the others give the same in every sample.

    References
    ----------
    .. [1] Cormack, Palmer, Clarke. Efficient construction of large test collections. SIGIR 1998.
       doi:10.1145/290941.291009
    .. [2] Losada, Parapar, Barreiro. Multi-armed bandits for adjudicating documents in
       pooling-based evaluation of information retrieval systems. Information Processing &
       Management 53, 2017. doi:10.1016/j.ipm.2017.04.005
    .. [3] Voorhees. Variations in relevance judgments and the measurement of retrieval
       effectiveness. Information Processing & Management 36, 2000.
       doi:10.1016/S0306-4573(00)00010-8

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> found = replay(cube, ["pool", "leverage"], [5, 10, 100], "AP")
    >>> found["tau"].squeeze().to_pandas().round(2)
    budget     5     10   100
    strategy
    pool      0.57  0.86  1.0
    leverage  0.86  0.93  1.0
    """
    refuse_declared(cube.attrs, "replay")
    ways = [JudgingMethod.read(method, "leverage") for method in listed(methods)]
    names = [str(way) for way in ways]
    turns = [whole("budget", budget, low=1) for budget in listed(budgets)]
    each_once("methods", names)
    each_once("budgets", turns)
    rel = whole("rel", rel, low=1)
    condensed = choice("unjudged", unjudged, ("nonrelevant", "condensed")) == "condensed"
    pairing, read = Pairing(test), read_depth(cube, depth)
    cube = by_label(shared(attended(cube)))
    documents, last = ListedDocuments.judged(cube, read), cube.sizes[DEPTH] if at is None else at
    chosen = parse_metrics(metrics)
    options = chosen, last, pairing, condensed, rel
    draws = Resamples.of(pairing.alpha, resamples)
    helpers = _drawn(documents, together, contributing_share, draws)
    done, alike = (
        tracked(helpers, len(helpers), "sample", progress=progress),
        contributing_share == 1,
    )
    results = Trial(documents, ways, turns, *options).judge_each(done, draws.seed, alike=alike)
    labels = {"strategy": names, "budget": turns, METRIC: list(map(str, chosen))}
    words = {"conclusion": list(CONCLUSIONS), BOUND: list(SIDES)}
    attrs = {
        "contributing_share": contributing_share,
        "samples": draws.samples,
        "unjudged": unjudged,
    }
    return xr.Dataset(_summary(results, pairing.alpha), labels | words, pairing.told() | attrs)


def _drawn(
    documents: ListedDocuments, together: str | None, share: float, draws: Resamples
) -> list[Array]:
    """Return the places of the systems that help to judge, of every sample."""
    number("contributing_share", share, above=0, high=1)
    cube = documents.cube
    systems = helping(cube)
    judged = len(documents.judgments.row)
    aside = judged - int(documents.pool(systems, 0).there.sum())
    if aside:
        warn(
            f"{aside} of {judged} judgments are set aside: no contributing run has their documents "
            "in the pool"
        )
    helps = np.isin(np.arange(cube.sizes[SYSTEM]), systems)
    group = contributing_groups(cube, helps, together)
    labels = np.unique(group[group >= 0])
    size, random = max(1, round(share * len(labels))), np.random.default_rng(draws.seed)
    parts = [random.permutation(labels)[:size] for _ in range(draws.samples)]
    return [np.flatnonzero(np.isin(group, part)) for part in parts]


def _summary(results: list[Found], alpha: float) -> dict[str, Any]:
    """Return means over samples, and their intervals."""
    parts: dict[str, Any] = {}
    number = len(results)
    factor = scipy.special.stdtrit(number - 1.0, 1 - alpha / 2) if number > 1 else np.nan
    for name in results[0]:
        dims = (*DIMS, METRIC, "conclusion")[: results[0][name].ndim]
        values = np.stack([result[name] for result in results])
        mean = values.mean(axis=0)
        spread = values.std(axis=0, ddof=1) if number > 1 else np.full(mean.shape, np.nan)
        half = factor * spread / np.sqrt(number)
        parts[name] = dims, mean
        parts[f"{name}_interval"] = (*dims, BOUND), np.stack([mean - half, mean + half], axis=-1)
    return parts
