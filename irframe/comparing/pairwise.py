"""Every pair of systems of every group compared, also where scores are only bounded.

Verbs: decide.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding, tracked
from irframe.comparing.corrections import (
    Compared,
    Family,
    Parsed,
    adjust_p,
    correct,
    correction_told,
    reach,
)
from irframe.comparing.significance import Margin
from irframe.cubes.by_group import groups
from irframe.cubes.unjudged import BOUND, SIDES
from irframe.cubes.verb import verb
from irframe.errors import InputError, MetricError, ParameterError
from irframe.experiments.group_columns import GroupBy
from irframe.metrics.facts import TIE, average, facts
from irframe.names import METRIC, plural
from irframe.paired import MaxT, PairedT, PairedTest, describe_differences
from irframe.paired.margins import EFFECTS, hedges
from irframe.scores.averages import effective
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.reference import Baselines, choose_pairs, label_pairs
from irframe.scores.repeats import Over
from irframe.scores.scores import Arrays, Scores

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
            every = dict.fromkeys(metric for part in parts for metric in part.metrics)
            refused = [metric for metric in every if facts(metric).summary != "mean"]
            if refused:
                wanted = "metrics that are averaged over topics, for margin="
                raise MetricError(wanted, "", "", refused)
        levels = [self.alpha] * len(parts)
        if self.simultaneous and not self.test.joint and not isinstance(self.adjust, MaxT):
            sizes, sidak = self.family_sizes(parts, pairs), self.adjust == "sidak"
            levels = [1 - (1 - self.alpha) ** (1 / n) if sidak else self.alpha / n for n in sizes]
        results = [self._compare(*case) for case in zip(parts, pairs, levels, strict=True)]
        tested = zip(parts, pairs, (result["p"] for result in results), strict=True)
        compared = list(starmap(Compared, tested))
        if self.simultaneous and isinstance(self.adjust, MaxT):
            reached = reach(compared, self.adjust, family=self.family, alpha=self.alpha)
            for result, t in zip(results, reached, strict=True):
                _widen(result, t, self.alpha)
        adjusted = correct(compared, self.adjust, family=self.family, alpha=self.alpha)
        for result, p in zip(results, adjusted, strict=True):
            result |= {"p_adjusted": p, "significant": p < self.alpha}
        self._further(results, parts)
        return results

    def family_sizes(self, parts: Sequence[Scores], pairs: Sequence[Array]) -> list[int]:
        """Return of each group how many comparisons are corrected together."""
        axes = {"depth": (), "metric": (3,), "all": (0, 3)}[self.family]
        rows = zip(parts, pairs, strict=True)
        sizes = [len(kept) * prod(part.values.shape[axis] for axis in axes) for part, kept in rows]
        return [sum(sizes)] * len(sizes) if self.family == "all" else sizes

    def _further(self, results: list[Found], parts: Sequence[Scores]) -> None:
        """Add the columns that were asked for besides."""
        if self.effects:
            for result in results:
                effects = hedges(result["effect_size"], result["n_topics"], alpha=self.alpha)
                result |= dict(zip(EFFECTS, effects, strict=True))
        if self.margin is not None:
            options: Any = {"adjust": self.adjust, "family": self.family, "alpha": self.alpha}
            correcting = partial(adjust_p, **options)
            further = self.margin.columns(results, parts, alpha=self.alpha, correct=correcting)
            for result, more in zip(results, further, strict=True):
                result.update(more)

    def _compare(self, group: Scores, pairs: Array, alpha: float) -> Found:
        metrics, _, _, depths = group.values.shape
        shape = (metrics, depths, len(pairs))
        spread = self.margin is not None or self.test.joint
        numbers = (*NUMBERS, *SPREAD) if spread else NUMBERS
        result: Found = {name: np.empty(shape) for name in numbers}
        result |= {name: np.empty(shape, dtype=np.int64) for name in COUNTS}

        pieces = list(group.pieces(len(pairs)))
        for row, block in tracked(pieces, len(pieces), "block", progress=self.progress):
            compute = self._columns(group, row, pairs, alpha, spread=spread)
            for name, values in zip(result, group.over(row, block, compute), strict=True):
                result[name][row, block] = values.T
        for row, sign in enumerate(group.towards):
            if sign < 0:
                wins = result["wins"][row].copy()
                result["wins"][row], result["losses"][row] = result["losses"][row], wins
        if group.repeats is not None:
            result = with_repeats(result, group, pairs, alpha)
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
            ends = differences.interval(alpha=alpha) if ends is None else ends
            difference = differences.mean
            if summary != "mean":
                difference = sides[0] - sides[1]
                ends = 2 * (np.full_like(difference, np.nan),)
            counts = differences.wins, differences.ties, differences.losses
            shape = differences.mean.shape
            freedom, topics = (
                np.broadcast_to(array, shape) for array in (differences.freedom, differences.topics)
            )
            further = (differences.mean, differences.sd, freedom) if spread else ()
            shown = *sides, difference, *ends, differences.effect_size, *tested
            return *shown, *further, *counts, topics

        return compute


def refuse_large(shapes: Sequence[Any], pairs: Sequence[Array]) -> None:
    """Raise if the frame of groups of scores, (metric, system, topic, depth), is too large."""
    rows = sum(m * d * len(kept) for (m, _, _, d), kept in zip(shapes, pairs, strict=True))
    size = rows * ROW_BYTES
    if size > FRAME_BYTES:
        wanted = f"a comparison frame of at most {FRAME_BYTES / 2**30:.3g} GiB"
        found = f"{rows} rows of {ROW_BYTES} bytes, {size / 2**30:.3g} GiB"
        advice = "choose depths with at=, a baseline with baseline=, or fewer metrics"
        raise InputError(wanted, found, advice)


def _widen(result: Found, t: Array, alpha: float) -> None:
    """Give Student's intervals other quantiles, where these are larger."""
    half = (result["ci_high"] - result["ci_low"]) / 2
    own = -scipy.special.stdtrit(result["n_topics"] - 1.0, alpha / 2)
    with np.errstate(invalid="ignore"):
        wide = half * np.maximum(t / own, 1)
    wide[(half == 0) & np.isinf(t)] = np.inf
    result |= {"ci_low": result["difference"] - wide, "ci_high": result["difference"] + wide}


