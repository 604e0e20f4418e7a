"""What is significant: pairs tested, and what is odd about them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.comparing.corrections import (
    Correction,
    Family,
    Parsed,
    Significance,
    Tested,
    adjust_p,
    adjust_rows,
    parse_correction,
)
from irframe.cubes.scores import Arrays, Scores, finite, summands
from irframe.errors import listing, warn
from irframe.metrics.facts import TIE
from irframe.names import NO_VERDICT
from irframe.paired import (
    TESTS,
    MaxT,
    PairedResult,
    PairedTest,
    describe_differences,
)
from irframe.paired.design import Design
from irframe.paired.randomisation import by_cluster
from irframe.record import NONE


def correction_told(
    test: PairedTest, adjust: Parsed, family: Family = "depth", *, alpha: float
) -> dict[str, Any]:
    """Return the attributes that say how pairs were tested, and how p-values were corrected.

    Examples
    --------
    >>> from irframe.paired import PairedT, Permutation
    >>> correction_told(PairedT(), None, alpha=0.05)
    {'test': 't', 'adjust': 'none', 'family': 'depth', 'alpha': 0.05}
    >>> correction_told(Permutation(), MaxT(), alpha=0.05)["test"]
    'Permutation(samples=10000, seed=0)'
    """
    usual = TESTS.get(test.name)
    plain = usual is not None and test == usual() and not hasattr(test, "samples")
    named = test.name if plain else repr(test)
    return {"test": named, "adjust": str(adjust or NONE), "family": family, "alpha": alpha}


class Compared(NamedTuple):
    """Pairs of systems that were compared."""

    paired: Scores
    pairs: Array
    p: Array
    """Shape (metric, depth, pair)."""


def family_sizes(parts: Sequence[Scores], pairs: Sequence[Array], family: Family) -> list[int]:
    """Return of each group how many comparisons are corrected together."""
    axes = {"depth": (), "metric": (3,), "all": (0, 3)}[family]
    rows = zip(parts, pairs, strict=True)
    sizes = [len(kept) * prod(part.values.shape[axis] for axis in axes) for part, kept in rows]
    return [sum(sizes)] * len(sizes) if family == "all" else sizes


def correct(
    parts: Sequence[Compared], adjust: Parsed, *, family: Family, alpha: float
) -> list[Array]:
    """Correct p-values for the number of comparisons.

    Parameters
    ----------
    parts
        What was compared, of each group.
    adjust
        As `parse_correction` gives it.
    family
        As for `adjust_p`.
    alpha
        Significance level, on which some corrections depend.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values of each group, shape (metric, depth, pair).
    """
    if not isinstance(adjust, MaxT):
        return adjust_p([part.p for part in parts], adjust, family=family, alpha=alpha)
    adjusted = _by_family(parts, family, adjust.kernel)
    return [np.maximum(part.p, p) for part, p in zip(parts, adjusted, strict=True)]


def reach(parts: Sequence[Compared], adjust: MaxT, *, family: Family, alpha: float) -> list[Array]:
    """Return which |t| pairs must exceed for intervals that hold for a family at once.

    Parameters
    ----------
    parts, adjust, family
        As for `correct`.
    alpha
        One minus the confidence level.

    Returns
    -------
    list of numpy.ndarray
        Of each group, shape (metric, depth, pair).
    """
    return _by_family(parts, family, partial(adjust.reach, alpha=alpha))


def _by_family(
    parts: Sequence[Compared], family: Family, compute: Callable[..., Array]
) -> list[Array]:
    """Return what is computed of the pairs of every family, shaped as p-values of groups."""
    results = [np.empty(part.p.shape) for part in parts]
    shapes = [part.p.shape[:2] for part in parts]
    every = [(number, *place) for number, shape in enumerate(shapes) for place in np.ndindex(shape)]
    together = {"depth": 3, "metric": 2, "all": 0}[family]
    for _, group in groupby(every, lambda cell: cell[:together]):
        cells = list(group)
        for (part, *place), values in zip(cells, _jointly(parts, cells, compute), strict=True):
            results[part][*place] = values
    return results


def _jointly(
    parts: Sequence[Compared], cells: Sequence[tuple[int, ...]], compute: Callable[..., Array]
) -> list[Array]:
    """Return what is computed of all pairs of a family, for its cells: part, metric and depth."""
    tables, columns, topics, end = [], [], [], 0
    for part, metric, depth in cells:
        paired, pairs, _ = parts[part]
        scored = np.flatnonzero(paired.scored[metric, :, depth])
        values, names = paired.values[metric, :, scored, depth], paired.topics.astype(str)[scored]
        values = summands(values, paired.summaries[metric])
        for design in paired.drawn(scored):  # signs are those of clusters
            values = by_cluster(design, values.T[..., np.newaxis])[..., 0].T
            names = names[np.unique(design.cluster, return_index=True)[1]]
        tables.append(pd.DataFrame(values, index=names))
        columns.append(pairs + end)
        topics.append(np.full(len(pairs), len(names)))
        end += tables[-1].shape[1]
    scores = pd.concat(tables, axis=1).sort_index().fillna(0).to_numpy()
    values = compute(scores, np.concatenate(columns), np.concatenate(topics))
    return np.split(values, np.cumsum([len(counts) for counts in topics])[:-1])


def p_values(
    paired: Scores,
    row: int,
    depths: slice,
    *,
    test: PairedTest,
    pairs: Array,
    as_printed: bool = False,
) -> NDArray[np.float64]:
    """Give two-sided p-values of a metric, shape (pair, depth).

    Pairs without spread have none, see `PairedResult.decided`, unless `as_printed`.
    """
    if paired.repeats is not None and paired.repeats.crossing:
        return np.asarray(paired.repeats.crossed(paired, row, depths, pairs).test().p)

    def compute(values: Array, *design: Design) -> Arrays:
        result: PairedResult = paired.tested(test, values, pairs, *design)
        known = finite(values, paired.summaries[row])[pairs].all(axis=1)
        return (np.where(known, result.p if as_printed else result.decided().p, np.nan),)

    return paired.given(row, depths, compute)[0]


def leads(paired: Scores, row: int, depths: slice, pairs: Array) -> NDArray[np.int8]:
    """Say who has the better mean: 1 the first, -1 the second, 0 neither, shape (pair, depth)."""
    means = paired.means[row, depths]
    difference = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    return np.asarray(np.sign(np.round(difference, TIE)).astype(np.int8).T)


UNEVEN = 10
"""How many times the variance of some pair may be that of another, where all are taken as alike."""


def without_spread(number: int, total: int) -> list[str]:
    """Say of how many comparisons nothing tells how much differences vary."""
    message = (
        "comparisons whose differences are the same on all topics, but for rounding or less than "
        f"1e-150, which do not say how much they vary on others: {number} of {total}"
    )
    return [message] * bool(number)


def without_judged(parts: Iterable[Scores]) -> Iterator[str]:
    """Say of which systems no retrieved document is judged, so that there is nothing to say."""
    some = [part for part in parts if not part.known.all()]
    unknown = {str(name): None for part in some for name in part.systems[~part.known]}
    if unknown:
        yield f"no retrieved document of {listing(unknown)} is judged: {NO_VERDICT}"


def with_zeros(paired: Scores, pairs: Array) -> list[str]:
    """Say of how many comparisons a single score of 0 makes a harmonic mean 0."""
    number = 0
    for row, summary in enumerate(paired.summaries):
        if summary == "harmonic":
            zero = (paired.values[row] == 0).any(axis=1)
            number += int(zero[pairs].any(axis=1).sum())
    return [f"comparisons of harmonic means that a score of 0 makes 0: {number}"] * bool(number)


def unequal_spread(test: PairedTest, sd: Array) -> list[str]:
    """Say that a test takes pairs as alike which are not, given their spread (..., pair)."""
    spread = np.where(sd > 0, sd, np.nan)
    known = spread[~np.isnan(spread).all(axis=-1)]
    uneven = np.nanmax(known, axis=-1) ** 2 > UNEVEN * np.nanmin(known, axis=-1) ** 2
    message = (
        f"{test.name} presumes that all pairs of systems differ alike from topic to topic, but "
        f"variances are more than {UNEVEN} times others; t with holm or max-t holds"
    )
    return [message] * bool(uneven.any())


def _position(paired: Scores, held: Scores, row: int, column: int) -> tuple[int, int] | None:
    """Return the metric and depth at which scores equal a reference, those of its name first."""
    if not paired.topics.equals(held.topics):
        return None
    same = [number for number, name in enumerate(paired.metrics) if name == held.metrics[row]]
    for number in dict.fromkeys([*same, *range(len(paired.metrics))]):
        for depth in range(paired.values.shape[3]):
            one, other = paired.values[number, ..., depth], held.values[row, ..., column]
            if np.array_equal(one, other, equal_nan=True):
                return number, depth
    return None


class Pairing:
    """How pairs of systems are tested.

    Parameters
    ----------
    test
        How a difference is called significant, or a test.
    auto
        What ``adjust="auto"`` is where the test needs a correction.
    """

    def __init__(self, test: Tested, *, auto: Correction | None = "holm") -> None:
        self.decided = chosen = Significance.read(test, "t")
        self.test = chosen.only_test
        self.family, self.alpha, self.over = chosen.family, chosen.alpha, chosen.over
        self.adjust = parse_correction(chosen.adjust, self.test, self.family, auto=auto)
        self._found: dict[Scores, Array] = {}
        self._tests = self._without = 0
        self._uneven: list[str] = []
        self._zeros: list[str] = []

    @property
    def corrected(self) -> bool:
        """Whether p-values allow for how many there are, by a correction or as the test has it."""
        return self.adjust is not None or self.test.joint

    def p_values(self, paired: Scores, pairs: Array) -> Array:
        """Give corrected p-values, shape (metric, depth, pair)."""

        def compute(row: int, depths: slice) -> Arrays:
            return (self._p_values(paired, row, depths, pairs),)

        compared = Compared(paired, pairs, *paired.by_pair(len(pairs), compute))
        return correct([compared], self.adjust, family=self.family, alpha=self.alpha)[0]

    def piece(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Give corrected p-values of a metric at some depths, shape (pair, depth).

        Without a correction they are those of the literature, where differences that are the same
        on all topics have p = 0.
        """
        if self.family == "depth" and not isinstance(self.adjust, MaxT):
            plain = self.adjust is None
            p = self._p_values(paired, row, depths, pairs, as_printed=plain)
            return adjust_rows(p.T, self.adjust, self.alpha).T
        if paired not in self._found:
            self._found[paired] = self.p_values(paired, pairs)
        return self._found[paired][row, depths].T

    def correct_together(self, paired: Scores, held: Scores, pairs: Array) -> None:
        """Correct a reference in the family of scores that it is part of."""
        if self.family == "depth" or self.adjust is None:
            return
        self._found[paired] = self.p_values(paired, pairs)
        alike = [
            [_position(paired, held, row, column) for column in range(held.values.shape[3])]
            for row in range(len(held.metrics))
        ]
        if all(found is not None for row in alike for found in row):
            self._found[held] = np.array(
                [[self._found[paired][found] for found in row] for row in alike]
            )

    def share(self, p: Array) -> Array:
        """Return the share of p-values, (pair, depth), that are significant at each depth."""
        return np.asarray((p < self.alpha).mean(axis=0))

    def verdicts(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
        significant = self.piece(paired, row, depths, pairs) < self.alpha
        return np.where(significant, leads(paired, row, depths, pairs), np.int8(0))

    def _p_values(self, paired: Scores, row: int, depths: slice, pairs: Array, **how: Any) -> Array:
        """Give p-values of a metric, not corrected, shape (pair, depth), and note what is odd."""
        p = p_values(paired, row, depths, test=self.test, pairs=pairs, **how)
        self._tests += p.size
        self._zeros = self._zeros or with_zeros(paired, pairs)
        self._without += 0 if self._zeros else int(np.isnan(p).sum())
        if self.test.joint and not self._uneven:
            (sd,) = paired.given(row, depths, lambda v: (describe_differences(v, pairs).sd,))
            self._uneven = unequal_spread(self.test, sd.T)
        return p

    def told(self) -> dict[str, Any]:
        """Return the attributes of a result that was found by it, and warn of what is odd."""
        warn(*without_spread(self._without, self._tests), *self._uneven, *self._zeros)
        return self.words

    @property
    def words(self) -> dict[str, Any]:
        """The attributes that say how pairs are tested."""
        return correction_told(self.test, self.adjust, self.family, alpha=self.alpha)
