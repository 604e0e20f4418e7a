"""Every pair of systems of every group compared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.checks import number, room
from irframe.comparing import significance
from irframe.comparing.corrections import MAX_T, Family, Parsed, adjust_p
from irframe.comparing.significance import Compared
from irframe.cubes.scores import Arrays, Scores, finite, of_topics, summands
from irframe.errors import MetricError, ParameterError
from irframe.experiments.topic_design import CLUSTER, WEIGHT, names_declared
from irframe.metrics.facts import facts
from irframe.names import NO_VERDICT, plural
from irframe.paired import MaxT, PairedT, PairedTest, describe_differences
from irframe.paired.classical import of_differences
from irframe.paired.design import Design
from irframe.paired.margins import EFFECTS, detectable, hedges, within_margin
from irframe.scores.repeats import Over, clusters, effective

NUMBERS = ("mean_a", "mean_b", "difference", "ci_low", "ci_high", "effect_size", "statistic", "p")
COUNTS = ("wins", "ties", "losses", "n_topics")
SPREAD = ("mean_difference", "sd", "freedom")
"""What margins and cautions read of the paired differences."""
CLAIMS = ("not_worse", "equivalent")
OF_MARGIN = (
    *(column for name in CLAIMS for column in (f"p_{name}", f"p_{name}_adjusted", name)),
    *("verdict", "detectable"),
)
"""Columns of a comparison with a margin."""
POWER = 0.8
"""How often a difference is to be found, unless said."""
VERDICTS = ("better", "worse", "equivalent", "not worse", "undecided")
ROW_BYTES = 145
"""Size of a row of a comparison frame; making it takes up to twice as much."""

Margins = float | Mapping[str, float] | None
"""For all metrics, or metric -> margin."""
Found = dict[str, Array]
"""Column -> values of a group, shape (metric, depth, pair)."""


@dataclass(frozen=True)
class PairOptions:
    """What is asked of pairs of systems."""

    test: PairedTest
    adjust: Parsed
    family: Family
    alpha: float
    margin: Margins = None
    power: float | None = None
    simultaneous: bool = False
    effects: bool = False
    progress: bool = False
    over: Over = "both"

    def __post_init__(self) -> None:
        """Refuse margins that cannot be."""
        if self.power is not None:
            number("power", self.power, above=self.alpha, below=1)
        if self.margin is None:
            return
        margins = self.margin.values() if isinstance(self.margin, Mapping) else [self.margin]
        for margin in margins:
            number("margin", margin, above=0)
        if self.test.joint or isinstance(self.adjust, MaxT):
            named = self.test.name if self.test.joint else "max-t"
            advice = "choose another test, with adjust='holm'"
            raise ParameterError("a test and a correction that have a margin", named, advice)

    @property
    def verdicts(self) -> bool:
        """Whether verdicts are wanted."""
        return self.margin is not None or self.power is not None

    def told(self) -> dict[str, Any]:
        """Return what a result says of it."""
        together = self.simultaneous or self.test.joint
        other = MAX_T if self.simultaneous and isinstance(self.adjust, MaxT) else "t"
        return {
            **significance.correction_told(self.test, self.adjust, self.family, alpha=self.alpha),
            "interval": self.test.name if self.own_interval else other,
            "intervals": "simultaneous" if together else "for its pair alone",
        }

    @property
    def own_interval(self) -> bool:
        """Whether intervals are those of the test, and not Student's."""
        return self.test.inverted and not (self.simultaneous and isinstance(self.adjust, MaxT))

    def of(self, parts: Sequence[Scores], pairs: Sequence[Array]) -> list[Found]:
        """Compare the pairs of every group, shape (pair, 2)."""
        shapes = zip((part.values.shape for part in parts), pairs, strict=True)
        rows = sum(m * d * len(kept) for (m, _, _, d), kept in shapes)
        advice = "select depths or metrics of the scores, or choose a baseline with baseline="
        room(f"a comparison frame of {rows:,} rows", rows * ROW_BYTES, advice)
        levels = [self.alpha] * len(parts)
        if self.simultaneous and not self.test.joint and not isinstance(self.adjust, MaxT):
            sizes = significance.family_sizes(parts, pairs, self.family)
            sidak = self.adjust == "sidak"
            levels = [1 - (1 - self.alpha) ** (1 / n) if sidak else self.alpha / n for n in sizes]
        margins = [self.margins(part.metrics) for part in parts]
        results = [self._compare(*case) for case in zip(parts, pairs, levels, strict=True)]
        compared = [*map(Compared, parts, pairs, _field_of_each(results, "p"))]
        how: Any = {"adjust": self.adjust, "family": self.family, "alpha": self.alpha}
        if self.simultaneous and isinstance(self.adjust, MaxT):
            reached = significance.reach(compared, **how)
            for result, t in zip(results, reached, strict=True):
                _widen_intervals(result, t, self.alpha)
        adjusted = significance.correct(compared, **how)
        known = [part.known[pair].all(axis=1) for part, pair in zip(parts, pairs, strict=True)]
        for result, p, told in zip(results, adjusted, known, strict=True):
            result |= {"p_adjusted": p, "significant": (p < self.alpha) & told}
            if self.effects:
                effects = self._effects(result)
                result |= dict(zip(EFFECTS, effects, strict=True))
        if self.verdicts:
            self._decide(results, parts, margins, **how)
            for result, told in zip(results, known, strict=True):
                result["verdict"][..., ~told] = NO_VERDICT
        return results

    def _effects(self, result: Found) -> tuple[Array, ...]:
        """Return Hedges' g and its interval, which is of the t that stands beside it."""
        n, sd = result["n_topics"], result["sd"]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(sd > 0, result["mean_difference"] / (sd / np.sqrt(n)), np.nan)
        how = {"t": t, "df": result["freedom"]} if "df" in result else {}
        return hedges(result["effect_size"], n, alpha=self.alpha, **how)

    def margins(self, metrics: Sequence[str]) -> Array:
        """Return the margin of each metric, NaN without, refusing metrics that cannot have one."""
        margin = self.margin
        refused = [name for name in metrics if facts(name).summary != "mean"]
        if margin is not None and refused:
            raise MetricError("metrics that are averaged over topics, for margin=", "", "", refused)
        if not isinstance(margin, Mapping):
            return np.full(len(metrics), margin, float)
        missing = [name for name in metrics if name not in margin]
        strange = [name for name in margin if name not in metrics]
        if missing or strange:
            found = f"none for {', '.join(missing)}" if missing else "other names"
            raise ParameterError(f"a margin for each of {', '.join(metrics)}", found, "", strange)
        return np.array([margin[name] for name in metrics], float)

    def _decide(
        self, results: list[Found], parts: Sequence[Scores], margins: list[Array], **how: Any
    ) -> None:
        """Add what margins say of every pair, and the verdict."""
        for part, result, margin in zip(parts, results, margins, strict=True):
            sign, limit = (np.reshape(flags, (-1, 1, 1)) for flags in (part.signs, margin))
            result["lead"] = lead = result["mean_difference"] * sign
            sd, n, freedom = (result[name] for name in ("sd", "n_topics", "freedom"))
            options: Any = {"alpha": self.alpha, "freedom": freedom}
            least = detectable(sd, n, power=self.power or POWER, **options)
            plain = np.reshape([word == "mean" for word in part.summaries], (-1, 1, 1))
            result["detectable"] = np.where(plain, least, np.nan)
            if self.margin is not None:
                tested = within_margin(lead, sd, n, limit, freedom)
                result |= {f"p_{name}": p for name, p in zip(CLAIMS, tested, strict=True)}
        for name in CLAIMS if self.margin is not None else ():
            adjusted = adjust_p(_field_of_each(results, f"p_{name}"), **how)
            for result, p in zip(results, adjusted, strict=True):
                result |= {f"p_{name}_adjusted": p, name: p < self.alpha}
        for result in results:
            result["verdict"] = verdict(result)

    def _compare(self, group: Scores, pairs: Array, alpha: float) -> Found:
        def compare(part: Scores) -> list[Array]:
            columns = partial(self._columns, part, pairs, alpha)
            return part.by_pair(
                len(pairs),
                lambda row, block: part.over(row, block, columns),
                progress=self.progress,
            )

        columns = group.by_summary(compare)
        result = dict(zip((*NUMBERS, *SPREAD, *COUNTS), columns, strict=True))
        costs = np.array(group.signs) < 0
        swapped = result["losses"][costs], result["wins"][costs]
        result["wins"][costs], result["losses"][costs] = swapped
        if group.repeats is not None:
            result |= of_repeats(result, group, pairs, alpha)
        return result | (_of_design(result, group) if group.design is not None else {})

    def _columns(
        self, group: Scores, pairs: Array, alpha: float, values: Array, *design: Design
    ) -> Arrays:
        """Return the columns of pairs by metrics that are averaged alike, from their scores."""
        summary = group.summaries[0]
        given = summands(values, summary)
        differences = describe_differences(given, pairs, *design)
        if isinstance(self.test, PairedT) and group.system_order is None:
            tested = of_differences(differences).decided()
        else:  # of systems in another order, whose sums round elsewhere
            tested = group.tested(self.test, given, pairs, *design).decided()
        known = finite(given, summary)[pairs].all(axis=1)
        means = of_topics(values, summary, *design)
        mean_a, mean_b = means[pairs[:, 0]], means[pairs[:, 1]]
        if summary != "mean":
            difference = mean_a - mean_b
            ends = 2 * (np.full_like(difference, np.nan),)
        else:
            difference = differences.mean
            if self.own_interval:
                named = group.by_name(values, pairs)
                ends = self.test.interval(*named, *design, alpha=alpha)
            else:
                ends = differences.interval(alpha=alpha)
        topics = np.broadcast_to(differences.topics, difference.shape)
        counted = differences if given is values else describe_differences(values, pairs)
        return (
            *(mean_a, mean_b, difference, *ends),
            *(np.where(known, part, np.nan) for part in (differences.effect_size, *tested)),
            *(differences.mean, differences.sd, differences.freedom),
            *(counted.wins, counted.ties, counted.losses),
            topics,
        )