@verb
def decide(
    bounds: xr.DataArray,
    *,
    baseline: Baselines = None,
    at: Depths = None,
    by: GroupBy | None = None,
) -> pd.DataFrame:
    """Say which systems are better than which whatever the unjudged documents are.

    Parameters
    ----------
    bounds
        Lower and upper scores, as `bounds` gives them.
    baseline
        A system: hold each other system against it, ``system_b`` throughout. By default all
        pairs of systems.
    at
        Depths to look at; by default all there are.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group, labelled with the group.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and pair, in the order of `compare`, with the columns
        ``metric``, ``depth``, ``system_a``, ``system_b``; ``lowest`` and ``highest``, between
        which the difference of the means, a - b, must lie; ``decided``, whether they have the
        same sign; and ``better``, the better system of a decided pair, else missing.

    Raises
    ------
    InputError
        For scores without a lower and an upper bound.
    ParameterError
        For an unknown baseline.

    Notes
    -----
    The means of two systems are decided if their intervals do not touch: the lowest difference
    is the lower mean of a less the upper mean of b. A document that both retrieve is taken at its
    worst for one and its best for the other, so that more pairs may be decided in truth. It is no
    significance test, and says nothing of other topics.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pairs = decide(cube.ireval.bounds("RBP(p=0.5)", at=50), baseline="splade")
    >>> pairs.loc[3:5, ["system_a", "lowest", "highest", "decided"]]
         system_a  lowest  highest  decided
    3     colbert  -0.256    0.098    False
    4  doct5query  -0.114    0.039    False
    5      monot5   0.017    0.018     True
    """
    holding("scores with a dimension bound, as bounds gives them", bounds, {BOUND}, "sizes")
    lower, upper = (scores_to_compare(bounds.sel({BOUND: side}, drop=True), at) for side in SIDES)
    pairs = choose_pairs(lower, baseline, several=True)
    first, second = pairs.T
    sign = np.array(lower.towards)[:, np.newaxis, np.newaxis]
    least, most = sign * lower.means, sign * upper.means
    low = np.round(least[..., first] - most[..., second], TIE) + 0.0
    high = np.round(most[..., first] - least[..., second], TIE) + 0.0
    higher = np.where(low > 0, first, np.where(high < 0, second, -1))
    cheaper = np.where(high < 0, first, np.where(low > 0, second, -1))
    better = np.where(sign < 0, cheaper, higher).ravel()
    ahead = lower.systems.take(np.maximum(better, 0)).where(better >= 0)
    columns = {"lowest": low.ravel(), "highest": high.ravel(), "decided": better >= 0}
    return pd.DataFrame(label_pairs(lower, pairs) | columns | {"better": ahead})


DECIDED = ("lowest", "highest", "decided", "better", "verdict_lowest", "verdict_highest")
"""Further columns where the scores are bounds, the last two where there is a margin."""


def of_bounds(
    bounds: xr.DataArray,
    frame: pd.DataFrame,
    options: "Asked",
    *,
    baseline: Baselines,
    at: Depths,
    by: Any,
) -> pd.DataFrame:
    """Return a comparison of the lower scores with what both bounds say of every row.

    Parameters
    ----------
    bounds
        Lower and upper scores.
    frame
        The comparison of the lower ones.
    options
        What was asked of pairs.
    baseline, at, by
        As of the comparison.
    """
    compared = {None} if by is None else set(frame[by])
    parts = [part for key, part in groups(bounds, by) if key in compared]
    rows = pd.concat([decide(part, baseline=baseline, at=at) for part in parts], ignore_index=True)
    columns = {name: rows[name] for name in DECIDED[:4]}
    if options.margin is not None:
        columns |= _verdicts(parts, options, baseline, at)
        if options.margin.margin is not None:
            cost = frame[METRIC].map(lambda name: facts(name).cost).to_numpy(bool)
            least = np.where(cost, -rows["highest"], rows["lowest"])
            names = list(frame[METRIC].unique())
            margins = dict(zip(names, options.margin.by_metric(names), strict=True))
            within = least > -frame[METRIC].map(margins).to_numpy(float)
            columns["decided"] = rows["decided"] | within
    return frame.assign(**columns)


