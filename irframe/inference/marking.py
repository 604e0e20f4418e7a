"""A pandas Styler whose superscripts come out right in HTML and in LaTeX."""

import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Self

import pandas as pd
from pandas.io.formats.style import Styler

SUPERSCRIPT = {"html": "<sup>{}</sup>", "latex": "$^{{{}}}$"}
MARGIN = {"html": " \u00b1 {}", "latex": " $\\pm$ {}"}
"""How what follows a number is written."""


class MarkedStyler(Styler):
    """Numbers with what follows them: superscripts, or half the width of their intervals."""

    marks: pd.DataFrame
    precision: int
    markup: Mapping[str, str]

    @classmethod
    def of(
        cls,
        numbers: pd.DataFrame,
        marks: pd.DataFrame,
        precision: int,
        markup: Mapping[str, str] = SUPERSCRIPT,
    ) -> Self:
        """Return a table of numbers with marks, which are texts in a frame of the same labels."""
        styler = cls(numbers)
        styler.marks, styler.precision, styler.markup = marks, precision, markup
        return styler.marked("html")

    @property
    def to_latex(self) -> Callable[..., str | None]:  # type: ignore[override]
        """See `pandas.io.formats.style.Styler.to_latex`; rules are those of booktabs."""
        twin = copy.deepcopy(self)
        twin.marks, twin.precision, twin.markup = self.marks, self.precision, self.markup
        return partial(super(MarkedStyler, twin.marked("latex")).to_latex, hrules=True)

    def marked(self, markup: str) -> Self:
        """Write the numbers with their marks, for ``"html"`` or ``"latex"``."""
        self.format(precision=self.precision, na_rep="")
        for row in self.marks.index:
            for column in self.marks.columns:
                mark = self.marks.loc[row, column]
                if mark:
                    formatter = partial(_marked, self.markup[markup].format(mark), self.precision)
                    self.format(formatter, subset=pd.IndexSlice[[row], [column]])
        self.format_index(escape=markup, axis=0)
        self.format_index(escape=markup, axis=1)
        return self


def _marked(mark: str, precision: int, number: float) -> str:
    return f"{number:.{precision}f}{mark}"
