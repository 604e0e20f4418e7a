"""Whether the numbers can be trusted: findings, the pool, bounds, ties, runs left out."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.bounds import bounds
from irframe.cubes.checksums import sealed
from irframe.cubes.recall_base import gather
from irframe.cubes.top_documents import RANKS
from irframe.depths.pool_growth import pool_growth
from irframe.errors import MetricError
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.reports import figures
from irframe.reports.part import Part, parts
from irframe.reports.setting import text
from irframe.reports.view import View, unjudged_shares
from irframe.reports.words import listed, percent
from irframe.studies.judging.judge_next import count_unjudged, judge_next
from irframe.studies.trust.leave_out import leave_out
from irframe.studies.trust.tie_ranges import tie_ranges
from irframe.studies.trust.tie_rates import tie_rates

LU = "10.1007/s10791-016-9282-6"
ZOBEL = "10.1145/290941.291014"
TRUST = "questions/trust"
"""The page of the documentation."""
SETTLING = 10
"""How many documents are named that should be judged next."""
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
    return Part(
        "findings",
        f"Before trusting a number: {listed(told)}",
        "What irframe's diagnose finds in these runs and judgments, and all that it concerns.",
        LU,
        findings,
        guide=TRUST,
    )


def _unjudged(view: View) -> Part:
    shares, at = unjudged_shares(view), view.setting.place
    worst = shares.isel({DEPTH: at}).to_series().sort_values(ascending=False)
    middle, whole = percent(float(worst.median())), percent(float(worst.mean()))
    says = f"{whole} of the documents down to depth {view.setting.at} are unjudged"
    how = (
        f"The average over systems; {middle} for the median one. By depth: the median, the middle "
        "half and all systems."
    )
    quantiles = shares.quantile([0, 0.25, 0.5, 0.75, 1], SYSTEM).to_numpy()
    names = ["lowest", "lower quartile", "median", "upper quartile", "highest"]
    frame = pd.DataFrame(quantiles.T, columns=names)
    frame.insert(0, DEPTH, view.setting.depths)
    most = f" {worst.index[0]} has the most, {percent(float(worst.iloc[0]))}."
    return Part("unjudged", says, how + most, LU, frame, figures.unjudged(frame), TRUST)


def _pool(view: View) -> Part:
    growth = pool_growth(view.cube)
    frame = growth[["judged", "relevant", "rate"]].to_dataframe().reset_index()
    last = float(frame["rate"].dropna().iloc[-1])
    says = f"{percent(last)} of the documents pooled last were relevant"
    ripe = "it was still finding" if last >= 0.05 else "little was left to find"
    how = f"Documents per topic by depth of the pool; at its end {ripe}."
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
    wide = (first["upper"] - first["lower"]).median()
    says = f"Unjudged documents leave {wide:.2f} of {metrics[0]} open for the median system"
    how = f"Mean scores if none, and if all that may, were relevant; at depth {view.setting.at}."
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
    if not left:
        says = f"Every document of {a} and {b} is judged down to depth {view.setting.at}"
        return Part("next", says, "Nothing is left open between these two systems there.", ZOBEL)
    found = judge_next(pair, left, batch=left, depth=depth)
    frame = found.nlargest(SETTLING, "priority").reset_index(drop=True)
    says = f"{len(frame)} of {left} unjudged documents would settle most between {a} and {b}"
    how = (
        f"Those down to depth {view.setting.at} that the two systems rank most apart and that are "
        "most likely relevant, by irframe's judge_next with leverage."
    )
    return Part("next", says, how, ZOBEL, frame)


def _pair(view: View) -> xr.Dataset:
    """Return the cube of the first system and of the baseline, or the second, as its pool."""
    first, *others = view.order(0, view.setting.place)
    labels = view.cube[SYSTEM].to_numpy()
    second = next((n for n in others if labels[n] == view.setting.baseline), others[0])
    pair = gather(view.cube.isel({SYSTEM: [first, second]}))
    both = pair.assign_coords(contributing=(SYSTEM, np.ones(2, bool)))
    return sealed(both.assign_attrs(pool="stated"))


def _ties(view: View) -> Part:
    rates = tie_rates(view.cube).mean(TOPIC).to_series().rename("tie rate")
    ranges = tie_ranges(view.cube, *view.setting.metrics, at=view.setting.at).mean(TOPIC)
    width = (ranges.sel(bound="upper") - ranges.sel(bound="lower")).isel({DEPTH: 0})
    names = [f"{metric} left open" for metric in view.setting.metrics]
    frame = pd.DataFrame(width.transpose(SYSTEM, METRIC).to_numpy(), rates.index, names)
    drawn = _in_order(view, _tied(ranges.isel({METRIC: 0, DEPTH: 0})))
    frame = frame.join(rates).reset_index()
    frame = frame.sort_values("tie rate", ascending=False, ignore_index=True)
    most, metric = float(width.isel({METRIC: 0}).max()), view.setting.metrics[0]
    says = f"The order of tied documents decides up to {most:.3f} of a system's {metric}"
    if most == 0:
        says = f"No order of tied documents changes a system's {metric}"
    how = (
        f"Highest less lowest mean score over all orders of the tied documents, at depth "
        f"{view.setting.at}; the tie rate is the share of the top 20 that ties."
    )
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
    frame = leave_out(view.cube, *view.setting.metrics, at=at)
    first = frame[frame[METRIC] == view.setting.metrics[0]]
    worst = first.iloc[int(first["rank_change"].to_numpy().argmax())]
    says = f"A run left out of the pool moves by {first['rank_change'].mean():.1f} ranks"
    how = (
        f"On average under {worst[METRIC]} at depth {int(worst[DEPTH])}; the most, "
        f"{int(worst['rank_change'])}, for {worst[SYSTEM]}. "
        "Each contributing run is scored by judgments to which it contributed nothing."
    )
    named = {"rank": "place", "rank_without": "upper"}
    drawn = first.rename(columns=named).assign(lower=first["rank"], mean=first["rank_without"])
    figure = figures.ranges(drawn, "rank if left out", "rank")
    return Part("left-out", says, how, ZOBEL, frame, figure, TRUST)
