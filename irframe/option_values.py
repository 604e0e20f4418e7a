"""Option values: options that belong together, checked when made, recorded one by one."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, Union, get_args, get_origin


@dataclass(frozen=True, repr=False)
class OptionValue:
    """Base class of frozen dataclasses whose fields are options that belong together.

    The first field is None where it is not given: then it is that of the function's default.

    A function takes one by a parameter that is annotated with it, ``test: Significance | Test``. It
    names the fields that it does not use: ``Annotated[Significance | Test, Unused("family")]``.
    """

    FLAT: ClassVar[Mapping[str, str]] = {}
    """Field -> name of the option in records and on the console, where that is another one."""

    @classmethod
    def of(cls, value: Any, default: Any = None) -> Self:
        """Return a value, its first field filled in; anything else as the first field of one.

        Parameters
        ----------
        value
            A value, or its first field.
        default
            What the function takes by default, whose first field is that of a value without one.
        """
        read: Self = value if isinstance(value, cls) else cls(value)  # type: ignore[call-arg]
        first = fields(cls)[0].name
        if default is None or getattr(read, first) is not None:
            return read
        return replace(read, **{first: getattr(cls.of(default), first)})

    @classmethod
    def flat(cls) -> dict[str, str]:
        """Return the name of the option for each field."""
        return {field.name: cls.FLAT.get(field.name, field.name) for field in fields(cls)}

    def __repr__(self) -> str:
        """Return the value as it is written."""
        return self.written()

    def written(self, spell: Callable[[Any], str] = repr) -> str:
        """Return the value as it is written, without fields that have their defaults."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = [each.name for each in fields(self) if values[each.name] != each.default]
        texts = [f"{name}={spell(values[name])}" for name in changed]
        first = fields(self)[0].name
        return f"{type(self).__name__}({', '.join(texts).removeprefix(f'{first}=')})"


class Unused(frozenset[str]):
    """Fields of an option value that a function does not use."""

    def __new__(cls, *names: str) -> Self:
        """Return the names as a set."""
        return super().__new__(cls, names)


class Slot(NamedTuple):
    """The option value that a parameter takes."""

    kind: type[OptionValue]
    unused: frozenset[str] = frozenset()

    @property
    def options(self) -> dict[str, str]:
        """The name of the option for each field that is used."""
        return {name: flat for name, flat in self.kind.flat().items() if name not in self.unused}

    def spread(self, value: Any) -> dict[str, Any]:
        """Return a value as plain options."""
        read = self.kind.of(value)
        return {flat: getattr(read, name) for name, flat in self.options.items()}

    def unused_of(self, value: Any) -> list[str]:
        """Return the fields that are given and not used."""
        defaults = {field.name: field.default for field in fields(self.kind)}
        return sorted(n for n in self.unused if getattr(value, n, defaults[n]) != defaults[n])


@cache
def slot_of(annotation: Any) -> Slot | None:
    """Return the option value that an annotation names, if it names one.

    Examples
    --------
    >>> slot_of(int | None) is None
    True
    """
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        slot, unused = slot_of(inner), [note for note in notes if isinstance(note, Unused)]
        return slot and Slot(slot.kind, frozenset().union(*unused))
    united = get_origin(annotation) in {Union, UnionType}
    kinds = get_args(annotation) if united else [annotation]
    found = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, OptionValue)]
    return Slot(found[0]) if found else None


def slots_of(signature: inspect.Signature) -> dict[str, Slot]:
    """Return the parameters of a function that take option values."""
    every = {name: slot_of(each.annotation) for name, each in signature.parameters.items()}
    return {name: slot for name, slot in every.items() if slot is not None}


def plain_parameters(signature: inspect.Signature) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function, those of option values field by field.

    Examples
    --------
    >>> from irframe.verbs import discrimination
    >>> [*plain_parameters(inspect.signature(discrimination))][:4]
    ['scores', 'test', 'adjust', 'family']
    """
    plain: dict[str, inspect.Parameter] = {}
    for name, parameter in signature.parameters.items():
        slot = slot_of(parameter.annotation)
        if slot is None:
            plain[name] = parameter
            continue
        usual = slot.spread(parameter.default)
        for field in [field for field in fields(slot.kind) if field.name not in slot.unused]:
            flat = slot.options[field.name]
            own = {"name": flat, "annotation": field.type, "default": usual[flat]}
            plain[flat] = parameter.replace(**own)
    return plain


def gathered(signature: inspect.Signature, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function from plain options, those of option values put together.

    Examples
    --------
    >>> from irframe.verbs import discrimination
    >>> options = {"test": "sign", "adjust": "none", "family": "depth", "alpha": 0.1}
    >>> gathered(inspect.signature(discrimination), options)
    {'test': Significance('sign', adjust='none', alpha=0.1)}
    """
    arguments = dict(options)
    for parameter, slot in slots_of(signature).items():
        if isinstance(arguments.get(parameter), slot.kind):
            continue
        given = {n: arguments.pop(flat) for n, flat in slot.options.items() if flat in arguments}
        if given:
            arguments[parameter] = slot.kind(**given)
    return arguments
