"""What a comparison says: effect sizes, margins, verdicts, who is ahead, and at what risk.

Verbs: risk.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import level, number
from irframe.comparing.corrections import (
    Adjust,
    Compared,
    Family,
    Parsed,
    adjust_p,
    correct,
    correction_told,
    parse_correction,
)
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.experiments.group_columns import GroupBy
from irframe.metrics.facts import TIE
from irframe.paired import MaxT, PairedResult, PairedTest, Test, describe_differences, parse_test
from irframe.paired.margins import detectable, within_margin
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.reference import choose_pairs, label_pairs
from irframe.scores.scores import Arrays, Scores
from irframe.scores.summary import caution

CLAIMS = ("not_worse", "equivalent")
FURTHER = (
    *(column for name in CLAIMS for column in (f"p_{name}", f"p_{name}_adjusted", name)),
    *("verdict", "detectable"),
)
"""Columns of a comparison with a margin."""
POWER = 0.8
"""How often a difference is to be found, unless said."""
VERDICTS = ("better", "worse", "equivalent", "not worse", "undecided")


Margins = float | Mapping[str, float] | None
"""For all metrics, or metric -> margin."""


@dataclass(frozen=True)
class Margin:
    """What is asked of margins.

    Parameters
    ----------
    margin
        How much worse does not matter, for all metrics or by their names, or None.
    power
        How often what is called detectable is found, or None.
    """

    margin: Margins
    power: float

    @classmethod
    def of(
        cls, margin: Margins, power: float | None, alpha: float, test: PairedTest, adjust: Parsed
    ) -> "Margin | None":
        """Return what is asked, None for nothing, refusing what cannot be."""
        if margin is None and power is None:
            return None
        for value in margin.values() if isinstance(margin, Mapping) else [margin]:
            if value is not None or isinstance(margin, Mapping):
                number("margin", value, above=0)
        wanted = POWER if power is None else number("power", power, above=alpha, below=1)
        if margin is not None and (test.joint or isinstance(adjust, MaxT)):
            named = test.name if test.joint else "max-t"
            advice = "choose another test, with adjust='holm'"
            raise ParameterError("a test and a correction that have a margin", named, advice)
        return cls(margin, wanted)

    def by_metric(self, metrics: Sequence[str]) -> Array:
        """Return the margin of each metric, refusing metrics without one, and names of none."""
        margin = self.margin
        if not isinstance(margin, Mapping):
            return np.full(len(metrics), margin, float)
        missing = [name for name in metrics if name not in margin]
        strange = [name for name in margin if name not in metrics]
        if missing or strange:
            found = f"none for {', '.join(missing)}" if missing else "other names"
            raise ParameterError(f"a margin for each of {', '.join(metrics)}", found, "", strange)
        return np.array([margin[name] for name in metrics], float)

    def columns(
        self,
        results: list[dict[str, Array]],
        parts: Sequence[Scores],
        *,
        alpha: float,
        correct: Callable[[list[Array]], list[Array]],
    ) -> list[dict[str, Array]]:
        """Return the further columns of every group.

        Parameters
        ----------
        results
            Of every group ``mean_difference``, ``sd``, ``freedom``, ``n_topics`` and
            ``significant``, shape (metric, depth, pair).
        parts
            The scores of every group.
        adjust, family, alpha
            As of the comparison.
        """
        leads, further = [], []
        for part, result in zip(parts, results, strict=True):
            lead = result["mean_difference"] * np.array(part.towards)[:, np.newaxis, np.newaxis]
            sd, n, freedom = (result[name] for name in ("sd", "n_topics", "freedom"))
            least = detectable(sd, n, power=self.power, alpha=alpha, freedom=freedom)
            into: dict[str, Array] = {"detectable": least}
            if self.margin is not None:
                margin = self.by_metric(part.metrics)[:, np.newaxis, np.newaxis]
                p_values = within_margin(lead, sd, n, margin, freedom)
                into |= dict(zip(("p_not_worse", "p_equivalent"), p_values, strict=True))
            leads.append(lead)
            further.append(into)
        for name in CLAIMS if self.margin is not None else ():
            adjusted = correct([into[f"p_{name}"] for into in further])
            for into, p in zip(further, adjusted, strict=True):
                into |= {f"p_{name}_adjusted": p, name: p < alpha}
        for result, lead, into in zip(results, leads, further, strict=True):
            into["verdict"] = verdict(result["significant"], lead, into)
        return further


def verdict(significant: Array, lead: Array, of_margin: dict[str, Array]) -> Array:
    """Return the verdict on every pair: the first of `VERDICTS` that holds.

    Parameters
    ----------
    significant
        Whether a difference is significant.
    lead
        By how much the first system is better.
    of_margin
        ``not_worse`` and ``equivalent``, if there is a margin.

    Examples
    --------
    >>> told = {"not_worse": np.array([True, False]), "equivalent": np.array([False, False])}
    >>> verdict(np.array([False, True]), np.array([0.1, -0.2]), told).tolist()
    ['not worse', 'worse']
    """
    nothing = np.zeros(np.shape(lead), bool)
    not_worse = of_margin.get("not_worse", nothing)
    equivalent = of_margin.get("equivalent", nothing)
    worse = significant & (lead < 0) & ~not_worse
    holds = [significant & (lead > 0), worse, equivalent, not_worse]
    return np.asarray(np.select(holds, VERDICTS[:-1], VERDICTS[-1]), object)


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

    def compute(values: Array, *weights: Array) -> Arrays:
        result: PairedResult = paired.tested(test, values, pairs, *weights)
        return (result.p if as_printed else result.decided().p,)

    return paired.over(row, depths, compute)[0]


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
        "comparisons whose differences are the same on all topics, which do not say how much "
        f"they vary on others: {number} of {total}"
    )
    return [message] * bool(number)


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


class Pairing:
    """How pairs of systems are tested.

    Parameters
    ----------
    test
        A paired test or its name.
    adjust
        Correction for many comparisons, or None.
    alpha
        Significance level.
    family
        Which comparisons are corrected for each other.
    """

    def __init__(self, test: Test, adjust: Adjust, alpha: float, family: Family = "depth") -> None:
        self.test = parse_test(test)
        self.adjust = parse_correction(adjust, self.test, family)
        self.family = family
        self.alpha = level(alpha)
        self._found: dict[Scores, Array] = {}
        self._tests = self._without = 0
        self._uneven: list[str] = []

    def p_values(self, paired: Scores, pairs: Array) -> Array:
        """Give corrected p-values, shape (metric, depth, pair)."""

        def compute(row: int, depths: slice) -> Array:
            return self._p_values(paired, row, depths, pairs).T

        compared = Compared(paired, pairs, paired.by_piece(len(pairs), compute))
        return correct([compared], self.adjust, family=self.family, alpha=self.alpha)[0]

    def piece(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Give corrected p-values of a metric at some depths, shape (pair, depth).

        Without a correction they are those of the literature, where differences that are the same
        on all topics have p = 0.
        """
        if self.adjust is None:
            return self._p_values(paired, row, depths, pairs, as_printed=True)
        if self.family == "depth" and not isinstance(self.adjust, MaxT):
            p = self._p_values(paired, row, depths, pairs).T[np.newaxis]
            (adjusted,) = adjust_p([p], self.adjust, family="depth", alpha=self.alpha)
            return np.asarray(adjusted[0].T)
        if paired not in self._found:
            self._found[paired] = self.p_values(paired, pairs)
        return self._found[paired][row, depths].T

    def verdicts(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
        significant = self.piece(paired, row, depths, pairs) < self.alpha
        return np.where(significant, leads(paired, row, depths, pairs), np.int8(0))

    def _p_values(self, paired: Scores, row: int, depths: slice, pairs: Array, **how: Any) -> Array:
        """Give p-values of a metric, not corrected, shape (pair, depth), and note what is odd."""
        p = p_values(paired, row, depths, test=self.test, pairs=pairs, **how)
        self._tests += p.size
        self._without += int(np.isnan(p).sum())
        if self.test.joint and not self._uneven:
            (sd,) = paired.over(row, depths, lambda v: (describe_differences(v, pairs).sd,))
            self._uneven = unequal_spread(self.test, sd.T)
        return p

    def told(self) -> dict[str, Any]:
        """Return the attributes of a result that was found by it, and warn of what is odd."""
        messages = without_spread(self._without, self._tests) + self._uneven
        warn(*messages)
        return self.words | caution(messages)

    @property
    def words(self) -> dict[str, Any]:
        """The attributes that say how pairs are tested."""
        return correction_told(self.test, self.adjust, self.family, alpha=self.alpha)


RISKS = ("difference", "urisk", "trisk", "georisk")
COUNTS = ("wins", "losses", "n_topics")


@verb
def risk(
    scores: xr.DataArray | pd.DataFrame,
    *,
    baseline: Hashable,
    a: float = 1.0,
    at: Depths = None,
    by: GroupBy | None = None,
) -> pd.DataFrame:
    """Say how every system does against a baseline if losses weigh more than gains.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    baseline
        The system that the others put at risk.
    a
        How much more a loss weighs than a gain, at least 0: ``1 + a`` times as much.
    at
        Depths to compare at; by default all there are.
    by
        A coordinate or index level such as ``"track"``, or topic (or system) -> group: one result
        per group.

    Returns
    -------
    pandas.DataFrame
        One row per metric, depth and system other than the baseline, with the columns ``metric``,
        ``depth``, ``system_a`` and the baseline ``system_b``, as of `compare`, and

        - ``difference``, the mean gain over the baseline, which is URisk with a = 0; below 0 is
          worse, also for a cost;
        - ``urisk``, the same with losses weighted;
        - ``trisk``, URisk in units of its standard error: a Student's t, so that values below -2
          or so say that the risk is no chance, above 2 that the gain is none;
        - ``georisk``, 0 to 1 for scores in that range, with no baseline but what all systems
          together do on a topic; NaN for costs and where there are scores below 0;
        - ``wins``, ``losses`` and ``n_topics``: topics on which a system does better and worse
          than the baseline, differences rounded to 12 decimals, and all.

    Raises
    ------
    ParameterError
        For an unknown baseline, fewer than two systems, or an `a` below 0.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out. A topic counts, for a metric and depth, only if every system has a
        score (not NaN) on it.

    Notes
    -----
    With d the differences on n topics, those below 0 times 1 + a: ``URisk = mean(d)``,
    ``TRisk = URisk / (s / sqrt(n))``, s the standard deviation of these with n - 1; 0 where all
    differences are 0, infinite where all are the same. With x the scores of the systems and
    ``e = (sum over topics) (sum over systems) / (sum of all)`` what to expect of a system on a
    topic: ``GeoRisk = sqrt(mean(x) Phi(ZRisk / n))``, ZRisk adding up ``(x - e) / sqrt(e)`` over
    topics, those below 0 times 1 + a, and Phi the normal distribution function.

    References
    ----------
    .. [1] Wang, Bennett, Collins-Thompson. Robust ranking models via risk-sensitive optimization.
       SIGIR 2012. doi:10.1145/2348283.2348385
    .. [2] Dincer, Macdonald, Ounis. Hypothesis testing for the risk-sensitive evaluation of
       retrieval systems. SIGIR 2014. doi:10.1145/2600428.2609625
    .. [3] Dincer, Macdonald, Ounis. Risk-sensitive evaluation and learning to rank using multiple
       baselines. SIGIR 2016. doi:10.1145/2911451.2911511

    Examples
    --------
    Gains of 0.2 and 0.1, and a loss of 0.1 that counts three times:

    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {
    ...         "system": ["bm25"] * 3 + ["ance"] * 3,
    ...         "topic": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "value": [0.2, 0.4, 0.6, 0.4, 0.5, 0.5],
    ...     }
    ... )
    >>> found = risk(scores, baseline="bm25", a=2)
    >>> found[["system_a", "difference", "urisk", "trisk", "wins", "losses"]]
      system_a  difference  urisk  trisk  wins  losses
    0     ance       0.067    0.0    0.0     2       1
    """
    number("a", a, low=0)
    paired = scores_to_compare(scores, at)
    pairs = choose_pairs(paired, baseline)
    others, (row, *_) = pairs.T
    columns = []
    for metric, sign in enumerate(paired.towards):
        compute = partial(_risks, baseline=int(row), sign=sign, a=a)
        risks = paired.over(metric, slice(None), compute)
        columns.append([values[others].T.ravel() for values in risks])
    values = map(np.concatenate, zip(*columns, strict=True))
    named = label_pairs(paired, pairs) | dict(zip((*RISKS, *COUNTS), values, strict=True))
    return pd.DataFrame(named).astype(dict.fromkeys(COUNTS, int))


def _risks(scores: Array, *, baseline: int, sign: int, a: float) -> tuple[Array, ...]:
    """Return what `RISKS` and `COUNTS` name, shape (system, depth) each."""
    n = scores.shape[1]
    gained = np.round(sign * (scores - scores[[baseline]]), TIE)
    weighted = _weighted(gained, a)
    urisk = weighted.mean(axis=1)
    wins, losses = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1)
    georisk = _georisk(scores, a) if sign > 0 else np.full(urisk.shape, np.nan)
    difference = gained.mean(axis=1)
    return difference, urisk, _t(weighted), georisk, wins, losses, np.full(wins.shape, n)


