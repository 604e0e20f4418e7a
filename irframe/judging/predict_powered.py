"""Prediction-powered estimates from human and model judgments."""

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, level, listed, refuse_passed
from irframe.cubes import estimate
from irframe.cubes.sampled import estimated
from irframe.cubes.score import Work
from irframe.cubes.scores import Arrays, Scores
from irframe.cubes.unjudged import rejudge
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of
from irframe.errors import GradeError, IdError, MetricError, ParameterError, listing, warn
from irframe.experiments.coded_tables import read_qrels_table
from irframe.files.as_runs import Qrels
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, PAIR, SYSTEM, TOPIC
from irframe.paired.margins import power, power_pairs
from irframe.scores import read_scores
from irframe.scores.repeats import refuse_design
from irframe.scores.summary import ends_about, on_log_odds

FIELDS = ("estimate", "error", "jackknife", "weight")
MEANS = ("mean", "ci_low", "ci_high", "weight")
DIFFERENCES = ("difference", "difference_low", "difference_high", "difference_weight")
ARRAYS = 8
"""Number of arrays that are in memory at the same time. Each array has an element for every pair,
or for every system and topic."""


@verb
def predict_powered(
    scores: xr.DataArray | pd.DataFrame | xr.Dataset,
    human: xr.DataArray | pd.DataFrame,
    *,
    metrics: Metric | MetricType | str | Sequence[Metric | MetricType | str] | None = None,
    alpha: float = 0.05,
    baseline: Hashable | None = None,
    at: read_scores.Depths = None,
    topics: Literal["rest", "all"] | None = None,
    distribution: Literal["t", "normal"] = "t",
) -> xr.Dataset:
    """Estimate means and differences from model and human judgments.

    Parameters
    ----------
    scores
        Scores under the judgments of a model, such as a language model, on every topic, as an
        array, a wide frame or a long frame. If people judged a sample of documents of every topic,
        pass a cube with the judgments of the model instead.
    human
        Scores of the same systems, metrics and depths under human judgments, on a random sample of
        at least two of the topics. With a cube, pass the frame of `draw_to_judge`, in which people
        have filled in the grades of the drawn documents. The frame has a row for each document that
        the model judged.
    metrics
        Metrics for a cube: nDCG, or metrics that sum gains over ranks (P, DCG, RBP, SDCG, INSQ).
        The metrics cannot be passed for scores.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    baseline
        The system with which every other system is compared. The baseline is ``system_b`` in every
        pair. By default all pairs are compared. A baseline is not available with a cube.
    at
        Evaluation depths for a cube. The default is all depths. This option is not available for
        scores, whose depths can be selected beforehand.
    topics
        The topics over which the model's scores are averaged. ``"rest"`` (the default): the topics
        that people did not judge. ``"all"``: all topics. The option is not available with a cube.
    distribution
        The distribution for intervals computed from scores. ``"t"``: Student's distribution with
        ``n - 2`` degrees of freedom for n topics judged by people. Intervals of means from 0 to 1
        are computed on the log-odds scale. ``"normal"``: the normal distribution, as in ppi-python.
        These intervals are too short for fewer than about 50 topics.

    Returns
    -------
    xarray.Dataset
        ``mean``, its interval ``ci_low``, ``ci_high``, and ``weight`` have the dimensions (metric,
        system, depth). ``difference``, which is system_a - system_b, its interval
        ``difference_low``, ``difference_high``, and ``difference_weight`` have the dimensions
        (metric, pair, depth). The weight of the model's scores is from 0, if only human scores are
        used, to 1. ``n_human`` and ``n_model`` (metric, depth) are the numbers of topics over which
        human scores and the model's scores are averaged.

        With a cube, the means are those over the topics of the cube, and there are no differences.
        ``weight`` (metric, depth) is the same for all systems, and ``n_human`` and ``n_model`` are
        numbers of documents. There are three more variables. ``error`` is the standard error of the
        mean, and ``error_alone`` the standard error from human judgments alone. ``saving`` is the
        share of human judgments that the model saves at the same width of intervals. The saving is
        negative if the model makes intervals wider.

        The attribute ``interval`` names the kind of intervals of the means: ``"logit"``, ``"t"``,
        ``"normal"``, ``"arcsine"`` or ``"log"`` (see the notes).

    Raises
    ------
    IdError
        If people judged no topic of the scores. If people judged topics without scores, or
        documents that the model did not judge.
    ParameterError
        If people judged fewer than two topics, if systems differ, if alpha is not between 0 and 1,
        or if the topics of either scores are clustered, weighted or from several tasks.
    MetricError
        If metrics differ, or are not arithmetic means over topics. With a cube, also for the
        reasons given in `estimate`.
    InputError
        If human judgments of documents have neither strata nor probabilities.
    GradeError
        If people judged no document of a stratum, or gave higher grades than the model.

    Warns
    -----
    IrframeWarning
        If topics are dropped, because some system has no score on these topics. If topics are
        treated as unjudged because human scores of some systems are missing. If intervals are NaN,
        because people judged only two topics or because scores do not differ. With a cube, also for
        the reasons given in `estimate` and `rejudge`. The attribute ``caution`` contains the text
        of the warnings.

    Notes
    -----
    Let f be the model's scores on N topics, and y the human scores on n topics. The estimate is ``w
    mean_N(f) + mean_n(y - w f)`` with variance ``w^2 var_N(f) / N + var_n(y - w f) / n``. The
    estimate is unbiased for the mean under human judgments, however wrong the model is. The better
    the model, the shorter the interval. The weight ``w = cov_n(y, f) / ((1 + n/N) var(f))``,
    clipped to [0, 1], is computed for each mean and each difference. As in ppi-python, the divisor
    is N for var_N, n for var_n and cov_n, and n + N - 1 for var(f), which is computed over both
    samples. With ``distribution="normal"`` all results equal those of ppi-python.

    The variance above ignores that the weight is estimated from few topics. Student's intervals
    therefore use a jackknife variance, for which each topic judged by people is left out in turn,
    and the weight is computed again. Each topic judged by the model alone adds ``w^2 var(f)``. The
    intervals have n - 2 degrees of freedom, because the weight is estimated. The intervals are NaN
    for two topics. Intervals of means from 0 to 1 are computed on the log-odds scale, as in
    `summary`. RR is an exception, because its intervals would be too long on this scale.

    The coverage was measured on samples of topics from two tracks. In TREC's Deep Learning track of
    2021, GPT-4o is the model. In TREC-8, scores by one metric replace the model's scores, and
    scores by another metric the human scores. Besides the topics judged by people, 45 topics were
    judged by the model alone. The table contains the coverage of 95% intervals, averaged over six
    metrics. The lowest coverage of a metric is in brackets:

    ======  =============  =============  =============
    topics  normal         means          differences
    ======  =============  =============  =============
    5       78.6 % (73.9)  96.0 % (95.6)  95.5 % (93.9)
    10      85.7 % (81.9)  94.5 % (93.0)  94.8 % (94.2)
    20      90.1 % (89.1)  94.5 % (92.8)  95.0 % (94.4)
    50      93.2 % (92.8)  94.8 % (94.3)  95.2 % (94.8)
    ======  =============  =============  =============

    With a cube, the score of a topic is ``w F + sum over drawn documents of (y - w f) / p``. F is
    the model's score of the complete list. A document that was drawn with probability p contributes
    y to the score with its human grade, and f with the model's grade (Horvitz and Thompson, see
    `estimate`). For nDCG these sums are replaced by estimates of nDCG from the drawn documents,
    under both judgments. The weight minimises the sampling variance, is clipped to [0, 1], and is
    the same for all systems.

    For the standard error, the weight of each topic is estimated from all other topics. The number
    of degrees of freedom is the number of drawn documents in the lists of the system, minus 1.
    Intervals are NaN for fewer than 15 drawn documents, and for fewer than 3 documents whose human
    and model gains differ. Otherwise the coverage of the intervals would be too low. For means from
    0 to 1, intervals are computed on the arcsine square root scale. For other means, such as those
    of DCG, the log scale is used.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan, Zrnic. Prediction-powered inference. Science
       382, 2023. doi:10.1126/science.adi6000
    .. [2] Angelopoulos, Duchi, Zrnic. PPI++: efficient prediction-powered inference. 2023.
       doi:10.48550/arXiv.2311.01453
    .. [3] Oosterhuis, Jagerman, Qin, Wang, Bendersky. Reliable confidence intervals for
       information retrieval evaluation using generative A.I. KDD 2024.
       doi:10.1145/3637528.3671883

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> model = runs.ireval.evaluate(qrels, "RBP(p=0.8)")
    >>> people = (0.9 * model).query("topic < '109'")
    >>> result = model.ireval.predict_powered(people, baseline="bm25")
    >>> result[["mean", "ci_low", "ci_high", "weight"]].to_dataframe().round(2).head(2)
                         mean  ci_low  ci_high  weight
    metric     system
    RBP(p=0.8) bm25      0.20    0.12     0.31    0.41
               bm25+rm3  0.32    0.23     0.43    0.35
    """
    level(alpha)
    choice("distribution", distribution, ("normal", "t"))
    if isinstance(scores, xr.Dataset):
        advice = "omit these options, or pass the scores of the cube"
        refuse_passed(
            {"baseline=": baseline, "topics=": topics}, "options that apply to a cube", advice
        )
        return _by_documents(scores, human, metrics, at, alpha)
    advice = "score metrics and select depths before, as in scores.sel(depth=[...])"
    refuse_passed({"metrics=": metrics, "at=": at}, "options that apply to scores", advice)
    unjudged_only = choice("topics", topics or "rest", ("all", "rest")) == "rest"
    paired = read_scores.scores_to_compare(scores)
    refuse_design(paired, "predict_powered")
    human_scores = read_scores.read_scores(human).load()
    refuse_design(human_scores, "human=")
    people = _aligned(paired, human_scores)
    counted, judged = _samples(paired, people, unjudged_only=unjudged_only)
    pairs = read_scores.choose_pairs(paired, baseline)
    means = _estimate(paired, people, counted, judged, None)
    differences = _estimate(paired, people, counted, judged, pairs)
    reach = partial(
        _interval_ends, n=judged.sum(axis=1)[:, np.newaxis], alpha=alpha, kind=distribution
    )
    values = paired.values, np.where(judged[:, np.newaxis], people, 0)
    curved = on_log_odds(paired.metrics, *values) & (distribution == "t")
    dims = METRIC, SYSTEM, paired.axis.dim
    variables = _interval_variables(means, MEANS, dims, reach(means, curved))
    # differences are not limited to 0 to 1, so their intervals never use the log-odds scale
    ends = reach(differences, curved & False)
    variables |= _interval_variables(differences, DIFFERENCES, (METRIC, PAIR, dims[-1]), ends)
    for name, mask in (("n_human", judged), ("n_model", counted)):
        variables[name] = (METRIC, paired.axis.dim), mask.sum(axis=1)
    kinds = estimate.name_scale(paired.metrics, curved, ("logit", distribution))
    result = xr.Dataset(variables, read_scores.pair_labels(paired, pairs))
    result = result.isel({paired.axis.dim: 0}) if paired.depths is None else result
    result = result.assign_coords(paired.labels(SYSTEM))
    result = result.assign_attrs(alpha=alpha, distribution=distribution, interval=kinds)
    warn(*_intervals_not_given(result, paired.metrics))
    return result


