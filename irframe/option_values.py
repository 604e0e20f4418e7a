"""Option values, which combine options, as in ``Significance("t", alpha=0.01)``."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, Self, Union, get_args, get_origin


@dataclass(frozen=True, repr=False)
class OptionValue:
    """Base class of option values, which are frozen dataclasses.

    If the first field is None, it is replaced by the first field of the parameter's default. The
    annotation of a parameter names its option value, as in ``test: Significance | Test``. The
    annotation also names unused fields, as in ``Annotated[Significance | Test, Unused("family")]``.
    """

    FLAT: ClassVar[Mapping[str, str]] = {}
    """Mapping from fields to names of options in records and on the console, if names differ."""

    @classmethod
    def read(cls, value: object, default: Any = None) -> Self:
        """Convert an argument to an option value.

        An argument that is not an option value becomes the first field of an option value.

        Parameters
        ----------
        value
            An option value, or the value of its first field.
        default
            The default of the parameter. If the first field of `value` is None, the first field of
            `default` is used.
        """
        option: Self = value if isinstance(value, cls) else cls(value)  # type: ignore[call-arg]
        first = fields(cls)[0].name
        if default is None or getattr(option, first) is not None:
            return option
        return replace(option, **{first: getattr(cls.read(default), first)})

    @classmethod
    def flat(cls) -> dict[str, str]:
        """Map fields to names of options."""
        return {field.name: cls.FLAT.get(field.name, field.name) for field in fields(cls)}

    @property
    def plain(self) -> dict[str, Any]:
        """Mapping from names of options to values of fields."""
        return {flat: getattr(self, name) for name, flat in self.flat().items()}

    @classmethod
    def changed(cls, values: Mapping[str, object]) -> list[str]:
        """Return the fields in `values` that differ from the defaults.

        Types are compared first, because the comparison of an array with a default returns an
        array.
        """
        usual = cls.usual()
        same = {n: type(v) is type(usual[n]) and v == usual[n] for n, v in values.items()}
        return [name for name in values if not same[name]]

    @classmethod
    def usual(cls) -> dict[str, object]:
        """Map fields to defaults, or to None without a default."""
        every = {field.name: field.default for field in fields(cls)}
        return {name: None if value is MISSING else value for name, value in every.items()}

    def __repr__(self) -> str:
        """Return code that makes the option value."""
        return self.written()

    def written(self, spell: Callable[[object], str] = repr) -> str:
        """Return code that makes the option value, without defaults."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        data = {n: type(value).__name__ for n, value in values.items() if hasattr(value, "shape")}
        texts = [f"{name}={data.get(name) or spell(values[name])}" for name in self.changed(values)]
        first = fields(self)[0].name
        return f"{type(self).__name__}({', '.join(texts).removeprefix(f'{first}=')})"


class Unused(frozenset[str]):
    """Fields of an option value that a function ignores."""

    def __new__(cls, *names: str) -> Self:
        """Make a set of names of fields."""
        return super().__new__(cls, names)


class Slot(NamedTuple):
    """Classes of option values that a parameter accepts.

    `unused` contains the fields that the function with this parameter ignores.
    """

    kinds: tuple[type[OptionValue], ...]
    unused: frozenset[str] = frozenset()

    @property
    def kind(self) -> type[OptionValue]:
        """Class to which plain arguments, such as strings, are converted."""
        return self.kinds[0]

    def options_of(self, kind: type[OptionValue]) -> dict[str, str]:
        """Map used fields of a class to names of options."""
        return {name: flat for name, flat in kind.flat().items() if name not in self.unused}

    def spread(self, value: Any) -> dict[str, Any]:
        """Split an option value into a mapping of options.

        If the value is None, the mapping contains the defaults of all classes.
        """
        kinds = self.kinds if value is None else [type(value)]
        # a plain argument, such as the name of a test, is a field of the first class
        kinds = kinds if {*kinds} <= {*self.kinds} else [self.kind]
        plain = dict[str, Any]()
        for kind in kinds:
            values = kind.usual() if value is None else vars(kind.read(value))
            plain |= {flat: values[name] for name, flat in self.options_of(kind).items()}
        return plain

    def gathered(self, options: dict[str, object]) -> object:
        """Combine options of a mapping into an option value.

        The combined options are removed from `options`. The result is None if all combined options
        have default values. If options of several classes differ from the defaults, the result is a
        list, which no function accepts.
        """
        every = {kind: self.options_of(kind) for kind in self.kinds}
        values = {
            kind: {name: options[flat] for name, flat in names.items() if flat in options}
            for kind, names in every.items()
        }
        for flat in {flat for names in every.values() for flat in names.values()}:
            options.pop(flat, None)
        changed = [kind(**kind.usual() | of) for kind, of in values.items() if kind.changed(of)]
        return changed[0] if len(changed) == 1 else changed or None

    def unused_of(self, value: Any) -> list[str]:
        """Return the unused fields that an argument sets.

        An argument that is not an option value sets the first field.
        """
        is_option = isinstance(value, self.kinds)
        names = type(value).changed(vars(value)) if is_option else [fields(self.kind)[0].name]
        return sorted(name for name in names if name in self.unused)


@cache
def slot_of(annotation: object) -> Slot | None:
    """Return the option values in an annotation, or None.

    A union inside a container, such as ``list[Significance | str]``, is ignored.

    Examples
    --------
    >>> slot_of(int | None) is None
    True
    """
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        slot = slot_of(inner)
        unused = [note for note in notes if isinstance(note, Unused)]
        return slot and Slot(slot.kinds, frozenset().union(*unused))
    united = get_origin(annotation) in {Union, UnionType}
    kinds = get_args(annotation) if united else [annotation]
    options = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, OptionValue)]
    several = any(slot_of(inner) for kind in kinds for inner in get_args(kind))
    return Slot(tuple(options)) if options and not several else None


def slots_of(signature: inspect.Signature) -> dict[str, Slot]:
    """Map parameters that take option values to slots."""
    every = {name: slot_of(param.annotation) for name, param in signature.parameters.items()}
    return {name: slot for name, slot in every.items() if slot is not None}


def plain_parameters(signature: inspect.Signature) -> dict[str, inspect.Parameter]:
    """Return parameters in which option values are split into options.

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
        is_required = parameter.default is parameter.empty
        usual = slot.spread(None if is_required else parameter.default)
        first = next(iter(usual))
        # a required parameter becomes a required first field, and all other fields keep defaults
        usual |= {first: parameter.empty} if is_required else {}
        for kind in slot.kinds:
            types = {field.name: field.type for field in fields(kind)}
            for field_name, flat in slot.options_of(kind).items():
                changes = {"name": flat, "annotation": types[field_name], "default": usual[flat]}
                # one positional argument becomes the first field of an option value
                changes |= {} if flat == first else {"kind": parameter.KEYWORD_ONLY}
                plain[flat] = parameter.replace(**changes)
    return plain


def gathered(signature: inspect.Signature, options: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a function from options.

    Options that belong to an option value are combined.

    Examples
    --------
    >>> from irframe.verbs import discrimination
    >>> options = {"test": "sign", "adjust": "none", "family": "depth", "alpha": 0.1}
    >>> gathered(inspect.signature(discrimination), options)
    {'test': Significance('sign', adjust='none', alpha=0.1)}
    """
    arguments = dict(options)
    for parameter, slot in slots_of(signature).items():
        if not isinstance(arguments.get(parameter), slot.kinds):
            value = slot.gathered(arguments)
            arguments |= {} if value is None else {parameter: value}
    return arguments
