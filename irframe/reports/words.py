"""What the numbers say, in words: a sentence for every metric and depth."""

from collections.abc import Sequence

import numpy as np

from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC
from irframe.reports.view import View

NAMED = 3
"""How many systems a sentence names."""
ALIKE = 0.9
"""Kendall's tau from which on two orders of the systems are called much the same."""
FEW = 8
"""Below so many topics, or those that the metric needs, nobody is said to be the sole first."""
CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "fdr_bh": "Benjamini-Hochberg"}
"""How sentences call corrections that are not words already."""
SPACE = "\N{NO-BREAK SPACE}"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    Examples
    --------
    >>> listed("ab"), listed("abcde")
    ('a and b', 'a, b, c and 2 more')
    """
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def percent(share: float) -> str:
    """Return a share in percent, never rounded to all or nothing that it is not.

    Examples
    --------
    >>> [percent(share).replace(SPACE, " ") for share in (0.123, 0.999, 1, 0.001)]
    ['12 %', 'more than 99 %', '100 %', 'less than 1 %']
    """
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return f"less than 1{SPACE}%"
    return f"more than 99{SPACE}%" if whole == 100 and share < 1 else f"{whole}{SPACE}%"


def who_is_first(view: View, metric: int, depth: int) -> str:
    """Say which systems may be first, and how sure that is."""
    order = view.order(metric, depth)
    if view.alone:
        return f"{view.systems[0]} is the only system"
    names = [view.systems[place] for place in order]
    low = view.ranked["rank_low"][metric, depth][order]
    sure = percent(1 - view.setting.alpha)
    best = [name for name, rank in zip(names, low, strict=True) if rank == 1]
    if not best:
        return f"{names[0]} is first; how sure that is cannot be told"
    topics = int(view.ranks["n_topics"].isel({METRIC: metric, DEPTH: depth}).max())
    if len(best) < 2 and topics < max(FEW, facts(view.setting.metrics[metric]).least_topics):
        return f"{names[0]} has the best mean, on {topics} topics: too few to call it first"
    if len(best) < 2:
        return f"{names[0]} is first, and at {sure} no other system could be"
    return f"{len(best)} systems could be first: {listed(best)}"


def how_surely(view: View, metric: int, depth: int) -> str:
    """Say how often the first system would be first on other topics."""
    first = view.ranked["first"][metric, depth]
    if view.alone:
        return "There is no other to rank it against"
    place = view.order(metric, depth)[0]
    name = view.systems[place]
    if np.isnan(first[place]):
        return "One topic says nothing of others"
    return f"{name}, now first, is so in {percent(float(first[place]))} of resamples of the topics"


def how_many_differ(view: View, metric: int, depth: int) -> str:
    """Say how many pairs of systems differ significantly."""
    pairs = view.strength.shape[-1]
    if view.alone:
        return "There is no pair of systems to compare"
    apart = int((view.strength[metric, depth] > 0).sum())
    told = f"significantly ({_corrected(view)}, {view.setting.alpha:g})"
    if apart in {0, pairs}:
        which = "No pair of systems differs" if apart == 0 else "Every pair of systems differs"
        return f"{which} {told}"
    return f"{apart} of {pairs} pairs differ {told}"


def _corrected(view: View) -> str:
    """Return the correction of p-values in a word."""
    adjust = view.setting.pairing.told().get("adjust")
    return CORRECTIONS.get(str(adjust), str(adjust)) if adjust else "not corrected"


def who_is_unjudged(view: View, depth: int) -> str:
    """Say how many documents are unjudged."""
    shares = view.unjudged.isel({DEPTH: depth}).to_numpy()
    if np.isnan(shares).all():
        return "How many documents are unjudged cannot be told"
    if not np.nansum(shares):
        return "Every document down to here is judged"
    worst = int(np.nanargmax(shares))
    name = view.systems[worst]
    whole, middle, most = (
        percent(float(each)) for each in (np.nanmean(shares), np.nanmedian(shares), shares[worst])
    )
    if view.alone:
        return f"{whole} of the documents are unjudged"
    return (
        f"{whole} of the documents are unjudged on average over systems, "
        f"{middle} for the median system and {most} for {name}"
    )


def how_it_changes(view: View, metric: int, depth: int) -> str:
    """Say whether the deepest evaluation orders the systems as this one does."""
    if view.alone:
        return "One system has no order that depth could change"
    tau, deepest = view.agreement[metric, depth, -1], view.setting.depths[-1]
    if depth == len(view.setting.depths) - 1 or np.isnan(tau):
        return "This is the greatest depth of the page"
    alike = "much as" if tau >= ALIKE else "otherwise than"
    return f"The systems are ordered {alike} at depth {deepest} (tau {tau:.2f})"


def sentences(view: View) -> dict[str, list[list[str]]]:
    """Return every sentence of a view by metric and depth."""
    metrics, depths = range(len(view.setting.metrics)), range(len(view.setting.depths))
    judged = [who_is_unjudged(view, depth) for depth in depths]
    said = {
        "first": who_is_first,
        "sure": how_surely,
        "apart": how_many_differ,
        "order": how_it_changes,
    }
    found = {
        name: [[say(view, metric, depth) for depth in depths] for metric in metrics]
        for name, say in said.items()
    }
    return found | {"judged": [judged]}