def _weighted(gained: Array, a: float) -> Array:
    return np.where(gained < 0, (1 + a) * gained, gained)


def _t(weighted: Array) -> Array:
    """Return means in units of their standard error, over topics."""
    n, mean = weighted.shape[1], weighted.mean(axis=1)
    if n < 2:
        return np.full(mean.shape, np.nan)
    same = (weighted == weighted[:, :1]).all(axis=1)
    error = weighted.std(axis=1, ddof=1) / np.sqrt(n)
    t = mean / np.where(same, 1.0, error)
    constant = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(same, constant, t)


def _georisk(scores: Array, a: float) -> Array:
    """Return GeoRisk of systems, from the scores of all of them."""
    total = scores.sum(axis=(0, 1))
    expected = scores.sum(axis=1, keepdims=True) * scores.sum(axis=0, keepdims=True)
    expected = expected / np.where(total > 0, total, 1.0)
    there = expected > 0
    z = np.where(there, scores - expected, 0.0) / np.sqrt(np.where(there, expected, 1.0))
    zrisk = _weighted(z, a).mean(axis=1)
    lowest = scores.min(axis=(0, 1))
    mean = np.maximum(scores.mean(axis=1), 0)
    return np.where(lowest < 0, np.nan, np.sqrt(mean * scipy.special.ndtr(zrisk)))
