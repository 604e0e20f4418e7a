"""Every exception irframe raises, and how it warns. A message says what was wanted, what was found.

A call warns of each thing once, whatever groups it went through, at the caller's line.
"""

import contextlib
import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self, TypeVar

from irframe.escaping import visible
from irframe.names import CAUTION

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
"""How many offenders, or groups, a message lists, and how many characters of each."""

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

    def within(
        self, where: str, advice: str | None = None, wanted: str | None = None
    ) -> "IrframeError":
        """Return the same error that says where things were found, and what else was wanted."""
        found, said = f"{self._found} {where}".strip(), self.advice if advice is None else advice
        return type(self)(wanted or self.wanted, found, said, self.offenders)

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


Value = TypeVar("Value")

Place = tuple[CodeType, int]
"""Where something is warned of: what is warned of there is one thing."""

LOOPS = {"apply", "agg", "aggregate", "transform", "filter", "map", "map_over_datasets"}
"""Functions of pandas and xarray that call a user's function for one part after the other."""
AROUND = (functools.__file__, contextlib.__file__)
"""Files of what may call irframe for its caller."""
TOLD = "told by irframe"
"""Under this name such a call keeps what was warned of inside it, for as long as it runs."""

_CALL: ContextVar["OneCall | None"] = ContextVar("call", default=None)
_GROUP: ContextVar[str] = ContextVar("group", default="")


class OneCall:
    """What is warned of inside is said at the end of the outermost call, once of each thing.

    Parameters
    ----------
    without
        How texts begin that are not said, as they do not hold.

    Examples
    --------
    >>> import warnings
    >>> from irframe.errors import warn
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     with OneCall():
    ...         for track in ("news", "web"):
    ...             with in_group(f"track {track}"):
    ...                 warn("3 topics are left out")
    >>> [str(each.message) for each in caught]
    ['3 topics are left out (track news, track web)']
    """

    def __init__(self, *, without: str | tuple[str, ...] = ()) -> None:
        self._without = without
        self._told: dict[tuple[Place, type[Warning]], dict[str, list[str]]] = {}
        self._outer: OneCall | None = None
        self._token: Token[OneCall | None] | None = None

    def __enter__(self) -> Self:
        self._outer = _CALL.get()
        self._token = _CALL.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _CALL.reset(self._token)
        for (place, category), texts in self._told.items():
            if self._outer is None:
                for text in _merged(texts):
                    _say(text, category, place)
            else:
                for text, groups in texts.items():
                    self._outer.keep(text, category, place, groups)

    @property
    def texts(self) -> list[str]:
        """What has been warned of so far."""
        return [text for texts in self._told.values() for text in _merged(texts)]

    def note(self, text: str, category: type[Warning], place: Place) -> None:
        """Keep what is to be said, and the group it is said of."""
        self.keep(text, category, place, [group] if (group := _GROUP.get()) else [])

    def keep(self, text: str, category: type[Warning], place: Place, groups: list[str]) -> None:
        """Keep what is to be said of some groups."""
        if text.startswith(self._without):
            return
        known = self._told.setdefault((place, category), {}).setdefault(text, [])
        known += [group for group in groups if group not in known]


@contextmanager
def during(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Let a variable have a value inside."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def unsaid() -> Iterator[OneCall]:
    """Yield what is warned of inside, and say nothing of it, as another answer tells of it."""
    with during(_CALL, call := OneCall()):
        yield call


def in_group(name: str) -> AbstractContextManager[None]:
    """Name a group in what is warned of inside; without a name it is the one outside."""
    return during(_GROUP, name or _GROUP.get())


def inside_group() -> bool:
    """Return whether what is worked on is one group of several."""
    return bool(_GROUP.get())


def tell(text: str, category: type[Warning], place: Place) -> None:
    """Say something now, or at the end of the call that it is part of."""
    call = _CALL.get()
    if call is None:
        _say(text, category, place)
    else:
        call.note(text, category, place)


def _merged(texts: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield what is to be said of one thing: one message, if it is said of groups."""
    if not any(texts.values()):
        yield from texts
        return
    parts = [f"{text} ({listing(groups)})" if groups else text for text, groups in texts.items()]
    yield listing(parts, "; ")


def listing(names: Iterable[object], between: str = ", ") -> str:
    """Return the first names as text, and how many more there are.

    Examples
    --------
    >>> listing(range(7))
    '0, 1, 2, 3, 4 and 2 more'
    """
    every = list(map(str, names))
    more = len(every) - SHOWN
    return between.join(every[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _say(text: str, category: type[Warning], place: Place) -> None:
    """Warn at the line outside irframe from which it was called, once in a loop of pandas."""
    inside, frame, level = str(Path(__file__).parent), sys._getframe(), 1  # noqa: SLF001
    own = (inside, *AROUND)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        frame, level = frame.f_back, level + 1
    loop: FrameType | None = None
    around: FrameType | None = frame
    while around is not None:  # the outermost call of pandas or xarray that loops over parts
        package = str(around.f_globals.get("__name__", "")).partition(".")[0]
        if package in {"pandas", "xarray"} and around.f_code.co_name in LOOPS:
            loop = around
        around = around.f_back
    if loop is not None:
        places = loop.f_locals.setdefault(TOLD, set())
        if place in places:
            return
        places.add(place)
        text += f" (said of the first part that {loop.f_code.co_name} came to; others may be alike)"
    warnings.warn(text, category, stacklevel=level)


def warn(*messages: str) -> None:
    """Warn at the line outside irframe from which it was called, once per call of one thing."""
    caller = sys._getframe(1)  # noqa: SLF001
    for message in messages:
        tell(visible(singular(message)), IrframeWarning, (caller.f_code, caller.f_lineno))


GRAVEST = (
    "no retrieved document",
    "systems without a list for any judged topic",
    "no system has a list",
    "systems of no judged collection",
    "systems have means over different topics",
    "topics on which some system has no score",
    "lists that systems lack",
)
"""How cautions begin that stand before others, the first of which make scores void."""
BETWEEN = "\n"


def caution(messages: Iterable[str]) -> dict[str, str]:
    r"""Return the attribute that says what a result is to be read with, if there is something.

    Each thing once, and by its weight; what is said of groups, too, with these.

    Examples
    --------
    >>> caution(["few topics", "lists that systems lack count as empty", "few topics"])
    {'caution': 'lists that systems lack count as empty\nfew topics'}
    """
    distinct = list(dict.fromkeys(map(singular, messages)))
    told = [one for one in distinct if not any(other.startswith(f"{one} (") for other in distinct)]
    return {CAUTION: BETWEEN.join(sorted(told, key=_weight))} if told else {}


def _weight(message: str) -> int:
    places = [place for place, begins in enumerate(GRAVEST) if message.startswith(begins)]
    return min(places, default=len(GRAVEST))


def united(*attributes: Mapping[Any, Any]) -> dict[Any, Any]:
    r"""Return attributes as one, later ones first, with what each says to beware of.

    Examples
    --------
    >>> united({"n": 3, "caution": "few"}, {"caution": "old"})
    {'n': 3, 'caution': 'few\nold'}
    """
    joined = {name: value for part in attributes for name, value in part.items()}
    return joined | caution(message for part in attributes for message in cautions_of(part))


def cautions_of(attributes: Mapping[Any, Any]) -> list[str]:
    """Return what a result says it is to be read with, if it says something."""
    return str(attributes[CAUTION]).split(BETWEEN) if attributes.get(CAUTION) else []
