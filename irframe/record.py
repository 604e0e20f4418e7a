"""How a result came about: the verbs that led to it, in order, with their options as applied.

A result carries its record in one attribute, as JSON, which goes through netCDF, Zarr and Parquet.
What irframe says of a result, in tables, on the console, in Markdown and in the report, is made
from it.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cache, partial, wraps
from importlib import import_module
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import usual_errors
from irframe.checks import as_annotated
from irframe.elsewhere import unexpected
from irframe.errors import OneCall, ParameterError, caution, cautions_of, shortened, united
from irframe.names import GROUP, METRICS, REPEATS, RESULT
from irframe.option_values import Slot, gathered, slot_of
from irframe.printed import Result

Function = TypeVar("Function", bound=Callable[..., Any])

RECORD = "record"
"""Attribute of a result: the steps that led to it."""
INPUTS = "inputs"
"""Option in the record of a cube: the name, size and SHA-256 of each frame it was built from."""
DIGEST = "digest"
"""What stands in a record for data that was handed over."""
UNTOLD = {"progress", "path"}
"""Arguments that change no number."""
NONE: Literal["none"] = "none"
"""What stands for no correction, on the console, too."""
GIVEN = ("weight", "cluster", "task")
"""Options that may come as a mapping of topics without a name."""
SOURCES = {
    *("bounds", "concat", "condense", "cube", "draw_to_judge", "evaluate", "pooled", "rejudge"),
    *("collapse", "judge", "pool", "rank", "restrict", "sample", "score", "select_top", "split"),
    "standardise",
    "design",
}
"""Verbs that give frames, cubes and scores; what others give is a result."""
OBJECTS = {"runs", "qrels", "judges", "texts"}
"""Arguments that are data to begin with; of these only how they were made is recorded."""
DECIDED = {"adjust", "power"}
"""Options for which a verb decides where nothing is given."""
FACTS = {
    METRICS,
    *["interval", "interval_of", "pool_depth", "topics", "rel", "copies", "length", "test"],
}
"""Attributes that are called like arguments, and say more, or less, than what was asked for."""


class Steps(str):
    """The record of a cube, JSON, which prints as the names of its verbs.

    Others are plain text, as libraries that write files ask for.
    """

    __slots__ = ()

    def __str__(self) -> str:
        """Return the verbs, and where their options are."""
        return f"{', '.join(verb for verb, _ in json.loads(self))}; .ireval.record has the options"


@dataclass(frozen=True, eq=False)
class InGroups:
    """What a verb is called of group by group.

    Parameters
    ----------
    subject
        An object, or group -> cube.
    columns, labels
        The columns that the groups were joined from, if there are several; and group -> its value
        in each of them.
    """

    subject: Any
    by: Any
    columns: tuple[Any, ...] = ()
    labels: Mapping[Any, tuple[Any, ...]] | None = None

    @property
    def example(self) -> Any:
        """The object, or the first of the cubes."""
        return next(iter(self.subject.values())) if isinstance(self.subject, dict) else self.subject

    @property
    def name(self) -> Any:
        """What the groups are called."""
        return (getattr(self.by, "name", None) or GROUP) if is_mapping(self.by) else self.by

    @property
    def plain(self) -> Any:
        """What the groups were asked for by, as a record holds it."""
        return [*self.columns] or plain_option("by", self.by)

    def with_each(self, change: Callable[[Any], Any]) -> "InGroups":
        """Return the cubes as a function changes each."""
        return replace(self, subject={key: change(cube) for key, cube in self.subject.items()})


def is_mapping(by: Any) -> bool:
    """Tell whether groups came as a mapping, topic (or system) -> group.

    Examples
    --------
    >>> is_mapping("track"), is_mapping({"1": "short"})
    (False, True)
    """
    return isinstance(by, Mapping | pd.Series)


FRAME_VERBS: dict[str, Callable[..., Any]] = {}
"""Every verb of frames that is not one of cubes and scores, by name."""


class Step(NamedTuple):
    """A verb, and its options as they were applied."""

    verb: str
    options: dict[str, Any]

    def again(self, subject: Any, data: Mapping[str, Any] | None = None) -> Any:
        """Return what the verb gives of an object with the same options.

        Parameters
        ----------
        subject
            What it is called on.
        data
            Arguments that the record does not hold, as they are data.

        Examples
        --------
        >>> import irframe as ir
        >>> scores = ir.evaluate(*ir.example_track(), "AP")
        >>> found = scores.ireval.rank_intervals("bootstrap", resamples=30)
        >>> found.equals(found.ireval.record[-1].again(scores))
        True
        """
        options = {name: value for name, value in self.options.items() if name != INPUTS}
        options |= data or {}
        function: Any = function_of(self.verb)
        by = options.pop("by", None)
        options = gathered(signature_of(function), options)
        if by is not None:
            return getattr(function_of("groupby")(subject, by), self.verb)(**options)  # type: ignore[misc]
        return function(subject, **options)


def function_of(verb: str) -> Callable[..., Any] | None:
    """Return the function of a verb's name, None if there is none."""
    modules = [import_module(name) for name in ("irframe.verbs", "irframe")]
    return next((getattr(one, verb) for one in modules if hasattr(one, verb)), None)


