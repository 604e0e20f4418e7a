"""Findings about runs and judgments that affect scores.

Verbs: diagnose.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import check_int, choice, refuse_passed
from irframe.comparing.decide import decide
from irframe.cubes.cube import build_cube
from irframe.cubes.groups import REPEAT_OF, each_a_system, provenance
from irframe.cubes.unjudged import bounds
from irframe.cubes.verb import loaded
from irframe.cubes.view import experiment_of, of_spans, read_cube
from irframe.depth.pool_growth import count_pools
from irframe.diagnostics import findings
from irframe.diagnostics.designs import check_repeats, drawn_together, explaining
from irframe.diagnostics.findings import IN_CODE, LU, Finding, findings_at
from irframe.diagnostics.frames import check_frames
from irframe.diagnostics.tie_ranges import tie_rates
from irframe.errors import DepthError, IrframeError, singular, unsaid
from irframe.evaluation.collapse import Preparation
from irframe.evaluation.repeats import Folded, fold
from irframe.evaluation.stopping import Stops
from irframe.experiments.choices import BudgetAlone, Pool, PoolLike, Searches, SearchLike, UnitsLike
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_qrels_table, read_table
from irframe.experiments.policy import Metrics, Policy, parse_metrics, shares_ranks
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics import Metric
from irframe.metrics.rbp import RBP
from irframe.names import DEPTH, REPEAT, REPEATED, SYSTEM, UNJUDGED
from irframe.quantities.subtopics import POOLED_UNJUDGED
from irframe.record import RECORD, recorded
from irframe.tables.captions import origin_text

TOPS = (10, 20, 100)
"""Depths down to which unjudged documents are counted."""
TIED = 0.1
"""If the median tie rate in the top 20 is at least this value, the finding is a warning, not a
note."""
UNJUDGED_SHARE = 0.05
"""If at least this share of documents is unjudged, the finding is a warning, not a note."""
YIELD = 0.05
"""The pool is reported as too shallow if at least this share of the documents at the last pool
depth is relevant."""
DECIDED = "policies that affect the scores"
"""Text of the finding that lists the policies for ties, topics, gains and the pool."""
STANDARD = (1, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Evaluation depths that are not reported as unusual."""


