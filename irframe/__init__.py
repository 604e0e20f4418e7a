"""Information-retrieval evaluation at every depth, in pandas and xarray method chains.

Importing irframe registers the accessor ``.ireval`` on DataFrame, Dataset and DataArray. What makes
an object, and the namespaces, stand in ``__init__.pyi``; each is imported when first used.
"""

import sys
from importlib import import_module
from inspect import isfunction, ismodule
from pathlib import Path
from typing import Any

import lazy_loader

from irframe.elsewhere import suggest, suggesting
from irframe.names import NAMESPACES, VERSION

__version__ = VERSION


def _asks_for_help() -> bool:
    """Tell whether this process is the command line, asked for help, which needs no frames."""
    program, *arguments = ["", *getattr(sys, "orig_argv", [])][-2:]
    return Path(program).stem == "irframe" and arguments[0] in {"-h", "--help", "--version"}


if not _asks_for_help():
    from irframe import accessor as accessor

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name; an error for another says in which namespace it stands."""
    if name in __all__:
        value = _find(name)
        if isfunction(value):
            value = globals()[name] = suggesting(import_module(value.__module__), name, name)
        return value
    message = f"module 'irframe' has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    homes = {f"irframe.{space}": import_module(f"irframe.{space}") for space in NAMESPACES}
    found = {home: getattr(space, name, sys) for home, space in homes.items()}
    home = next((home for home, value in found.items() if not ismodule(value)), None)
    if home:
        raise AttributeError(f"{message}: it is {home}.{name}")
    known = dict.fromkeys(__all__, "ir.{}")
    for home, space in homes.items():
        known |= {member: home + ".{}" for member in space.__all__ if member not in known}
    raise AttributeError(message + suggest(name, known))
