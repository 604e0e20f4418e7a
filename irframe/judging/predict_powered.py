"""Means and differences of systems from few judgments by people and many by a model."""

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import choice, level, listed
from irframe.cubes import estimate
from irframe.cubes.sampled import estimated
from irframe.cubes.score import Work
from irframe.cubes.unjudged import rejudge
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of
from irframe.errors import GradeError, IdError, MetricError, ParameterError, listing, warn
from irframe.experiments.coded_tables import read_qrels_table
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, PAIR, SYSTEM, TOPIC
from irframe.paired.margins import power, power_pairs
from irframe.scores import read_scores
from irframe.scores.repeats import refuse_design
from irframe.scores.scores import Arrays, Scores
from irframe.scores.summary import ends_about, on_log_odds

FIELDS = ("estimate", "error", "jackknife", "weight")
MEANS = ("mean", "ci_low", "ci_high", "weight")
DIFFERENCES = ("difference", "difference_low", "difference_high", "difference_weight")
ARRAYS = 8
"""Arrays over pairs, or over systems and topics, that are held at a time."""


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
    """Say how good systems are, and how far apart, if people judged only a part.

    Parameters
    ----------
    scores
        Scores by a judge who judged every topic, such as a language model: an array, or a frame,
        wide or long. Or a cube of the judgments of such a judge, if people judged some documents of
        every topic.
    human
        Scores of the same systems, metrics and depths by people, on some of these topics, drawn
        at random; at least two. With a cube, people's judgments of documents drawn at random, a
        qrels frame as `draw_to_judge` makes it, with a row for each document of the model's.
    metrics
        With a cube, metrics that add up gains by rank: P, DCG, RBP, SDCG, INSQ; or nDCG.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    baseline
        A system: hold each other one against it, ``system_b`` throughout. By default all pairs.
        Of scores only, as `topics` and `distribution`.
    at
        Of a cube, depths to score at; by default all there are. Of scores, select depths before.
    topics
        Over which topics the model's scores are averaged: the ``"rest"``, on which people did not
        judge, the default, or ``"all"``. See the notes.
    distribution
        What intervals rest on: ``"t"``, Student's with as many degrees of freedom as there are
        topics by people less two, of means from 0 to 1 on the scale of log odds; or ``"normal"``,
        as in ppi-python, too short below some 50.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``ci_low``, ``ci_high`` and ``weight`` over (metric, system, depth); and
        ``difference``, ``difference_low``, ``difference_high`` and ``difference_weight`` over
        (metric, pair, depth), the difference being system_a - system_b of each pair. The weight
        is what the model's scores count for: 0, nothing, so that the mean is people's alone, up
        to 1. ``n_human`` and ``n_model`` (metric, depth) say on how many topics this rests.

        With a cube means and intervals are of these very topics, and there are no differences;
        ``weight`` is one for all systems, (metric, depth), and ``n_human`` and ``n_model`` count
        documents. There are more: ``error`` and ``error_alone``, standard errors with the model
        and of people alone; and ``saving``, the share of judgments that the model saves, of those
        that people alone would need for the same interval, below 0 where it costs some.

        The attribute ``interval`` says what intervals of means are: ``"logit"``, ``"t"``, both by
        metric, ``"normal"``, or ``"arcsine"`` or ``"log"``, see the notes.

    Raises
    ------
    IdError
        If people judged no topic of the scores, or others; or other documents than the model.
    ParameterError
        For fewer than two topics by people, other systems, or an alpha outside (0, 1).
    MetricError
        For other metrics, or those that are not averaged by a plain mean; with a cube, for those
        that `estimate` refuses.
    InputError
        If people's judgments of documents have neither strata nor probabilities.
    GradeError
        If people judged no document of a stratum, or give higher grades than the model.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or count as not judged
        because people scored only some systems there; for intervals that are NaN, as there are two
        topics by people, or scores that do not differ; and for those of fewer topics than a metric
        needs. With a cube, as `estimate` and `rejudge`. The attribute ``caution`` says the same.

    Notes
    -----
    With f the model's scores on N topics and y people's on n: ``w mean_N(f) + mean_n(y - w f)``
    of variance ``w^2 var_N(f) / N + var_n(y - w f) / n``. However wrong the model, that is people's
    mean on average; the better it is, the shorter the interval. The weight is tuned for each mean
    and each difference, ``w = cov_n(y, f) / ((1 + n/N) var(f))``, clipped to [0, 1]. As in
    ppi-python var_N, var_n and cov_n divide by N and n, but var(f), over both samples together, by
    one less than their size. With ``distribution="normal"`` all is as there.

    The weight is estimated, too, from few topics, which that variance leaves out. So Student's
    intervals take that of the jackknife: each topic of people's is left out in its turn and the
    weight found anew; topics of the model alone add ``w^2 var(f)`` for each. They have n - 2
    degrees of freedom, one more being spent on the weight, so that there are none from two topics.
    Those of means from 0 to 1 are found on the scale of log odds, as in `summary`, but for RR,
    where that is too long. Topics drawn from those of TREC's Deep Learning track of 2021 (people
    and GPT-4o) and of TREC-8 (one metric by another), 45 more by the model alone, 95% intervals
    held the mean over all of them in these shares, of six metrics; in brackets the lowest:

    ======  =============  =============  =============
    topics  normal         means          differences
    ======  =============  =============  =============
    5       78.6 % (73.9)  96.0 % (95.6)  95.5 % (93.9)
    10      85.7 % (81.9)  94.5 % (93.0)  94.8 % (94.2)
    20      90.1 % (89.1)  94.5 % (92.8)  95.0 % (94.4)
    50      93.2 % (92.8)  94.8 % (94.3)  95.2 % (94.8)
    ======  =============  =============  =============

    With a cube a topic's score is ``w F + sum over people's documents of (y - w f) / p``, F the
    model's score of the whole list, y and f what a document adds to the score by people and by the
    model, and p the probability with which it was drawn (Horvitz and Thompson, see `estimate`); of
    nDCG these sums are its estimates from people's documents by people and by the model. The
    weight, one for all systems, is what makes the variance of drawing documents least, clipped to
    [0, 1]. Errors hold what drawing documents varies, each topic counting with the weight of the
    others; intervals have one degree of freedom less than there are drawn documents in a system's
    lists, and are NaN of fewer than 15, or than 3 whose gain is another by people than by the
    model, as they would not hold. Those of means from 0 to 1 are found on the scale of the arcsine
    of the root, of others, such as DCG, on that of logarithms.

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
    >>> found = model.ireval.predict_powered(people, baseline="bm25")
    >>> found[["mean", "ci_low", "ci_high", "weight"]].to_dataframe().round(2).head(2)
                         mean  ci_low  ci_high  weight
    metric     system
    RBP(p=0.8) bm25      0.20    0.12     0.31    0.41
               bm25+rm3  0.32    0.23     0.43    0.35
    """
    level(alpha)
    choice("distribution", distribution, ("normal", "t"))
    if isinstance(scores, xr.Dataset):
        _refuse_given({"baseline=": baseline, "topics=": topics}, "scores", "a cube", "score it")
        return _by_documents(scores, human, metrics, at, alpha)
    advice = "score metrics before, or hand over the cube and people's judgments of documents"
    _refuse_given({"metrics=": metrics}, "a cube", "scores", advice)
    rest = choice("topics", topics or "rest", ("all", "rest")) == "rest"
    _refuse_given({"at=": at}, "a cube", "scores", "select depths before: scores.sel(depth=...)")
    paired = read_scores.scores_to_compare(scores)
    refuse_design(paired, "predict_powered")
    people = _alike(paired, read_scores.read_scores(human).load())
    counted, judged = _samples(paired, people, rest=rest)
    pairs = read_scores.choose_pairs(paired, baseline)
    means, differences = (
        _estimate(paired, people, counted, judged, each) for each in (None, pairs)
    )
    reach = partial(
        _interval_ends, n=judged.sum(axis=1)[:, np.newaxis], alpha=alpha, kind=distribution
    )
    values = paired.values, np.where(judged[:, np.newaxis], people, 0)
    curved = on_log_odds(paired.metrics, *values) & (distribution == "t")
    dims = METRIC, SYSTEM, paired.axis.dim
    parts = _interval_variables(means, MEANS, dims, reach(means, curved))
    ends = reach(differences, curved & False)
    parts |= _interval_variables(differences, DIFFERENCES, (METRIC, PAIR, dims[-1]), ends)
    for name, mask in (("n_human", judged), ("n_model", counted)):
        parts[name] = (METRIC, paired.axis.dim), mask.sum(axis=1)
    kinds = estimate.told_scale(paired.metrics, curved, ("logit", distribution))
    result = xr.Dataset(parts, read_scores.pair_labels(paired, pairs))
    result = result.isel({paired.axis.dim: 0}) if paired.depths is None else result
    result = result.assign_coords(paired.labels(SYSTEM))
    result = result.assign_attrs(alpha=alpha, distribution=distribution, interval=kinds)
    warn(*_intervals_not_given(result, paired.metrics))
    return result


