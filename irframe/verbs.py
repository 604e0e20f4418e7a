"""All verbs as functions, for ``.pipe`` and type checkers.

``runs.pipe(verbs.evaluate, qrels, "AP")`` is the same as ``runs.ireval.evaluate(qrels, "AP")``.
``verbs.pyi`` lists the verbs. Each verb is imported at the first use.
"""

from importlib import import_module
from typing import Any

from irframe.elsewhere import suggest, suggesting
from irframe.stubs import homes

_VERBS = homes("irframe", __file__)
__all__ = list(_VERBS)


def __getattr__(name: str) -> Any:
    """Import and return a verb."""
    if name not in _VERBS:
        hint = "" if name.startswith("_") else suggest(name, __all__)
        raise AttributeError(f"module 'irframe.verbs' has no attribute {name!r}{hint}")
    verb = globals()[name] = suggesting(import_module(_VERBS[name]), name, name)
    return verb


def __dir__() -> list[str]:
    return sorted(__all__)
