"""Letters of groups of systems that do not differ significantly."""

import string
from typing import Any

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.comparing.compare import COLUMNS, OPTIONAL
from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SIDES, SYSTEM

LETTERS = string.ascii_lowercase + string.ascii_uppercase
"""After these, the same with a number: a2, b2, ..."""


@verb
def letters(comparison: pd.DataFrame, *, by: str | None = None) -> pd.DataFrame:
    """Say by letters which systems do not differ significantly: those that share one.

    Parameters
    ----------
    comparison
        What `compare` returned for all pairs of systems.
    by
        A column such as ``"track"``; groups that the comparison has need not be named.

    Returns
    -------
    pandas.DataFrame
        One row per system, and group, metric and depth of the comparison, the best system first,
        with the columns of the group, ``metric``, ``depth``, ``system``, ``mean`` and ``letters``:
        two systems have a letter in common if, and only if, the difference between them is not
        ``significant``. The best system has an ``a``.

    Raises
    ------
    InputError
        For what `compare` did not return, and for pairs that are missing, as with a baseline, or
        there twice.

    Notes
    -----
    A compact letter display [1]_. Every letter stands for a group of systems no two of which differ
    significantly, and to which no further system could be added. From the best system on, the worst
    that does not differ significantly from it, and shares no letter with it yet, begins a group
    that takes in what it can from the best on; groups whose pairs all share another letter are then
    left out, the last ones first. Systems that tie are taken by name, so that letters never depend
    on the order of the systems. After 26 small and 26 capital letters come ``a2``, ``b2``, and so
    on.

    References
    ----------
    .. [1] Piepho. An algorithm for a letter-based representation of all-pairwise comparisons.
       Journal of Computational and Graphical Statistics 13, 2004. doi:10.1198/1061860043515

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> frame = runs.ireval.evaluate(qrels, "nDCG@10").ireval.compare(adjust="holm")
    >>> frame.ireval.letters()[["system", "mean", "letters"]].round(2)
           system  mean letters
    0      monot5  0.56       a
    1       duot5  0.53      ab
    2      splade  0.48      ab
    3  doct5query  0.35      bc
    4    bm25+rm3  0.33      bc
    5        ance  0.27       c
    6     colbert  0.21       c
    7        bm25  0.20       c
    """
    missing = [name for name in COLUMNS if name not in getattr(comparison, "columns", ())]
    if missing:
        raise InputError("what compare returned", "columns missing", "", missing)
    keys = [name for name in comparison.columns if name not in {*COLUMNS[2:], *OPTIONAL}]
    parts = comparison.groupby(keys, sort=False, dropna=False, observed=True)
    frames = []
    for key, part in parts:
        labels: dict[str, Any] = dict(zip(keys, key, strict=True))
        frames.append(_lettered(part).assign(**labels))
    if not frames:
        raise InputError("pairs of systems", "none")
    found = pd.concat(frames, ignore_index=True)[[*keys, SYSTEM, "mean", "letters"]]
    return found.astype({DEPTH: "Int64"})


def _lettered(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the systems of one metric and depth with their letters, the best first."""
    sides = [
        pd.DataFrame({SYSTEM: pairs[side], "mean": pairs[mean]})
        for side, mean in zip(SIDES, ("mean_a", "mean_b"), strict=True)
    ]
    systems = pd.concat(sides).drop_duplicates(SYSTEM)
    better = -facts(pairs[METRIC].iloc[0]).sign * systems["mean"].round(TIE)
    order = np.lexsort([systems[SYSTEM].astype(str).to_numpy(), better.to_numpy()])
    systems = systems.iloc[order]
    groups = letter_groups(_alike(pairs, pd.Index(systems[SYSTEM])))
    names = np.array([_letter(place) for place in range(len(groups))], dtype=object)
    return systems.assign(letters=["".join(names[row]) for row in groups.T])


def _alike(pairs: pd.DataFrame, systems: pd.Index) -> Array:
    """Return which systems do not differ significantly, shape (system, system)."""
    a, b = (systems.get_indexer(pd.Index(pairs[side])) for side in SIDES)
    compared = np.eye(len(systems), dtype=int)
    np.add.at(compared, (a, b), 1)
    np.add.at(compared, (b, a), 1)
    wrong = [f"{systems[one]} and {systems[other]}" for one, other in np.argwhere(compared != 1)]
    if wrong:
        found = f"{len(wrong) // 2} that are missing or there again"
        advice = "compare all pairs, without a baseline, and at one metric and depth each once"
        raise InputError("every pair of systems once", found, advice, wrong[::2])
    alike = np.ones(compared.shape, dtype=bool)
    alike[a, b] = alike[b, a] = ~pairs["significant"].to_numpy(dtype=bool)
    return alike


def letter_groups(alike: Array) -> Array:
    """Return groups of which two systems share one if, and only if, they are alike.

    Parameters
    ----------
    alike
        Which systems are alike, shape (system, system), symmetric; the best system first.

    Returns
    -------
    numpy.ndarray
        Who belongs to each group, shape (group, system).

    Examples
    --------
    Of three systems the first and the last are not alike:

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> letter_groups(alike).astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    groups: list[Array] = []
    shared = np.zeros(alike.shape, dtype=int)
    for system, friends in enumerate(alike):
        while (alone := friends & (shared[system] == 0)).any():
            groups.append(_grown(friends & alike[np.flatnonzero(alone)[-1]], alike))
            shared += np.outer(groups[-1], groups[-1])
    return np.array(sorted(_needed(groups, shared), key=lambda group: [*np.flatnonzero(group)]))


def _grown(group: Array, alike: Array) -> Array:
    """Return those of a group that may stay together, taking in the best first."""
    for system, friends in enumerate(alike):
        if group[system]:
            group = group & friends
    return group


def _needed(groups: list[Array], shared: Array) -> list[Array]:
    """Leave out groups, the last ones first, whose pairs all share another one."""
    kept = []
    for group in reversed(groups):
        pairs = np.outer(group, group)
        if (shared[pairs] > 1).all():
            shared = shared - pairs
        else:
            kept.append(group)
    return kept


def _letter(place: int) -> str:
    turn, letter = divmod(place, len(LETTERS))
    return LETTERS[letter] + (str(turn + 1) if turn else "")
