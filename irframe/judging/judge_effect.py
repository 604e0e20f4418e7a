"""What changes in the conclusions about systems under other judges.

Verbs: judge_effect.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import scipy
import xarray as xr

from irframe.agreements import Agreement, parse_agreement
from irframe.arrays import Array
from irframe.checks import listed, places
from irframe.comparing.corrections import Tested
from irframe.comparing.significance import Pairing, leads
from irframe.cubes.cube import cube as build
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import SIDES, rejudge
from irframe.depth.agreement import Intervals, Of, system_means, with_reference
from irframe.errors import IdError, OneCall, ParameterError, in_group, shortened, united
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_runs
from irframe.judging.coefficients import ROUNDING
from irframe.judging.grades_by_judge import (
    JUDGE,
    PASSES,
    Grades,
    JudgedTwice,
    passes_of,
    read_judges,
)
from irframe.metrics.facts import TIE
from irframe.names import (
    BOUND,
    DEPTH,
    METRIC,
    REPEAT,
    REPEATED,
    REPEATS,
    RESULT,
    SYSTEM,
    TOPIC,
)
from irframe.orderings.orderings import competition_ranks
from irframe.paired import all_pairs
from irframe.record import recorded
from irframe.scores.averages import Resamples
from irframe.scores.read_scores import scores_to_compare
from irframe.scores.resampling import Resampling
from irframe.scores.scores import Scores

Parts = dict[str, tuple[tuple[str, ...], Array]]
"""Name -> dimensions and values."""
Groups = Mapping[str, Sequence[Hashable]]

DIMS = JUDGE, METRIC, DEPTH
CONCLUSIONS = ("kept", "lost", "new", "reversed", "neither")
"""What becomes of a pair of systems: significant alike under both judges, only under the reference,
only under the other, the other way round, and under neither."""


@recorded
def judge_effect(
    data: xr.Dataset | Runs,
    judges: Mapping[Any, Qrels],
    metrics: Metrics,
    *,
    test: Tested = "t",
    reference: Hashable | None = None,
    at: int | Sequence[int] | None = None,
    pairs: Literal["same", "common", "own"] = "same",
    grades: Grades = None,
    coefficients: str | Agreement | Sequence[str | Agreement] = ("kendall", "tau_ap", "rbo"),
    interval_of: Of | None = None,
    resamples: Resampling | int = 1000,
    groups: Groups | None = None,
) -> xr.Dataset:
    """Say what would have been concluded about the systems if others had judged.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, which is judged anew by each judge; or a run frame, or what
        `as_runs` takes. At least two systems.
    judges
        What each judge is called, and their qrels frame or what `as_qrels` takes; at least two.
        Of a judge who judged several times a list of these, or a frame with a column ``pass``:
        means are over passes, which tests of systems count as repeats for all of them.
    metrics
        Metrics or their names.
    test
        How a difference is called significant, as for `compare`: an `irframe.Significance`, or the
        name of a test. All intervals are at 1 - `alpha` of it.
    reference
        The judge whose conclusions the others' are compared with, by default the first.
    at
        Evaluation depths, by default all.
    pairs
        Which pairs of topic and document count: ``"same"`` and ``"common"`` as for
        `compare_judges`; ``"own"``, each judge's judgments as they are, of the same topics.
    grades
        As for `compare_judges`.
    coefficients
        Measures of agreement or their names, as for `agreement`.
    interval_of, resamples
        What to give intervals of agreements of, as for `agreement`; by default none, as they take
        a while at many depths. And their resamples of the topics.
    groups
        Groups of systems, such as ``{"same model": ["run1", "run2"]}``: whether a judge favours
        them over the other systems. At least two systems in each and outside.

    Returns
    -------
    xarray.Dataset
        Over the other judges, metrics and depths:

        - ``agreement`` (judge, metric, depth, coefficient), of the order of systems; and
          ``agreement_interval`` (..., bound) if asked for, over resamples of the topics;
        - ``conclusions`` (judge, metric, depth, conclusion), pairs of systems that are ``kept``,
          significantly different in the same direction under both judges; ``lost``, only under
          the reference; ``new``, only under the other judge; ``reversed``; ``neither``;
        - ``mean`` and ``rank`` (judge, metric, depth, system), 1 the best, ties sharing the best
          of their ranks; ``reference_mean`` and ``reference_rank`` (metric, depth, system);
        - ``bias`` (judge, metric, depth, system), the mean under the judge less that under the
          reference, and ``bias_interval`` (..., bound), Student's over topics;
        - with groups ``group_bias`` (judge, metric, depth, group), the mean bias of the group's
          systems less that of all others, ``group_interval`` (..., bound) and ``group_p``.

    Raises
    ------
    IrframeError
        As `compare_judges`, `cube` and `score`.
    IdError
        With ``pairs="own"``, for judges of different topics.
    ParameterError
        For unknown systems in groups, or too few.

    Warns
    -----
    IrframeWarning
        As `compare`, and for intervals of agreements as `agreement`.

    Notes
    -----
    A topic counts for a metric and depth if every system has a score there under every judge.
    Means are rounded to 12 decimals before they are ordered. Intervals of agreements are cautious:
    95% ones held Kendall's tau 99 times in 100 with 5 to 50 topics (see `agreement`). The interval
    and p-value of a group are Welch's, the systems' biases being the sample: they ask whether
    systems like these would be favoured, so that a group of two or three says little. A judge may
    favour good systems in general, which is no favour to a group that happens to be good.

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
    >>> found = judge_effect(runs, {"people": qrels, "strict": strict}, ["AP", "nDCG"], at=10)
    >>> found["agreement"].sel(coefficient="kendall").squeeze().round(2).to_series().to_dict()
    {'AP': 1.0, 'nDCG': 1.0}
    >>> found["conclusions"].sel(metric="AP").squeeze().to_series().to_dict()
    {'kept': 5, 'lost': 6, 'new': 0, 'reversed': 0, 'neither': 17}
    """
    pairing = Pairing(test)
    alpha = pairing.alpha
    resampling = Intervals(Resamples.of(alpha, resamples), interval_of or "expected")
    orders = list(map(parse_agreement, listed(coefficients)))
    passes = passes_of(judges)
    judged = read_judges(passes.qrels, pairs, grades, ("same", "common", "own"))
    called = _first(passes.judges, reference)
    held, *others = every = _score(data, judged, [*map(passes.of, called)], metrics, at)
    mean = np.stack([_signed(scores) for scores in every])
    rank = competition_ranks(np.stack([np.round(scores.means, TIE) for scores in every]))
    bias, half = (
        mean[1:] - mean[0],
        np.stack([_half_widths(other, held, alpha) for other in others]),
    )
    first, *won = (winners(scores, pairing) for scores in every)
    parts: Parts = {
        "mean": ((*DIMS, SYSTEM), mean[1:]),
        "reference_mean": ((*DIMS[1:], SYSTEM), mean[0]),
        "rank": ((*DIMS, SYSTEM), rank[1:]),
        "reference_rank": ((*DIMS[1:], SYSTEM), rank[0]),
        "bias": ((*DIMS, SYSTEM), bias),
        "bias_interval": ((*DIMS, SYSTEM, BOUND), np.stack([bias - half, bias + half], axis=-1)),
        "conclusions": ((*DIMS, "conclusion"), conclude(first, won)),
        **_agreements(held, others, orders, resampling if interval_of else None),
    }
    labels = {JUDGE: called[1:], **held.labels(), SYSTEM: held.systems, BOUND: list(SIDES)}
    labels |= {"coefficient": [*map(str, listed(coefficients))], "conclusion": list(CONCLUSIONS)}
    if groups is not None:
        parts |= _favours(bias, _members(groups, held.systems.tolist()), alpha)
        labels["group"] = list(groups)
    attrs = {"reference": called[0], "pairs": pairs, "documents": judged.grade.shape[1]}
    attrs = united(held.attrs, attrs, pairing.told(), {RESULT: "judge_effect"})
    result = xr.Dataset(parts, labels, attrs)
    return resampling.told(result, held.scored.sum(axis=1)) if interval_of else result


def _first(judges: list[Any], reference: Hashable | None) -> list[Any]:
    """Return the judges, the reference first."""
    if reference is None:
        return judges
    (row,) = places("reference to be one of the judges", [reference], judges)
    return [judges[row], *judges[:row], *judges[row + 1 :]]


def _score(
    data: Any, judged: JudgedTwice, passes: list[list[Any]], metrics: Metrics, at: Any
) -> list[Scores]:
    """Score the runs under every judge, on the topics that have a score under all of them."""
    chosen, frames = parse_metrics(metrics), judged.frames()
    of_cube = isinstance(data, xr.Dataset)
    make: Any = rejudge if of_cube else build
    given = data if of_cube else as_runs(data)
    _refuse_topics(judged)
    scores = []
    with OneCall():
        for passed in passes:
            own = []
            for name in passed:
                with in_group(f"judge {name}"):
                    cube: xr.Dataset = make(given, frames[name])
                own.append(score(cube, *chosen, at=wanted_depths(cube, chosen, at)))
            scores.append(_repeated(own))
    alike = _alike(scores)
    means = [array.mean(REPEAT, skipna=False) if REPEAT in array.dims else array for array in alike]
    shared = ~np.isnan(np.stack([array.to_numpy() for array in means])).any(axis=(0, 2))
    common = xr.DataArray(shared, dims=(METRIC, TOPIC, DEPTH))
    kept = [array.where(common) for array in alike]
    return [scores_to_compare(array, quiet=place > 0) for place, array in enumerate(kept)]


def _alike(scores: list[xr.DataArray]) -> list[xr.DataArray]:
    """Return scores with the systems and topics of the first in its order, and no other labels."""
    order = {dim: scores[0][dim].to_numpy() for dim in (SYSTEM, TOPIC)}
    return [array.sel(order).reset_coords(drop=True) for array in scores]


def _repeated(scores: list[xr.DataArray]) -> xr.DataArray:
    """Return the scores under one judge, those of several passes as shared repeats."""
    if len(scores) == 1:
        return scores[0]
    joined = xr.concat(_alike(scores), REPEAT).assign_coords({REPEAT: range(1, len(scores) + 1)})
    attrs = scores[0].attrs | {REPEATS: "shared", REPEATED: PASSES}
    return joined.transpose(METRIC, SYSTEM, REPEAT, TOPIC, DEPTH).assign_attrs(attrs)


def _refuse_topics(judged: JudgedTwice) -> None:
    """Raise for topics that only some judges have judged."""
    offenders = []
    for name, judging in zip(judged.judges, judged.judged, strict=True):
        topics = np.setdiff1d(judged.topic, judged.topic[judging])
        offenders += [f"{judged.topics[topic]} not by {name}" for topic in topics]
    if offenders:
        advice = "pairs='common' compares what all judges have judged"
        raise IdError(
            "the same topics judged by every judge", f"{len(offenders)} missing", advice, offenders
        )


def _signed(paired: Scores) -> Array:
    """Return means as they are, though less be better."""
    return np.array(paired.towards)[:, np.newaxis, np.newaxis] * paired.means


def _half_widths(other: Scores, held: Scores, alpha: float) -> Array:
    """Return half of Student's intervals of mean differences over topics, NaN without spread.

    The shape is (metric, depth, system).
    """
    topics = held.scored.sum(axis=1)
    single = np.array([summary == "mean" for summary in held.summaries])[:, np.newaxis]
    factor = np.where(
        single & (topics > 1), scipy.special.stdtrit(topics - 1.0, 1 - alpha / 2), np.nan
    )
    differences, counted = other.values - held.values, topics[:, np.newaxis, np.newaxis]
    means = np.nansum(differences, axis=2, keepdims=True) / counted
    squares = np.nansum((differences - means) ** 2, axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (counted * (counted - 1.0)))
    error = np.where(error > ROUNDING, error, np.nan)
    return np.asarray(factor[..., np.newaxis] * np.swapaxes(error[:, :, 0], 1, 2))


def _agreements(
    held: Scores, others: list[Scores], methods: list[Agreement], resampling: Intervals | None
) -> Parts:
    """Return how alike judges order the systems, and between which values over resamples."""
    dims = (*DIMS, "coefficient")
    values = [agreement_of(held, others, method) for method in methods]
    parts: Parts = {"agreement": (dims, np.stack(values, axis=-1))}
    if resampling is not None:
        ends = [
            np.stack([with_reference(other, held, resampling, method) for other in others], axis=1)
            for method in methods
        ]
        interval = np.moveaxis(np.stack(ends, axis=-1), 0, -1)
        parts["agreement_interval"] = (*dims, BOUND), interval
    return parts


def agreement_of(held: Scores, others: list[Scores], method: Agreement) -> Array:
    """Return the agreement of every other judge with the reference, (judge, metric, depth)."""
    old = system_means(held, method)
    new = np.stack([system_means(other, method) for other in others])
    return method.kernel(old[..., np.newaxis, :], new[..., np.newaxis, :])[..., 0, 0]


def winners(paired: Scores, pairing: Pairing) -> Array:
    """Say which system of a pair is significantly better, shape (metric, depth, pair)."""
    pairs = all_pairs(len(paired.systems))
    p = pairing.p_values(paired, pairs)
    ahead = paired.by_piece(len(pairs), lambda row, block: leads(paired, row, block, pairs).T)
    return np.where(p < pairing.alpha, ahead, 0)


def conclude(held: Array, others: Sequence[Array]) -> Array:
    """Count what becomes of pairs, (judge, metric, depth, conclusion), from who is better."""
    new = np.stack(others)
    old = np.broadcast_to(held, new.shape)
    kinds = [
        old * new > 0,
        (old != 0) & (new == 0),
        (old == 0) & (new != 0),
        old * new < 0,
        (old == 0) & (new == 0),
    ]
    return np.stack([kind.sum(axis=-1) for kind in kinds], axis=-1)


def _members(groups: Groups, systems: list[Any]) -> Array:
    """Return who belongs to each group, shape (group, system)."""
    if not isinstance(groups, Mapping):
        raise ParameterError("groups, a mapping of names to systems", shortened(groups))
    inside = np.zeros((len(groups), len(systems)), bool)
    for row, wanted in enumerate(groups.values()):
        inside[row, places("systems of the runs", wanted, systems)] = True
    fewest = np.minimum(inside.sum(axis=1), (~inside).sum(axis=1))
    few = [name for name, least in zip(groups, fewest, strict=True) if least < 2]
    if few or not len(groups):
        wanted = "groups with at least two systems, and two outside"
        raise ParameterError(wanted, f"{len(few)} that are not" if few else "no group", "", few)
    return inside


def _favours(bias: Array, members: Array, alpha: float) -> Parts:
    """Hold the biases of every group against those of all other systems."""
    sides = [(bias[..., inside], bias[..., ~inside]) for inside in members]
    tested = [scipy.stats.ttest_ind(one, rest, axis=-1, equal_var=False) for one, rest in sides]
    ranges = [result.confidence_interval(1 - alpha) for result in tested]
    means = [one.mean(axis=-1) - rest.mean(axis=-1) for one, rest in sides]
    ends = [np.stack([interval.low, interval.high], axis=-1) for interval in ranges]
    return {
        "group_bias": ((*DIMS, "group"), np.stack(means, axis=-1)),
        "group_interval": ((*DIMS, "group", BOUND), np.stack(ends, axis=-2)),
        "group_p": ((*DIMS, "group"), np.stack([result.pvalue for result in tested], axis=-1)),
    }
