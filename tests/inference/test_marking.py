"""Superscripts in HTML and in LaTeX."""

import numpy as np
import pandas as pd
import pytest

from irframe.inference.marking import MarkedStyler

pytest.importorskip("jinja2")
NUMBERS = pd.DataFrame({"a_b": [0.12345, np.nan], "c": [1.0, 2.0]}, index=["s&t", "u"])
MARKS = pd.DataFrame({"a_b": ["x", ""], "c": ["", "y"]}, index=NUMBERS.index)


@pytest.fixture
def table():
    return MarkedStyler.of(NUMBERS, MARKS, 3)


def test_numbers_with_a_mark_have_a_superscript(table):
    html = table.to_html()
    assert "0.123<sup>x</sup>" in html
    assert "2.000<sup>y</sup>" in html
    assert "1.000</td>" in html
    assert "nan" not in html
    assert html.count("<sup>") == 2


def test_latex_has_its_own_superscripts_and_escapes_names(table):
    latex = table.to_latex()
    assert r"s\&t & 0.123$^{x}$ & 1.000 \\" in latex
    assert r" & a\_b & c \\" in latex
    assert "<sup>" not in latex


def test_writing_latex_leaves_the_html_as_it_was(table):
    before = table.to_html(uuid="u")
    table.to_latex()
    assert table.to_html(uuid="u") == before


def test_other_decimals():
    assert "0.1<sup>x</sup>" in MarkedStyler.of(NUMBERS, MARKS, 1).to_html()
