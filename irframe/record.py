"""Records of the function calls that produced a result.

The attribute ``record`` of a result contains JSON. Files in netCDF, Zarr and Parquet keep this
attribute. Tables, the console, Markdown and the report use records to describe results.
"""

import inspect
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from importlib import import_module
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar, overload

import pandas as pd

from irframe.arrays import usual_errors
from irframe.checks import as_annotated
from irframe.digests import is_list, plain
from irframe.elsewhere import unexpected
from irframe.errors import OneCall, ParameterError, caution, cautions_of, shortened, united
from irframe.names import GROUP, METRICS, REPEATS, RESULT, Attributes
from irframe.option_values import Slot, gathered, slot_of
from irframe.printed import Result

Function = TypeVar("Function", bound=Callable[..., Any])

RECORD = "record"
"""Attribute of a result: the record of function calls, as JSON."""
INPUTS = "inputs"
"""Option in the record of a cube: the name, size and SHA-256 digest of each input frame."""
UNRECORDED = {"progress", "path"}
"""Arguments that are not recorded, because they do not change the numbers of a result."""
NONE: Literal["none"] = "none"
"""Text that stands for ``adjust=None`` (no correction) in records and on the console."""
FROM_MAPPING = ("weight", "cluster", "task")
"""Options that accept a mapping from topics to values without a name."""
SOURCES = {
    *("bounds", "concat", "condense", "cube", "draw_to_judge", "evaluate", "pooled", "rejudge"),
    *("collapse", "judge", "pool", "rank", "restrict", "sample", "score", "select_top", "split"),
    "standardise",
    "design",
}
"""Functions that return runs, judgments, cubes or scores. All other functions return results."""
OBJECTS = {"runs", "qrels", "judges", "texts"}
"""Arguments that are input data. A record contains the records of the data, and not the data."""
DECIDED = {"adjust", "power"}
"""Options for which the function selects a value if none is passed."""
FACTS = {
    METRICS,
    *["interval", "interval_of", "pool_depth", "topics", "rel", "copies", "length", "test"],
}
"""Attributes of results that have the name of an argument but a different meaning."""


class Steps(str):
    """Record of a cube, printed as the names of functions.

    Records of other objects are plain strings, because libraries that write files require strings.
    """

    __slots__ = ()

    def __str__(self) -> str:
        """Return the names of the verbs."""
        return f"{', '.join(verb for verb, _ in json.loads(self))}; .ireval.record has the options"


@dataclass(frozen=True, eq=False)
class InGroups:
    """An object and its groups.

    Parameters
    ----------
    subject
        An object, or a dictionary from groups to cubes.
    by
        The column, index level or coordinate with the groups, or a mapping to groups.
    columns
        The names of the columns that were joined into `by`, or an empty tuple.
    labels
        Mapping from joined groups to the values in `columns`, or None.
    """

    subject: Any
    by: Any
    columns: tuple[Hashable, ...] = ()
    labels: Mapping[str, tuple[Hashable, ...]] | None = None

    @property
    def example(self) -> Any:
        """The object, or the first cube of a dictionary."""
        return next(iter(self.subject.values())) if isinstance(self.subject, dict) else self.subject

    @property
    def name(self) -> Any:
        """The name of the groups."""
        return (getattr(self.by, "name", None) or GROUP) if is_mapping(self.by) else self.by

    @property
    def plain(self) -> object:
        """The groups in the form that records contain."""
        return [*self.columns] or plain_option("by", self.by)

    def with_each(self, change: Callable[[Any], object]) -> "InGroups":
        """Return groups after applying a function to each cube."""
        return replace(self, subject={key: change(cube) for key, cube in self.subject.items()})


def is_mapping(by: object) -> bool:
    """Return whether groups are passed as a mapping.

    Examples
    --------
    >>> is_mapping("track"), is_mapping({"1": "short"})
    (False, True)
    """
    return isinstance(by, Mapping | pd.Series)


FRAME_VERBS: dict[str, Callable[..., Any]] = {}
"""Mapping from names to verbs of frames. `irframe.cubes.verb` has the verbs of cubes and scores."""