def _field_of_each(results: list[Found], name: str) -> list[Array]:
    return [result[name] for result in results]


def _of_design(result: Found, group: Scores) -> Found:
    """Return the columns that how topics were drawn adds."""
    said, shape = names_declared(group.attrs), result["p"].shape
    counts = {CLUSTER: ("n_clusters", clusters), WEIGHT: ("n_eff", effective)}
    columns = {
        name: np.broadcast_to(count(group)[..., np.newaxis], shape)
        for word, (name, count) in counts.items()
        if word in said
    }
    return columns | {"df": result["freedom"]}


def verdict(result: Found) -> Array:
    """Return the verdict on every pair, the first of `VERDICTS` that holds.

    Parameters
    ----------
    result
        Whether a difference is ``significant``, the ``lead`` of the first system; and
        ``not_worse`` and ``equivalent``, if there is a margin.

    Examples
    --------
    >>> found = {"significant": np.array([False, True]), "lead": np.array([0.1, -0.2])}
    >>> verdict(found | {"not_worse": np.array([True, False])}).tolist()
    ['not worse', 'worse']
    """
    significant, lead = result["significant"], result["lead"]
    not_worse, equivalent = (result.get(name, np.zeros_like(significant)) for name in CLAIMS)
    worse = significant & (lead < 0) & ~not_worse
    holds = [significant & (lead > 0), worse, equivalent, not_worse]
    return np.asarray(np.select(holds, VERDICTS[:-1], VERDICTS[-1]), object)


