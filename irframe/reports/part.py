"""What a section of the page holds: an answer, how it was found, a table or a figure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from irframe.errors import IrframeError
from irframe.reports.setting import text
from irframe.reports.words import say

DOCS = "https://irframe.readthedocs.io/en/latest"
"""Where the documentation is."""
MISSING = "-"
"""What stands for a number that there is not."""
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
"""Columns whose names are a program's, as tables call them."""


@dataclass(frozen=True, eq=False)
class Part:
    """An answer.

    Parameters
    ----------
    key
        Its name in the page's address, and of its data.
    says
        The answer, its heading.
    how
        How it was found, sentence by sentence.
    source
        Where that is explained, a DOI or an address.
    data
        The numbers: its table, or those of its figure.
    figure
        A specification of Vega-Lite, if there is a figure.
    guide
        The page of the documentation on it.
    """

    key: str
    says: str
    how: Sequence[str] = ()
    source: str = ""
    data: pd.DataFrame | None = None
    figure: dict[str, Any] | None = None
    guide: str = ""

    @property
    def found(self) -> list[dict[Any, Any]]:
        """Findings one by one, where these are the numbers."""
        if self.data is None or "severity" not in self.data:
            return []
        return self.data.to_dict("records")

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
        """The numbers as they are, for other programs."""
        return "" if self.data is None else self.data.to_csv(index=False)

    @cached_property
    def columns(self) -> list[tuple[str, bool]]:
        """Heads of the columns, and whether they hold numbers."""
        frame = pd.DataFrame() if self.data is None else self.data
        return [(headed(str(name)), _numeric(frame[name])) for name in frame]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The numbers as the page spells them."""
        frame = pd.DataFrame() if self.data is None else self.data
        return [[spelled(value) for value in row] for row in frame.itertuples(index=False)]


def headed(name: str) -> str:
    """Return what a column is called above a table; its CSV keeps the name.

    Examples
    --------
    >>> headed("ci_low"), headed("best_rank"), headed("system")
    ('lower end', 'best rank', 'system')
    """
    return HEADS.get(name, name.replace("_", " "))


def _numeric(column: "pd.Series[Any]") -> bool:
    return bool(pd.api.types.is_numeric_dtype(column)) and column.dtype != bool


def spelled(value: Any) -> str:
    """Return a number or label as the page spells it.

    Examples
    --------
    >>> spelled(0.12345), spelled(7), spelled(float("nan")), spelled(True), spelled(1e-9)
    ('0.123', '7', '-', 'yes', '1e-09')
    """
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        size = abs(float(value))
        return f"{value:.3f}" if size == 0 or 5e-4 <= size < 1e4 else f"{value:.3g}"
    return text(value)


def untold(key: str, subject: str, error: IrframeError, guide: str = "") -> Part:
    """Return what the data lack for an answer, without what a program would do about it."""
    why = say("part.needs", wanted=error.wanted, found=error.found)
    return Part(key, say("part.untold", subject=subject), [why], guide=guide)


def parts(makers: Sequence[tuple[str, str, Callable[[], Part]]]) -> list[Part]:
    """Return what can be said, and of the rest why it cannot.

    Parameters
    ----------
    makers
        Key, what cannot be told if it fails, and what makes the part.
    """
    found = []
    for key, subject, make in makers:
        try:
            found.append(make())
        except IrframeError as error:
            found.append(untold(key, subject, error))
    return found
