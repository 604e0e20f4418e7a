"""Reference implementations of metrics for subtopics.

A ranking is a list with a set for each document, which contains the subtopics of the document.
`missed` contains these sets for the judged documents that were not retrieved.
"""

from math import log2

from .topic import add_up


def gains(ranking, k, alpha):
    """Return the gain of each of the first k documents."""
    hits, result = {}, []
    for subtopics in ranking[:k]:
        gain = 0.0
        for name in subtopics:
            gain += (1 - alpha) ** hits.get(name, 0)
        for name in subtopics:
            hits[name] = hits.get(name, 0) + 1
        result.append(gain)
    return result


def ideal(documents, alpha):
    """Return the greedy ideal ranking.

    Among documents with equal gain, the first one is taken.
    """
    remaining, ranking, hits = list(documents), [], {}
    while remaining:
        worth = [
            round(add_up((1 - alpha) ** hits.get(n, 0) for n in each), 12) for each in remaining
        ]
        best = remaining.pop(worth.index(max(worth)))
        ranking.append(best)
        for name in best:
            hits[name] = hits.get(name, 0) + 1
    return ranking


def number(ranking, missed):
    """Return the number of subtopics with a relevant document."""
    return len(set().union(*ranking, *missed))


def discounted(ranking, k, alpha):
    """Return the gains discounted by the logarithm of the rank."""
    return add_up(gain / log2(rank + 2) for rank, gain in enumerate(gains(ranking, k, alpha)))


def cascaded(ranking, k, alpha):
    """Return the gains divided by the rank."""
    return add_up(gain / (rank + 1) for rank, gain in enumerate(gains(ranking, k, alpha)))


def patient(ranking, k, alpha, beta):
    """Return the gains weighted by powers of beta."""
    return add_up(gain * beta**rank for rank, gain in enumerate(gains(ranking, k, alpha)))


def share(value, total):
    """Return a share, or 0 if the denominator is 0."""
    return value / total if total > 0 else 0.0


def alpha_dcg(ranking, missed, k, alpha=0.5, *, bound=True):
    """Return alpha-DCG."""
    total = discounted(ranking, k, alpha)
    everything = set().union(*ranking, *missed)
    return share(total, discounted([everything] * k, k, alpha)) if bound else total


def alpha_ndcg(ranking, missed, k, alpha=0.5):
    """Return alpha-nDCG."""
    best = ideal([*ranking, *missed], alpha)
    return share(discounted(ranking, k, alpha), discounted(best, k, alpha))


def err_ia(ranking, missed, k, alpha=0.5, *, bound=True):
    """Return ERR-IA."""
    everything = set().union(*ranking, *missed)
    total = cascaded([everything] * k, k, alpha) if bound else len(everything)
    return share(cascaded(ranking, k, alpha), total)


def nerr_ia(ranking, missed, k, alpha=0.5):
    """Return nERR-IA."""
    best = ideal([*ranking, *missed], alpha)
    return share(cascaded(ranking, k, alpha), cascaded(best, k, alpha))


def nrbp(ranking, missed, k, alpha=0.5, beta=0.5):
    """Return NRBP."""
    scale = 1 - (1 - alpha) * beta
    return share(scale * patient(ranking, k, alpha, beta), number(ranking, missed))


def nnrbp(ranking, missed, k, alpha=0.5, beta=0.5):
    """Return nNRBP."""
    best = ideal([*ranking, *missed], alpha)
    return share(patient(ranking, k, alpha, beta), patient(best, len(best), alpha, beta))


def mean_over_subtopics(ranking, missed, score):
    """Return the mean of a score over subtopics.

    The score of a subtopic is a function of two arguments: the relevance of the ranked documents,
    and the number of relevant documents.
    """
    names = sorted(set().union(*ranking, *missed), key=str)
    values = [
        score(
            [name in each for each in ranking], add_up(name in each for each in [*ranking, *missed])
        )
        for name in names
    ]
    return share(add_up(values), len(values))


def average_precision(hits, relevant, k):
    """Return AP."""
    ranks = [i for i in range(min(k, len(hits))) if hits[i]]
    return add_up(add_up(hits[: i + 1]) / (i + 1) for i in ranks) / relevant


def precision(hits, relevant, k):  # noqa: ARG001
    """Return P."""
    return add_up(hits[:k]) / k


def intent_aware(ranking, missed, k, metric="AP"):
    """Return IA of AP or P."""
    score = {"AP": average_precision, "P": precision}[metric]
    return mean_over_subtopics(ranking, missed, lambda *found: score(*found, k))


def st_recall(ranking, missed, k):
    """Return subtopic recall."""
    return share(len(set().union(*ranking[:k])), number(ranking, missed))


ORACLES = {
    "ERR_IA": err_ia,
    "IA": intent_aware,
    "NRBP": nrbp,
    "StRecall": st_recall,
    "alpha_DCG": alpha_dcg,
    "alpha_nDCG": alpha_ndcg,
    "nERR_IA": nerr_ia,
    "nNRBP": nnrbp,
}
