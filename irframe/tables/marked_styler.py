"""A pandas Styler in which something follows the numbers, in whatever form it is written.

A Styler writes a copy of itself, by one private method per form, and looks up there how each cell
and label is displayed. `MarkedStyler` wraps what it finds at that moment: whatever was said by
`Styler.format` and all other methods holds, and what follows a number comes after it.
"""

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from pandas.io.formats import style

from irframe.errors import InputError
from irframe.escaping import html, latex, visible
from irframe.printed import fixed_text

Styler: Any = style.Styler  # stubs know nothing of what is overridden here
DAGGERS = {"†": r"\dagger", "‡": r"\ddagger"}
BOLD = "font-weight: bold"
LETTERS = string.ascii_lowercase
"""Marks of systems, of as many as there are."""


@dataclass(frozen=True, eq=False)
class Extra:
    """What follows the numbers of a table.

    Parameters
    ----------
    frames
        Numbers, which are written as the number that they follow, or texts; labelled as the table.
        Nothing follows where one is missing or empty.
    markup
        How they are put together in a form.
    """

    frames: tuple[pd.DataFrame, ...]
    markup: Mapping[str, str]

    def written(self, form: str, place: tuple[int, int], display: Callable[[Any], str]) -> str:
        """Return what follows the number at a place."""
        parts: list[Any] = [frame.iloc[place] for frame in self.frames]
        if any(part == "" or pd.isna(part) for part in parts):
            return ""
        texts = [_mark(part, form) if isinstance(part, str) else display(part) for part in parts]
        return self.markup[form].format(*texts)


def superscripts(marks: pd.DataFrame) -> Extra:
    """Let marks follow the numbers, raised."""
    forms = {"html": "<sup>{}</sup>", "latex": "$^{{{}}}$", "typst": "#super[{}]", "string": "^{}"}
    return Extra((marks,), forms)


def brackets(low: pd.DataFrame, high: pd.DataFrame) -> Extra:
    """Let the ends of intervals follow the numbers."""
    return Extra((low, high), everywhere(" [{}, {}]"))


def counts(texts: pd.DataFrame) -> Extra:
    """Let the numbers of topics follow the means over these."""
    return Extra((texts,), everywhere(" (n={})"))


def percentages(texts: pd.DataFrame) -> Extra:
    """Let differences in per cent follow the numbers."""
    return Extra((texts,), {**everywhere(" ({}%)"), "latex": r" ({}\%)"})


