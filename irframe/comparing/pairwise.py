"""Every pair of systems of every group, compared as asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.checks import tracked
from irframe.comparing.corrections import Family
from irframe.comparing.effect_sizes import EFFECTS, hedges
from irframe.comparing.joint_corrections import (
    Compared,
    Parsed,
    correct,
    correction_told,
    reach,
)
from irframe.comparing.margins import Margin, refuse_unaveraged
from irframe.errors import InputError
from irframe.metrics.facts import average
from irframe.paired import Differences, MaxT, PairedResult, PairedTest, describe_differences
from irframe.scores.scores import Arrays, Scores
from irframe.scores.weighted import effective

NUMBERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size", "statistic", "p")
COUNTS = ("wins", "ties", "losses", "n_topics")
SPREAD = ("mean_difference", "sd", "freedom")
"""What margins and cautions read of the paired differences."""
FRAME_BYTES = 4 * 2**30
"""Largest comparison frame that is begun; making it takes up to twice as much."""
ROW_BYTES = 145
"""Size of a row of it."""

Found = dict[str, Array]
"""Column -> values of a group, shape (metric, depth, pair)."""


@dataclass(frozen=True)
class Asked:
    """What is asked of pairs of systems."""

    test: PairedTest
    adjust: Parsed
    family: Family
    alpha: float
    margin: Margin | None = None
    simultaneous: bool = False
    effects: bool = False
    progress: bool = False

    def told(self) -> dict[str, Any]:
        """Return what a result says of it."""
        together = self.simultaneous or self.test.joint
        return {
            **correction_told(self.test, self.adjust, self.family, alpha=self.alpha),
            "interval": self.test.name if self.own_interval else "t",
            "intervals": "simultaneous" if together else "for its pair alone",
        }

    def of(self, parts: Sequence[Scores], pairs: Sequence[Array]) -> list[Found]:
        """Compare the pairs of every group.

        Parameters
        ----------
        parts
            The scores of every group.
        pairs
            Its pairs, shape (pair, 2).
        """
        shapes = [part.values.shape for part in parts]
        refuse_large(shapes, pairs)
        if self.margin is not None and self.margin.margin is not None:
            for part in parts:
                refuse_unaveraged(part.metrics, part.summaries)
        levels = self._levels(shapes, pairs)
        results = [self._compare(*each) for each in zip(parts, pairs, levels, strict=True)]
        compared = [
            Compared(part, some, found["p"])
            for part, some, found in zip(parts, pairs, results, strict=True)
        ]
        if self.simultaneous and isinstance(self.adjust, MaxT):
            reached = reach(compared, self.adjust, family=self.family, alpha=self.alpha)
            for found, t in zip(results, reached, strict=True):
                found.update(_widened(found, t, self.alpha))
        adjusted = correct(compared, self.adjust, family=self.family, alpha=self.alpha)
        for found, p in zip(results, adjusted, strict=True):
            found |= {"p_adjusted": p, "significant": p < self.alpha}
        self._further(results, parts)
        return results

    def _levels(self, shapes: list[Any], pairs: Sequence[Array]) -> list[float]:
        """Return one minus the confidence level of each group's intervals, before any quantile."""
        if not self.simultaneous or self.test.joint or isinstance(self.adjust, MaxT):
            return [self.alpha] * len(shapes)
        rows = [
            len(some) * (1 if self.family == "depth" else depths)
            for (_, _, _, depths), some in zip(shapes, pairs, strict=True)
        ]
        if self.family == "all":
            total = sum(row * shape[0] for row, shape in zip(rows, shapes, strict=True))
            rows = [total] * len(rows)
        sidak = self.adjust == "sidak"
        return [1 - (1 - self.alpha) ** (1 / n) if sidak else self.alpha / n for n in rows]

    def _further(self, results: list[Found], parts: Sequence[Scores]) -> None:
        """Add the columns that were asked for besides."""
        if self.effects:
            for found in results:
                effects = hedges(found["effect_size"], found["n_topics"], alpha=self.alpha)
                found |= dict(zip(EFFECTS, effects, strict=True))
        if self.margin is not None:
            towards = [part.towards for part in parts]
            further = self.margin.columns(
                results, towards, adjust=self.adjust, family=self.family, alpha=self.alpha
            )
            for found, more in zip(results, further, strict=True):
                found.update(more)

    def _compare(self, group: Scores, pairs: Array, alpha: float) -> Found:
        metrics, _, _, depths = group.values.shape
        shape = (metrics, depths, len(pairs))
        spread = self.margin is not None or self.test.joint
        numbers = (*NUMBERS, *SPREAD) if spread else NUMBERS
        result: Found = {name: np.empty(shape) for name in numbers}
        result |= {name: np.empty(shape, dtype=np.int64) for name in COUNTS}

        def columns(row: int, block: slice) -> Arrays:
            return group.over(row, block, self._columns(group, row, pairs, alpha, spread=spread))

        pieces = list(group.pieces(len(pairs)))
        for row, block in tracked(pieces, len(pieces), "block", progress=self.progress):
            for name, values in zip(result, columns(row, block), strict=True):
                result[name][row, block] = values.T
        for row, sign in enumerate(group.towards):
            if sign < 0:
                wins = result["wins"][row].copy()
                result["wins"][row], result["losses"][row] = result["losses"][row], wins
        if group.weights is not None:
            result["n_eff"] = np.broadcast_to(effective(group)[..., np.newaxis], shape)
        return result

    @property
    def own_interval(self) -> bool:
        """Whether intervals are those of the test, and not Student's."""
        return self.test.inverted and not (self.simultaneous and isinstance(self.adjust, MaxT))

    def _columns(
        self, group: Scores, row: int, pairs: Array, alpha: float, *, spread: bool
    ) -> Callable[..., Arrays]:
        """Return what gives the columns of pairs by one metric."""
        test, summary = self.test, group.summaries[row]

        def compute(values: Array, weights: Any = None) -> Arrays:
            tested = group.tested(test, values, pairs, weights).decided()
            differences = describe_differences(values, pairs, weights)
            ends = None
            if self.own_interval:
                ends = test.interval(*group.by_name(values, pairs), alpha=alpha, weights=weights)
            means = average(values, summary, axis=1, weights=weights)
            sides = means[pairs[:, 0]], means[pairs[:, 1]]
            return _columns(
                sides, differences, tested, ends, summary=summary, alpha=alpha, spread=spread
            )

        return compute


