"""Pandas Styler with marks and intervals after the numbers.

To write a table, a Styler copies itself and calls one private method per format. The private method
looks up the display function of each cell and label. `MarkedStyler` wraps the display functions of
the copy just before the lookup, so that `Styler.format` and all other methods work as usual.
"""

import re
import string
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from pandas.io.formats import style

from irframe.errors import InputError
from irframe.escaping import html, latex, visible
from irframe.printed import fixed_text

# the type stubs of pandas lack the private methods that are overridden here
Styler: Any = style.Styler
DAGGERS = {"†": r"\dagger", "‡": r"\ddagger"}
BOLD = "font-weight: bold"
LETTERS = string.ascii_lowercase
"""Letters that stand for the systems of a table in superscripts."""
Display = Callable[[object], str]
"""A function that returns the text of a value."""


@dataclass(frozen=True, eq=False)
class Extra:
    """Texts after the numbers of a table.

    Parameters
    ----------
    frames
        Numbers or texts, with the labels of the table. Numbers are formatted like the numbers of
        the table. Missing or empty values add nothing.
    markup
        Mapping from output formats to templates for the text of a cell.
    """

    frames: tuple[pd.DataFrame, ...]
    markup: Mapping[str, str]

    def written(self, form: str, cell: tuple[int, int], display: Display) -> str:
        """Return the text after the number of a cell."""
        values: list[Any] = [frame.iloc[cell] for frame in self.frames]
        if any(value == "" or pd.isna(value) for value in values):
            return ""
        texts = [_mark(x, form) if isinstance(x, str) else display(x) for x in values]
        return self.markup[form].format(*texts)


def superscripts(marks: pd.DataFrame) -> Extra:
    """Return marks as superscripts of the numbers."""
    # str.format fills in these templates, so braces of LaTeX are doubled
    forms = {"html": "<sup>{}</sup>", "latex": "$^{{{}}}$", "typst": "#super[{}]", "string": "^{}"}
    return Extra((marks,), forms)


def brackets(low: pd.DataFrame, high: pd.DataFrame) -> Extra:
    """Return intervals in brackets after the numbers."""
    return Extra((low, high), everywhere(" [{}, {}]"))


def counts(texts: pd.DataFrame) -> Extra:
    """Return numbers of topics after the means."""
    return Extra((texts,), everywhere(" (n={})"))


def percentages(texts: pd.DataFrame) -> Extra:
    """Return differences in per cent after the numbers."""
    return Extra((texts,), {**everywhere(" ({}%)"), "latex": r" ({}\%)"})


