"""What a check reports, what is odd about lists, and what ties leave open.

Verbs: tie_ranges, tie_rates, tie_agreement.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Method
from irframe.arrays import Array
from irframe.checks import whole
from irframe.cubes.cube import cube as build
from irframe.cubes.score import Work, label_scores, refuse_metrics, score, wanted_depths
from irframe.cubes.unjudged import both_sides
from irframe.cubes.verb import refuse_deeper, verb
from irframe.depths.agreement import agreement
from irframe.errors import DepthError, IrframeError, ParameterError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.group_columns import GroupBy
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.extremes.labelled_bounds import reordered_scores
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.ids import Codes, beginnings
from irframe.metrics import Block, Metric, P
from irframe.names import DEFAULT_DTYPE, DEFAULT_TIES, DEPTH, METRIC, ScoreDtype, Ties
from irframe.record import recorded

SEVERITIES = ("error", "warning", "note")
"""Nothing can be scored; numbers may mislead; worth saying beside the numbers."""
SHOWN = 5
"""How many places a finding lists."""

_EVERY: ContextVar[bool] = ContextVar("every", default=False)

LU = "Lu, Moffat, Culpepper 2016, doi:10.1007/s10791-016-9282-6"
ALEX = "Alex, Hall, Metzler 2022, doi:10.48550/arXiv.2201.01745"
YILMAZ = "Yilmaz, Aslam 2006, doi:10.1145/1183614.1183633"
SAKAI = "Sakai, Dou 2013, doi:10.1145/2484028.2484031"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"


@dataclass(frozen=True)
class Finding:
    """One thing to know before trusting a number.

    Attributes
    ----------
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    what
        What was found.
    where
        The first places.
    how_many
        How many there are.
    advice
        What to do.
    reference
        Where this is explained.
    """

    severity: str
    what: str
    where: str
    how_many: int
    advice: str
    reference: str


def worst_of(systems: pd.Index, lists: NDArray[np.bool_]) -> str:
    """Name systems with how many lists they have of some, given (system, topic)."""
    counts = lists.sum(axis=1)
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    return listed_findings(f"{systems[row]} ({counts[row]})" for row in order)


def listed_findings(places: Iterable[object], total: int | None = None) -> str:
    """Return the first places as text.

    Examples
    --------
    >>> listed_findings(range(9))
    '0, 1, 2, 3, 4, ...'
    """
    names = [str(place) for place in places]
    more = (len(names) if total is None else total) > SHOWN
    if _EVERY.get() or not more:
        return ", ".join(names)
    return ", ".join(names[:SHOWN]) + ", ..."


def findings_at(
    severity: str,
    what: str,
    places: Collection[object],
    advice: str,
    reference: str,
    how_many: int | None = None,
) -> Iterator[Finding]:
    """Yield a finding of some places, nothing where there are none."""
    if len(places):
        number = len(places) if how_many is None else how_many
        yield Finding(severity, what, listed_findings(places), number, advice, reference)


def listed_rows(describe: Callable[[Any], Iterable[object]], rows: NDArray[Any]) -> str:
    """Return the first rows as a table describes them; the others need no description."""
    return listed_findings(describe(rows if _EVERY.get() else rows[: SHOWN + 1]), len(rows))


@contextmanager
def every_place() -> Iterator[None]:
    """List every place of a finding for as long as this lasts.

    Examples
    --------
    >>> with every_place():
    ...     listed_findings(range(9))
    '0, 1, 2, 3, 4, 5, 6, 7, 8'
    """
    token = _EVERY.set(True)
    try:
        yield
    finally:
        _EVERY.reset(token)


def finding_of(error: IrframeError) -> Finding:
    """Return an error as a finding."""
    what, where = f"wanted {error.wanted}; found {error.found}", listed_findings(error.offenders)
    number = max(1, len(error.offenders))
    return Finding("error", what, where, number, error.advice, TREC_EVAL)


class Findings(pd.DataFrame):
    """A frame of findings, shown with all their words, without columns of empty lists.

    Lists are shown by their first places. Parts of it are plain.
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _shown(self) -> pd.DataFrame:
        texts = pd.DataFrame(self).map(
            lambda value: listed_findings(value) if isinstance(value, tuple) else value
        )
        return texts.loc[:, ~(texts.map(lambda value: isinstance(value, str) and not value)).all()]

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.max_colwidth", None):
            shown: str | None = self._shown()._repr_html_()  # type: ignore[operator]
        return shown


def to_frame(findings: Sequence[Finding]) -> Findings:
    """Return findings as a frame, the gravest first."""
    columns = [spec.name for spec in fields(Finding)]
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings([astuple(finding) for finding in ordered], columns=columns)


