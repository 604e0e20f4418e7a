"""What numbers say and whether they can be trusted: answers, findings, verdicts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.compare import compare
from irframe.comparing.pairwise import VERDICTS
from irframe.comparing.significance import Pairing
from irframe.cubes.groups import REPEAT_OF, each_a_system
from irframe.cubes.unjudged import bounds
from irframe.cubes.view import experiment_of, of_spans, shown_as
from irframe.depths.pool_growth import pool_growth
from irframe.errors import MetricError
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.experiments.in_turn import RANKS
from irframe.experiments.scoring import Budgets
from irframe.files.repeats import Folded, fold
from irframe.metrics.facts import TIE, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, METRIC, REPEAT, REPEATED, SYSTEM, TOPIC
from irframe.record import NONE
from irframe.reports import figures
from irframe.reports.ladder import hardest
from irframe.reports.setting import Part, Setting, parts, say, spoken, text
from irframe.reports.view import View
from irframe.studies.diagnose import DECIDED, check_cube, check_repeats, too_long
from irframe.studies.findings import Finding, check_frames, every_place, to_frame, until_error
from irframe.studies.judge_next import count_unjudged, judge_next
from irframe.studies.leave_out import leave_out
from irframe.studies.tie_ranges import tie_ranges, tie_rates
from irframe.tables.captions import ADJUST_WORDS, told_repeats
from irframe.warned import unsaid

ALIKE = 0.9
"""Kendall's tau from which on two orders of the systems are called much the same."""


Claim = tuple[str, dict[str, Any]] | None
"""A template and what it says, or nothing."""


def who_is_first(view: View, metric: int, depth: int) -> Claim:
    """Say which systems may be first, and how sure that is."""
    names = view.labels[view.ranked["order"][metric, depth]]
    if not view.relevant:
        return "first.nothing", {}
    if view.alone:
        return "first.alone", {"name": names[0]}
    if view.tied[metric, depth]:
        return "first.tied", {"n": len(names)}
    best = view.labels[view.ranked["rank_low"][metric, depth] == 1]
    best = [name for name in names if name in best]
    if len(best) > 1:
        return "first.several", {"n": len(best), "names": best}
    topics = view.topics_compared[metric, depth]
    if topics < view.enough[metric]:
        return "first.few", {"name": names[0], "topics": topics}
    return "first.sole", {"name": names[0], "alpha": view.setting.alpha}


def how_surely(view: View, metric: int, depth: int) -> Claim:
    """Say how often the first system would be first on other topics."""
    if view.alone or view.crossing or not view.relevant or view.tied[metric, depth]:
        return None
    topics = view.topics_compared[metric, depth]
    if topics < view.enough[metric]:
        return "sure.few", {"topics": topics}
    share = view.ranked["first"][metric, depth].round(TIE)
    first = view.ranked["rank"][metric, depth] == 1
    values = {"others": view.labels[share == share.max()], "most": float(share.max())}
    if first.sum() > 1:
        return "sure.tied", {"names": view.labels[first], **values}
    key = "sure.usual" if share[first][0] == share.max() else "sure.other"
    return key, {"name": view.labels[first][0], "share": float(share[first][0]), **values}


def what_repeats(view: View) -> Claim:
    """Say what was repeated, how often, and whether intervals and tests count it."""
    known = view.repeats
    if known is None:
        return None
    values = {"told": told_repeats(dict(view.ranks.attrs)), "word": known.word}
    single = view.labels[known.counts == 1]
    if not known.crossing or not len(single):
        return "repeats.says", values
    return "repeats.single", {"names": single, **values}


def how_many_differ(view: View, metric: int, depth: int) -> Claim:
    """Say how many pairs of systems differ significantly."""
    if view.alone:
        return None
    pairs = view.strength.shape[-1]
    apart = int((view.strength[metric, depth] > 0).sum())
    key = {0: "apart.none", pairs: "apart.every"}.get(apart, "apart.some")
    values = {"apart": apart, "pairs": pairs, "how": _corrected(view.setting.pairing, pairs)}
    return key, {"alpha": view.setting.alpha, **values}


