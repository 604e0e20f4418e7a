"""Settings of a report, and sections of its page."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import check_int, number, positions_of
from irframe.checks import listed as checks_listed
from irframe.comparing.significance import Pairing
from irframe.cubes.groups import one_of_each
from irframe.cubes.score import refuse_metrics, wanted_depths
from irframe.errors import IrframeError, ParameterError
from irframe.escaping import cell
from irframe.evaluation.stopping import Stops
from irframe.experiments.choices import Budget
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.metrics.facts import Facts, facts
from irframe.names import BUDGET, DEPTH, SYSTEM
from irframe.reports.words import Values, cell_text, headed, say
from irframe.scores.averages import Resampling
from irframe.stops import AXES, DEPTHS, Axis

USUAL = (*range(1, 21), *range(25, 101, 5), 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000)
"""Depths that a page shows by default, up to the depth of the cube."""
OPENING = 10
"""The greatest depth that a page opens with by default."""


@dataclass(frozen=True)
class Setting:
    """Checked arguments of `irframe.report`."""

    cube: xr.Dataset
    """The cube with one list per system and topic, which is the first repeat."""
    full_cube: xr.Dataset
    """The cube with all repeats."""
    metrics: tuple[str, ...]
    depths: tuple[int, ...]
    """Depths or budgets in ascending order."""
    at: int
    """The item of `depths` that the page opens with."""
    axis: Axis
    """The kind of `depths`, either depths or budgets, and their unit."""
    baselines: tuple[Hashable, ...]
    pairing: Pairing
    samples: int
    seed: int
    margin: float | None

    @classmethod
    def read(
        cls,
        full_cube: xr.Dataset,
        metrics: Metrics,
        at: int | Sequence[int] | None,
        options: Values,
        stop: Budget | None = None,
    ) -> "Setting":
        """Check the arguments against the cube and return them."""
        chosen = parse_metrics(metrics)
        cube = one_of_each(full_cube)
        axis = DEPTHS
        refuse_metrics(cube, chosen)
        if stop is None:
            chosen_depths = usual_depths(cube.sizes[DEPTH]) if at is None else checks_listed(at)
            shown = tuple(wanted_depths(cube, chosen, sorted({*chosen_depths})))
            # if all depths are greater than OPENING, the page opens with the smallest depth
            usual = max([depth for depth in shown if depth <= OPENING] or shown[:1])
            opening = usual if at is None else int(chosen_depths[0])
        elif at is not None:
            raise ParameterError("at= or stop=", "both", "leave one of them out")
        else:
            budgets, axis = _budgets(cube, stop)
            opening = budgets[0]
            shown = tuple(sorted(budgets))
        names = tuple(map(str, chosen))
        return cls(cube, full_cube, names, shown, opening, axis, **_checked(cube, options))

    @cached_property
    def rank(self) -> int:
        """Depth of sections on documents, which do not use budgets."""
        return min(OPENING, self.cube.sizes[DEPTH]) if self.axis.unit else self.at

    @cached_property
    def facts(self) -> list[Facts]:
        """Properties of each metric, such as its sign."""
        return [facts(metric) for metric in self.metrics]

    @cached_property
    def signs(self) -> NDArray[np.int64]:
        """1 for metrics where higher is better, otherwise -1.

        The shape is (metric, 1, 1), so that scores over (metric, depth, system) can be multiplied
        by it.
        """
        return np.array([[[fact.sign]] for fact in self.facts])

    @cached_property
    def baseline(self) -> Hashable | None:
        """Baseline that the page opens with, if any."""
        return self.baselines[0] if self.baselines else None

    @cached_property
    def alpha(self) -> float:
        """Significance level.

        The confidence level of intervals is 1 - `alpha`.
        """
        return self.pairing.alpha

    @cached_property
    def pos(self) -> int:
        """Position of the opening depth among the depths."""
        return self.depths.index(self.at)


def _budgets(cube: xr.Dataset, stop: Budget) -> tuple[tuple[int, ...], Axis]:
    """Return the budgets and their axis."""
    stops = Stops.read(stop, cube.attrs)
    if stops.axis.along not in cube.attrs:
        expected, advice = AXES[BUDGET].missing
        raise ParameterError(expected, "none", advice)
    return tuple(stops.of), stops.axis


def _checked(cube: xr.Dataset, options: Values) -> Values:
    """Return the checked options for tests, intervals and verdicts."""
    baseline = options["baseline"]
    margin = options.get("margin")
    drawn = Resampling.read(options["resamples"], 1000)
    baselines = [] if baseline is None else checks_listed(baseline)
    if baseline is not None:
        positions_of("baseline= to be one of the systems", baseline, cube.indexes[SYSTEM].tolist())
        if not baselines or len(set(baselines)) < len(baselines):
            got = "repeated baselines" if baselines else "no baseline"
            raise ParameterError("at least one baseline, and each only once", got)
    return {
        "baselines": tuple(baselines),
        "pairing": Pairing(options["test"]),
        "samples": check_int("samples", drawn.samples, low=100),
        "seed": drawn.seed,
        "margin": None if margin is None else number("margin", margin, above=0),
    }


def usual_depths(deepest: int) -> list[int]:
    """Return the default depths for a cube, at most 48.

    Examples
    --------
    >>> usual_depths(3), usual_depths(30)[-4:], len(usual_depths(2000))
    ([1, 2, 3], [19, 20, 25, 30], 48)
    """
    return sorted({depth for depth in USUAL if depth < deepest} | {deepest})


DOCS = "https://irframe.readthedocs.io/en/latest"
"""Address of the documentation."""


@dataclass(frozen=True, eq=False)
class PagePart:
    """Section of the page with one answer.

    Parameters
    ----------
    key
        Name of the section in links and of its CSV data.
    says
        Heading, which states the answer.
    how
        Sentences on the method.
    source
        DOI or address of a description of the method.
    data
        Table of the section, or data of its figure.
    figure
        Vega-Lite specification of the figure, if there is one.
    guide
        Page of the documentation about the section.
    unknown
        Whether the answer cannot be computed.
    """

    key: str
    says: str
    how: Sequence[str] = ()
    source: str = ""
    data: pd.DataFrame | None = None
    figure: Values | None = None
    guide: str = ""
    unknown: bool = False

    @cached_property
    def findings(self) -> list[Values]:
        """Rows of the table, if they are findings of `diagnose`."""
        return self._frame.to_dict("records") if "severity" in self._frame else []

    @property
    def link(self) -> str:
        """Address of the source."""
        return self.source if "//" in self.source else f"https://doi.org/{self.source}"

    @property
    def about(self) -> str:
        """Address of the page of the documentation."""
        return f"{DOCS}/{self.guide}.html"

    @cached_property
    def csv(self) -> str:
        """Table as CSV text."""
        frame = self._frame.copy()
        # spreadsheets run a text that begins with =, but never a number
        for name in frame.columns.difference(frame.select_dtypes("number").columns, sort=False):
            frame[name] = frame[name].map(cell)
        return "" if self.data is None else frame.to_csv(index=False)

    @property
    def _frame(self) -> pd.DataFrame:
        return pd.DataFrame() if self.data is None else self.data

    @cached_property
    def columns(self) -> list[tuple[str, bool]]:
        """Headings of the columns, and whether they are numeric."""
        real = self._frame.select_dtypes("number").columns
        return [(headed(str(name)), name in real) for name in self._frame]

    @cached_property
    def rows(self) -> list[list[str]]:
        """Cells of the table as texts."""
        return [list(map(cell_text, row)) for row in self._frame.itertuples(index=False)]


Viewed = TypeVar("Viewed")


def computed_sections(
    view: Viewed, makers: Sequence[tuple[str, str, Callable[[Viewed], PagePart]]]
) -> list[PagePart]:
    """Return the sections that can be computed for a view.

    Parameters
    ----------
    view
        Results for all topics, or for one collection. Each function in `makers` takes a view.
    makers
        Key, subject and function of each section. If the function fails, the section says that the
        subject is not known.
    """
    sections = []
    for key, subject, make in makers:
        try:
            sections.append(make(view))
        except IrframeError as error:
            why = say("part.needs", expected=error.expected, found=error.found)
            says = say("part.unknown", subject=subject)
            sections.append(PagePart(key, says, [why], unknown=True))
    return sections
