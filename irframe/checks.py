"""Checks of arguments."""

import ast
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from irframe.elsewhere import suggest
from irframe.errors import InputError, IrframeError, ParameterError, listing, shortened

MOST = 2**63 - 1
"""The greatest integer of an array."""

ROOM = 4 * 2**30
"""Largest number of bytes that an argument may allocate at once."""

LONG = 70
"""Longest list, in characters, that may begin a message."""

Word = TypeVar("Word", bound=str)


def is_integer(value: object) -> bool:
    """Return whether a value is an integer, not a bool.

    Examples
    --------
    >>> is_integer(3), is_integer(True), is_integer(3.0)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def check_int(
    name: str,
    value: Any,
    *,
    low: int | None = None,
    high: int | None = None,
    error: type[IrframeError] = ParameterError,
    advice: str = "",
) -> int:
    """Return an integer within two limits, both included.

    Examples
    --------
    >>> check_int("depth", 10, low=1)
    10
    >>> check_int("depth", 2.5, low=1)
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected depth to be a whole number of at least 1, but found 2.5.
    """
    fits = is_integer(value)
    if high is None and fits and value > MOST and name != "seed":  # numpy accepts any seed
        high = MOST
    if not fits or not _inside(value, low=low, high=high):
        raise error(
            f"{name} to be a whole number{_limits(low=low, high=high)}", shortened(value), advice
        )
    return int(value)


def number(
    name: str,
    value: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    error: type[IrframeError] = ParameterError,
) -> float:
    """Return a finite number within limits.

    The number must be greater than `above` and less than `below`.

    Examples
    --------
    >>> number("share", 0.5, above=0, high=1)
    0.5
    """
    real = isinstance(value, int | float | np.integer | np.floating)
    fits = real and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    limits = {"low": low, "high": high, "above": above, "below": below}
    if not fits or not _inside(value, **limits):
        raise error(f"{name} to be a number{_limits(**limits)}", shortened(value))
    return float(value)


def room(what: str, size: int, advice: str, *, most: int = ROOM) -> None:
    """Raise if an array would take more bytes than allowed.

    Examples
    --------
    >>> room("draws", 10**9, "draw fewer")
    >>> room("draws", 10**12, "draw fewer")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected draws in at most 4 GiB, but found 931 GiB
    (1,000,000,000,000 bytes). Draw fewer.
    """
    if size > most:
        found = f"{size / 2**30:,.3g} GiB ({size:,} bytes)"
        raise ParameterError(f"{what} in at most {most / 2**30:.3g} GiB", found, advice)


@cache
def memory() -> int:
    """Return the bytes of memory of this machine.

    If the operating system does not report it, return 16 times `ROOM`.
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 16 * ROOM


def level(alpha: object, name: str = "alpha") -> float:
    """Return a significance level between 0 and 1, both excluded."""
    return number(name, alpha, above=0, below=1)


def choice(
    name: str, value: object, words: Collection[Word], error: type[IrframeError] = ParameterError
) -> Word:
    """Return a value that must be one of several words.

    Examples
    --------
    >>> choice("ties", "tri", ("trec", "doc"))
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected ties to be one of 'trec', 'doc', but found 'tri'.
    """
    if not isinstance(value, str) or value not in words:
        expected = f"one of {', '.join(map(repr, words))}"
        found = shortened(value) + suggest(value, dict.fromkeys(words, "{!r}"))
        if len(expected) > LONG:
            raise error(f"{name} to be one of {len(words)} words", found, f"it may be {expected}")
        raise error(f"{name} to be {expected}", found)
    return cast("Word", str(value))


def as_annotated(name: str, value: object, annotation: object) -> None:
    """Raise if an annotation does not list the value.

    Examples
    --------
    >>> as_annotated("each", 1, bool)
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected each to be True or False, but found 1.
    """
    words, optional = _values_of(annotation)
    if not words or (value is None and optional):
        return
    if True not in words:
        choice(name, value, words)
    elif not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} to be True or False", shortened(value))


@cache
def _values_of(annotation: object) -> tuple[tuple[Any, ...], bool]:
    """Return the values other than None that an annotation lists.

    Also return whether None is allowed.
    """
    is_union = get_origin(annotation) in {Union, UnionType}  # Union for literals before Python 3.14
    members = get_args(annotation) if is_union else (annotation,)
    kinds = [kind for kind in members if kind is not NoneType]
    if kinds == [bool]:
        return (True, False), is_union
    literal = all(get_origin(kind) is Literal for kind in kinds)
    return tuple(value for kind in kinds if literal for value in get_args(kind)), is_union


