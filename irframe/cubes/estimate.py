"""Random samples of judgments, and scores estimated from these samples.

Verbs: estimate, draw_to_judge.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import level, number
from irframe.cubes.sampled import Draw, estimated, gains_of, placed, weights_of
from irframe.cubes.score import label_scores, read_metrics
from irframe.cubes.verb import verb
from irframe.cubes.view import CELL, experiment_of
from irframe.errors import InputError, ParameterError, listing, warn
from irframe.experiments import coded_tables
from irframe.experiments.policy import random_keys, refuse_marks, shares_ranks
from irframe.experiments.topic_design import refuse_declared
from irframe.files.as_runs import Qrels
from irframe.frames.ids import Codes, repeated, within
from irframe.metrics import Metric
from irframe.metrics.base import MetricType
from irframe.metrics.facts import TIE, facts
from irframe.metrics.ndcg import nDCG
from irframe.names import CAUTION, DEPTH, GRADE, METRIC, PROBABILITY, STRATUM, SYSTEM, TOPIC
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.record import recorded

LEAST_DRAWN = 15
"""Mean number of drawn documents per system that confidence limits require."""
LEAST_ADDING = 3
"""Number of a system's drawn documents that must add to its score for confidence limits."""
MOST_BIASED = 20
"""Maximum of the sum of 1 / n over topics for which nDCG has confidence limits, where n is the
number of drawn documents in the ideal ranking of a topic."""
TINY = np.finfo(float).tiny
"""Lower limit of divisors, which avoids division by 0."""


def freedom_of(
    metrics: Sequence[Metric],
    rows: Array,
    draw: Draw,
    graded: tuple[Array, Array],
    depths: list[int],
    model: tuple[Array, Array] | None = None,
) -> xr.DataArray:
    """Return the degrees of freedom of means under document sampling.

    The shape is (metric, system, depth). The notes of `estimate` describe the degrees of freedom.
    Documents that were certain to be drawn are not counted.

    The degrees of freedom are NaN at depths where systems have fewer than `LEAST_DRAWN` drawn
    documents on average, or where fewer than `LEAST_ADDING` documents of a system add to the score.
    For nDCG the degrees of freedom are also NaN if the ideal rankings together contain fewer than
    `LEAST_DRAWN` drawn documents.

    Parameters
    ----------
    metrics, depths
        The metrics and depths to estimate.
    rows, draw
        See `totals`.
    graded
        Grades of documents, and the top grades of their collections.
    model
        Predicted grades and top grades. If passed, a document adds to the score if its judged gain
        differs from the predicted gain.
    """
    uncertain = draw.chance < 1
    chance = draw.chance if (draw.chance > 0).all() else draw.judged
    results = []
    for metric in metrics:
        squares = weights_of(metric, rows.shape[-1], depths) ** 2
        gain = gains_of(metric, *graded) - (0 if model is None else gains_of(metric, *model))
        number, least, adding = (
            (values @ squares) ** 2 / np.maximum(values @ squares**2, TINY)
            for mask in (draw.judged, chance, draw.judged & (gain != 0))
            for values in [np.append(np.where(uncertain, mask, 0.0), 0.0)[rows].sum(axis=1)]
        )
        # the sum is rounded, because sums of probabilities such as 0.1 are inexact
        enough = (least.mean(axis=0).round(6) >= LEAST_DRAWN) & (number > 1)
        enough &= adding >= LEAST_ADDING
        if isinstance(metric, nDCG):
            n_ideal = placed(metric, draw, graded, depths)
            unsure = np.bincount(draw.topic, uncertain, len(n_ideal)) > 0
            biased = (1 / np.maximum(n_ideal[unsure], 0.5)).sum(axis=0) > MOST_BIASED
            enough &= (n_ideal.sum(axis=0) >= LEAST_DRAWN) & ~biased
            # documents without gain hardly change ideal rankings, so they are not counted
            number = adding
        results.append(np.where(enough, number - 1, np.nan))
    return xr.DataArray(np.stack(results), dims=(METRIC, SYSTEM, DEPTH))


