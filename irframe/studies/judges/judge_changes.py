"""What becomes of means, ranks and pairs of systems under another judge, in numbers."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from irframe.agreements import Agreement
from irframe.arrays import Array
from irframe.checks import places
from irframe.comparing.significance import Pairing, leads
from irframe.cubes.unjudged import BOUND
from irframe.depths.agreement import Asked, system_means, with_reference
from irframe.errors import ParameterError
from irframe.metrics.facts import TIE
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.paired import all_pairs
from irframe.scores.scores import Scores
from irframe.studies.judges.coefficient_intervals import ROUNDING

Parts = dict[str, tuple[tuple[str, ...], Array]]
"""Name -> dimensions and values."""
Groups = Mapping[str, Sequence[Hashable]]

JUDGE = "judge"
DIMS = JUDGE, METRIC, DEPTH
CONCLUSIONS = ("kept", "lost", "new", "reversed", "neither")
"""What becomes of a pair of systems: significant alike under both judges, only under the reference,
only under the other, the other way round, and under neither."""


def standings(held: Scores, others: list[Scores]) -> Parts:
    """Return means and ranks under every judge."""
    mean = np.stack([_signed(each) for each in (held, *others)])
    rounded = np.stack([np.round(each.means, TIE) for each in (held, *others)])
    rank = scipy.stats.rankdata(-rounded, method="min", axis=-1).astype(np.int64)
    found: Parts = {}
    for name, values in {"mean": mean, "rank": rank}.items():
        found[name] = (*DIMS, SYSTEM), values[1:]
        found[f"reference_{name}"] = (*DIMS[1:], SYSTEM), values[0]
    return found


def _signed(paired: Scores) -> Array:
    """Return means as they are, though less be better."""
    sign = np.array(paired.towards)[:, np.newaxis, np.newaxis]
    means: Array = sign * paired.means
    return means


def biases(held: Scores, others: list[Scores], alpha: float) -> Parts:
    """Return how much more each system scores under another judge, with intervals over topics."""
    single = np.array([summary == "mean" for summary in held.summaries])[:, np.newaxis]
    topics = held.scored.sum(axis=1)
    factor = np.where(
        single & (topics > 1), scipy.special.stdtrit(topics - 1.0, 1 - alpha / 2), np.nan
    )
    bias = np.stack([_signed(other) - _signed(held) for other in others])
    errors = np.stack([_errors(other.values - held.values, topics) for other in others])
    half = factor[..., np.newaxis] * errors
    return {
        "bias": ((*DIMS, SYSTEM), bias),
        "bias_interval": ((*DIMS, SYSTEM, BOUND), np.stack([bias - half, bias + half], axis=-1)),
    }


def _errors(differences: Array, topics: Array) -> Array:
    """Return standard errors of mean differences, (metric, depth, system); NaN without spread."""
    counted = topics[:, np.newaxis, np.newaxis]
    means = np.nansum(differences, axis=2, keepdims=True) / counted
    squares = np.nansum((differences - means) ** 2, axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (counted * (counted - 1.0)))
    error = np.where(error > ROUNDING, error, np.nan)
    return np.swapaxes(error[:, :, 0], 1, 2)


def agreements(
    held: Scores, others: list[Scores], methods: list[Agreement], asked: Asked | None
) -> Parts:
    """Return how alike judges order the systems, and between which values over resamples."""
    dims = (*DIMS, "coefficient")
    values = [agreement_of(held, others, method) for method in methods]
    found: Parts = {"agreement": (dims, np.stack(values, axis=-1))}
    if asked is not None:
        ends = [
            np.stack([with_reference(other, held, asked, method) for other in others], axis=1)
            for method in methods
        ]
        interval = np.moveaxis(np.stack(ends, axis=-1), 0, -1)
        found["agreement_interval"] = (*dims, BOUND), interval
    return found


def agreement_of(held: Scores, others: list[Scores], method: Agreement) -> Array:
    """Return the agreement of every other judge with the reference, (judge, metric, depth)."""
    old = system_means(held, method)
    new = np.stack([system_means(other, method) for other in others])
    found: Array = method.kernel(old[..., np.newaxis, :], new[..., np.newaxis, :])
    return found[..., 0, 0]


def conclusions(held: Scores, others: list[Scores], pairing: Pairing) -> Parts:
    """Count what becomes of the pairs of systems under every other judge."""
    old = decide(held, pairing)
    counts = conclude(old, [decide(other, pairing) for other in others])
    return {"conclusions": ((*DIMS, "conclusion"), counts)}


def decide(paired: Scores, pairing: Pairing) -> Array:
    """Say which system of a pair is significantly better, shape (metric, depth, pair)."""
    pairs = all_pairs(len(paired.systems))
    p = pairing.p_values(paired, pairs)
    ahead = paired.by_piece(len(pairs), lambda row, block: leads(paired, row, block, pairs).T)
    return np.where(p < pairing.alpha, ahead, 0)


def conclude(held: Array, others: Sequence[Array]) -> Array:
    """Count what becomes of pairs, (judge, metric, depth, conclusion), from who is better."""
    new = np.stack(others)
    old = np.broadcast_to(held, new.shape)
    kinds = [
        old * new > 0,
        (old != 0) & (new == 0),
        (old == 0) & (new != 0),
        old * new < 0,
        (old == 0) & (new == 0),
    ]
    return np.stack([kind.sum(axis=-1) for kind in kinds], axis=-1)


def members(groups: Groups, systems: list[Any]) -> Array:
    """Return who belongs to each group, shape (group, system)."""
    inside = np.zeros((len(groups), len(systems)), bool)
    for row, wanted in enumerate(groups.values()):
        inside[row, places("systems of the runs", wanted, systems)] = True
    few = [
        name
        for name, members in zip(groups, inside, strict=True)
        if min(members.sum(), (~members).sum()) < 2
    ]
    if few or not len(groups):
        wanted = "groups with at least two systems, and two outside"
        raise ParameterError(wanted, f"{len(few)} that are not" if few else "no group", "", few)
    return inside


def favours(bias: Array, members: Array, alpha: float) -> Parts:
    """Hold the biases of every group against those of all other systems."""
    sides = [(bias[..., inside], bias[..., ~inside]) for inside in members]
    tested = [scipy.stats.ttest_ind(one, rest, axis=-1, equal_var=False) for one, rest in sides]
    ranges = [each.confidence_interval(1 - alpha) for each in tested]
    means = [one.mean(axis=-1) - rest.mean(axis=-1) for one, rest in sides]
    ends = [np.stack([each.low, each.high], axis=-1) for each in ranges]
    return {
        "group_bias": ((*DIMS, "group"), np.stack(means, axis=-1)),
        "group_interval": ((*DIMS, "group", BOUND), np.stack(ends, axis=-2)),
        "group_p": ((*DIMS, "group"), np.stack([each.pvalue for each in tested], axis=-1)),
    }
