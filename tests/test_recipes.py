"""Tests that the recipes of CONTRIBUTING.md work as written."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "CONTRIBUTING.md").read_text(encoding="utf-8")
HEADINGS = re.split(r"^## (.+)\n", TEXT, flags=re.MULTILINE)
SECTIONS = dict(zip(HEADINGS[1::2], HEADINGS[2::2], strict=True))
BLOCK = re.compile(r"^( *)```(?:python|text)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COPIED = ("irframe", "tests", "docs", ".ci", "pyproject.toml", "README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "_build", "_generated", "typed.pyi")


TINY = '''"""A tiny file is read."""

import irframe as ir


def test_a_tiny_run_and_tiny_judgments_are_read(tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "qrels"
    run.write_text("!tiny\\nsystem;topic;doc;score\\na;001;1e5;2\\na;001;NA;1\\n")
    qrels.write_text("!tiny\\ntopic;doc;grade\\n001;NA;1\\n")
    runs = ir.read_runs(run)
    assert runs["doc"].tolist() == ["1e5", "NA"]
    assert ir.evaluate(runs, ir.read_qrels(qrels), "RR").to_numpy().tolist() == [[0.5]]
'''
"""Code of a test that the recipe for file formats describes but does not contain."""
SCRIPT = '''"""Table and number of a page on lengths of runs."""

from shown import Page, data_folder

import irframe as ir

if __name__ == "__main__":
    page, runs = Page("run-lengths"), ir.read_runs(data_folder(__doc__) / "a.run")
    page.table(runs.groupby("topic", as_index=False).size(), "by-topic")
    page.facts(rows=len(runs))
'''
PAGE = """# Lengths of runs

The run has<!--run_lengths.rows--> 0<!--/--> rows:

<!-- table run-lengths-by-topic -->

