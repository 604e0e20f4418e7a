"""Tests of marks after numbers in HTML, LaTeX and text."""

import copy

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("jinja2")

from irframe.tables.marked_styler import MarkedStyler, Table, brackets, percentages, superscripts

NUMBERS = pd.DataFrame({"a_b": [0.12345, np.nan], "c": [1.0, 2.0]}, index=["s&t", "u"])
MARKS = pd.DataFrame({"a_b": ["x", ""], "c": ["", "†"]}, index=NUMBERS.index)
BEST = NUMBERS.eq(NUMBERS.max())
TABLE = Table(NUMBERS, (superscripts(MARKS),), BEST, "x_1 & <y>")


@pytest.fixture
def table():
    return MarkedStyler.of(TABLE)


def test_pandas_has_the_private_methods_that_are_overridden():
    styler = NUMBERS.style
    built_on = {name for name in vars(MarkedStyler) if name.startswith(("_copy", "_render_"))}
    built_on |= {"_display_funcs", "_display_funcs_index", "_display_funcs_columns"}
    later = set() if hasattr(styler, "to_typst") else {"_render_typst"}
    assert {name for name in built_on - later if not hasattr(styler, name)} == set()


def test_marks_are_superscripts(table):
    html = table.to_html()
    assert "0.123<sup>x</sup>" in html
    assert "2.000<sup>†</sup>" in html
    assert "1.000</td>" in html
    assert "nan" not in html
    assert html.count("<sup>") == 2


def test_latex_uses_math_superscripts_and_escapes_names(table):
    latex = table.to_latex()
    assert r"s\&t & 0.123$^{x}$ & 1.000 \\" in latex
    assert r" & a\_b & c \\" in latex
    assert r"2.000$^{\dagger}$" in latex
    assert "<sup>" not in latex


def test_text_and_typst_have_marks(table):
    assert "0.123^x" in table.to_string()
    if hasattr(pd.io.formats.style.Styler, "to_typst"):
        assert "0.123#super[x]" in table.to_typst()


def test_labels_that_are_not_text_are_written_in_every_format():
    """Missing depths are written as empty labels."""
    names = pd.MultiIndex.from_arrays(
        [["AP", "P"], pd.array([pd.NA, 5]), [True, False]], names=["metric", "depth", "decided"]
    )
    styler = MarkedStyler.of(Table(NUMBERS.set_axis(names), (), BEST.set_axis(names), ""))
    for text in (styler.to_html(), styler.to_latex(), styler.to_string()):
        assert [label in text for label in ("AP", "5", "True")] == [True] * 3
        assert "NA" not in text


STYLER = {
    "format": lambda table: table.format("{:.1f}"),
    "format by a function": lambda table: table.format(lambda value: f"{value:.1f}"),
    "precision": lambda table: table.format(precision=1),
    "decimal": lambda table: table.format(precision=1, decimal="."),
    "relabel_index": lambda table: table.format("{:.1f}").relabel_index(["S", "T"]),
    "format_index": lambda table: table.format("{:.1f}").format_index(str.upper),
    "highlight_max": lambda table: table.format("{:.1f}").highlight_max(),
    "map": lambda table: table.format("{:.1f}").map("color: {}".format),
    "hide": lambda table: table.format("{:.1f}").hide(axis="columns", subset=["c"]),
    "set_properties": lambda table: table.format("{:.1f}").set_properties(color="red"),
    "concat": lambda table: MarkedStyler.of(TABLE).format("{:.1f}").concat(table.format("{:.1f}")),
    "copies": lambda table: copy.copy(copy.deepcopy(table.format("{:.1f}"))),
}


@pytest.mark.parametrize("name", STYLER)
def test_marks_stay_in_their_cells_after_styler_methods(name, table):
    changed = STYLER[name](table)
    times = 2 if name == "concat" else 1
    for _ in range(2):
        assert changed.to_html().count("0.1<sup>x</sup>") == times
        assert changed.to_latex().count("0.1$^{x}$") == times


def test_labels_set_with_relabel_index_are_written_unchanged(table):
    latex = table.relabel_index([r"$\alpha$", "t"]).to_latex()
    assert r"$\alpha$ & " in latex
    assert r" & a\_b & c" in latex


def test_highlights_are_written_in_latex(table):
    latex = table.highlight_max(props="font-weight: bold; background-color: yellow").to_latex()
    assert r"\bfseries {\cellcolor{yellow}} 0.123$^{x}$" in latex
    assert "background" not in latex


def test_latex_commands_are_not_escaped(table):
    latex = table.highlight_max(props="textbf: --rwrap --latex;").to_latex()
    assert r"\textbf{2.000$^{\dagger}$}" in latex


def test_marked_cells_are_in_braces_for_siunitx(table):
    latex = table.to_latex(siunitx=True)
    assert r"{0.123$^{x}$} & 1.000 \\" in latex


def test_best_numbers_are_bold(table):
    assert table.highlight_best().to_latex().count(r"\bfseries") == BEST.to_numpy().sum()
    plain = MarkedStyler.of(Table(NUMBERS)).highlight_best()
    assert "bfseries" not in plain.to_latex()


def test_caption_is_escaped_unless_set(table):
    assert r"\caption{x\_1 \& <y>}" in table.to_latex()
    assert "<caption>x_1 &amp; &lt;y&gt;</caption>" in table.to_html()
    symbols = MarkedStyler.of(Table(NUMBERS, notes="†"))
    assert r"\caption{$\dagger$}" in symbols.to_latex()
    assert "<caption>†</caption>" in symbols.to_html()
    assert r"\caption{$k_1$}" in table.set_caption("$k_1$").to_latex()
    assert r"\caption" not in MarkedStyler.of(Table(NUMBERS)).to_latex()


def test_texts_are_escaped_once():
    table = MarkedStyler.of(Table(pd.DataFrame({"x": ["a_b"]})))
    assert r"0 & a\_b" in table.to_latex()
    assert r"0 & a\_b" in table.format(escape="latex").to_latex()
    assert "<td" in table.to_html()


def test_extra_numbers_have_the_format_of_the_cell():
    low, high = NUMBERS - 1, NUMBERS + 1
    ends = MarkedStyler.of(Table(NUMBERS, (brackets(low, high),)), 1)
    assert "1.0 [0.0, 2.0]" in ends.to_latex()
    assert "100% [0%, 200%]" in ends.format("{:.0%}").to_html()
    share = MarkedStyler.of(Table(NUMBERS, (percentages(MARKS),)), 2)
    assert r"0.12 (x\%)" in share.to_latex()


def test_writing_does_not_change_the_table(table):
    before = table.to_html(uuid="u")
    table.to_latex()
    assert table.to_html(uuid="u") == before
    assert table.caption is None


def test_small_numbers_have_two_significant_digits():
    table = MarkedStyler.of(Table(pd.DataFrame({"p": [0.0000123]}), small=["p"]))
    assert "1.2e-05" in table.to_latex()