def _intervals_not_given(result: xr.Dataset, metrics: list[str]) -> Iterator[str]:
    """Say which intervals are not given, and why."""
    few = [name for name, n in zip(metrics, result["n_human"].values, strict=True) if n.min() < 3]
    if few:
        yield f"no intervals from two topics by people: {listing(few)}"
    given = result["n_human"] > 2
    parts = {"means": result["ci_low"], "differences": result["difference_low"]}
    lost = {what: int((np.isnan(low) & given).sum()) for what, low in parts.items()}
    counts = [f"{n} of {parts[what].size} {what}" for what, n in lost.items() if n]
    if counts:
        why = "people's scores do not differ, or the mean is not between 0 and 1"
        yield f"no intervals of {' and '.join(counts)}, as {why}"


def _refuse_given(given: dict[str, Any], subject: str, found: str, advice: str) -> None:
    """Raise for options that have no meaning for what was handed over."""
    foreign = [name for name, value in given.items() if value is not None]
    if foreign:
        raise ParameterError(f"these options with {subject} only", found, advice, foreign)


ERRORS, BIASES = ["error", "error_alone"], ["bias", "bias_alone"]


def _by_documents(
    cube: xr.Dataset, human: Any, metrics: Any, at: int | Sequence[int] | None, alpha: float
) -> xr.Dataset:
    """Estimate means from a model's judgments, of a cube, and a sample of people's."""
    chosen, depths = estimate.read_estimated(cube, listed(metrics), at)
    table = read_qrels_table(human)
    own = table.topics.isin(cube.indexes[TOPIC])[table.topic]
    people = rejudge(cube, table.judging(own) if own.any() else human)
    cube = cube.isel({TOPIC: cube.indexes[TOPIC].get_indexer(people.indexes[TOPIC])})
    cheap, grades = _of_both(cube, people)
    draw, experiment = estimate.read_draw(people), experiment_of(people)
    rows, took = experiment.rows_at(people.sizes[DEPTH]), experiment.there[..., np.newaxis]
    model = Work(chosen, depths).over(cube).to_numpy()
    parts = {name: np.empty(model.shape) for name in ("mean", *ERRORS, *BIASES)}
    weight = np.empty((len(chosen), len(depths)))
    pairs = estimated(chosen, rows, draw, [grades, cheap], depths)
    for row, ((own, same), spread, bias) in enumerate(pairs):
        both, of_model = (
            np.nansum(np.where(took, part, 0), axis=0) for part in (spread[0, 1], spread[1, 1])
        )
        weight[row] = _share(both.sum(axis=0), of_model.sum(axis=0))
        # Of each topic with the weight that the others have, so that its own documents do not
        # decide it.
        without = _share(both.sum(axis=0) - both, of_model.sum(axis=0) - of_model)
        rest = spread[0, 0] - 2 * without * spread[0, 1] + without**2 * spread[1, 1]
        parts["mean"][row] = own + weight[row] * (model[row] - same)
        parts["error"][row], parts["error_alone"][row] = np.maximum(rest, 0), spread[0, 0]
        parts["bias"][row], parts["bias_alone"][row] = bias[0] - weight[row] * bias[1], bias[0]
    scores = estimate.labelled(people, parts, chosen, depths)
    n = scores["mean"].notnull().sum(TOPIC)
    variances = scores[ERRORS].sum(TOPIC, skipna=False) / n**2
    variances += (scores[BIASES].mean(TOPIC) ** 2).rename(dict(zip(BIASES, ERRORS, strict=True)))
    share = draw.judged.sum() / draw.size.sum()
    alone = variances["error_alone"]
    saving = (1 - share) * (1 - variances["error"] / alone.where(alone > 0))
    found = variances.map(np.sqrt).assign(mean=scores["mean"].mean(TOPIC), saving=saving)
    counts = {"n_human": int(draw.judged.sum()), "n_model": int(draw.size.sum())}
    found = found.assign(counts).assign(weight=((METRIC, DEPTH), weight))
    read = rows[..., : max(depths)]
    freedom = estimate.freedom_of(chosen, read, draw, grades, depths, cheap).where(n > 1)
    return estimate.with_limits(found, found["error"], freedom, draw, chosen, alpha)


