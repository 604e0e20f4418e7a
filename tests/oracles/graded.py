"""Reference implementations of P, RBP, ERR, DCG, nDCG and Q."""

import math

from .topic import add_up, gain_of, is_relevant, normaliser


def gains(topic, k, gain, rel):
    """Return the gains of the retrieved documents, cut at k."""
    return [gain_of(grade, gain, topic.gmax, rel) for grade in topic.serp[:k]]


def ideal_gains(topic, k, gain, ideal, rel):
    """Return the gains of all judged documents, best first."""
    judged = topic.pool(k) if ideal == "pool" else topic.judged
    return sorted((gain_of(grade, gain, topic.gmax, rel) for grade in judged), reverse=True)


def precision(topic, k, *, gain="binary", rel=1):
    """Return P, the mean gain of the first k ranks."""
    return add_up(gains(topic, k, gain, rel)) / k


def rank_biased_precision(topic, k, *, p=0.8, gain="binary", rel=1):
    """Return RBP with persistence p."""
    return (1 - p) * add_up(g * p**i for i, g in enumerate(gains(topic, k, gain, rel)))


def expected_reciprocal_rank(topic, k, *, gain="exp", rel=1):
    """Return ERR, where gains are stopping probabilities."""
    reading, total = 1.0, 0.0
    for rank, g in enumerate(gains(topic, k, gain, rel), start=1):
        total += reading * g / rank
        reading *= 1 - g
    return total


def discount_at(rank, discount, base):
    """Return the weight of a rank under a discount."""
    if discount == "log2":
        return 1 / math.log2(1 + rank)
    if discount == "zipf":
        return 1 / rank
    if discount == "jk":
        return 1.0 if rank < base else math.log(base) / math.log(rank)
    raise ValueError(discount)


def discounted(values, discount, base):
    """Return the sum of discounted gains."""
    return add_up(g * discount_at(i, discount, base) for i, g in enumerate(values, start=1))


def discounted_cumulative_gain(topic, k, *, gain="linear", discount="log2", base=2, rel=1):
    """Return DCG."""
    return discounted(gains(topic, k, gain, rel), discount, base)


def normalised_discounted_cumulative_gain(
    topic, k, *, gain="linear", discount="log2", base=2, ideal="judged", rel=1
):
    """Return nDCG; ``ideal="full"`` does not cut the ideal ranking."""
    best = ideal_gains(topic, k, gain, ideal, rel)
    iDCG = discounted(best if ideal == "full" else best[:k], discount, base)
    DCG = discounted(gains(topic, k, gain, rel), discount, base)
    return DCG / iDCG if iDCG else 0.0


def q_measure(topic, k, *, beta=1.0, gain="linear", norm="R", ideal="judged", rel=1):
    """Return the Q-measure."""
    N = normaliser(topic, k, norm, rel)
    collected, best = gains(topic, k, gain, rel), ideal_gains(topic, k, gain, ideal, rel)
    result, total = 0, 0.0
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            result += 1
            total += (result + beta * add_up(collected[:rank])) / (
                rank + beta * add_up(best[:rank])
            )
    return total / N if N else 0.0
