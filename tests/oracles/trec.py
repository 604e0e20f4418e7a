"""Reference implementations of further metrics of trec_eval."""

import math

from .binary import (
    average_precision,
    interpolated_precision,
    number_retrieved,
    recall,
    set_precision,
)
from .graded import discounted, gains, ideal_gains
from .topic import add_up, count_relevant, is_relevant


def relative_precision(topic, k, *, rel=1):
    """Return RelativeP."""
    most = min(k, count_relevant(topic.judged, rel))
    return count_relevant(topic.serp[:k], rel) / most if most else 0.0


def set_relative_precision(topic, k, *, rel=1):
    """Return SetRelativeP."""
    most = min(int(number_retrieved(topic, k)), count_relevant(topic.judged, rel))
    return count_relevant(topic.serp[:k], rel) / most if most else 0.0


def set_average_precision(topic, k, *, rel=1):
    """Return SetAP, precision times recall of the set."""
    return set_precision(topic, k, rel=rel) * recall(topic, k, rel=rel)


def g_measure(topic, k, *, gain=None, rel=1):
    """Return G."""
    gain = {grade: grade for grade in range(128)} if gain in (None, "Linear(top=1)") else gain
    collected, best = gains(topic, k, gain, rel), ideal_gains(topic, k, gain, "judged", rel)
    total = 0.0
    for rank, g in enumerate(collected, start=1):
        ideal = add_up(max(g, 1) for g in best[:rank]) + max(rank - len(best), 0)
        total += g / math.log2(2 + ideal - add_up(collected[:rank]))
    return total / add_up(best) if add_up(best) else 0.0


def binary_g(topic, k, *, rel=1):
    """Return BinG."""
    R, above, total = count_relevant(topic.judged, rel), 0, 0.0
    for grade in topic.serp[:k]:
        if is_relevant(grade, rel):
            total += 1 / math.log2(2 + above)
        else:
            above += 1
    return total / R if R else 0.0


def utility(topic, k, *, a=1.0, b=-1.0, c=0.0, d=0.0, docs=0, rel=1):
    """Return the utility of the contingency table."""
    hits = count_relevant(topic.serp[:k], rel)
    noise = len(topic.serp[:k]) - hits
    missed = count_relevant(topic.judged, rel) - hits
    return a * hits + b * noise + c * missed + d * (docs - hits - noise - missed)


def yet_another_average_precision(topic, k, *, rel=1):
    """Return YAAP."""
    R = count_relevant(topic.judged, rel)
    S = R * average_precision(topic, k, rel=rel)
    return math.log((1 + S) / (1 + R - S))


def interpolated_average_precision(
    topic, k, *, levels=tuple(i / 10 for i in range(11)), rounding="up", rel=1
):
    """Return InterpolatedAP."""
    options = {"rounding": rounding, "rel": rel}
    highest_first = sorted(levels, reverse=True)
    points = [interpolated_precision(topic, k, recall=level, **options) for level in highest_first]
    return add_up(points) / len(points)


def r_precision_at_multiple(topic, k, *, multiple=1.0, rel=1):
    """Return RprecMult of the list cut at k."""
    cut = int(multiple * count_relevant(topic.judged, rel) + 0.9)
    return count_relevant(topic.serp[:k][:cut], rel) / cut if cut else 0.0


def ndcg_over_relevant(topic, k, *, gain="linear", rel=1):
    """Return nDCGRel."""
    collected = gains(topic, k, gain, rel)
    best = [g for g in ideal_gains(topic, k, gain, "judged", rel) if g > 0]
    if not best:
        return 0.0
    shares = [
        share(collected[:rank], best[:rank])
        for rank in range(1, len(collected) + 1)
        if collected[rank - 1]
    ]
    missing = len(best) - len(shares)
    return (add_up(shares) + missing * share(collected, best)) / len(best)


def ndcg_over_levels(topic, k, *, gain="linear", rel=1):
    """Return RnDCG."""
    collected = gains(topic, k, gain, rel)
    best = [g for g in ideal_gains(topic, k, gain, "judged", rel) if g > 0]
    ends = [i for i, g in enumerate(best, start=1) if i == len(best) or best[i] != g]
    points = [share(collected[:end], best[:end]) for end in ends]
    if best and len(collected) > len(best) + 1:
        points.append(share(collected, best))
    return add_up(points) / len(points) if points else 0.0


def share(collected, best):
    """Return the ratio of two discounted gains."""
    return discounted(collected, "log2", 2) / discounted(best, "log2", 2)


def number_nonrelevant_judged(topic, k, *, rel=1):
    """Return NumNonrelJudgedRet."""
    return float(add_up(grade is not None and 0 <= grade < rel for grade in topic.serp[:k]))
