"""What changes in the conclusions about systems under other judges."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from irframe.agreements import Agreement, parse_agreement
from irframe.checks import listed, places
from irframe.comparing.corrections import Adjust, Family
from irframe.comparing.significance import Pairing
from irframe.cubes.cube import cube as build
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import BOUND, SIDES
from irframe.depths.agreement import Asked, Of
from irframe.errors import IdError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.files.as_runs import Qrels, Runs, as_runs
from irframe.names import (
    DEFAULT_DTYPE,
    DEFAULT_TIES,
    DEPTH,
    METRIC,
    RESULT,
    SYSTEM,
    TOPIC,
    ScoreDtype,
    Ties,
)
from irframe.paired import Test
from irframe.record import recorded
from irframe.scores.averages import Resamples
from irframe.scores.scores import Scores, scores_to_compare
from irframe.studies.judges.grades_by_judge import Grades, Judged, read_judges
from irframe.studies.judges.judge_changes import (
    CONCLUSIONS,
    JUDGE,
    Groups,
    agreements,
    biases,
    conclusions,
    favours,
    members,
    standings,
)
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
    groups: Groups | None = None,
    depth: int | None = None,
    ties: Ties = DEFAULT_TIES,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
) -> xr.Dataset:
    """Say what would have been concluded about the systems if others had judged.

    Parameters
    ----------
    runs
        Run frame or what `as_runs` takes, of at least two systems.
    judges
        What each judge is called, and their qrels frame or what `as_qrels` takes; at least two.
    metrics
        Metrics or their names.
    test, adjust, family
        Which pairs of systems differ significantly, as for `compare`.
    alpha
        Significance level, and one minus the confidence level of all intervals, above 0 and below
        1.
    reference
        The judge whose conclusions the others' are held against, by default the first.
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
    asked = Asked(Resamples(alpha, samples, seed), of)
    orders = list(map(parse_agreement, listed(methods)))
    judged = read_judges(judges, pairs, grades, ("same", "common", "own"))
    names = _first(judged, reference)
    policy = {"depth": depth, "ties": ties, "score_dtype": score_dtype}
    held, _ = sides = _score(runs, judged, names, metrics, at, policy)
    inside = None if groups is None else members(groups, held.systems.tolist())
    parts = standings(*sides) | biases(*sides, alpha) | conclusions(*sides, pairing)
    parts |= agreements(*sides, orders, asked if interval else None)
    labels = _labels(held, names[1:], listed(methods), groups)
    if inside is not None:
        parts |= favours(parts["bias"][1], inside, alpha)
    told = {"reference": names[0], "pairs": pairs, "documents": judged.grade.shape[1]}
    told |= pairing.told() | {RESULT: "judge_effect"}
    result = xr.Dataset(parts, labels, held.attrs | told)
    return asked.told(result, held.scored.sum(axis=1)) if interval else result


def _first(judged: Judged, reference: Hashable | None) -> list[Any]:
    """Return the judges, the reference first."""
    names = judged.judges
    if reference is None:
        return names
    (row,) = places("reference to be one of the judges", [reference], names)
    return [names[row], *names[:row], *names[row + 1 :]]


def _score(
    runs: Any, judged: Judged, names: list[Any], metrics: Metrics, at: Any, options: dict[str, Any]
) -> tuple[Scores, list[Scores]]:
    """Score the runs under every judge, on the topics that have a score under all of them."""
    runs, chosen, frames = as_runs(runs), parse_metrics(metrics), judged.frames()
    _refuse_topics(judged)
    scores = []
    with OneCall():
        for name in names:
            with in_group(f"judge {name}"):
                cube = build(runs, frames[name], **options)
            scores.append(score(cube, *chosen, at=wanted_depths(cube, chosen, at)))
    first = scores[0]
    alike = [each.sel({SYSTEM: first[SYSTEM], TOPIC: first[TOPIC]}) for each in scores]
    shared = ~np.isnan(np.stack([each.to_numpy() for each in alike])).any(axis=(0, 2))
    common = xr.DataArray(shared, dims=(METRIC, TOPIC, DEPTH))
    kept = [each.reset_coords(drop=True).where(common) for each in alike]
    held, *others = [scores_to_compare(each, quiet=place > 0) for place, each in enumerate(kept)]
    return held, others


def _refuse_topics(judged: Judged) -> None:
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


def _labels(
    held: Scores, judges: list[Any], methods: list[Any], groups: Groups | None
) -> dict[str, Any]:
    labels = held.labels()
    words = {
        BOUND: list(SIDES),
        "coefficient": list(map(str, methods)),
        "conclusion": list(CONCLUSIONS),
    }
    grouped = {} if groups is None else {"group": list(groups)}
    return {JUDGE: judges, **labels, SYSTEM: held.systems, **words, **grouped}
