"""The vocabulary: which words a kernel may read, and what they need."""

import inspect
from typing import Any

from irframe.errors import MetricError
from irframe.metrics.evidence import Evidence, parameters

__all__ = ["NO_WORDS", "refuse_words", "words"]

NO_WORDS = ("read", "condensed")
"""What is public of the evidence and no word."""


def words() -> dict[str, str]:
    """Return what a kernel may read: every word, with the first line of what it says.

    Examples
    --------
    >>> words()["relevant"]
    'Whether the document at a rank is relevant; shape (..., depth).'
    """
    return {name: _first_line(getattr(Evidence, name)) for name in _vocabulary()}


def _vocabulary() -> list[str]:
    return sorted(name for name in vars(Evidence) if name[0] != "_" and name not in NO_WORDS)


def _first_line(word: Any) -> str:
    return (inspect.getdoc(word) or "").partition("\n")[0]


def refuse_words(metric: type, kernel: str) -> None:
    """Raise if a kernel asks for what is no word, or for a word of fields that its metric lacks.

    Parameters
    ----------
    metric
        The class, as it is being made.
    kernel
        The name of its kernel.
    """
    known, name = _vocabulary(), f"{metric.__name__}.{kernel}"
    asked = parameters(getattr(metric, kernel))
    unknown = [word for word in asked if word not in known]
    if unknown:
        wanted = f"words of the vocabulary in {name}: {', '.join(known)}"
        raise MetricError(wanted, "", "", unknown)
    fields = {field for kind in metric.__mro__ for field in getattr(kind, "__annotations__", {})}
    calls = {word: call for word in asked if callable(call := getattr(Evidence, word))}
    missing = [
        f"{parameter} for {word}"
        for word, call in calls.items()
        for parameter in parameters(call)
        if parameter not in fields
    ]
    if missing:
        raise MetricError(f"a field for what {name} reads", "none", "", missing)
