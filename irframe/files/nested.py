"""Dictionaries in dictionaries: topic -> document -> number, and what MTEB has around these."""

from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.errors import IdError, InputError, shortened
from irframe.files.ids import is_utf8, refuse_unfit
from irframe.files.values import framed

Nested = Mapping[Any, Any]

DEEPEST = 6
"""How many dictionaries may stand one in another: predictions of MTEB by system have five."""
_META = "mteb_model_meta"
"""Key under which MTEB says which model made its predictions."""


def height(value: Any, most: int = DEEPEST) -> int | None:
    """Return how many dictionaries stand one in another; None where an empty one hides it.

    Raises
    ------
    InputError
        For more than `most`.

    Examples
    --------
    >>> height(0.5), height({"d1": 0.5}), height({"q1": {"d1": 0.5}}), height({})
    (0, 1, 2, None)
    """
    if not isinstance(value, Mapping):
        return 0
    if not most:
        raise InputError(f"dictionaries at most {DEEPEST} deep", "deeper ones")
    below = (height(part, most - 1) for part in value.values())
    # The first that is not empty speaks for all: to look at each would cost as much as to read
    # them.
    first = next((levels for levels in below if levels is not None), None)
    return None if first is None else first + 1


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
    topics = pd.Series([*nested], dtype=object, name=words.TOPIC)
    if not is_utf8([topic for topic in topics if isinstance(topic, str)]):
        refuse_unfit(topics, IdError, "topics")
    lengths = [len(docs) for docs in nested.values()]
    rows = pd.Series(np.repeat(topics.to_numpy(), lengths), dtype=object)
    with suppress(OverflowError):  # pandas before 3 takes a large number for a float
        rows = rows.infer_objects()
    return framed(
        {
            words.TOPIC: rows,
            words.DOC: [*chain.from_iterable(nested.values())],
            value: [entry for docs in nested.values() for entry in docs.values()],
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
    meta = nested[_META]
    model = meta.get("model_name") if isinstance(meta, Mapping) else meta
    if not isinstance(model, str | None):
        raise InputError(f"the name of a model in {_META}", shortened(model))
    parts = []
    for subset, splits in nested.items():
        if subset == _META:
            continue
        for split, topics in splits.items() if isinstance(splits, Mapping) else [("", splits)]:
            if not isinstance(topics, Mapping):
                wanted = "predictions of MTEB, {subset: {split: {topic: {doc: score}}}}"
                raise InputError(wanted, f"a {type(topics).__name__} under {subset!r}")
            parts.append(flatten(topics, value).assign(subset=subset, split=split))
    if not parts:
        raise InputError("predictions of MTEB", "none below the model's name")
    frame = pd.concat(parts, ignore_index=True)
    alone = [name for name in ("subset", "split") if len(frame[name].unique()) == 1]
    frame = frame.drop(columns=alone)
    if model is not None:
        frame.insert(0, words.SYSTEM, model)
    return frame
