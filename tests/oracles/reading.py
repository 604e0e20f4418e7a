"""Reference implementations of metrics of the C/W/L framework.

An oracle computes C(1), C(2), ... down to the horizon, where ranks past the end of a list have gain
0. `quantities` derives the quantities as in Moffat et al. (2017, doi:10.1145/3052768).
"""

import math
from functools import wraps

from scipy.special import polygamma

from .binary import average_precision
from .topic import add_up, count_relevant, gain_of, is_relevant


def padded(topic, k, ranks, gain, rel):
    """Return the gains of the first k documents, then zeros."""
    gains = [gain_of(grade, gain, topic.gmax, rel) for grade in topic.serp[:k]]
    return (gains + [0.0] * ranks)[:ranks]


def quantities(gains, step, endless=0.0):
    """Return the five C/W/L quantities of a user model.

    The function `step` takes a rank, its gain and the cumulated gain, and returns the continuation
    probability. `endless` is the expected number of ranks that users read past the last gain if
    they reach it.
    """
    total, reading, so_far, depth, lasts = 0.0, 1.0, 0.0, 0.0, []
    for rank, g in enumerate(gains, start=1):
        so_far += g
        depth += reading
        total += reading * g
        goes_on = step(rank, g, so_far)
        lasts.append((reading * (1 - goes_on), so_far, rank))
        reading *= goes_on
    expected_depth = depth + reading * endless
    if endless:  # users who read past the last rank stop with the gain of the whole list
        lasts.append((reading, so_far, len(gains) + endless))
    return {
        "expected_utility": total / expected_depth,
        "expected_total_utility": add_up(last * gain for last, gain, _ in lasts),
        "expected_cost": 1.0,
        "expected_total_cost": add_up(last * rank for last, _, rank in lasts),
        "expected_depth": expected_depth,
    }


def stopping(topic, k, step, *, gain, rel):
    """Return the C/W/L quantities of users who stop by k."""
    gains = padded(topic, k, k, gain, rel)
    return quantities(gains, lambda rank, g, so_far: step(rank, g, so_far) if rank < k else 0.0)


def precision(topic, k, *, gain="binary", rel=1):
    """Return the C/W/L quantities of P: users read k ranks."""
    return stopping(topic, k, lambda *_: 1.0, gain=gain, rel=rel)


def scaled_dcg(topic, k, *, gain="linear", rel=1):
    """Return the C/W/L quantities of SDCG.

    ``C(i) = log(i + 1) / log(i + 2)``.
    """
    step = lambda i, *_: math.log(i + 1) / math.log(i + 2)  # noqa: E731
    return stopping(topic, k, step, gain=gain, rel=rel)


def bejeweled(topic, k, *, T=1.0, gain="linear", rel=1):
    """Return the C/W/L quantities of BPM, stopping at T."""
    return stopping(topic, k, lambda _, __, y: float(y + 1e-9 < T), gain=gain, rel=rel)


def dynamic_bejeweled(
    topic, k, *, T=1.0, K=10, hb=1.0, hc=1.0, median=0.5, gain="linear", rel=1, horizon=1000
):
    """Return the C/W/L quantities of DynamicBPM.

    The target T and the patience K change with the gain of every rank.
    """
    goal, patience = T, K

    def step(i, g, y):
        nonlocal goal, patience
        goes_on = y + 1e-9 < goal and i + 1e-9 < patience
        goal += hb * (g - median)
        patience += hc * (g - median)
        return float(goes_on)

    return quantities(padded(topic, k, horizon, gain, rel), step)


def inverse_squares(topic, k, *, T=1.0, gain="linear", rel=1, horizon=1000):
    """Return the C/W/L quantities of INSQ.

    ``C(i) = ((i + 2T - 1) / (i + 2T))^2``.
    """
    gains = padded(topic, k, horizon or k, gain, rel)
    step = lambda i, *_: ((i + 2 * T - 1) / (i + 2 * T)) ** 2  # noqa: E731
    return quantities(gains, step, 0.0 if horizon else squares(k + 2 * T))


def squares(first):
    """Return the sum of squared ``first / (first + i)``."""
    return float(first**2 * polygamma(1, first))


