"""The words of the page: templates of its sentences, and how these spell numbers and names."""

import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from string import Formatter
from typing import Any

NAMED = 3
"""How many names a sentence has."""
LONGEST = 40
"""Letters of a name in a sentence or a table."""
SPACE = "\N{NO-BREAK SPACE}"


class Sentence(str):
    """A sentence that knows of which template it is; a page marks it with that.

    Attributes
    ----------
    key
        Group and name of the template.
    """

    __slots__ = ("key",)
    key: str

    def __html__(self) -> str:
        from markupsafe import escape  # noqa: PLC0415 - when a page is made

        return f'<span data-says="{self.key}">{escape(str.__str__(self))}</span>' if self else ""


class _Spelled(Formatter):
    """Fill templates, in which a plus stands before a noun that is counted."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as its form has it."""
        if format_spec.startswith("+"):
            return f"{value} {format_spec[1:]}{'' if value == 1 else 's'}"
        form = FORMS.get(format_spec)
        return form(value) if form else str(super().format_field(value, format_spec))

    def say(self, key: str, /, **values: Any) -> Sentence:
        """Return a sentence.

        Parameters
        ----------
        key
            Group and name of its template.
        values
            What the template has between braces.

        Examples
        --------
        >>> say("first.several", n=2, names=["a", "b"]), say("origins.inputs", n=1)
        ('2 systems could be first: a and b', 'All numbers come from 1 input')
        """
        found = Sentence(self.format(TEMPLATES[key], **values))
        found.key = key
        return found


say = _Spelled().say
"""Fills a template with what it says."""


def short(name: str, most: int = LONGEST) -> str:
    """Return a name, of a long one the beginning and the end.

    Examples
    --------
    >>> short("UIUC_DMG_setrank_ret", 14), short("bm25")
    ('UIUC_D\u2026nk_ret', 'bm25')
    """
    return name if len(name) <= most else f"{name[: most // 2 - 1]}\u2026{name[-most // 2 + 1 :]}"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

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
    """Return a share in percent, never rounded to all or nothing that it is not.

    Examples
    --------
    >>> [percent(share).replace(SPACE, " ") for share in (0.123, 0.999, 1, 0.001)]
    ['12 %', 'more than 99 %', '100 %', 'less than 1 %']
    """
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return f"less than 1{SPACE}%"
    return f"more than 99{SPACE}%" if whole == 100 and share < 1 else f"{whole}{SPACE}%"


def level(alpha: float) -> str:
    """Return the level of the intervals of a significance level.

    Examples
    --------
    >>> level(0.005).replace(SPACE, " ")
    '99.5 %'
    """
    return f"{100 * (1 - alpha):g}{SPACE}%"


def fixed(value: float) -> str:
    """Return a score with as many decimals as fit, a dash for none.

    Examples
    --------
    >>> fixed(0.12345), fixed(123.45), fixed(float("nan"))
    ('0.123', '123.5', '-')
    """
    if value != value:  # noqa: PLR0124 - as NaN is not
        return "-"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


FORMS: dict[str, Callable[[Any], str]] = {
    "listed": listed,
    "percent": percent,
    "level": level,
    "fixed": fixed,
    "short": short,
}
"""How templates spell what they say."""
TEMPLATES = {
    f"{group}.{name}": template
    for group, templates in tomllib.loads(
        (files("irframe.reports") / "page" / "words.toml").read_text(encoding="utf-8")
    ).items()
    for name, template in templates.items()
}
"""Templates by group and name."""
SCRIPTED = {
    key: template
    for key, template in TEMPLATES.items()
    if key.split(".")[0] in {"now", "sheet", "duel", "lists"}
}
"""Those that the script of the page fills."""
