"""What judgments and metrics do not allow to say, found on a cube."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from irframe.comparing.pairwise import decide
from irframe.cubes.groups import provenance
from irframe.cubes.unjudged import bounds
from irframe.cubes.view import experiment_of
from irframe.depths.pool_growth import count_pools
from irframe.metrics import Metric
from irframe.metrics.rbp import RBP
from irframe.names import DEPTH, SYSTEM, UNJUDGED
from irframe.record import RECORD
from irframe.studies.trust.findings import LU, Finding, listed
from irframe.studies.trust.tie_rates import tie_rates
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
    yield from _ties(cube)
    yield from _unjudged(cube)
    yield from _pool(cube, metrics, depth)
    yield from _contributing(cube)
    yield from _undecided(cube, depth)
    yield from _reporting(metrics, depth)
    made = provenance(cube) | {RECORD: cube.attrs.get(RECORD, "")}
    told, advice = told_origin(made), "say so beside the numbers" + _by_rows(cube)
    yield Finding("note", DECIDED, told, 1, advice, LU + ", section 5")


def _ties(cube: xr.Dataset) -> Iterator[Finding]:
    if cube.attrs["ties"] == "rank":
        return
    rates = tie_rates(cube)
    means = _largest_first(rates.mean("topic").to_series())
    median, tied = float(means.median()), int((rates > 0).sum())
    if tied:
        severity = "warning" if median >= TIED else "note"
        what = f"rankings with ties in the top 20 (median rate {median:.0%} over runs)"
        where = listed(f"{system} ({rate:.0%})" for system, rate in means[means > 0].items())
        advice = "keep the order as filed with ties='order', and look at tie_ranges"
        yield Finding(severity, what, where, tied, advice, LU + ", section 4.3")


def _unjudged(cube: xr.Dataset) -> Iterator[Finding]:
    for depth in [top for top in TOPS if top <= max(cube.sizes[DEPTH], TOPS[0])]:
        top = cube["grade"].isel({DEPTH: slice(depth)})
        unjudged = (top == UNJUDGED).sum(["depth", "topic"]).to_series()
        listed_ = cube["retrieved"].clip(max=depth).sum("topic").to_series()
        shares = _largest_first(unjudged / listed_.where(listed_ > 0))
        number = int(unjudged.sum())
        if number:
            share = number / int(listed_.sum())
            what = f"unjudged documents in the top {depth} ({share:.0%})"
            where = listed(f"{system} ({rate:.0%})" for system, rate in shares.items() if rate > 0)
            advice = "report bounds, or score condensed runs, beside the scores"
            severity = "warning" if share >= UNJUDGED_SHARE else "note"
            yield Finding(severity, what, where, number, advice, LU + ", section 2.5")


def _pool(cube: xr.Dataset, metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    pool = int(experiment_of(cube).known_pool.depth.min())
    deep = sorted({metric.depth or depth for metric in metrics} or {depth})
    beyond = [k for k in deep if k > pool]
    if beyond:
        what = f"evaluation deeper than the pool of contributing runs, as filed, which is {pool}"
        advice = "report bounds or condensed lists too, or pass pool_depth= or contributing="
        advice += _by_rows(cube)
        where = "depth " + listed(beyond)
        yield Finding("warning", what, where, len(beyond), advice, LU + ", section 2.4")
    if not pool:
        return
    last = np.array([max(1, pool - 1), pool][pool == 1 :])
    rate = count_pools(experiment_of(cube), 1, last)[2][-1]
    recall_based = [str(metric) for metric in metrics if metric.fillings]
    if rate >= YIELD and (recall_based or not metrics):
        what = f"{rate:.0%} of the documents pooled last are relevant: more are to be found"
        where = listed(recall_based) or "metrics that divide by what is relevant, such as AP"
        advice = "add metrics without a recall base, such as RBP, and report leave_out"
        advice, number = advice + _by_rows(cube), len(recall_based) or 1
        yield Finding("warning", what, where, number, advice, LU + ", section 4.2")


def _by_rows(cube: xr.Dataset) -> str:
    """Return what is to be said of a pool that equal scores, and so the order of rows, decide."""
    tied = cube.attrs["ties"] != "rank" and bool((tie_rates(cube) > 0).any())
    return "; pools take equal scores in the order of rows, as filed: others may differ" * tied


def _largest_first(values: pd.Series) -> pd.Series:
    """Return values in their order, equal ones by name."""
    return values.sort_index().sort_values(ascending=False, kind="stable")


def _contributing(cube: xr.Dataset) -> Iterator[Finding]:
    outside = cube[SYSTEM].to_numpy()[~experiment_of(cube).known_pool.contributing]
    if len(outside):
        advice = "look at their unjudged documents and bounds before comparing them"
        what = "systems that did not contribute to the pool"
        yield Finding("note", what, listed(outside), len(outside), advice, LU + ", section 2.4")


def _undecided(cube: xr.Dataset, depth: int) -> Iterator[Finding]:
    if cube.sizes[SYSTEM] < 2 or cube.attrs["ties"] == "mean":
        return
    metric = RBP(p=0.8)
    pairs = decide(bounds(cube, metric, at=min(depth, cube.sizes[DEPTH])))
    open_ = int((~pairs["decided"]).sum())
    if open_:
        what = f"pairs of systems closer than their residuals under {metric}"
        advice = "call decide on bounds for the pairs that hold whatever is unjudged"
        severity = "warning" if open_ > len(pairs) / 2 else "note"
        where = f"of {len(pairs)} pairs"
        yield Finding(severity, what, where, open_, advice, LU + ", section 4.6")


def _reporting(metrics: Sequence[Metric], depth: int) -> Iterator[Finding]:
    """Yield the advice of the paper's conclusion that concerns what is reported."""
    where = LU + ", section 5"
    truncated = [str(metric) for metric in metrics if metric.fillings]
    if truncated and all(metric.fillings for metric in metrics):
        advice = "add a metric such as RBP or ERR, whose uncertainty can be told"
        what = "only metrics with a recall base"
        yield Finding("warning", what, listed(truncated), len(truncated), advice, where)
    if truncated:
        advice = "say how they are cut and divided (norm=, ideal=), and fix the depth beforehand"
        what = "metrics with a recall base, which change with the depth"
        yield Finding("note", what, listed(truncated), len(truncated), advice, where)
    odd = [str(m) for m in metrics if (m.depth or depth) not in STANDARD]
    if odd:
        what, advice = "depths that are not standard ones", "evaluate to standard depths"
        yield Finding("note", what, listed(odd), len(odd), advice, where)
