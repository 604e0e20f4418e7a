"""Reference implementations of metrics of spans, by character.

An oracle takes the evidence of a topic as a list of (doc, start, end), the retrieved spans in the
order of their ranks, and a depth.
"""

from .topic import add_up


def characters(spans):
    """Return the set of characters of some spans."""
    return {(doc, position) for doc, start, end in spans for position in range(start, end)}


def amounts(evidence, retrieved, k):
    """Return amounts of evidence read, evidence, and text read."""
    needed = characters(evidence)
    shown = add_up(end - start for _, start, end in retrieved[:k])
    return len(characters(retrieved[:k]) & needed), len(needed), shown


def recall(evidence, retrieved, k):
    """Return SpanR."""
    covered, n_evidence, _ = amounts(evidence, retrieved, k)
    return covered / n_evidence if n_evidence else 0.0


def precision(evidence, retrieved, k):
    """Return SpanP."""
    covered, _, shown = amounts(evidence, retrieved, k)
    return covered / shown if shown else 0.0


def union(evidence, retrieved, k):
    """Return SpanIoU."""
    covered, n_evidence, shown = amounts(evidence, retrieved, k)
    missing = len(characters(evidence) - characters(retrieved[:k]))
    assert missing == n_evidence - covered
    return covered / (shown + missing) if shown + missing else 0.0


def f_measure(evidence, retrieved, k, beta=1.0):
    """Return SpanF."""
    p, r = precision(evidence, retrieved, k), recall(evidence, retrieved, k)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def everything(evidence, retrieved, k, share=1.0):
    """Return All."""
    covered, n_evidence, _ = amounts(evidence, retrieved, k)
    return float(covered >= share * n_evidence - 1e-9) if n_evidence else float("nan")


def every_set(evidence, retrieved, k):
    """Return All for sets of spans (doc, start, end, set)."""
    covered = characters(retrieved[:k])
    complete = {name for *span, name in evidence if characters([span]) <= covered}
    return float(complete == {name for *_, name in evidence}) if evidence else float("nan")


def decayed(topic, lengths, k, patience=132000.0, norm=1.0):
    """Return the U-measure."""
    total = position = 0.0
    for grade, length in list(zip(topic, lengths, strict=True))[:k]:
        position += length
        total += grade / max(topic) * max(0.0, 1 - position / patience)
    return total / norm


def time_biased(topic, lengths, k, half_life=224.0):
    """Return time-biased gain."""
    total = seconds = 0.0
    for grade, words in list(zip(topic, lengths, strict=True))[:k]:
        total += (grade >= 1) * 0.64 * 0.77 * 0.5 ** (seconds / half_life)
        seconds += 4.4 + (0.018 * words + 7.8) * (0.64 if grade >= 1 else 0.39)
    return total


ORACLES = {
    "U": decayed,
    "TBG": time_biased,
    "SpanR": recall,
    "SpanP": precision,
    "SpanIoU": union,
    "SpanF": f_measure,
}