def _widen_intervals(result: Found, t: Array, alpha: float) -> None:
    """Give Student's intervals other quantiles, where these are larger."""
    half = (result["ci_high"] - result["ci_low"]) / 2
    own = -scipy.special.stdtrit(result["n_topics"] - 1.0, alpha / 2)
    with np.errstate(invalid="ignore"):
        wide = half * np.maximum(t / own, 1)
    wide[(half == 0) & np.isinf(t)] = np.inf
    result |= {"ci_low": result["difference"] - wide, "ci_high": result["difference"] + wide}


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
        How rank intervals are found, where that knows nothing of repeats, or "".
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
        named += ["adjust='max-t'"] * isinstance(adjust, MaxT)
        named += [f"rank_interval={drawn!r}"] * bool(drawn)
        named += [f"{word}=" for word in names_declared(part.attrs)]
        if named:
            wanted = f"the test t, over={known.over!r} {plural(known.word)} and topics"
            advice = f"over='topic' works on means over {plural(known.word)}"
            raise ParameterError(wanted, "", advice, named)


def of_repeats(found: Found, group: Scores, pairs: Array, alpha: float) -> Found:
    """Return the columns of a comparison that repeats add or change, given those of the means."""
    known = group.repeats
    counted = np.broadcast_to(known.counts[pairs], (*found["p"].shape, 2))
    columns = dict(zip(("n_repeats_a", "n_repeats_b"), np.moveaxis(counted, -1, 0), strict=True))
    columns["df"] = found["n_topics"] - 1.0
    if known.layout == "topic" or group.design is not None:
        return columns

    def compute(row: int, block: slice) -> Arrays:
        crossed = known.crossed(group, row, block, pairs)
        sd = np.sqrt(crossed.variance * found["n_topics"][row, block].T)
        return crossed.share, *crossed.interval(alpha=alpha), *crossed.test(), crossed.freedom, sd

    columns["repeat_share"], *others = group.by_pair(len(pairs), compute)
    if known.crossing:
        names = ("ci_low", "ci_high", "statistic", "p", "freedom", "sd")
        columns |= dict(zip(names, others, strict=True))
        columns["df"] = columns["freedom"]
        lost = np.isnan(found["ci_low"]) & ~np.isnan(found["effect_size"])  # not averaged plainly
        for name in ("ci_low", "ci_high"):
            columns[name][lost] = np.nan
    return columns
