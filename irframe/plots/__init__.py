"""Figures, which draw results and compute nothing.

The file ``__init__.pyi`` lists the names of the figures. Each figure is imported at its first use.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from irframe.elsewhere import suggest, suggesting
from irframe.stubs import homes

_FIGURES = homes(__name__, __file__)
__all__ = list(_FIGURES)


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Return a plotting function, decorated by `irframe.plots.canvas.figure`."""
    if name not in __all__:
        hint = "" if name.startswith("_") else suggest(name, __all__)
        raise AttributeError(f"module 'irframe.plots' has no attribute {name!r}{hint}")
    from irframe.plots.canvas import figure  # noqa: PLC0415 - slow: imports xarray

    home = import_module(_FIGURES[name])
    # `suggesting` looks the function up in the module, so the decorated function must be there
    # first
    setattr(home, name, figure(getattr(home, name)))
    drawn = globals()[name] = suggesting(home, name, name)
    return drawn


class _Figures(ModuleType):
    """Class of this module; it protects figures from being overwritten."""

    # importing the module irframe.plots.ladder would overwrite the function `ladder`
    def __setattr__(self, name: str, value: object) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Figures