def _verdicts(
    parts: list[xr.DataArray], options: "Asked", baseline: Baselines, at: Depths
) -> dict[str, Any]:
    """Return the verdicts at either end: a as low as can be and b as high, and the other way."""
    sides = [
        [scores_to_compare(part.sel({BOUND: side}, drop=True), at, quiet=True) for side in SIDES]
        for part in parts
    ]
    both = []
    for low, high in sides:  # upper scores as other systems; for a cost the higher come first
        cost = np.array(low.towards)[:, np.newaxis, np.newaxis, np.newaxis] < 0
        ends_of = np.where(cost, high.values, low.values), np.where(cost, low.values, high.values)
        values = np.concatenate(ends_of, axis=1)
        both.append(replace(low, values=values, systems=pd.RangeIndex(values.shape[1])))
    sizes = [len(low.systems) for low, _ in sides]
    pairs = [choose_pairs(low, baseline, several=True) for low, _ in sides]
    ends = {}
    for name, shift in (("verdict_lowest", (0, 1)), ("verdict_highest", (1, 0))):
        shifted = [kept + size * np.array(shift) for kept, size in zip(pairs, sizes, strict=True)]
        results = options.of(both, shifted)
        ends[name] = np.concatenate([result["verdict"].ravel() for result in results])
    return ends


def refuse_over(
    parts: Iterable[Scores], over: Over, test: PairedTest, adjust: Parsed, *, drawn: str = ""
) -> None:
    """Raise for tests and corrections that know nothing of repeats, and where there are none.

    Parameters
    ----------
    parts
        The scores of every group.
    over
        What is generalised over.
    test, adjust
        How pairs are tested.
    drawn
        A method of rank intervals that knows nothing of repeats, or "".
    """
    for part in parts:
        known = part.repeats
        if known is None:
            if over == "repeat":
                advice = "name repeats in a column such as repeat or seed"
                raise ParameterError("repeats for over='repeat'", "one of every system", advice)
            continue
        if not known.crossing:
            continue
        if over == "repeat" and known.counts.max() < 2:
            wanted = f"several {plural(known.word)} for over='repeat'"
            raise ParameterError(wanted, "one of every system")
        named = [] if isinstance(test, PairedT) else [f"test={test.name!r}"]
        named += ["adjust='max-t'"] * isinstance(adjust, MaxT) + [f"method={drawn!r}"] * bool(drawn)
        named += ["weights="] * (part.weights is not None)
        if named:
            wanted = f"the test t, over={known.over!r} {plural(known.word)} and topics"
            advice = f"over='topic' works on means over {plural(known.word)}"
            raise ParameterError(wanted, "", advice, named)


def with_repeats(
    result: dict[str, Array], group: Scores, pairs: Array, alpha: float
) -> dict[str, Array]:
    """Return columns of a comparison in which repeats count, each (metric, depth, pair).

    Parameters
    ----------
    result
        Those of the means over repeats.
    group, pairs
        The scores, and the pairs of systems.
    alpha
        One minus the confidence level.
    """
    known = group.repeats
    counted = np.broadcast_to(known.counts[pairs], (*result["p"].shape, 2))
    freedom = result["n_topics"] - 1.0
    further = {"n_repeats_a": counted[..., 0], "n_repeats_b": counted[..., 1], "df": freedom}
    if known.layout == "topic":
        return {**result, **further}

    def compute(row: int, block: slice) -> Arrays:
        crossed = known.crossed(group, row, block, pairs)
        tested, ends = crossed.test(), crossed.interval(alpha=alpha)
        sd = np.sqrt(crossed.variance * result["n_topics"][row, block].T)
        return crossed.share, *ends, *tested, crossed.freedom, sd

    names = ("repeat_share", "ci_low", "ci_high", "statistic", "p", "freedom", "sd")
    values = group.by_pair(len(pairs), compute)
    columns: dict[str, Any] = dict(zip(names, values, strict=True))
    share = {"repeat_share": columns.pop("repeat_share")}
    if not known.crossing:
        return {**result, **further, **share}
    columns["df"] = columns["freedom"]
    if "sd" not in result:
        del columns["sd"], columns["freedom"]
    lost = np.isnan(result["ci_low"]) & ~np.isnan(result["effect_size"])  # not averaged plainly
    for name in ("ci_low", "ci_high"):
        columns[name][lost] = np.nan
    return {**result, **further, **columns, **share}