<!-- /table -->
"""
"""A script and a page that the recipe for pages describes but does not contain."""


class Recipe(NamedTuple):
    """Positions of a recipe's code, and tests that must pass.

    Parameters
    ----------
    tests
        Files with tests, and words that select tests by name.
    blocks
        The file and position of each block of code. The position is ``after`` or ``before`` a line,
        or in place ``of`` a line. Without a position, the block is appended to the file.
    edits
        Changes that the prose describes: file, old text and new text.
    script
        The script to run after the changes, with a folder that contains a run.
    """

    tests: tuple[str, ...]
    blocks: tuple[str, ...]
    edits: tuple[tuple[str, str, str], ...] = ()
    script: str = ""


PAIRED, AGREEMENTS = "irframe/paired/__init__.py", "irframe/agreements"
PROPERTIES = [f"tests/properties/test_{name}.py" for name in ("records", "options", "groups")]
LOOKS = "tests/plots/test_layout.py", "tests/test_accessor.py"
SUMMARY = "irframe/scores/summary.py"
RECIPES = {
    "Add a metric": Recipe(
        ("tests/metrics/test_kernels.py", "tests/test_docs.py", "one_family", "Satiation"),
        (
            "irframe/metrics/satiation.py",
            "tests/oracles/graded.py",
            "tests/oracles/__init__.py after ORACLES = {",
            "tests/variants.py after     for text in (",
        ),
        (("docs/metric_pages.py", "DynamicBPM IFT", "DynamicBPM IFT Satiation"),),
    ),
    "Add a policy for ties": Recipe(
        ("tests/experiments/test_policy.py", "test_policy"),
        (
            'irframe/experiments/policy.py after     "mean": TiePolicy(',
            "tests/oracles/ties.py before ORACLES = {",
            "tests/oracles/ties.py after ORACLES = {",
        ),
        (("irframe/names.py", '"mean", "block"]', '"mean", "block", "short"]'),),
    ),
    "Add a gain map": Recipe(
        ("tests/test_registries.py", "irframe/gains.py", "gains", "test_registries"),
        ("irframe/gains.py before GAINS: dict", "tests/oracles/gains.py of ORACLES = "),
        (
            ("irframe/gains.py", '"exp": Exponential}', '"exp": Exponential, "root": Root}'),
            ("irframe/gains.py", '"Linear", "parse_gain"]', '"Linear", "Root", "parse_gain"]'),
        ),
    ),
    "Add a paired test": Recipe(
        ("tests/test_registries.py", "irframe/paired/z_test.py", "z_test"),
        (
            "irframe/paired/z_test.py",
            "tests/oracles/paired_tests.py before ORACLES = {",
            "tests/oracles/paired_tests.py after ORACLES = {",
        ),
        (
            (PAIRED, "\nTestName", "from irframe.paired.z_test import ZTest\n\nTestName"),
            (PAIRED, '"tukey"]\nTest', '"tukey", "z"]\nTest'),
            (PAIRED, "Bootstrap, TukeyHSD)\n", "Bootstrap, TukeyHSD, ZTest)\n"),
            (PAIRED, "__all__ = [", '__all__ = [\n    "ZTest",'),
        ),
    ),
    "Add a measure of agreement": Recipe(
        ("tests/test_registries.py", f"{AGREEMENTS}/footrule.py", "footrule"),
        (
            f"{AGREEMENTS}/footrule.py",
            "tests/oracles/agreement.py before ORACLES = {",
            "tests/oracles/agreement.py after ORACLES = {",
        ),
        (
            (f"{AGREEMENTS}/correlations.py", '"tau_b",\n]', '"tau_b", "footrule",\n]'),
            (
                f"{AGREEMENTS}/correlations.py",
                '    "kendall": Kendall(),\n',
                '    "footrule": Footrule(),\n    "kendall": Kendall(),\n',
            ),
            (
                f"{AGREEMENTS}/correlations.py",
                "from irframe.arrays",
                "from irframe.agreements.footrule import Footrule\nfrom irframe.arrays",
            ),
            (
                f"{AGREEMENTS}/__init__.py",
                "from irframe.agreements.innate",
                "from irframe.agreements.footrule import Footrule\nfrom irframe.agreements.innate",
            ),
            (f"{AGREEMENTS}/__init__.py", "__all__ = [", '__all__ = [\n    "Footrule",'),
        ),
    ),
    "Add a verb": Recipe(
        (
            "tests/diagnostics/test_short_lists.py",
            *PROPERTIES,
            "tests/test_house.py",
            "short_lists",
            "every_module_of_verbs",
        ),
        (
            "irframe/diagnostics/short_lists.py",
            "irframe/verbs.pyi",
            "tests/diagnostics/test_short_lists.py",
            "tests/properties/test_records.py after OTHERS = {",
        ),
    ),
    "Add a figure": Recipe(
        (
            "tests/plots/test_short_bars.py",
            *LOOKS,
            "short_bars",
            "names_the_accepted_kinds",
            "wrong_type",
        ),
        (
            "irframe/plots/short_bars.py",
            "irframe/plots/__init__.pyi",
            "tests/plots/test_short_bars.py",
        ),
    ),
    "Add an option": Recipe(
        (
            "tests/properties/test_records.py",
            "tests/properties/test_options.py",
            SUMMARY,
            "summary",
        ),
        (
            f"{SUMMARY} after     figures, attributes = summarise(",
            "tests/properties/test_records.py after OTHERS = {",
        ),
        (
            (
                SUMMARY,
                "    *,\n    alpha: float = 0.05,",
                "    *,\n    least: int = 1,\n    alpha: float = 0.05,",
            ),
            (
                SUMMARY,
                "    level(alpha)\n",
                '    check_int("least", least, low=1)\n    level(alpha)\n',
            ),
            (
                SUMMARY,
                "    alpha\n        One minus",
                "    least\n        Number of topics, at least 1.\n    alpha\n        One minus",
            ),
            (SUMMARY, "from irframe.checks import ", "from irframe.checks import check_int, "),
        ),
    ),
    "Add a file format": Recipe(
        ("tests/files/test_read_file.py", "tests/test_tiny.py", "test_read_file", "tiny"),
        ("irframe/files/read_file.py before FORMATS = (",),
        (
            (
                "irframe/files/read_file.py",
                "FORMATS = (",
                'FORMATS = (\n    Format("tiny", is_tiny, parse_tiny),',
            ),
            ("tests/test_tiny.py", "", TINY),
        ),
    ),
    "Write a page": Recipe(
        ("tests/test_docs.py", "run-lengths", "facts_that_pages_name", "every_result_on_real_data"),
        (),
        (
            ("docs/real/run_lengths.py", "", SCRIPT),
            ("docs/questions/run-lengths.md", "", PAGE),
        ),
        "docs/real/run_lengths.py",
    ),
}


def blocks_of(heading):
    """Return the dedented code blocks of a recipe."""
    return [
        re.sub(rf"^{match[1]}", "", match[2], flags=re.MULTILINE)
        for match in BLOCK.finditer(SECTIONS[heading])
    ]


def put(folder, position, code):
    """Insert code at a position in a file."""
    name, relation, line = (*position.split(" ", 2), "", "")[:3]
    file = folder / name
    if not relation:
        old = file.read_text(encoding="utf-8") + "\n" if file.exists() else ""
        file.write_text(old + code, encoding="utf-8")
        return
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    (at,) = [number for number, code_line in enumerate(lines) if code_line.startswith(line)]
    if relation == "after" and line.endswith("summarise("):
        code = "".join(f"    {code_line}" for code_line in code.splitlines(keepends=True))
    start, stop = {"before": (at, at), "after": (at + 1, at + 1), "of": (at, at + 1)}[relation]
    lines[start:stop] = [code, *(["\n\n"] if relation == "before" else [])]
    file.write_text("".join(lines), encoding="utf-8")


def follow(folder, heading):
    """Make a recipe's changes in a copy of the repository."""
    recipe = RECIPES[heading]
    for position, code in zip(recipe.blocks, blocks_of(heading), strict=True):
        put(folder, position, code)
    for name, old, new in recipe.edits:
        file = folder / name
        text = file.read_text(encoding="utf-8") if old else ""
        assert text.count(old) == 1, (name, old)
        file.write_text(text.replace(old, new), encoding="utf-8")


