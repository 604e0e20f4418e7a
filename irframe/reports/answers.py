"""What the numbers of a view say: a sentence for every metric and depth."""

import numpy as np

from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH
from irframe.record import NONE
from irframe.reports.hard_topics import hardest
from irframe.reports.view import View
from irframe.reports.words import say
from irframe.tables.captions import ADJUST_WORDS

ALIKE = 0.9
"""Kendall's tau from which on two orders of the systems are called much the same."""


def who_is_first(view: View, metric: int, depth: int) -> str:
    """Say which systems may be first, and how sure that is."""
    names = view.names(view.order(metric, depth))
    if not view.relevant:
        return say("first.nothing")
    if view.alone:
        return say("first.alone", name=names[0])
    if view.tied(metric, depth):
        return say("first.tied", n=len(names))
    best = view.names(np.flatnonzero(view.ranked["rank_low"][metric, depth] == 1))
    best = [name for name in names if name in best]
    if len(best) > 1:
        return say("first.several", n=len(best), names=best)
    topics = view.topics_compared(metric, depth)
    if topics < view.enough[metric]:
        return say("first.few", name=names[0], topics=topics)
    return say("first.sole", name=names[0], alpha=view.setting.alpha)


def how_surely(view: View, metric: int, depth: int) -> str:
    """Say how often the first system would be first on other topics."""
    if view.alone or not view.relevant or view.tied(metric, depth):
        return ""
    topics = view.topics_compared(metric, depth)
    if topics < view.enough[metric]:
        return say("sure.few", topics=topics)
    share = view.ranked["first"][metric, depth].round(TIE)
    now = view.names(np.flatnonzero(view.ranked["rank"][metric, depth] == 1))
    often = view.names(np.flatnonzero(share == share.max()))
    told = {"others": often, "most": float(share.max())}
    if len(now) > 1:
        return say("sure.tied", names=now, **told)
    own = float(share[view.systems.index(now[0])])
    key = "sure.usual" if now[0] in often else "sure.other"
    return say(key, name=now[0], share=own, **told)


def how_many_differ(view: View, metric: int, depth: int) -> str:
    """Say how many pairs of systems differ significantly."""
    if view.alone:
        return ""
    pairs = view.strength.shape[-1]
    apart = int((view.strength[metric, depth] > 0).sum())
    key = {0: "apart.none", pairs: "apart.every"}.get(apart, "apart.some")
    told = {"apart": apart, "pairs": pairs, "how": _corrected(view, pairs)}
    return say(key, alpha=view.setting.alpha, **told)


def _corrected(view: View, pairs: int) -> str:
    """Return the correction of p-values, and of how many together."""
    pairing = view.setting.pairing
    if pairing.test.joint:
        return "the test allows for all pairs"
    if not pairing.adjust:
        return ADJUST_WORDS[NONE]
    adjust = str(pairing.adjust).partition("(")[0]
    together = "one pair" if pairs == 1 else f"all {pairs} pairs"
    return f"{ADJUST_WORDS.get(adjust, adjust)} over {together}"


def who_is_unjudged(view: View, depth: int) -> str:
    """Say how many documents are unjudged."""
    shares = view.unjudged.isel({DEPTH: depth}).to_numpy()
    told: dict[str, float] = {"depth": view.setting.depths[depth]}
    if np.isnan(shares).all():
        return say("judged.unknown")
    if not np.nansum(shares):
        return say("judged.every", **told)
    told |= {"whole": float(np.nanmean(shares)), "most": float(np.nanmax(shares))}
    if np.nanmin(shares) == told["most"]:
        return say("judged.alike", **told)
    worst = view.names(np.flatnonzero(shares == told["most"]))
    return say("judged.some", middle=float(np.nanmedian(shares)), names=worst, **told)


def how_it_changes(view: View, metric: int, depth: int) -> str:
    """Say whether the deepest evaluation orders the systems as this one does."""
    if view.alone:
        return say("order.alone")
    depths, own = view.setting.depths, facts(view.setting.metrics[metric]).depth
    if own is not None and depths[depth] >= own:
        return say("order.cut", metric=view.setting.metrics[metric], depth=own)
    if depth == len(depths) - 1:
        return say("order.deepest")
    tau = float(view.agreement[metric, depth, -1])
    if np.isnan(tau):
        return say("order.tied", depth=depths[depth if view.tied(metric, depth) else -1])
    last = depths[-1] if own is None else min(own, depths[-1])
    return say("order.like" if tau >= ALIKE else "order.unlike", depth=last, tau=tau)


def what_to_beware(view: View, metric: int, depth: int) -> str:
    """Say which means have no interval though there are topics, or one that holds less often."""
    values = {name: view.ranked[name][metric, depth] for name in ("mean", "ci_low")}
    label, topics = view.setting.metrics[metric], view.topics_compared(metric, depth)
    known = facts(label)
    lost = ~np.isnan(values["mean"]) & np.isnan(values["ci_low"])
    if known.summary != "mean" or topics < 2:
        return ""
    if lost.any():
        return say("caution.same", names=view.names(np.flatnonzero(lost)))
    least = known.least_topics
    return say("caution.few", metric=label, least=least, topics=topics) if topics < least else ""


def sentences(view: View) -> dict[str, list[list[str]]]:
    """Return every sentence of a view by metric and depth."""
    metrics, depths = range(len(view.setting.metrics)), range(len(view.setting.depths))
    made = {
        "first": who_is_first,
        "sure": how_surely,
        "apart": how_many_differ,
        "order": how_it_changes,
        "caution": what_to_beware,
        "hard": hardest,
    }
    found = {
        name: [[make(view, metric, depth) for depth in depths] for metric in metrics]
        for name, make in made.items()
    }
    return found | {"judged": [[who_is_unjudged(view, depth) for depth in depths]]}
