"""Comparison of all pairs of systems in all groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.checks import number, room
from irframe.comparing.corrections import MAX_T
from irframe.comparing.significance import Compared, Pairing
from irframe.cubes.scores import Arrays, Scores, finite, of_topics, summands
from irframe.errors import MetricError, ParameterError
from irframe.experiments.topic_design import CLUSTER, WEIGHT, names_declared
from irframe.metrics.facts import facts
from irframe.names import NO_VERDICT
from irframe.paired import MaxT, PairedT, describe_differences
from irframe.paired.classical import t_test
from irframe.paired.design import Design
from irframe.paired.margins import EFFECTS, detectable, hedges, within_margin
from irframe.scores.repeats import clusters, effective

NUMBERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size", "statistic", "p")
COUNTS = ("wins", "ties", "losses", "n_topics")
SPREAD = ("mean_difference", "sd", "freedom")
"""Names of the statistics of paired differences that are needed for tests against margins and for
cautions. Comparison frames do not contain these statistics."""
CLAIMS = ("not_worse", "equivalent")
OF_MARGIN = (
    *(column for name in CLAIMS for column in (f"p_{name}", f"p_{name}_adjusted", name)),
    *("verdict", "detectable"),
)
"""Names of the columns that a comparison contains only if a margin or a power is passed."""
POWER = 0.8
"""Power for which the column ``detectable`` is computed by default."""
VERDICTS = ("better", "worse", "equivalent", "not worse", "undecided")
ROW_BYTES = 145
"""Memory of a comparison frame, in bytes per row. Building the frame needs up to twice as much."""

Margins = float | Mapping[str, float] | None
"""Type of the argument ``margin=``: a margin for all metrics, a mapping from metric to margin, or
None."""
Columns = dict[str, Array]
"""Type of a mapping from the name of a column to its values, an array of shape (metric, depth,
pair)."""


@dataclass(frozen=True)
class PairOptions:
    """Options of a comparison of pairs of systems, see `compare`."""

    pairing: Pairing
    margin: Margins = None
    power: float | None = None
    simultaneous: bool = False
    effects: bool = False
    progress: bool = False

    def __post_init__(self) -> None:
        """Raise if the power or a margin is invalid."""
        if self.power is not None:
            number("power", self.power, above=self.pairing.alpha, below=1)
        if self.margin is None:
            return
        margins = self.margin.values() if isinstance(self.margin, Mapping) else [self.margin]
        for margin in margins:
            number("margin", margin, above=0)
        test = self.pairing.test
        if test.joint or isinstance(self.pairing.adjust, MaxT):
            name = test.name if test.joint else MAX_T
            advice = "choose another test, with adjust='holm'"
            raise ParameterError("a test and a correction that support margins", name, advice)

    @property
    def verdicts(self) -> bool:
        """Whether the result has verdicts."""
        return self.margin is not None or self.power is not None

    def attributes(self) -> dict[str, object]:
        """Return attributes that describe the test, correction and intervals."""
        simultaneous = self.simultaneous or self.pairing.test.joint
        students = MAX_T if self._by_max_t else "t"
        interval = self.pairing.test.name if self._inverted else students
        intervals = "simultaneous" if simultaneous else "for its pair alone"
        return {**self.pairing.described, "interval": interval, "intervals": intervals}

    @property
    def _by_max_t(self) -> bool:
        """Whether intervals use the quantile of the largest t."""
        return self.simultaneous and isinstance(self.pairing.adjust, MaxT)

    @property
    def _inverted(self) -> bool:
        """Whether intervals contain the differences that are not rejected."""
        return self.pairing.test.inverted and not self._by_max_t

    def compare(self, groups: Sequence[Scores], pairs: Sequence[Array]) -> list[Columns]:
        """Compare pairs of systems, and return the columns per group.

        `pairs` contains one array per group with the positions of systems, shape (pair, 2).
        """
        shapes = zip((group.values.shape for group in groups), pairs, strict=True)
        rows = sum(m * d * len(chosen) for (m, _, _, d), chosen in shapes)
        advice = "select depths or metrics of the scores, or choose a baseline with baseline="
        # The frame may need far more memory than the scores, so the size is checked before any
        # test.
        room(f"a comparison frame of {rows:,} rows", rows * ROW_BYTES, advice)
        pairing = self.pairing
        alpha = pairing.alpha
        levels = [alpha] * len(groups)
        if self.simultaneous and not pairing.test.joint and not self._by_max_t:
            # no simultaneous intervals exist for stepwise corrections, so Bonferroni's are used
            sizes = pairing.family_sizes(groups, pairs)
            sidak = pairing.adjust == "sidak"
            levels = [1 - (1 - alpha) ** (1 / n) if sidak else alpha / n for n in sizes]
        margins = [self.margins(group.metrics) for group in groups]
        results = [self._compare(*case) for case in zip(groups, pairs, levels, strict=True)]
        compared = [*map(Compared, groups, pairs, _field_of_each(results, "p"))]
        if self._by_max_t:
            for result, t in zip(results, pairing.critical_t(compared), strict=True):
                _widen_intervals(result, t, alpha)
        adjusted = pairing.correct(compared)
        judged = [
            group.has_judged[pair].all(axis=1) for group, pair in zip(groups, pairs, strict=True)
        ]
        for result, p, both_judged in zip(results, adjusted, judged, strict=True):
            result |= {"p_adjusted": p, "significant": (p < alpha) & both_judged}
            if self.effects:
                effects = self._effects(result)
                result |= dict(zip(EFFECTS, effects, strict=True))
        if self.verdicts:
            self._decide(results, groups, margins)
            for result, both_judged in zip(results, judged, strict=True):
                result["verdict"][..., ~both_judged] = NO_VERDICT
        return results

    def _effects(self, result: Columns) -> tuple[Array, ...]:
        """Return Hedges' g and its confidence interval."""
        n = result["n_topics"]
        sd = result["sd"]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(sd > 0, result["mean_difference"] / (sd / np.sqrt(n)), np.nan)
        student = {"t": t, "df": result["freedom"]} if "df" in result else {}
        return hedges(result["effect_size"], n, alpha=self.pairing.alpha, **student)

    def margins(self, metrics: Sequence[str]) -> Array:
        """Return each metric's margin, or NaN if none is passed.

        Raise if a metric is not an arithmetic mean over topics, or if the keys of a mapping are not
        exactly the metrics of the scores.
        """
        margin = self.margin
        if margin is None:
            return np.full(len(metrics), np.nan)
        refused = [name for name in metrics if facts(name).summary != "mean"]
        if refused:
            raise MetricError("arithmetic means over topics for margin=", "", "", refused)
        if not isinstance(margin, Mapping):
            return np.full(len(metrics), margin, float)
        missing = [name for name in metrics if name not in margin]
        strange = [name for name in margin if name not in metrics]
        if missing or strange:
            got = f"no margin for {', '.join(missing)}" if missing else "margins of other metrics"
            raise ParameterError(f"a margin for each of {', '.join(metrics)}", got, "", strange)
        return np.array([margin[name] for name in metrics], float)

    def _decide(
        self, results: list[Columns], groups: Sequence[Scores], margins: list[Array]
    ) -> None:
        """Add tests against margins, and verdicts, to the results."""
        for group, result, margin in zip(groups, results, margins, strict=True):
            sign, limit = (np.reshape(flags, (-1, 1, 1)) for flags in (group.signs, margin))
            result["lead"] = lead = result["mean_difference"] * sign
            sd, n, freedom = (result[name] for name in ("sd", "n_topics", "freedom"))
            power = self.power or POWER
            least = detectable(sd, n, power=power, alpha=self.pairing.alpha, freedom=freedom)
            plain = np.reshape([summary == "mean" for summary in group.summaries], (-1, 1, 1))
            result["detectable"] = np.where(plain, least, np.nan)
            if self.margin is not None:
                tested = within_margin(lead, sd, n, limit, freedom)
                result |= {f"p_{name}": p for name, p in zip(CLAIMS, tested, strict=True)}
        for name in CLAIMS if self.margin is not None else ():
            adjusted = self.pairing.adjust_p(_field_of_each(results, f"p_{name}"))
            for result, p in zip(results, adjusted, strict=True):
                result |= {f"p_{name}_adjusted": p, name: p < self.pairing.alpha}
        for result in results:
            result["verdict"] = verdict(result)

    def _compare(self, group: Scores, pairs: Array, alpha: float) -> Columns:
        def compare(subset: Scores) -> list[Array]:
            columns = partial(self._columns, subset, pairs, alpha)
            return subset.by_pair(
                len(pairs),
                lambda row, block: subset.over(row, block, columns),
                progress=self.progress,
            )

        columns = group.by_summary(compare)
        result = dict(zip((*NUMBERS, *SPREAD, *COUNTS), columns, strict=True))
        # differences of costs are not negated, so wins and losses are exchanged instead
        costs = np.array(group.signs) < 0
        swapped = result["losses"][costs], result["wins"][costs]
        result["wins"][costs], result["losses"][costs] = swapped
        if group.repeats is not None:
            result |= _repeat_columns(result, group, pairs, alpha)
        return result | (_design_columns(result, group) if group.design is not None else {})

    def _columns(
        self, group: Scores, pairs: Array, alpha: float, values: Array, *design: Design
    ) -> Arrays:
        """Return columns for metrics with the same kind of mean."""
        inverted = self._inverted
        summary = group.summaries[0]
        means = of_topics(values, summary, *design)
        summed = summands(values, summary)
        is_finite = finite(summed, summary)[pairs].all(axis=1)
        differences = describe_differences(summed, pairs, *design)
        test = self.pairing.test
        if isinstance(test, PairedT) and group.system_order is None:
            tested = t_test(differences).decided()
        else:  # systems are sorted, because rounding errors depend on their order
            tested = group.tested(test, summed, pairs, *design).decided()
        mean_a, mean_b = means[pairs[:, 0]], means[pairs[:, 1]]
        if summary != "mean":
            difference = mean_a - mean_b
            ends = 2 * (np.full_like(difference, np.nan),)
        else:
            difference = differences.mean
            if inverted:
                named = group.by_name(values, pairs)
                ends = test.interval(*named, *design, alpha=alpha)
            else:
                ends = differences.interval(alpha=alpha)
        topics = np.broadcast_to(differences.topics, difference.shape)
        # wins and losses compare the original scores, not their logarithms or reciprocals
        counted = differences if summed is values else describe_differences(values, pairs)
        return (
            *(mean_a, mean_b, difference, *ends),
            *(np.where(is_finite, column, np.nan) for column in (differences.effect_size, *tested)),
            *(differences.mean, differences.sd, differences.freedom),
            *(counted.wins, counted.ties, counted.losses),
            topics,
        )


