"""Suggested calls for parameters that belong to another verb."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

STOPS = ("budget", "threshold", "search", "depth")
"""Dimensions of stops: evaluation depths, and the dimensions that replace depths."""
LONGEST = 60
"""Maximum number of characters of a value in a suggested call. In place of a longer value, the call
contains the name of the parameter."""


@dataclass(frozen=True)
class Moved:
    """Parameters that belong to another function, and a suggested call.

    Parameters
    ----------
    line
        Template of the suggested call. ``{x}`` is the first argument. ``{verb}`` is the verb, after
        ``.groupby(...)`` in grouped calls. ``{begin}`` is the call up to the second argument.
        ``{fields}`` are the arguments that belong to another function, and ``{others}`` are all
        other arguments. ``{more}`` is ``{others}`` with a comma at the end. ``{beside}`` is
        ``{others}`` with a comma at the beginning. ``{sel}`` selects depths from an array, and
        ``{query}`` from a frame. ``{cut}`` is ``{others}`` with the depth appended to each metric,
        as in ``"AP@10"``.
    fields
        Mapping from the parameters to their names in the suggested call. The name is empty for a
        positional argument.
    verbs
        Verbs for which the suggestion applies. The default is all verbs.
    along
        Mapping from further parameters, which ``{fields}`` also contains, to names in the suggested
        call.
    """

    line: str
    fields: Mapping[str, str]
    verbs: tuple[str, ...] = ()
    along: Mapping[str, str] = field(default_factory=dict)

    def fits(self, verb: str, name: str) -> bool:
        """Return whether the suggestion applies to a parameter."""
        return name in self.fields and verb in (self.verbs or (verb,))


PLAIN = {"compare_judges", "scorer"}
"""Functions that are not verbs, and are therefore called as ``ir.name(x)``."""
_DRAWN = {"cluster": "cluster", "tasks": "task", "weights": "weight"}
_REPEATS = {"repeats": "repeats"}
_AT = {"at": ""}
_OF_DEPTHS = (
    *("bootstrap_sensitivity", "compare", "components", "decide", "discrimination", "median_p"),
    *("rank_intervals", "replicate", "risk", "topics_needed", "volatility"),
)
_REFERENCE = ("agreement", "coverage", "inversions")
"""Verbs that may need the scores at a reference depth. Suggested calls therefore select depths from
the result and not from the scores."""

MOVED = (
    Moved("{begin}{more}{fields})", {"by": "rank_by"}, ("collapse",)),
    Moved("{begin}{more}{fields})", {"by": "per"}, ("compare_judges",)),
    Moved(
        "{x}.ireval.{verb}({others}).ireval.design(qrels, {fields})", _DRAWN, ("evaluate", "cube")
    ),
    Moved("{x}.ireval.{verb}({others}).ireval.design({fields})", _REPEATS, ("evaluate", "cube")),
    Moved("ir.{verb}({x}{beside})", {"repeats": ""}, ("scorer",)),
    Moved("{x}.ireval.design({fields}).ireval.{verb}({others})", _REPEATS, ("components",)),
    Moved(
        "ir.as_scores({x}{beside}).ireval.design({fields})",
        {**_DRAWN, **_REPEATS},
        ("as_scores",),
    ),
    Moved("{x}.ireval.design({fields}).ireval.{verb}({others})", _DRAWN),
    Moved("{x}{sel}.ireval.{verb}({others})", _AT, _OF_DEPTHS),
    Moved("{x}.ireval.{verb}({others}){sel}", _AT, _REFERENCE),
    Moved("{x}.ireval.{verb}({others}){query}", _AT, ("ratios",)),
    Moved("{x}.ireval.{verb}({cut})", _AT, ("replay",)),
    Moved("ir.{verb}({x}{beside}, {fields})", {"depths": "at"}, ("report",)),
    Moved(
        "{x}.ireval.groupby({fields}).{verb}({others})",
        dict.fromkeys(("by", "groupby", "group_by", "group", "stratify_by"), ""),
    ),
)
"""Suggestions for parameters of other functions. The first suggestion that applies to a call is
used."""


def line_for(
    verb: str,
    parameters: Mapping[str, inspect.Parameter],
    arguments: Sequence[object],
    options: Mapping[str, object],
    further: Iterable[Moved] = (),
    by: object = None,
) -> str | None:
    """Return the suggested call for an unknown keyword argument.

    The result is None if no suggestion applies.

    Parameters
    ----------
    verb, parameters
        The called function, and its current parameters.
    arguments, options
        The positional and the keyword arguments of the call.
    further
        Suggestions to try before those in `MOVED`.
    by
        The argument of ``groupby`` if the verb was called on groups, else None.

    Examples
    --------
    >>> def compare(scores, test="t", *, baseline=None): ...
    >>> parameters = inspect.signature(compare).parameters
    >>> line_for("compare", parameters, [None], {"by": "track", "baseline": "bm25"})
    'scores.ireval.groupby("track").compare(baseline="bm25")'
    """
    unknown = next((name for name in options if name not in parameters), "")
    row = next((row for row in (*further, *MOVED) if row.fits(verb, unknown)), None)
    if row is None:
        return None
    written = list(_written(parameters, arguments, options))
    names = {**row.along, **row.fields}
    first = [(names[name], text) for name, _, text in written if name in names]
    # positional arguments have an empty name and are sorted first, as Python requires
    fields = [f"{now}={text}" if now else text for now, text in sorted(first, key=_has_name)]
    remaining = ", ".join(code for name, code, _ in written if name not in names)
    x = next(iter(parameters))
    call = verb if by is None else f"groupby({_text('by', by)}).{verb}"
    return row.line.format(
        x=x,
        verb=call,
        begin=f"ir.{verb}({x}, " if verb in PLAIN else f"{x}.ireval.{call}(",
        **_selections(arguments[0] if arguments else None, ", ".join(text for _, text in first)),
        fields=", ".join(fields),
        others=remaining,
        cut=", ".join(_cut(name, text, first) for name, text, _ in written if name not in names),
        more=f"{remaining}, " if remaining else "",
        beside=f", {remaining}" if remaining else "",
    )


def _cut(name: str, text: str, depths: Sequence[tuple[str, str]]) -> str:
    """Return the code of an argument, with depths after metrics."""
    return re.sub(r'"([^"@]+)"', rf'"\1@{depths[0][1]}"', text) if name == "metrics" else text


def _selections(subject: object, depths: str) -> dict[str, str]:
    """Return code that selects depths from scores.

    Both strings are empty if the scores have no depths.
    """
    index = getattr(subject, "index", None)
    labels = [*getattr(subject, "columns", ()), *getattr(index, "names", ())]
    labels = labels or [*getattr(subject, "coords", ())]
    dim = next((dim for dim in STOPS if dim in labels), None)
    if dim is None:
        return {"sel": "", "query": ""}
    # a list begins with a bracket; the name "at" replaces a value that cannot be written as code
    several = {"[": f"in {depths}", "a": f"in @{depths}"}.get(depths[:1], f"== {depths}")
    query = f'.query("{dim} {several}")'
    return {"sel": f".sel({dim}={depths})" if index is None else query, "query": query}


def _has_name(entry: tuple[str, str]) -> bool:
    """Return whether an argument is passed by name."""
    return bool(entry[0])


def _written(
    parameters: Mapping[str, inspect.Parameter],
    arguments: Sequence[object],
    options: Mapping[str, object],
) -> Iterator[tuple[str, str, str]]:
    """Yield the name, code and value of each further argument."""
    # a variadic parameter such as *metrics is the last and names all remaining arguments
    positional = [param.name for param in parameters.values() if param.kind <= param.VAR_POSITIONAL]
    for i, value in enumerate(arguments[1:], 1):
        name = positional[min(i, len(positional) - 1)]
        yield name, _text(name, value), _text(name, value)
    for name, value in options.items():
        yield name, f"{name}={_text(name, value)}", _text(name, value)


def _text(name: str, value: Any) -> str:
    """Return the code of a value, or the parameter's name.

    The name of the parameter replaces long values, and data such as frames.
    """
    # modules of metrics import `checks`, which imports this module, so their class is not available
    if type(value).__module__.startswith("irframe.metrics"):
        return json.dumps(str(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if type(value) in {list, tuple, dict} and len(repr(value)) <= LONGEST:
        if isinstance(value, dict):
            pairs = (f"{_text(name, key)}: {_text(name, item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        return f"[{', '.join(_text(name, item) for item in value)}]"
    return name
