"""Dictionaries in dictionaries, as pytrec_eval, ranx, BEIR and MTEB have runs and judgments."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.names import DOC, SYSTEM, TOPIC

__all__ = ["entries_by_height", "flatten", "is_mteb", "predictions"]

Nested = Mapping[Any, Any]

_META = "mteb_model_meta"
"""Key under which MTEB says which model made its predictions."""


def height(value: Any) -> int | None:
    """Return how many dictionaries stand one in another; None where an empty one hides it.

    Examples
    --------
    >>> height(0.5), height({"d1": 0.5}), height({"q1": {"d1": 0.5}}), height({})
    (0, 1, 2, None)
    """
    if not isinstance(value, Mapping):
        return 0
    below = (height(part) for part in value.values())
    first = next((found for found in below if found is not None), None)
    return None if first is None else first + 1


def entries_by_height(nested: Nested) -> dict[int, list[Any]]:
    """Return the keys of a dictionary by the height of their values, empty values left out."""
    found: dict[int, list[Any]] = {}
    for key, value in nested.items():
        if (size := height(value)) is not None:
            found.setdefault(size, []).append(key)
    return found


def flatten(nested: Nested, value: str) -> pd.DataFrame:
    """Return a row for every topic and document.

    Parameters
    ----------
    nested
        Topic -> document -> number.
    value
        What the column of the numbers is called.

    Examples
    --------
    >>> flatten({"q1": {"d1": 2, "d2": 1}}, "grade")
      topic doc  grade
    0    q1  d1      2
    1    q1  d2      1
    """
    strange = [repr(topic) for topic, docs in nested.items() if not isinstance(docs, Mapping)]
    if strange:
        kinds = sorted({type(docs).__name__ for docs in nested.values()} - {"dict"})
        found = f"topics with values of type {', '.join(kinds)}"
        raise InputError(f"{{topic: {{doc: {value}}}}}", found, "", strange)
    lengths = [len(docs) for docs in nested.values()]
    return pd.DataFrame(
        {
            TOPIC: pd.Series(list(nested)).repeat(lengths).reset_index(drop=True),
            DOC: pd.Series(list(chain.from_iterable(nested.values()))),
            value: pd.Series([each for docs in nested.values() for each in docs.values()]),
        }
    )


def is_mteb(nested: Nested) -> bool:
    """Tell whether a dictionary is what MTEB writes to ``*_predictions.json``."""
    return _META in nested


def predictions(nested: Nested, value: str) -> pd.DataFrame:
    """Return MTEB's predictions, with the subset and the split of the task where it has several.

    Parameters
    ----------
    nested
        ``mteb_model_meta``, and subset -> split -> topic -> document -> score.
    value
        What the column of the scores is called.
    """
    model = nested[_META].get("model_name")
    parts = [
        flatten(topics, value).assign(subset=subset, split=split)
        for subset, split, topics in _splits(nested)
    ]
    if not parts:
        raise InputError("predictions of MTEB", "none below the model's name")
    frame = pd.concat(parts, ignore_index=True)
    alone = [name for name in ("subset", "split") if len(frame[name].unique()) == 1]
    frame = frame.drop(columns=alone)
    if model is not None:
        frame.insert(0, SYSTEM, model)
    return frame


def _splits(nested: Nested) -> Iterator[tuple[Any, Any, Nested]]:
    for subset, splits in nested.items():
        if subset != _META:
            yield from ((subset, split, topics) for split, topics in splits.items())