def _intervals_not_given(result: xr.Dataset, metrics: list[str]) -> Iterator[str]:
    """Yield the cautions about intervals that are NaN."""
    few = [name for name, n in zip(metrics, result["n_human"].values, strict=True) if n.min() < 3]
    if few:
        yield f"no intervals with only two topics judged by people: {listing(few)}"
    enough = result["n_human"] > 2
    variables = {"means": result["ci_low"], "differences": result["difference_low"]}
    lost = {name: int((np.isnan(low) & enough).sum()) for name, low in variables.items()}
    counts = [f"{n} of {variables[name].size} {name}" for name, n in lost.items() if n]
    if counts:
        why = "human scores do not differ, or the mean is not between 0 and 1"
        yield f"no intervals of {' and '.join(counts)}, because {why}"


ERRORS = ["error", "error_alone"]
BIASES = ["bias", "bias_alone"]


def _by_documents(
    cube: xr.Dataset, human: Qrels, metrics: object, at: int | Sequence[int] | None, alpha: float
) -> xr.Dataset:
    """Estimate means from a model's cube and sampled human judgments."""
    chosen, depths = estimate.read_estimated(cube, listed(metrics), at)
    table = read_qrels_table(human)
    in_cube = table.topics.isin(cube.indexes[TOPIC])[table.topic]
    # `rejudge` warns of judged topics outside the cube, and raises an error if no topic is inside
    people = rejudge(cube, table.judging(in_cube) if in_cube.any() else human)
    cube = cube.isel({TOPIC: cube.indexes[TOPIC].get_indexer(people.indexes[TOPIC])})
    cheap, grades = _grades_of_both(cube, people)
    draw = estimate.read_draw(people)
    experiment = experiment_of(people)
    rows = experiment.rows_at(people.sizes[DEPTH])
    participated = experiment.participated[..., np.newaxis]
    model = Work(chosen, depths).over(cube).to_numpy()
    variables = {name: np.empty(model.shape) for name in ("mean", *ERRORS, *BIASES)}
    weight = np.empty((len(chosen), len(depths)))
    pairs = estimated(chosen, rows, draw, [grades, cheap], depths)
    for row, ((human_score, model_score), spread, bias) in enumerate(pairs):
        covariance, variance = (
            np.nansum(np.where(participated, values, 0), axis=0)
            for values in (spread[0, 1], spread[1, 1])
        )
        weight[row] = _clipped(covariance.sum(axis=0), variance.sum(axis=0))
        # The weight of a topic is estimated from the other topics, so that it does not depend on
        # the documents of the topic.
        without = _clipped(covariance.sum(axis=0) - covariance, variance.sum(axis=0) - variance)
        squared_error = spread[0, 0] - 2 * without * spread[0, 1] + without**2 * spread[1, 1]
        variables["mean"][row] = human_score + weight[row] * (model[row] - model_score)
        # rounding errors may make the variance of y - w f negative
        variables["error"][row] = np.maximum(squared_error, 0)
        variables["error_alone"][row] = spread[0, 0]
        variables["bias"][row] = bias[0] - weight[row] * bias[1]
        variables["bias_alone"][row] = bias[0]
    scores = estimate.labelled(people, variables, chosen, depths)
    n = scores["mean"].notnull().sum(TOPIC)
    variances = scores[ERRORS].sum(TOPIC, skipna=False) / n**2
    # as in `estimate`, the squared error of a mean includes the square of the bias correction
    variances += (scores[BIASES].mean(TOPIC) ** 2).rename(dict(zip(BIASES, ERRORS, strict=True)))
    share = draw.judged.sum() / draw.size.sum()
    alone = variances["error_alone"]
    # A sample's variance is proportional to 1 / share - 1, so without the model people would have
    # to judge the share s of documents for which share / s = 1 - saving.
    saving = (1 - share) * (1 - variances["error"] / alone.where(alone > 0))
    result = variances.map(np.sqrt).assign(mean=scores["mean"].mean(TOPIC), saving=saving)
    counts = {"n_human": int(draw.judged.sum()), "n_model": int(draw.size.sum())}
    result = result.assign(counts).assign(weight=((METRIC, DEPTH), weight))
    top_rows = rows[..., : max(depths)]
    freedom = estimate.freedom_of(chosen, top_rows, draw, grades, depths, cheap).where(n > 1)
    return estimate.with_limits(result, result["error"], freedom, draw, chosen, alpha)


