"""Conclusions about systems under different judges.

Verbs: judge_effect.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy
import xarray as xr

from irframe.agreements import Agreement, parse_agreement
from irframe.agreements.base import competition_ranks
from irframe.arrays import Array
from irframe.checks import listed, positions_of
from irframe.comparing.corrections import TestedMeans
from irframe.comparing.significance import Pairing, leads
from irframe.cubes.cube import cube as build
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.scores import Scores
from irframe.cubes.unjudged import SIDES, rejudge
from irframe.depth.agreement import Intervals, Of, system_means, with_reference
from irframe.errors import IdError, OneCall, ParameterError, in_group, shortened, united
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_runs
from irframe.judging.coefficients import ROUNDING
from irframe.judging.grades_by_judge import (
    JUDGE,
    PASSES,
    AlignedGrades,
    Grades,
    Variables,
    passes_of,
    read_judges,
)
from irframe.metrics.facts import TIE
from irframe.names import BOUND, DEPTH, METRIC, REPEAT, REPEATED, REPEATS, RESULT, SYSTEM, TOPIC
from irframe.paired import all_pairs
from irframe.record import recorded
from irframe.scores.averages import Resamples, Resampling
from irframe.scores.read_scores import scores_to_compare

Groups = Mapping[str, Sequence[Hashable]]

DIMS = JUDGE, METRIC, DEPTH
CONCLUSIONS = ("kept", "lost", "new", "reversed", "neither")
"""Possible conclusions about a pair of systems under two judges, which `judge_effect` describes."""


@recorded
def judge_effect(
    data: xr.Dataset | Runs,
    judges: Mapping[Any, Qrels],
    metrics: Metrics,
    *,
    test: TestedMeans = "t",
    reference: Hashable | None = None,
    at: int | Sequence[int] | None = None,
    pairs: Literal["same", "common", "own"] = "same",
    grades: Grades = None,
    coefficients: str | Agreement | Sequence[str | Agreement] = ("kendall", "tau_ap", "rbo"),
    interval_of: Of | None = None,
    resamples: Resampling | int = 1000,
    groups: Groups | None = None,
) -> xr.Dataset:
    """Compare conclusions about systems under different judges.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, a run frame, or anything that `as_runs` accepts, with at
        least two systems. The judgments of a cube are replaced by those of each judge.
    judges
        Mapping from the name of each judge to a qrels frame, or to anything that `as_qrels`
        accepts. At least two judges are required. If a judge judged several times, map the name to
        a list of qrels, or to a frame with a column ``pass``. Scores are then averaged over the
        passes, and tests treat the passes as repeats that all systems share.
    metrics
        Metrics or their names.
    test
        The significance test, as for `compare`: an `irframe.Significance`, or the name of a test.
        All intervals have the confidence level 1 - `alpha`, where `alpha` is that of the test.
    reference
        The judge with whom all other judges are compared. The default is the first judge.
    at
        Evaluation depths. The default is all depths of the cube.
    pairs
        The pairs of topic and document that are used. ``"same"`` and ``"common"`` have the same
        meaning as in `compare_judges`. With ``"own"``, all judgments of each judge are used, and
        all judges must have judged the same topics.
    grades
        The scale of grades, see `compare_judges`.
    coefficients
        Coefficients of agreement or their names, see `agreement`.
    interval_of, resamples
        The kind of confidence intervals of the agreement, and the bootstrap samples of topics for
        these intervals, see `agreement`. By default there are no intervals, because their
        computation takes long for many depths.
    groups
        Groups of systems, such as ``{"same model": ["run1", "run2"]}``. For each group, a test
        decides whether a judge favours the systems of the group over all other systems. At least
        two systems must be in a group, and at least two outside the group.

    Returns
    -------
    xarray.Dataset
        Results for each judge except the reference. The variables are

        - ``agreement`` (judge, metric, depth, coefficient), the agreement of the rankings of
          systems under the judge and under the reference. With `interval_of` there is also
          ``agreement_interval`` (..., bound);
        - ``conclusions`` (judge, metric, depth, conclusion), the number of pairs of systems with
          each of five conclusions. ``kept``: the difference is significant in the same direction
          under both judges. ``lost``: the difference is significant under the reference only.
          ``new``: the difference is significant under the other judge only. ``reversed``: the
          difference is significant under both judges, in opposite directions. ``neither``: the
          difference is not significant under either judge;
        - ``mean`` and ``rank`` (judge, metric, depth, system), the mean score and the rank of each
          system. Rank 1 is best, and tied systems share the best of their ranks;
        - ``reference_mean`` and ``reference_rank`` (metric, depth, system), the mean scores and
          ranks under the reference;
        - ``bias`` (judge, metric, depth, system), the mean score under the judge minus the mean
          score under the reference, and ``bias_interval`` (..., bound), Student's confidence
          interval of the bias;
        - with `groups`, ``group_bias`` (judge, metric, depth, group), the mean bias of the systems
          in the group minus the mean bias of all other systems. The interval of the group bias is
          ``group_interval`` (..., bound), and its p-value is ``group_p``.

    Raises
    ------
    IrframeError
        See `compare_judges`, `cube` and `score`.
    IdError
        With ``pairs="own"``, if the judges judged different topics. If a judge has the name of a
        pass of another judge, such as ``m [pass 1]``.
    ParameterError
        If a group contains an unknown system, or too few systems.

    Warns
    -----
    IrframeWarning
        See `compare`. If `interval_of` is passed, see also `agreement`.

    Notes
    -----
    Means of a metric at a depth use the topics on which every system has a score under every judge.
    Means are rounded to 12 decimals before systems are ranked. Intervals of agreement are
    conservative: 95% intervals covered Kendall's tau 99 times in 100 with 5 to 50 topics (see
    `agreement`). The interval and the p-value of a group are those of Welch's t-test, which
    compares the biases of the systems inside and outside the group. The test treats the systems as
    a random sample, so a group of two or three systems provides little evidence. A judge who
    favours good systems in general also favours a group of good systems.

    References
    ----------
    .. [1] Voorhees. Variations in relevance judgments and the measurement of retrieval
       effectiveness. Information Processing & Management 36, 2000.
       doi:10.1016/S0306-4573(00)00010-8
    .. [2] Upadhyay et al. A large-scale study of relevance assessments with large language models:
       an initial look. 2024. doi:10.48550/arXiv.2411.08275

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> strict = qrels.assign(grade=qrels["grade"].where(qrels["grade"] != 1, 0))
    >>> effect = judge_effect(runs, {"people": qrels, "strict": strict}, ["AP", "nDCG"], at=10)
    >>> effect["agreement"].sel(coefficient="kendall").squeeze().round(2).to_series().to_dict()
    {'AP': 1.0, 'nDCG': 1.0}
    >>> effect["conclusions"].sel(metric="AP").squeeze().to_series().to_dict()
    {'kept': 5, 'lost': 6, 'new': 0, 'reversed': 0, 'neither': 17}
    """
    pairing = Pairing(test)
    alpha = pairing.alpha
    resampling = Intervals(Resamples.of(alpha, resamples), interval_of or "expected")
    orders = list(map(parse_agreement, listed(coefficients)))
    passes = passes_of(judges)
    judged = read_judges(passes.qrels, pairs, grades, ("same", "common", "own"))
    judge_names = _reference_first(passes.judges, reference)
    base, *compared = every = _score(data, judged, [*map(passes.of, judge_names)], metrics, at)
    mean = np.stack([np.reshape(scores.signs, (-1, 1, 1)) * scores.means for scores in every])
    # means are rounded, so that systems whose means differ only by rounding errors have the same
    # rank
    rank = competition_ranks(np.stack([np.round(scores.means, TIE) for scores in every]))
    bias = mean[1:] - mean[0]
    half = np.stack([_half_widths(other, base, alpha) for other in compared])
    base_won, *compared_won = (winners(scores, pairing) for scores in every)
    variables: Variables = {
        "mean": ((*DIMS, SYSTEM), mean[1:]),
        "reference_mean": ((*DIMS[1:], SYSTEM), mean[0]),
        "rank": ((*DIMS, SYSTEM), rank[1:]),
        "reference_rank": ((*DIMS[1:], SYSTEM), rank[0]),
        "bias": ((*DIMS, SYSTEM), bias),
        "bias_interval": ((*DIMS, SYSTEM, BOUND), np.stack([bias - half, bias + half], axis=-1)),
        "conclusions": ((*DIMS, "conclusion"), conclude(base_won, compared_won)),
        **_agreements(base, compared, orders, resampling if interval_of else None),
    }
    labels = {JUDGE: judge_names[1:], **base.labels(), SYSTEM: base.systems, BOUND: list(SIDES)}
    labels |= {"coefficient": [*map(str, listed(coefficients))], "conclusion": list(CONCLUSIONS)}
    if groups is not None:
        variables |= _favours(bias, _members(groups, base.systems.tolist()), alpha)
        labels["group"] = list(groups)
    attrs = {"reference": judge_names[0], "pairs": pairs, "documents": judged.grade.shape[1]}
    attrs = united(base.attrs, attrs, pairing.attributes(), {RESULT: "judge_effect"})
    result = xr.Dataset(variables, labels, attrs)
    return resampling.described(result, base.scored.sum(axis=1)) if interval_of else result


def _reference_first(judges: list[Hashable], reference: Hashable | None) -> list[Hashable]:
    """Return the names of the judges, starting with the reference."""
    if reference is None:
        return judges
    (row,) = positions_of("reference to be one of the judges", [reference], judges)
    return [judges[row], *judges[:row], *judges[row + 1 :]]


def _score(
    data: xr.Dataset | Runs,
    judged: AlignedGrades,
    passes: list[list[Hashable]],
    metrics: Metrics,
    at: int | Sequence[int] | None,
) -> list[Scores]:
    """Score the runs under every judge on their common topics."""
    chosen = parse_metrics(metrics)
    frames = judged.frames()
    make = partial(rejudge, data) if isinstance(data, xr.Dataset) else partial(build, as_runs(data))
    _refuse_topics(judged)
    scores = []
    # a warning that several judges cause is issued once, with the names of these judges
    with OneCall():
        for pass_names in passes:
            arrays = []
            for name in pass_names:
                with in_group(f"judge {name}"):
                    cube = make(frames[name])
                arrays.append(score(cube, *chosen, at=wanted_depths(cube, chosen, at)))
            scores.append(_repeated(arrays))
    alike = _aligned(scores)
    # a topic without a score in one pass of a judge is dropped for all judges
    means = [array.mean(REPEAT, skipna=False) if REPEAT in array.dims else array for array in alike]
    scored = ~np.isnan(np.stack([array.to_numpy() for array in means])).any(axis=(0, 2))
    common = xr.DataArray(scored, dims=(METRIC, TOPIC, DEPTH))
    on_common = [array.where(common) for array in alike]
    # the same topics are dropped for every judge, so only the first call warns
    return [scores_to_compare(array, quiet=row > 0) for row, array in enumerate(on_common)]


def _aligned(scores: list[xr.DataArray]) -> list[xr.DataArray]:
    """Return arrays with systems and topics in the same order.

    The order is that of the first array. All other coordinates are dropped, because they may differ
    between arrays.
    """
    order = {dim: scores[0][dim].to_numpy() for dim in (SYSTEM, TOPIC)}
    return [array.sel(order).reset_coords(drop=True) for array in scores]


def _repeated(scores: list[xr.DataArray]) -> xr.DataArray:
    """Combine the scores of a judge's passes as repeats."""
    if len(scores) == 1:
        return scores[0]
    joined = xr.concat(_aligned(scores), REPEAT).assign_coords({REPEAT: range(1, len(scores) + 1)})
    attrs = scores[0].attrs | {REPEATS: "shared", REPEATED: PASSES}
    return joined.transpose(METRIC, SYSTEM, REPEAT, TOPIC, DEPTH).assign_attrs(attrs)