def limits(mean: xr.DataArray, reach: xr.DataArray, shares: Sequence[bool]) -> list[xr.DataArray]:
    """Return confidence limits of means, computed on a transformed scale.

    The scale is the arcsine of the square root for means from 0 to 1, and the logarithm for other
    means.

    Limits are NaN if the standard error is 0, or the mean is outside the scale.
    """
    share = xr.DataArray(list(shares), dims=METRIC)
    # a standard error that only rounding keeps above 0 is treated as 0
    reach = reach.where(reach > 10.0**-TIE)
    inside = mean.where((mean > 0) & (mean < 1))
    angle = np.arcsin(np.sqrt(inside))
    # by the delta method, the error on the new scale is the error times the derivative of the scale
    turn = reach / (2 * np.sqrt(inside * (1 - inside)))
    ends = []
    for sign in (-1, 1):
        with np.errstate(over="ignore"):
            grown = mean * np.exp(sign * reach / mean.where(mean > 0))
        # angles are clipped, because the squared sine increases only from 0 to pi / 2
        ends.append((np.sin((angle + sign * turn).clip(0, np.pi / 2)) ** 2).where(share, grown))
    return ends


def name_scale(
    metrics: Sequence[object], flags: Sequence[bool] | Array, scales: tuple[str, str]
) -> str:
    """Describe the scale of the confidence limits of metrics.

    Examples
    --------
    >>> name_scale(["AP", "DCG"], [True, False], ("arcsine", "log"))
    'arcsine, log for DCG'
    """
    unbounded = [str(metric) for metric, flag in zip(metrics, flags, strict=True) if not flag]
    if 0 < len(unbounded) < len(metrics):
        return f"{scales[0]}, {scales[1]} for {listing(unbounded)}"
    return scales[bool(unbounded)]


def with_limits(
    result: xr.Dataset,
    error: xr.DataArray,
    freedom: xr.DataArray,
    draw: Draw,
    metrics: list[Metric],
    alpha: float,
) -> xr.Dataset:
    """Add confidence limits to means.

    Warn about means that have a standard error but no limits.
    """
    shares = [facts(metric).share for metric in metrics]
    reach = scipy.special.stdtrit(freedom, 1 - alpha / 2) * error
    low, high = limits(result["mean"], reach, shares)
    attributes = {"alpha": alpha, "interval": name_scale(metrics, shares, ("arcsine", "log"))}
    result = result.assign(ci_low=low, ci_high=high).assign_attrs(attributes)
    none = bool(np.isnan(freedom).all())
    lost = int((np.isnan(low) & (error.notnull() | none)).sum())
    if not lost:
        return result
    why = f"fewer than {LEAST_ADDING} drawn documents add to the score, or all add the same amount"
    if draw.complete:
        why = "every document was judged"
    elif none:
        few = f"fewer than {LEAST_DRAWN} drawn documents in lists or ideal rankings"
        why = f"there is only one topic, or there are {few}"
    message = f"{lost} of {low.size} means have no interval, because {why}"
    warn(message)
    return result.assign_attrs({CAUTION: message})


def read_draw(cube: xr.Dataset) -> Draw:
    """Return the sample of judged documents of a cube.

    Warn about topics with a stratum of several documents, of which only one was judged.
    """
    base = experiment_of(cube).judgments
    draw = Draw.of(base, base.grade, base.strata, base.probability)
    unknown = (np.isnan(draw.factor)).any(axis=1) & draw.fixed_size
    if unknown.any():
        listed = ", ".join(map(str, cube[TOPIC].to_numpy()[unknown][:5]))
        warn(
            f"standard errors of {unknown.sum()} topics are unknown, because only one of several "
            f"documents of a stratum was judged: {listed}"
        )
    return draw


def read_estimated(
    cube: xr.Dataset, metrics: Sequence[Metric | MetricType | str], at: int | Sequence[int] | None
) -> tuple[list[Metric], list[int]]:
    """Return the metrics and depths to estimate.

    Raise if tied documents share their gain.
    """
    if shares_ranks(cube.attrs["ties"]):
        advice = "build the cube with another ties="
        raise InputError("one order of tied documents", f"ties={cube.attrs['ties']!r}", advice)
    return read_metrics(cube, metrics, at)


def labelled(
    cube: xr.Dataset, values: dict[str, Array], metrics: list[Metric], depths: list[int]
) -> xr.Dataset:
    """Label estimates by metric, system, topic and depth."""
    arrays = {name: xr.DataArray(array, dims=(METRIC, *CELL)) for name, array in values.items()}
    return xr.Dataset({n: label_scores(cube, a, metrics, depths) for n, a in arrays.items()})


