"""Exceptions, warnings and cautions.

A message states what was expected, what was found and what to do. Each call of a function or
method issues a warning once, at the line of the call, even if several groups cause the warning. A
caution is a warning that is stored in the attributes of a result.
"""

import contextlib
import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from itertools import chain
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self, TypeVar

from irframe.escaping import visible
from irframe.names import CAUTION, Attributes

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

SHOWN = 5
"""Maximum number of invalid values or groups that a message lists."""

LONGEST = 300
"""Maximum number of characters of each invalid value in a message."""

_PLAIN = re.compile(r"(?!pip\b|irframe\b)[a-z]+(-[a-z]+)*[,;:]?(\s|$)")
"""Pattern that matches the beginning of advice if the advice is a sentence and not code."""

_BARE = re.compile(r"(none|nothing|it|[-\d.,]+)\b|-")
"""Pattern that matches values of `found` that are unclear without `expected`, such as "none" or a
number."""

_DIGITS = re.compile(r"\d{100,}")
"""Pattern for numbers with more digits than any identifier has. Messages shorten such numbers."""

COUNTED = (
    "(?:(?:further|index|judged|other|overlapping|relevant|repeated|such|unjudged) )?(?:"
    "byte|column|depth|document|file|grade|group|judge|judgment|layer|level|list|measure|metric|"
    "name|pair|result|row|run|score|shard|span|system|task|threshold|topic|type|word)"
)
"""Regular expression that matches the nouns that messages write after numbers."""


class IrframeError(ValueError):
    """Base class of all errors that irframe raises.

    Parameters
    ----------
    expected
        Noun phrase for the expected input.
    found
        Noun phrase for the actual input, or an empty string if `offenders` describes the input.
    advice
        Imperative sentence on how to solve the problem.
    offenders
        The invalid values. The message lists up to five invalid values and counts the others.

    Examples
    --------
    >>> raise IrframeError("one run per system", "6 systems twice", "rename them", range(6))
    Traceback (most recent call last):
    ...
    irframe.errors.IrframeError: expected one run per system, but found 6 systems twice: 0, 1, 2,
    3, 4 and 1 more. Rename them.
    """

    def __init__(
        self, expected: str, found: str, advice: str = "", offenders: Iterable[object] = ()
    ) -> None:
        self.expected = expected
        self.advice = advice
        self.offenders = list(offenders)
        self._found = found
        super().__init__(self._message())

    @property
    def found(self) -> str:
        """Description of the actual input, or the first invalid values."""
        return self._found or self._listed() or "none"

    @property
    def found_first(self) -> str:
        """The message, with `found` first if that is clear."""
        return self._message(1 if _BARE.match(self.found) else -1)

    def within(
        self, where: str, advice: str | None = None, expected: str | None = None
    ) -> "IrframeError":
        """Return a copy of the error that adds a location."""
        found = f"{self._found} {where}".strip()
        advice = self.advice if advice is None else advice
        return type(self)(expected or self.expected, found, advice, self.offenders)

    def _listed(self) -> str:
        return listing(shortened(offender, str) for offender in self.offenders)

    def _message(self, step: int = 1) -> str:
        clauses = [f"expected {self.expected}", f"found {self.found}"]
        if self._found and self.offenders:
            clauses[1] += f": {self._listed()}"
        text = ", but ".join(clauses[::step])
        plain = _PLAIN.match(self.advice)
        advice = self.advice[:1].upper() + self.advice[1:] if plain else self.advice
        text = _without_digits(f"{text}. {advice}." if advice else f"{text}.")
        return visible(singular(text))

    # by default, exceptions are pickled with the message as their only argument
    def __reduce__(self) -> tuple[type, tuple[str, str, str, list[object]]]:
        return type(self), (self.expected, self._found, self.advice, self.offenders)


def _without_digits(text: str) -> str:
    return _DIGITS.sub(lambda run: f"{run[0][:6]}... ({len(run[0])} digits)", text)


def shortened(value: object, spell: Callable[[object], str] = repr) -> str:
    r"""Return a value as text, shortened for messages.

    Lone surrogates are escaped, because they cannot be printed.

    Examples
    --------
    >>> shortened(chr(0xD800)), shortened(10**400), shortened(10**9999)
    ("'\\ud800'", '100000... (401 digits)', 'a value of type int')
    """
    try:
        text = _without_digits(spell(value))
    except (ValueError, RecursionError):
        # Python refuses to print integers of over 4,300 digits and deeply nested lists
        text = "\n"
    # tables have several lines, which would make a message unreadable
    if "\n" in text:
        text = f"a value of type {type(value).__name__}"
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\N{HORIZONTAL ELLIPSIS}"