def _refuse_topics(judged: AlignedGrades) -> None:
    """Raise unless every judge judged every topic."""
    offenders = []
    for name, judging in zip(judged.judges, judged.judged, strict=True):
        topics = np.setdiff1d(judged.topic, judged.topic[judging])
        offenders += [f"{judged.topics[topic]} not by {name}" for topic in topics]
    if offenders:
        advice = "pass pairs='common' to compare the documents that all judges have judged"
        got = f"{len(offenders)} topics without judgments of some judge"
        raise IdError("every topic judged by every judge", got, advice, offenders)


def _half_widths(other: Scores, base: Scores, alpha: float) -> Array:
    """Return the half widths of Student's intervals of the biases.

    The result has the shape (metric, depth, system). A half width is NaN if the difference of
    scores is the same on every topic, or if the metric is not averaged over topics by the
    arithmetic mean.
    """
    topics = base.scored.sum(axis=1)
    is_mean = np.array([summary == "mean" for summary in base.summaries])[:, np.newaxis]
    factor = np.where(
        is_mean & (topics > 1), scipy.special.stdtrit(topics - 1.0, 1 - alpha / 2), np.nan
    )
    differences = other.values - base.values
    counted = topics[:, np.newaxis, np.newaxis]
    means = np.nansum(differences, axis=2, keepdims=True) / counted
    squares = np.nansum((differences - means) ** 2, axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (counted * (counted - 1.0)))
    error = np.where(error > ROUNDING, error, np.nan)
    return np.asarray(factor[..., np.newaxis] * np.swapaxes(error[:, :, 0], 1, 2))


