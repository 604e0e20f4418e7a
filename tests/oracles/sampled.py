"""Metrics of samples: what is expected of a pool of which a part of every stratum was judged.

Documents are pairs (stratum, grade); a negative grade was pooled and not judged, and a document
outside the pool is None.
"""

import math

from .topic import Gain, Topic, gain_of

EPSILON = 0.00001


def counts(documents, rel=1):
    """Return by stratum how many documents there are, how many judged, and how many relevant."""
    found = {}
    for stratum, grade in documents:
        pooled, judged, relevant = found.get(stratum, (0, 0, 0))
        found[stratum] = pooled + 1, judged + (grade >= 0), relevant + (grade >= rel)
    return found


def stratified_average_precision(ranking, pool, k, *, rel=1):
    """XinfAP: the mean over strata, by estimated relevant documents, of expected precision."""
    whole = counts(pool, rel)
    total = sum(r * N / n for N, n, r in whole.values() if n)
    score = 0.0
    for stratum, (N, n, r) in whole.items():
        precisions = []
        for place, document in enumerate(ranking[:k]):
            if document is None or document[0] != stratum or document[1] < rel:
                continue
            above = counts([each for each in ranking[:place] if each is not None], rel)
            expected = sum(
                size / (place + 1) * (found + EPSILON) / (judged + 3 * EPSILON)
                for size, judged, found in above.values()
            )
            precisions.append(1 / (place + 1) + expected)
        if r:
            score += r * N / n / total * sum(precisions) / r
    return score


def stratified_ndcg(ranking, pool, k, gmax, *, gain="linear", ideal="full", rel=1):
    """InfNDCG: retrieved gain by stratum, what is not judged as what is, over the ideal."""
    worth = {s: N / n for s, (N, n, _) in counts(pool).items() if n}
    grades = {grade for _, grade in pool if grade >= 0}
    expected = {
        g: math.floor(sum(worth[s] for s, grade in pool if grade == g) + 0.5) for g in grades
    }
    best = sorted(gain_of(g, gain, gmax, rel) for g in grades for _ in range(expected[g]))[::-1]
    best = best[:k] if ideal == "judged" else best
    optimum = sum(g / math.log2(1 + rank) for rank, g in enumerate(best, 1))
    seen = counts([each for each in ranking[:k] if each is not None])
    total = 0.0
    for rank, document in enumerate(ranking[:k], 1):
        if document is not None and document[1] >= 0:
            pooled, judged, _ = seen[document[0]]
            value = gain_of(document[1], gain, gmax, rel)
            total += pooled / judged * value / math.log2(1 + rank)
    return total / optimum if optimum else 0.0


def inferred_ndcg(
    topic: Topic, k: int, *, gain: Gain = "linear", ideal: str = "full", rel: int = 1
) -> float:
    """InfNDCG of a pool that is one stratum."""
    ranking = [None if grade is None else ("1", grade) for grade in topic.serp]
    pool = [("1", grade) for grade in topic.judged]
    return stratified_ndcg(ranking, pool, k, topic.gmax, gain=gain, ideal=ideal, rel=rel)
