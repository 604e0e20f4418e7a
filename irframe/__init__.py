"""Information-retrieval evaluation at every depth, in pandas and xarray method chains.

Importing irframe registers the accessor ``.ireval`` on DataFrame, Dataset and DataArray. What makes
an object, and the namespaces, stand in ``__init__.pyi``; each is imported when first used.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import lazy_loader

from irframe.names import NAMESPACES, VERSION

__version__ = VERSION


def _asks_for_help() -> bool:
    """Tell whether this process is the command line, asked for help, which needs no frames."""
    program, *asked = ["", *getattr(sys, "orig_argv", [])][-2:]
    return Path(program).stem == "irframe" and asked[0] in {"-h", "--help", "--version"}


if not _asks_for_help():
    from irframe import accessor as accessor

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name; an error for another says in which namespace it stands."""
    if name in __all__:
        return _find(name)
    homes = () if name.startswith("_") else (f"irframe.{space}" for space in NAMESPACES)
    found = next((home for home in homes if hasattr(import_module(home), name)), None)
    hint = f": it is {found}.{name}" if found else ""
    raise AttributeError(f"module 'irframe' has no attribute {name!r}{hint}")
