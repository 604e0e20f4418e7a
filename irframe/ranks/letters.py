"""Compact letter displays of significant differences."""

import string

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.paired import all_pairs

LETTERS = string.ascii_lowercase + string.ascii_uppercase
"""Letters of groups. Further groups have a letter and a number: a2, b2, ..."""


def letters_of(ranks: pd.Series, significant: Array) -> list[str]:
    """Return the compact letter display of systems.

    Every letter stands for a maximal group of systems without significant differences. Systems are
    processed from the best to the worst. A group is started by a system and the worst system that
    does not differ significantly from it and shares no letter with it yet. As many systems as
    possible are added to the group, beginning with the best. Finally, groups are removed if all
    their pairs share another letter, beginning with the last group.

    Parameters
    ----------
    ranks
        Ranks by system. Ties are sorted by name, so that letters do not depend on their order.
    significant
        Whether each pair differs significantly, in the order of `all_pairs`.
    """
    order = np.lexsort([ranks.index.astype(str).to_numpy(), ranks.to_numpy()])
    a, b = all_pairs(len(ranks)).T
    alike = np.ones((len(ranks), len(ranks)), bool)
    alike[a, b] = alike[b, a] = ~significant
    groups = letter_groups(alike[np.ix_(order, order)])
    turns = [divmod(number, len(LETTERS)) for number in range(len(groups))]
    letters = np.array([LETTERS[n] + (str(turn + 1) if turn else "") for turn, n in turns], object)
    joined = np.empty(len(ranks), object)
    joined[order] = ["".join(letters[row]) for row in groups.T]
    return joined.tolist()


def letter_groups(alike: Array) -> Array:
    """Return groups of systems that do not differ.

    Parameters
    ----------
    alike
        Which systems are alike: a symmetric matrix (system, system), best system first.

    Returns
    -------
    numpy.ndarray
        The members of each group, shape (group, system).

    Examples
    --------
    The first and the last of three systems are not alike:

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> letter_groups(alike).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    groups: list[Array] = []
    shared = np.zeros(alike.shape, dtype=int)
    for system, row in enumerate(alike):
        while (missing := row & (shared[system] == 0)).any():
            group = row & alike[np.flatnonzero(missing)[-1]]
            for member, others in enumerate(alike):  # better systems are added first
                group = group & others if group[member] else group
            groups.append(group)
            shared += np.outer(group, group)
    kept: list[Array] = []
    for group in reversed(groups):
        pairs = np.outer(group, group)
        if (shared[pairs] > 1).all():  # all its pairs are in another group, too
            shared = shared - pairs
        else:
            kept.append(group)
    return np.array(sorted(kept, key=lambda group: [*np.flatnonzero(group)]))