def steps_of(subject: Any) -> list[Step]:
    """Return what led to an object, or to attributes; nothing if they do not say.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.verbs.sample(ir.cube(*ir.example_track()), 0.5, seed=3)
    >>> [step.verb for step in steps_of(cube)]
    ['cube', 'sample']
    >>> steps_of(cube)[-1].options
    {'share': 0.5, 'seed': 3}
    """
    attributes = getattr(subject, "attrs", subject)  # a dataset is a mapping too
    text = attributes.get(RECORD) if isinstance(attributes, Mapping) else None
    # in dictionaries of runs a topic may be called so
    return [Step(*step) for step in json.loads(text)] if text and isinstance(text, str) else []


def all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield steps, each after those that led to the runs, judgments or cubes that it was given.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = ir.evaluate(runs, ir.verbs.sample(qrels, 0.5), "AP")
    >>> [step.verb for step in all_steps(steps_of(scores))]
    ['sample', 'evaluate']
    """
    for verb, options in steps:
        given = [options[name] for name in sorted(OBJECTS & options.keys())]
        several = [one.values() if isinstance(one, Mapping) else [one] for one in given]
        for record in [*chain(*several), *options.get("cubes", [])]:
            yield from all_steps(record)
        yield Step(verb, options)


class Call(inspect.Signature):
    """A signature that prints as a call: names and defaults, without types."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return parameters with their defaults."""
        bare = [each.replace(annotation=each.empty) for each in self.parameters.values()]
        return str(inspect.Signature(bare))

    def format(  # as `help` asks for it from Python 3.13 on
        self,
        *,
        max_width: int | None = None,  # noqa: ARG002
        quote_annotation_strings: bool = True,  # noqa: ARG002
    ) -> str:
        """Return the same."""
        return str(self)


def calling(call: Any, function: Callable[..., Any]) -> Any:
    """Let ``help`` of what calls a function begin with the call; types stay in its parameters."""
    signature = signature_of(function)
    call.__signature__ = Call(
        [*signature.parameters.values()], return_annotation=signature.return_annotation
    )
    return call


signature_of = cache(inspect.signature)
"""What a function takes, as verbs are asked for it at every call."""