@verb
def estimate(
    cube: xr.Dataset,
    *metrics: Metric | MetricType | str,
    at: int | Sequence[int] | None = None,
    alpha: float = 0.05,
) -> xr.Dataset:
    """Estimate scores under complete judgments from a random sample.

    The sample consists of pooled documents that were drawn at random and judged, see
    `draw_to_judge`.

    Parameters
    ----------
    cube
        A cube whose judgments have a column `probability` or `stratum`, such as the judgments that
        `draw_to_judge` returns.
    metrics
        P, DCG, RBP, SDCG, INSQ or nDCG, as metrics or names. All of these metrics except nDCG sum
        gains over ranks.
    at
        Depths to return, at most the depth of the cube. The default is all depths of the cube.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.

    Returns
    -------
    xarray.Dataset
        The variables ``estimate`` and ``error`` (its standard error) have the dimensions (metric,
        system, topic, depth). The variables ``mean``, ``mean_error``, ``ci_low`` and ``ci_high``
        have the dimensions (metric, system, depth). Intervals refer to the mean over the topics of
        the cube. The intervals include the variance of drawing documents. The intervals do not
        include the variance of drawing topics.

    Raises
    ------
    MetricError
        If a metric is not among those listed under `metrics`. If the ideal ranking of nDCG has
        fewer than 5 drawn documents, for example at depth 10 with 20 % of the documents drawn.
    InputError
        If judgments have neither probabilities nor strata, or tied documents share their gain.
    ParameterError
        If probabilities are outside (0, 1], or alpha is outside (0, 1).
    GradeError
        If no document of a stratum was judged.

    Warns
    -----
    IrframeWarning
        If only one of several documents of a stratum was judged. The error is then NaN, because the
        variance is unknown. If the confidence limits of a mean are NaN. The reasons are that every
        document was judged, that fewer than 15 drawn documents are in a system's lists, that fewer
        than 3 drawn documents add to a score, or that all contributions are equal. The attribute
        ``caution`` repeats the warning.

    Notes
    -----
    The estimator of Horvitz and Thompson [1]_ divides the gain of a judged document by the
    probability p with which the document was drawn. If documents have strata, and p is the judged
    share n/N of the stratum, the sample is stratified. A stratum then adds ``N^2 (1/n - 1/N) s^2``
    to the variance. Here s^2 is the variance of the contributions of the stratum's judged documents
    to the score. The contribution of a document that was not retrieved is 0. If the sample is not
    stratified, documents were drawn independently. Each judged document then adds ``(1 - p) / p^2``
    times its squared contribution to the variance. Documents outside the pool have no gain. Linear
    gains are relative to the highest judged grade of all topics. If a sample may lack the highest
    grade, pass gains to the metric, such as ``gain={1: 0.5, 2: 1}``.

    nDCG is the estimated DCG divided by the estimated ideal DCG. The estimated ideal ranking
    contains the drawn documents in descending order of gain. Each of these documents occupies 1/p
    ranks, and the ranking ends at the depth. The cumulative discount is interpolated linearly
    between ranks. nDCG is 0 if no drawn document has gain. The variance of nDCG is estimated by the
    jackknife [3]_. Each drawn document, retrieved or not, is left out in turn. The change of the
    score is the contribution of the document. Linearised variances would be up to a quarter too
    small. Ratios are biased if few drawn documents are in the ideal ranking. The bias was measured
    in TREC's Deep Learning track of 2021, with 10 to 30 % of the documents drawn. At depth 10 the
    bias was .013 to .040, and at depth 100 less than .01. Therefore `estimate` raises an error at
    shallow depths. Estimates are corrected by the jackknife's estimate of the bias, ``sum (1 - n/N)
    (n - 1) (mean of the scores without one document - score)`` over strata. The squared standard
    error of a mean includes the square of this correction. Estimates of single topics may exceed 1.

    Confidence limits of means use Student's t distribution on the scale of the arcsine of the
    square root. For scores that may exceed 1, the scale is the logarithm. The degrees of freedom
    are the number of drawn documents in a system's lists minus one. For nDCG, only documents that
    add to the score are counted. If ranks have weights w, the effective number of documents is
    ``(sum w^2)^2 / sum w^4``. Limits are NaN if a system's lists have fewer than 15 drawn
    documents, or if fewer than 3 of these documents add to the score, because the coverage would be
    too low. Limits of nDCG are also NaN if fewer than 15 drawn documents are in the ideal rankings.
    Let n be the number of drawn documents in the ideal ranking of a topic. If the sum of ``1 / n``
    over topics is above 20, limits of nDCG are NaN.

    The coverage of 95 % limits was measured on 63 runs of TREC's Deep Learning track of 2021, with
    5 to 20 % of the documents drawn. Either all 53 topics or 8 to 30 of them were used. The
    coverage was 92 to 97 %, and 93 to 96 % for nDCG at depth 100. On 16 topics with few relevant
    documents, the coverage for nDCG was 93 to 95 %. These topics came from the Robust track of
    2003, with 10 % of the documents drawn, and from the example track, with 20 % drawn.

    References
    ----------
    .. [1] Horvitz, Thompson. A generalization of sampling without replacement from a finite
       universe. Journal of the American Statistical Association 47, 1952.
       doi:10.1080/01621459.1952.10483446
    .. [2] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437
    .. [3] Berger, Skinner. A jackknife variance estimator for unequal probability sampling. Journal
       of the Royal Statistical Society B 67, 2005. doi:10.1111/j.1467-9868.2005.00489.x

    Examples
    --------
    Two of four documents were judged. Therefore the judged relevant document represents two
    documents:

    >>> import irframe as ir
    >>> import pandas as pd
    >>> qrels = pd.DataFrame(
    ...     {"topic": "1", "doc": list("abcd"), "stratum": 1, "grade": [1, -1, 0, -1]}
    ... )
    >>> cube = ir.cube({"1": {"a": 4.0, "b": 3.0, "c": 2.0}}, qrels)
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # too few documents for an interval
    ...     precision = cube.ireval.estimate("P", at=2)
    >>> precision["estimate"].item(), precision["error"].item()
    (1.0, 0.7071067811865476)
    """
    refuse_declared(cube.attrs, "estimate")
    level(alpha)
    chosen, depths = read_estimated(cube, metrics, at)
    experiment = experiment_of(cube)
    base = experiment.judgments
    rows = experiment.rows_at(cube.sizes[DEPTH])
    draw = read_draw(cube)
    grades = (base.grade, experiment.tops[base.topic])
    estimates = [*estimated(chosen, rows, draw, [grades], depths)]
    values = np.stack([total[0] for total, *_ in estimates])
    errors = np.sqrt(np.maximum(np.stack([spread[0, 0] for _, spread, _ in estimates]), 0))
    biases = np.stack([bias[0] for *_, bias in estimates])
    arrays = {"estimate": values, "error": errors, "bias": biases}
    result = labelled(cube, arrays, chosen, depths)
    scored = result["estimate"].notnull()
    squares = (result["error"] ** 2).where(scored, 0.0)
    drawing = np.sqrt(squares.sum(TOPIC, skipna=False)) / scored.sum(TOPIC)
    error = np.hypot(drawing, result["bias"].mean(TOPIC))
    result = result.drop_vars("bias")
    result = result.assign(mean=result["estimate"].mean(TOPIC), mean_error=error)
    freedom = freedom_of(chosen, rows, draw, grades, depths)
    return with_limits(result, result["mean_error"], freedom, draw, chosen, alpha)


