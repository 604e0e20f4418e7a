"""Section on the losses of pipelines by stage.

The column ``reranks`` of the runs names the system whose lists a system reranks.
"""

from collections.abc import Hashable
from typing import Any

import xarray as xr

from irframe.effort.losses import losses
from irframe.experiments.policy import at_depth
from irframe.metrics.parse_metric import parse_metric
from irframe.names import METRIC, SCORE, SYSTEM, TOPIC
from irframe.reports import figures
from irframe.reports.setting import PagePart
from irframe.reports.view import View
from irframe.reports.words import say

RERANKS = "reranks"
"""The column of runs that names the system whose lists a system reranks."""


def stages_of(cube: xr.Dataset) -> list[list[Hashable]]:
    """Return the stages of every reranking system, in order.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> reranked = runs["system"].map({"monot5": "bm25", "duot5": "monot5"}).fillna("")
    >>> stages_of(runs.assign(reranks=reranked).ireval.cube(qrels))
    [['bm25', 'monot5'], ['bm25', 'monot5', 'duot5']]
    """
    if RERANKS not in cube.coords or cube[RERANKS].dims != (SYSTEM,):
        return []
    before = dict(zip(cube.indexes[SYSTEM], cube[RERANKS].to_numpy().tolist(), strict=True))
    paths = []
    for system in before:
        path = [system]
        # without the second condition, two systems that rerank each other would cause an endless
        # loop
        while before[path[0]] in before and before[path[0]] not in path:
            path.insert(0, before[path[0]])
        paths.append(path)
    return [path for path in paths if len(path) > 1]


def stage_losses(view: View) -> PagePart:
    """Return the section on losses by cause and stage."""
    setting = view.setting
    stages = stages_of(view.cube)
    metric = parse_metric(setting.metrics[0])
    cut = metric if metric.depth else at_depth(metric, setting.rank)
    components: Any = losses(view.cube, cut, stages=stages)
    means = components.mean(TOPIC).transpose(SYSTEM, METRIC).to_pandas()
    frame = means.iloc[view.ranked["order"][0, setting.pos]]
    last = next(name for name in frame.index if name in {path[-1] for path in stages})
    row = frame.loc[last]
    cuts = [name for name in frame if name.startswith("cut_by_")]
    values = {"name": str(last), "metric": str(cut), "cut": row[cuts].sum()}
    values |= {name: row[name] for name in ("not_retrieved", "ordered")}
    figure = figures.stacked(frame[[SCORE, "ordered", *cuts[::-1], "not_retrieved"]], str(cut))
    method = [say("losses.how", metric=str(cut))]
    table = frame.rename_axis(columns=None).reset_index()
    guide = "questions/where-did-the-points-go"
    return PagePart("losses", say("losses.says", **values), method, "", table, figure, guide)
