"""From frames to a frame of scores in one call."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cube.building import cube
from irframe.cube.grouping import split
from irframe.cube.scoring import Metrics, parse_metrics, score
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
    chosen = parse_metrics(metrics)
    options: dict[str, Any] = {
        "ties": ties,
        "score_dtype": score_dtype,
        "topics": topics,
        "contributing": contributing,
        "pool_depth": pool_depth,
        "seed": seed,
    }
    if by is not None:
        options |= {"depth": depth, "no_rel": no_rel}
        groups = {
            key: evaluate(run, judged, chosen, **options)
            for key, run, judged in split(runs, qrels, by)
        }
        return pd.DataFrame(pd.concat(groups, names=[by]))
    own = [replace(metric, depth=metric.depth or depth) for metric in chosen]
    depths = [metric.depth for metric in own if metric.depth is not None]
    built = cube(runs, qrels, depth=max(depths) if len(depths) == len(own) else None, **options)
    built = deepen(built, max(depths, default=1))
    scores = score(built, *own, at=built.sizes[DEPTH], no_rel=no_rel)
    names = roles(runs.columns)
    index = pd.MultiIndex.from_product(
        [built.indexes[SYSTEM], built.indexes[TOPIC]],
        names=[names.get(SYSTEM, SYSTEM), names[TOPIC]],
    )
    columns = pd.Index([str(metric) for metric in chosen], name=METRIC)
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
