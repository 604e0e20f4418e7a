"""Documents in the order in which a method has them judged, in all topics at once."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array
from irframe.studies.judging.methods import Judging, Outcome


@dataclass(frozen=True, eq=False)
class Turns:
    """What was judged at every turn, shape (turn, topic)."""

    document: Array
    """Place in the pool of the topic, -1 where nothing was left."""
    priority: Array
    """How good the choice was, by what the method goes by."""

    @property
    def all(self) -> tuple[Array, Array, Array]:
        """Turn, topic and document of all that was judged, in order."""
        turn, topic = np.nonzero(self.document >= 0)
        return turn, topic, self.document[turn, topic]


def take_turns(
    method: Judging, relevant: Array, turns: int, *, batch: int = 1, known: Array | None = None
) -> Turns:
    """Judge one document of every topic at each turn.

    Parameters
    ----------
    method
        What chooses, with all that it knows.
    relevant
        How relevant each document turns out, or is taken to be, from 0 to 1; (topic, document).
    turns
        How many documents of a topic to judge at most.
    batch
        How many of them are chosen before the method learns how relevant they are, at least 1.
    known
        Which documents are judged before the first turn, shape (topic, document).

    Returns
    -------
    Turns
        What was judged, as many turns as some topic had documents for.
    """
    before = np.zeros(relevant.shape, bool) if known is None else known
    if not method.by_account:
        method.begin(before, relevant)
    chosen, waiting = [], []
    for turn in range(1, turns + 1):
        document, priority = _next_unknown(method, relevant, before)
        topic = np.flatnonzero(document >= 0)
        if not len(topic):
            break
        taken = document[topic]
        method.take(topic, taken)
        waiting.append(Outcome(topic, taken, method.run[topic], relevant[topic, taken]))
        chosen.append((document, priority))
        if turn % batch == 0:
            for learned in waiting:
                _learn(method, learned)
            waiting.clear()
    shape = (len(chosen), 2, len(relevant))
    document, priority = np.moveaxis(np.array(chosen, float).reshape(shape), 1, 0)
    return Turns(document.astype(np.int64), priority)


def _learn(method: Judging, outcome: Outcome) -> None:
    """Let a method, and its prior, take in an outcome."""
    method.learn(outcome)
    if method.prior is not None:
        method.prior.learn(outcome.topic, outcome.document, outcome.relevant)


def _next_unknown(method: Judging, relevant: Array, known: Array) -> tuple[Array, Array]:
    """Return the next documents, after the method has passed those that are judged already."""
    while True:
        document, priority = method.next()
        topic = np.flatnonzero(document >= 0)
        topic = topic[known[topic, document[topic]]]
        if not len(topic):
            return document, priority
        passed = document[topic]
        method.take(topic, passed)
        method.learn(Outcome(topic, passed, method.run[topic], relevant[topic, passed]))