def _grades_of_both(cube: xr.Dataset, people: xr.Dataset) -> list[tuple[Array, Array]]:
    """Return model and human grades, with highest grades of topics."""
    experiment = experiment_of(cube)
    model = experiment.judgments
    base = experiment_of(people).judgments
    model_keys, keys = (
        pd.MultiIndex.from_arrays([side.topic, side.docs]) for side in (model, base)
    )
    differing = model_keys.symmetric_difference(keys)
    if len(differing):
        cases = [f"{doc} of topic {cube.indexes[TOPIC][code]}" for code, doc in differing]
        expected = "human judgments of the model's documents, with grade -1 for those not drawn"
        raise IdError(expected, f"{len(cases)} documents of one judge only", "", cases)
    tops = experiment.tops[base.topic]
    high = np.flatnonzero(base.grade > tops)
    if len(high):
        cases = [f"{base.grade[row]} of {base.docs[row]}" for row in high]
        expected = "human grades up to the highest grade of the model"
        raise GradeError(expected, "higher grades", "", cases)
    return [(model.grade[model_keys.get_indexer(keys)], tops), (base.grade, tops)]


def _clipped(covariance: Array, variance: Array) -> Array:
    weight = np.divide(covariance, variance, out=np.zeros_like(covariance), where=variance > 0)
    return np.clip(weight, 0, 1)


