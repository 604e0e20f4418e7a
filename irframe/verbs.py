"""Every verb as a function, for ``.pipe`` and for type checkers.

``runs.pipe(verbs.evaluate, qrels, "AP")`` is ``runs.ireval.evaluate(qrels, "AP")``. The verbs stand
in ``verbs.pyi``; each is imported when first used.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from irframe.elsewhere import suggest, suggesting

_HOMES = {
    alias.name: f"irframe.{node.module}"
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
"""Verb -> the module that holds it."""
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Return a verb."""
    if name not in _HOMES:
        hint = "" if name.startswith("_") else suggest(name, __all__)
        raise AttributeError(f"module 'irframe.verbs' has no attribute {name!r}{hint}")
    verb = globals()[name] = suggesting(import_module(_HOMES[name]), name, name)
    return verb


def __dir__() -> list[str]:
    return sorted(__all__)