Share = float | Mapping[Any, float]

FEWEST = 2
"""Minimum number of documents to draw per stratum, because a sample variance needs two."""


@recorded
def draw_to_judge(
    qrels: Qrels, share: Share, *, strata: str = TOPIC, seed: int = 0
) -> pd.DataFrame:
    """Draw a random sample of every pool for judging.

    Documents are drawn independently of their grades.

    Documents that were not drawn remain in the pool as unjudged documents. `estimate` and
    `predict_powered` estimate the scores under complete judgments from the drawn documents. To
    simulate the judgments of smaller pools, call `sample`.

    Parameters
    ----------
    qrels
        A qrels frame with columns for topic, doc and grade.
    share
        Share of the documents to draw, above 0 and at most 1. Pass one share for all strata, or
        ``{stratum: share}``.
    strata
        Name of the column that contains the stratum of each document, such as ``"stratum"``. By
        default the pool of a topic is one stratum.
    seed
        Seed of the random order of the documents. The order depends only on the seed and on the
        identifiers of topics and documents, so a smaller sample is a subset of every larger sample
        with the same seed.

    Returns
    -------
    pandas.DataFrame
        All rows of the frame. Documents that were not drawn have grade -1, which means pooled but
        not judged. The columns `stratum` and `probability` contain the stratum and the sampling
        probability of each document. `rejudge` replaces the judgments of a cube by the judgments in
        this frame.

    Raises
    ------
    ParameterError
        If a share is outside (0, 1] or missing for a stratum, or if the seed is negative. If
        `strata` is not a column, or a row has no stratum.
    InputError
        If documents are judged by subtopic.
    GradeError
        If the judgments already mark unjudged documents by grade -1.

    Notes
    -----
    ``max(2, floor(share n + 1/2))`` of the n documents of a stratum are drawn. At least two are
    drawn, because `estimate` needs a variance within the stratum.

    Examples
    --------
    Draw a third of every pool, and estimate precision from it:

    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> drawn = draw_to_judge(qrels, 1 / 3)
    >>> len(drawn), int((drawn["grade"] >= 0).sum())
    (523, 176)
    >>> precision = runs.ireval.cube(drawn).ireval.estimate("P", at=10).sel(system="bm25")
    >>> [round(precision[name].item(), 2) for name in ("mean", "ci_low", "ci_high")]
    [0.26, 0.16, 0.38]
    """
    table = read_to_draw(qrels)
    if table.subtopic_grade is not None:
        raise InputError("judgments with one grade per document", "grades by subtopic")
    label = _stratum_labels(table, strata)
    keys = random_keys(table.topics[table.topic], table.doc.combine_chunks(), seed=seed)
    chosen, probability = _drawn(table.topic, label, keys, share)
    names = {role: str(table.columns.get(role, role)) for role in (GRADE, STRATUM, PROBABILITY)}
    grade = np.where(chosen, table.grade, POOLED_UNJUDGED).astype(np.int64)
    changed = dict(zip(names.values(), (grade, label, probability), strict=True))
    return table.frame.assign(**changed)