class Step(NamedTuple):
    """A recorded function call: the function and its options."""

    verb: str
    options: dict[str, Any]

    def again(self, subject: object, data: Mapping[str, Any] | None = None) -> Any:
        """Call the function with the same options on an object.

        Parameters
        ----------
        subject
            The first argument of the verb.
        data
            Mapping from names of arguments to data, because a record contains no data.

        Examples
        --------
        >>> import irframe as ir
        >>> scores = ir.evaluate(*ir.example_track(), "AP")
        >>> intervals = scores.ireval.rank_intervals("bootstrap", resamples=30)
        >>> intervals.equals(intervals.ireval.record[-1].again(scores))
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
    """Return the function of a verb, or None if unknown."""
    modules = [import_module(name) for name in ("irframe.verbs", "irframe")]
    return next((getattr(module, verb) for module in modules if hasattr(module, verb)), None)


def steps_of(subject: object) -> list[Step]:
    """Return the steps in the record of an object.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.verbs.sample(ir.cube(*ir.example_track()), 0.5, seed=3)
    >>> [step.verb for step in steps_of(cube)]
    ['cube', 'sample']
    >>> steps_of(cube)[-1].options
    {'share': 0.5, 'seed': 3}
    """
    # attrs is tried first, because a dataset is also a mapping
    attributes = getattr(subject, "attrs", subject)
    text = attributes.get(RECORD) if isinstance(attributes, Mapping) else None
    # a dictionary of runs may have a topic named "record", whose value is not a string
    return [Step(*step) for step in json.loads(text)] if text and isinstance(text, str) else []


def all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield each step after the steps of its inputs.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = ir.evaluate(runs, ir.verbs.sample(qrels, 0.5), "AP")
    >>> [step.verb for step in all_steps(steps_of(scores))]
    ['sample', 'evaluate']
    """
    for verb, options in steps:
        # the order of a set of strings differs from process to process
        inputs = [options[name] for name in sorted(OBJECTS & options.keys())]
        records = [value.values() if isinstance(value, Mapping) else [value] for value in inputs]
        for record in [*chain(*records), *options.get("cubes", [])]:
            yield from all_steps(record)
        yield Step(verb, options)


class Call(inspect.Signature):
    """Signature of a function, printed without types."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the parameters with defaults as text."""
        bare = [param.replace(annotation=param.empty) for param in self.parameters.values()]
        return str(inspect.Signature(bare))

    def format(  # `help` calls this method from Python 3.13 on
        self,
        *,
        max_width: int | None = None,  # noqa: ARG002
        quote_annotation_strings: bool = True,  # noqa: ARG002
    ) -> str:
        """Return the parameters with defaults as text."""
        return str(self)


def calling(call: Any, function: Callable[..., object]) -> Any:
    """Give a wrapper the signature of a function, without types."""
    signature = signature_of(function)
    call.__signature__ = Call(
        [*signature.parameters.values()], return_annotation=signature.return_annotation
    )
    return call


signature_of = cache(inspect.signature)
"""Return the signature of a function, from a cache because every call of a verb needs it."""


def bind(
    function: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object]
) -> inspect.BoundArguments:
    """Bind arguments to the parameters of a verb.

    For all verbs, arguments with annotations of ``bool``, ``Literal`` or option values are checked
    here.
    """
    signature = signature_of(function)
    parameters = signature.parameters
    variadic = next((n for n, p in parameters.items() if p.kind is p.VAR_POSITIONAL), None)
    # Python binds no keyword to a variadic parameter, but irframe accepts metrics= as well
    named = {name: value for name, value in options.items() if name != variadic}
    try:
        bound = signature.bind(*arguments, **named)
    except TypeError as error:
        groups = next((value for value in arguments[:1] if isinstance(value, InGroups)), None)
        called = arguments if groups is None else (groups.example, *arguments[1:])
        verb = function.__name__
        by = groups and groups.by
        problem = unexpected(verb, parameters, called, options, by) or str(error)
        raise TypeError(f"{verb}(): {problem}") from None
    values = bound.arguments
    if variadic in options:
        values[variadic] = (*values.get(variadic, ()), options[variadic])
    if isinstance(values.get("adjust"), str) and values["adjust"] == NONE:
        values["adjust"] = None
    # the loop replaces values but adds no names, so the dictionary can change during the iteration
    for name, value in values.items():
        annotation = parameters[name].annotation
        as_annotated(name, value, annotation)
        slot = None if value is None else slot_of(annotation)
        if slot is not None:
            refuse_unused(slot, value, function.__name__, name)
        if slot is not None and isinstance(value, slot.kinds):
            values[name] = type(value).read(value, parameters[name].default)
    return bound


