"""Judges who judged several times: passes of a model, which are one judge and not several."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.errors import InputError, ParameterError
from irframe.files.as_runs import as_qrels
from irframe.files.repeats import repeat_column
from irframe.names import DOC, REPEAT_NAMES, TOPIC, roles

PASSES = "pass"
"""What repeats of judgments are called."""


class Passes(NamedTuple):
    """Judgments by pass, and whose they are."""

    qrels: dict[Any, Any]
    """What a pass is called -> its judgments."""
    judges: list[Any]
    """What the judges are called."""
    owner: Array
    """The place of the judge of every pass, rising."""

    @property
    def counts(self) -> Array:
        """How many passes each judge has."""
        return np.bincount(self.owner, minlength=len(self.judges))

    @property
    def several(self) -> Array:
        """The places of the judges with several passes."""
        return np.flatnonzero(self.counts > 1)

    def of(self, judge: Any) -> list[Any]:
        """Return what the passes of a judge are called."""
        place = self.judges.index(judge)
        return [name for name, own in zip(self.qrels, self.owner, strict=True) if own == place]


def passes_of(judges: Mapping[Any, Any]) -> Passes:
    """Part the passes of judges.

    Parameters
    ----------
    judges
        Judge -> qrels; or a list of qrels, a pass each, or a frame with a column of passes.

    Examples
    --------
    >>> one, two = {"q": {"d": 0}}, {"q": {"d": 1}}
    >>> found = passes_of({"people": one, "model": [one, two]})
    >>> list(found.qrels), found.owner.tolist()
    (['people', 'model [pass 1]', 'model [pass 2]'], [0, 1, 1])
    """
    if not isinstance(judges, Mapping):
        raise ParameterError("at least two judges, {name: qrels}", type(judges).__name__)
    every: dict[Any, Any] = {}
    owner = []
    for place, (name, given) in enumerate(judges.items()):
        if isinstance(given, list | tuple) and not given:
            raise InputError(f"passes of judge {name!r}", "none")
        parts = _parts(given)
        many = len(parts) > 1
        named = {f"{name} [pass {key}]" if many else name: part for key, part in parts.items()}
        every |= named
        owner += [place] * len(named)
    return Passes(every, list(judges), np.array(owner, int))


def _parts(given: Any) -> dict[Any, Any]:
    """Return the passes of a judge by what they are called."""
    if isinstance(given, list | tuple) and given and all(map(_is_qrels, given)):
        return dict(enumerate(given, start=1))
    if not isinstance(given, pd.DataFrame) or not {*REPEAT_NAMES} & {*given.columns}:
        return {1: given}
    frame = as_qrels(given)
    found = roles(frame.columns)
    word = repeat_column(frame, [found[TOPIC], found[DOC]])
    if word is None:
        return {1: given}
    return {key: part.drop(columns=word) for key, part in frame.groupby(word)}


def _is_qrels(part: Any) -> bool:
    """Tell whether an element of a list is all judgments of a pass, and not one of them."""
    nested = isinstance(part, Mapping) and all(isinstance(x, Mapping) for x in part.values())
    return isinstance(part, pd.DataFrame) or (nested and bool(part))


def by_judge(given: Array, owner: Array) -> Array:
    """Return the share of a judge's passes that give a document a grade.

    Parameters
    ----------
    given
        Whether a pass does, shape (pass, grade, document).
    owner
        The place of each pass's judge, rising.

    Returns
    -------
    numpy.ndarray
        Shape (judge, grade, document), 0 where no pass judged it.
    """
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    total = np.add.reduceat(given.astype(float), starts, axis=0)
    judging = total.sum(axis=1, keepdims=True)
    return np.divide(total, judging, out=np.zeros_like(total), where=judging > 0)


def between(shares: Array) -> Array:
    """Return how often grades of different judges coincide, each judge once, (grade, grade).

    Parameters
    ----------
    shares
        Of each judge and document, those of the grades, shape (judge, grade, document).
    """
    judging = shares.sum(axis=(0, 1))
    weight = np.where(judging > 1, 1 / np.maximum(judging - 1, 1), 0)
    every = shares.sum(axis=0)
    own = np.einsum("jad,jbd,d->ab", shares, shares, weight, optimize=True)
    return (every * weight) @ every.T - own


def within(given: Array) -> Array:
    """Return how often grades of two passes of a judge coincide, each document once.

    Parameters
    ----------
    given
        Whether a pass of the judge gives a document a grade, shape (pass, grade, document).
    """
    counts = given.sum(axis=0).astype(float)
    passes = counts.sum(axis=0)
    weighted = counts * np.where(passes > 1, 1 / np.maximum(passes * (passes - 1), 1), 0)
    return weighted @ counts.T - np.diag(weighted.sum(axis=1))