def _aligned(paired: Scores, human: Scores) -> Array:
    """Align human scores to the model's scores; NaN if missing."""
    wrong = [metric for metric in paired.metrics if facts(metric).summary != "mean"]
    if wrong:
        raise MetricError("metrics that are arithmetic means over topics", "", "", wrong)
    human = read_scores.same_systems(paired, human)
    strange = human.topics.difference(paired.topics, sort=False)
    if len(strange):
        raise IdError("human scores on topics that the model judged", "", "", strange)
    missing = [metric for metric in paired.metrics if metric not in human.metrics]
    if missing:
        raise MetricError("human scores by every metric", "none for", "", missing)
    if paired.depths is not None:
        human = read_scores.select_depths(human, paired.depths.tolist())
    rows = [human.metrics.index(metric) for metric in paired.metrics]
    values = np.full((len(rows), *paired.values.shape[1:3], human.values.shape[3]), np.nan)
    values[:, :, paired.topics.get_indexer(human.topics)] = human.take(metric=rows).values
    read_scores.refuse_infinite(paired.metrics, values)
    return values


def _samples(paired: Scores, people: Array, *, unjudged_only: bool) -> tuple[Array, Array]:
    """Return which topics are averaged, and which have human scores.

    The two masks have the shape (metric, topic, depth).
    """
    if people.shape[-1] != paired.values.shape[-1]:
        raise ParameterError("human scores without depths, like the model's", "several depths")
    scored: Any = ~np.isnan(people).any(axis=1)
    partly = ~np.isnan(people).all(axis=1) & ~scored & paired.scored
    lost = int(partly.any(axis=(0, 2)).sum())
    if lost:
        warn(f"topics on which some system lacks a human score are treated as unjudged: {lost}")
    judged = scored & paired.scored
    counted = paired.scored & ~judged if unjudged_only else paired.scored
    fewest = judged.sum(axis=1).min(axis=1)
    few = [metric for metric, n in zip(paired.metrics, fewest, strict=True) if n < 2]
    if few:
        expected = "at least two topics with human scores of every system"
        raise ParameterError(expected, f"{fewest.min()}", "", few)
    if not counted.sum(axis=1).all():
        advice = "let people judge fewer topics than the model"
        raise ParameterError("topics that only the model judged", "none", advice)
    return counted, judged


