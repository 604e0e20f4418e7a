"""Tests of the output of code on pages about tools."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = "pytrec-eval", "ir-measures", "diffir"
"""Pages whose code imports no packages besides those that other tests import."""


@pytest.mark.skipif(not DOCS.exists(), reason="needs a checkout, with the documentation")
@pytest.mark.parametrize("page", PAGES)
def test_pages_show_the_output_of_their_code(page, monkeypatch):
    ir_measures = pytest.importorskip("ir_measures")
    pipeline = ir_measures.DefaultPipeline.providers
    remaining = [item for item in pipeline if item.NAME != "irframe"]
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", remaining)
    monkeypatch.delitem(sys.modules, "irframe.interop", raising=False)
    monkeypatch.syspath_prepend(str(DOCS / "real"))
    from blocks import run_blocks

    blocks = dict(run_blocks(DOCS / "tools" / f"{page}.md", {}))
    assert len(blocks) >= 3
    for name, text in blocks.items():
        written = (DOCS / "real" / f"{name}.md").read_text(encoding="utf-8")
        assert _rounding_aside(text) == _rounding_aside(written), name


def _rounding_aside(text):
    """Return a string in which 0 replaces rounding errors."""
    return re.sub(r"\d+e-(1[3-9]|2\d)", "0", text)
