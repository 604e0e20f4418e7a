"""Information-retrieval evaluation at every depth, in pandas and xarray method chains.

Importing irframe registers the accessor ``.ireval`` on DataFrame, Dataset and DataArray. The
public names stand in ``__init__.pyi``; each is imported when first used.
"""

import sys
from pathlib import Path
from typing import Any

import lazy_loader

from irframe.names import VERSION

__version__ = VERSION


def _asks_for_help() -> bool:
    """Tell whether this process is the command line, asked for help, which needs no frames."""
    program, *asked = ["", *getattr(sys, "orig_argv", [])][-2:]
    return Path(program).stem == "irframe" and asked[0] in {"-h", "--help", "--version"}


if not _asks_for_help():
    from irframe import accessor as accessor

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name, or the metric of which it is an alias, such as ``NDCG``."""
    if name in __all__:
        return _find(name)
    from irframe.metrics.base import ALIASES  # noqa: PLC0415 - only when asked

    if name in ALIASES:
        return ALIASES[name]
    raise AttributeError(f"module 'irframe' has no attribute {name!r}")
