"""What to know about runs and judgments before trusting a number.

Verbs: diagnose.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import choice, whole
from irframe.comparing.decide import decide
from irframe.cubes.cube import build_cube
from irframe.cubes.groups import REPEAT_OF, each_a_system, provenance
from irframe.cubes.unjudged import bounds
from irframe.cubes.verb import loaded
from irframe.cubes.view import experiment_of, of_spans, read_cube
from irframe.depth.pool_growth import count_pools
from irframe.diagnostics import findings
from irframe.diagnostics.findings import (
    IN_CODE,
    LU,
    Finding,
    drawn_together,
    explaining,
    findings_at,
    scored_at,
)
from irframe.diagnostics.tie_ranges import tie_rates
from irframe.errors import DepthError, IrframeError, singular, unsaid
from irframe.experiments.choices import (
    BudgetAlone,
    Pool,
    PoolLike,
    Searches,
    SearchLike,
    UnitsLike,
)
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_qrels_table, read_table
from irframe.experiments.collapse import Preparation
from irframe.experiments.policy import Metrics, Policy, parse_metrics, shares_ranks
from irframe.experiments.stopping import Stops
from irframe.files.as_runs import Qrels, Runs
from irframe.files.repeats import Folded, fold
from irframe.metrics import Metric
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.metrics.rbp import RBP
from irframe.names import (
    DEPTH,
    REPEAT,
    REPEATED,
    REPEATS,
    SYSTEM,
    UNJUDGED,
    plural,
)
from irframe.record import RECORD, recorded
from irframe.scores.averages import averages
from irframe.tables.captions import told_origin

TOPS = (10, 20, 100)
"""Depths at which unjudged documents are counted."""
TIED = 0.1
"""Tie rate in the top 20 from which on the order of ties is a warning."""
UNJUDGED_SHARE = 0.05
"""Share of unjudged documents from which on they are a warning."""
YIELD = 0.05
"""Share of relevant documents among the last ones pooled from which on a pool is shallow."""
DECIDED = "what decides the numbers"
"""What the last finding is of."""
STANDARD = (1, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Depths that are in use."""