def read_to_draw(qrels: Qrels) -> coded_tables.QrelsTable:
    """Read judgments from which documents are drawn.

    Raise if a document occurs twice on a topic.
    """
    table = coded_tables.read_qrels_table(qrels)
    (codes,) = coded_tables.code_documents(coded_tables.Side(table.topic, table.doc))
    coded_tables.refuse_twice_judged(table, repeated(codes))
    refuse_marks(table.grade)
    return table


def _stratum_labels(table: coded_tables.QrelsTable, strata: str) -> Array:
    """Return the stratum of every row as text.

    If each topic is one stratum, the name of the stratum is 1.
    """
    columns = list(map(str, table.frame.columns))
    if strata in {TOPIC, table.columns[TOPIC]}:
        return np.full(len(table.grade), "1", object)
    if strata not in columns:
        expected = f"strata to be 'topic' or a column of the judgments ({listing(columns)})"
        raise ParameterError(expected, repr(strata))
    values = table.frame[strata]
    if values.isna().any():
        message = f"{int(values.isna().sum())} documents without a stratum"
        raise ParameterError(f"a stratum ({strata}) for every document", message)
    return values.astype(str).to_numpy(object)


def _drawn(
    topic: Codes, label: Array, keys: Array, share: Share
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which documents are drawn, and their sampling probabilities."""
    code, labels = pd.factorize(label)
    order = np.lexsort((keys, code, topic))
    # each pair of a topic and a stratum has a code of its own, which may exceed 32 bits
    pair = topic[order].astype(np.int64) * max(1, len(labels)) + code[order]
    stratum = np.cumsum(np.diff(pair, prepend=-1) != 0) - 1
    size = np.bincount(stratum)[stratum]
    # the product is rounded, because 0.29 * 50 is below 14.5 in floating point
    exact = np.round(_shares(share, labels)[code[order]] * size, 9)
    number = np.minimum(np.maximum(np.floor(exact + 0.5), FEWEST), size)
    chosen = np.empty(len(order), bool)
    chosen[order] = within(stratum) < number
    probability = np.empty(len(order))
    probability[order] = number / size
    return chosen, probability


def _shares(share: Share, labels: Iterable[str]) -> NDArray[np.float64]:
    """Return the requested share of each stratum."""
    several = isinstance(share, Mapping)
    by_stratum = share if isinstance(share, Mapping) else dict.fromkeys(labels, share)
    # strata are compared as text, so numbers are valid keys
    shares = {str(name): value for name, value in by_stratum.items()}
    missing = [label for label in labels if label not in shares]
    if missing:
        raise ParameterError("a share for every stratum", "strata without a share", "", missing)
    for name, value in shares.items():
        number(f"share of {name}" if several else "share", value, above=0, high=1)
    return np.array([shares[label] for label in labels], float)