def singular(text: str) -> str:
    """Use the singular of nouns after the number 1.

    Examples
    --------
    >>> singular("1 topics of the runs have no judgments and are left out; 11 topics")
    '1 topic of the runs has no judgments and is left out; 11 topics'
    >>> singular("1 further scores; 1 judged topics")
    '1 further score; 1 judged topic'
    """
    text = re.sub(rf"(?<![\d.,])1 ({COUNTED})s\b", r"1 \1", text)
    return re.sub(
        rf"(?<![\d.,])(1 (?:{COUNTED})\b[^;,:.]*?) have (.+?) and are ", r"\1 has \2 and is ", text
    )


class InputError(IrframeError):
    """Missing columns, no rows, or invalid values."""


class FileFormatError(IrframeError):
    """A file that is not in the expected format."""


class IdError(IrframeError):
    """Missing, duplicate, mixed or unmatched identifiers."""


class GradeError(IrframeError):
    """Grades that are not integers, or are too large."""


class RankingError(IrframeError):
    """Scores or ranks that do not determine a ranking."""


class DepthError(IrframeError):
    """A depth below 1, or above the cube's depth."""


class MetricError(IrframeError):
    """An unknown metric, or one that is not supported."""


class ParameterError(IrframeError):
    """An invalid argument, such as a baseline or alpha."""


class StoreError(IrframeError):
    """A saved cube that is incomplete, changed or not writable."""


class IrframeWarning(UserWarning):
    """Data were left out, or an assumption was made."""


Value = TypeVar("Value")

Origin = tuple[CodeType, int]
"""The code object and the line number that issue a warning. Warnings with the same origin and the
same text are issued once."""

LOOPS = {"apply", "agg", "aggregate", "transform", "filter", "map", "map_over_datasets"}
"""Functions of pandas and xarray that call a function for each group."""
AROUND = (functools.__file__, contextlib.__file__)
"""Files of the standard library with wrappers that call functions of irframe. A warning is never
issued at a line in these files."""
ISSUED = "warnings of irframe"
"""Name of a local variable that is added to the stack frames of functions in `LOOPS`. The variable
contains the origins of the warnings issued so far."""

_CALL: ContextVar["OneCall | None"] = ContextVar("call", default=None)
_GROUP: ContextVar[str] = ContextVar("group", default="")


class OneCall:
    """Context that collects warnings and issues each warning once.

    If contexts are nested, only the outermost context issues warnings, at its end.

    Parameters
    ----------
    without
        Warnings that begin with one of these texts are not issued.

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
    >>> [str(warning.message) for warning in caught]
    ['3 topics are left out (track news, track web)']
    """

    def __init__(self, *, without: str | tuple[str, ...] = ()) -> None:
        self._without = without
        self._texts: dict[tuple[Origin, type[Warning]], dict[str, list[str]]] = {}
        self._outer: OneCall | None = None
        self._token: Token[OneCall | None] | None = None

    def __enter__(self) -> Self:
        self._outer = _CALL.get()
        self._token = _CALL.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _CALL.reset(self._token)
        # only the outermost context knows the groups of all calls, which one warning lists together
        for (origin, category), texts in self._texts.items():
            if self._outer is None:
                for text in _merged(texts):
                    _issue(text, category, origin)
            else:
                for text, groups in texts.items():
                    self._outer.keep(text, category, origin, groups)

    @property
    def texts(self) -> list[str]:
        """The texts of the warnings so far."""
        return [text for texts in self._texts.values() for text in _merged(texts)]

    def note(self, text: str, category: type[Warning], origin: Origin) -> None:
        """Store a warning, with the name of the current group."""
        self.keep(text, category, origin, [group] if (group := _GROUP.get()) else [])

    def keep(self, text: str, category: type[Warning], origin: Origin, groups: list[str]) -> None:
        """Store a warning, with the names of `groups`."""
        if text.startswith(self._without):
            return
        named = self._texts.setdefault((origin, category), {}).setdefault(text, [])
        named += [group for group in groups if group not in named]


