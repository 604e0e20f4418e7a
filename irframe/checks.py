"""Checks of arguments, with errors that name the argument."""

import ast
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from irframe.elsewhere import suggest
from irframe.errors import IdError, InputError, IrframeError, ParameterError, listing, shortened

MOST = 2**63 - 1
"""Largest integer that fits into a numpy array."""

ROOM = 4 * 2**30
"""Maximum number of bytes of an array whose size depends on an argument."""

LONG = 70
"""Maximum number of characters of a list of valid values in the first sentence of a message. Longer
lists are written at the end of the message."""

Word = TypeVar("Word", bound=str)
Value = TypeVar("Value")


def is_integer(value: object) -> bool:
    """Return True for integers, but not for booleans.

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
    """Return an integer from `low` to `high`, or raise.

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
    # seeds are not stored in arrays, so any integer is valid
    if high is None and fits and value > MOST and name != "seed":
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
    """Return a finite number within limits, or raise.

    The value may be equal to `low` or `high`, but not to `above` or `below`.

    Examples
    --------
    >>> number("share", 0.5, above=0, high=1)
    0.5
    """
    real = isinstance(value, int | float | np.integer | np.floating)
    # the comparison is False for NaN and, unlike numpy.isfinite, does not raise for huge integers
    fits = real and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    limits = {"low": low, "above": above, "high": high, "below": below}
    if not fits or not _inside(value, **limits):
        raise error(f"{name} to be a number{_limits(**limits)}", shortened(value))
    return float(value)


def room(data: str, size: int, advice: str, *, most: int = ROOM) -> None:
    """Raise if an array would need more memory than allowed.

    `size` and `most` are in bytes.

    Examples
    --------
    >>> room("draws", 10**9, "draw fewer")
    >>> room("draws", 10**12, "draw fewer")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected draws to need at most 4 GiB of memory, but found 931.3
    GiB (1,000,000,000,000 bytes). Draw fewer.
    """
    if size > most:
        size_text = f"{size / 2**30:,.1f} GiB ({size:,} bytes)"
        expected = f"{data} to need at most {most / 2**30:.3g} GiB of memory"
        raise ParameterError(expected, size_text, advice)


@cache
def memory() -> int:
    """Return the size of the computer's memory in bytes.

    If the operating system does not report the size, the result is 16 times `ROOM`.
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 16 * ROOM


def level(alpha: object, name: str = "alpha") -> float:
    """Return a number above 0 and below 1, or raise."""
    return number(name, alpha, above=0, below=1)


def choice(
    name: str, value: object, choices: Collection[Word], error: type[IrframeError] = ParameterError
) -> Word:
    """Return a value that is a valid choice, or raise.

    Examples
    --------
    >>> choice("ties", "tri", ("trec", "doc"))
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected ties to be one of 'trec', 'doc', but found 'tri'.
    """
    if not isinstance(value, str) or value not in choices:
        allowed = f"one of {', '.join(map(repr, choices))}"
        wrong = shortened(value) + suggest(value, dict.fromkeys(choices, "{!r}"))
        if len(allowed) > LONG:
            raise error(f"{name} to be one of {len(choices)} words", wrong, f"choose {allowed}")
        raise error(f"{name} to be {allowed}", wrong)
    return cast("Word", str(value))


def as_annotated(name: str, value: object, annotation: object) -> None:
    """Raise if a value does not fit an annotation.

    Only annotations with ``Literal`` or ``bool`` are checked.

    Examples
    --------
    >>> as_annotated("each", 1, bool)
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected each to be True or False, but found 1.
    """
    choices, optional = _values_of(annotation)
    if not choices or (value is None and optional):
        return
    if True not in choices:
        choice(name, value, choices)
    elif not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} to be True or False", shortened(value))


@cache
def _values_of(annotation: object) -> tuple[tuple[Any, ...], bool]:
    """Return the values that an annotation allows.

    The first result is empty unless the annotation consists of literals or is ``bool``. The second
    result is True if None is allowed.
    """
    # before Python 3.14, a union of literals has the origin Union, and other unions UnionType
    is_union = get_origin(annotation) in {Union, UnionType}
    members = get_args(annotation) if is_union else (annotation,)
    kinds = [kind for kind in members if kind is not NoneType]
    if kinds == [bool]:
        return (True, False), is_union
    literal = all(get_origin(kind) is Literal for kind in kinds)
    return tuple(value for kind in kinds if literal for value in get_args(kind)), is_union


def as_written(text: object, kinds: Mapping[str, Callable[..., Value]]) -> Value | None:
    """Evaluate a call in a string such as ``"RBO(p=0.8)"``.

    The result is None if the string is not a call of one of `kinds`.

    Examples
    --------
    >>> as_written("range(3)", {"range": range}), as_written("range(n)", {"range": range})
    (range(0, 3), None)
    """
    try:
        # arguments must be literals, so a string cannot run code
        call: Any = ast.parse(text, mode="eval").body if isinstance(text, str) else None
        kind = kinds[call.func.id]
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        return kind(*map(ast.literal_eval, call.args), **options)
    except (AttributeError, KeyError, SyntaxError, TypeError, ValueError) as error:
        # an IrframeError is also a ValueError, but describes an invalid option of a valid call
        if isinstance(error, IrframeError):
            raise
        return None


def listed(value: Any) -> list[Any]:
    """Convert None, one value or several values to a list.

    Examples
    --------
    >>> listed("bm25"), listed(["bm25", "ance"]), listed(None)
    (['bm25'], ['bm25', 'ance'], [])
    """
    if value is None:
        return []
    plural = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return list(value) if plural else [value]


def each_once(noun: str, values: Sequence[object]) -> None:
    """Raise if a list is empty or contains duplicates.

    Examples
    --------
    >>> each_once("budgets", [5, 10])
    >>> each_once("budgets", [5, 5])
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected budgets without duplicates, but found 5, 5.
    """
    if not values:
        raise ParameterError(f"at least one value in {noun}", "none")
    if len({*values}) < len(values):
        raise ParameterError(f"{noun} without duplicates", "", "", map(repr, values))


def refuse_any(
    error: type[IrframeError],
    offenders: Iterable[object],
    expected: str,
    found: str = "",
    advice: str = "",
) -> None:
    """Raise an error that lists the invalid values, if any.

    ``{}`` in `found` is replaced by the number of invalid values.

    Examples
    --------
    >>> refuse_any(ParameterError, [], "one value per system", "several for {}")
    >>> refuse_any(ParameterError, ["a", "b"], "one value per system", "several for {}")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected one value per system, but found several for 2: a, b.
    """
    if named := [*offenders]:
        raise error(expected, found.replace("{}", str(len(named))), advice, named)


def refuse_equal_names(noun: str, names: Iterable[Hashable]) -> None:
    """Raise if names that irframe made from labels are equal.

    Examples
    --------
    >>> refuse_equal_names("repeat", ["dpr [seed 1]", "dpr [seed 2]"])
    >>> refuse_equal_names("repeat", ["dpr [seed 1]", "dpr [seed 1]"])
    Traceback (most recent call last):
    ...
    irframe.errors.IdError: expected a different name for every repeat, but found several called:
    dpr [seed 1]. Rename them.
    """
    equal = [name for name, n in Counter(names).items() if n > 1]
    refuse_any(
        IdError, equal, f"a different name for every {noun}", "several called", "rename them"
    )


def refuse_passed(options: Mapping[str, object], expected: str, advice: str = "") -> None:
    """Raise an error that lists the options that were passed.

    An option was passed if its value is not None.

    Examples
    --------
    >>> refuse_passed({"at=": None}, "options of cubes")
    >>> refuse_passed({"at=": [5]}, "options of cubes")
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected options of cubes, but found at=.
    """
    passed = [name for name, value in options.items() if value is not None]
    refuse_any(ParameterError, passed, expected, advice=advice)


def one_column(name: str, value: object) -> None:
    """Raise if a list is passed instead of one column.

    Examples
    --------
    >>> one_column("by", "model")
    >>> one_column("by", ["model", "seed"])
    Traceback (most recent call last):
    ...
    irframe.errors.ParameterError: expected by to be one column, but found ['model', 'seed']. Join
    the columns: frame['model'] + ' ' + frame['seed'].
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        advice = "join the columns: frame['model'] + ' ' + frame['seed']"
        raise ParameterError(f"{name} to be one column", shortened(value), advice)


