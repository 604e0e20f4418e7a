"""What a report is about: the cube, what is asked of it, and what its page opens with."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from irframe.checks import choice, listed, number, places, whole
from irframe.comparing.corrections import Adjust
from irframe.comparing.significance import Pairing
from irframe.cubes.score import refuse_metrics, wanted_depths
from irframe.errors import ParameterError
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.names import DEPTH, SYSTEM
from irframe.paired import Test
from irframe.scores.reference import Baselines

USUAL = (*range(1, 21), *range(25, 101, 5), 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000)
"""Depths that a page shows by default, as far as the cube goes."""
OPENING = 10
"""The depth at which a page opens, if it is there."""


@dataclass(frozen=True)
class Setting:
    """What is asked of a cube; the fields as the arguments of `irframe.report`."""

    cube: xr.Dataset
    metrics: tuple[str, ...]
    depths: tuple[int, ...]
    at: int
    baselines: tuple[Hashable, ...]
    pairing: Pairing
    samples: int
    seed: int
    margin: float | None

    @classmethod
    def read(
        cls,
        cube: xr.Dataset,
        metrics: Metrics,
        depths: int | Sequence[int] | None,
        at: int | None,
        options: dict[str, Any],
    ) -> "Setting":
        """Return the choices once they have been checked against the cube."""
        chosen = parse_metrics(metrics)
        refuse_metrics(cube, chosen)
        asked = usual_depths(cube.sizes[DEPTH]) if depths is None else sorted(set(listed(depths)))
        shown = tuple(wanted_depths(cube, chosen, asked))
        if at is not None:
            choice("at", str(at), [str(depth) for depth in shown])
        opening = max([depth for depth in shown if depth <= OPENING] or shown[:1])
        named = tuple(map(str, chosen))
        return cls(cube, named, shown, at or opening, **_checked(cube, **options))

    @property
    def baseline(self) -> Hashable | None:
        """The baseline that the page opens with, if there is one."""
        return self.baselines[0] if self.baselines else None

    @property
    def alpha(self) -> float:
        """The significance level; one less it, that of the intervals."""
        return self.pairing.alpha

    @property
    def place(self) -> int:
        """Position of the opening depth among those shown."""
        return self.depths.index(self.at)


def _checked(
    cube: xr.Dataset,
    *,
    baseline: Baselines,
    test: Test,
    adjust: Adjust,
    alpha: float,
    samples: int,
    seed: int,
    margin: float | None = None,
) -> dict[str, Any]:
    """Return the options of the statistics in their plain types."""
    baselines = [] if baseline is None else listed(baseline)
    if baseline is not None:
        places("baseline= to be one of the systems", baseline, cube.indexes[SYSTEM].tolist())
    if baseline is not None and (not baselines or len(set(baselines)) < len(baselines)):
        raise ParameterError("at least one baseline, each once", "some again" if baselines else "")
    return {
        "baselines": tuple(baselines),
        "pairing": Pairing(test, adjust, alpha),
        "samples": whole("samples", samples, low=100),
        "seed": whole("seed", seed, low=0),
        "margin": None if margin is None else number("margin", margin, above=0),
    }


def usual_depths(deepest: int) -> list[int]:
    """Return at most 50 depths of a cube, close together where lists are read most.

    Examples
    --------
    >>> usual_depths(3), usual_depths(30)[-4:], len(usual_depths(2000))
    ([1, 2, 3], [19, 20, 25, 30], 48)
    """
    return sorted({depth for depth in USUAL if depth < deepest} | {deepest})


def text(label: Any) -> str:
    """Return a label as the page spells it."""
    return str(label.item() if isinstance(label, np.generic) else label)