def _of_both(cube: xr.Dataset, people: xr.Dataset) -> list[tuple[Array, Array]]:
    """Return a model's grades and people's of the same documents, with the top grades of these."""
    experiment = experiment_of(cube)
    own, base = experiment.judgments, experiment_of(people).judgments
    known, wanted = (pd.MultiIndex.from_arrays([side.topic, side.docs]) for side in (own, base))
    apart = known.symmetric_difference(wanted)
    if len(apart):
        cases = [f"{doc} of topic {cube.indexes[TOPIC][code]}" for code, doc in apart]
        same = "the same documents by people, -1 for those not drawn, and by the model"
        raise IdError(same, f"{len(cases)} on one side only", "", cases)
    tops = experiment.tops[base.topic]
    high = np.flatnonzero(base.grade > tops)
    if len(high):
        cases = [f"{base.grade[row]} of {base.docs[row]}" for row in high]
        raise GradeError("people's grades up to the highest of the model", "higher ones", "", cases)
    return [(own.grade[known.get_indexer(wanted)], tops), (base.grade, tops)]


def _share(both: Array, of_model: Array) -> Array:
    share = np.divide(both, of_model, out=np.zeros_like(both), where=of_model > 0)
    return np.clip(share, 0, 1)


def _alike(paired: Scores, human: Scores) -> Array:
    """Return people's scores laid out as the others, NaN where there is none."""
    others = [metric for metric in paired.metrics if facts(metric).summary != "mean"]
    if others:
        raise MetricError("metrics averaged by a plain mean", "", "", others)
    human = read_scores.same_systems(paired, human)
    strange = human.topics.difference(paired.topics, sort=False)
    if len(strange):
        raise IdError("people's topics among those of the scores", "", "", strange)
    missing = [metric for metric in paired.metrics if metric not in human.metrics]
    if missing:
        raise MetricError("people's scores by every metric", "none for", "", missing)
    if paired.depths is not None:
        human = read_scores.select_depths(human, paired.depths.tolist())
    rows = [human.metrics.index(metric) for metric in paired.metrics]
    values = np.full((len(rows), *paired.values.shape[1:3], human.values.shape[3]), np.nan)
    values[:, :, paired.topics.get_indexer(human.topics)] = human.take(metric=rows).values
    read_scores.refuse_infinite(paired.metrics, values)
    return values