def _corrected(pairing: Pairing, pairs: int) -> str:
    """Return the correction of p-values, and of how many together."""
    if pairing.test.joint:
        return "the test allows for all pairs"
    if not pairing.adjust:
        return ADJUST_WORDS[NONE]
    adjust = str(pairing.adjust).partition("(")[0]
    together = "one pair" if pairs == 1 else f"all {pairs} pairs"
    return f"{ADJUST_WORDS.get(adjust, adjust)} over {together}"


def who_is_unjudged(view: View) -> list[Claim]:
    """Say how many documents are unjudged, by depth."""
    if of_spans(view.cube):
        return [None for _ in view.setting.depths]
    shares = view.unjudged.transpose(DEPTH, SYSTEM).to_numpy()
    return [
        _unjudged_to(view, share, depth)
        for share, depth in zip(shares, view.setting.depths, strict=True)
    ]


def _unjudged_to(view: View, shares: Array, depth: int) -> Claim:
    values: dict[str, Any] = {"depth": depth}
    if np.isnan(shares).all():
        return "judged.unknown", {}
    if not np.nansum(shares):
        return "judged.every", values
    values |= {"whole": float(np.nanmean(shares)), "most": float(np.nanmax(shares))}
    if np.nanmin(shares) == values["most"]:
        return "judged.alike", values
    names = view.labels[shares == values["most"]]
    return "judged.some", {"middle": float(np.nanmedian(shares)), "names": names, **values}


def how_it_changes(view: View, metric: int, depth: int) -> Claim:
    """Say whether the deepest evaluation orders the systems as this one does."""
    if view.alone:
        return "order.alone", {}
    setting, depths = view.setting, view.setting.depths
    own = None if setting.unit else setting.facts[metric].depth
    if own is not None and depths[depth] >= own:
        return "order.cut", {"metric": setting.metrics[metric], "depth": own}
    if view.tied[metric, depth]:
        return "order.tied", {"depth": depths[depth]}
    if depth == len(depths) - 1:
        return "order.deepest", {"what": "budget" if setting.unit else "depth"}
    tau = float(view.agreement[metric, depth, -1])
    if np.isnan(tau):
        return "order.tied", {"depth": depths[-1]}
    last = depths[-1] if own is None else min(own, depths[-1])
    return "order.like" if tau >= ALIKE else "order.unlike", {"depth": last, "tau": tau}


def what_to_beware(view: View, metric: int, depth: int) -> Claim:
    """Say which means have no interval though there are topics, or one that holds less often."""
    mean, low = (view.ranked[name][metric, depth] for name in ("mean", "ci_low"))
    topics, known = view.topics_compared[metric, depth], view.setting.facts[metric]
    lost = ~np.isnan(mean) & np.isnan(low)
    if view.repeats is not None and view.setting.over == "repeat":
        lost &= view.repeats.counts > 1  # of one alone nothing is known
    if known.summary != "mean" or topics < 2:
        return None
    if lost.any():
        return "caution.same", {"names": view.labels[lost]}
    values = {"least": known.least_topics, "topics": topics}
    few = topics < known.least_topics
    return ("caution.few", {"metric": view.setting.metrics[metric], **values}) if few else None


def sentences(view: View) -> dict[str, list[list[str]]]:
    """Return every sentence of a view by metric and depth."""
    metrics, depths = range(len(view.setting.metrics)), range(len(view.setting.depths))
    made = {
        "first": who_is_first,
        "sure": how_surely,
        "apart": how_many_differ,
        "order": how_it_changes,
        "caution": what_to_beware,
    }
    claims: dict[str, Any] = {
        name: [[make(view, metric, depth) for depth in depths] for metric in metrics]
        for name, make in made.items()
    }
    claims |= {"hard": hardest(view), "repeats": [[what_repeats(view)] * len(depths)]}
    claims["judged"] = [who_is_unjudged(view)]
    return {name: [spoken(row) for row in rows] for name, rows in claims.items()}


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
OF_ONE = {"left-out"}
"""What is told only where every system has one list."""