def check_cube(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield the findings about a cube.

    Parameters
    ----------
    cube
        A cube that contains complete lists.
    metrics
        The metrics that the user reports. The list may be empty.
    depth
        The evaluation depth of metrics without a cutoff.
    """
    yield from explaining(cube, metrics, depth)
    rates = None if cube.attrs["ties"] == "rank" or of_spans(cube) else tie_rates(cube)
    by_rows = TIED_POOLS if rates is not None and bool((rates > 0).any()) else ""
    if rates is not None:
        yield from _ties(rates)
    if not of_spans(cube):
        yield from _of_documents(cube, metrics, depth, by_rows)
    yield from _reporting(metrics, depth)
    origin = origin_text(provenance(cube) | {RECORD: cube.attrs.get(RECORD, "")})
    advice = "report these policies with the scores" + by_rows
    yield Finding("note", DECIDED, origin, 1, advice, LU + ", section 5")


def _of_documents(
    cube: xr.Dataset, metrics: Sequence[Metric], depth: int, by_rows: str
) -> Iterator[Finding]:
    """Yield findings about unjudged documents and the pool."""
    yield from _unjudged_findings(cube)
    yield from _pool(cube, metrics, depth, by_rows)
    outside = cube[SYSTEM].to_numpy()[~experiment_of(cube).known_pool.contributing]
    advice = "check the unjudged documents and bounds of these systems before you compare them"
    problem = "systems that did not contribute to the pool"
    yield from findings_at("note", problem, outside, advice, LU + ", section 2.4")
    yield from _undecided(cube, depth)


TIED_POOLS = "; the pool depends on the order of rows with equal scores"
"""Clause that is appended to advice about the pool if documents in a list have equal scores."""


def too_long(cube: xr.Dataset, stops: Stops) -> Iterator[Finding]:
    """Yield findings about lists whose first document exceeds the budget."""
    of_lists = stops.nothing_read(experiment_of(cube).hits)
    for row, budget in enumerate(stops.of):
        problem = f"lists whose first document is longer than {budget} {cube.attrs['length']}"
        advice = "these lists count as empty: shorten chunks, use a larger budget, or skip "
        advice += f"documents that do not fit{IN_CODE}cut='skip'"
        empty = of_lists[..., row]
        systems = cube.indexes[SYSTEM]
        yield from findings.findings_of("warning", problem, systems, empty, advice, findings.SAKAI)


def _ties(rates: xr.DataArray) -> Iterator[Finding]:
    means = _largest_first(rates.mean("topic").to_series())
    median = float(means.median())
    tied = int((rates > 0).sum())
    problem = f"rankings with ties in the top 20 (median rate {median:.0%} over runs)"
    where = [f"{system} ({rate:.0%})" for system, rate in means[means > 0].items()]
    advice = "use the order in the file, and report how much the order of ties can change scores"
    advice += f"{IN_CODE}ties='order', tie_ranges"
    severity = "warning" if median >= TIED else "note"
    yield from findings_at(severity, problem, where, advice, LU + ", section 4.3", tied)


def _unjudged_findings(cube: xr.Dataset) -> Iterator[Finding]:
    for depth in [top for top in TOPS if top <= max(cube.sizes[DEPTH], TOPS[0])]:
        top = cube["grade"].isel({DEPTH: slice(depth)})
        unjudged = (top == UNJUDGED).sum(["depth", "topic"]).to_series()
        listed_ = cube["retrieved"].clip(max=depth).sum("topic").to_series()
        shares = _largest_first(unjudged / listed_.where(listed_ > 0))
        number = int(unjudged.sum())
        share = unjudged.sum() / max(int(listed_.sum()), 1)
        problem = f"unjudged documents in the top {depth} ({share:.0%})"
        where = [f"{system} ({rate:.0%})" for system, rate in shares.items() if rate > 0]
        advice = "report bounds, or scores of condensed runs, with the scores"
        severity = "warning" if share >= UNJUDGED_SHARE else "note"
        yield from findings_at(severity, problem, where, advice, LU + ", section 2.5", number)


def _largest_first(values: pd.Series) -> pd.Series:
    """Sort values in descending order, and equal values by label."""
    return values.sort_index().sort_values(ascending=False, kind="stable")


def _pool(
    cube: xr.Dataset, metrics: Sequence[Metric], depth: int, by_rows: str
) -> Iterator[Finding]:
    known_pool = experiment_of(cube).known_pool
    pool = int(known_pool.depth.min())
    beyond = sorted(k for k in {metric.depth or depth for metric in metrics} or {depth} if k > pool)
    if beyond:
        # if no system is known to contribute, all systems are taken to contribute
        contributing = known_pool.contributing | ~known_pool.contributing.any()
        grades = cube["grade"].isel({SYSTEM: np.flatnonzero(contributing)})
        # the product is 1 down to the first unjudged document, so the sum is a depth
        judged = (grades != UNJUDGED).cumprod(DEPTH).sum(DEPTH).median().item()
        median = f"the median list is judged to depth {judged:.0f}"
        problem = f"evaluation deeper than the pool of contributing runs to depth {pool}; {median}"
        advice = f"report bounds or condensed lists too, or declare the pool{by_rows}"
        advice += f"{IN_CODE}pool=ir.Pool(depth=100, contributing=[...])"
        where = "depth " + findings.listed_findings(beyond)
        yield Finding("warning", problem, where, len(beyond), advice, LU + ", section 2.4")
    if not pool:
        return
    # the last rate is computed over the documents that the pool to the previous depth lacks
    last = np.array([max(1, pool - 1), pool][pool == 1 :])
    rate = count_pools(experiment_of(cube), 1, last)[2][-1]
    divided = [str(metric) for metric in metrics if metric.fillings]
    if not metrics:
        divided = ["metrics with a recall base, such as AP"]
    if rate >= YIELD:
        problem = (
            f"{rate:.0%} of the documents at the last pool depth are relevant, so deeper documents "
            "may be relevant, too"
        )
        advice = "add metrics without a recall base, such as RBP, and report how scores change if "
        advice += f"a run is left out{by_rows}{IN_CODE}leave_out"
        yield from findings_at("warning", problem, divided, advice, LU + ", section 4.2")


def _undecided(cube: xr.Dataset, depth: int) -> Iterator[Finding]:
    if cube.sizes[SYSTEM] < 2 or shares_ranks(cube.attrs["ties"]):
        return
    metric = RBP(p=0.8)
    pairs = decide(bounds(cube, metric, at=min(depth, cube.sizes[DEPTH])))
    undecided = int((~pairs["decided"]).sum())
    if undecided:
        problem = f"pairs of systems whose order by {metric} depends on unjudged documents"
        advice = "report which pairs have a known order"
        advice += f"{IN_CODE}bounds, decide"
        severity = "warning" if undecided > len(pairs) / 2 else "note"
        where = singular(f"of {len(pairs)} pairs")
        yield Finding(severity, problem, where, undecided, advice, LU + ", section 4.6")


def _reporting(metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield findings about the choice of metrics and depths."""
    where = LU + ", section 5"
    truncated = [str(metric) for metric in metrics if metric.fillings]
    if len(truncated) == len(metrics):
        advice = "add a metric such as RBP or ERR, for which bounds are known"
        problem = "only metrics with a recall base"
        yield from findings_at("warning", problem, truncated, advice, where)
    advice = "choose the depth beforehand, and report how the metrics are cut and normalised"
    advice += f"{IN_CODE}norm=, ideal="
    problem = "metrics with a recall base, whose normalisation depends on the depth"
    yield from findings_at("note", problem, truncated, advice, where)
    odd = [str(m) for m in metrics if (m.depth or depth) not in STANDARD]
    problem = "metrics at unusual depths"
    advice = f"use one of the usual depths: {', '.join(map(str, STANDARD))}"
    yield from findings_at("note", problem, odd, advice, where)


@recorded
def diagnose(
    data: xr.Dataset | Runs,
    qrels: Qrels | Metrics | None = None,
    metrics: Metrics = (),
    *,
    depth: int | None = None,
    pool: PoolLike = None,
    units: UnitsLike = None,
    search: SearchLike = None,
    stop: BudgetAlone = None,
    errors: Literal["raise", "report"] = "raise",
) -> pd.DataFrame:
    """Return findings about runs and judgments that affect scores.

    Parameters
    ----------
    data
        Runs in any form that `as_runs` reads, or a cube. For a cube, findings about the original
        frames are omitted.
    qrels
        Judgments, in any form that `as_qrels` reads. If `data` is a cube, pass the metrics here.
    metrics
        Metrics that you report, or their names. Some findings are about these metrics.
    depth
        Evaluation depth of metrics without a cutoff. The default is the length of the longest list.
    pool, units, search
        Options for runs, as for `cube`. The documents of several searches are merged.
    stop
        An `irframe.Budget`. Lists whose first document exceeds the budget are reported.
    errors
        What to do with frames that cannot be read. ``"raise"``: raise the first error.
        ``"report"``: return all problems as findings that list every location.

    Returns
    -------
    pandas.DataFrame
        One row per finding, in order of severity, with the columns

        - ``severity``: ``"error"`` (nothing can be scored), ``"warning"`` (scores may mislead) or
          ``"note"`` (worth reporting with the scores);
        - ``what``, a description of the problem;
        - ``where``, the first locations of the problem, and ``how_many``, the number of all
          locations;
        - ``advice``, the recommended action;
        - ``reference``, a publication or page that explains the finding.

        If there is an error, findings that need scores are omitted. Documents of grade -1 count as
        unjudged.

    Raises
    ------
    InputError
        If a frame cannot be read, for example because it is empty or lacks a column, unless
        ``errors="report"``.
    ParameterError
        If `pool`, `units` or `search` is passed with a cube.

    Notes
    -----
    Findings about frames are

    - topics of runs without judgments, and runs and judgments without a common topic or document;
    - documents that occur twice in a list or in the judgments, and missing scores;
    - ranks that contradict scores or have gaps;
    - systems without judged topics, missing lists, and short lists;
    - topics without relevant documents, and grade -1;
    - ids that look like other spellings or chunks of judged ids;
    - ids of documents with several texts.

    Findings about scores are

    - ties in the top 20;
    - lists whose first document is longer than a budget;
    - unjudged documents in the top 10, 20 and 100;
    - evaluation deeper than the pool, and systems that did not contribute to the pool;
    - many relevant documents at the last pool depth, for metrics that need the number of relevant
      documents;
    - pairs of systems whose order by RBP(p=0.8) can change if unjudged documents are judged;
    - choices of metrics and depths that [1]_ advises against.

    Findings about the sampling of topics and about repeats are

    - outliers among five or more repeats of a system, such as seeds. The mean of an outlier is more
      than 3.5 median absolute deviations from the median;
    - systems with one repeat, if other systems have several;
    - topic ids with a common prefix before a number, and topics with evidence in the same
      documents;
    - columns with one value per topic that explain more than 5% of the variance of mean scores, by
      adjusted R squared. Columns with many distinct values are not tested.

    For judgments of text spans, findings about judged documents are omitted. If documents have
    equal scores, the pool depends on the order of rows, and the advice of findings about the pool
    mentions this dependence.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> findings = diagnose(*ir.example_track(), ["AP", "nDCG@10"])
    >>> for row in findings[findings["severity"] == "warning"].itertuples():
    ...     print(row.how_many, row.what)
    209 unjudged documents in the top 10 (16%)
    979 unjudged documents in the top 20 (38%)
    1 evaluation deeper than the pool of contributing runs to depth 10; ...
    2 18% of the documents at the last pool depth are relevant, ...
    19 pairs of systems whose order by RBP(p=0.8) depends on unjudged documents
    2 only metrics with a recall base
    """
    if isinstance(data, xr.Dataset):
        of_runs = {"pool=": pool, "units=": units, "search=": search}
        advice = "pass these options to cube, which builds the cube"
        refuse_passed(of_runs, "no options of runs with a cube", advice)
        return _of_cube(read_cube(data), metrics or qrels or (), depth, stop)
    depth = None if depth is None else check_int("depth", depth, low=1, error=DepthError)
    chosen = _parse_any(metrics)
    prepared = Preparation.read(units, search)
    stops = None if stop is None else Stops.read(stop, prepared.decided)
    policy = Policy(**Pool.read(pool).plain, **prepared.decided)
    find = partial(_findings, metrics=chosen, policy=policy, depth=depth, stops=stops)

    # both sides are read later, so that an error of one side does not hide an error of the other
    def read_runs() -> tuple[Folded, RunTable]:
        folded = fold(data, Searches.column(search))
        return folded, read_table(prepared.runs(folded.runs, policy=policy))

    def read_judgments() -> QrelsTable:
        return read_qrels_table(prepared.qrels(qrels), spans=True)

    if choice("errors", errors, ("raise", "report")) == "raise":
        return findings.findings_frame([*find(read_runs(), read_judgments())])
    with findings.every_place():
        return findings.findings_frame(_reported(read_runs, read_judgments, find))


def _parse_any(metrics: Metrics) -> list[Metric]:
    """Parse metrics; accept an empty list."""
    return [] if isinstance(metrics, tuple | list) and not metrics else parse_metrics(metrics)


def _of_cube(cube: xr.Dataset, metrics: Any, depth: int | None, stop: BudgetAlone) -> pd.DataFrame:
    """Return the findings about a cube."""
    chosen = _parse_any(metrics)
    # findings name systems, so each repeat becomes a system of its own
    single = each_a_system(loaded(cube, "diagnose"))
    deepest = cube.sizes[DEPTH]
    stops = None if stop is None else Stops.read(stop, cube.attrs)
    depth_checked = deepest if depth is None else check_int("depth", depth, low=1, error=DepthError)
    with unsaid():
        results = [*(too_long(single, stops) if stops is not None else ())]
        results += check_cube(single, chosen, depth_checked)
        results += check_repeats(single, folded_of(cube), chosen, depth_checked)
    return findings.findings_frame(results)


def folded_of(cube: xr.Dataset) -> Folded:
    """Return the system and the label of each repeat."""
    if REPEAT_OF not in cube.coords:
        return Folded(None, None, {})
    repeats = zip(cube[REPEAT_OF].to_numpy(), cube[REPEAT].to_numpy(), strict=True)
    repeat_name = str(cube.attrs.get(REPEATED, REPEAT))
    return Folded(None, repeat_name, dict(zip(cube.indexes[SYSTEM], repeats, strict=True)))


def _findings(
    runs: tuple[Folded, RunTable],
    judgments: QrelsTable,
    *,
    metrics: Sequence[Metric],
    policy: Policy,
    depth: int | None,
    stops: Stops | None,
) -> Iterator[Finding]:
    """Yield findings about runs and judgments, and about their cube."""
    folded, table = runs
    # findings are collected first, because the cube is only built if none of them is an error
    of_frames = list(check_frames(table, judgments, depth))
    yield from of_frames
    yield from drawn_together(judgments)
    judged = judgments.grade != POOLED_UNJUDGED
    if judged.any() and not any(finding.severity == "error" for finding in of_frames):
        # warnings about the cube are suppressed, because the findings report the same problems
        with unsaid():
            named_policy = replace(policy, contributing=folded.contributing(policy.contributing))
            built = build_cube(table.frame, judgments.frame[judged], named_policy)
            depth_checked = built.sizes[DEPTH] if depth is None else depth
            yield from check_cube(built, metrics, depth_checked)
            if stops is not None:
                yield from too_long(built, stops)
            yield from check_repeats(built, folded, metrics, depth_checked)


def _reported(
    read_runs: Callable[[], object],
    read_qrels: Callable[[], object],
    find: Callable[..., Iterable[Finding]],
) -> list[Finding]:
    """Return findings, or only errors if reading fails."""
    sides: list[object] = []
    errors: list[Finding] = []
    for read_side in (read_runs, read_qrels):
        try:
            sides.append(read_side())
        except IrframeError as error:
            errors.append(findings.finding_of(error))
    return errors or [*findings.until_error(find(*sides))]
