"""Public names in stub files, imported when first used."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def homes(package: str, file: str) -> dict[str, str]:
    """Return the module of each name in a stub file.

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
    """Return a member of a module, or the module itself."""
    module = import_module(home)
    return getattr(module, name, module)
