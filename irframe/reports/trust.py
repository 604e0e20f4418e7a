"""Headings of the page, findings, and sections on reliability."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.compare import compare
from irframe.comparing.corrections import Significance
from irframe.comparing.pairwise import VERDICTS
from irframe.comparing.significance import Pairing
from irframe.cubes.groups import each_a_system
from irframe.cubes.view import experiment_of, of_spans, shown_as
from irframe.depth.leave_out import leave_out
from irframe.depth.pool_growth import pool_growth
from irframe.diagnostics.designs import check_repeats
from irframe.diagnostics.diagnose import DECIDED, check_cube, folded_of, too_long
from irframe.diagnostics.findings import Finding, every_place, findings_frame, until_error
from irframe.diagnostics.frames import check_frames
from irframe.diagnostics.tie_ranges import tie_ranges, tie_rates
from irframe.errors import unsaid
from irframe.evaluation.repeats import fold
from irframe.evaluation.stopping import Stops
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.experiments.hits import RANKS
from irframe.judging.candidates import JudgingMethod
from irframe.judging.judge_next import count_unjudged, judge_next
from irframe.metrics.facts import TIE, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC, counted
from irframe.ranks.first import FIRST
from irframe.record import NONE
from irframe.reports import figures
from irframe.reports.ladder import hardest_topics, limits_of, worst_and_best
from irframe.reports.setting import PagePart, Setting, computed_sections
from irframe.reports.view import View
from irframe.reports.words import NAMED, Claim, Values, percent, say, short, spoken, text, texts
from irframe.tables.captions import ADJUST_WORDS, repeats_text, significance_text

MOSTLY = 0.5
"""The share of unjudged documents above which the first heading of the page mentions the share."""
MANY = 10
"""The maximum number of possibly first systems that the page names without a selection.

If more systems could be first, the page names only those that are first in most resamples.
"""
ALIKE = 0.9
"""The lowest Kendall's tau at which the page calls two orders of systems similar."""


