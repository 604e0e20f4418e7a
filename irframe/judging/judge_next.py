"""Choice of documents to judge, and simulation of judging.

Verbs: judge_next, replay.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, choice, each_once, listed, number
from irframe.comparing.corrections import TestedMeans
from irframe.comparing.significance import Pairing
from irframe.cubes.unjudged import SIDES
from irframe.cubes.verb import common_topics, drop_absent, read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.depth.leave_out import contributing_groups
from irframe.errors import ParameterError, warn
from irframe.experiments.hits import RANKS
from irframe.experiments.policy import parse_metrics
from irframe.experiments.topic_design import refuse_declared
from irframe.files.as_runs import Runs, as_runs
from irframe.judging.candidates import (
    Candidates,
    JudgingMethod,
    ListedDocuments,
    MethodName,
    Prior,
    contributing_systems,
    read_prior,
    tally,
)
from irframe.judging.grades_by_judge import Variables
from irframe.judging.judge_effect import CONCLUSIONS
from irframe.judging.turns import METHODS, SampleResult, Trial, take_turns
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.names import BOUND, DEPTH, DOC, METRIC, SYSTEM, TOPIC, UNJUDGED
from irframe.progress import tracked
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.scores.averages import Resamples, Resampling


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
    """Return the documents to judge next, in order of usefulness.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`. Cubes built from run frames contain the ids of unjudged
        documents down to rank 100.
    n
        Number of documents to judge over all topics, at least 1. In each round, one document of
        every topic is chosen. Within a round, topics with fewer judgments come first.
    method
        The method that chooses documents. ``"pool"``: the document with the best rank in any run.
        Ties are broken by the number of runs with that rank, then by id. ``"mtf"`` (move to front):
        the next unjudged document of one run. When a document is not relevant, the method moves on
        to another run. ``"maxmean"``: the next unjudged document of the run with the highest
        expected precision. ``"leverage"``: a document that is probably relevant, and whose ranks
        differ between systems. Pass an `irframe.JudgingMethod` to set a credit, a batch or a prior.
    depth
        Depth to which lists are read. The default is the smaller of 100 and the depth of the cube.
    rel
        Lowest relevant grade, at least 1.
    runs
        The runs from which the cube was made. The runs are required if the cube lacks ids of
        unjudged documents. A cube lacks these ids beyond rank 100.
    seed
        Seed of the order of tied runs, at least 0.

    Returns
    -------
    pandas.DataFrame
        A frame with `n` rows in the order of judging, and with the columns

        - ``topic`` and ``doc``, the document to judge;
        - ``priority``, the value of the method's criterion for the document;
        - ``probability``, the probability of relevance. Without a prior, the probability is
          estimated from the precision of the runs that retrieved the document;
        - ``best_rank``, the best rank of the document in any run, and ``runs``, the number of runs
          that retrieved the document.

    Raises
    ------
    ParameterError
        If `n` exceeds the number of unjudged documents in the pool, if the method is unknown, if
        ``"mtf"`` has a prior, or if a probability is not from 0 to 1.
    InputError
        If the cube lacks ids of unjudged documents and `runs` is not passed. If `runs` are not the
        runs of the cube, or if the prior lacks a column.
    DepthError
        If a depth is below 1, or greater than that of the cube.

    Warns
    -----
    IrframeWarning
        If the contributors to the pool are unknown, so that all systems are treated as
        contributors. If documents have no prior.

    Notes
    -----
    The result depends on the judgments in the cube, and not on the order of judging. To continue,
    add the new judgments to the qrels and build the cube again. With a batch of one document,
    ``"pool"``, ``"mtf"`` and ``"maxmean"`` are the published methods [1]_ [2]_. Tied runs are
    ordered at random, depending on the seed. Tied documents are ordered by id, so that the result
    does not depend on the order of rows.

    ``"leverage"`` chooses the document with the largest ``L p^2``. The weight of the document in a
    list is ``W = 1 / sqrt(rank)``, or 0 if the list does not contain the document. L is the
    standard deviation of W over the systems that took part in the topic. The precision of a system
    is estimated by ``m = (1 + sum of W over relevant documents) / (2 + sum of W over judged
    documents)``. The probability of relevance p is the mean of m over systems, weighted by W. The
    formula was chosen by experiments on TREC-8, Robust 2003, TREC-COVID round 1 and DL 2021.

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
    n = check_int("n", n, low=1)
    seed = check_int("seed", seed, low=0)
    rel = check_int("rel", rel, low=1)
    judging_method = JudgingMethod.read(method)
    run_frame = None if runs is None else as_runs(runs)
    # methods choose the first of several tied documents or runs, so systems and topics are sorted
    # to make the choice independent of row order
    cube = cube.sortby([SYSTEM, TOPIC])
    documents = ListedDocuments.named(cube, _depth(cube, depth), run_frame)
    pool = documents.pool(contributing_systems(cube), seed)
    grade = documents.grade
    judged = pool.exists & (grade != UNJUDGED)
    unjudged = pool.exists & ~judged
    n_turns = _turns(unjudged, n)
    learned_prior = read_prior(judging_method.prior, documents, unjudged)
    likely = _likely(pool, judged, (grade >= rel) & judged, learned_prior)
    chosen = METHODS[judging_method.key](pool, learned_prior)
    relevant = np.where(judged, grade >= rel, likely)
    turns = take_turns(chosen, relevant, n_turns, batch=judging_method.batch, judged=judged)
    # the topics with the fewest judgments gain most from another judgment, and come first
    order = np.lexsort((_judged(cube)[turns.topic], turns.turn))[:n]
    _, topic, document, priority = (block[order] for block in turns)
    return pd.DataFrame(
        {
            TOPIC: cube.indexes[TOPIC].take(topic),
            DOC: documents.label(topic, document),
            "priority": priority,
            "probability": likely[topic, document],
            "best_rank": pool.best_rank[topic, document],
            "runs": pool.runs[topic, document],
        }
    )


def count_unjudged(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return the number of unjudged documents in the pool.

    Examples
    --------
    >>> import irframe as ir
    >>> count_unjudged(ir.cube(*ir.example_track()))
    1200
    """
    documents = ListedDocuments.named(cube, _depth(cube, depth))
    # the seed only orders tied systems, and has no effect on the documents of the pool
    in_pool = documents.pool(contributing_systems(cube), 0).exists
    return int((in_pool & (documents.grade == UNJUDGED)).sum())


def _depth(cube: xr.Dataset, depth: int | None) -> int:
    """Return the depth to which lists are read."""
    return min(cube.sizes[DEPTH], RANKS) if depth is None else read_depth(cube, depth)


def _likely(pool: Candidates, judged: Array, relevant: Array, prior: Prior | None) -> Array:
    """Return the probability of relevance of each document, given judgments."""
    if prior is not None:
        topic, document = np.nonzero(judged)
        prior.learn(topic, document, relevant[topic, document])
        return prior.likely()
    relevant_weight, judged_weight = tally(judged, relevant, pool.weight)
    # two judged documents, one of them relevant, are added, so that runs without judgments have
    # precision 1/2
    return pool.likely((1 + relevant_weight) / (2 + judged_weight))


def _turns(unjudged: Array, n: int) -> int:
    """Return the number of rounds needed to choose `n` documents."""
    counts = unjudged.sum(axis=1)
    if n > counts.sum():
        expected = f"n to be at most {counts.sum()} (the number of unjudged documents in the pool)"
        raise ParameterError(
            expected, f"{n}", "pass a greater depth=, or a pool with more contributing systems"
        )
    turns = np.arange(1, int(counts.max()) + 1)
    reached = np.minimum(counts, turns[:, np.newaxis]).sum(axis=1)
    return int(turns[np.searchsorted(reached, n)])


def _judged(cube: xr.Dataset) -> Array:
    """Return the number of judgments per topic."""
    base = experiment_of(cube).judgments
    return base.count_by_topic(base.grade != POOLED_UNJUDGED)


DIMS = "strategy", "budget"


@verb(reads=("together",))
def replay(
    cube: xr.Dataset,
    methods: JudgingMethod | str | Sequence[JudgingMethod | str],
    budgets: int | Sequence[int],
    *metrics: Metric | MetricType | str,
    test: TestedMeans = "t",
    unjudged: Literal["nonrelevant", "condensed"] = "nonrelevant",
    depth: int | None = None,
    rel: int = 1,
    contributing_share: float = 1.0,
    together: str | None = None,
    resamples: Resampling | int = 8,
    progress: bool = False,
) -> xr.Dataset:
    """Simulate judging by several methods, and compare the conclusions.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, whose judgments are treated as complete.
    methods
        Methods of `judge_next`: ``"pool"``, ``"mtf"``, ``"maxmean"``, ``"leverage"``, or values of
        `irframe.JudgingMethod`. A method with options is labelled as in
        ``"maxmean(credit='run')"``.
    budgets
        Numbers of judgments per topic, at least 1.
    metrics
        Metrics or their names. A metric without a depth in its name is evaluated at the depth of
        the cube.
    test
        The significance test, as for `compare`: an `irframe.Significance`, or the name of a test.
        Intervals have the confidence level 1 - `alpha`, where `alpha` is that of the test.
    unjudged
        Whether documents without a judgment count as ``"nonrelevant"``, or are removed from all
        lists before scoring (``"condensed"``).
    rel
        Lowest relevant grade, at least 1.
    depth
        Depth to which the lists of contributing systems are read. The default is the depth of the
        cube.
    contributing_share
        Share of the contributing systems whose documents are judged in a sample, above 0 and at
        most 1. If the share is below 1, the systems are drawn at random for each sample. With
        `together`, groups of systems are drawn.
    together
        A coordinate of the systems, such as ``"team"``. Systems with the same value are in the
        same samples.
    resamples
        Number of samples, or an `irframe.Resampling`. Samples differ in the contributing systems
        and in the order of tied runs.
    progress
        Whether to show a progress bar (tqdm) over samples.

    Returns
    -------
    xarray.Dataset
        Means over samples. For each variable there is a variable whose name ends in ``_interval``,
        Student's confidence interval over samples, with the dimension ``bound``. Intervals are NaN
        for a single sample. The variables are

        - ``judged`` and ``found`` (strategy, budget), the number of judged documents and the number
          of judged relevant documents, per topic;
        - ``tau`` and ``tau_ap`` (strategy, budget, metric), the agreement of the ranking of systems
          with the ranking under full judgments;
        - ``conclusions`` (strategy, budget, metric, conclusion), the number of pairs of systems
          with each conclusion, see `judge_effect`. The full judgments take the place of the
          reference, and the judgments within the budget the place of the other judge;
        - ``kept`` (strategy, budget, metric), the share of significant differences under full
          judgments that remain significant in the same direction;
        - ``changed`` (strategy, budget, metric), the share of pairs that become significant, are no
          longer significant, or change direction;
        - ``change`` (strategy, budget, metric), the relative change, in percent, of the mean score
          of systems that did not contribute, minus the relative change for contributing systems.
          The value is NaN if all systems contribute.

    Raises
    ------
    ParameterError
        If a method, budget, share or coordinate is invalid.
    DepthError
        If a depth is greater than that of the cube, or if ``unjudged="condensed"`` and the lists
        were cut.
    GradeError
        If grade -1 marks unjudged documents.

    Warns
    -----
    IrframeWarning
        If the contributors to the pool are unknown, so that all systems are treated as
        contributors. If judgments are ignored, because no contributing system retrieved the
        document.

    Notes
    -----
    Full judgments are all judgments of documents in the lists of contributing systems. Judgments of
    other documents are ignored, because no method could choose these documents. All systems,
    including those that did not contribute, are scored on the topics in which all systems took
    part. Only ``"mtf"`` and ``"maxmean"`` break ties at random. If all systems contribute, the
    results of ``"pool"`` and ``"leverage"`` are the same in every sample.

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
    >>> result = replay(cube, ["pool", "leverage"], [5, 10, 100], "AP")
    >>> result["tau"].squeeze().to_pandas().round(2)
    budget     5     10   100
    strategy
    pool      0.57  0.86  1.0
    leverage  0.86  0.93  1.0
    """
    refuse_declared(cube.attrs, "replay")
    chosen_methods = [JudgingMethod.read(method, "leverage") for method in listed(methods)]
    names = [str(method) for method in chosen_methods]
    turns = [check_int("budget", budget, low=1) for budget in listed(budgets)]
    each_once("methods", names)
    each_once("budgets", turns)
    rel = check_int("rel", rel, low=1)
    condensed = choice("unjudged", unjudged, ("nonrelevant", "condensed")) == "condensed"
    pairing = Pairing(test)
    reading_depth = read_depth(cube, depth)
    cube = common_topics(drop_absent(cube)).sortby([SYSTEM, TOPIC])
    documents = ListedDocuments.judged(cube, reading_depth)
    last = cube.sizes[DEPTH]
    chosen = parse_metrics(metrics)
    options = chosen, last, pairing, condensed, rel
    draws = Resamples.of(pairing.alpha, resamples)
    contributing = _drawn(documents, together, contributing_share, draws)
    samples = tracked(contributing, len(contributing), "sample", progress=progress)
    alike = contributing_share == 1
    trial = Trial(documents, chosen_methods, turns, *options)
    results = trial.judge_each(samples, draws.seed, alike=alike)
    labels = {"strategy": names, "budget": turns, METRIC: list(map(str, chosen))}
    names_of_labels = {"conclusion": list(CONCLUSIONS), BOUND: list(SIDES)}
    attrs = {
        "contributing_share": contributing_share,
        "samples": draws.samples,
        "unjudged": unjudged,
    }
    return xr.Dataset(
        _summary(results, pairing.alpha), labels | names_of_labels, pairing.attributes() | attrs
    )


def _drawn(
    documents: ListedDocuments, together: str | None, share: float, draws: Resamples
) -> list[Array]:
    """Return the positions of the contributing systems of every sample."""
    number("contributing_share", share, above=0, high=1)
    cube = documents.cube
    systems = contributing_systems(cube)
    judged = len(documents.judgments.row)
    n_ignored = judged - int(documents.pool(systems, 0).exists.sum())
    if n_ignored:
        warn(
            f"{n_ignored} of {judged} judgments are set aside, because no contributing system "
            "retrieved their documents within the depth"
        )
    contributes = np.isin(np.arange(cube.sizes[SYSTEM]), systems)
    group = contributing_groups(cube, contributes, together)
    labels = np.unique(group[group >= 0])
    size = max(1, round(share * len(labels)))
    random = np.random.default_rng(draws.seed)
    subsets = [random.permutation(labels)[:size] for _ in range(draws.samples)]
    return [np.flatnonzero(np.isin(group, subset)) for subset in subsets]


def _summary(results: list[SampleResult], alpha: float) -> Variables:
    """Return the variables for means over samples and their intervals."""
    variables: Variables = {}
    number = len(results)
    factor = scipy.special.stdtrit(number - 1.0, 1 - alpha / 2) if number > 1 else np.nan
    for name in results[0]:
        dims = (*DIMS, METRIC, "conclusion")[: results[0][name].ndim]
        values = np.stack([result[name] for result in results])
        mean = values.mean(axis=0)
        spread = values.std(axis=0, ddof=1) if number > 1 else np.full(mean.shape, np.nan)
        half = factor * spread / np.sqrt(number)
        variables[name] = dims, mean
        interval = np.stack([mean - half, mean + half], axis=-1)
        variables[f"{name}_interval"] = (*dims, BOUND), interval
    return variables
