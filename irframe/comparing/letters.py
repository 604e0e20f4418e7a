"""What pairs alone do not say: letters of groups, and differences by kind of topic.

Verbs: letters, interaction.
"""

import string
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import level
from irframe.comparing.compare import COLUMNS as COMPARE_COLUMNS
from irframe.comparing.compare import OPTIONAL
from irframe.comparing.corrections import Adjust, Family, adjust_p, parse_stepwise
from irframe.cubes.by_group import groups, naming_group
from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError, warn
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SIDES, SYSTEM
from irframe.paired import describe_differences
from irframe.paired.margins import welch
from irframe.scores.read_scores import Depths, read_scores, scores_to_compare
from irframe.scores.reference import Baselines, choose_pairs, label_pairs
from irframe.scores.scores import Arrays, Scores

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
    missing = [name for name in COMPARE_COLUMNS if name not in getattr(comparison, "columns", ())]
    if missing:
        raise InputError("what compare returned", "columns missing", "", missing)
    keys = [name for name in comparison.columns if name not in {*COMPARE_COLUMNS[2:], *OPTIONAL}]
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


COLUMNS = ("statistic", "df_within", "p", "p_adjusted", "significant", "n_topics")


@verb(itself=(pd.DataFrame, xr.DataArray))
def interaction(
    scores: xr.DataArray | pd.DataFrame,
    *,
    by: str,
    adjust: Adjust = "auto",
    family: Family = "all",
    alpha: float = 0.05,
    baseline: Baselines = None,
    at: Depths = None,
) -> pd.DataFrame:
    """Say of every system whether its lead over another differs from segment to segment.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    by
        A coordinate of topics, or a column or index level, such as ``"market"``: its values are
        the segments, at least two.
    adjust
        Correction of the p-values for the number of rows, as for `compare`, but for ``"max-t"``:
        by default Holm's.
    family
        Which rows are corrected for each other: ``"all"``, ``"metric"`` or ``"depth"``, as for
        `compare`.
    alpha
        Significance level, above 0 and below 1.
    baseline
        A system: the lead of each other one over it; by default all pairs of systems.
    at
        Depths to compare at; by default all there are.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, with the columns ``metric``, ``depth``, ``system_a``,
        ``system_b``; ``statistic``, Welch's F, on one less than the number of segments and
        ``df_within`` degrees of freedom; ``p``, ``p_adjusted`` and ``significant``;
        ``n_topics``; and for every segment ``difference_<segment>``, the mean difference a - b,
        and ``n_<segment>``, its topics.

    Raises
    ------
    ParameterError
        For fewer than two segments, or fewer than two systems that take part in all of them; an
        unknown baseline, correction or coordinate.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics or systems are left out, or a segment is too small or has differences without
        any spread, so that there is no test.

    Notes
    -----
    A one-way analysis of variance of the paired differences by segment, with Welch's weights, so
    that segments may differ in spread; `compare` with ``by=`` tests within each segment instead,
    and one significant difference beside one that is not does not say that they differ. A topic
    counts only if every system that takes part in all segments has a score on it. Where no segment
    has differences with any spread, p is 1 if these are all the same; NaN where there is no test.

    References
    ----------
    .. [1] Welch. On the comparison of several mean values: an alternative approach. Biometrika
       38, 1951. doi:10.1093/biomet/38.3-4.330
    .. [2] Gelman, Stern. The difference between "significant" and "not significant" is not itself
       statistically significant. The American Statistician 60, 2006. doi:10.1198/000313006X152649

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["nDCG@10"]).reset_index()
    >>> scores["kind"] = scores["topic"].astype(int).mod(2).map({0: "even", 1: "odd"})
    >>> found = interaction(scores, by="kind", baseline="bm25")
    >>> found.loc[:1, ["system_a", "difference_odd", "difference_even", "p"]].round(3)
       system_a  difference_odd  difference_even      p
    0  bm25+rm3           0.147            0.109  0.714
    1      ance           0.022            0.116  0.432
    """
    level(alpha)
    correction = parse_stepwise(adjust, family=family)
    segments = {key: read_scores(part) for key, part in groups(scores, by)}
    if len(segments) < 2:
        raise ParameterError(f"at least two segments ({by})", f"{len(segments)}")
    kept = _shared_systems([part.systems for part in segments.values()], by)
    found = {}
    for key, part in segments.items():
        with naming_group(key, by):
            places = part.systems.get_indexer(pd.Index(kept))
            found[key] = scores_to_compare(part.take(system=places), at)
    first = next(iter(found.values()))
    pairs = choose_pairs(first, baseline, several=True)
    moments = np.stack([_moments(paired, pairs) for paired in found.values()], axis=1)
    means, spreads, sizes = moments[0], moments[1], moments[2].astype(np.int64)
    tested = welch(means, spreads, sizes)
    _tell_untested(tested.p, sizes, spreads, list(found), by)
    p = adjust_p([tested.p], correction, family=family, alpha=alpha)[0]
    values = (tested.statistic, tested.within, tested.p, p, p < alpha, sizes.sum(axis=0))
    columns = label_pairs(first, pairs)
    columns |= {name: array.ravel() for name, array in zip(COLUMNS, values, strict=True)}
    for key, mean, size in zip(found, means, sizes, strict=True):
        columns |= {f"difference_{key}": mean.ravel(), f"n_{key}": size.ravel()}
    frame = pd.DataFrame(columns)
    frame.attrs.update(adjust=correction or "none", family=family, alpha=alpha)
    return frame


def _shared_systems(segments: list[pd.Index], by: str) -> list[Any]:
    """Return the systems of all segments, warning of others."""
    every = list(dict.fromkeys(name for systems in segments for name in systems))
    kept = [name for name in every if all(name in systems for systems in segments)]
    if len(kept) < 2:
        advice = f"choose a coordinate of topics for by=, not {by!r}"
        wanted = f"at least two systems that take part in every segment ({by})"
        raise ParameterError(wanted, str(len(kept)), advice)
    if len(kept) < len(every):
        left = [str(name) for name in every if name not in kept]
        warn(f"systems that take no part in some segment ({by}) are left out: {', '.join(left)}")
    return kept


def _moments(paired: Scores, pairs: Array) -> Array:
    """Return mean, spread and number of the differences, each of shape (metric, depth, pair)."""
    metrics, _, _, depths = paired.values.shape
    result = np.empty((3, metrics, depths, len(pairs)))

    def moments(values: Array) -> Arrays:
        found = describe_differences(values, pairs)
        return found.mean, found.sd, np.broadcast_to(found.topics, found.mean.shape)

    for row, block in paired.pieces(len(pairs)):
        for into, values in zip(result, paired.over(row, block, moments), strict=True):
            into[row, block] = values.T
    return result


def _tell_untested(p: Array, sizes: Array, spreads: Array, names: list[Any], by: str) -> None:
    """Warn of the segments on whose account there is no test."""
    if not np.isnan(p).any():
        return
    bad = ((sizes < 2) | ((spreads == 0) & np.isnan(p))).any(axis=(1, 2, 3))
    told = ", ".join(str(name) for name, each in zip(names, bad, strict=True) if each)
    warn(f"segments of one topic, or of differences without spread, allow no test ({by}): {told}")
