"""Reference implementations of relative positions, Twist and compatibility.

The definitions are Definitions 1 to 6 of Ferro et al., JASIST 67, 2016, doi:10.1002/asi.23416. The
ideal run and the full-scale run are lists; the ranks of a grade are looked up in them.
Compatibility is rank-biased overlap with the ideal ranking that is most similar to the list.
"""

import itertools
import math

from .topic import add_up, is_relevant


def grades_at(topic, k, rel, length=None):
    """Return padded grades of the list cut at k.

    Non-relevant grades are 0.
    """
    R = add_up(grade >= rel for grade in topic.judged)
    cut = [grade if grade is not None and grade >= rel else 0 for grade in topic.serp[:k]]
    return cut + [0] * (max(length or k, 2 * R) - len(cut))


def ideal_run(topic, rel, length):
    """Return the ideal ranking, padded to a length."""
    relevant = sorted((grade for grade in topic.judged if grade >= rel), reverse=True)
    return relevant + [0] * (length - len(relevant))


def relative_positions(run, ideal):
    """Return the relative position at every rank."""
    positions = []
    for j, grade in enumerate(run, start=1):
        places = [rank for rank, best in enumerate(ideal, start=1) if best == grade]
        low, high = (min(places), max(places)) if places else (len(ideal) + 1, math.inf)
        positions.append(j - low if j < low else j - high if j > high else 0)
    return positions


def cumulated(positions):
    """Return the cumulated sums of values."""
    return [add_up(positions[: j + 1]) for j in range(len(positions))]


def first_crossing(curve, crossing):
    """Return the rank of the first crossing, or infinity."""
    if not any(curve):
        return 1
    for j, (here, then) in enumerate(itertools.pairwise(curve), start=1):
        if crossing == "sign_change":
            crosses = here < 0 <= then or here > 0 >= then
        elif crossing == "definition":
            crosses = here <= 0 <= then or here >= 0 >= then
        else:
            crosses = (here > 0) != (then > 0)
        if crosses:
            return j
    return math.inf


def spaces(positions):
    """Return the sums of positive and of negative relative positions."""
    return add_up(p for p in positions if p > 0), add_up(-p for p in positions if p < 0)


def cumulated_relative_position(topic, k, *, rel=1):
    """Return CRP."""
    run = grades_at(topic, k, rel)
    ideal = ideal_run(topic, rel, len(run))
    return cumulated(relative_positions(run, ideal))[k - 1] if any(ideal) else math.nan


def balance_point(topic, k, *, crossing="sign_change", rel=1):
    """Return the balance point, which is at least R."""
    run = grades_at(topic, k, rel)
    ideal = ideal_run(topic, rel, len(run))
    if not any(ideal):
        return math.nan
    curve = cumulated(relative_positions(run, ideal))
    return max(add_up(grade > 0 for grade in ideal), first_crossing(curve, crossing))


def recovery_ratio(topic, k, *, crossing="sign_change", rel=1):
    """Return the recovery ratio, R over the balance point."""
    R = add_up(grade >= rel for grade in topic.judged)
    return R / balance_point(topic, k, crossing=crossing, rel=rel)


def space_ratio(topic, k, *, rel=1):
    """Return the space ratio."""
    run = grades_at(topic, k, rel)
    ideal = ideal_run(topic, rel, len(run))
    if not any(ideal):
        return math.nan
    moved = spaces(relative_positions(run, ideal))
    worst = spaces(relative_positions(ideal[::-1], ideal))
    plus, minus = (1 - movement / most for movement, most in zip(moved, worst, strict=True))
    return 2 * plus * minus / (plus + minus) if plus + minus else 0.0


def twist(topic, k, *, crossing="sign_change", rel=1):
    """Return Twist, the mean of recovery and space ratio."""
    recovery = recovery_ratio(topic, k, crossing=crossing, rel=rel)
    return (recovery + space_ratio(topic, k, rel=rel)) / 2


def excellent(topic, k, *, crossing="sign_change", rel=1):
    """Return the kind of an excellent run, or ""."""
    if archetype(topic, k, crossing=crossing, rel=rel) != "excellent":
        return ""
    run = grades_at(topic, k, rel)
    ideal = ideal_run(topic, rel, len(run))
    R = len([grade for grade in ideal if grade > 0])
    curve = cumulated(relative_positions(run, ideal))
    first = first_crossing(curve, crossing)
    if any(curve[j - 1] < 0 for j in range(1, R + 1) if j > first):
        return "ups-and-downs"
    return "excellent A" if sorted(run[:R]) == sorted(ideal[:R]) else "excellent B"


def archetype(topic, k, *, crossing="sign_change", rel=1):
    """Return the archetype of a run."""
    run = grades_at(topic, k, rel)
    ideal = ideal_run(topic, rel, len(run))
    R = add_up(grade > 0 for grade in ideal)
    if not R:
        return ""
    first = first_crossing(cumulated(relative_positions(run, ideal)), crossing)
    kinds = {
        "ideal": run == ideal,
        "worst": not any(run),
        "full scale": run == ideal[::-1],
        "excellent": first <= R,
        "typical B": first == math.inf,
        "typical A": True,
    }
    return next(kind for kind, fits in kinds.items() if fits)


def compatibility(topic, k, *, p=0.95, normalize=True, rel=1):
    """Return compatibility, normalised by the ideal ranking."""
    names = list(enumerate(topic.serp[:k]))
    remaining = list(topic.judged)
    for _, grade in names:
        if grade is not None:
            remaining.remove(grade)
    documents = [*names, *((f"missed{n}", grade) for n, grade in enumerate(remaining))]
    ideal = [pair for pair in documents if is_relevant(pair[1], rel)]
    ideal.sort(key=lambda pair: -pair[1])
    depth = max(len(names), len(ideal))
    best = overlap(ideal, ideal, p, depth) if normalize else add_up(p**i for i in range(depth))
    return overlap(names, ideal, p, depth) / best if best else 0.0


def overlap(first, second, p, depth):
    """Return the truncated sum of rank-biased overlap."""
    return add_up(p ** (i - 1) * len({*first[:i]} & {*second[:i]}) / i for i in range(1, depth + 1))
