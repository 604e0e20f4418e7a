"""Sentences, numbers and names as the page spells them."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from importlib.resources import files
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd

from irframe.escaping import visible
from irframe.stops import DEPTHS, Axis

NAMED = 3
"""The maximum number of names in a sentence."""
LONGEST = 40
"""The maximum number of letters in a name in a sentence or table."""
SPACE = "\N{NO-BREAK SPACE}"


class Sentence(str):
    """Sentence with the key of its template."""

    __slots__ = ("key",)
    key: str
    """Group and name of the template."""

    # templates call `__html__` instead of escaping the text, so the page can contain the key
    def __html__(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - when a page is made

        return f'<span data-says="{self.key}">{escape(str.__str__(self))}</span>' if self else ""


class _Spelled(Formatter):
    """Formatter of templates."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a value in the format that a template names."""
        if format_spec.startswith("+"):
            return f"{value} {format_spec[1:]}{'' if value == 1 else 's'}"
        form = FORMS.get(format_spec)
        return form(value) if form else str(super().format_field(value, format_spec))

    def say(self, key: str, /, **values: object) -> Sentence:
        """Return a sentence.

        Parameters
        ----------
        key
            Group and name of the template.
        values
            Values for the fields of the template.

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
"""Function that fills the fields of a template with values and returns the sentence."""


Values = dict[Any, Any]
"""Mapping from fields of a template, columns of a table or variables of the script to values."""
Claim = tuple[str, Values] | None
"""The key of a template and the values for its fields, or None for no sentence."""


def spoken(claims: Iterable[Claim]) -> list[str]:
    """Return the sentences of claims; return "" for None."""
    return ["" if claim is None else say(claim[0], **claim[1]) for claim in claims]


def short(name: str, most: int = LONGEST) -> str:
    """Return a name, shortened in the middle if necessary.

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
    # the option z prints numbers that round to zero without a minus sign
    return f"{value:z.2f}"


LARGE = 100
"""Scores of at least this absolute value are shown with one decimal instead of three."""


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
    # a difference that is printed as zero has no sign
    return f"+{shown}" if value > 0 and shown.strip("0.") else shown


# functions in `FORMS` take only a value, so the axis cannot be passed to them as an argument
ALONG: ContextVar[Axis] = ContextVar("ALONG", default=DEPTHS)
"""The axis of the page, which decides whether sentences and figures name depths or budgets."""


def deep(depth: int) -> str:
    """Return a depth or budget in words."""
    axis = ALONG.get()
    return axis.stop_text.format(stop=depth, unit=axis.unit)


FORMS: dict[str, Callable[[Any], str]] = {
    form.__name__: form for form in (correlation, deep, listed, percent, level, fixed, short)
}
"""Mapping from the name of a format in templates to the function that formats a value."""
WORDS = (files("irframe.reports") / "page" / "words.toml").read_text(encoding="utf-8")
TEMPLATES = {
    f"{group}.{name}": template
    for group, templates in tomllib.loads(WORDS).items()
    for name, template in templates.items()
}
"""Templates of sentences. Keys consist of the group and the name of a template."""
OF_SCRIPT = ("now.", "sheet.", "duel.", "lists.")
SCRIPTED = {key: words for key, words in TEMPLATES.items() if key.startswith(OF_SCRIPT)}
"""Templates that the script of the page fills."""


def text(label: object) -> str:
    """Return a label as text with visible control characters."""
    return texts([label])[0]


def texts(labels: Iterable[object]) -> list[str]:
    """Return labels as texts with visible control characters."""
    spelled = [str(label.item() if isinstance(label, np.generic) else label) for label in labels]
    # for 40,000 names, a single check takes 15 ms, and `visible` for each name 49 ms
    return spelled if "".join(spelled).isprintable() else [*map(visible, spelled)]


MISSING = "-"
"""The text that tables show for a missing number."""
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
"""Mapping from column names that are unclear to readers to the headings that tables show."""


def headed(name: str) -> str:
    """Return the heading of a column.

    Examples
    --------
    >>> headed("ci_low"), headed("best_rank"), headed("system")
    ('lower end', 'best rank', 'system')
    """
    return HEADS.get(name, name.replace("_", " "))


def cell_text(value: object) -> str:
    """Return a number or label as text for the page.

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


def bar_label(row: Values, title: str) -> str:
    """Return the description of a component of a bar."""
    return f"{text(row['system'])}: {row['part']} {fixed(row['value'])} of {title}"


def range_label(row: Values, title: str) -> str:
    """Return the description of a system's interval."""
    ends = f"{fixed(row['lower'])} to {fixed(row['upper'])}"
    verdict = f"{row['verdict']}, " if row.get("verdict") else ""
    return f"{text(row['system'])}: {verdict}{title} {fixed(row['mean'])} ({ends})"
