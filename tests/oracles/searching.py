"""Reference implementations of search lengths.

The definitions are those of Lin et al. 2021 (doi:10.1145/3404835.3463034) and Alex et al. 2022
(doi:10.48550/arXiv.2201.01745). Without relevant documents, a search length is NaN, whereas other
metrics are 0.
"""

import math
from statistics import fmean, harmonic_mean

from .topic import count_relevant, is_relevant


def expected_search_length(topic, k, *, rel=1):
    """Return ESL."""
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            return float(rank)
    return math.nan


def search_lengths(topic, k, *, unretrieved="irrel", rel=1):
    """Return the search length of every relevant document.

    Retrieved documents come first, in rank order.
    """
    lengths, irrelevant = [], 0
    for grade in topic.serp[:k]:
        if is_relevant(grade, rel):
            lengths.append(irrelevant + 1)
        else:
            irrelevant += 1
    missing = count_relevant(topic.judged, rel) - len(lengths)
    costs = {"irrel": irrelevant, "irrel+1": irrelevant + 1}
    return lengths + [costs.get(unretrieved, unretrieved)] * missing


def atomized_search_length(topic, k, *, first=None, unretrieved="irrel", rel=1):
    """Return ASL."""
    lengths = search_lengths(topic, k, unretrieved=unretrieved, rel=rel)[:first]
    return fmean(lengths) if lengths else math.nan


def atomized_precision(topic, k, *, mean="arithmetic", unretrieved="irrel", rel=1):
    """Return AtomizedP, with search lengths of at least 1."""
    lengths = search_lengths(topic, k, unretrieved=unretrieved, rel=rel)
    precisions = [1 / max(length, 1) for length in lengths]
    if not precisions:
        return math.nan
    return harmonic_mean(precisions) if mean == "harmonic" else fmean(precisions)


def inverse_search_length(topic, k, *, unretrieved="irrel", rel=1):
    """Return the reciprocal of the mean search length."""
    return atomized_precision(topic, k, mean="harmonic", unretrieved=unretrieved, rel=rel)


def wins_and_losses(a, b, bins, width):
    """Return counts of differences by size.

    The bins are wins of b, no difference, and wins of a. The outer bins are unbounded.
    """
    counts = [0] * (2 * bins + 1)
    for x, y in zip(a, b, strict=True):
        size = min(math.ceil(abs(x - y) / width), bins)
        counts[bins + (size if x > y else -size)] += 1
    return counts
