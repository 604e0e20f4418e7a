"""What changes in the conclusions about systems under other judges.

Verbs: judge_effect.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from irframe import names as words
from irframe.agreements import Agreement, parse_agreement
from irframe.cautions import united
from irframe.checks import listed, places
from irframe.comparing.significance import Adjust, Family, Pairing
from irframe.cubes.cube import cube as build
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import SIDES
from irframe.depths.agreement import Intervals, Of
from irframe.errors import IdError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_runs
from irframe.paired import Test
from irframe.record import recorded
from irframe.scores.averages import Resamples
from irframe.scores.read_scores import scores_to_compare
from irframe.scores.scores import Scores
from irframe.studies import coefficients
from irframe.studies.grades_by_judge import PASSES, Grades, JudgedTwice, passes_of, read_judges
from irframe.warned import OneCall, in_group


@recorded
def judge_effect(
    runs: Runs,
    judges: Mapping[Any, Qrels],
    metrics: Metrics,
    *,
    test: Test = "t",
    adjust: Adjust = "auto",
    family: Family = "depth",
    alpha: float = 0.05,
    reference: Hashable | None = None,
    at: int | Sequence[int] | None = None,
    pairs: Literal["same", "common", "own"] = "same",
    grades: Grades = None,
    methods: str | Agreement | Sequence[str | Agreement] = ("kendall", "tau_ap", "rbo"),
    interval: bool = False,
    of: Of = "expected",
    samples: int = 1000,
    seed: int = 0,
    groups: coefficients.Groups | None = None,
    depth: int | None = None,
    ties: words.Ties = words.DEFAULT_TIES,
    score_dtype: words.ScoreDtype = words.DEFAULT_DTYPE,
) -> xr.Dataset:
    """Say what would have been concluded about the systems if others had judged.

    Parameters
    ----------
    runs
        Run frame or what `as_runs` takes, of at least two systems.
    judges
        What each judge is called, and their qrels frame or what `as_qrels` takes; at least two.
        Of a judge who judged several times a list of these, or a frame with a column ``pass``:
        means are over passes, which tests of systems count as repeats for all of them.
    metrics
        Metrics or their names.
    test, adjust, family
        Which pairs of systems differ significantly, as for `compare`.
    alpha
        Significance level, and one minus the confidence level of all intervals, above 0 and below
        1.
    reference
        The judge whose conclusions the others' are compared with, by default the first.
    at
        Evaluation depths, by default all.
    pairs
        Which pairs of topic and document count: ``"same"`` and ``"common"`` as for
        `compare_judges`; ``"own"``, each judge's judgments as they are, of the same topics.
    grades
        As for `compare_judges`.
    methods
        Methods of agreement or their names, as for `agreement`.
    interval, of, samples, seed
        Whether to give intervals of the agreements, which takes a while at many depths, and what
        they are, as for `agreement`.
    groups
        Groups of systems, such as ``{"same model": ["run1", "run2"]}``: whether a judge favours
        them over the other systems. At least two systems in each and outside.
    depth, ties, score_dtype
        As for `cube`.

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
    pairing = Pairing(test, adjust, alpha, family)
    resampling = Intervals(Resamples(alpha, samples, seed), of)
    orders = list(map(parse_agreement, listed(methods)))
    passes = passes_of(judges)
    judged = read_judges(passes.qrels, pairs, grades, ("same", "common", "own"))
    called, policy = _first(passes.judges, reference), (depth, ties, score_dtype)
    held, _ = sides = _score(runs, judged, [*map(passes.of, called)], metrics, at, policy)
    parts = coefficients.standings(*sides) | coefficients.biases(*sides, alpha)
    parts |= coefficients.conclusions(*sides, pairing)
    parts |= coefficients.agreements(*sides, orders, resampling if interval else None)
    if groups is not None:
        inside = coefficients.members(groups, held.systems.tolist())
        parts |= coefficients.favours(parts["bias"][1], inside, alpha)
    attrs = {"reference": called[0], "pairs": pairs, "documents": judged.grade.shape[1]}
    attrs = united(held.attrs, attrs, pairing.told(), {words.RESULT: "judge_effect"})
    result = xr.Dataset(parts, _effect_labels(held, called[1:], listed(methods), groups), attrs)
    return resampling.told(result, held.scored.sum(axis=1)) if interval else result


def _first(judges: list[Any], reference: Hashable | None) -> list[Any]:
    """Return the judges, the reference first."""
    if reference is None:
        return judges
    (row,) = places("reference to be one of the judges", [reference], judges)
    return [judges[row], *judges[:row], *judges[row + 1 :]]


def _score(
    runs: Any,
    judged: JudgedTwice,
    passes: list[list[Any]],
    metrics: Metrics,
    at: Any,
    policy: tuple[Any, ...],
) -> tuple[Scores, list[Scores]]:
    """Score the runs under every judge, on the topics that have a score under all of them."""
    runs, chosen, frames = as_runs(runs), parse_metrics(metrics), judged.frames()
    _refuse_topics(judged)
    scores, options = [], dict(zip(("depth", "ties", "score_dtype"), policy, strict=True))
    with OneCall():
        for passed in passes:
            own = []
            for name in passed:
                with in_group(f"judge {name}"):
                    cube = build(runs, frames[name], **options)
                own.append(score(cube, *chosen, at=wanted_depths(cube, chosen, at)))
            scores.append(_repeated(own))
    alike = _alike(scores)
    means = [
        array.mean(words.REPEAT, skipna=False) if words.REPEAT in array.dims else array
        for array in alike
    ]
    shared = ~np.isnan(np.stack([array.to_numpy() for array in means])).any(axis=(0, 2))
    common = xr.DataArray(shared, dims=(words.METRIC, words.TOPIC, words.DEPTH))
    kept = [array.where(common) for array in alike]
    held, *others = [scores_to_compare(array, quiet=place > 0) for place, array in enumerate(kept)]
    return held, others


def _alike(scores: list[xr.DataArray]) -> list[xr.DataArray]:
    """Return scores with the systems and topics of the first in its order, and no other labels."""
    order = {dim: scores[0][dim].to_numpy() for dim in (words.SYSTEM, words.TOPIC)}
    return [array.sel(order).reset_coords(drop=True) for array in scores]


def _repeated(scores: list[xr.DataArray]) -> xr.DataArray:
    """Return the scores under one judge, those of several passes as shared repeats."""
    if len(scores) == 1:
        return scores[0]
    joined = xr.concat(_alike(scores), words.REPEAT).assign_coords(
        {words.REPEAT: range(1, len(scores) + 1)}
    )
    attrs = scores[0].attrs | {words.REPEATS: "shared", words.REPEATED: PASSES}
    return joined.transpose(
        words.METRIC, words.SYSTEM, words.REPEAT, words.TOPIC, words.DEPTH
    ).assign_attrs(attrs)


def _effect_labels(
    held: Scores, judges: list[Any], methods: list[Any], groups: coefficients.Groups | None
) -> dict[str, Any]:
    labels = {coefficients.JUDGE: judges} | held.labels() | {words.SYSTEM: held.systems}
    labels |= {words.BOUND: list(SIDES), "coefficient": list(map(str, methods))}
    labels |= {"conclusion": list(coefficients.CONCLUSIONS)}
    return labels | ({} if groups is None else {"group": list(groups)})


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
