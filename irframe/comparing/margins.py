"""What a comparison says of margins: not worse, equivalent, a verdict, and what it could detect."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from irframe.arrays import Array
from irframe.checks import number
from irframe.comparing.corrections import Family, adjust_p
from irframe.comparing.joint_corrections import Parsed
from irframe.errors import MetricError, ParameterError
from irframe.paired import MaxT, PairedTest
from irframe.paired.margins import detectable, within_margin

CLAIMS = ("not_worse", "equivalent")
FURTHER = (
    *(column for name in CLAIMS for column in (f"p_{name}", f"p_{name}_adjusted", name)),
    *("verdict", "detectable"),
)
"""Columns of a comparison with a margin."""
POWER = 0.8
"""How often a difference is to be found, unless said."""
VERDICTS = ("better", "worse", "equivalent", "not worse", "undecided")


@dataclass(frozen=True)
class Margin:
    """What is asked of margins.

    Parameters
    ----------
    margin
        How much worse does not matter, or None.
    power
        How often what is called detectable is found, or None.
    """

    margin: float | None
    power: float | None

    @classmethod
    def of(
        cls,
        margin: float | None,
        power: float | None,
        alpha: float,
        test: PairedTest,
        adjust: Parsed,
    ) -> "Margin | None":
        """Return what is asked, None for nothing, refusing what cannot be."""
        if margin is None and power is None:
            return None
        if margin is not None:
            number("margin", margin, above=0)
        asked = POWER if power is None else number("power", power, above=alpha, below=1)
        if margin is not None and (test.joint or isinstance(adjust, MaxT)):
            named = test.name if test.joint else "max-t"
            advice = "choose another test, with adjust='holm'"
            raise ParameterError("a test and a correction that have a margin", named, advice)
        return cls(margin, asked)

    def columns(
        self,
        results: list[dict[str, Array]],
        towards: list[list[int]],
        *,
        adjust: Parsed,
        family: Family,
        alpha: float,
    ) -> list[dict[str, Array]]:
        """Return the further columns of every group.

        Parameters
        ----------
        results
            Of every group ``mean_difference``, ``sd``, ``freedom``, ``n_topics`` and
            ``significant``, shape (metric, depth, pair).
        towards
            Of every group and metric, 1 where higher is better, else -1.
        adjust, family, alpha
            As of the comparison.
        """
        leads = [
            found["mean_difference"] * np.array(sign)[:, np.newaxis, np.newaxis]
            for found, sign in zip(results, towards, strict=True)
        ]
        further = [self._detectable(found, alpha) for found in results]
        for found, lead, into in zip(results, leads, further, strict=True):
            if self.margin is not None:
                spread = found["sd"], found["n_topics"], self.margin, found["freedom"]
                p = within_margin(lead, *spread)
                into |= {"p_not_worse": p.not_worse, "p_equivalent": p.equivalent}
        if self.margin is not None:
            self._corrected(further, adjust, family, alpha)
        for found, lead, into in zip(results, leads, further, strict=True):
            into["verdict"] = verdict(found["significant"], lead, into)
        return further

    def _detectable(self, found: dict[str, Array], alpha: float) -> dict[str, Array]:
        power = POWER if self.power is None else self.power
        spread = found["sd"], found["n_topics"]
        least = detectable(*spread, power=power, alpha=alpha, freedom=found["freedom"])
        return {"detectable": least}

    def _corrected(
        self, further: list[dict[str, Array]], adjust: Any, family: Family, alpha: float
    ) -> None:
        for name in CLAIMS:
            p = adjust_p(
                [into[f"p_{name}"] for into in further], adjust, family=family, alpha=alpha
            )
            for into, each in zip(further, p, strict=True):
                into |= {f"p_{name}_adjusted": each, name: each < alpha}


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


def refuse_unaveraged(metrics: list[str], summaries: list[str]) -> None:
    """Raise for metrics whose mean difference is not one of the units of the metric."""
    refused = [name for name, each in zip(metrics, summaries, strict=True) if each != "mean"]
    if refused:
        raise MetricError("metrics that are averaged over topics, for margin=", "", "", refused)