def trust(view: View, findings: pd.DataFrame) -> list[Part]:
    """Return what to know before trusting the numbers of a view."""
    counts = findings["severity"].value_counts().to_dict()
    counted = [f"{count} {name}{'s' * (count > 1)}" for name, count in counts.items()]
    says = say("findings.says", counts=counted) if counted else say("findings.none")
    first = Part("findings", says, source=LU, data=findings, guide=TRUST)
    makers = [
        ("unjudged", "the share of unjudged documents", _unjudged),
        ("pool", "the growth of the pool", _pool),
        ("bounds", "what the unjudged documents leave open", _bounds),
        ("next", "what should be judged next", _next),
        ("ties", "what tied scores leave open", _ties),
        ("left-out", "what leaving a run out of the pool does", _left_out),
    ]
    unfit = {*(OF_SEVERAL if view.alone else ()), *(OF_ONE if view.repeats else ())}
    fit = [] if of_spans(view.cube) else [maker for maker in makers if maker[0] not in unfit]
    return [first, *parts(view, fit)]


def _unjudged(view: View) -> Part:
    says = spoken(who_is_unjudged(view))[view.setting.place]
    if np.isnan(view.unjudged).all():
        return Part("unjudged", says, source=LU, guide=TRUST)
    quantiles = view.unjudged.quantile([0, 0.25, 0.5, 0.75, 1], SYSTEM).to_numpy()
    names = ["lowest", "lower quartile", "median", "upper quartile", "highest"]
    frame = pd.DataFrame(quantiles.T, columns=names)
    frame.insert(0, DEPTH, view.setting.depths)
    how = [say("unjudged.how")]
    return Part("unjudged", says, how, LU, frame, figures.unjudged(frame), TRUST)


def _pool(view: View) -> Part:
    with unsaid():
        growth = pool_growth(each_a_system(view.whole))
    frame = growth[["judged", "relevant", "rate"]].to_dataframe().reset_index()
    last = frame.dropna(subset="rate").iloc[-1]
    rate = float(last["rate"])
    how = [say("pool.how"), *([say("pool.shallow")] if rate >= SHALLOW else [])]
    says = say("pool.says", rate=rate, depth=int(last[DEPTH]))
    return Part("pool", says, how, LU, frame, figures.pool(frame), TRUST)


def _bounded(view: View) -> xr.DataArray:
    """Return bounds of the metrics that have them, refusing where none has."""
    bounded = []
    for metric in view.setting.metrics:
        try:
            limits = bounds(view.whole, metric, at=view.setting.rank)
            bounded.append(limits.mean(REPEAT) if REPEAT in limits.dims else limits)
        except MetricError as error:
            reason = error
    if not bounded:
        raise reason
    return xr.concat([part.reset_coords(drop=True) for part in bounded], METRIC)


def _bounds(view: View) -> Part:
    bounded = _bounded(view)
    metrics = [text(name) for name in bounded[METRIC].to_numpy()]
    ends = bounded.mean(TOPIC).isel({DEPTH: 0})
    frames = [_bounded_frame(view, metric, ends.sel({METRIC: metric})) for metric in metrics]
    first, frame = frames[0], pd.concat(frames, ignore_index=True)
    wide = float((first["upper"] - first["lower"]).median())
    says = say("bounds.alone" if view.alone else "bounds.says", open=wide, metric=metrics[0])
    kinds = {"bounds.divided": False, "bounds.added": True}
    named = {
        key: [metric for metric in metrics if (facts(metric).extremes == "ceiling") == ceiling]
        for key, ceiling in kinds.items()
    }
    depth = view.setting.rank
    how = [say(key, metrics=names, depth=depth) for key, names in named.items() if names]
    figure = figures.ranges(first, metrics[0], "place in the ladder")
    return Part("bounds", says, how, LU, frame, figure, TRUST)


