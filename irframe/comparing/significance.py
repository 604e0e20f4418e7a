"""Significance tests of pairs of systems, with corrections and cautions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import groupby
from math import prod
from typing import NamedTuple, cast

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
from irframe.errors import ParameterError, listing, warn
from irframe.experiments.topic_design import names_declared
from irframe.metrics.facts import TIE
from irframe.names import NO_VERDICT, plural
from irframe.paired import (
    TESTS,
    MaxT,
    PairedResult,
    PairedT,
    PairedTest,
    describe_differences,
)
from irframe.paired.design import Design
from irframe.paired.randomisation import by_cluster
from irframe.record import NONE


def describe_test(
    test: PairedTest, adjust: Parsed, family: Family = "depth", *, alpha: float
) -> dict[str, object]:
    """Return the attributes that describe a test and its correction.

    Examples
    --------
    >>> from irframe.paired import PairedT, Permutation
    >>> describe_test(PairedT(), None, alpha=0.05)
    {'test': 't', 'adjust': 'none', 'family': 'depth', 'alpha': 0.05}
    >>> describe_test(Permutation(), MaxT(), alpha=0.05)["test"]
    'Permutation(samples=10000, seed=0)'
    """
    # tests with random draws are described in full, because p-values depend on samples and seed
    unchanged = all(getattr(test, option.name) == option.default for option in fields(test))
    plain = type(test) is TESTS.get(test.name) and unchanged and not hasattr(test, "samples")
    name = test.name if plain else repr(test)
    return {"test": name, "adjust": str(adjust or NONE), "family": family, "alpha": alpha}


class Compared(NamedTuple):
    """Scores of a group, pairs of systems, and their p-values."""

    paired: Scores
    pairs: Array
    p: Array
    """P-values of the pairs, shape (metric, depth, pair)."""


def _by_family(
    groups: Sequence[Compared], family: Family, compute: Callable[..., Array]
) -> list[Array]:
    """Apply a function to the scores of each family.

    A family is a set of comparisons whose p-values are corrected together. The result contains one
    array for each group, with the shape of the group's p-values.
    """
    results = [np.empty(group.p.shape) for group in groups]
    all_cells = [
        (n, *pos) for n, group in enumerate(groups) for pos in np.ndindex(*group.p.shape[:2])
    ]
    n_keys = {"depth": 3, "metric": 2, "all": 0}[family]
    # cells are sorted by group, metric and depth, so the cells of a family are consecutive
    for _, members in groupby(all_cells, lambda cell: cell[:n_keys]):
        cells = list(members)
        for (group, *pos), values in zip(cells, _of_family(groups, cells, compute), strict=True):
            results[group][*pos] = values
    return results


def _of_family(
    groups: Sequence[Compared], cells: Sequence[tuple[int, ...]], compute: Callable[..., Array]
) -> list[Array]:
    """Apply a function to the scores of one family.

    The family is a list of cells (group, metric, depth), and contains all pairs of each cell. The
    result contains one array for each cell.
    """
    tables: list[pd.DataFrame] = []
    columns: list[Array] = []
    topics: list[Array] = []
    end = 0
    for group, metric, depth in cells:
        paired, pairs, _ = groups[group]
        scored = np.flatnonzero(paired.scored[metric, :, depth])
        names = paired.topics.astype(str)[scored]
        values = summands(paired.values[metric, :, scored, depth], paired.summaries[metric])
        # Max-T flips the signs of whole clusters, so the scores of their topics are summed
        for design in paired.drawn(scored):
            values = by_cluster(design, values.T[..., np.newaxis])[..., 0].T
            names = names[np.unique(design.cluster, return_index=True)[1]]
        tables.append(pd.DataFrame(values, index=names))
        columns.append(pairs + end)
        topics.append(np.full(len(pairs), len(names)))
        end += tables[-1].shape[1]
    # a topic without scores adds 0 to the sums of a pair, regardless of its sign
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
    """Return two-sided p-values of one metric, shape (pair, depth).

    The p-value of constant differences is NaN, see `PairedResult.decided`. With `as_printed`, the
    p-value of constant differences is the value that the test computes, such as 0 or 1, which the
    literature reports.
    """
    if paired.repeats is not None and paired.repeats.crossing:
        return np.asarray(paired.repeats.crossed(paired, row, depths, pairs).test().p)

    def compute(values: Array, *design: Design) -> Arrays:
        result: PairedResult = paired.tested(test, values, pairs, *design)
        is_finite = finite(values, paired.summaries[row])[pairs].all(axis=1)
        return (np.where(is_finite, result.p if as_printed else result.decided().p, np.nan),)

    return paired.over_terms(row, depths, compute)[0]


def leads(paired: Scores, row: int, depths: slice, pairs: Array) -> NDArray[np.int8]:
    """Return the better system as a sign, shape (pair, depth).

    The value is 1 if the first system of the pair has the better mean, -1 if the second system has,
    and 0 if the means are equal.
    """
    means = paired.means[row, depths]
    difference = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    return np.asarray(np.sign(np.round(difference, TIE)).astype(np.int8).T)


UNEVEN = 10
"""Ratio of the largest to the smallest variance of differences above which tests that assume equal
variances raise a warning."""


def without_spread(number: int, total: int) -> list[str]:
    """Return the caution about comparisons with constant differences."""
    message = (
        "comparisons whose differences are the same on all topics, up to rounding, so that their "
        f"variance cannot be estimated: {number} of {total}"
    )
    return [message] if number else []


def without_judged(groups: Iterable[Scores]) -> Iterator[str]:
    """Yield the caution about systems without judged documents."""
    some = [group for group in groups if not group.has_judged.all()]
    unknown = {str(name): None for group in some for name in group.systems[~group.has_judged]}
    if unknown:
        yield f"no retrieved document of {listing(unknown)} is judged: {NO_VERDICT}"


def with_zeros(paired: Scores, pairs: Array) -> list[str]:
    """Return the caution about harmonic means of 0."""
    number = 0
    for row, summary in enumerate(paired.summaries):
        if summary == "harmonic":
            zero = (paired.values[row] == 0).any(axis=1)
            number += int(zero[pairs].any(axis=1).sum())
    message = f"comparisons of harmonic means that are 0 because of a score of 0: {number}"
    return [message] if number else []


def unequal_spread(test: PairedTest, sd: Array) -> list[str]:
    """Return the caution about unequal variances.

    The standard deviations `sd` of differences have the shape (..., pair).
    """
    spread = np.where(sd > 0, sd, np.nan)
    spreads = spread[~np.isnan(spread).all(axis=-1)]
    uneven = np.nanmax(spreads, axis=-1) ** 2 > UNEVEN * np.nanmin(spreads, axis=-1) ** 2
    message = (
        f"{test.name} assumes that the differences of all pairs have the same variance, but some "
        f"variances are more than {UNEVEN} times as large as others: use t with holm or max-t"
    )
    return [message] if uneven.any() else []


def _position(paired: Scores, reference: Scores, row: int, column: int) -> tuple[int, int] | None:
    """Find the metric and depth of given scores in `paired`.

    The scores are those of `reference` at the positions `row` and `column`. The metric with the
    same name is tried first.
    """
    if not paired.topics.equals(reference.topics):
        return None
    sought = reference.values[row, ..., column]
    same = [number for number, name in enumerate(paired.metrics) if name == reference.metrics[row]]
    for number in dict.fromkeys([*same, *range(len(paired.metrics))]):
        for depth in range(paired.values.shape[3]):
            if np.array_equal(paired.values[number, ..., depth], sought, equal_nan=True):
                return number, depth
    return None


class Pairing:
    """Significance test of pairs of systems, with its correction.

    Parameters
    ----------
    test
        A `Significance`, or the name of a test.
    auto
        The correction that ``adjust="auto"`` stands for.
    """

    def __init__(self, test: Tested, *, auto: Correction | None = "holm") -> None:
        chosen = test if isinstance(test, Significance) else Significance.read(test, "t")
        self.decided = chosen
        self.test = chosen.only_test
        self.family = chosen.family
        self.alpha = chosen.alpha
        self.over = chosen.over
        self.adjust = parse_correction(chosen.adjust, self.test, self.family, auto=auto)
        # families over several depths are corrected at once, but read in blocks of depths
        self._p_of: dict[Scores, Array] = {}
        self._tests = self._without = 0
        self._uneven: list[str] = []
        self._zeros: list[str] = []

    @property
    def corrected(self) -> bool:
        """Whether p-values are adjusted for multiple comparisons."""
        return self.adjust is not None or self.test.joint

    def refuse_over(self, groups: Iterable[Scores], *, drawn: str = "") -> None:
        """Raise if the options do not support the repeats.

        Parameters
        ----------
        groups
            The scores of every group.
        drawn
            Name of a method of rank intervals that does not support repeats, or an empty string.
        """
        for group in groups:
            repeats = group.repeats
            if repeats is None:
                if self.over == "repeat":
                    advice = "add a column such as repeat or seed"
                    expected = "repeats for over='repeat'"
                    raise ParameterError(expected, "scores without repeats", advice)
                continue
            if not repeats.crossing:
                continue
            if self.over == "repeat" and repeats.counts.max() < 2:
                expected = f"several {plural(repeats.name)} for over='repeat'"
                raise ParameterError(expected, "one per system")
            refused = [] if isinstance(self.test, PairedT) else [f"test={self.test.name!r}"]
            refused += ["adjust='max-t'"] if isinstance(self.adjust, MaxT) else []
            refused += [f"rank_interval={drawn!r}"] if drawn else []
            refused += [f"{name}=" for name in names_declared(group.attrs)]
            if refused:
                expected = f"options that support over={repeats.over!r}"
                advice = f"pass over='topic' to test means over {plural(repeats.name)}"
                raise ParameterError(expected, "", advice, refused)

    def family_sizes(self, groups: Sequence[Scores], pairs: Sequence[Array]) -> list[int]:
        """Return how many comparisons are corrected together, per group."""
        axes = {"depth": (), "metric": (3,), "all": (0, 3)}[self.family]
        rows = zip(groups, pairs, strict=True)
        sizes = [
            len(chosen) * prod(group.values.shape[axis] for axis in axes) for group, chosen in rows
        ]
        return [sum(sizes)] * len(sizes) if self.family == "all" else sizes

    def adjust_p(self, groups: Sequence[Array]) -> list[Array]:
        """Correct p-values, unless the correction needs scores."""
        adjust = None if isinstance(self.adjust, MaxT) else self.adjust
        return adjust_p(groups, adjust, family=self.family, alpha=self.alpha)

    def correct(self, groups: Sequence[Compared]) -> list[Array]:
        """Return corrected p-values by group, shape (metric, depth, pair)."""
        if not isinstance(self.adjust, MaxT):
            return self.adjust_p([group.p for group in groups])
        adjusted = _by_family(groups, self.family, self.adjust.kernel)
        return [np.maximum(group.p, p) for group, p in zip(groups, adjusted, strict=True)]

    def critical_t(self, groups: Sequence[Compared]) -> list[Array]:
        """Return the critical t of simultaneous max-T intervals.

        The result contains one array of shape (metric, depth, pair) for each group.
        """
        compute = partial(cast("MaxT", self.adjust).critical_t, alpha=self.alpha)
        return _by_family(groups, self.family, compute)

    def p_values(self, paired: Scores, pairs: Array) -> Array:
        """Return corrected p-values, shape (metric, depth, pair)."""

        def compute(row: int, depths: slice) -> Arrays:
            return (self._p_values(paired, row, depths, pairs),)

        compared = Compared(paired, pairs, *paired.by_pair(len(pairs), compute))
        return self.correct([compared])[0]

    def piece(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Return the corrected p-values of one metric, shape (pair, depth).

        Without a correction, constant differences other than 0 have p = 0, as is common in the
        literature.
        """
        if self.family == "depth" and not isinstance(self.adjust, MaxT):
            plain = self.adjust is None
            p = self._p_values(paired, row, depths, pairs, as_printed=plain)
            return adjust_rows(p.T, self.adjust, self.alpha).T
        if paired not in self._p_of:
            self._p_of[paired] = self.p_values(paired, pairs)
        return self._p_of[paired][row, depths].T

    def correct_together(self, paired: Scores, reference: Scores, pairs: Array) -> None:
        """Correct p-values of `reference` together with those of `paired`.

        The scores `paired` contain all scores of `reference`.
        """
        if self.family == "depth" or self.adjust is None:
            return
        self._p_of[paired] = p = self.p_values(paired, pairs)
        columns = range(reference.values.shape[3])
        positions = [
            [_position(paired, reference, row, column) for column in columns]
            for row in range(len(reference.metrics))
        ]
        # a reference with other scores is a family of its own, which `piece` corrects
        if all(pos is not None for row in positions for pos in row):
            self._p_of[reference] = np.array([[p[pos] for pos in row] for row in positions])

    def share(self, p: Array) -> Array:
        """Return the share of significant pairs at each depth."""
        return np.asarray((p < self.alpha).mean(axis=0))

    def verdicts(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Return the sign of significant leads, else 0; see `leads`."""
        significant = self.piece(paired, row, depths, pairs) < self.alpha
        return np.where(significant, leads(paired, row, depths, pairs), np.int8(0))

    def _p_values(
        self, paired: Scores, row: int, depths: slice, pairs: Array, *, as_printed: bool = False
    ) -> Array:
        """Return unadjusted p-values of a metric, shape (pair, depth).

        NaN p-values are counted, so that `attributes` can warn about them.
        """
        p = p_values(paired, row, depths, test=self.test, pairs=pairs, as_printed=as_printed)
        self._tests += p.size
        self._zeros = self._zeros or with_zeros(paired, pairs)
        # P-values are also NaN for harmonic means of 0, which have a separate caution
        self._without += 0 if self._zeros else int(np.isnan(p).sum())
        if self.test.joint and not self._uneven:
            (sd,) = paired.over_terms(row, depths, lambda v: (describe_differences(v, pairs).sd,))
            self._uneven = unequal_spread(self.test, sd.T)
        return p

    def attributes(self) -> dict[str, object]:
        """Return the attributes of a result, and raise warnings."""
        warn(*without_spread(self._without, self._tests), *self._uneven, *self._zeros)
        return self.described

    @property
    def described(self) -> dict[str, object]:
        """Attributes that describe the test and its correction."""
        return describe_test(self.test, self.adjust, self.family, alpha=self.alpha)
