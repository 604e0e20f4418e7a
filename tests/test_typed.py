"""What type checkers read is what the functions say."""

import ast
import runpy
from pathlib import Path
from typing import get_args

import pytest

import irframe as ir
from irframe.agreements.parsing import AGREEMENTS, AgreementName
from irframe.paired.parsing import TESTS, TestName
from irframe.typed import ireval

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "typed_stub.py"


def parts(text):
    """Return the names that a stub imports, and the rest of it without its layout."""
    names, rest = set(), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            names |= {(node.module, alias.name) for alias in node.names}
        elif not isinstance(node, ast.Import):
            rest.append(ast.unparse(node))
    return names - {("typing", "Any")}, rest


def test_the_stub_says_what_the_functions_say():
    if not SCRIPT.exists():
        pytest.skip("needs a checkout, with the script that writes the stub")
    written = (ROOT / "irframe" / "typed.pyi").read_text(encoding="utf-8")
    assert parts(written) == parts(runpy.run_path(str(SCRIPT))["stub"]())


def test_words_of_types_are_those_there_are():
    assert set(get_args(TestName)) == TESTS.keys()
    assert set(get_args(AgreementName)) == AGREEMENTS.keys()


def test_verbs_through_the_door():
    runs, qrels = ir.example_track()
    assert (
        ireval(ireval(runs).cube(qrels))
        .score("AP")
        .equals(ir.verbs.score(ir.cube(runs, qrels), "AP"))
    )
    with pytest.raises(AttributeError, match="did you mean evaluate"):
        ireval(runs).evalute(qrels, "AP")
