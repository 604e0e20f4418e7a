"""The rules of the house, read from the source: sizes, names, documentation, imports."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from oracles import ORACLES

import irframe
from irframe.metrics import METRICS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "irframe"
MODULES = {
    path.relative_to(ROOT): (text, ast.parse(text))
    for path in sorted(SOURCE.rglob("*.py"))
    for text in [path.read_text(encoding="utf-8")]
}

LONGEST_FUNCTION = 40
LONGEST_MODULE = 350
TOP_LEVEL = {"LICENSE", "README.md", "docs", "irframe", "pyproject.toml", "tests"}
"""Besides files whose names begin with a dot."""
SECTIONS = ["Parameters", "Returns", "Yields", "Raises", "Notes", "References", "Examples"]
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "impl", "misc", "common"}
LATE = {"dask", "distributed", "matplotlib", "scipy.stats", "statsmodels", "zarr"}
"""Imported when they are used, so that `import irframe` stays quick."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def docstring_lines(node):
    first = node.body[0]
    documented = ast.get_docstring(node, clean=False) is not None
    return set(range(first.lineno, first.end_lineno + 1)) if documented else set()


def code_lines(node, text):
    """Count the lines of a function that hold code: no docstrings, comments or empty lines."""
    documents = [part for part in ast.walk(node) if isinstance(part, Function | ast.ClassDef)]
    prose = set().union(*map(docstring_lines, documents))
    lines = text.splitlines()
    return sum(
        number not in prose and not re.fullmatch(r"\s*(#.*)?", lines[number - 1])
        for number in range(node.lineno, node.end_lineno + 1)
    )


def public_functions(body):
    """Return the functions that users see in a module or class body, `__init__` and such too."""
    for node in body:
        hidden = getattr(node, "name", "_").startswith("_")
        if isinstance(node, ast.ClassDef) and not hidden:
            yield from public_functions(node.body)
        elif isinstance(node, Function) and (not hidden or node.name.endswith("__")):
            yield node


def imported(tree):
    """Return (line, module) of every import, also of those inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def sections(docstring):
    return re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring or ""), re.MULTILINE)


def registered():
    """Return the metrics of the package, without those that tests define."""
    return {
        name: metric
        for name, metric in METRICS.items()
        if getattr(sys.modules[metric.__module__], name, None) is metric
        and metric.__module__.startswith("irframe.")
    }


def public():
    """Return the public names that stand for something to call."""
    values = {name: getattr(irframe, name) for name in irframe.__all__}
    return {name: value for name, value in values.items() if callable(value)}


def test_functions_are_short():
    lengths = {
        f"{path}:{function.lineno} {function.name}": code_lines(function, text)
        for path, (text, tree) in MODULES.items()
        for function in functions(tree)
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}


def test_modules_are_short():
    lengths = {str(path): len(text.splitlines()) for path, (text, _) in MODULES.items()}
    assert {name: n for name, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_options_are_spelled_out():
    assert [
        f"{path}:{function.lineno} {function.name}"
        for path, (_, tree) in MODULES.items()
        for function in public_functions(tree.body)
        if function.args.kwarg is not None
    ] == []


def test_modules_are_named_for_what_they_hold():
    names = {path: {part.strip("_") for part in path.with_suffix("").parts} for path in MODULES}
    assert [str(path) for path, parts in names.items() if parts & EMPTY_NAMES] == []


def test_only_plots_draw():
    assert [
        f"{path}:{line} {module}"
        for path, (_, tree) in MODULES.items()
        if path.parts[1] != "plots"
        for line, module in imported(tree)
        if module.partition(".")[0] in {"matplotlib", "mpl_toolkits"}
    ] == []


def test_dask_is_never_imported():
    assert [
        f"{path}:{line} {module}"
        for path, (_, tree) in MODULES.items()
        for line, module in imported(tree)
        if module.partition(".")[0] in {"dask", "distributed"}
    ] == []


def test_importing_the_package_stays_cheap():
    code = "import sys, irframe; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert LATE & set(done.stdout.split()) == set()


def test_every_public_name_exists_once():
    assert irframe.__all__
    assert len(set(irframe.__all__)) == len(irframe.__all__)
    assert [name for name in irframe.__all__ if not hasattr(irframe, name)] == []


def test_every_public_name_has_an_example():
    assert [
        name for name, value in public().items() if "Examples" not in sections(value.__doc__)
    ] == []


def test_docstring_sections_stand_in_the_same_order_everywhere():
    found = {
        name: [section for section in sections(value.__doc__) if section in SECTIONS]
        for name, value in (public() | registered()).items()
    }
    assert {
        name: order for name, order in found.items() if order != sorted(order, key=SECTIONS.index)
    } == {}


def test_every_metric_has_an_oracle():
    assert registered()
    assert sorted(registered().keys() - ORACLES.keys()) == []


def test_every_oracle_has_a_metric():
    assert sorted(ORACLES.keys() - registered().keys()) == []


def test_every_metric_names_its_source_and_shows_an_example():
    assert {
        name: missing
        for name, metric in registered().items()
        if (missing := {"References", "Examples"} - set(sections(metric.__doc__)))
    } == {}


def test_every_metric_is_a_public_name():
    assert sorted(registered().keys() - set(irframe.__all__)) == []


def test_the_top_level_holds_only_what_it_should():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout to tell what belongs to the project")
    done = subprocess.run([git, "ls-files"], capture_output=True, text=True, check=True, cwd=ROOT)
    found = {path.partition("/")[0] for path in done.stdout.splitlines()}
    strangers = {name for name in found - TOP_LEVEL if not name.startswith(".")}
    assert strangers == set()
