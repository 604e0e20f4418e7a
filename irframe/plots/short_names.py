"""Long names, made short enough for a figure and still told apart."""

from collections.abc import Hashable, Sequence

ELLIPSIS = "…"
"""What stands for the characters left out."""
LEAST = 5
"""Fewest characters of a name that was shortened."""


def short_names(names: Sequence[Hashable], most: int) -> list[str]:
    """Return names of at most so many characters, with an ellipsis in the middle of longer ones.

    Names that differ stay different, and keep more characters where they must for that.

    Parameters
    ----------
    names
        What is named, such as systems.
    most
        Characters that there is room for; 5 at least are kept.

    Examples
    --------
    >>> short_names(["bm25", "dense-retrieval-run-1", "dense-retrieval-run-2"], 12)
    ['bm25', 'dense-…run-1', 'dense-…run-2']
    >>> short_names(["our-lab-run-1-of-2026-05", "our-lab-run-2-of-2026-05"], 9)
    ['…run-1-o…', '…run-2-o…']
    """
    texts = [str(name) for name in names]
    distinct = len(set(texts))
    for length in range(max(most, LEAST), max(map(len, texts), default=0)):
        for tried in _shortened(texts, length):
            if len(set(tried)) == distinct:
                return tried
    return texts


def _shortened(texts: list[str], length: int) -> list[list[str]]:
    """Return ways to cut texts to a length: more of the head, of the tail, or where they part."""
    kept = length - 1
    heads = sorted(range(2, kept - 1), key=lambda head: abs(head - (kept + 1) // 2))
    ways = [[_middle(text, head, kept - head, length) for text in texts] for head in heads]
    start = max(0, _shared_start([t for t in texts if len(t) > length]) - kept // 2)
    parts = [f"{ELLIPSIS}{text[start : start + kept - 1]}{ELLIPSIS}" for text in texts]
    whole = zip(texts, parts, strict=True)
    return [*ways, [text if len(text) <= length else part for text, part in whole]]


def _middle(text: str, head: int, tail: int, length: int) -> str:
    return text if len(text) <= length else text[:head] + ELLIPSIS + text[len(text) - tail :]


def _shared_start(texts: list[str]) -> int:
    """Return how many characters texts have in common at their start."""
    columns = enumerate(zip(*texts, strict=False))
    return next((place for place, letters in columns if len(set(letters)) > 1), 0)