def without_score(table: RunTable) -> Codes:
    """Return the rows without a score; none, where no row is to have one."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def _by(values: NDArray[Any], table: RunTable) -> tuple[Codes, Codes, NDArray[Any]]:
    """Return rows list by list in the order of some values, with their lists and these values."""
    order = np.lexsort((values, table.group))
    return order, table.group[order], values[order]


def contradicting(table: RunTable) -> Codes:
    """Return the lists, numbered as in `RunTable.group`, where a lower rank has a higher score."""
    if table.score is None or table.rank is None:
        return np.arange(0)
    order, group, _ = _by(table.rank, table)
    score = table.score[order]
    return np.unique(group[1:][(score[1:] > score[:-1]) & (np.diff(group) == 0)])


def equally_ranked(table: RunTable) -> Codes:
    """Return the lists, numbered alike, that have a rank twice, or rows without one."""
    if table.rank is None:
        return np.arange(0)
    _, group, rank = _by(table.rank, table)
    twice = group[1:][(np.diff(rank) == 0) & (np.diff(group) == 0)]
    return np.unique(np.append(twice, group[np.isnan(rank)]))


def gapped(table: RunTable) -> Codes:
    """Return the lists, numbered alike, whose ranks leave some out, or begin beyond 2."""
    if table.rank is None:
        return np.arange(0)
    _, group, rank = _by(table.rank, table)
    skipped = group[1:][(np.diff(rank) > 1) & (np.diff(group) == 0)]
    first = beginnings(group)
    return np.unique(np.append(skipped, group[first[rank[first] > 2]]))


def undecided(table: RunTable) -> Codes:
    """Return the lists of several documents of systems all of whose lists have one score."""
    if table.score is None:
        return np.arange(0)
    _, group, score = _by(table.score, table)
    first = beginnings(group)
    last = np.append(first[1:], len(group)) - 1
    several, equal = last > first, score[first] == score[last]
    systems = group[first] // len(table.topics)
    decided = np.unique(systems[several & ~equal])
    return group[first[several & ~np.isin(systems, decided)]]


def usual_length(lengths: NDArray[np.integer]) -> int:
    """Return the most frequent of some lengths, the greatest where several are.

    Examples
    --------
    >>> usual_length(np.array([50, 1000, 1000, 2000]))
    1000
    """
    known, counts = np.unique(lengths, return_counts=True)
    return int(known[counts == counts.max()].max(initial=0))


def list_lengths(table: RunTable, judgments: QrelsTable) -> NDArray[np.integer]:
    """Return how many rows every system has for every judged topic, shape (system, topic)."""
    topics = judgments.topics.get_indexer(table.topics)
    shape = (len(table.systems), len(judgments.topics))
    known = topics[table.topic] >= 0
    place = table.system[known].astype(np.int64) * shape[1] + topics[table.topic][known]
    return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)


def topics_of_both(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return the code of every row's topic in the qrels, one beyond those where it is unknown."""
    placed = judgments.topics.get_indexer(table.topics)
    beyond = len(judgments.topics) + np.arange(len(placed))
    return np.where(placed < 0, beyond, placed)[table.topic]


@verb(bounded=True, repeats=True)
def tie_ranges(
    cube: xr.Dataset,
    *metrics: Metrics,
    at: int | Sequence[int] | None = None,
    by: GroupBy | None = None,
) -> xr.DataArray:
    """Say between which scores the order of tied documents decides.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score, whatever its `ties`.
    metrics
        Metrics or their names.
    at
        Depths to return, within the cube; by default all.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    xarray.DataArray
        The lowest and the highest score over all orders of the tied documents; dimensions (bound,
        metric, system, topic, depth), `bound` being ``lower`` and ``upper``.

    Raises
    ------
    MetricError
        If a ranking has more than 20,000 orders, for a metric of which it is not known which is the
        best.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.
    InputError
        If documents tied across the last depth are not known any more.

    Notes
    -----
    The extremes are exact: wherever a document of more worth stands directly below one of less,
    swapping the two never lowers the score at any depth. So the highest score has every tied
    block in falling order of worth, and the lowest in rising order. Worth is relevance or gain;
    for Bpref unjudged documents stand between relevant and other judged ones, and for Judged
    the judged ones come first. For a cost the highest score is the worst one, NaN where ESL finds
    nothing then. For InfAP, Twist and its parts, CRP, Q with gain below its threshold, G, INST
    and others whose users adapt to what they find no one order is known to be the best, and every
    one is tried. Documents below the cube's depth are counted
    if they are tied with one above. Takes time in proportion to the cells, times the orders tried.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in
       the presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [2.0, 1.0, 1.0]})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": ["a", "c"], "grade": [0, 1]})
    >>> tie_ranges(run.ireval.cube(qrels), "RR", at=3).values.ravel()
    array([0.33333333, 0.5       ])
    """
    refuse_untied(cube)
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, at)
    refuse_metrics(cube, chosen, ties=DEFAULT_TIES)  # each order is one of documents, not shared
    scores = both_sides(cube, chosen, depths, reordered_scores, ties=True)
    return label_scores(cube, scores, chosen, depths)