def best_of(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a mask of the highest number of each column.

    A column with a single number has no best number.
    """
    return numbers.eq(numbers.max()) & (numbers.count() > 1)


def everywhere(text: str) -> dict[str, str]:
    """Return the same template for every format."""
    return dict.fromkeys(("html", "latex", "typst", "string"), text)


def _plain_caption(notes: str, form: str) -> str:
    """Return the notes as an escaped caption."""
    # a word at the beginning gets a capital letter, but a name such as bm25 keeps its case
    is_word = re.match(r"[a-z]+\b(?![.\d+@(])", notes)
    text = _escape(notes[:1].upper() + notes[1:] if is_word else notes, form)
    for symbol, command in DAGGERS.items() if form == "latex" else ():
        text = text.replace(symbol, f"${command}$")
    return text


def _mark(text: str, form: str) -> str:
    return "".join(DAGGERS.get(letter, letter) for letter in text) if form == "latex" else text


class Table(NamedTuple):
    """Content of a table.

    Parameters
    ----------
    numbers
        The cells.
    extras
        Texts after the numbers of the cells.
    best
        Mask of the best cells.
    notes
        Text of the caption.
    small
        Columns of small numbers, such as p-values, written with two significant digits.
    """

    numbers: pd.DataFrame
    extras: tuple[Extra, ...] = ()
    best: pd.DataFrame | None = None
    notes: str = ""
    small: Sequence[Hashable] = ()


class MarkedStyler(Styler):  # type: ignore[misc]
    """Styler with texts after numbers, best cells and a caption."""

    extras: tuple[Extra, ...] = ()
    best: pd.DataFrame | None = None
    notes: str = ""
    caption: Any
    _display_funcs: Any

    @classmethod
    def of(cls, table: Table, precision: int = 3) -> Self:
        """Return the Styler of a table."""
        styler = cls(table.numbers)
        styler.extras = table.extras
        styler.best = table.best
        styler.notes = table.notes
        styler.format(partial(_display_of, precision=precision), na_rep="")
        if table.small:
            styler.format("{:.2g}", subset=list(table.small), na_rep="")
        return styler

    @property
    def to_latex(self) -> Callable[..., str | None]:
        """Write LaTeX with rules of booktabs and converted CSS."""
        return partial(super().to_latex, hrules=True, convert_css=True)

    def highlight_best(self, props: str = BOLD) -> Self:
        """Highlight the best number of each column.

        Parameters
        ----------
        props
            CSS of the best numbers.

        Raises
        ------
        InputError
            If two rows or two columns have the same label.
        """
        if self.best is not None and self.best.to_numpy().any():
            for side, labels in (("row", self.best.index), ("column", self.best.columns)):
                duplicates = labels[labels.duplicated()].unique()
                if len(duplicates):
                    expected = f"different {side} labels to mark the best"
                    got = f"repeated {side} labels"
                    raise InputError(expected, got, "pass best=False", duplicates)
            self.apply(partial(_props, self.best, props), axis=None)
        return self

    def _copy(self, deepcopy: bool = False) -> Self:  # noqa: FBT001, FBT002 - as of pandas
        # pandas copies only its own attributes
        copied: Self = super()._copy(deepcopy)
        copied.extras = self.extras
        copied.best = self.best
        copied.notes = self.notes
        return copied

    def _render_html(self, *arguments: object, **options: object) -> str:
        return str(super()._render_html(*arguments, **self._write("html", options)))

    def _render_latex(self, *arguments: object, **options: object) -> str:
        return str(super()._render_latex(*arguments, **self._write("latex", options)))

    def _render_typst(self, *arguments: object, **options: object) -> str:
        return str(super()._render_typst(*arguments, **self._write("typst", options)))

    def _render_string(self, *arguments: object, **options: object) -> str:
        return str(super()._render_string(*arguments, **self._write("string", options)))

    def _write(self, form: str, options: dict[str, object]) -> dict[str, object]:
        """Add marks and the caption to a copy before writing."""
        for styler in [self, *self.concatenated]:
            if isinstance(styler, MarkedStyler):
                # the option siunitx aligns numbers, and needs braces around cells with other text
                styler._display(form, braces=bool(options.get("siunitx")))  # noqa: SLF001 - its own
        if self.caption is None:
            self.caption = _plain_caption(self.notes, form) or None
        return options

    def _display(self, form: str, *, braces: bool) -> None:
        displays = self._display_funcs
        for name, labels in vars(self).items():
            if name.startswith("_display_funcs_"):  # labels have display functions too
                default = labels.default_factory
                labels.default_factory = partial(_escaping, default, form)
        # display functions of pandas do not know the position of their cell
        self._display_funcs = {
            cell: partial(self._cell, form, cell, displays[cell], braces)
            for cell in np.ndindex(self.data.shape)
        }

    def _cell(
        self,
        form: str,
        cell: tuple[int, int],
        display: Display,
        braces: bool,  # noqa: FBT001 - one caller
        value: object,
    ) -> str:
        text = _escaped(display, form, value)
        more = "".join(extra.written(form, cell, display) for extra in self.extras)
        return f"{{{text}{more}}}" if braces and more else f"{text}{more}"


def _display_of(value: object, precision: int) -> object:
    """Format a number; return a string unchanged."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if is_integer else fixed_text(value, precision)


def _escaping(default: Callable[[], Display], form: str) -> Display:
    return partial(_escaped, default(), form)


def _escaped(display: Display, form: str, value: object) -> str:
    """Return the displayed value, escaped unless it was formatted."""
    # a function that returns the same object has formatted nothing, so its text is escaped here
    text = "" if value is pd.NA else display(value)
    return _escape(str(text), form) if text is value else text


def _escape(text: str, form: str) -> str:
    return {"html": html, "latex": latex}.get(form, visible)(text)


def _props(best: pd.DataFrame, props: str, data: pd.DataFrame) -> pd.DataFrame:
    # reindexed rows that are not in the mask are NaN, which is not equal to True
    mask = best if best.shape == data.shape else best.reindex_like(data)
    return pd.DataFrame(np.where(mask.eq(other=True), props, ""), data.index, data.columns)