def best_of(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return which numbers are the highest of their column, where there are others."""
    return numbers.eq(numbers.max()) & (numbers.count() > 1)


def everywhere(text: str) -> dict[str, str]:
    """Return the same markup for every form."""
    return dict.fromkeys(("html", "latex", "typst", "string"), text)


def _plain_caption(notes: str, form: str) -> str:
    """Return a caption of plain text, with symbols as any LaTeX has them."""
    begins = re.match(r"[a-z]+\b(?![.\d+@(])", notes)  # a word, and no name
    text = _escape(notes[:1].upper() + notes[1:] if begins else notes, form)
    for symbol, command in DAGGERS.items() if form == "latex" else ():
        text = text.replace(symbol, f"${command}$")
    return text


def _mark(text: str, form: str) -> str:
    return "".join(DAGGERS.get(letter, letter) for letter in text) if form == "latex" else text


class Table(NamedTuple):
    """What a table shows.

    Parameters
    ----------
    numbers
        The cells.
    extras
        What follows them.
    best
        Which of them are the best.
    notes
        What is told.
    small
        Columns of numbers that may be small, written with two significant digits.
    """

    numbers: pd.DataFrame
    extras: tuple[Extra, ...] = ()
    best: pd.DataFrame | None = None
    notes: str = ""
    small: Sequence[Any] = ()


class MarkedStyler(Styler):  # type: ignore[misc]
    """Numbers with what follows them, the best of them, and a caption of plain text."""

    extras: tuple[Extra, ...] = ()
    best: pd.DataFrame | None = None
    notes: str = ""
    caption: Any
    _display_funcs: Any

    @classmethod
    def of(cls, table: Table, precision: int = 3) -> Self:
        """Return a table with numbers of some decimals."""
        styler = cls(table.numbers)
        styler.extras, styler.best, styler.notes = table.extras, table.best, table.notes
        styler.format(partial(_display_of, precision=precision), na_rep="")
        if table.small:
            styler.format("{:.2g}", subset=list(table.small), na_rep="")
        return styler

    @property
    def to_latex(self) -> Callable[..., str | None]:
        """See `pandas.io.formats.style.Styler.to_latex`; rules of booktabs, CSS as LaTeX."""
        return partial(super().to_latex, hrules=True, convert_css=True)

    def highlight_best(self, props: str = BOLD) -> Self:
        """Let the best number of each column stand out.

        Parameters
        ----------
        props
            How, in CSS.

        Raises
        ------
        InputError
            If two rows or two columns with the best among them are called alike.
        """
        if self.best is not None and self.best.to_numpy().any():
            for what, labels in (("row", self.best.index), ("column", self.best.columns)):
                again = labels[labels.duplicated()].unique()
                if len(again):
                    wanted, found = f"every {what} once, to mark the best", f"{len(again)} again"
                    raise InputError(wanted, found, "pass best=False", again)
            self.apply(partial(_props, self.best, props), axis=None)
        return self

    def _copy(self, deepcopy: bool = False) -> Self:  # noqa: FBT001, FBT002 - as of pandas
        twin: Self = super()._copy(deepcopy)
        twin.extras, twin.best, twin.notes = self.extras, self.best, self.notes
        return twin

    def _render_html(self, *arguments: Any, **options: Any) -> str:
        return str(super()._render_html(*arguments, **self._write("html", options)))

    def _render_latex(self, *arguments: Any, **options: Any) -> str:
        return str(super()._render_latex(*arguments, **self._write("latex", options)))

    def _render_typst(self, *arguments: Any, **options: Any) -> str:
        return str(super()._render_typst(*arguments, **self._write("typst", options)))

    def _render_string(self, *arguments: Any, **options: Any) -> str:
        return str(super()._render_string(*arguments, **self._write("string", options)))

    def _write(self, form: str, options: dict[str, Any]) -> dict[str, Any]:
        """Turn this copy, about to be written, into one for a form."""
        for styler in [self, *self.concatenated]:
            if isinstance(styler, MarkedStyler):
                styler._display(form, braces=options.get("siunitx", False))  # noqa: SLF001 - its own
        if self.caption is None:
            self.caption = _plain_caption(self.notes, form) or None
        return options

    def _display(self, form: str, *, braces: bool) -> None:
        displays = self._display_funcs
        for name, labels in vars(self).items():
            if name.startswith("_display_funcs_"):  # of labels: those of which nothing was said
                default = labels.default_factory
                labels.default_factory = partial(_escaping, default, form)
        self._display_funcs = {
            place: partial(self._cell, form, place, displays[place], braces)
            for place in np.ndindex(self.data.shape)
        }

    def _cell(
        self,
        form: str,
        place: tuple[int, int],
        display: Callable[[Any], str],
        braces: bool,  # noqa: FBT001 - of one call
        value: Any,
    ) -> str:
        text = _escaped(display, form, value)
        more = "".join(extra.written(form, place, display) for extra in self.extras)
        return f"{{{text}{more}}}" if braces and more else f"{text}{more}"


def _display_of(value: Any, precision: int) -> Any:
    """Return a number as text, and a text as it stands."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if whole else fixed_text(value, precision)


def _escaping(default: Callable[[], Callable[[Any], str]], form: str) -> Callable[[Any], str]:
    return partial(_escaped, default(), form)


def _escaped(display: Callable[[Any], str], form: str, value: Any) -> str:
    """Return how a value is displayed, escaped if that is a text as it stands; no depth as ""."""
    text = "" if value is pd.NA else display(value)
    return _escape(str(text), form) if text is value else text


def _escape(text: str, form: str) -> str:
    return {"html": html, "latex": latex}.get(form, visible)(text)


def _props(best: pd.DataFrame, props: str, data: pd.DataFrame) -> pd.DataFrame:
    here = best if best.shape == data.shape else best.reindex_like(data)
    return pd.DataFrame(np.where(here.eq(other=True), props, ""), data.index, data.columns)
