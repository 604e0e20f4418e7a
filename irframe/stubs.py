"""Public names as stubs state them: where each stands, imported when first used."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def homes(package: str, file: str) -> dict[str, str]:
    """Return which module holds each name that the stub beside a file imports, or is it.

    Examples
    --------
    >>> import irframe as ir
    >>> homes("irframe", ir.__file__)["cube"], homes("irframe", ir.__file__)["metrics"]
    ('irframe.cubes.cube', 'irframe.metrics')
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.name: f"{package}.{node.module or alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def find(home: str, name: str) -> Any:
    """Return what is called so in a module, or the module of this name."""
    module = import_module(home)
    return getattr(module, name, module)