def as_written(text: object, kinds: Mapping[str, Callable[..., Any]]) -> Any:
    """Return the value of a text such as ``"RBO(p=0.8)"``.

    Return None if the text does not call one of `kinds`.

    Examples
    --------
    >>> as_written("range(3)", {"range": range}), as_written("range(n)", {"range": range})
    (range(0, 3), None)
    """
    try:
        call: Any = ast.parse(text, mode="eval").body if isinstance(text, str) else None
        kind = kinds[call.func.id]
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        return kind(*map(ast.literal_eval, call.args), **options)
    except (AttributeError, KeyError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, IrframeError):
            raise
        return None


def listed(value: Any) -> list[Any]:
    """Return one value or several as a list.

    Examples
    --------
    >>> listed("bm25"), listed(["bm25", "ance"]), listed(None)
    (['bm25'], ['bm25', 'ance'], [])
    """
    if value is None:
        return []
    plural = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return list(value) if plural else [value]


def each_once(what: str, values: Sequence[Any]) -> None:
    """Raise if there are no values or duplicates.

    Examples
    --------
    >>> each_once("budgets", [5, 10])
    >>> each_once("budgets", [5, 5])
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected budgets without duplicates, but found 5, 5.
    """
    if not values:
        raise ParameterError(f"at least one value in {what}", "none")
    if len({*values}) < len(values):
        raise ParameterError(f"{what} without duplicates", "", "", map(repr, values))


def one_column(name: str, value: object) -> None:
    """Raise if several columns are given in place of one.

    Examples
    --------
    >>> one_column("by", "model")
    >>> one_column("by", ["model", "seed"])
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected by to be one column, but found ['model', 'seed']. Join
    them to one: frame['model'] + ' ' + frame['seed'].
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        advice = "join them to one: frame['model'] + ' ' + frame['seed']"
        raise ParameterError(f"{name} to be one column", shortened(value), advice)


def places(
    what: str, expected: object, labels: Sequence[Any], error: type[IrframeError] = ParameterError
) -> list[int]:
    """Return the positions of labels; name unknown ones.

    Parameters
    ----------
    what
        A noun for the labels in the message, such as ``"systems of the cube"``.
    expected
        The label or labels to look up.
    labels
        All labels.

    Examples
    --------
    >>> places("systems", ["ance", "bm25"], ["bm25", "ance"])
    [1, 0]
    """
    index = {label: pos for pos, label in enumerate(labels)}
    chosen = listed(expected)
    unknown = [label for label in chosen if not _hashable(label) or label not in index]
    if unknown:
        existing = listing(labels)
        texts = [*map(str, labels)]
        offenders = [f"{label!r}{suggest(label, texts)}" for label in unknown]
        if len(existing) > LONG:
            raise error(what, "", f"there are {existing}", offenders)
        raise error(f"{what} ({existing})", "", "", offenders)
    return [index[label] for label in chosen]


def holding(what: str, subject: Any, names: Collection[Any], part: str = "data_vars") -> None:
    """Raise if an object lacks the names of a result.

    Parameters
    ----------
    what
        A noun for the result, such as ``"a result of replay"``.
    subject
        The object to check.
    names
        Names that the object must have.
    part
        The kind of these names: ``"data_vars"`` of a dataset, ``"sizes"`` of an array or dataset,
        or ``"columns"`` of a frame. A frame must also have rows.

    Examples
    --------
    >>> holding("a result of replay", 3, {"strategy"})
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: expected a result of replay, but found int.
    """
    present = getattr(subject, part, None) if hasattr(subject, "attrs") else None
    if present is None:
        raise InputError(what, type(subject).__name__)
    if not {*names} <= {*present}:
        raise InputError(what, "", "", present)
    if part == "columns" and not len(subject):
        raise InputError(what, "no rows")


def _hashable(label: object) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


_LIMITS = {"low": "at least", "high": "at most", "above": "above", "below": "below"}


def _inside(
    value: Any,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> bool:
    """Return whether a value is within limits."""
    least = (low is None or value >= low) and (above is None or value > above)
    return bool(least and (high is None or value <= high) and (below is None or value < below))


def _limits(**limits: float | None) -> str:
    phrases = [f"{_LIMITS[key]} {limit}" for key, limit in limits.items() if limit is not None]
    if not phrases:
        return ""
    return (" of " if phrases[0].startswith("at") else " ") + " and ".join(phrases)
