"""Write irframe/typed.pyi: the verbs of every kind of object, with the signatures of the functions.

python .ci/typed_stub.py
"""

import ast
import builtins
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import xarray as xr

import irframe
from irframe.accessor import verbs

STUB = Path(irframe.__file__).with_name("typed.pyi")
KINDS = {"Frame": pd.DataFrame, "Cube": xr.Dataset, "Scores": xr.DataArray}
OBJECTS = {"Frame": "pd.DataFrame | pd.Series", "Cube": "xr.Dataset", "Scores": "xr.DataArray"}
HEAD = "# The verbs of every kind of object. Written by .ci/typed_stub.py; do not edit.\n"

Imports = dict[str, str]
"""Name -> the line that imports it."""


def stub() -> str:
    """Return the text of the stub, not yet formatted."""
    imports: Imports = {}
    homes = ("irframe.plots", "irframe.verbs")
    classes = [_class(name, home, imports) for home in homes for name in KINDS]
    lines = [HEAD, "from typing import Any, overload, type_check_only", "import pandas as pd"]
    lines += ["import xarray as xr", *sorted(set(imports.values())), ""]
    doors = [
        f"@overload\ndef ireval(subject: {OBJECTS[name]}) -> {name}Verbs: ..." for name in KINDS
    ]
    return "\n".join([*lines, '__all__ = ["ireval"]', *classes, *doors]) + "\n"


def _class(kind: str, home: str, imports: Imports) -> str:
    """Return the class of the verbs, or figures, of a kind of object."""
    ending = "Verbs" if home == "irframe.verbs" else "Figures"
    lines = ["@type_check_only", f"class {kind}{ending}:"]
    if home == "irframe.verbs":
        lines += ["    @property", f"    def plot(self) -> {kind}Figures: ..."]
    for name, (function, kinds) in sorted(verbs(home).items()):
        if KINDS[kind] in kinds:
            lines += _methods(name, function, KINDS[kind], imports)
    return "\n".join(lines)


def _methods(name: str, function: Any, kind: type, imports: Imports) -> Iterator[str]:
    """Yield a function as methods of a kind of object, one for each overload that fits."""
    module = import_module(function.__module__)
    tree = ast.parse(inspect.getsource(module))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    fitting = [node for node in found[:-1] or found if kind in _kinds(node, module)]
    for node in fitting:
        yield "    @overload" if len(fitting) > 1 else ""
        yield "    " + _signature(node, tree, module.__name__, imports)


def _kinds(node: ast.FunctionDef, module: Any) -> tuple[Any, ...]:
    """Return what the first argument of a function may be."""
    first = [*node.args.posonlyargs, *node.args.args][0]
    kind = eval(ast.unparse(first.annotation), vars(module))  # noqa: S307 - our own source
    return get_args(kind) or (kind,)


def _signature(node: ast.FunctionDef, tree: ast.Module, home: str, imports: Imports) -> str:
    """Return the line that declares a function as a method."""
    given = node.args
    first = [*given.posonlyargs, *given.args][0]
    first.arg, first.annotation = "self", None
    options = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    options += [each for each in (given.vararg, given.kwarg) if each is not None]
    for each in options:
        if each.annotation is not None:
            each.annotation = _plain(each.annotation)
            _import(each.annotation, tree, home, imports)
    returned = _plain(node.returns)
    _import(returned, tree, home, imports)
    for defaults in (given.defaults, given.kw_defaults):
        defaults[:] = [each and _default(each, home) for each in defaults]
    return f"def {node.name}({ast.unparse(given)}) -> {ast.unparse(returned)}: ..."


def _plain(annotation: Any) -> ast.expr:
    """Return an annotation without the quotes that keep it from being read too early."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _default(default: ast.expr, home: str) -> ast.expr:
    """Return a default as it is written, a named one by its value, and no other."""
    try:
        ast.literal_eval(default)
    except ValueError:
        value = eval(ast.unparse(default), vars(import_module(home)))  # noqa: S307 - our own source
        return ast.Constant(value if isinstance(value, str | int | float) else ...)
    return default


def _import(annotation: ast.expr, tree: ast.Module, home: str, imports: Imports) -> None:
    """Note from where the names of an annotation come."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            line = _origin(node.id, tree, home)
            if imports.setdefault(node.id, line) != line:
                sys.exit(f"two things are called {node.id}: {imports[node.id]}; {line}")


def _origin(name: str, tree: ast.Module, home: str) -> str:
    """Return the line that imports a name that a module uses."""
    for node in ast.walk(tree):
        for alias in getattr(node, "names", ()):
            if isinstance(alias, ast.alias) and (alias.asname or alias.name) == name:
                known = f" as {alias.asname}" if alias.asname else ""
                start = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                return f"{start}import {alias.name}{known}"
    return f"from {home} import {name}"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    for words in (["check", "--fix-only", "-q"], ["format", "-q"]):
        subprocess.run(["ruff", *words, str(STUB)], check=True)