def _bounded_frame(view: View, metric: str, ends: xr.DataArray) -> Any:
    row, at = view.setting.metrics.index(metric), view.setting.place
    frame = _tied(ends)
    if not view.setting.unit:
        frame["mean"] = view.ranks["mean"].isel({METRIC: row, DEPTH: at}).to_series()
    frame.insert(0, METRIC, metric)
    ordered = frame.iloc[view.ranked["order"][row, at]].rename_axis(SYSTEM).reset_index()
    return ordered.assign(place=np.arange(1, len(ordered) + 1))


def _next(view: View) -> Part:
    """Return the unjudged documents that would tell most of the pair the page opens with."""
    pair = view.cube.isel({SYSTEM: list(view.pair)})
    experiment = experiment_of(pair)
    pool = replace(experiment.known_pool, contributing=np.ones(2, bool))  # these two made it
    made = {**experiment.made, "pool": "stated"}
    pair = shown_as(pair, replace(experiment, pool=pool, made=made))
    a, b = view.labels[list(view.pair)]
    depth = min(view.setting.rank, RANKS)
    left = count_unjudged(pair, depth)
    values = {"a": a, "b": b, "depth": depth}
    if not left:
        return Part("next", say("next.none", **values), source=ZOBEL)
    ranked = judge_next(pair, left, batch=left, depth=depth)
    frame = ranked[ranked["priority"] > 0].nlargest(SETTLING, "priority").reset_index(drop=True)
    if frame.empty:
        return Part("next", say("next.alike", left=left, **values), source=ZOBEL)
    key = "next.every" if len(frame) == left else "next.says"
    says = say(key, n=len(frame), left=left, **values)
    return Part("next", says, [say("next.how", **values)], ZOBEL, frame)


def _ties(view: View) -> Part:
    rates = tie_rates(view.cube).mean(TOPIC).to_series().rename("tie rate")
    ranges = tie_ranges(view.cube, *view.setting.metrics, at=view.setting.rank).mean(TOPIC)
    width = (ranges.sel(bound="upper") - ranges.sel(bound="lower")).isel({DEPTH: 0})
    names = [f"{metric} left open" for metric in view.setting.metrics]
    frame = pd.DataFrame(width.transpose(SYSTEM, METRIC).to_numpy(), rates.index, names)
    labels = view.cube[SYSTEM].to_numpy()[view.ranked["order"][0, view.setting.place]]
    drawn = _tied(ranges.isel({METRIC: 0, DEPTH: 0})).loc[labels]
    drawn = drawn.assign(place=np.arange(1, len(drawn) + 1))
    frame = frame.join(rates).reset_index()
    frame = frame.sort_values("tie rate", ascending=False, ignore_index=True)
    values = {"metric": view.setting.metrics[0], "depth": view.setting.rank}
    most = float(width.isel({METRIC: 0}).max().round(TIE))
    says = say("ties.says" if most > 0 else "ties.none", most=most, **values)
    how = [say("ties.how", **values)]
    figure = figures.ranges(drawn, view.setting.metrics[0], "place in the ladder")
    return Part("ties", says, how, LU, frame, figure, "questions/ties")


def _tied(ranges: xr.DataArray) -> pd.DataFrame:
    """Return the lowest and highest mean of each system, and their middle."""
    ends = {name: ranges.sel(bound=name).to_series() for name in ("lower", "upper")}
    frame = pd.DataFrame(ends)
    frame.insert(0, "mean", (ends["lower"] + ends["upper"]) / 2)
    return frame


def _left_out(view: View) -> Part:
    at = view.setting.rank
    with unsaid():
        frame = leave_out(view.cube, *view.setting.metrics, at=at)
    values = {"metric": view.setting.metrics[0], "depth": at}
    first = frame[frame[METRIC] == values["metric"]]
    moved = first["rank_change"]
    says = say("left.says" if moved.any() else "left.still", moved=moved.mean())
    how = [say("left.how", **values)]
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


