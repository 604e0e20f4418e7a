"""Public names in stub files, imported at the first use."""

import ast
from importlib import import_module
from pathlib import Path


def homes(package: str, file: str) -> dict[str, str]:
    """Map the names in a stub file to modules.

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


def find(home: str, name: str) -> object:
    """Return a member of a module, or the module itself."""
    module = import_module(home)
    return getattr(module, name, module)
