"""Every exception irframe raises. A message says what was wanted, what was found, what to do."""

import re
import sys
from collections.abc import Callable, Iterable

from irframe.escaping import visible
from irframe.warned import tell

__all__ = [
    "DepthError",
    "FileFormatError",
    "GradeError",
    "IdError",
    "InputError",
    "IrframeError",
    "IrframeWarning",
    "MetricError",
    "ParameterError",
    "RankingError",
    "StoreError",
]

SHOWN, LONGEST = 5, 300
"""How many offenders a message lists, and how many characters of each."""

_PLAIN = re.compile(r"(?!pip\b|irframe\b)[a-z]+(-[a-z]+)*[,;:]?(\s|$)")
"""How advice begins that is a sentence and no code."""

_BARE = re.compile(r"(none|nothing|it|[-\d.,]+)\b|-")
"""How begins what was found that is understood after what was wanted alone."""

_DIGITS = re.compile(r"\d{100,}")
"""More digits than anybody reads; no identifier has as many."""

COUNTED = "topic|system|document|run|row|file|pair|judgment|depth|list|grade|judge|group|metric"
"""What messages count."""


class IrframeError(ValueError):
    """Base of every error raised by irframe.

    Parameters
    ----------
    wanted
        What would have been right.
    found
        What was there instead; may be empty where the offenders say it.
    advice
        What to do about it.
    offenders
        The values at fault; the message lists up to five and counts the rest.

    Examples
    --------
    >>> raise IrframeError("one run per system", "6 systems twice", "rename them", range(6))
    Traceback (most recent call last):
    ...
    irframe.errors.IrframeError: wanted one run per system; found 6 systems twice: 0, 1, 2, 3, 4
    and 1 more. Rename them.
    """

    def __init__(
        self, wanted: str, found: str, advice: str = "", offenders: Iterable[object] = ()
    ) -> None:
        self.wanted, self.advice = wanted, advice
        self.offenders = list(offenders)
        self._found = found
        super().__init__(self._message())

    @property
    def found(self) -> str:
        """What was there instead: in words, or the first offenders themselves."""
        return self._found or self._listed() or "none"

    @property
    def found_first(self) -> str:
        """The message that begins with what is wrong, where that says something by itself."""
        return self._message(1 if _BARE.match(self.found) else -1)

    def within(self, where: str, advice: str | None = None) -> "IrframeError":
        """Return the same error that says where things were found, and may advise otherwise."""
        found, said = f"{self._found} {where}".strip(), self.advice if advice is None else advice
        return type(self)(self.wanted, found, said, self.offenders)

    def _listed(self) -> str:
        more = f" and {len(self.offenders) - SHOWN} more" * (len(self.offenders) > SHOWN)
        return ", ".join(shortened(offender, str) for offender in self.offenders[:SHOWN]) + more

    def _message(self, step: int = 1) -> str:
        parts = [f"wanted {self.wanted}", f"found {self.found}"]
        if self._found and self.offenders:
            parts[1] += f": {self._listed()}"
        text = "; ".join(parts[::step])
        plain = _PLAIN.match(self.advice)
        advice = self.advice[:1].upper() + self.advice[1:] if plain else self.advice
        text = _without_digits(f"{text}. {advice}." if advice else f"{text}.")
        return visible(singular(text))

    def __reduce__(self) -> tuple[type, tuple[str, str, str, list[object]]]:
        return type(self), (self.wanted, self._found, self.advice, self.offenders)


def _without_digits(text: str) -> str:
    return _DIGITS.sub(lambda run: f"{run[0][:6]}... ({len(run[0])} digits)", text)


def shortened(value: object, how: Callable[[object], str] = repr) -> str:
    r"""Return a value as a message shows it: the beginning of a long one, no lone surrogates.

    Examples
    --------
    >>> shortened(chr(0xD800)), shortened(10**400), shortened(10**9999)
    ("'\\ud800'", '100000... (401 digits)', 'a value of type int')
    """
    try:
        text = _without_digits(how(value))
    except (ValueError, RecursionError):  # of too many digits, or too deep
        text = "\n"
    if "\n" in text:  # a table
        text = f"a value of type {type(value).__name__}"
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"


def singular(text: str) -> str:
    """Return a text in which one of anything is one, not several.

    Examples
    --------
    >>> singular("1 topics of the runs have no judgments and are left out; 11 topics")
    '1 topic of the runs has no judgments and is left out; 11 topics'
    """
    one = re.sub(rf"(?<![\d.,])1 ({COUNTED})s\b", r"1 \1", text)
    return re.sub(
        rf"(?<![\d.,])(1 (?:{COUNTED})\b[^;,:.]*?) have (.+?) and are ", r"\1 has \2 and is ", one
    )


class InputError(IrframeError):
    """A frame lacks a column, is empty, or holds values that its role does not allow."""


class FileFormatError(IrframeError):
    """A file is not in the format asked for; the message names file and line."""


class IdError(IrframeError):
    """Identifiers are missing, of mixed or differing types, duplicated, or do not join."""


class GradeError(IrframeError):
    """Grades that are no whole numbers, or outside the range a cube can hold."""


class RankingError(IrframeError):
    """Scores or ranks do not decide an order."""


class DepthError(IrframeError):
    """A depth below 1, or beyond what was built."""


class MetricError(IrframeError):
    """An unknown metric, a parameter out of range, or a metric that does not apply here."""


class ParameterError(IrframeError):
    """An argument of a verb outside its range: a test, a baseline, alpha, a coordinate."""


class StoreError(IrframeError):
    """A store of runs or a saved cube is not whole, not what it should be, or cannot be written."""


class IrframeWarning(UserWarning):
    """Something was left out or assumed; the message counts it."""


def warn(*messages: str) -> None:
    """Warn at the line outside irframe from which it was called, once per call of one thing."""
    caller = sys._getframe(1)  # noqa: SLF001
    for message in messages:
        tell(visible(singular(message)), IrframeWarning, (caller.f_code, caller.f_lineno))