def who_is_first(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence on the systems that could be first."""
    names = view.labels[view.ranked["order"][metric, depth]]
    if view.void:
        return f"first.{'unjudged' if view.relevant else 'nothing'}", {}
    if view.is_single:
        return "first.alone", {"name": names[0]}
    if view.tied[metric, depth]:
        return "first.tied", {"n": len(names)}
    return _could_be_first(view, metric, depth)


def _could_be_first(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence if not all systems are tied."""
    names = view.labels[view.ranked["order"][metric, depth]]
    best = [name for name in names if name in view.labels[view.ranked[FIRST][metric, depth] > 0]]
    topics = view.topics_compared[metric, depth]
    share = _unjudged_share(view, depth)
    values: Values = {"n": len(best), "of": len(names), "alpha": view.setting.alpha}
    if share > MOSTLY:
        return "first.mostly", values | {"share": share, "depth": view.setting.depths[depth]}
    if len(best) > MANY and not np.isnan(view.ranked["first"][metric, depth]).all():
        return "first.many", values | {"names": _likely(view, metric, depth)}
    if len(best) > 1:
        return "first.several", values | {"names": best}
    if topics < view.enough[metric]:
        return "first.few", {"name": best[0], "topics": topics}
    return "first.sole", {"name": best[0], "alpha": view.setting.alpha}


def _unjudged_share(view: View, depth: int) -> float:
    """Return the mean share of unjudged documents."""
    shares = view.unjudged.isel({DEPTH: depth}).to_numpy()
    return float(np.nanmean(shares)) if np.isfinite(shares).any() else np.nan


def what_judging_could_change(view: View, now: str) -> Claim:
    """Choose the sentence on systems that judgments could put first.

    The test excludes these systems from first place, but the bounds of their means do not.

    Parameters
    ----------
    view
        Results for all topics, or for one collection.
    now
        Metric and depth that the page opens with, as text.
    """
    at = view.setting.pos
    sign = view.setting.facts[0].sign
    limits = limits_of(view).get(view.setting.metrics[0])
    if limits is None or view.is_single or view.void or view.tied[0, at]:
        return None
    order = view.ranked["order"][0, at]
    # multiplied by the negative sign of a cost metric, the lower limit becomes the higher one
    low, high = np.sort(sign * np.array(limits), axis=0)
    possible = (high > low[order[0]] + 10.0**-TIE) & ~view.ranked[FIRST][0, at].astype(bool)
    names = view.labels[[system for system in order if possible[system]]].tolist()
    values = {"now": now, "n": len(names), "name": view.labels[order[0]], "names": names}
    return ("first.open", values) if names else None


def _likely(view: View, metric: int, depth: int) -> list[str]:
    """Return the systems most often first in resamples.

    The shares of systems with equal means are added.
    """
    share, rank = (view.ranked[name][metric, depth] for name in ("first", "rank"))
    shares = pd.Series(share).groupby(rank).sum().round(TIE).sort_values(ascending=False)
    names = []
    for position, often in shares[shares > 0].head(NAMED).items():
        first, *tied = view.labels[rank == position]
        more = f" and {len(tied)} of the same mean" if tied else ""
        names.append(f"{short(first)}{more} ({percent(often)})")
    return names


def how_surely(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence on first places in resamples."""
    if view.is_single or view.crossing or view.void or view.tied[metric, depth]:
        return None
    topics = view.topics_compared[metric, depth]
    if topics < view.enough[metric]:
        return "sure.few", {"topics": topics}
    share = view.ranked["first"][metric, depth].round(TIE)
    first = view.labels[view.ranked["rank"][metric, depth] == 1]
    # shares count as equal if the page prints the same number for them
    percents = np.rint(100 * share)
    often = view.labels[(percents == percents.max()) & (share > 0)]
    values = {"others": often, "most": float(share.max()), "names": first, "name": first[0]}
    values["excess"] = f"{view.excess[metric, depth]:.2g}"
    sole = "usual" if first[0] in often else "other"
    key = "tied" if len(first) > 1 else sole
    return f"sure.{key}", values | {"share": float(share[np.isin(view.labels, first)].sum())}


def what_repeats(view: View) -> Claim:
    """Choose the sentence on repeats and their use in intervals."""
    repeats = view.repeats
    if repeats is None:
        return None
    single = view.labels[repeats.counts == 1]
    key = "repeats.single" if repeats.crossing and len(single) else "repeats.says"
    return key, {
        "text": repeats_text(dict(view.ranks.attrs)),
        "word": repeats.name,
        "names": single,
    }


def how_many_differ(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence on significant pairs of systems."""
    if view.is_single:
        return None
    pairs = view.strength.shape[-1]
    n = int((view.strength[metric, depth] > 0).sum())
    key = {0: "apart.none", pairs: "apart.every"}.get(n, "apart.some")
    correction = _correction_words(view.setting.pairing, pairs)
    return key, {"apart": n, "pairs": pairs, "how": correction, "alpha": view.setting.alpha}


def _correction_words(pairing: Pairing, pairs: int) -> str:
    """Return the correction of p-values in words."""
    if pairing.test.joint:
        return "the test allows for all pairs"
    if not pairing.adjust:
        return ADJUST_WORDS[NONE]
    adjust = str(pairing.adjust).partition("(")[0]
    n_pairs = "one pair" if pairs == 1 else f"all {pairs} pairs"
    return f"{ADJUST_WORDS.get(adjust, adjust)} over {n_pairs}"


def who_is_unjudged(view: View) -> list[Claim]:
    """Choose the sentences on unjudged documents, one per depth."""
    if of_spans(view.cube):
        return [None] * len(view.setting.depths)
    shares = view.unjudged.transpose(DEPTH, SYSTEM).to_numpy()
    rows = zip(shares, view.setting.depths, strict=True)
    return [_unjudged_to(view, share, depth) for share, depth in rows]


def _unjudged_to(view: View, shares: Array, depth: int) -> Claim:
    if np.isnan(shares).all():
        return "judged.unknown", {}
    summaries: Values = {"mean": np.nanmean, "median": np.nanmedian, "most": np.nanmax}
    values: Values = {name: float(of(shares)) for name, of in summaries.items()}
    values |= {"depth": depth, "names": view.labels[shares == values["most"]]}
    alike = "judged.alike" if np.nanmin(shares) == values["most"] else "judged.some"
    return alike if values["most"] else "judged.every", values


def how_it_changes(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence on agreement with the deepest order."""
    if view.is_single:
        return "order.alone", {}
    setting = view.setting
    depths = setting.depths
    cutoff = None if setting.axis.unit else setting.facts[metric].depth
    # a metric with a cutoff has the same scores at all greater depths
    if cutoff is not None and depths[depth] >= cutoff:
        return "order.cut", {"metric": setting.metrics[metric], "depth": cutoff}
    if view.tied[metric, depth]:
        return "order.tied", {"depth": depths[depth]}
    if depth == len(depths) - 1:
        return "order.deepest", {"what": setting.axis.dim}
    tau = float(view.agreement[metric, depth, -1])
    if np.isnan(tau):
        return "order.tied", {"depth": depths[-1]}
    last = depths[-1] if cutoff is None else min(cutoff, depths[-1])
    similar = "like" if tau >= ALIKE else "unlike"
    key = "same" if tau > 1 - 10.0**-TIE else similar
    return f"order.{key}", {"depth": last, "tau": tau}


def in_tiers(view: View, metric: int, depth: int) -> Claim:
    """Choose the sentence on the number of tiers."""
    tier = np.nan_to_num(view.ranked["tier"][metric, depth]).astype(int)
    if view.is_single:
        return "tiers.alone", {"name": view.systems[0], "mean": view.means[metric, depth, 0]}
    values = {"n": len(tier), "tiers": tier.max()}
    return "tiers.some" if values["tiers"] > 1 else "tiers.one", values


def sentences(view: View) -> dict[str, list[list[str]]]:
    """Return all sentences of a view by metric and depth."""
    metrics = range(len(view.setting.metrics))
    depths = range(len(view.setting.depths))
    makers = {
        "first": who_is_first,
        "sure": how_surely,
        "apart": how_many_differ,
        "order": how_it_changes,
        "tiers": in_tiers,
        "hard": hardest_topics,
    }
    claims: dict[str, list[list[Claim]]] = {
        name: [[make(view, metric, depth) for depth in depths] for metric in metrics]
        for name, make in makers.items()
    }
    # sentences on repeats and unjudged documents are the same for all metrics
    claims |= {"repeats": [[what_repeats(view)] * len(depths)], "judged": [who_is_unjudged(view)]}
    return {name: [spoken(row) for row in rows] for name, rows in claims.items()}


LU = "10.1007/s10791-016-9282-6"
ZOBEL = "10.1145/290941.291014"
TRUST = "questions/trust"
"""The page of the documentation on reliability."""
TO_JUDGE = 10
"""The number of documents to judge next that the page lists."""
SHALLOW = 0.05
"""A pool is called shallow if at least this share of documents at its last depth is relevant."""
OF_SEVERAL = {"next", "left-out"}
"""Keys of the sections that need several systems."""
OF_ONE = {"left-out"}
"""Keys of the sections that need one list per system."""


def trust(view: View, findings: pd.DataFrame) -> list[PagePart]:
    """Return the sections on the reliability of a view."""
    counts = findings["severity"].value_counts(sort=False).to_dict()  # most serious first
    numbers = [counted(count, str(name)) for name, count in counts.items()]
    says = say("findings.says", counts=numbers) if numbers else say("findings.none")
    first = PagePart("findings", says, source=LU, data=findings, guide=TRUST)
    makers = [
        ("unjudged", "the share of unjudged documents", _unjudged),
        ("pool", "the growth of the pool", _pool),
        ("bounds", "the bounds of means", _bounds),
        ("next", "the documents to judge next", _next),
        ("ties", "the effect of tied scores", _ties),
        ("left-out", "the effect of leaving a run out of the pool", _left_out),
    ]
    unfit = {*(OF_SEVERAL if view.is_single else ()), *(OF_ONE if view.repeats else ())}
    fit = [] if of_spans(view.cube) else [maker for maker in makers if maker[0] not in unfit]
    return [first, *computed_sections(view, fit)]


def _unjudged(view: View) -> PagePart:
    says = spoken(who_is_unjudged(view))[view.setting.pos]
    if np.isnan(view.unjudged).all():
        return PagePart("unjudged", says, unknown=True)
    quantiles = view.unjudged.quantile([0, 0.25, 0.5, 0.75, 1], SYSTEM).to_numpy()
    names = ["lowest", "lower quartile", "median", "upper quartile", "highest"]
    frame = pd.DataFrame(quantiles.T, columns=names)
    frame.insert(0, DEPTH, view.setting.depths)
    method = [say("unjudged.how")]
    return PagePart("unjudged", says, method, LU, frame, figures.unjudged(frame), TRUST)


def _pool(view: View) -> PagePart:
    with unsaid():
        growth = pool_growth(each_a_system(view.full_cube))
    frame = growth[["judged", "relevant", "rate"]].to_dataframe().reset_index()
    # at a depth that adds no documents to the pool, the share of relevant documents is undefined
    last = frame.dropna(subset="rate").iloc[-1]
    rate = float(last["rate"])
    method = [say("pool.how"), *([say("pool.shallow")] if rate >= SHALLOW else [])]
    says = say("pool.says", rate=rate, depth=int(last[DEPTH]))
    return PagePart("pool", says, method, LU, frame, figures.pool(frame), TRUST)


def _bounds(view: View) -> PagePart:
    metrics = texts(view.bounded[METRIC].to_numpy())
    ends = view.bounded.mean(TOPIC)
    frames = [_bounded_frame(view, metric, ends.sel({METRIC: metric})) for metric in metrics]
    first = frames[0]
    wide = float((first["upper"] - first["lower"]).median())
    says = say("bounds.alone" if view.is_single else "bounds.says", open=wide, metric=metrics[0])
    added = [metric for metric in metrics if facts(metric).extremes == "ceiling"]
    divided = [metric for metric in metrics if metric not in added]
    kinds = {"bounds.divided": divided, "bounds.added": added}
    method = [say(key, metrics=m, depth=view.setting.rank) for key, m in kinds.items() if m]
    figure = figures.ranges(first, metrics[0])
    return PagePart("bounds", says, method, LU, pd.concat(frames, ignore_index=True), figure, TRUST)


def _bounded_frame(view: View, metric: str, ends: xr.DataArray) -> pd.DataFrame:
    row = view.setting.metrics.index(metric)
    at = view.setting.pos
    lower, upper = (ends.sel(bound=name).to_series() for name in ("lower", "upper"))
    frame = pd.DataFrame({"mean": (lower + upper) / 2, "lower": lower, "upper": upper})
    # bounds are computed for a depth, so means at a budget could be outside the bounds
    if not view.setting.axis.unit:
        frame["mean"] = view.ranks["mean"].isel({METRIC: row, DEPTH: at}).to_series()
    frame.insert(0, METRIC, metric)
    order = view.ranked["order"][row, at]
    ranked: pd.DataFrame = frame.iloc[order].rename_axis(SYSTEM).reset_index()
    return ranked.assign(place=ranked.index + 1)


def _next(view: View) -> PagePart:
    """Return the section on the most informative unjudged documents.

    The documents are chosen for the two systems that the page opens with.
    """
    pair = view.cube.isel({SYSTEM: list(view.pair)})
    experiment = experiment_of(pair)
    # `judge_next` selects documents for contributing systems, so both systems must contribute.
    pool = replace(experiment.known_pool, contributing=np.ones(2, bool))
    options = {**experiment.options, "pool": "stated"}
    pair = shown_as(pair, replace(experiment, pool=pool, options=options))
    a, b = view.labels[list(view.pair)]
    depth = min(view.setting.rank, RANKS)
    n_unjudged = count_unjudged(pair, depth)
    values = {"a": a, "b": b, "depth": depth, "left": n_unjudged}
    if not n_unjudged:
        return PagePart("next", say("next.none", **values), source=ZOBEL)
    # in a single batch, priorities do not depend on later judgments
    ranked = judge_next(pair, n_unjudged, JudgingMethod(batch=n_unjudged), depth=depth)
    frame = ranked[ranked["priority"] > 0].nlargest(TO_JUDGE, "priority").reset_index(drop=True)
    if frame.empty:
        return PagePart("next", say("next.alike", **values), source=ZOBEL)
    key = "next.every" if len(frame) == n_unjudged else "next.says"
    low, high = worst_and_best(view, *view.pair) or (0.0, 0.0)
    says = say("next.size" if low * high > 0 else key, n=len(frame), **values)
    method = [say("next.how", **values)]
    return PagePart("next", says, method, ZOBEL, frame, guide="questions/what-to-judge")


def _ties(view: View) -> PagePart:
    first = view.setting.metrics[0]
    depth = view.setting.rank
    rates = tie_rates(view.cube).mean(TOPIC).to_series().rename("tie rate")
    every = tie_ranges(view.cube, *view.setting.metrics, at=depth)
    ranges = every.mean(TOPIC).isel({DEPTH: 0})
    width = ranges.sel(bound="upper") - ranges.sel(bound="lower")
    names = [f"range of {metric}" for metric in view.setting.metrics]
    frame = pd.DataFrame(width.transpose(SYSTEM, METRIC).to_numpy(), rates.index, names)
    frame = frame.join(rates).reset_index()
    frame = frame.sort_values("tie rate", ascending=False, ignore_index=True)
    open_by = frame[[SYSTEM]].assign(lower=0.0, upper=frame[names[0]], mean=frame[names[0]])
    drawn = open_by.sort_values("upper", ascending=False, kind="stable")
    most = float(width.isel({METRIC: 0}).max().round(TIE))
    says = say("ties.says" if most > 0 else "ties.none", most=most, metric=first, depth=depth)
    method = [say("ties.how", metric=first, depth=depth)]
    figure = figures.ranges(drawn, names[0]) if most > 0 else None
    return PagePart("ties", says, method, LU, frame, figure, "questions/ties")


def _left_out(view: View) -> PagePart:
    at = view.setting.rank
    metric = view.setting.metrics[0]
    with unsaid():
        frame = leave_out(view.cube, *view.setting.metrics, at=at)
    first = frame[frame[METRIC] == metric]
    moved = first["rank_change"]
    says = say("left.says" if moved.any() else "left.still", moved=moved.mean())
    method = [say("left.how", metric=metric, depth=at)]
    if moved.any():
        names = first[SYSTEM][moved == moved.max()].map(text).tolist()
        method.append(say("left.most", most=int(moved.max()), names=names))
    if aside := frame.attrs["set_aside"]:
        pool = int(experiment_of(view.cube).known_pool.depth.max())
        method.append(say("left.aside", aside=aside, judged=frame.attrs["judgments"], depth=pool))
    without = dict.fromkeys(("mean", "upper"), first["rank_without"])
    drawn = first.assign(lower=first["rank"], **without).sort_values("rank", kind="stable")
    figure = figures.ranges(drawn, "rank if left out") if moved.any() else None
    pooled = frame.rename(columns={"mean": "mean by the pool", "rank": "rank by the pool"})
    return PagePart("left-out", says, method, ZOBEL, pooled, figure, TRUST)


def findings(cube: xr.Dataset, setting: Setting, frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the findings of `diagnose` for a cube and frames.

    Findings on policies are left out, because the page lists all policies at its end.

    Parameters
    ----------
    cube
        The cube.
    setting
        Checked arguments of the report, with its metrics and budgets.
    frames
        ``runs`` and ``qrels``, or an empty dictionary.
    """
    with every_place(), unsaid():
        checks = chain.from_iterable(_checks(cube, setting, frames))
        frame = findings_frame([*until_error(checks)])
    return frame[frame["what"] != DECIDED].reset_index(drop=True)


def _checks(
    cube: xr.Dataset, setting: Setting, frames: dict[str, pd.DataFrame]
) -> Iterator[Iterator[Finding]]:
    """Yield the findings of each check."""
    metrics = [parse_metric(name) for name in setting.metrics]
    depth = cube.sizes[DEPTH]
    single = each_a_system(cube)
    if frames and not of_spans(cube):
        runs = read_table(fold(frames["runs"]).runs)
        yield check_frames(runs, read_qrels_table(frames["qrels"]), depth)
    if setting.axis.unit:
        yield too_long(single, Stops(axis=setting.axis, of=setting.depths))
    yield check_cube(single, metrics, depth)
    yield check_repeats(single, folded_of(cube), metrics, depth)


HALF = 0.999
"""The maximum of twice `alpha`, which must be below 1 for a two-sided interval."""
VERDICT_COLUMNS = ("verdict", "difference", "ci_low", "ci_high", "p_adjusted", "detectable")
"""Columns of a comparison that the table of verdicts shows."""


def verdicts(view: View) -> list[PagePart]:
    """Return the section on verdicts, if a margin is set."""
    if view.setting.margin is None or view.is_single:
        return []
    return computed_sections(view, [("verdicts", "the verdicts", _verdicts)])


def _verdicts(view: View) -> PagePart:
    setting = view.setting
    pairing = setting.pairing
    labels = view.cube[SYSTEM].to_numpy()
    metric = setting.metrics[0]
    first = labels[view.ranked["order"][0, setting.pos][0]]
    against = setting.baseline if setting.baseline in labels else first
    limits: Values = {"margin": setting.margin, "alpha": setting.alpha}
    at = view.every.isel({DEPTH: [setting.pos]})
    pairs = compare(at, pairing.decided, baseline=against, margin=setting.margin)
    names = {"system_a": SYSTEM} | ({} if pairing.corrected else {"p_adjusted": "p"})
    frame = pairs[[METRIC, "system_a", *VERDICT_COLUMNS]].rename(columns=names)
    opening = frame[frame[METRIC] == metric].copy()
    counts = opening["verdict"].value_counts()
    values = {"metric": metric, "depth": setting.at, "against": text(against), **limits}
    values |= {"test": significance_text(pairs.attrs)}
    values |= {"n": int(pairs["n_topics"].max()), "least": opening["detectable"].median()}
    listing = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts)
    says = say("verdicts.says", counts=listing, **values)
    keys = ["verdicts.how"]
    keys += ["verdicts.detect"] if np.isfinite(values["least"]) else []
    sign = facts(metric).sign
    alpha = min(2 * setting.alpha, HALF)
    one_sided = Significance(adjust=None, alpha=alpha, over=pairing.over)
    with unsaid():  # tests against a margin are one-sided, so each end is a one-sided bound
        sided = compare(at, one_sided, baseline=against)
    sided = sided[sided[METRIC] == metric].set_index("system_a")[["ci_low", "ci_high"]]
    opening = opening.rename(columns={"difference": "mean", "ci_low": "low", "ci_high": "high"})
    opening = opening.join(sided.set_axis(["lower", "upper"], axis=1), SYSTEM)
    drawn = opening.sort_values("mean", ascending=sign < 0, kind="stable")
    lines = [0.0, -sign * float(setting.margin or 0)]
    figure = figures.ranges(drawn, f"difference in {metric}", lines, figures.FULL)
    method = [say(key, **values) for key in keys]
    return PagePart(
        "verdicts", says, method, data=frame, figure=figure, guide="questions/comparing"
    )
