"""Whether the numbers can be trusted: findings, the pool, bounds, ties, runs left out."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.unjudged import bounds
from irframe.cubes.view import experiment_of, shown_as
from irframe.depths.pool_growth import pool_growth
from irframe.errors import MetricError
from irframe.experiments.in_turn import RANKS
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.reports import figures
from irframe.reports.answers import who_is_unjudged
from irframe.reports.part import Part, parts
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import say
from irframe.studies.judge_next import count_unjudged, judge_next
from irframe.studies.leave_out import leave_out
from irframe.studies.tie_ranges import tie_ranges, tie_rates
from irframe.warned import unsaid

LU = "10.1007/s10791-016-9282-6"
ZOBEL = "10.1145/290941.291014"
TRUST = "questions/trust"
"""The page of the documentation."""
SETTLING = 10
"""How many documents are named that should be judged next."""
SHALLOW = 0.05
"""Share of relevant documents among the last ones pooled from which on there were more to find."""
OF_SEVERAL = {"next", "left-out"}
"""What is told of several systems only."""


def trust(view: View, findings: pd.DataFrame) -> list[Part]:
    """Return what to know before trusting the numbers of a view."""
    makers = [
        ("findings", "What to look out for", partial(_findings, findings)),
        ("unjudged", "The share of unjudged documents", partial(_unjudged, view)),
        ("pool", "The growth of the pool", partial(_pool, view)),
        ("bounds", "What the unjudged documents leave open", partial(_bounds, view)),
        ("next", "What should be judged next", partial(_next, view)),
        ("ties", "What tied scores leave open", partial(_ties, view)),
        ("left-out", "What leaving a run out of the pool does", partial(_left_out, view)),
    ]
    return parts([each for each in makers if not (view.alone and each[0] in OF_SEVERAL)])


def _findings(findings: pd.DataFrame) -> Part:
    counts = findings["severity"].value_counts().to_dict()
    told = [f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items()]
    says = say("findings.says", counts=told) if told else say("findings.none")
    return Part("findings", says, source=LU, data=findings, guide=TRUST)


def _unjudged(view: View) -> Part:
    says, how = who_is_unjudged(view, view.setting.place), [say("unjudged.how")]
    if np.isnan(view.unjudged).all():
        return Part("unjudged", says, source=LU, guide=TRUST)
    quantiles = view.unjudged.quantile([0, 0.25, 0.5, 0.75, 1], SYSTEM).to_numpy()
    names = ["lowest", "lower quartile", "median", "upper quartile", "highest"]
    frame = pd.DataFrame(quantiles.T, columns=names)
    frame.insert(0, DEPTH, view.setting.depths)
    return Part("unjudged", says, how, LU, frame, figures.unjudged(frame), TRUST)


def _pool(view: View) -> Part:
    with unsaid():
        growth = pool_growth(view.cube)
    frame = growth[["judged", "relevant", "rate"]].to_dataframe().reset_index()
    last = frame.dropna(subset="rate").iloc[-1]
    rate = float(last["rate"])
    how = [say("pool.how"), *([say("pool.shallow")] if rate >= SHALLOW else [])]
    says = say("pool.says", rate=rate, depth=int(last[DEPTH]))
    return Part("pool", says, how, LU, frame, figures.pool(frame), TRUST)


def _bounded(view: View) -> xr.DataArray:
    """Return bounds of the metrics that have them, refusing where none has."""
    found = []
    for metric in view.setting.metrics:
        try:
            found.append(bounds(view.cube, metric, at=view.setting.at))
        except MetricError as error:
            reason = error
    if not found:
        raise reason
    return xr.concat([part.reset_coords(drop=True) for part in found], METRIC)


def _bounds(view: View) -> Part:
    found = _bounded(view)
    metrics = [text(name) for name in found[METRIC].to_numpy()]
    ends = found.mean(TOPIC).isel({DEPTH: 0})
    lower, upper = ends.sel(bound="lower"), ends.sel(bound="upper")
    frame = pd.concat(
        [_bounded_frame(view, metric, lower, upper) for metric in metrics], ignore_index=True
    )
    first = frame[frame[METRIC] == metrics[0]]
    wide = float((first["upper"] - first["lower"]).median())
    says = say("bounds.alone" if view.alone else "bounds.says", open=wide, metric=metrics[0])
    kinds = {"bounds.divided": False, "bounds.added": True}
    named = {
        key: [each for each in metrics if (facts(each).extremes == "ceiling") == ceiling]
        for key, ceiling in kinds.items()
    }
    how = [say(key, metrics=each, depth=view.setting.at) for key, each in named.items() if each]
    return Part("bounds", says, how, LU, frame, _drawn_bounds(first), TRUST)


def _drawn_bounds(first: pd.DataFrame) -> dict[str, Any]:
    return figures.ranges(first, str(first[METRIC].iloc[0]), "place in the ladder")


def _bounded_frame(
    view: View, metric: str, lower: xr.DataArray, upper: xr.DataArray
) -> pd.DataFrame:
    row, at = view.setting.metrics.index(metric), view.setting.place
    mean = view.ranks["mean"].isel({METRIC: row, DEPTH: at}).to_series()
    frame = pd.DataFrame({METRIC: metric, "mean": mean})
    frame["lower"] = lower.sel({METRIC: metric}).to_series()
    frame["upper"] = upper.sel({METRIC: metric}).to_series()
    ordered = frame.iloc[view.order(row, at)].rename_axis(SYSTEM).reset_index()
    return ordered.assign(place=np.arange(1, len(ordered) + 1))


def _next(view: View) -> Part:
    """Return the unjudged documents that would tell most of the pair the page opens with."""
    pair = _pair(view)
    a, b = (text(name) for name in pair[SYSTEM].to_numpy())
    depth = min(view.setting.at, RANKS)
    left = count_unjudged(pair, depth)
    told = {"a": a, "b": b, "depth": depth}
    if not left:
        return Part("next", say("next.none", **told), source=ZOBEL)
    found = judge_next(pair, left, batch=left, depth=depth)
    frame = found.nlargest(SETTLING, "priority").reset_index(drop=True)
    key = "next.every" if len(frame) == left else "next.says"
    says = say(key, n=len(frame), left=left, **told)
    return Part("next", says, [say("next.how", **told)], ZOBEL, frame)


def _pair(view: View) -> xr.Dataset:
    """Return the cube of the two systems that the page opens with, as its pool."""
    pair = view.cube.isel({SYSTEM: list(view.pair)})
    experiment = experiment_of(pair)
    pool = replace(experiment.known_pool, contributing=np.ones(2, bool))
    return shown_as(
        pair, replace(experiment, pool=pool, made={**experiment.made, "pool": "stated"})
    )


def _ties(view: View) -> Part:
    rates = tie_rates(view.cube).mean(TOPIC).to_series().rename("tie rate")
    ranges = tie_ranges(view.cube, *view.setting.metrics, at=view.setting.at).mean(TOPIC)
    width = (ranges.sel(bound="upper") - ranges.sel(bound="lower")).isel({DEPTH: 0})
    names = [f"{metric} left open" for metric in view.setting.metrics]
    frame = pd.DataFrame(width.transpose(SYSTEM, METRIC).to_numpy(), rates.index, names)
    drawn = _in_order(view, _tied(ranges.isel({METRIC: 0, DEPTH: 0})))
    frame = frame.join(rates).reset_index()
    frame = frame.sort_values("tie rate", ascending=False, ignore_index=True)
    told = {"metric": view.setting.metrics[0], "depth": view.setting.at}
    most = float(width.isel({METRIC: 0}).max().round(TIE))
    says = say("ties.says" if most > 0 else "ties.none", most=most, **told)
    how = [say("ties.how", **told)]
    figure = figures.ranges(drawn, view.setting.metrics[0], "place in the ladder")
    return Part("ties", says, how, LU, frame, figure, "questions/ties")


def _tied(ranges: xr.DataArray) -> pd.DataFrame:
    """Return the lowest and highest mean of each system, and their middle."""
    ends = {name: ranges.sel(bound=name).to_series() for name in ("lower", "upper")}
    return pd.DataFrame(ends).assign(mean=(ends["lower"] + ends["upper"]) / 2)


def _in_order(view: View, frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows of systems down the ladder that the page opens with, with their places."""
    ordered = frame.loc[view.cube[SYSTEM].to_numpy()[view.order(0, view.setting.place)]]
    return ordered.assign(place=np.arange(1, len(ordered) + 1))


def _left_out(view: View) -> Part:
    at = view.setting.at
    with unsaid():
        frame = leave_out(view.cube, *view.setting.metrics, at=at)
    told = {"metric": view.setting.metrics[0], "depth": at}
    first = frame[frame[METRIC] == told["metric"]]
    moved = first["rank_change"]
    says = say("left.says" if moved.any() else "left.still", moved=moved.mean())
    how = [say("left.how", **told)]
    if moved.any():
        names = first[SYSTEM][moved == moved.max()].map(text).tolist()
        how.append(say("left.most", most=int(moved.max()), names=names))
    if aside := frame.attrs["set_aside"]:
        pool = int(experiment_of(view.cube).known_pool.depth.max())
        how.append(say("left.aside", aside=aside, judged=frame.attrs["judgments"], depth=pool))
    named = {"rank": "place", "rank_without": "upper"}
    drawn = first.rename(columns=named).assign(lower=first["rank"], mean=first["rank_without"])
    figure = figures.ranges(drawn, "rank if left out", "rank by the pool")
    pooled = frame.rename(columns={"mean": "mean by the pool", "rank": "rank by the pool"})
    return Part("left-out", says, how, ZOBEL, pooled, figure, TRUST)
