"""Figures, by families: they draw and compute nothing.

Their names stand in ``__init__.pyi``; each is imported when first used.
"""

import sys
from types import ModuleType
from typing import Any

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


class _Figures(ModuleType):
    """A figure and its module have one name here, and the name is the figure's."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Figures