def _agreements(
    base: Scores, compared: list[Scores], methods: list[Agreement], resampling: Intervals | None
) -> Variables:
    """Return the agreement of rankings with the reference ranking."""
    dims = (*DIMS, "coefficient")
    values = [agreement_of(base, compared, method) for method in methods]
    variables: Variables = {"agreement": (dims, np.stack(values, axis=-1))}
    if resampling is not None:
        ends = [
            np.stack(
                [with_reference(other, base, resampling, method) for other in compared], axis=1
            )
            for method in methods
        ]
        interval = np.moveaxis(np.stack(ends, axis=-1), 0, -1)
        variables["agreement_interval"] = (*dims, BOUND), interval
    return variables


def agreement_of(base: Scores, compared: list[Scores], method: Agreement) -> Array:
    """Return the agreement of each judge's ranking with the reference.

    The result has the shape (judge, metric, depth).
    """
    old = system_means(base, method)
    new = np.stack([system_means(other, method) for other in compared])
    return method.kernel(old[..., np.newaxis, :], new[..., np.newaxis, :])[..., 0, 0]


def winners(paired: Scores, pairing: Pairing) -> Array:
    """Return the sign of every significant difference, else 0.

    The result has the shape (metric, depth, pair). The sign is 1 if the first system of the pair is
    significantly better, and -1 if the second system is.
    """
    pairs = all_pairs(len(paired.systems))
    p = pairing.p_values(paired, pairs)
    ahead = paired.by_piece(len(pairs), lambda row, block: leads(paired, row, block, pairs).T)
    return np.where(p < pairing.alpha, ahead, 0)


