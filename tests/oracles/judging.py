"""Reference implementations of methods that choose documents to judge.

An oracle takes the lists of the systems, {system: [document, ...]}, the relevant documents, and a
function that returns the order of tied systems in a round, starting at 0. An oracle returns the
documents in the order in which they are judged.
"""

from math import sqrt

from .topic import add_up

TIE = 12
"""Number of decimals to which values are rounded before they are compared."""


def pool(lists, relevant, turn):  # noqa: ARG001 - as the others
    """Return documents by best rank (Cormack, Palmer, Clarke 1998).

    Ties are broken by the number of runs that have the document at this rank, then by name.
    """

    def sort_key(doc):
        ranks = [docs.index(doc) + 1 for docs in lists.values() if doc in docs]
        return min(ranks), -ranks.count(min(ranks)), doc

    return sorted({doc for docs in lists.values() for doc in docs}, key=sort_key)


def mtf(lists, relevant, turn):
    """Return documents by move-to-front (Cormack, Palmer, Clarke 1998)."""
    priority = dict.fromkeys(lists, 0)
    judged, front = [], None
    while True:
        waiting = {s: [doc for doc in lists[s] if doc not in judged] for s in turn(len(judged))}
        some = [system for system in waiting if waiting[system]]
        if not some:
            return judged
        best = max(priority[system] for system in some)
        drawn = next(system for system in some if priority[system] == best)
        system = front if front in some else drawn
        judged.append(waiting[system][0])
        front = system if waiting[system][0] in relevant else None
        priority[system] -= front is None


def maxmean(lists, relevant, turn, credit="all"):
    """Return documents by MaxMean (Losada, Parapar, Barreiro 2017).

    Every run has the prior Beta(1, 1). The next document is from the run with the largest posterior
    mean.
    """
    result, missed = dict.fromkeys(lists, 1), dict.fromkeys(lists, 1)
    judged = []
    while True:
        waiting = {s: [doc for doc in lists[s] if doc not in judged] for s in turn(len(judged))}
        some = [system for system in waiting if waiting[system]]
        if not some:
            return judged
        mean = {system: result[system] / (result[system] + missed[system]) for system in some}
        system = next(s for s in some if round(mean[s], TIE) == round(max(mean.values()), TIE))
        doc = waiting[system][0]
        judged.append(doc)
        counted = [s for s in lists if doc in lists[s]] if credit == "all" else [system]
        for each in counted:
            (result if doc in relevant else missed)[each] += 1


def maxmean_of_run(lists, relevant, turn):
    """Return documents by MaxMean with credit for one run.

    Only the run that proposed a document gets the credit for its judgment.
    """
    return maxmean(lists, relevant, turn, credit="run")


def leverage(lists, relevant, turn):  # noqa: ARG001 - as the others
    """Return documents by leverage, recomputed after every judgment."""
    docs = sorted({doc for listed in lists.values() for doc in listed})
    weight = {
        (doc, s): 1 / sqrt(lists[s].index(doc) + 1) if doc in lists[s] else 0.0
        for doc in docs
        for s in lists
    }
    judged = []
    while len(judged) < len(docs):
        precision = {
            s: (1 + add_up(weight[doc, s] for doc in judged if doc in relevant))
            / (2 + add_up(weight[doc, s] for doc in judged))
            for s in lists
        }
        value = {}
        for doc in docs:
            if doc in judged:
                continue
            weights = [weight[doc, s] for s in lists]
            mean = add_up(weights) / len(weights)
            spread = sqrt(add_up((w - mean) ** 2 for w in weights) / len(weights))
            likely = add_up(weight[doc, s] * precision[s] for s in lists) / add_up(weights)
            value[doc] = round(spread * likely**2, TIE)
        judged.append(max(value, key=lambda doc: (value[doc], [-ord(c) for c in doc])))
    return judged


ORACLES = {
    "pool": pool,
    "mtf": mtf,
    "maxmean": maxmean,
    "maxmean(credit='run')": maxmean_of_run,
    "leverage": leverage,
}