def adapting_inverse_squares(topic, k, *, T=1.0, gain="linear", rel=1, horizon=1000):
    """Return the C/W/L quantities of INST.

    ``C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2``, with T_i = T minus the gain so far.
    """
    gains = padded(topic, k, horizon or k, gain, rel)
    step = lambda i, _, y: ((i + 2 * T - y - 1) / (i + 2 * T - y)) ** 2  # noqa: E731
    return quantities(gains, step, 0.0 if horizon else squares(k + 2 * T - add_up(gains)))


def nearly_err(topic, k, *, stop="satisfied", p=0.9, T=1.0, gain="linear", rel=1, horizon=1000):
    """Return the C/W/L quantities of NERR, equations 8 to 11.

    ``C(i) = 1 - g(i)``, times 1, i / (i + 1), p, or C(i) of INSQ.
    """
    steps = {
        "satisfied": lambda _, g, __: 1 - g,
        "rank": lambda i, g, _: (1 - g) * i / (i + 1),
        "RBP": lambda _, g, __: p * (1 - g),
        "INSQ": lambda i, g, _: (1 - g) * ((i + 2 * T - 1) / (i + 2 * T)) ** 2,
    }
    if stop in ("satisfied", "rank"):
        return stopping(topic, k, steps[stop], gain=gain, rel=rel)
    gains = padded(topic, k, horizon or k, gain, rel)
    endless = 1 / (1 - p) if stop == "RBP" else squares(k + 2 * T)
    return quantities(gains, steps[stop], 0.0 if horizon else endless)


def foraging(
    topic,
    k,
    *,
    T=None,
    b1=None,
    R1=None,
    A=None,
    b2=None,
    R2=None,
    gain="linear",
    rel=1,
    horizon=1000,
):
    """Return C/W/L quantities of IFT with goal, rate or both.

    C(i) is 1 - 1 / (1 + b1 e^((T - y) R1)) for a goal, 1 / (1 + b2 e^((A - y/i) R2)) for a rate.
    """

    def step(i, g, y):  # noqa: ARG001
        goal = 1 if T is None else 1 - 1 / (1 + b1 * math.exp((T - y) * R1))
        return goal if A is None else goal / (1 + b2 * math.exp((A - y / i) * R2))

    gains = padded(topic, k, horizon or k, gain, rel)
    return quantities(gains, step, 0.0 if horizon else 1 / (1 - step(k, 0.0, add_up(gains))))


def rank_biased(topic, k, *, p=0.8, gain="binary", rel=1):
    """Return the C/W/L quantities of RBP: C(i) = p."""
    return quantities(padded(topic, k, k, gain, rel), lambda *_: p, 1 / (1 - p))


def reciprocal_rank(topic, k, *, rel=1):
    """Return the C/W/L quantities of RR."""
    gains = padded(topic, k, 1000, "binary", rel)
    return quantities(gains, lambda _, g, __: 1.0 - g)


def average(topic, k, *, norm="R", rel=1):
    """Return the C/W/L quantities of AP.

    ``C(i) = sum_(j>i) r_j/j / sum_(j>=i) r_j/j``. Documents that were not retrieved have an
    infinite rank.
    """
    result = [is_relevant(grade, rel) for grade in topic.serp[:k]]
    rates = [r / rank for rank, r in enumerate(result, start=1)]
    AP, R = average_precision(topic, k, norm=norm, rel=rel), count_relevant(topic.judged, rel)
    R = min(R, k) if norm == "min" else R
    depth = R / add_up(rates) if add_up(rates) else math.nan
    return {
        "expected_utility": AP,
        "expected_total_utility": AP * depth if add_up(rates) else 0.0,
        "expected_cost": 1.0,
        "expected_total_cost": depth,
        "expected_depth": depth,
    }


QUANTITIES = {
    "AP": average,
    "BPM": bejeweled,
    "DynamicBPM": dynamic_bejeweled,
    "IFT": foraging,
    "INSQ": inverse_squares,
    "INST": adapting_inverse_squares,
    "NERR": nearly_err,
    "P": precision,
    "RBP": rank_biased,
    "RR": reciprocal_rank,
    "SDCG": scaled_dcg,
}
"""Mapping from a metric to the function that computes the five C/W/L quantities of a topic."""


def utility(name):
    """Return the reference implementation of a metric: its expected utility."""

    @wraps(QUANTITIES[name])
    def score(topic, k, **fields):
        return QUANTITIES[name](topic, k, **fields)["expected_utility"]

    return score