def _estimate(
    paired: Scores, people: Array, counted: Array, judged: Array, pairs: Array | None
) -> dict[str, Array]:
    """Return the estimates for systems or pairs.

    Each array has the shape (metric, system or pair, depth).
    """
    sizes = paired.values[0, :, :, 0].size, 0 if pairs is None else len(pairs)

    def compute(row: int, block: slice) -> Arrays:
        model, human = (np.nan_to_num(array[row, :, :, block]) for array in (paired.values, people))
        where = counted[row, :, block], judged[row, :, block]
        if pairs is None:
            return power(model, human, *where)
        return power_pairs(model, human, *where, pairs)

    columns = paired.by_pair(ARRAYS * max(sizes), compute)
    return {name: array.swapaxes(1, 2) for name, array in zip(FIELDS, columns, strict=True)}


def _interval_ends(
    fields: dict[str, Array], curved: Array, *, n: Array, alpha: float, kind: str
) -> Array:
    """Return the ends of intervals, NaN for unknown variances."""
    if kind == "normal":
        half = scipy.special.ndtri(1 - alpha / 2) * fields["error"]
    else:
        freedom = np.where(n > 2, n - 2.0, np.nan)
        half = scipy.special.stdtrit(freedom, 1 - alpha / 2) * fields["jackknife"]
    # a width of 0, up to rounding errors, means that the variance cannot be estimated
    widths = np.where(half > 10.0**-TIE, half, np.nan)
    return np.asarray(ends_about(fields["estimate"], widths, curved))


def _interval_variables(
    fields: dict[str, Array], names: tuple[str, ...], dims: tuple[str, ...], ends: Array
) -> dict[str, tuple[tuple[str, ...], Array]]:
    values = (fields["estimate"], *ends, fields["weight"])
    return {name: (dims, array) for name, array in zip(names, values, strict=True)}