def bind(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> inspect.BoundArguments:
    """Return arguments by name; those that a verb takes one after the other also go by theirs.

    Flags and words are checked here, for all verbs.
    """
    signature = signature_of(function)
    several = next((n for n, p in signature.parameters.items() if p.kind is p.VAR_POSITIONAL), None)
    named = {name: value for name, value in options.items() if name != several}
    try:
        bound = signature.bind(*arguments, **named)
    except TypeError as error:
        groups = next((one for one in arguments[:1] if isinstance(one, InGroups)), None)
        called = arguments if groups is None else (groups.example, *arguments[1:])
        verb, by = function.__name__, groups and groups.by
        wrong = unexpected(verb, signature.parameters, called, options, by) or str(error)
        raise TypeError(f"{verb}(): {wrong}") from None
    given = bound.arguments
    if several in options:
        given[several] = (*given.get(several, ()), options[several])
    if isinstance(given.get("adjust"), str) and given["adjust"] == NONE:
        given["adjust"] = None
    for name, value in given.items():
        annotation = signature.parameters[name].annotation
        as_annotated(name, value, annotation)
        slot = None if value is None else slot_of(annotation)
        if slot is not None:
            refuse_unused(slot, value, function.__name__, name)
        if slot is not None and isinstance(value, slot.kinds):
            given[name] = type(value).read(value, signature.parameters[name].default)
    return bound


def refuse_unused(slot: Slot, value: Any, function: str, parameter: str) -> None:
    """Raise if an option value has a field that the function does not use, or is of no kind."""
    own = isinstance(value, slot.kinds)
    if not own and len(slot.kinds) > 1:
        names = ", ".join(f"ir.{kind.__name__}" for kind in slot.kinds)
        raise ParameterError(f"{parameter}=, one of {names}", shortened(value))
    if given := slot.unused_of(value):
        advice = f"leave {given[0]}= out of {(type(value) if own else slot.kind).__name__}(...)"
        raise ParameterError(f"options that {function} uses", "", advice, given)


def options_of(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function but the first, as a record holds them."""
    options: dict[str, Any] = {}
    for name, defaults in recorded_defaults(function).items():
        parameter = signature_of(function).parameters[name]
        slot, value = slot_of(parameter.annotation), given.get(name)
        beside = slot is None and name in options and value == parameter.default
        if name in given and not beside:
            several = parameter.kind is parameter.VAR_POSITIONAL
            options |= spread_option(name, _flat(value) if several else value, slot)
        elif name not in options:
            options |= defaults
    return options


@cache
def recorded_defaults(function: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """Return what a record holds of each parameter but the first where it is not given."""
    usual = {}
    for one in [*signature_of(function).parameters.values()][1:]:
        if one.name not in UNTOLD:
            default = None if one.default is one.empty else one.default
            usual[one.name] = spread_option(one.name, default, slot_of(one.annotation))
    return usual


def spread_option(name: str, value: Any, slot: Slot | None = None) -> dict[str, Any]:
    """Return an option as a record holds it, an option value as its fields."""
    each = {name: value} if slot is None else slot.spread(value)
    return {word: plain_option(word, field) for word, field in each.items()}


@overload
def recorded(function: Function) -> Function: ...
@overload
def recorded(*, groups: bool) -> Callable[[Function], Function]: ...
def recorded(function: Any = None, *, groups: bool = False) -> Any:
    """Make a function that is no verb of cubes and scores record what decided its result.

    Parameters
    ----------
    function
        The function.
    groups
        Whether it also takes its first argument in groups.
    """
    if function is None:
        return partial(recorded, groups=groups)
    verb = function.__name__

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        bound = bind(function, arguments, options)
        subject = next(iter(bound.arguments.values()), None)
        given = options_of(function, bound.arguments)
        if isinstance(subject, InGroups):
            given["by"] = subject.plain
            subject = subject.example
        with usual_errors(), OneCall() as said:
            result = with_cautions(function(*bound.args, **bound.kwargs), said)
        if verb not in SOURCES and isinstance(getattr(result, "attrs", None), dict):
            given = applied(given, result.attrs, subject)
            result.attrs = {**plain_options(given), **result.attrs, RESULT: verb}
        return with_step(result, subject, verb, given)

    call.reads_groups = groups  # type: ignore[attr-defined]
    FRAME_VERBS[verb] = calling(call, function)
    return call


def with_step(result: Any, subject: Any, verb: str, options: Mapping[str, Any]) -> Any:
    """Return a result, or cubes in groups, with the record of its subject and one step more."""
    if isinstance(result, InGroups):
        return result.with_each(lambda cube: with_step(cube, subject, verb, options))
    if hasattr(result, "attrs"):
        options = {**options, INPUTS: result.attrs.pop(INPUTS, None)}
    given = {name: value for name, value in options.items() if value is not None}
    text = json.dumps([*steps_of(subject), Step(verb, given)], default=str)
    of_cube = "experiment" in (getattr(result, "attrs", None) or ())
    record = {RECORD: Steps(text) if of_cube else text}
    if isinstance(getattr(result, "attrs", None), dict):
        before = caution(cautions_of(getattr(subject, "attrs", {})))
        attributes = united(before, result.attrs, record)
        if type(result) is pd.DataFrame and verb not in SOURCES:
            result = Result(result)
        result.attrs = attributes
    return result


def with_cautions(result: Any, said: OneCall) -> Any:
    """Return a result, or cubes in groups, that says what was warned of when it was made."""
    if isinstance(result, InGroups):
        return result.with_each(lambda cube: with_cautions(cube, said))
    if said.texts and isinstance(getattr(result, "attrs", None), dict):
        result.attrs = united(result.attrs, caution(said.texts))
    return result


def applied(
    options: Mapping[str, Any], attributes: Mapping[Any, Any], subject: Any
) -> dict[str, Any]:
    """Return options as a verb resolved them, which its result's attributes say.

    Attributes that the result has from its subject say nothing of this verb.
    """
    before = getattr(subject, "attrs", {})
    resolved = dict(options)
    for name in [name for name in options if name in attributes and name not in FACTS]:
        value, stated = options[name], attributes[name]
        alike = str if isinstance(stated, str) else int | float  # a text need not be the number
        if (
            isinstance(stated, str | int | float)
            and (name in DECIDED or isinstance(value, alike))
            and not isinstance(value, bool)
            and stated != before.get(name)
        ):
            resolved[name] = stated
    return resolved


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as single attributes: numbers and texts, lists as words between commas."""
    shown = {}
    for name in [name for name in options if name not in {METRICS, RESULT, REPEATS}]:
        value = options[name]
        if isinstance(value, list):
            value = ", ".join(map(str, value)) or None
        elif isinstance(value, Mapping):
            numbers = all(isinstance(number, int | float) for number in value.values())
            by_name = ", ".join(f"{key} {number:g}" for key, number in value.items() if numbers)
            value = value.get("name", value.get("data", by_name or None))
        if value is not None and not isinstance(value, bool):
            shown[name] = value
    return shown


def _flat(given: Any) -> list[Any]:
    """Return the elements of what was given one after the other, or as lists."""
    return [one for element in given for one in _flat(element)] if _is_list(given) else [given]


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, list | tuple | set | frozenset | range | pd.Index)


def plain_option(name: str, value: Any) -> Any:
    """Return an option as a record holds it.

    Examples
    --------
    >>> plain_option("adjust", None), plain_option("at", range(1, 3))
    ('none', [1, 2])
    """
    if name in OBJECTS:
        parts = value if isinstance(value, Mapping) else {"": value}
        steps = {str(key): steps_of(part) for key, part in parts.items() if steps_of(part)}
        return (steps if isinstance(value, Mapping) else steps[""]) if steps else None
    nameless = {"by": GROUP, **{word: f"given {word}" for word in GIVEN}}.get(name)
    if nameless is not None and isinstance(value, Mapping | pd.Series):
        return plain(pd.Series(value)) | {"name": getattr(value, "name", None) or nameless}
    if name == "adjust" and value is None:
        return NONE
    if name == "test" and isinstance(value, str):
        from irframe.paired import TESTS  # noqa: PLC0415 - only where pairs are tested

        return repr(TESTS[value]()) if hasattr(TESTS.get(value), "samples") else value
    return plain(value)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: values by their repr, data by its shape and a digest.

    Examples
    --------
    >>> import irframe as ir
    >>> plain([ir.metrics.RBP(p=0.5), np.int64(3), None])
    ['RBP(p=0.5)', 3, None]
    """
    if value is None or isinstance(value, np.generic | bool | int | float | str):
        return value.item() if isinstance(value, np.generic) else value
    if _is_list(value):
        return [plain(element) for element in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(element) for key, element in value.items()}
    if is_dataclass(value):
        return repr(value)
    if not hasattr(value, "shape") and isinstance(value, Hashable):
        return str(getattr(value, "__name__", value))
    shape = " x ".join(map(str, getattr(value, "shape", ())))
    kind = pd.DataFrame if isinstance(value, pd.DataFrame) else type(value)
    digest = hashlib.sha256(b"".join(_bytes_of(value))).hexdigest()[:12]
    description = {DIGEST: digest, "data": f"{kind.__name__} {shape}".strip()}
    name = getattr(value, "name", None)
    return description | ({} if name is None else {"name": str(name)})


def _bytes_of(value: Any) -> Iterable[bytes]:
    if isinstance(value, xr.Dataset | xr.DataArray):
        held = value if isinstance(value, xr.Dataset) else value.to_dataset(name=" ")
        for name, part in held.variables.items():
            yield f"{name} {part.dims} {part.shape}".encode()
            yield str(part.data.name).encode() if part.chunks else bytes_of(part.to_numpy())
    elif isinstance(value, pd.DataFrame | pd.Series):
        frame = value.to_frame() if isinstance(value, pd.Series) else value
        for name, column in frame.reset_index().items():
            yield f"{name}".encode()
            yield bytes_of(column.to_numpy())
    else:
        yield bytes_of(np.asarray(value)) if hasattr(value, "shape") else repr(value).encode()


def bytes_of(values: Any) -> bytes:
    """Return the bytes of an array, those of its texts where it has objects."""
    if values.dtype.kind in "biufcmMSU":
        return bytes(values.tobytes())
    return "\0".join(map(str, values.ravel())).encode(errors="replace")