def positions_of(
    noun: str,
    expected: object,
    labels: Sequence[object],
    error: type[IrframeError] = ParameterError,
) -> list[int]:
    """Return the positions of labels, or raise for unknown labels.

    Parameters
    ----------
    noun
        Noun phrase for the labels in messages, such as ``"systems of the cube"``.
    expected
        One label, or a list of labels, to look up.
    labels
        All existing labels.

    Examples
    --------
    >>> positions_of("systems", ["ance", "bm25"], ["bm25", "ance"])
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
            raise error(noun, "", f"choose from {existing}", offenders)
        raise error(f"{noun} ({existing})", "", "", offenders)
    return [index[label] for label in chosen]


def holding(
    noun: str, subject: Any, names: Collection[object], attribute: str = "data_vars"
) -> None:
    """Raise if an object is not the expected result.

    A result is recognised by the names of its variables, dimensions or columns.

    Parameters
    ----------
    noun
        Noun phrase for the expected result in messages, such as ``"a result of replay"``.
    subject
        The object to check.
    names
        Names of variables, dimensions or columns that the object must have.
    attribute
        The attribute of the object that contains the names: ``"data_vars"`` of a dataset,
        ``"sizes"`` of an array or dataset, or ``"columns"`` of a frame. A frame must also have
        rows.

    Examples
    --------
    >>> holding("a result of replay", 3, {"strategy"})
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: expected a result of replay, but found int.
    """
    present = getattr(subject, attribute, None) if hasattr(subject, "attrs") else None
    if present is None:
        raise InputError(noun, type(subject).__name__)
    if not {*names} <= {*present}:
        raise InputError(noun, "an object that has only", "", present)
    if attribute == "columns" and not len(subject):
        raise InputError(noun, "no rows")


def _hashable(label: object) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


_LIMITS = {"low": "at least", "above": "above", "high": "at most", "below": "below"}


def _inside(
    value: float,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> bool:
    """Return whether a value is within the given limits."""
    least = (low is None or value >= low) and (above is None or value > above)
    return bool(least and (high is None or value <= high) and (below is None or value < below))


def _limits(**limits: float | None) -> str:
    phrases = [f"{_LIMITS[key]} {limit}" for key, limit in limits.items() if limit is not None]
    if not phrases:
        return ""
    return (" of " if phrases[0].startswith("at") else " ") + " and ".join(phrases)
