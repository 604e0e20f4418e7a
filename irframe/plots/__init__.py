"""Figures, by families: they draw and compute nothing.

Their names stand in ``__init__.pyi``; each is imported when first used.
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
    """Return a figure, which reads its subject as verbs do, and names matplotlib if missing."""
    if name not in __all__:
        hint = "" if name.startswith("_") else suggest(name, __all__)
        raise AttributeError(f"module 'irframe.plots' has no attribute {name!r}{hint}")
    from irframe.plots.canvas import figure  # noqa: PLC0415 - which imports xarray

    home = import_module(_FIGURES[name])
    setattr(home, name, figure(getattr(home, name)))
    drawn = globals()[name] = suggesting(home, name, name)
    return drawn


class _Figures(ModuleType):
    """A figure and its module have one name here, and the name is the figure's."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Figures