def _samples(paired: Scores, people: Array, *, rest: bool) -> tuple[Array, Array]:
    """Return on which topics the model's scores count, and people's; (metric, topic, depth)."""
    if people.shape[-1] != paired.values.shape[-1]:
        raise ParameterError("people's scores without depths, as the model's", "several depths")
    scored: Any = ~np.isnan(people).any(axis=1)
    partly = ~np.isnan(people).all(axis=1) & ~scored & paired.scored
    lost = int(partly.any(axis=(0, 2)).sum())
    if lost:
        warn(
            f"{lost} topics on which people's judgments score only some systems count as not judged"
        )
    judged = scored & paired.scored
    counted = paired.scored & ~judged if rest else paired.scored
    fewest = judged.sum(axis=1).min(axis=1)
    few = [metric for metric, n in zip(paired.metrics, fewest, strict=True) if n < 2]
    if few:
        wanted = "at least two topics on which people's judgments score every system"
        raise ParameterError(wanted, f"{fewest.min()}", "", few)
    if not counted.sum(axis=1).all():
        advice = "let people judge fewer topics than the model"
        raise ParameterError("topics that only the model judged", "none", advice)
    return counted, judged


def _estimate(
    paired: Scores, people: Array, counted: Array, judged: Array, pairs: Array | None
) -> dict[str, Array]:
    """Estimate means of systems, or of differences of pairs; each (metric, unit, depth)."""
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
    """Return lower and upper ends, NaN where nothing varies or there are too few topics."""
    if kind == "normal":
        half = scipy.special.ndtri(1 - alpha / 2) * fields["error"]
    else:
        freedom = np.where(n > 2, n - 2.0, np.nan)
        half = scipy.special.stdtrit(freedom, 1 - alpha / 2) * fields["jackknife"]
    known = np.where(half > 10.0**-TIE, half, np.nan)
    return np.asarray(ends_about(fields["estimate"], known, curved))


def _interval_variables(
    fields: dict[str, Array], names: tuple[str, ...], dims: tuple[str, ...], ends: Array
) -> dict[str, Any]:
    values = (fields["estimate"], *ends, fields["weight"])
    return {name: (dims, array) for name, array in zip(names, values, strict=True)}
