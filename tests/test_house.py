"""Tests of sizes, names, documentation and imports of the source."""

import ast
import inspect
import re
import shutil
import statistics
import subprocess
import sys
import tomllib
import warnings
from collections import Counter
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from oracles import ORACLES, novelty, spans

import irframe
from irframe.errors import IrframeWarning
from irframe.metrics import METRICS
from irframe.paired import TESTS
from irframe.tables.captions import ADJUST_WORDS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "irframe"

LONGEST_FUNCTION = 40
LONGEST_MODULE = 500
LONGEST_MEDIAN = 6
MOST_HOMES = 2
"""Maximum number of modules that define the same private name."""
FAMILIES = {"irframe.gains", "irframe.metrics.base"}
"""Modules that may define several public names without a list in their docstring."""
TOP_LEVEL = {"CITATION.cff", "LICENSE", "README.md", "action.yml", "docs", "irframe"}
TOP_LEVEL |= {"pyproject.toml", "tests"}
"""Files and folders at the top of the repository, except hidden ones."""
SECTIONS = ["Parameters", "Returns", "Yields", "Raises", "Notes", "References", "Examples"]
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "impl", "misc", "common"}
LATE = {"dask", "distributed", "irframe.metrics", "matplotlib", "scipy", "statsmodels", "zarr"}
"""Packages that may only be imported inside functions, so that ``import irframe`` stays fast."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """A parsed module and the numbers of its code lines."""

    tree: ast.Module
    nodes: list
    lines: list
    coded: list

    def functions(self):
        return [node for node in self.nodes if isinstance(node, Function)]


@cache
def modules():
    """Return all parsed modules by path."""
    return {path.relative_to(ROOT): read(path) for path in sorted(SOURCE.rglob("*.py"))}


def read(path):
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    nodes = list(ast.walk(tree))
    prose = set().union(*map(docstring_lines, nodes))
    coded = [
        number not in prose and not re.fullmatch(r"\s*(#.*)?", line)
        for number, line in enumerate(lines, 1)
    ]
    return Module(tree, nodes, lines, coded)


def docstring_lines(node):
    if not isinstance(node, Function | ast.ClassDef):
        return set()
    first = node.body[0]
    documented = ast.get_docstring(node, clean=False) is not None
    return set(range(first.lineno, first.end_lineno + 1)) if documented else set()


def body_lines(node, module):
    """Count the lines of code below a signature."""
    return sum(module.coded[node.body[0].lineno - 1 : node.end_lineno])


def public_functions(body):
    """Yield the public functions of a module or class body."""
    for node in body:
        hidden = getattr(node, "name", "_").startswith("_")
        if isinstance(node, ast.ClassDef) and not hidden:
            yield from public_functions(node.body)
        elif isinstance(node, Function) and (not hidden or node.name.endswith("__")):
            yield node


def imported(module):
    """Yield the line and module of every import."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def sections(docstring):
    return re.findall(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring or ""), re.MULTILINE)


def registered():
    """Return the metrics that the package defines."""
    return {
        name: metric
        for name, metric in METRICS.items()
        if getattr(sys.modules[metric.__module__], name, None) is metric
        and metric.__module__.startswith("irframe.")
    }


