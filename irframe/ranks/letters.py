"""Compact letter displays of significant differences."""

import string

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.paired import all_pairs

LETTERS = string.ascii_lowercase + string.ascii_uppercase
"""Letters of the first 52 groups. Further groups have a letter and a number, such as a2 and b2."""


def letters_of(ranks: pd.Series, significant: Array) -> list[str]:
    """Return each system's letters in a compact letter display.

    Every letter stands for a maximal group of systems that do not differ significantly from each
    other. Systems are processed from the best to the worst. A group starts with two systems: the
    current system, and the worst system that neither differs significantly from the current system
    nor shares a letter with the current system. All systems that do not differ from any member are
    then added to the group, beginning with the best system. At the end, superfluous groups are
    removed, beginning with the last group. A group is superfluous if all its pairs share another
    letter.

    Parameters
    ----------
    ranks
        Ranks, indexed by system. Tied systems are sorted by name, so that their letters do not
        depend on the order of rows.
    significant
        Whether the systems of each pair differ significantly, in the order of `all_pairs`.
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
    """Return maximal groups of systems that do not differ.

    Parameters
    ----------
    alike
        Symmetric matrix (system, system), with the best system first. An element is True if two
        systems do not differ significantly.

    Returns
    -------
    numpy.ndarray
        Whether each group contains each system, shape (group, system).

    Examples
    --------
    The first and the last of three systems are not alike:

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> letter_groups(alike).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    groups: list[Array] = []
    n_shared = np.zeros(alike.shape, dtype=int)
    for system, row in enumerate(alike):
        while (missing := row & (n_shared[system] == 0)).any():
            group = row & alike[np.flatnonzero(missing)[-1]]
            # members are added from the best to the worst system
            for member, alike_to_member in enumerate(alike):
                group = group & alike_to_member if group[member] else group
            groups.append(group)
            n_shared += np.outer(group, group)
    necessary: list[Array] = []
    for group in reversed(groups):
        pairs = np.outer(group, group)
        if (n_shared[pairs] > 1).all():  # another group contains every pair of this group
            n_shared = n_shared - pairs
        else:
            necessary.append(group)
    return np.array(sorted(necessary, key=lambda group: [*np.flatnonzero(group)]))