def _field_of_each(results: list[Columns], name: str) -> list[Array]:
    return [result[name] for result in results]


def _design_columns(result: Columns, group: Scores) -> Columns:
    """Return the columns that clusters and weights of topics add."""
    declared = names_declared(group.attrs)
    counts = {CLUSTER: ("n_clusters", clusters), WEIGHT: ("n_eff", effective)}
    columns = {
        name: np.broadcast_to(count(group)[..., np.newaxis], result["p"].shape)
        for label, (name, count) in counts.items()
        if label in declared
    }
    return columns | {"df": result["freedom"]}


def verdict(result: Columns) -> Array:
    """Return the first true statement in `VERDICTS` for each pair.

    Parameters
    ----------
    result
        Mapping from name to array. ``significant`` is whether the difference is significant, and
        ``lead`` is the difference, which is positive if the first system is better. With a margin,
        there are also the decisions ``not_worse`` and ``equivalent``.

    Examples
    --------
    >>> result = {"significant": np.array([False, True]), "lead": np.array([0.1, -0.2])}
    >>> verdict(result | {"not_worse": np.array([True, False])}).tolist()
    ['not worse', 'worse']
    """
    significant = result["significant"]
    lead = result["lead"]
    not_worse, equivalent = (result.get(name, np.zeros_like(significant)) for name in CLAIMS)
    worse = significant & (lead < 0) & ~not_worse
    holds = [significant & (lead > 0), worse, equivalent, not_worse]
    return np.asarray(np.select(holds, VERDICTS[:-1], VERDICTS[-1]), object)