def stated(package):
    """Map the public names in a stub to their modules."""
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    home = package.__name__.removesuffix(".verbs")
    return {
        alias.asname: f"{home}.{node.module}" if node.module else None
        for node in ast.walk(ast.parse(stub))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def listed(module):
    """Return the names that the docstring of a module lists."""
    document = " ".join(inspect.getdoc(import_module(module)).split())
    match = re.search(r"(?:Verbs|Figures|Values): ([^.]+)\.", document)
    return re.findall(r"\w+", match[1]) if match else []


def verbs():
    """Return the public functions by name, without figures."""
    homes = irframe, irframe.verbs
    members = {name: getattr(home, name) for home in homes for name in home.__all__}
    return {name: value for name, value in members.items() if inspect.isfunction(value)}


def public():
    """Return public functions and classes by full name."""
    members = {
        f"{package.__name__}.{name}": getattr(package, name)
        for package in (irframe, irframe.verbs, irframe.plots)
        for name in package.__all__
    }
    return {name: value for name, value in members.items() if callable(value)}


def test_irframe_has_at_most_40_public_names():
    assert len(dir(irframe)) <= 40
    irframe.verbs.compare  # noqa: B018 - using a verb adds no name
    assert not hasattr(irframe, "compare")


def test_functions_are_short():
    lengths = {
        f"{path}:{function.lineno} {function.name}": body_lines(function, module)
        for path, module in modules().items()
        for function in module.functions()
    }
    assert {name: n for name, n in lengths.items() if n > LONGEST_FUNCTION} == {}


def test_the_median_function_has_at_most_six_lines():
    lengths = [body_lines(f, module) for module in modules().values() for f in module.functions()]
    assert statistics.median(lengths) <= LONGEST_MEDIAN


def test_errors_do_not_use_vague_words_for_what_was_found():
    vague = re.compile(r"\bothers\b|\bsomething else\b|\botherwise\b")
    vague_texts = {
        f"{path}:{node.lineno}": subnode.value
        for path, module in modules().items()
        for node in module.nodes
        for found in what_was_found(node)
        for subnode in ast.walk(found)
        if isinstance(subnode, ast.Constant) and vague.search(str(subnode.value))
    }
    assert vague_texts == {}


def what_was_found(node):
    """Return an error's or function's texts for `found`."""
    if isinstance(node, ast.Assign):
        names = [name.strip("() ") for name in ast.unparse(node.targets[0]).split(",")]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        return values[names.index("found") :][:1] if "found" in names else []
    if not isinstance(node, ast.Call) or not re.search(r"[Ee]rror$", ast.unparse(node.func)):
        return []
    return node.args[1:2]


def test_modules_are_short():
    lengths = {str(path): len(module.lines) for path, module in modules().items()}
    assert {name: n for name, n in lengths.items() if n > LONGEST_MODULE} == {}


def test_public_functions_do_not_take_arbitrary_keywords():
    assert [
        f"{path}:{function.lineno} {function.name}"
        for path, module in modules().items()
        for function in public_functions(module.tree.body)
        if function.args.kwarg is not None
    ] == []


def test_names_of_modules_describe_their_content():
    names = {path: {name.strip("_") for name in path.with_suffix("").parts} for path in modules()}
    assert [str(path) for path, components in names.items() if components & EMPTY_NAMES] == []


def test_names_of_classes_are_unique():
    classes = Counter(
        node.name
        for module in modules().values()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name: n for name, n in classes.items() if n > 1} == {}


def test_a_private_name_is_in_at_most_two_modules():
    names = Counter(
        name
        for module in modules().values()
        for name in {*map(defined, module.tree.body)}
        if re.match("_[^_]", name)
    )
    assert {name: n for name, n in names.items() if n > MOST_HOMES} == {}


def defined(statement):
    """Return the name that a statement defines, if any."""
    if isinstance(statement, Function | ast.ClassDef):
        return statement.name
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return getattr(targets[0], "id", "")


def test_only_plots_import_matplotlib():
    assert [
        f"{path}:{line} {name}"
        for path, module in modules().items()
        if path.parts[1] != "plots"
        for line, name in imported(module)
        if name.partition(".")[0] in {"matplotlib", "mpl_toolkits"}
    ] == []


@pytest.mark.thorough
def test_dask_is_imported_by_one_module_when_used():
    assert {
        str(path)
        for path, module in modules().items()
        for _, name in imported(module)
        if name.partition(".")[0] in {"dask", "distributed"}
    } == {"irframe/cubes/view.py"}
    code = (
        "import sys, irframe as ir, irframe.cubes.view; runs, qrels = ir.example_track();"
        "cube = ir.cube(runs, qrels); cube.ireval.score('AP', 'nDCG', at=10);"
        "ir.evaluate(runs, qrels, ['AP', 'P@5']); print('dask.array' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert process.stdout.strip() == "False"


def test_code_of_figures_contains_no_names_of_significance_tests():
    """Figures read names of tests from attributes of results."""
    titles = {*TESTS, *ADJUST_WORDS.values(), *(kind.title for kind in TESTS.values())} - {"t"}
    named = re.compile(rf"\b(?:{'|'.join(titles)}|samples|seed\W)\b")
    texts = {
        f"{path}:{node.lineno}": node.value
        for path, module in modules().items()
        if path.parts[1] == "plots"
        for node in spoken(module)
        if named.search(node.value)
    }
    assert texts == {}


def spoken(module):
    """Return texts that are neither docstrings nor compared values."""
    compared = {
        inner for node in module.nodes if isinstance(node, ast.Compare) for inner in ast.walk(node)
    }
    texts = [node for node in module.nodes if isinstance(node, ast.Constant)]
    prose = {node.value for node in module.nodes if isinstance(node, ast.Expr)}
    return [
        node for node in texts if isinstance(node.value, str) and not {node} & (compared | prose)
    ]


@pytest.mark.thorough
def test_the_import_of_the_package_stays_fast():
    code = "import sys, irframe; print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert LATE & set(process.stdout.split()) == set()


PACKAGES = pytest.mark.parametrize(
    "package", [irframe, irframe.verbs, irframe.plots], ids=lambda p: p.__name__
)


@PACKAGES
def test_every_public_name_exists(package):
    assert package.__all__
    assert [name for name in package.__all__ if not hasattr(package, name)] == []


@PACKAGES
def test_public_names_are_listed_in_the_stub_only(package):
    assert sorted(package.__all__) == sorted(stated(package))
    nodes = modules()[Path(package.__file__).relative_to(ROOT)].nodes
    literals = {node.value for node in nodes if isinstance(node, ast.Constant)}
    assert literals & set(package.__all__) == set()


@PACKAGES
def test_modules_have_the_names_of_their_verbs_or_list_the_verbs(package):
    assert {
        name: module
        for name, module in stated(package).items()
        if module is not None
        and module not in FAMILIES
        and module.rpartition(".")[2].replace("_", "") != name.replace("_", "").lower()
        and name not in listed(module)
    } == {}


def test_each_verb_has_tests_in_a_module_of_its_name_or_of_its_home():
    tests = {path: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    missing = [
        name
        for name, verb in verbs().items()
        if not any(
            re.search(rf"\b{name}\b", text)
            for path, text in tests.items()
            if path.stem.removeprefix("test_") in {name, verb.__module__.rpartition(".")[2]}
        )
    ]
    assert missing == []


@PACKAGES
def test_a_public_name_comes_from_the_module_that_defines_it(package):
    members = {name: getattr(package, name) for name in package.__all__}
    assert {
        name: member.__module__
        for name, member in members.items()
        if inspect.isroutine(member) or inspect.isclass(member)
        if member.__module__ != stated(package)[name]
    } == {}


def test_every_module_of_verbs_has_tests_that_name_them():
    homes = {name: Path(*verb.__module__.split(".")[1:]) for name, verb in verbs().items()}
    pages = {home: ROOT / "tests" / home.parent / f"test_{home.name}.py" for home in homes.values()}
    assert [str(page) for page in pages.values() if not page.exists()] == []
    texts = {
        home: "".join(path.read_text(encoding="utf-8") for path in page.parent.glob("test_*.py"))
        for home, page in pages.items()
    }
    named = {name: re.search(rf"\b{name}\b", texts[home]) for name, home in homes.items()}
    assert [name for name, match in named.items() if match is None] == []


def test_only_the_folder_orderings_has_the_name_of_a_verb():
    top = {path.parts[1].removesuffix(".py") for path in modules()}
    assert top & verbs().keys() == {"orderings"}


def test_a_verb_does_not_hide_its_module():
    homes = {name: verb.__module__.rpartition(".") for name, verb in verbs().items()}
    assert [
        name
        for name, (package, _, module) in homes.items()
        if not isinstance(getattr(import_module(package), module), ModuleType)
    ] == []


@pytest.mark.thorough
def test_pytest_imports_no_module_twice():
    paths = ["irframe/files/write_run.py", "irframe/frames", __file__]
    command = [sys.executable, "-m", "pytest", "-q", "-n0", *paths, "-k", "hide_its_module"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_only_the_errors_module_warns():
    assert [
        f"{path}:{node.lineno}"
        for path, module in modules().items()
        if path.name != "errors.py"
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr == "warn"
    ] == []


WRITERS = {"to_csv", "to_latex", "to_string", "to_html", "to_markdown", "print", "_str_escape"}
"""Functions that convert values to text."""
UNESCAPED = {"files/write_run.py", "commands/convert.py", "tables/marked_styler.py"}
"""Modules that do not need escaping, because they write data files or names of irframe."""


def test_modules_escape_the_text_that_they_write():
    for path, module in modules().items():
        name = path.relative_to("irframe").as_posix()
        called = {
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for node in module.nodes
            if isinstance(node, ast.Call)
        }
        names = {name for _, name in imported(module)}
        escapes = any(name.startswith("irframe.escaping") for name in names)
        assert escapes or name in UNESCAPED or not called & WRITERS, (name, called & WRITERS)
        assert name == "escaping.py" or "html.escape" not in names, name


def score_unjudged_topics(runs, qrels):
    runs.ireval.cube(qrels[qrels["topic"] != "101"])


def evaluate_unjudged_topics(runs, qrels):
    irframe.evaluate(runs, qrels[qrels["topic"] != "101"], "AP")


def compare_with_a_topic_missing(runs, qrels):
    scores = runs.ireval.evaluate(qrels, "AP")
    scores.iloc[0] = np.nan
    scores.ireval.compare()


def measure_a_list_too_short_for_its_topic(runs, qrels):
    runs.ireval.cube(qrels, depth=5).ireval.misplacement()


def correlate_over_depths_with_a_topic_missing(runs, qrels):
    scores = runs.ireval.cube(qrels).ireval.score("AP")
    scores[0, 0, 0] = np.nan
    scores.ireval.volatility()


@pytest.mark.parametrize(
    "act",
    [
        score_unjudged_topics,
        evaluate_unjudged_topics,
        compare_with_a_topic_missing,
        measure_a_list_too_short_for_its_topic,
        correlate_over_depths_with_a_topic_missing,
    ],
)
def test_warnings_point_at_the_line_of_the_caller(act):
    with warnings.catch_warnings(record=True, action="always") as caught:
        act(*irframe.example_track())
    assert {warning.category for warning in caught} == {IrframeWarning}
    assert {warning.filename for warning in caught} == {__file__}


def test_every_public_name_has_an_example():
    assert [
        name for name, value in public().items() if "Examples" not in sections(value.__doc__)
    ] == []


def test_sections_of_docstrings_have_a_fixed_order():
    orders = {
        name: [section for section in sections(value.__doc__) if section in SECTIONS]
        for name, value in (public() | registered()).items()
    }
    assert {
        name: order for name, order in orders.items() if order != sorted(order, key=SECTIONS.index)
    } == {}


EVERY_ORACLE = ORACLES.keys() | novelty.ORACLES.keys() | spans.ORACLES.keys()


def test_every_metric_has_an_oracle():
    assert registered()
    assert sorted(registered().keys() - EVERY_ORACLE) == []


def test_every_oracle_has_a_metric():
    assert sorted(EVERY_ORACLE - registered().keys()) == []


def test_every_metric_names_its_source_and_shows_an_example():
    assert {
        name: missing
        for name, metric in registered().items()
        if (missing := {"References", "Examples"} - set(sections(metric.__doc__)))
    } == {}


def test_every_metric_documents_its_parameters():
    undocumented = {}
    for name, metric in registered().items():
        documented = (
            inspect.getdoc(metric).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        )
        named = re.findall(r"^(\w[\w, ]*)$", documented, re.MULTILINE)
        names = {name_of_field for line in named for name_of_field in line.split(", ")}
        missing = {field.name for field in fields(metric)} ^ names
        if missing:
            undocumented[name] = missing
    assert undocumented == {}


def test_every_metric_is_a_public_name():
    assert sorted(registered().keys() - set(irframe.metrics.__all__)) == []


def test_the_top_level_of_the_repository_contains_only_known_names():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout to tell what belongs to the project")
    process = subprocess.run(
        [git, "ls-files"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    top_level = {path.partition("/")[0] for path in process.stdout.splitlines()}
    strangers = {name for name in top_level - TOP_LEVEL if not name.startswith(".")}
    assert strangers == set()


def test_every_supported_python_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = "\n".join(project["classifiers"])
    named = re.findall(r"^Programming Language :: Python :: (3\.\d+)$", lines, re.MULTILINE)
    assert project["requires-python"] == f">={named[0]}"
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"irframe supports Python {named[0]} to {named[-1]}," in readme
    if not (ROOT / ".github").exists():
        pytest.skip("what is distributed has no workflows")
    for name in ("tests", "publish"):
        workflow = (ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8")
        assert re.findall(r'"(3\.\d+)"', re.search(r"python: \[.*\]", workflow)[0]) == named