def findings(cube: xr.Dataset, setting: Setting, frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what `diagnose` looks for, of a cube and of the frames it was built from.

    What decides the numbers stands at the end of the page.

    Parameters
    ----------
    cube
        The cube.
    setting
        The metrics of the report, and its budgets if there are some.
    frames
        ``runs`` and ``qrels``, or nothing.
    """
    with every_place(), unsaid():
        frame = to_frame([*until_error(_found(cube, setting, frames))])
    return frame[frame["what"] != DECIDED].reset_index(drop=True)


def _found(
    cube: xr.Dataset, setting: Setting, frames: dict[str, pd.DataFrame]
) -> Iterator[Finding]:
    """Yield findings."""
    metrics, depth = [parse_metric(name) for name in setting.metrics], cube.sizes[DEPTH]
    single, textual = each_a_system(cube), of_spans(cube)
    if frames and not textual:
        runs = read_table(fold(frames["runs"]).runs)
        yield from check_frames(runs, read_qrels_table(frames["qrels"]), depth)
    budgets = Budgets.read(list(setting.depths), "whole") if setting.unit else None
    if budgets is not None:
        yield from too_long(single, budgets)
    if not textual:
        yield from check_cube(single, metrics, depth)
    yield from check_repeats(single, _folded(cube), metrics, depth)


def _folded(cube: xr.Dataset) -> Folded:
    """Return which repeats the systems of a cube are, as far as it knows."""
    if REPEAT_OF not in cube.coords:
        return Folded(None, None, {})
    repeats = zip(cube[REPEAT_OF].to_numpy(), cube[REPEAT].to_numpy(), strict=True)
    word = str(cube.attrs.get(REPEATED, REPEAT))
    return Folded(None, word, dict(zip(cube.indexes[SYSTEM], repeats, strict=True)))


KEPT = ("verdict", "difference", "ci_low", "ci_high", "p_adjusted", "detectable")
"""What is shown of a comparison."""


def verdicts(view: View) -> list[Part]:
    """Return the verdicts on the systems of a view, nothing where no margin was given."""
    if view.setting.margin is None or view.alone:
        return []
    return parts(view, [("verdicts", "the verdicts", _verdicts)], GUIDE)


GUIDE = "questions/comparing"
"""The page of the documentation."""


def _verdicts(view: View) -> Part:
    setting, pairing = view.setting, view.setting.pairing
    labels = view.cube[SYSTEM].to_numpy()
    first = labels[view.ranked["order"][0, setting.place][0]]
    against = setting.baseline if setting.baseline in labels else first
    pairs = compare(
        view.every.isel({DEPTH: [setting.place]}),
        pairing.test,
        over=setting.over,
        adjust=pairing.adjust,
        baseline=against,
        alpha=setting.alpha,
        margin=setting.margin,
    )
    frame = pairs[[METRIC, "system_a", *KEPT]].rename(columns={"system_a": SYSTEM})
    metric = setting.metrics[0]
    own = frame[frame[METRIC] == metric].copy()
    counts = own["verdict"].value_counts()
    values = {"metric": metric, "depth": setting.at, "against": text(against)}
    values |= {"margin": setting.margin, "alpha": setting.alpha, "n": int(pairs["n_topics"].max())}
    words = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if word in counts)
    says = say("verdicts.says", counts=words, **values)
    least = own["detectable"].median()
    how = [say("verdicts.how", **values)]
    how += [say("verdicts.detect", least=least, **values)] if np.isfinite(least) else []
    drawn = own.sort_values("difference", ascending=facts(metric).sign < 0)
    drawn = drawn.assign(place=np.arange(1, len(drawn) + 1))
    named = {"difference": "mean", "ci_low": "lower", "ci_high": "upper"}
    lines = pd.DataFrame({"value": [0.0, -facts(metric).sign * float(setting.margin or 0)]})
    figure = figures.ranges(
        drawn.rename(columns=named), f"difference in {metric}", "systems by difference", lines
    )
    return Part("verdicts", says, how, data=frame, figure=figure, guide=GUIDE)
