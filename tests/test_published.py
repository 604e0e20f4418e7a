"""Tests of the built package after installation."""

import re
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import irframe

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CITE = (ROOT / "docs" / "reference" / "how-to-cite.md").read_text(encoding="utf-8")
DOI = re.compile(r"10\.\d{4,9}/[^\s)>}\]]+")


def ran(*command, cwd):
    """Return the output of a command, which must succeed."""
    process = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, cwd=cwd
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_all_files_name_one_version():
    versions = {irframe.__version__, PROJECT["version"], str(CITATION["version"])}
    assert versions == {re.search(r"version = \{(.+)\}", CITE)[1]}


def test_the_citation_file_is_complete():
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys()
    for entry in [CITATION, *CITATION["references"]]:
        assert entry["title"]
        assert entry["authors"]
        assert entry["type"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["repository-code"] == PROJECT["urls"]["Source"]


def test_papers_are_cited_consistently():
    listed = (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8")
    dois = {match.group() for match in DOI.finditer(listed)}
    assert {entry["doi"] for entry in CITATION["references"]} == dois
    assert {*re.findall(r"doi\s+= {(.+)}", CITE)} == dois


@pytest.mark.thorough
def test_the_wheel_runs_in_an_empty_environment(tmp_path):
    ran(sys.executable, "-m", "build", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (source,), (wheel,) = tmp_path.glob("*.tar.gz"), tmp_path.glob("*.whl")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CITATION.cff", "docs/conf.py", "tests/conftest.py"} <= inside
    assert "irframe/typed.pyi" in inside & set(ZipFile(wheel).namelist())
    assert not any(re.match(r"docs/_(build|generated)/", name) for name in inside)
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / "bin"
    ran(programs / "pip", "install", "-q", "--no-compile", wheel, cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert ran(programs / "python", "-W", "error", "-c", "import irframe", cwd=elsewhere) == ""
    shown = ran(programs / "irframe", "demo", cwd=elsewhere)
    assert "coverage" in shown
    assert "irframe[report]" in shown
    for extra, call in LACKING.items():
        message = ran(programs / "python", "-c", ASK.format(call=call), cwd=elsewhere)
        assert f"irframe[{extra}]" in message, message


LACKING = {
    "plots": "ir.example_track()[0].ireval.cube(ir.example_track()[1]).ireval.score('AP')"
    ".ireval.plot.depth_curves()",
    "report": "ir.report(*ir.example_track(), 'report.html')",
    "dask": "ir.open_cube('nothing.zarr')",
}
"""A call that needs each extra."""

ASK = """
import irframe as ir
try:
    {call}
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.thorough
def test_the_first_example_of_the_readme_runs_unchanged(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(import.*?)```", text, re.DOTALL)[1]
    ran(sys.executable, "-m", "irframe", "demo", "--files", ".", cwd=tmp_path)
    assert "bm25" in ran(sys.executable, "-c", example, cwd=tmp_path)
    assert (tmp_path / "report.html").exists()