def _widen_intervals(result: Columns, t: Array, alpha: float) -> None:
    """Widen Student's intervals in place to a larger critical t."""
    half = (result["ci_high"] - result["ci_low"]) / 2
    student = -scipy.special.stdtrit(result["n_topics"] - 1.0, alpha / 2)
    with np.errstate(invalid="ignore"):
        wide = half * np.maximum(t / student, 1)
    # the product of 0 and infinity is NaN, but for an infinite t the interval has no limits
    wide[(half == 0) & np.isinf(t)] = np.inf
    result |= {"ci_low": result["difference"] - wide, "ci_high": result["difference"] + wide}


def _repeat_columns(result: Columns, group: Scores, pairs: Array, alpha: float) -> Columns:
    """Return the columns that differ if systems have repeats."""
    repeats = group.repeats
    counted = np.broadcast_to(repeats.counts[pairs], (*result["p"].shape, 2))
    columns = dict(zip(("n_repeats_a", "n_repeats_b"), np.moveaxis(counted, -1, 0), strict=True))
    columns["df"] = result["n_topics"] - 1.0
    if repeats.layout == "topic" or group.design is not None:
        return columns

    def compute(row: int, block: slice) -> Arrays:
        crossed = repeats.crossed(group, row, block, pairs)
        sd = np.sqrt(crossed.variance * result["n_topics"][row, block].T)
        return crossed.share, *crossed.interval(alpha=alpha), *crossed.test(), crossed.freedom, sd

    columns["repeat_share"], *values = group.by_pair(len(pairs), compute)
    if repeats.crossing:
        names = ("ci_low", "ci_high", "statistic", "p", "freedom", "sd")
        columns |= dict(zip(names, values, strict=True))
        columns["df"] = columns["freedom"]
        # The formulas for repeats give every metric an interval, but only arithmetic means may have
        # one.
        lost = np.isnan(result["ci_low"]) & ~np.isnan(result["effect_size"])
        for name in ("ci_low", "ci_high"):
            columns[name][lost] = np.nan
    return columns