def check_cube(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield what is found on a cube, for metrics that are evaluated to a depth.

    Parameters
    ----------
    cube
        A cube as deep as its lists.
    metrics
        The metrics that are to be reported; may be empty.
    depth
        The evaluation depth of those without their own.
    """
    yield from explaining(cube, metrics, depth)
    rates = None if cube.attrs["ties"] == "rank" or of_spans(cube) else tie_rates(cube)
    by_rows = TIED_POOLS if rates is not None and bool((rates > 0).any()) else ""
    if rates is not None:
        yield from _ties(rates)
    if not of_spans(cube):
        yield from _of_documents(cube, metrics, depth, by_rows)
    yield from _reporting(metrics, depth)
    made = provenance(cube) | {RECORD: cube.attrs.get(RECORD, "")}
    origin, advice = told_origin(made), "say so beside the numbers" + by_rows
    yield Finding("note", DECIDED, origin, 1, advice, LU + ", section 5")


def _of_documents(
    cube: xr.Dataset, metrics: Sequence[Metric], depth: int, by_rows: str
) -> Iterator[Finding]:
    """Yield what is found where judgments are of documents."""
    yield from _unjudged_findings(cube)
    yield from _pool(cube, metrics, depth, by_rows)
    outside = cube[SYSTEM].to_numpy()[~experiment_of(cube).known_pool.contributing]
    advice = "look at their unjudged documents and bounds before comparing them"
    what = "systems that did not contribute to the pool"
    yield from findings_at("note", what, outside, advice, LU + ", section 2.4")
    yield from _undecided(cube, depth)


TIED_POOLS = "; pools take equal scores in the order of rows, as filed: others may differ"
"""What is to be said of a pool that equal scores, and so the order of rows, decide."""


def too_long(cube: xr.Dataset, stops: Stops) -> Iterator[Finding]:
    """Yield of which lists nothing fits into a budget."""
    lists = stops.nothing_read(experiment_of(cube).hits)
    for place, budget in enumerate(stops.of):
        what = f"lists whose first document is longer than {budget} {cube.attrs['length']}"
        advice = "shorten chunks, read more, or skip what does not fit; they score as empty ones"
        advice += f"{IN_CODE}cut='skip'"
        systems, empty = cube.indexes[SYSTEM], lists[..., place]
        yield from findings.findings_of("warning", what, systems, empty, advice, findings.SAKAI)


def _ties(rates: xr.DataArray) -> Iterator[Finding]:
    means = _largest_first(rates.mean("topic").to_series())
    median, tied = float(means.median()), int((rates > 0).sum())
    what = f"rankings with ties in the top 20 (median rate {median:.0%} over runs)"
    where = [f"{system} ({rate:.0%})" for system, rate in means[means > 0].items()]
    advice = "keep the order in which runs were filed, and report how much ties can change"
    advice += f"{IN_CODE}ties='order', tie_ranges"
    severity = "warning" if median >= TIED else "note"
    yield from findings_at(severity, what, where, advice, LU + ", section 4.3", tied)


def _unjudged_findings(cube: xr.Dataset) -> Iterator[Finding]:
    for depth in [top for top in TOPS if top <= max(cube.sizes[DEPTH], TOPS[0])]:
        top = cube["grade"].isel({DEPTH: slice(depth)})
        unjudged = (top == UNJUDGED).sum(["depth", "topic"]).to_series()
        listed_ = cube["retrieved"].clip(max=depth).sum("topic").to_series()
        shares = _largest_first(unjudged / listed_.where(listed_ > 0))
        number, share = int(unjudged.sum()), unjudged.sum() / max(int(listed_.sum()), 1)
        what = f"unjudged documents in the top {depth} ({share:.0%})"
        where = [f"{system} ({rate:.0%})" for system, rate in shares.items() if rate > 0]
        advice = "report bounds, or score condensed runs, beside the scores"
        severity = "warning" if share >= UNJUDGED_SHARE else "note"
        yield from findings_at(severity, what, where, advice, LU + ", section 2.5", number)


def _largest_first(values: pd.Series) -> pd.Series:
    """Return values in their order, equal ones by name."""
    return values.sort_index().sort_values(ascending=False, kind="stable")


def _pool(
    cube: xr.Dataset, metrics: Sequence[Metric], depth: int, by_rows: str
) -> Iterator[Finding]:
    known = experiment_of(cube).known_pool
    pool = int(known.depth.min())
    beyond = sorted(k for k in {metric.depth or depth for metric in metrics} or {depth} if k > pool)
    if beyond:
        made = known.contributing | ~known.contributing.any()
        grades = cube["grade"].isel({SYSTEM: np.flatnonzero(made)})
        judged = (grades != UNJUDGED).cumprod(DEPTH).sum(DEPTH).median().item()
        lists = f"which is {pool}; the median list is judged to depth {judged:.0f}"
        what = f"evaluation deeper than the pool of contributing runs, as filed, {lists}"
        advice = f"report bounds or condensed lists too, or state what was judged{by_rows}"
        advice += f"{IN_CODE}pool=ir.Pool(depth=100, contributing=[...])"
        where = "depth " + findings.listed_findings(beyond)
        yield Finding("warning", what, where, len(beyond), advice, LU + ", section 2.4")
    if not pool:
        return
    last = np.array([max(1, pool - 1), pool][pool == 1 :])
    rate = count_pools(experiment_of(cube), 1, last)[2][-1]
    divided = [str(metric) for metric in metrics if metric.fillings]
    if not metrics:
        divided = ["metrics that divide by what is relevant, such as AP"]
    if rate >= YIELD:
        what = f"{rate:.0%} of the documents pooled last are relevant: more are to be found"
        advice = (
            "add metrics without a recall base, such as RBP, and report what leaving a run out "
        )
        advice += f"of the pool changes{by_rows}{IN_CODE}leave_out"
        yield from findings_at("warning", what, divided, advice, LU + ", section 4.2")


def _undecided(cube: xr.Dataset, depth: int) -> Iterator[Finding]:
    if cube.sizes[SYSTEM] < 2 or shares_ranks(cube.attrs["ties"]):
        return
    metric = RBP(p=0.8)
    pairs = decide(bounds(cube, metric, at=min(depth, cube.sizes[DEPTH])))
    open_ = int((~pairs["decided"]).sum())
    if open_:
        what = f"pairs of systems closer than their residuals under {metric}"
        advice = f"report which pairs hold whatever is unjudged{IN_CODE}bounds, decide"
        severity = "warning" if open_ > len(pairs) / 2 else "note"
        where = singular(f"of {len(pairs)} pairs")
        yield Finding(severity, what, where, open_, advice, LU + ", section 4.6")


def _reporting(metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield the advice of the paper's conclusion that concerns what is reported."""
    where = LU + ", section 5"
    truncated = [str(metric) for metric in metrics if metric.fillings]
    if len(truncated) == len(metrics):
        advice = "add a metric such as RBP or ERR, whose uncertainty can be told"
        what = "only metrics with a recall base"
        yield from findings_at("warning", what, truncated, advice, where)
    advice = "report how they are cut and divided, and fix the depth beforehand"
    advice += f"{IN_CODE}norm=, ideal="
    what = "metrics with a recall base, which change with the depth"
    yield from findings_at("note", what, truncated, advice, where)
    odd = [str(m) for m in metrics if (m.depth or depth) not in STANDARD]
    what, advice = "depths that are not standard ones", "evaluate to standard depths"
    yield from findings_at("note", what, odd, advice, where)


FAR = 3.5
"""Median absolute deviations from the median beyond which a repeat is far off."""
LEAST = 5
"""Repeats of a system from which on that says something."""
BOUTHILLIER = "Bouthillier et al. 2021, arXiv:2103.03098"
LEYS = "Leys et al. 2013, doi:10.1016/j.jesp.2013.03.013"


def check_repeats(
    cube: xr.Dataset, folded: Folded, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    """Yield what is found of the repeats of systems.

    Parameters
    ----------
    cube
        A cube of the runs, in which each repeat is a system.
    folded
        Which repeats these are.
    metrics
        What they are scored by; nDCG if nothing.
    depth
        Evaluation depth.
    """
    if folded.word is None:
        return
    owners = pd.DataFrame(list(folded.owners.values()), columns=["system", "repeat"])
    owners["name"] = list(folded.owners)
    yield from _far_off(cube, owners, folded.word, metrics, depth)
    counts = owners.groupby("system", sort=False).size()
    if counts.max() > 1:
        what = f"systems with one {folded.word}, beside others with up to {counts.max()}"
        advice = (
            f"run them again, unless another {folded.word} would change nothing: what it would "
            "change is in no interval"
        )
        single = counts.index[counts == 1]
        yield from findings_at("warning", what, single, advice, BOUTHILLIER)
    shared = owners.groupby("repeat", sort=False)["system"].nunique()
    if REPEATS not in cube.attrs:
        what = f"{plural(folded.word)} that several systems have under the same label"
        advice = (
            "taken for draws of each system's own, unless you state that one is a draw for all of "
            f"them, as a pass of a judge is{IN_CODE}repeats='shared'"
        )
        yield from findings_at("note", what, shared.index[shared > 1], advice, BOUTHILLIER)


def _far_off(
    cube: xr.Dataset, owners: pd.DataFrame, word: str, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    means = averages(scored_at(cube, metrics, depth))
    codes = pd.factorize(owners["system"])[0]
    owned = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    for metric in means["metric"].to_numpy():
        values = means.sel(metric=metric).sel(system=owners["name"].tolist()).to_numpy()
        far = [
            f"{owners['name'][place]} ({values[place]:.3g})"
            for rows in owned
            for place in rows[far_off(values[rows])]
        ]
        what = f"{plural(word)} whose mean {metric} is far from the others of their system"
        advice = (
            f"look at these runs: a training that failed is no {word}, and makes every interval of "
            "its system wider"
        )
        yield from findings_at("warning", what, far, advice, LEYS)


def far_off(values: np.ndarray) -> np.ndarray:
    """Tell which values are more than 3.5 median absolute deviations from the median.

    Examples
    --------
    >>> far_off(np.array([0.50, 0.51, 0.49, 0.52, 0.50, 0.31])).nonzero()[0]
    array([5])
    """
    if len(values) < LEAST:
        return np.zeros(len(values), bool)
    apart = abs(values - np.median(values))
    return np.asarray(apart > FAR * np.median(apart) + 1e-12)


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
    """Say what to know about runs and judgments before trusting a number.

    Parameters
    ----------
    data
        A run frame, or what `as_runs` takes, followed by its judgments; or a cube, whose lists are
        looked at and not the frames that it was built from.
    qrels
        Qrels frame, or what `as_qrels` takes; with a cube, the metrics.
    metrics
        Metrics or their names that are to be reported; findings that depend on a metric are
        about these.
    depth
        Evaluation depth of metrics without their own, by default that of the longest list.
    pool, units, search
        With a run frame, as for `cube`: of several searches what all of them found together is
        looked at.
    stop
        An `irframe.Budget`: lists are counted of which nothing fits.
    errors
        What to do about frames that cannot be read: ``"raise"``, or ``"report"``, which makes
        findings of all that is wrong with them, and has every finding name all places.

    Returns
    -------
    pandas.DataFrame
        One row per finding, the gravest first, with the columns

        - ``severity``: ``"error"``, nothing can be scored; ``"warning"``, numbers may mislead;
          ``"note"``, worth saying beside the numbers;
        - ``what`` was found, ``where`` (the first places) and ``how_many`` times;
        - ``advice``, what to do about it;
        - ``reference``, where this is explained.

        With an error there are no findings that need scores. Documents of grade -1 count as
        unjudged.

    Raises
    ------
    InputError
        For an empty frame or a missing column, and whatever else keeps frames from being read,
        unless that is to be reported.

    Notes
    -----
    Looked for are: topics and documents that do not join; documents listed or judged twice; missing
    scores; ranks that contradict scores, or leave some out; systems of other topics; missing and
    short lists; topics without relevant documents; unjudged markers; ties in the top 20; lists
    whose first document is longer than a budget; unjudged documents in the top 10, 20 and 100;
    evaluation deeper than the pool; pools that were still finding relevant documents, under metrics
    with a recall base; systems that did not contribute; pairs of systems closer than the residuals
    of RBP(p=0.8); repeats, such as seeds, whose mean is more than 3.5 median absolute deviations
    from the median of their system's, five at least; systems with one repeat beside others with
    several; topics that share a name before a number, or documents with evidence; columns of few
    values that explain more than 5% of the variance of topics' mean scores, by adjusted R squared;
    and what the paper advises to report. Of judgments by spans of text, what is about judged
    documents is left out. Pools take equal scores in the order of rows, as runs are filed: where
    there are some, another order of rows may change what is found of the pool, and the advice says
    so.

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
    1 evaluation deeper than the pool of contributing runs, as filed, which is 10; ...
    2 18% of the documents pooled last are relevant: more are to be found
    19 pairs of systems closer than their residuals under RBP(p=0.8)
    2 only metrics with a recall base
    """
    if isinstance(data, xr.Dataset):
        return _of_cube(read_cube(data), metrics or qrels or (), depth, stop)
    depth = None if depth is None else whole("depth", depth, low=1, error=DepthError)
    chosen, prepared = _parse_any(metrics), Preparation.read(units, search)
    made, stops = Pool.read(pool), Stops.read(stop, prepared.decided)
    policy = Policy(**made.plain, **prepared.decided)
    find = partial(_findings, metrics=chosen, policy=policy, depth=depth, stops=stops)

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
    """Return metrics, of which there may be none."""
    return [] if isinstance(metrics, tuple | list) and not metrics else parse_metrics(metrics)


def _of_cube(cube: xr.Dataset, metrics: Any, depth: int | None, stop: Any) -> pd.DataFrame:
    """Return what is found on a cube."""
    chosen, single = _parse_any(metrics), each_a_system(loaded(cube, "diagnose"))
    deepest, stops = cube.sizes[DEPTH], Stops.read(stop, cube.attrs)
    looked = deepest if depth is None else whole("depth", depth, low=1, error=DepthError)
    with unsaid():
        found = [*(too_long(single, stops) if stops is not None else ())]
        found += check_cube(single, chosen, looked)
        found += check_repeats(single, folded_of(cube), chosen, looked)
    return findings.findings_frame(found)


def folded_of(cube: xr.Dataset) -> Folded:
    """Return which repeats the systems of a cube are, as far as it knows."""
    if REPEAT_OF not in cube.coords:
        return Folded(None, None, {})
    repeats = zip(cube[REPEAT_OF].to_numpy(), cube[REPEAT].to_numpy(), strict=True)
    word = str(cube.attrs.get(REPEATED, REPEAT))
    return Folded(None, word, dict(zip(cube.indexes[SYSTEM], repeats, strict=True)))


def _findings(
    runs: tuple[Folded, RunTable],
    judgments: QrelsTable,
    *,
    metrics: Sequence[Metric],
    policy: Policy,
    depth: int | None,
    stops: Stops | None,
) -> Iterator[Finding]:
    """Yield what is found in the frames, then, if nothing is in the way, on their cube."""
    folded, table = runs
    of_frames = list(findings.check_frames(table, judgments, depth))
    yield from of_frames
    yield from drawn_together(judgments)
    judged = judgments.grade != POOLED_UNJUDGED
    if judged.any() and not any(finding.severity == "error" for finding in of_frames):
        with unsaid():
            named = replace(policy, contributing=folded.contributing(policy.contributing))
            built = build_cube(table.frame, judgments.frame[judged], named)
            looked = built.sizes[DEPTH] if depth is None else depth
            yield from check_cube(built, metrics, looked)
            if stops is not None:
                yield from too_long(built, stops)
            yield from check_repeats(built, folded, metrics, looked)


def _reported(
    read_runs: Callable[[], Any], read_qrels: Callable[[], Any], find: Callable[..., Any]
) -> list[Finding]:
    """Return what is found, with errors among it: of both frames, or the one that ends it."""
    sides: list[Any] = []
    errors: list[Finding] = []
    for read in (read_runs, read_qrels):
        try:
            sides.append(read())
        except IrframeError as error:
            errors.append(findings.finding_of(error))
    return errors or [*findings.until_error(find(*sides))]
