"""Reference implementations of policies for tied documents.

A list is a sequence of (doc, score, rank) in the order of the file. An oracle returns the documents
of the list, best first.
"""

from irframe.experiments.policy import random_keys


def trec(filed, _system, _topic, _seed):
    """Return documents by score, then by name in descending order."""
    by_name = sorted(filed, key=lambda row: str(row[0]).encode(), reverse=True)
    return [doc for doc, *_ in sorted(by_name, key=lambda row: -row[1])]


def doc(filed, _system, _topic, _seed):
    """Return documents by score, then by name."""
    return [row[0] for row in sorted(filed, key=lambda row: (-row[1], str(row[0]).encode()))]


def order(filed, _system, _topic, _seed):
    """Return documents by score, then in file order."""
    return [doc for doc, *_ in sorted(filed, key=lambda row: -row[1])]


def rank(filed, _system, _topic, _seed):
    """Return documents by the rank in the file."""
    return [doc for doc, *_ in sorted(filed, key=lambda row: row[2])]


def random(filed, system, topic, seed):
    """Return documents by score, then by a random key.

    The key depends only on the seed and on the identifiers of the document.
    """
    lot = {doc: random_keys([system], [topic], [doc], seed=seed)[0] for doc, *_ in filed}
    return [doc for doc, *_ in sorted(filed, key=lambda row: (-row[1], lot[row[0]]))]


ORACLES = {
    "trec": trec,
    "doc": doc,
    "order": order,
    "rank": rank,
    "random": random,
    "mean": trec,
    "block": trec,
}
"""Mapping from the values of `irframe.names.TieRule` to oracles."""