def refuse_untied(cube: xr.Dataset) -> None:
    """Raise if a cube was not ranked by score."""
    if cube.attrs["ties"] == "rank":
        raise ParameterError("a cube ranked by score", "ties='rank', which has no ties")


@verb(bounded=True, repeats=True)
def tie_rates(
    cube: xr.Dataset,
    depth: int = 20,
    *,
    by: GroupBy | None = None,
) -> xr.DataArray:
    """Say which share of the top documents has the same score as another one there.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score.
    depth
        How many documents of every list to look at, at least 1.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    xarray.DataArray
        Shares from 0 to 1 over (system, topic); NaN for an empty list. ``.mean("topic").median()``
        is the number of Table 6 of the paper.

    Raises
    ------
    DepthError
        If the cube was cut above that depth.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 6. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> coarse = runs.assign(score=runs["score"].round(1)).ireval.cube(qrels)
    >>> round(float(tie_rates(coarse).mean("topic").median()), 3)
    0.722
    """
    refuse_untied(cube)
    depth = whole("depth", depth, low=1, error=DepthError)
    if min(int(cube["retrieved"].to_numpy().max(initial=0)), depth) > cube.sizes[DEPTH]:
        advice = "build the cube with a greater depth="
        raise DepthError(f"a depth up to {cube.sizes[DEPTH]}, that of the cube", str(depth), advice)
    values = Work([P()], [depth], _rates, ties=True).over(cube)
    rates = label_scores(cube, values, [P()], [depth])
    return rates.isel({METRIC: 0, DEPTH: 0}, drop=True).rename("tie_rate")


def _rates(block: Block, _: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the share of the first documents of lists that are tied with another one of them."""
    above = np.asarray(block.tied)[..., : depths[0]]
    below = np.append(above[..., 1:], np.zeros_like(above[..., :1]), axis=-1)
    number = np.minimum(block.retrieved, depths[0])
    share = np.full(number.shape, np.nan)
    np.divide((above | below).sum(axis=-1), number, out=share, where=number > 0)
    yield share[..., np.newaxis]


@recorded
def tie_agreement(
    runs: Runs,
    qrels: Qrels,
    metrics: Metrics,
    *,
    ties: Sequence[Ties] = ("trec", "order"),
    at: int | Sequence[int] | None = None,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    method: Method = "kendall",
) -> xr.DataArray:
    """Say how alike systems are ordered under two ways to rank documents with equal scores.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame.
    metrics
        Metrics or their names.
    ties
        The two ways, as for `rank`. ``"trec"`` and ``"order"`` are those of Table 6 of the paper.
    at
        Evaluation depths, by default that of the longest list; no shallower than a metric's own.
    score_dtype
        As for `rank`.
    method
        A method of agreement or its name, as for `agreement`.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth).

    Raises
    ------
    ParameterError
        For anything but two ways to break ties.
    IrframeError
        As `cube` and `score`.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 6. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> coarse = runs.assign(score=runs["score"].round())
    >>> tau = tie_agreement(coarse, qrels, ["RBP(p=0.8)", "P@5"])
    >>> tau.squeeze("depth").round(2).to_series().to_dict()
    {'RBP(p=0.8)': 0.93, 'P@5': 0.96}
    """
    if isinstance(ties, str) or len(ties) != 2:
        raise ParameterError("two ways to break ties", repr(ties))
    chosen = parse_metrics(metrics)
    depths = None if at is None else np.atleast_1d(at).tolist()
    if depths is not None:
        refuse_deeper(chosen, min(depths))
    deepest = None if depths is None else max(depths)
    runs, qrels = as_runs(runs), as_qrels(qrels)
    cubes = [build(runs, qrels, depth=deepest, ties=way, score_dtype=score_dtype) for way in ties]
    depths = [cubes[0].sizes[DEPTH]] if depths is None else depths
    first, second = (score(cube, *chosen, at=depths) for cube in cubes)
    return agreement(first, second, method)
