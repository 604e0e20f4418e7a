"""From frames to a frame of scores in one call."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.cube import cube
from irframe.cubes.grouping import split
from irframe.cubes.score import Metrics, parse_metrics, score
from irframe.metrics import Metric
from irframe.names import DEPTH, EMPTY, METRIC, SYSTEM, TOPIC, roles


def evaluate(
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    metrics: Metrics,
    *,
    depth: int | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: str | Sequence[Hashable] = "qrels",
    contributing: str | Sequence[Hashable] | None = None,
    pool_depth: int | None = None,
    by: str | None = None,
    seed: int | None = None,
    no_rel: str | None = None,
) -> pd.DataFrame:
    """Score runs per system and topic.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame.
    metrics
        Metrics or their names. One with a depth of its own (``"nDCG@10"``) is scored there,
        the others at the full depth.
    depth, ties, score_dtype, topics, contributing, pool_depth, by, seed
        As for `cube`.
    no_rel
        ``"nan"``: topics without relevant documents score NaN, whatever the metric.

    Returns
    -------
    pandas.DataFrame
        Index (system, topic), named as in the caller's frame, with the group first if `by` is
        given; a column per metric, as printed.

    Raises
    ------
    IrframeError
        As `cube` and `score`.

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
    options: dict[str, Any] = {
        "ties": ties,
        "score_dtype": score_dtype,
        "topics": topics,
        "contributing": contributing,
        "pool_depth": pool_depth,
        "seed": seed,
    }
    chosen = parse_metrics(metrics)
    if by is None:
        return _table(runs, qrels, chosen, depth, no_rel, options)
    groups = {
        key: _table(run, judged, chosen, depth, no_rel, options)
        for key, run, judged in split(runs, qrels, by)
    }
    return pd.DataFrame(pd.concat(groups, names=[by]))


def _table(
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    metrics: list[Metric],
    depth: int | None,
    no_rel: str | None,
    options: dict[str, Any],
) -> pd.DataFrame:
    """Score each metric at its own depth, or else at `depth`, or else at the full one."""
    wanted = [metric.depth or depth for metric in metrics]
    fixed = [depth for depth in wanted if depth is not None]
    full = len(fixed) < len(wanted)
    built = cube(runs, qrels, depth=None if full else max(fixed), **options)
    longest = built.sizes[DEPTH]
    built = deepen(built, max(fixed, default=1))
    own = [replace(m, depth=k or longest) for m, k in zip(metrics, wanted, strict=True)]
    distinct = list(dict.fromkeys(own))
    scores = score(built, *distinct, at=built.sizes[DEPTH], no_rel=no_rel)
    scores = scores.isel({METRIC: [distinct.index(metric) for metric in own]})
    names = roles(runs.columns)
    index = pd.MultiIndex.from_product(
        [built.indexes[SYSTEM], built.indexes[TOPIC]],
        names=[names.get(SYSTEM, SYSTEM), names[TOPIC]],
    )
    columns = pd.Index([str(metric) for metric in metrics], name=METRIC)
    return pd.DataFrame(scores.to_numpy().reshape(len(own), -1).T, index, columns)


def deepen(cube: xr.Dataset, depth: int) -> xr.Dataset:
    """Return a cube at least so deep, missing ranks empty.

    Parameters
    ----------
    cube
        A cube whose lists were not cut.
    depth
        Depth wanted.

    Returns
    -------
    xarray.Dataset
        The cube, or a deeper one.
    """
    if depth <= cube.sizes[DEPTH]:
        return cube
    fill = {"grade": EMPTY, "doc": -1, "tied": False}
    return cube.reindex({DEPTH: np.arange(1, depth + 1)}, fill_value=fill)