def refuse_unused(slot: Slot, value: object, function: str, parameter: str) -> None:
    """Raise if an option value sets unused fields."""
    is_value = isinstance(value, slot.kinds)
    if not is_value and len(slot.kinds) > 1:
        names = " or ".join(f"ir.{kind.__name__}(...)" for kind in slot.kinds)
        raise ParameterError(f"{parameter} to be {names}", shortened(value))
    if unused := slot.unused_of(value):
        kind = type(value) if is_value else slot.kind
        advice = f"leave {unused[0]}= out of {kind.__name__}(...)"
        raise ParameterError(f"only options that {function} uses", "", advice, unused)


def options_of(
    function: Callable[..., object], arguments: Mapping[str, object]
) -> dict[str, object]:
    """Return the recorded options of a call."""
    options: dict[str, object] = {}
    for name, defaults in recorded_defaults(function).items():
        parameter = signature_of(function).parameters[name]
        slot = slot_of(parameter.annotation)
        value = arguments.get(name)
        # `compare` accepts adjust= and Significance(adjust=); the default of adjust= must not
        # replace the value in Significance
        from_value = slot is None and name in options and value == parameter.default
        if name in arguments and not from_value:
            variadic = parameter.kind is parameter.VAR_POSITIONAL
            options |= spread_option(name, _flat(value) if variadic else value, slot)
        elif name not in options:
            options |= defaults
    return options


@cache
def recorded_defaults(function: Callable[..., object]) -> dict[str, dict[str, object]]:
    """Return the recorded defaults of parameters after the first."""
    defaults = {}
    for param in [*signature_of(function).parameters.values()][1:]:
        if param.name not in UNRECORDED:
            default = None if param.default is param.empty else param.default
            defaults[param.name] = spread_option(param.name, default, slot_of(param.annotation))
    return defaults


def spread_option(name: str, value: object, slot: Slot | None = None) -> dict[str, object]:
    """Return the entries of one option in a record."""
    fields = {name: value} if slot is None else slot.spread(value)
    return {flat: plain_option(flat, field) for flat, field in fields.items()}


@cache
def default_options(verb: str) -> dict[str, object]:
    """Return the recorded defaults of a verb.

    Examples
    --------
    >>> default_options("risk")
    {'a': 1.0}
    """
    function = function_of(verb)
    defaults: dict[str, object] = {}
    for param in signature_of(function).parameters.values() if function else ():
        if param.default is not param.empty:
            defaults |= spread_option(param.name, param.default, slot_of(param.annotation))
    return defaults


@overload
def recorded(function: Function) -> Function: ...
@overload
def recorded(*, groups: bool) -> Callable[[Function], Function]: ...
def recorded(function: Any = None, *, groups: bool = False) -> Any:
    """Decorate a verb of frames, so that results record options.

    Parameters
    ----------
    function
        The function to decorate.
    groups
        Whether the function accepts a grouped object as first argument.
    """
    if function is None:
        return partial(recorded, groups=groups)
    verb = function.__name__

    @wraps(function)
    def call(*arguments: object, **options: object) -> object:
        bound = bind(function, arguments, options)
        subject = next(iter(bound.arguments.values()), None)
        used = options_of(function, bound.arguments)
        if isinstance(subject, InGroups):
            used["by"] = subject.plain
            subject = subject.example
        with usual_errors(), OneCall() as warned:
            result = with_cautions(function(*bound.args, **bound.kwargs), warned)
        if verb not in SOURCES and isinstance(getattr(result, "attrs", None), dict):
            used = applied(used, result.attrs, subject)
            result.attrs = {**plain_options(used), **result.attrs, RESULT: verb}
        return with_step(result, subject, verb, used)

    call.reads_groups = groups  # type: ignore[attr-defined]
    FRAME_VERBS[verb] = calling(call, function)
    return call