def refuse_large(shapes: Sequence[Any], pairs: Sequence[Array]) -> None:
    """Raise if the frame of groups of scores, (metric, system, topic, depth), is too large."""
    rows = sum(
        metrics * depths * len(some)
        for (metrics, _, _, depths), some in zip(shapes, pairs, strict=True)
    )
    size = rows * ROW_BYTES
    if size > FRAME_BYTES:
        wanted = f"a comparison frame of at most {FRAME_BYTES / 2**30:.3g} GiB"
        found = f"{rows} rows of {ROW_BYTES} bytes, {size / 2**30:.3g} GiB"
        advice = "choose depths with at=, a baseline with baseline=, or fewer metrics"
        raise InputError(wanted, found, advice)


def _columns(
    ends: Arrays,
    found: Differences,
    tested: PairedResult,
    own: Arrays | None,
    *,
    summary: str,
    alpha: float,
    spread: bool,
) -> Arrays:
    difference, interval = found.mean, found.interval(alpha=alpha)
    if own is not None:
        interval = own[0], own[1]
    if summary != "mean":
        difference = ends[0] - ends[1]
        interval = 2 * (np.full_like(difference, np.nan),)
    sides = found.wins, found.ties, found.losses
    topics = np.broadcast_to(found.topics, found.mean.shape)
    freedom = np.broadcast_to(found.freedom, found.mean.shape)
    further = (found.mean, found.sd, freedom) if spread else ()
    return *ends, difference, *interval, found.effect_size, *tested, *further, *sides, topics


def _widened(found: Found, t: Array, alpha: float) -> Found:
    """Return the ends of Student's intervals with other quantiles, where these are larger."""
    half = (found["ci_high"] - found["ci_low"]) / 2
    own = -scipy.special.stdtrit(found["n_topics"] - 1.0, alpha / 2)
    with np.errstate(invalid="ignore"):
        wide = half * np.maximum(t / own, 1)
    wide[(half == 0) & np.isinf(t)] = np.inf
    return {"ci_low": found["difference"] - wide, "ci_high": found["difference"] + wide}
