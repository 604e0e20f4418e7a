"""From frames to a frame of scores in one call."""

from typing import Any

import pandas as pd
import xarray as xr

from irframe.checks import choice
from irframe.cubes.cube import build_cube, build_groups
from irframe.cubes.filling import refuse_large
from irframe.cubes.gate import trusting, unknown_tail
from irframe.cubes.layout import RANKINGS
from irframe.cubes.provenance import shared_provenance
from irframe.cubes.score import score
from irframe.cubes.splitting import join
from irframe.errors import DepthError
from irframe.experiments.judgments import with_subtopics
from irframe.experiments.metrics import (
    Metrics,
    at_depth,
    deepest,
    needed_depth,
    parse_metrics,
)
from irframe.experiments.policy import Contributing, Policy, PoolDepth, Topics
from irframe.frames.as_qrels import Qrels, as_qrels
from irframe.frames.as_runs import Runs, as_runs
from irframe.metrics import Metric
from irframe.names import (
    DEPTH,
    METRIC,
    METRICS,
    RESULT,
    SYSTEM,
    TOPIC,
    NoRel,
    ScoreDtype,
    Ties,
    roles,
)
from irframe.warned import OneCall


def evaluate(
    runs: Runs,
    qrels: Qrels,
    *metrics: Metrics,
    depth: int | None = None,
    ties: Ties = "trec",
    score_dtype: ScoreDtype = "float64",
    topics: Topics = "qrels",
    contributing: Contributing = None,
    pool_depth: PoolDepth = None,
    collection: str | None = None,
    by: str | None = None,
    seed: int = 0,
    no_rel: NoRel | None = None,
) -> pd.DataFrame:
    """Score runs per system and topic.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame, or what `as_runs` and `as_qrels` take.
    metrics
        Metrics or their names, as arguments or as a list. One with a depth of its own
        (``"nDCG@10"``) is scored there. One without is scored at `depth`, or else on all that was
        retrieved with nothing cut: nDCG by the whole ideal ranking, AP by all relevant documents.
    depth
        Cut all lists here, at least 1; by default nowhere.
    ties, score_dtype, topics, contributing, pool_depth, collection, seed
        As for `cube`.
    by
        A column that is constant per system or topic: scores of every group, as those of the
        cubes that `cube` gives with it.
    no_rel
        ``"nan"``: topics without relevant documents score NaN, whatever the metric.

    Returns
    -------
    pandas.DataFrame
        Index (system, topic), named as in the caller's frame, with the group first if `by` is
        given; a column per metric, as printed. A system has no rows in collections in which
        it did not take part.

    Raises
    ------
    MetricError
        For a metric that needs a depth and has none, such as P.
    IrframeError
        As `cube` and `score`.

    Warns
    -----
    IrframeWarning
        As `cube`.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("ab"), "score": [2, 1]})
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["b"], "grade": [1]})
    >>> evaluate(runs, qrels, ["AP", "P@1"])
    metric         AP  P@1
    system topic
    s      1      0.5  0.0
    """
    chosen = parse_metrics(metrics)
    choice("no_rel", "zero" if no_rel is None else no_rel, ("nan", "zero"))
    wanted = [at_depth(metric, depth) for metric in chosen]
    policy = Policy(
        depth=depth or needed_depth(wanted),
        ties=ties,
        score_dtype=score_dtype,
        topics=topics,
        contributing=contributing,
        pool_depth=pool_depth,
        collection=collection,
        seed=seed,
    )
    runs, qrels = as_runs(runs), with_subtopics(as_qrels(qrels), chosen)
    index = [roles(runs.columns).get(role, role) for role in (SYSTEM, TOPIC)]
    labels = pd.Index([str(metric) for metric in chosen], name=METRIC)
    with OneCall():
        parts = {None: build_cube(runs, qrels, policy)} if by is None else {}
        parts |= {} if by is None else dict(build_groups(runs, qrels, policy, by))
        tables = {key: _table(part, wanted, labels, index, no_rel) for key, part in parts.items()}
    table = tables[None] if by is None else join(tables, by, None)
    table.attrs = {**shared_provenance(parts.values()), RESULT: "evaluate", METRICS: list(labels)}
    return table


def _table(
    built: xr.Dataset,
    metrics: list[Metric],
    labels: pd.Index,
    names: list[Any],
    no_rel: NoRel | None,
) -> pd.DataFrame:
    """Score each metric where it is to be, a row for every list that is there."""
    deep = deepen(built, deepest(metrics))
    distinct = list(dict.fromkeys(metrics))
    with trusting():
        scores = score(deep, *distinct, at=deep.sizes[DEPTH], no_rel=no_rel)
    scores = scores.isel({METRIC: [distinct.index(metric) for metric in metrics]})
    index = pd.MultiIndex.from_product([built.indexes[SYSTEM], built.indexes[TOPIC]], names=names)
    table = pd.DataFrame(scores.to_numpy().reshape(len(metrics), -1).T, index, labels)
    there = built["took_part"].to_numpy()
    return table if there.all() else table[there.ravel()]


def deepen(cube: xr.Dataset, depth: int) -> xr.Dataset:
    """Return a cube at least so deep, missing ranks empty.

    Parameters
    ----------
    cube
        A cube.
    depth
        Depth wanted.

    Returns
    -------
    xarray.Dataset
        The cube, or a deeper one, whose lists end where they were cut.

    Raises
    ------
    DepthError
        If the last documents share their gain with some that were cut off.
    """
    if depth <= cube.sizes[DEPTH]:
        return cube
    if cube.attrs["ties"] == "mean" and bool(cube["tail_size"].any()):
        found = "documents tied across its end"
        raise DepthError("lists cut between ties", found, "leave depth= out, or cut elsewhere")
    refuse_large(cube.sizes[SYSTEM], cube.sizes[TOPIC], depth)
    short = cube.sizes[DEPTH]
    retrieved = cube["retrieved"].clip(max=short).astype("int32")
    fill = {name: part.fill for name, part in RANKINGS.items()}
    wide = cube.pad({DEPTH: (0, depth - short)}, constant_values=fill)
    wide = wide.assign_coords({DEPTH: range(1, depth + 1), "retrieved": retrieved})
    return wide.assign_coords(unknown_tail(wide)).assign_attrs(depth=depth)
