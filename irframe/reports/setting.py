"""Settings of a report, templates of sentences, and sections."""

import tomllib
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import check_int, number, places
from irframe.checks import listed as checks_listed
from irframe.comparing.significance import Pairing
from irframe.cubes.groups import one_of_each
from irframe.cubes.score import refuse_metrics, wanted_depths
from irframe.errors import IrframeError, ParameterError
from irframe.escaping import cell, visible
from irframe.evaluation.stopping import Stops
from irframe.experiments.choices import Budget
from irframe.experiments.policy import Metrics, parse_metrics
from irframe.metrics.facts import Facts, facts
from irframe.names import BUDGET, DEPTH, SYSTEM
from irframe.scores.averages import Resampling
from irframe.stops import AXES, DEPTHS, Axis

NAMED = 3
"""Most names in a sentence."""
LONGEST = 40
"""Letters of a name in a sentence or table."""
SPACE = "\N{NO-BREAK SPACE}"


class Sentence(str):
    """Sentence with the key of its template."""

    __slots__ = ("key",)
    key: str
    """Group and name of the template."""

    def __html__(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - when a page is made

        return f'<span data-says="{self.key}">{escape(str.__str__(self))}</span>' if self else ""


class _Spelled(Formatter):
    """Formatter of templates."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value in the form that a template names."""
        if format_spec.startswith("+"):
            return f"{value} {format_spec[1:]}{'' if value == 1 else 's'}"
        form = FORMS.get(format_spec)
        return form(value) if form else str(super().format_field(value, format_spec))

    def say(self, key: str, /, **values: Any) -> Sentence:
        """Return a sentence.

        Parameters
        ----------
        key
            Group and name of the template.
        values
            Values of the names in braces.

        Examples
        --------
        >>> say("first.several", n=2, of=3, alpha=0.05, names=["a", "b"]).replace("\u00a0", " ")
        '2 of 3 systems could be first (95 %): a and b'
        >>> say("origins.inputs", n=1)
        'All numbers come from 1 input'
        """
        sentence = Sentence(self.format(TEMPLATES[key], **values))
        sentence.key = key
        return sentence


say = _Spelled().say
"""Fills a template with values."""


def spoken(claims: Iterable[tuple[str, dict[str, Any]] | None]) -> list[str]:
    """Return the sentences of claims, "" for None."""
    return ["" if claim is None else say(claim[0], **claim[1]) for claim in claims]


def short(name: str, most: int = LONGEST) -> str:
    """Return a name, shortened in the middle if long.

    Examples
    --------
    >>> short("UIUC_DMG_setrank_ret", 14), short("bm25", 4)
    ('UIUC_D\u2026nk_ret', 'bm25')
    """
    return name if len(name) <= most else f"{name[: most // 2 - 1]}\u2026{name[-most // 2 + 1 :]}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed("ab"), listed("abcd"), listed("abcde")
    ('a and b', 'a, b, c and d', 'a, b, c and 2 more')
    """
    named = [short(name) for name in names]
    if len(named) > NAMED + 1:
        named = [*named[:NAMED], f"{len(named) - NAMED} more"]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def percent(share: float) -> str:
    """Return a share in percent.

    A share above 0 or below 1 is never rounded to 0 % or 100 %.

    Examples
    --------
    >>> [percent(share).replace(SPACE, " ") for share in (0.123, 0.999, 1, 0.001)]
    ['12 %', 'more than 99 %', '100 %', 'less than 1 %']
    """
    rounded = round(100 * share)
    if rounded == 0 and share > 0:
        return f"less than 1{SPACE}%"
    return f"more than 99{SPACE}%" if rounded == 100 and share < 1 else f"{rounded}{SPACE}%"


def level(alpha: float) -> str:
    """Return the confidence level for a significance level.

    Examples
    --------
    >>> level(0.005).replace(SPACE, " ")
    '99.5 %'
    """
    return f"{100 * (1 - alpha):g}{SPACE}%"


def correlation(value: float) -> str:
    """Return a correlation to the nearest hundredth.

    Examples
    --------
    >>> correlation(0.6856), correlation(1.0), correlation(-0.001)
    ('0.69', '1.00', '0.00')
    """
    return f"{value:z.2f}"


LARGE = 100
"""Scores of this size or more have one decimal."""


def fixed(value: float) -> str:
    """Return a score with one or three decimals.

    Examples
    --------
    >>> fixed(0.12345), fixed(123.45), fixed(float("nan"))
    ('0.123', '123.5', '-')
    """
    if value != value:  # noqa: PLR0124 - true for NaN alone
        return "-"
    return f"{value:z.3f}" if abs(value) < LARGE else f"{value:z.1f}"


def signed(value: float) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.25), signed(-123.45), signed(0.0001), signed(float("nan"))
    ('+0.250', '-123.5', '0.000', '')
    """
    shown = fixed(value)
    if shown == "-":
        return ""
    return f"+{shown}" if value > 0 and shown.strip("0.") else shown


ALONG: ContextVar[Axis] = ContextVar("ALONG", default=DEPTHS)
"""Axis of the page, depths or budgets, which templates and figures name."""


def deep(depth: int) -> str:
    """Return a depth or budget in words."""
    axis = ALONG.get()
    return axis.stop_text.format(stop=depth, unit=axis.unit)


FORMS: dict[str, Callable[[Any], str]] = {
    form.__name__: form for form in (correlation, deep, listed, percent, level, fixed, short)
}
"""Name of a form in templates -> function that formats values."""
WORDS = (files("irframe.reports") / "page" / "words.toml").read_text(encoding="utf-8")
TEMPLATES = {
    f"{group}.{name}": template
    for group, templates in tomllib.loads(WORDS).items()
    for name, template in templates.items()
}
"""Templates by group and name."""
OF_SCRIPT = ("now.", "sheet.", "duel.", "lists.")
SCRIPTED = {key: words for key, words in TEMPLATES.items() if key.startswith(OF_SCRIPT)}
"""Templates that the script of the page fills."""


USUAL = (*range(1, 21), *range(25, 101, 5), 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000)
"""Depths that a page shows by default, down to the depth of the cube."""
OPENING = 10
"""Deepest depth that a page opens with by default."""


@dataclass(frozen=True)
class Setting:
    """Checked arguments of `irframe.report`."""

    cube: xr.Dataset
    """Cube with one list per system, the first repeat."""
    full_cube: xr.Dataset
    """Cube with all repeats."""
    metrics: tuple[str, ...]
    depths: tuple[int, ...]
    """Depths or budgets."""
    at: int
    """The depth of `depths` that the page opens with."""
    axis: Axis
    """Axis of `depths`."""
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
        options: dict[str, Any],
        stop: Budget | None = None,
    ) -> "Setting":
        """Check the arguments against the cube and return them."""
        chosen, cube = parse_metrics(metrics), one_of_each(full_cube)
        refuse_metrics(cube, chosen)
        if stop is None:
            chosen_depths = usual_depths(cube.sizes[DEPTH]) if at is None else checks_listed(at)
            shown, axis = tuple(wanted_depths(cube, chosen, sorted({*chosen_depths}))), DEPTHS
            usual = max([depth for depth in shown if depth <= OPENING] or shown[:1])
            opening = usual if at is None else int(chosen_depths[0])
        elif at is not None:
            raise ParameterError("at= or stop=", "both", "leave one of them out")
        else:
            budgets, axis = _budgets(cube, stop)
            opening, shown = budgets[0], tuple(sorted(budgets))
        names = tuple(map(str, chosen))
        return cls(cube, full_cube, names, shown, opening, axis, **_checked(cube, options))

    @cached_property
    def rank(self) -> int:
        """Depth of lists, also where the page shows budgets."""
        return min(OPENING, self.cube.sizes[DEPTH]) if self.axis.unit else self.at

    @cached_property
    def facts(self) -> list[Facts]:
        """Facts about each metric."""
        return [facts(metric) for metric in self.metrics]

    @cached_property
    def signs(self) -> NDArray[np.int64]:
        """1 if higher is better, else -1; (metric, 1, 1)."""
        return np.array([[[fact.sign]] for fact in self.facts])

    @cached_property
    def baseline(self) -> Hashable | None:
        """Baseline that the page opens with, if any."""
        return self.baselines[0] if self.baselines else None

    @cached_property
    def alpha(self) -> float:
        """Significance level; intervals are at 1 minus this level."""
        return self.pairing.alpha

    @cached_property
    def pos(self) -> int:
        """Position of the opening depth among the depths."""
        return self.depths.index(self.at)


