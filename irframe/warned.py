"""What a call warns of: each thing once, whatever groups it went through, at the caller's line."""

import contextlib
import functools
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from pathlib import Path
from types import CodeType, FrameType
from typing import Self, TypeVar

Value = TypeVar("Value")

Place = tuple[CodeType, int]
"""Where something is warned of: what is warned of there is one thing."""

SHOWN = 5
"""How many groups, and how much else, a warning lists."""
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


def unsaid() -> AbstractContextManager[None]:
    """Say nothing of what is warned of inside, as another answer tells of it."""
    return during(_CALL, OneCall())


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
