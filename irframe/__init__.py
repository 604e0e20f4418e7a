"""Information-retrieval evaluation at every depth, in pandas and xarray.

Importing irframe registers the accessor ``.ireval`` on DataFrame, Dataset and DataArray.
``__init__.pyi`` lists the public functions and namespaces. The module of a function is imported
when the function is first used.
"""

import sys
from importlib import import_module
from inspect import isfunction, ismodule
from pathlib import Path
from typing import Any

from irframe.elsewhere import suggest, suggesting
from irframe.names import NAMESPACES, VERSION
from irframe.stubs import find, homes

__version__ = VERSION


def _asks_for_help() -> bool:
    """Return whether the command line is ``irframe --help`` or ``--version``."""
    # sys.argv lacks the name irframe while python -m irframe imports the package
    program, *arguments = ["", *getattr(sys, "orig_argv", [])][-2:]
    return Path(program).stem == "irframe" and arguments[0] in {"-h", "--help", "--version"}


# the accessor imports pandas, which would slow --help down
if not _asks_for_help():
    from irframe import accessor as accessor

_HOMES = homes(__name__, __file__)
__all__ = list(_HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Return a public function or namespace.

    If a namespace such as `irframe.metrics` has the name, the error message contains the full name.
    """
    if name in __all__:
        value = find(_HOMES[name], name)
        if isfunction(value):
            # Python finds a name in globals without calling __getattr__ again
            value = globals()[name] = suggesting(import_module(value.__module__), name, name)
        return value
    message = f"module 'irframe' has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    spaces = {f"irframe.{space}": import_module(f"irframe.{space}") for space in NAMESPACES}
    # sys stands for a missing name: it is a module, and modules are not suggested
    members = {home: getattr(space, name, sys) for home, space in spaces.items()}
    home = next((home for home, value in members.items() if not ismodule(value)), None)
    if home:
        raise AttributeError(f"{message}: use {home}.{name}")
    forms = dict.fromkeys(__all__, "ir.{}")
    for home, space in spaces.items():
        forms |= {member: home + ".{}" for member in space.__all__ if member not in forms}
    raise AttributeError(message + suggest(name, forms))