def with_step(result: Any, subject: object, verb: str, options: Mapping[str, object]) -> Any:
    """Add a step to the record of a result."""
    if isinstance(result, InGroups):
        return result.with_each(lambda cube: with_step(cube, subject, verb, options))
    if hasattr(result, "attrs"):
        options = {**options, INPUTS: result.attrs.pop(INPUTS, None)}
    used = {name: value for name, value in options.items() if value is not None}
    text = json.dumps([*steps_of(subject), Step(verb, used)], default=str)
    of_cube = "experiment" in (getattr(result, "attrs", None) or ())
    record = {RECORD: Steps(text) if of_cube else text}
    if isinstance(getattr(result, "attrs", None), dict):
        before = caution(cautions_of(getattr(subject, "attrs", {})))
        attributes = united(before, result.attrs, record)
        if type(result) is pd.DataFrame and verb not in SOURCES:
            result = Result(result)
        result.attrs = attributes
    return result


def with_cautions(result: Any, warned: OneCall) -> Any:
    """Add the warnings of a call to the result."""
    if isinstance(result, InGroups):
        return result.with_each(lambda cube: with_cautions(cube, warned))
    if warned.texts and isinstance(getattr(result, "attrs", None), dict):
        result.attrs = united(result.attrs, caution(warned.texts))
    return result


def applied(
    options: Mapping[str, object], attributes: Attributes, subject: object
) -> dict[str, object]:
    """Return options with the values that the verb used.

    A verb stores the used values in attributes of the result. Attributes that the first argument
    already had describe an earlier verb, and are ignored.
    """
    before = getattr(subject, "attrs", {})
    resolved = dict(options)
    for name in [name for name in options if name in attributes and name not in FACTS]:
        value = options[name]
        stated = attributes[name]
        # a string in an attribute describes a numeric option, and must not replace the number
        alike = str if isinstance(stated, str) else int | float
        if (
            isinstance(stated, str | int | float)
            and (name in DECIDED or isinstance(value, alike))
            # True and False are integers in Python, and attributes only describe flags
            and not isinstance(value, bool)
            and stated != before.get(name)
        ):
            resolved[name] = stated
    return resolved


def plain_options(options: Mapping[str, object]) -> dict[str, object]:
    """Return options as attributes, with lists as strings."""
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


def _flat(values: object) -> list[object]:
    """Return the elements of nested lists in one list."""
    return [item for value in values for item in _flat(value)] if is_list(values) else [values]


def plain_option(name: str, value: object) -> Any:
    """Return an option as records contain it.

    Examples
    --------
    >>> plain_option("adjust", None), plain_option("at", range(1, 3))
    ('none', [1, 2])
    """
    if name in OBJECTS:
        inputs = value if isinstance(value, Mapping) else {"": value}
        steps = {str(key): steps_of(data) for key, data in inputs.items() if steps_of(data)}
        return (steps if isinstance(value, Mapping) else steps[""]) if steps else None
    nameless = {"by": GROUP, **{label: f"given {label}" for label in FROM_MAPPING}}.get(name)
    if nameless is not None and isinstance(value, Mapping | pd.Series):
        return plain(pd.Series(value)) | {"name": getattr(value, "name", None) or nameless}
    if name == "adjust" and value is None:
        return NONE
    if name == "test" and isinstance(value, str):
        from irframe.paired import TESTS  # noqa: PLC0415 - only where pairs are tested

        return repr(TESTS[value]()) if hasattr(TESTS.get(value), "samples") else value
    return plain(value)
