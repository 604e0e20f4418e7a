"""Which judged topics are scored."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import IdError, ParameterError
from irframe.experiments.absence import tell_unjudged_topics
from irframe.experiments.lists import Lists
from irframe.experiments.policy import Topics
from irframe.files.ids import Codes
from irframe.names import TOPIC

WORDS = ("qrels", "runs", "common")
"""All judged topics, those for which some run has a list, those for which every run has one."""


def choose_topics(lists: Lists, labels: pd.Index, topics: Topics) -> Codes:
    """Choose the topics to be scored.

    Parameters
    ----------
    lists
        Which lists the runs have.
    labels
        The topics of the qrels.
    topics
        One of `WORDS`, or a list of judged topics, as for `irframe.cube`.

    Returns
    -------
    numpy.ndarray
        Their codes in the qrels.

    Raises
    ------
    ParameterError
        For a listed topic that is not judged, or a chosen one of no known collection.
    IdError
        If no topic is common to all systems, and these are asked for.

    Warns
    -----
    IrframeWarning
        If topics of the runs are not judged, and so left out.
    """
    codes = judged_topics(labels, topics)
    if isinstance(topics, str):
        codes = codes[_there(lists, topics)]
        tell_unjudged_topics(lists.topics[lists.placed < 0])
    lists.collections.refuse_unknown(labels[codes], codes)
    return codes


def judged_topics(labels: pd.Index, topics: Any) -> Codes:
    """Return the codes of listed topics among judged ones, of all where a word tells them."""
    wanted = f"topics {', '.join(map(repr, WORDS))} or a list of topics"
    if isinstance(topics, str) and topics in WORDS:
        return np.arange(len(labels))
    if isinstance(topics, str) or not isinstance(topics, Iterable):
        raise ParameterError(wanted, repr(topics))
    listed: pd.Index = pd.Index(list(topics))
    codes: Codes = labels.get_indexer(listed)
    unknown = listed[codes < 0]
    if len(unknown):
        raise ParameterError("judged topics", "", "", map(repr, unknown))
    if listed.has_duplicates or not len(listed):
        twice = listed[listed.duplicated()]
        raise IdError(f"every {TOPIC} once, at least one", f"{len(twice)} again", "", twice)
    return codes


def _there(lists: Lists, word: str) -> NDArray[np.bool_]:
    """Return which judged topics a word means."""
    some = np.asarray(lists.listed.any(axis=0))
    if word == "common":
        some &= (lists.listed | ~lists.attended).all(axis=0)
    if word == "qrels":
        return np.ones(len(some), bool)
    if not some.any():
        _refuse_none_common(lists)
    return some


def _refuse_none_common(lists: Lists) -> None:
    """Raise, as there is no topic for which every system has a list."""
    counts = lists.listed.sum(axis=1)
    told = [f"{lists.systems[row]} {counts[row]}" for row in np.argsort(counts, kind="stable")]
    wanted = "topics for which every run has a list"
    found, advice = "none; judged topics that runs have", "ask for topics='runs'"
    raise IdError(wanted, found, f"{advice}, or leave runs out", told)
