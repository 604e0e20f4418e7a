"""Write irframe/typed.pyi: typed verbs of each kind of object.

Every build of irframe runs it. In a checkout, run ``python .ci/typed_stub.py``.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUB = ROOT / "irframe" / "typed.pyi"
HOMES = {"Figures": ("irframe.plots", "plots/__init__.pyi"), "Verbs": ("irframe", "verbs.pyi")}
KINDS = {"Frame": "pd.DataFrame", "Cube": "xr.Dataset", "Scores": "xr.DataArray"}
TABLES = {"Frame": "pd.DataFrame", "Scores": "xr.Dataset"}
"""What verbs made by ``table_verb`` return."""
TEXT = """\
# The verbs of every kind of object. Written by .ci/typed_stub.py; do not edit.
from collections.abc import Hashable, Iterator
from typing import Any, overload, type_check_only
import pandas as pd
import xarray as xr
{imports}

__all__ = ["ireval"]

{classes}

@overload
def ireval(subject: pd.DataFrame | pd.Series) -> FrameVerbs: ...
@overload
def ireval(subject: xr.Dataset) -> CubeVerbs: ...
@overload
def ireval(subject: xr.DataArray) -> ScoresVerbs: ...
"""

OWN = {f"Grouped{kind}Verbs" for kind in KINDS}
"""Classes of the stub that methods return."""

Imports = dict[str, str]
"""Name -> the line that imports it."""


def get_build_hook() -> Any:
    """Return the hook that hatchling calls before it packs files."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # noqa: PLC0415

    class Hook(BuildHookInterface):
        """Hook that writes the stub."""

        def initialize(self, *_: Any) -> None:
            """Write the stub."""
            write()

    return Hook


def write() -> None:
    """Write the stub."""
    STUB.write_text(stub(), encoding="utf-8")


def stub() -> str:
    """Return the text of the stub."""
    imports: Imports = {}
    classes = [line for name in HOMES for kind in KINDS for line in _class(kind, name, imports)]
    classes += [line for kind in KINDS for line in _grouped_class(kind, imports)]
    lines = sorted(set(imports.values()))
    return TEXT.format(imports="\n".join(lines), classes="\n".join(classes))


def _class(kind: str, name: str, imports: Imports) -> Iterator[str]:
    """Yield the class of verbs or figures of a kind."""
    package, listed = HOMES[name]
    yield f"@type_check_only\nclass {kind}{name}:"
    if name == "Verbs":
        yield f"    @property\n    def plot(self) -> {kind}Figures: ..."
    for node in ast.parse((ROOT / "irframe" / listed).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            yield from _methods(node.names[0].name, f"{package}.{node.module}", kind, imports)


def _grouped_class(kind: str, imports: Imports) -> Iterator[str]:
    """Yield the class of verbs of a kind in groups."""
    package, listed = HOMES["Verbs"]
    yield f"@type_check_only\nclass Grouped{kind}Verbs:"
    yield "    @property\n    def plot(self) -> Any: ..."
    yield f"    def __iter__(self) -> Iterator[tuple[Hashable, {KINDS[kind]}]]: ..."
    for node in ast.parse((ROOT / "irframe" / listed).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            name, home = node.names[0].name, f"{package}.{node.module}"
            if _answers_by_group(name, home):
                for line in _methods(name, home, kind, imports):
                    yield re.sub(r"-> (?:view\.)?Cube: ", '-> "GroupedCubeVerbs": ', line)


def _answers_by_group(name: str, home: str) -> bool:
    """Return whether a verb answers by group: see `irframe.grouped.Grouped`."""
    node = next(node for node in reversed(_body(home)) if getattr(node, "name", None) == name)
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    if "verb" in decorators or "groups=True" in decorators:
        return True
    first, *options = [arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)]
    return "recorded" in decorators and first == "runs" and {"qrels", "judges"}.isdisjoint(options)


def _methods(name: str, home: str, kind: str, imports: Imports) -> Iterator[str]:
    """Yield a function as methods, one per fitting overload."""
    definitions = [node for node in _body(home) if getattr(node, "name", None) == name]
    overloads = definitions[:-1] or definitions
    fitting = [node for node in overloads if KINDS[kind] in _kinds(_first(node).annotation, home)]
    for node in map(deepcopy, fitting):
        if any(
            ast.unparse(decorator).startswith("table_verb(") for decorator in node.decorator_list
        ):
            node.returns = ast.Constant(TABLES[kind])
        if name == "groupby":
            node.returns = ast.Constant(f"Grouped{kind}Verbs")
        yield "    @overload" if len(fitting) > 1 else ""
        yield "    " + _signature(node, home, imports)


@cache
def _body(home: str) -> list[Any]:
    """Return the statements of a module."""
    path = ROOT.joinpath(*home.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8")).body


def _first(node: Any) -> ast.arg:
    """Return a verb's first argument, its subject."""
    return [*node.args.posonlyargs, *node.args.args][0]


def _kinds(kind: ast.expr, home: str) -> set[str]:
    """Return the types in an annotation as texts."""
    if isinstance(kind, ast.BinOp):
        return _kinds(kind.left, home) | _kinds(kind.right, home)
    value = _value(kind, home)
    return {ast.unparse(kind)} if value is kind else _kinds(value, home)


def _value(node: Any, home: str) -> Any:
    """Return the value of a name in a module.

    Anything but a name is returned unchanged.
    """
    for statement in _body(home) if isinstance(node, ast.Name) else ():
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith("irframe"):
            if node.id in {alias.name for alias in statement.names}:
                return _value(node, statement.module)
        elif ast.unparse(statement).startswith((f"{node.id} = ", f"{node.id}: ")):
            return statement.value
    return node


def _signature(node: Any, home: str, imports: Imports) -> str:
    """Return the line that declares a function as a method."""
    args, first = node.args, _first(node)
    first.arg, first.annotation = "self", None
    options = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    for arg in (*options, args.vararg, args.kwarg):
        if arg is not None and arg.annotation is not None:
            arg.annotation = _plain(arg.annotation)
            _import(arg.annotation, home, imports)
    returned = _plain(node.returns)
    _import(returned, home, imports)
    for defaults in (args.defaults, args.kw_defaults):
        defaults[:] = [_value(arg, home) for arg in defaults]
    result = ast.unparse(returned)
    result = f'"{result}"' if result in OWN else result  # which stands further down
    return f"def {node.name}({ast.unparse(args)}) -> {result}: ..."


def _plain(annotation: Any) -> ast.expr:
    """Return an annotation without quotes."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _import(annotation: ast.expr, home: str, imports: Imports) -> None:
    """Add the imports that an annotation needs."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id) and node.id not in OWN:
            line = _origin(node.id, home)
            if imports.setdefault(node.id, line) != line:
                sys.exit(f"two things are called {node.id}: {imports[node.id]}; {line}")


def _origin(name: str, home: str) -> str:
    """Return the import line for a name in a module."""
    for node in ast.walk(ast.Module(_body(home))):
        for alias in getattr(node, "names", ()):
            if isinstance(alias, ast.alias) and (alias.asname or alias.name) == name:
                alias_text = f" as {alias.asname}" if alias.asname else ""
                start = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                return f"{start}import {alias.name}{alias_text}"
    return f"from {home} import {name}"


if __name__ == "__main__":
    write()