def conclude(base: Array, compared: Sequence[Array]) -> Array:
    """Count the pairs of systems with each conclusion.

    The result has the shape (judge, metric, depth, conclusion).
    """
    new = np.stack(compared)
    old = np.broadcast_to(base, new.shape)
    kinds = [
        old * new > 0,
        (old != 0) & (new == 0),
        (old == 0) & (new != 0),
        old * new < 0,
        (old == 0) & (new == 0),
    ]
    return np.stack([kind.sum(axis=-1) for kind in kinds], axis=-1)


def _members(groups: Groups, systems: list[Hashable]) -> Array:
    """Return whether each group contains each system, (group, system)."""
    if not isinstance(groups, Mapping):
        raise ParameterError("groups= to be a mapping from name to systems", shortened(groups))
    inside = np.zeros((len(groups), len(systems)), bool)
    for row, members in enumerate(groups.values()):
        inside[row, positions_of("systems of the runs", members, systems)] = True
    fewest = np.minimum(inside.sum(axis=1), (~inside).sum(axis=1))
    few = [name for name, least in zip(groups, fewest, strict=True) if least < 2]
    if few or not len(groups):
        expected = "groups with at least two systems inside and two outside"
        got = f"{len(few)} groups with fewer systems" if few else "no group"
        raise ParameterError(expected, got, "", few)
    return inside


def _favours(bias: Array, members: Array, alpha: float) -> Variables:
    """Test whether each judge favours each group of systems."""
    sides = [(bias[..., inside], bias[..., ~inside]) for inside in members]
    tested = [scipy.stats.ttest_ind(a, b, axis=-1, equal_var=False) for a, b in sides]
    ranges = [result.confidence_interval(1 - alpha) for result in tested]
    means = [a.mean(axis=-1) - b.mean(axis=-1) for a, b in sides]
    ends = [np.stack([interval.low, interval.high], axis=-1) for interval in ranges]
    return {
        "group_bias": ((*DIMS, "group"), np.stack(means, axis=-1)),
        "group_interval": ((*DIMS, "group", BOUND), np.stack(ends, axis=-2)),
        "group_p": ((*DIMS, "group"), np.stack([result.pvalue for result in tested], axis=-1)),
    }