@contextmanager
def during(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Set a context variable for the duration of a block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def unsaid() -> Iterator[OneCall]:
    """Return a context that collects warnings and issues none."""
    with during(_CALL, call := OneCall()):
        yield call


def in_group(name: str) -> AbstractContextManager[None]:
    """Return a context that adds a group name to warnings.

    If the name is empty, the name from the enclosing context is added.
    """
    return during(_GROUP, name or _GROUP.get())


def inside_group() -> bool:
    """Return whether the code runs in a context of `in_group`."""
    return bool(_GROUP.get())


def tell(text: str, category: type[Warning], origin: Origin) -> None:
    """Issue a warning, or add it to the enclosing `OneCall`."""
    call = _CALL.get()
    if call is None:
        _issue(text, category, origin)
    else:
        call.note(text, category, origin)


def _merged(texts: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the texts of warnings, joined if any names groups."""
    if not any(texts.values()):
        yield from texts
        return
    named = [f"{text} ({listing(groups)})" if groups else text for text, groups in texts.items()]
    yield listing(named, "; ")


@contextmanager
def needing(package: str, purpose: str, install: str) -> Iterator[None]:
    """Name the missing package if an import fails.

    The message contains the pip command that installs the package.

    Examples
    --------
    >>> with needing("tqdm9", "the progress bar", "tqdm9"):
    ...     import tqdm9
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: expected the package tqdm9, which the progress bar needs, but found
    no such package. Install it: pip install tqdm9.
    """
    try:
        yield
    except ImportError as error:
        expected = f"the package {package}, which {purpose} needs"
        raise InputError(
            expected, "no such package", f"install it: pip install {install}"
        ) from error


def listing(names: Iterable[object], between: str = ", ") -> str:
    """Return the first five names, and count the rest.

    Examples
    --------
    >>> listing(range(7))
    '0, 1, 2, 3, 4 and 2 more'
    """
    every = list(map(str, names))
    more = len(every) - SHOWN
    return between.join(every[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _issue(text: str, category: type[Warning], origin: Origin) -> None:
    """Issue a warning at the line that called irframe.

    If pandas or xarray calls a function for each group, only the first group issues the warning.
    """
    files = (str(Path(__file__).parent), *AROUND)
    frame = sys._getframe()  # noqa: SLF001
    level = 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(files):
        frame = frame.f_back
        level += 1
    loop = _outermost_loop(frame)
    if loop is not None:
        # Python keeps an additional name in f_locals until the function returns
        issued = loop.f_locals.setdefault(ISSUED, set())
        if origin in issued:
            return
        issued.add(origin)
        text += f" (for the first group of {loop.f_code.co_name}; more groups may be affected)"
    warnings.warn(text, category, stacklevel=level)


def _outermost_loop(frame: FrameType | None) -> FrameType | None:
    """Return the outermost stack frame of a function in `LOOPS`.

    Only functions of pandas and xarray count. If no frame has such a function, return None.
    """
    loop: FrameType | None = None
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in {"pandas", "xarray"} and frame.f_code.co_name in LOOPS:
            loop = frame
        frame = frame.f_back
    return loop


def warn(*messages: str) -> None:
    """Warn at the line that called irframe, once per call."""
    # the frame of `warn` itself would give all warnings the same origin
    caller = sys._getframe(1)  # noqa: SLF001
    for message in messages:
        tell(visible(singular(message)), IrframeWarning, (caller.f_code, caller.f_lineno))


GRAVEST = (
    "no retrieved document",
    "systems without a list for any judged topic",
    "no system has a list",
    "systems without a judged collection",
    "systems have means over different topics",
    "topics on which some system has no score",
    "lists that systems lack",
)
"""Beginnings of the most serious cautions, with the most serious caution first."""
BETWEEN = "\n"


def caution(messages: Iterable[str]) -> dict[str, str]:
    r"""Return a dictionary with the cautions of a result.

    The attributes of the result are updated with this dictionary, which is empty without cautions.
    Each caution occurs once, and the most serious caution comes first. A caution that names groups
    replaces a caution with the same text without groups.

    Examples
    --------
    >>> caution(["few topics", "lists that systems lack count as empty", "few topics"])
    {'caution': 'lists that systems lack count as empty\nfew topics'}
    """
    distinct = list(dict.fromkeys(map(singular, messages)))
    # groups follow in brackets, so the text without groups is the beginning of the other text
    texts = [text for text in distinct if not any(t.startswith(f"{text} (") for t in distinct)]
    return {CAUTION: BETWEEN.join(sorted(texts, key=_weight))} if texts else {}


def _weight(message: str) -> int:
    matches = [pos for pos, beginning in enumerate(GRAVEST) if message.startswith(beginning)]
    return min(matches, default=len(GRAVEST))


def united(*attributes: Attributes) -> dict[Any, Any]:
    r"""Merge attributes, and combine their cautions.

    Examples
    --------
    >>> united({"n": 3, "caution": "few"}, {"caution": "old"})
    {'n': 3, 'caution': 'few\nold'}
    """
    joined: dict[Any, Any] = {}
    for mapping in attributes:
        joined |= mapping
    cautioned = [mapping for mapping in attributes if mapping.get(CAUTION)]
    return joined | caution(chain(*map(cautions_of, cautioned))) if cautioned else joined


def cautions_of(attributes: Attributes) -> list[str]:
    """Return the cautions in attributes, most serious first."""
    return str(attributes[CAUTION]).split(BETWEEN) if attributes.get(CAUTION) else []
