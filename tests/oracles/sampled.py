"""Reference implementations of bpref and inferred metrics.

A document is a pair (stratum, grade). A negative grade marks a document that was pooled but not
judged. None is a document outside the pool.
"""

import itertools
import math

from .topic import add_up, count_relevant, gain_of, is_relevant

EPSILON = 0.00001
LONGEST = 1000
"""The number of documents to which sample_eval.pl cuts a list."""


def counts(documents, rel=1):
    """Return numbers of pooled, judged and relevant documents by stratum."""
    result = {}
    for stratum, grade in documents:
        pooled, judged, relevant = result.get(stratum, (0, 0, 0))
        result[stratum] = pooled + 1, judged + (grade >= 0), relevant + (grade >= rel)
    return result


def stratified_average_precision(ranking, pool, k, *, rel=1):
    """Return xinfAP."""
    by_stratum = counts(pool, rel)
    total = add_up(r * N / n for N, n, r in by_stratum.values() if n)
    score = 0.0
    for stratum, (N, n, r) in by_stratum.items():
        precisions = []
        for index, document in enumerate(ranking[: min(k, LONGEST)]):
            if document is None or document[0] != stratum or document[1] < rel:
                continue
            above = counts([each for each in ranking[:index] if each is not None], rel)
            expected = add_up(
                size / (index + 1) * (result + EPSILON) / (judged + 3 * EPSILON)
                for size, judged, result in above.values()
            )
            precisions.append(1 / (index + 1) + expected)
        if r:
            score += r * N / n / total * add_up(precisions) / r
    return score * max(1, total / LONGEST)


def walked_ideal(pool, gmax, gain="linear", rel=1):
    """Yield discounted gains of sample_eval's ideal ranking."""
    by_stratum, expected = counts(pool), {}
    for stratum in sorted(by_stratum):
        N, n, _ = by_stratum[stratum]
        for grade in {grade for of, grade in pool if of == stratum and grade >= 0}:
            expected[grade] = expected.get(grade, 0) + pool.count((stratum, grade)) * N / n
    start = 0
    for grade in sorted(expected, key=lambda g: (gain_of(g, gain, gmax, rel), g), reverse=True):
        rank = start + 1
        while rank <= start + expected[grade]:
            yield gain_of(grade, gain, gmax, rel) / math.log2(rank + 1)
            if rank >= LONGEST:
                break
            rank += 1
        start += expected[grade]


def stratified_ndcg(ranking, pool, k, gmax, *, gain="linear", ideal="full", rel=1):
    """Return infNDCG."""
    walk = walked_ideal(pool, gmax, gain, rel)
    optimum = add_up(itertools.islice(walk, k) if ideal == "judged" else walk)
    ranking, total = ranking[: min(k, LONGEST)], 0.0
    counted = counts([each for each in ranking if each is not None])
    for rank, document in enumerate(ranking, 1):
        if document is not None and document[1] >= 0:
            pooled, judged, _ = counted[document[0]]
            value = gain_of(document[1], gain, gmax, rel)
            total += pooled / judged * value / math.log2(1 + rank)
    return total / optimum if optimum else 0.0


def inferred_ndcg(topic, k, *, gain="linear", ideal="full", rel=1):
    """Return infNDCG of a pool with one stratum."""
    ranking = [None if grade is None else ("1", grade) for grade in topic.serp]
    pool = [("1", grade) for grade in topic.judged]
    return stratified_ndcg(ranking, pool, k, topic.gmax, gain=gain, ideal=ideal, rel=rel)


def binary_preference(topic, k, *, variant="trec", rel=1):
    """Return bpref of the list cut at k.

    Documents with negative grades are not judged.
    """
    R = count_relevant(topic.judged, rel)
    N = add_up(grade >= 0 for grade in topic.judged) - R
    above, total = 0, 0.0
    for grade in topic.serp[:k]:
        if is_relevant(grade, rel):
            bound = {"trec": min(R, N), "2004": R}[variant]
            total += 1 - min(above, R) / bound if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return total / R if R else 0.0


def inferred_average_precision(topic, k, *, rel=1):
    """Return infAP of the list cut at k.

    A negative grade marks a pooled document that was not sampled. None is a document outside the
    pool.
    """
    R = count_relevant(topic.judged, rel)
    relevant = nonrelevant = unsampled = 0
    total = 0.0
    for above, grade in enumerate(topic.serp[:k]):
        if grade is not None and grade < 0:
            unsampled += 1
        elif is_relevant(grade, rel):
            pooled = relevant + nonrelevant + unsampled
            share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
            total += (1 + (pooled * share if above else 0)) / (above + 1)
            relevant += 1
        elif grade is not None:
            nonrelevant += 1
    return total / R if R else 0.0
