"""What a model's judgments say of documents before people judge them."""

from typing import Any

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.names import ALIASES, DOC, GRADE, TOPIC, roles

PROBABILITY = "probability"
BEGUN = (0.05, 0.2, 0.5, 0.8)
"""How likely documents of grades 0, 1, 2, 3 and above are relevant before any is judged."""
WEIGHT = 2.0
"""How many judgments that counts for."""


class GradePrior:
    """How likely documents are relevant that a model gave a grade, as learned from people.

    Parameters
    ----------
    level
        The place of the grade of every document, shape (topic, document).
    begun
        How likely documents of each grade are relevant before any is judged.
    """

    def __init__(self, level: Array, begun: Array) -> None:
        self.level, self.seen = level, np.full(len(begun), WEIGHT)
        self.found = WEIGHT * begun

    def likely(self) -> Array:
        """Return how likely every document is relevant, shape (topic, document)."""
        return np.asarray((self.found / self.seen)[self.level])

    def learn(self, topic: Array, document: Array, relevant: Array) -> None:
        """Take in how relevant some documents were."""
        level = self.level[topic, document]
        np.add.at(self.found, level, relevant)
        np.add.at(self.seen, level, 1.0)


class FixedPrior:
    """How likely documents are relevant, by what was said of each."""

    def __init__(self, likely: Array) -> None:
        self._likely = likely

    def likely(self) -> Array:
        """Return how likely every document is relevant, shape (topic, document)."""
        return self._likely

    def learn(self, topic: Array, document: Array, relevant: Array) -> None:
        """Take in how relevant some documents were, which changes nothing."""


Prior = GradePrior | FixedPrior


def read_prior(prior: pd.DataFrame, topics: pd.Index, names: Array, open_: Array) -> Prior:
    """Read a prior for the documents of a pool.

    Parameters
    ----------
    prior
        A frame with topic, doc, and grade or probability.
    topics, names
        The topics, and the names of their documents, "" where there is none; (topic, document).
    open_
        Which of these are to be judged, (topic, document).

    Raises
    ------
    InputError
        If a column is missing.
    IdError
        If a document stands twice.
    ParameterError
        For probabilities outside [0, 1].

    Warns
    -----
    IrframeWarning
        If documents have no prior: they take the mean of the others.
    """
    columns = _columns(prior)
    known = prior[columns[TOPIC]].astype(str), prior[columns[DOC]].astype(str)
    index = pd.MultiIndex.from_arrays(known)
    if index.has_duplicates:
        again = [f"{doc} of {topic}" for topic, doc in index[index.duplicated()]]
        raise IdError("a prior once for every document", f"{len(again)} again", "", again)
    topic, document = np.nonzero(names != "")
    wanted = pd.MultiIndex.from_arrays([topics.astype(str)[topic], names[topic, document]])
    row = np.full(names.shape, -1)
    row[topic, document] = index.get_indexer(wanted)
    lacking = int((open_ & (row < 0)).sum())
    if GRADE in columns:
        found: Prior = _by_grade(prior[columns[GRADE]].to_numpy(), row)
    else:
        found = _by_probability(prior[columns[PROBABILITY]], index, row)
    if lacking:
        total = int(open_.sum())
        warn(f"{lacking} of {total} documents have no prior: they take the mean of the others")
    return found


def _columns(prior: Any) -> dict[str, Any]:
    """Return the columns of a prior by role."""
    if not isinstance(prior, pd.DataFrame):
        raise InputError("a prior, a pandas DataFrame", type(prior).__name__)
    columns = {**roles(prior.columns)}
    if PROBABILITY in prior.columns:
        columns = {**columns, PROBABILITY: PROBABILITY}
        columns.pop(GRADE, None)
    lacking = [" or ".join(ALIASES[role]) for role in (TOPIC, DOC) if role not in columns]
    if not {GRADE, PROBABILITY} & columns.keys():
        lacking.append("grade or probability")
    if lacking:
        raise InputError("a prior with topic, doc, and grade or probability", "no", "", lacking)
    return columns


def _by_grade(grades: Array, row: Array) -> GradePrior:
    """Return the prior of whole grades, those that lack one being a level of their own."""
    values = pd.to_numeric(pd.Series(grades), errors="coerce").to_numpy(float)
    wrong = ~(values % 1 == 0)
    if wrong.any():
        offenders = pd.unique(np.asarray(grades, object)[wrong])
        raise ParameterError("whole grades in a prior", "", "", map(repr, offenders))
    levels, level = np.unique(values, return_inverse=True)
    begun = np.array(BEGUN)[np.clip(levels, 0, len(BEGUN) - 1).astype(int)]
    mean = begun[level].mean() if len(level) else BEGUN[0]
    return GradePrior(np.append(level, len(levels))[row], np.append(begun, mean))


def _by_probability(column: pd.Series, index: pd.MultiIndex, row: Array) -> FixedPrior:
    """Return the prior of probabilities."""
    values = pd.to_numeric(column, errors="coerce").to_numpy(float)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        pairs = zip(index[wrong], column[wrong], strict=True)
        offenders = [f"{value} for {doc} of {topic}" for (topic, doc), value in pairs]
        wanted = "probabilities from 0 to 1 in a prior"
        raise ParameterError(wanted, f"{wrong.sum()} outside", "", offenders)
    mean = values.mean() if len(values) else 0.5
    return FixedPrior(np.append(values, mean)[row])
