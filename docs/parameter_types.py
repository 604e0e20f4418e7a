"""Types of parameters in words, from their annotations."""

import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from types import NoneType, UnionType
from typing import IO, Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np

from irframe.metrics.base import Metric, MetricType

WORDS = {
    Any: "object",
    Callable: "callable",
    Hashable: "label",
    IO: "file object",
    MetricType: Metric.__name__,
    NoneType: "None",
    PathLike: "path",
    np.ndarray: "array",
}
"""Type -> its word, if that is not its name."""
UNTYPED = {
    "ax": "Axes or None",
    "axes": "list of Axes or None",
    "metric": "str or Metric",
    "system": "label",
    "text": "str or Metric",
}
"""Parameter typed as `Any` or with types of an optional library -> its type in words."""
LINKED = {
    "Axes": "matplotlib.axes.Axes",
    "DataArray": "xarray.DataArray",
    "DataFrame": "pandas.DataFrame",
    "Dataset": "xarray.Dataset",
    "Series": "pandas.Series",
    **dict.fromkeys(["array", "array-like"], "numpy.ndarray"),
    **{name: name for name in ("None", "bool", "int", "float", "str", "list", "tuple", "dict")},
}
"""Word -> the object whose page it leads to."""
UNLINKED = {"of", "or", "to", "label", "path", "object", "callable", "file", "class"}
"""Words of types that are no objects."""
ARRAY_LIKE = "_SupportsArray"
ENTRY = re.compile(r"\*{0,2}\w+(?:, \w+)*$")
"""Line of a docstring that names parameters."""


def type_words(annotation: Any) -> str:
    """Return an annotation in words.

    Examples
    --------
    >>> type_words(int | Sequence[int] | None), type_words(str | float | Sequence[str | float])
    ('int or list of int or None', 'str or float, or list of these')
    """
    kinds = list(dict.fromkeys(_members(annotation)))
    choices = [kind for kind in kinds if kind[0] == "`"]
    lists = [kind for kind in kinds if kind.startswith("list")]
    singles = [kind for kind in kinds if kind not in {"None", *choices, *lists}]
    if choices:
        singles.insert(0, f"{{{', '.join(choices)}}}" if len(choices) > 1 else choices[0])
    text = " or ".join(singles)
    for kind in lists:
        is_same = kind.removeprefix("list of ") == text
        text += ", or list of these" if is_same and len(singles) > 1 else " or " * bool(text) + kind
    return f"{text} or None" if "None" in kinds else text


def _members(annotation: Any) -> list[str]:
    """Return the words of each type of a union."""
    kind, members = get_origin(annotation) or annotation, get_args(annotation)
    if kind in {Union, UnionType}:
        if ARRAY_LIKE in str(annotation):
            return ["array-like", *["None"] * (NoneType in members)]
        return [names for member in members for names in _members(member)]
    if kind in {Annotated, type}:
        return _members(members[0])
    if kind is Literal:
        return [f"``{member!r}``" for member in members]
    if kind in CONTAINERS:
        typed = [type_words(member) for member in members if member not in {Any, ...}]
        inner = " to ".join(typed if kind is Mapping else dict.fromkeys(typed))
        return [f"{CONTAINERS[kind]} of {inner}" if inner else CONTAINERS[kind]]
    return [WORDS.get(kind) or kind.__name__]


CONTAINERS = {Iterable: "list", Mapping: "dict", Sequence: "list", tuple: "tuple"}
"""Type of several values -> its word."""


def add_types(*arguments: Any) -> None:
    """Write the types of parameters into a docstring."""
    *_, member, _, lines = arguments
    if "Parameters" not in lines or not callable(member):
        return
    parameters = inspect.signature(member).parameters
    begin = lines.index("Parameters") + 2
    ends = (at for at in range(begin, len(lines) - 1) if re.match(r"-{3,}$", lines[at + 1]))
    for at in range(begin, next(ends, len(lines))):
        entry = ENTRY.match(lines[at])
        if entry and (types := _of_names(entry[0].split(", "), parameters)):
            lines[at] += f" : {types}"


def _of_names(names: Iterable[str], parameters: Mapping[str, inspect.Parameter]) -> str:
    """Return the different types of an entry, separated by semicolons."""
    annotations = {name: parameters[name].annotation for name in names if name in parameters}
    words = [
        UNTYPED.get(name, "object")
        if of is Any or "Axes" in str(of) or of == Any | None
        else type_words(of)
        for name, of in annotations.items()
        if of is not inspect.Parameter.empty
    ]
    return "; ".join(dict.fromkeys(words))