def run(folder, *command):
    """Return the exit status and the output of a command."""
    paths = os.pathsep.join([str(folder), str(folder / "irframe" / "plugin")])
    process = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    return process.returncode, f"{process.stdout}{process.stderr}"


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """Return a copy of the repository with all recipes followed."""
    folder = tmp_path_factory.mktemp("recipes") / "irframe"
    folder.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(
            ROOT / name, folder / name, **({"ignore": LEFT_OUT} if copy is shutil.copytree else {})
        )
    data = tmp_path_factory.mktemp("data")
    (data / "a.run").write_text("1 Q0 d1 1 2.0 a\n1 Q0 d2 2 1.0 a\n", encoding="utf-8")
    for heading, recipe in RECIPES.items():
        follow(folder, heading)
        if recipe.script:
            status, output = run(folder, recipe.script, str(data))
            assert status == 0, output
    if ruff := shutil.which("ruff"):
        for command in (["format", "-q"], ["check", "--fix", "-q"], ["format", "-q"]):
            subprocess.run([ruff, *command], cwd=folder, check=True)
    return folder


@pytest.mark.thorough
def test_recipes_pass_the_tests_that_they_name(followed):
    tests = [test for recipe in RECIPES.values() for test in recipe.tests]
    keywords = [test for test in tests if "." not in test]
    files = dict.fromkeys(test for test in tests if "." in test)
    command = ["-m", "pytest", "-v", "-n", "0", "-m", "", *files, "-k", " or ".join(keywords)]
    status, output = run(followed, *command)
    assert status == 0, output
    assert [keyword for keyword in keywords if keyword.lower() not in output.lower()] == []


def test_every_recipe_is_followed():
    assert [name for name in SECTIONS if name.startswith(("Add ", "Write "))] == [*RECIPES]


def test_documented_layers_equal_the_checked_layers():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = project["tool"]["importlinter"]["contracts"][0]["layers"]
    checked = [[*row.replace("irframe.", "").split(" | ")] for row in rows]
    listed = [
        re.findall(r"`(\w+)`", row) for row in re.findall(r"^\| (`.+?) \|", TEXT, re.MULTILINE)
    ]
    assert [sorted(row) for row in listed] == [sorted(row) for row in checked]


MADE = {"satiation", "z_test", "footrule", "short_lists", "short_bars", "typed"}
"""Modules that the recipes add, and the generated stub `typed`."""


def test_paths_in_the_recipes_exist():
    named = {*re.findall(r"(?<![\w/])(?:irframe|tests|docs|\.ci)/[\w./-]*\w", TEXT)}
    missing = {path for path in named if not (ROOT / path).exists()}
    assert {path for path in missing if Path(path).stem.removeprefix("test_") not in MADE} == set()


def test_names_in_the_recipes_exist():
    prose = re.sub(r"^ *```.*?^ *```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    code = [text for text in re.findall(r"`([^`\n]+)`", prose) if "/" not in text]
    names = {name for text in code for name in re.findall(r"(?<![-\w])[A-Za-z_]\w{3,}", text)}
    files = [path for folder in COPIED[:3] for path in (ROOT / folder).rglob("*.py*")]
    sources = [path.read_text(encoding="utf-8") for path in files if path.suffix in {".py", ".pyi"}]
    sources += [code for heading in RECIPES for code in blocks_of(heading)]
    sources += [(ROOT / "pyproject.toml").read_text(encoding="utf-8")]
    existing = {*re.findall(r"\w+", "\n".join(sources)), *(path.stem for path in files)}
    assert names - existing - {"reproduce_failure"} == set()
