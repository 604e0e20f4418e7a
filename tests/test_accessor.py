"""The accessor: every verb is the function of the same name."""

import inspect

import pytest

import irframe as ir
from irframe import accessor
from irframe.accessor import Verb

CLASSES = [
    kind
    for _, kind in inspect.getmembers(accessor, inspect.isclass)
    if issubclass(kind, accessor._Accessor) and kind is not accessor._Accessor
]
VERBS = [
    (kind, name, verb)
    for kind in CLASSES
    for name, verb in vars(kind).items()
    if isinstance(verb, Verb)
]


@pytest.mark.parametrize(("kind", "name", "verb"), VERBS)
def test_verbs_have_the_signature_of_their_function(kind, name, verb):
    bound = verb.__get__(_Subject(), kind)
    expected = list(inspect.signature(verb.function).parameters.values())[1:]
    assert list(inspect.signature(bound).parameters.values()) == expected
    assert verb.__doc__ == f"See `irframe.{verb.function.__name__}`."
    assert getattr(kind, name) is verb.function


@pytest.mark.parametrize(("kind", "name", "verb"), VERBS)
def test_verbs_are_public_functions(kind, name, verb):
    plots = kind.__name__.endswith("Plots")
    if not plots:
        assert verb.function.__name__ in ir.__all__
    assert verb.function.__name__.endswith(name)


class _Subject:
    subject = object()