def _budgets(cube: xr.Dataset, stop: Budget) -> tuple[tuple[int, ...], Axis]:
    """Return the budgets and their axis."""
    stops = Stops.read(stop, cube.attrs)
    if stops is None or stops.axis.along not in cube.attrs:
        expected, advice = AXES[BUDGET].missing
        raise ParameterError(expected, "none", advice)
    return tuple(stops.of), stops.axis


def _checked(cube: xr.Dataset, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the statistics in their plain types."""
    baseline = options["baseline"]
    margin = options.get("margin")
    drawn = Resampling.read(options["resamples"], 1000)
    baselines = [] if baseline is None else checks_listed(baseline)
    if baseline is not None:
        places("baseline= to be one of the systems", baseline, cube.indexes[SYSTEM].tolist())
        if not baselines or len(set(baselines)) < len(baselines):
            got = "repeated names" if baselines else ""
            raise ParameterError("at least one baseline, each once", got)
    return {
        "baselines": tuple(baselines),
        "pairing": Pairing(options["test"]),
        "samples": check_int("samples", drawn.samples, low=100),
        "seed": drawn.seed,
        "margin": None if margin is None else number("margin", margin, above=0),
    }


def usual_depths(deepest: int) -> list[int]:
    """Return at most 50 depths of a cube.

    Examples
    --------
    >>> usual_depths(3), usual_depths(30)[-4:], len(usual_depths(2000))
    ([1, 2, 3], [19, 20, 25, 30], 48)
    """
    return sorted({depth for depth in USUAL if depth < deepest} | {deepest})


def text(label: Any) -> str:
    """Return a label as the page spells it."""
    return texts([label])[0]


def texts(labels: Iterable[Any]) -> list[str]:
    """Return labels as the page spells them."""
    spelled = [str(label.item() if isinstance(label, np.generic) else label) for label in labels]
    return spelled if "".join(spelled).isprintable() else [*map(visible, spelled)]


DOCS = "https://irframe.readthedocs.io/en/latest"
"""Address of the documentation."""
MISSING = "-"
"""Text for a missing number."""
HEADS = {
    "ci_low": "lower end",
    "ci_high": "upper end",
    "p_adjusted": "p (corrected)",
    "n": "topics",
    "lost": "judgments lost",
    "lost_relevant": "relevant lost",
    "mean_without": "mean if left out",
    "rank_without": "rank if left out",
    "a_only": "baseline only",
    "b_only": "system only",
    "esl_a": "search length of the baseline",
    "esl_b": "search length of the system",
    "p_answered": "p, answered",
    "p_esl_wilcoxon": "p, search length (Wilcoxon)",
}
"""Column -> heading in tables, where the name alone is unclear."""


@dataclass(frozen=True, eq=False)
class PagePart:
    """Section of the page with one answer.

    Parameters
    ----------
    key
        Name of the section in addresses, and of its data.
    says
        Heading, which states the answer.
    how
        Sentences on the method.
    source
        DOI or address that explains the method.
    data
        Table of the section, or data of its figure.
    figure
        Specification of Vega-Lite, if there is a figure.
    guide
        Page of the documentation.
    unknown
        Whether the answer cannot be computed.
    """

    key: str
    says: str
    how: Sequence[str] = ()
    source: str = ""
    data: pd.DataFrame | None = None
    figure: dict[str, Any] | None = None
    guide: str = ""
    unknown: bool = False

    @cached_property
    def found(self) -> list[dict[Any, Any]]:
        """Findings of `diagnose`, if the table lists them."""
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
        return [[cell_text(value) for value in row] for row in self._frame.itertuples(index=False)]


def headed(name: str) -> str:
    """Return the heading of a column.

    Examples
    --------
    >>> headed("ci_low"), headed("best_rank"), headed("system")
    ('lower end', 'best rank', 'system')
    """
    return HEADS.get(name, name.replace("_", " "))


def cell_text(value: Any) -> str:
    """Return a number or label as the page spells it.

    Examples
    --------
    >>> cell_text(0.12345), cell_text(7), cell_text(float("nan")), cell_text(True), cell_text(1e-9)
    ('0.123', '7', '-', 'yes', '1e-09')
    """
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        size = abs(float(value))
        usual = size == 0 or 5e-4 <= size < 1e4
        return f"{value:z.3f}" if usual else f"{value:.3g}"
    return str(value)


def parts(
    view: Any, makers: Sequence[tuple[str, str, Callable[[Any], PagePart]]]
) -> list[PagePart]:
    """Return the sections that can be computed for a view.

    Parameters
    ----------
    view
        Numbers of the topics, which `makers` take.
    makers
        Key, subject of the sentence if it fails, and function that makes the section.
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
