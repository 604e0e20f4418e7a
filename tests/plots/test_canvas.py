"""Tests of colours, styles, sizes and legends of figures."""

import inspect

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots import canvas
from irframe.plots.canvas import (
    COLOURS,
    LINES,
    chosen_systems,
    contrasting,
    new_axes,
    system_style,
)


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP")


def contrast(first, second):
    """Return the contrast ratio of two colours, defined by WCAG."""
    rgb = np.array([to_rgb(first), to_rgb(second)])
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = linear @ (0.2126, 0.7152, 0.0722)
    return (light.max() + 0.05) / (light.min() + 0.05)


def test_colours_are_visible_on_white_and_on_black():
    for colour in (*COLOURS, canvas.FAINT):
        assert contrast(colour, "white") > 2
        assert contrast(colour, "black") > 3.9


def test_sorted_names_of_systems_determine_their_colours():
    first = dict(zip("cab", system_style(list("cab"), "abcxyz"), strict=True))
    assert [first[name]["color"] for name in "abc"] == [*COLOURS[:3]]
    system_style(list("zyx"), "xyz")
    assert dict(zip("xca", system_style(list("xca"), "zyxcba"), strict=True)) | first == {
        **first,
        "x": canvas.series_style(3),
    }
    # with six colours, systems 0 and 6 of nine would both have the first colour
    first_style, second_style = system_style([0, 6], range(9))
    assert first_style == canvas.series_style(0)
    assert second_style == canvas.series_style(1)


def test_system_styles_of_the_user_take_precedence(monkeypatch):
    monkeypatch.setattr(canvas, "SYSTEM_STYLES", {"b": 0, "c": 6})
    styles = system_style(list("abc"))
    assert styles == [canvas.series_style(number) for number in (1, 0, 6)]


def test_legends_escape_dollars_and_underscores_in_names(scores):
    named = {"bm25": "_own", "duot5": "$a$b", "monot5": r"$\none$"}
    renamed = scores.assign_coords(system=[named.get(s, s) for s in scores["system"].to_numpy()])
    ax = renamed.ireval.plot.depth_curves(systems=list(named.values()))
    ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {" _own", r"\$a\$b", r"\$\none\$"} <= {*texts}


def test_systems_of_one_colour_have_different_dash_patterns():
    many = [tuple(style.values()) for style in system_style(range(24))]
    assert len(set(many)) == len(COLOURS) * len(LINES) == 24
    assert len(system_style(range(60))) == 60


def test_systems_have_one_colour_in_all_figures(scores):
    wide = scores.isel(depth=-1)
    curves = scores.ireval.plot.depth_curves(systems=["splade", "bm25"])
    lines = {line.get_label(): line.get_color() for line in curves.lines}
    bars = wide.ireval.plot.topic_differences("bm25", "splade")
    handles = {
        str(handle.get_label()).split()[0]: handle for handle in bars.get_legend().legend_handles
    }
    for system in ("bm25", "splade"):
        assert to_rgb(handles[system].get_facecolor()[:3]) == to_rgb(lines[system])


def test_lines_and_texts_are_light_on_dark_backgrounds(scores):
    with plt.style.context("dark_background"):
        ax = scores.ireval.plot.depth_curves()
        pool = next(line for line in ax.lines if line.get_label() == "pool depth")
        assert to_rgb(pool.get_color()) == (1, 1, 1)
        assert contrasting(ax, (1, 1, 1, 0)) == "white"
    assert contrasting(plt.subplots()[1], "#F5C24C") == "black"


def test_new_axes_have_the_requested_size():
    assert new_axes(None).figure.get_size_inches().tolist() == [6.4, 4.2]
    assert new_axes(None, (5, 5), (3, 2)).figure.get_size_inches().tolist() == [3, 2]
    with mpl.rc_context({"figure.figsize": (4, 3)}):
        assert new_axes(None, (5, 5)).figure.get_size_inches().tolist() == [4, 3]
    ax = plt.subplots()[1]
    assert new_axes(ax, (5, 5)) is ax


def test_figsize_together_with_ax_is_refused(cube, scores):
    ax = plt.subplots(1, 2)[1]
    growth, both = cube.ireval.pool_growth(), "expected ax= or figsize=, but found both"
    refused(ParameterError, both, ir.plots.depth_curves, scores, ax=ax[0], figsize=(3, 2))
    refused(ParameterError, both, ir.plots.pool_curves, growth, ax=ax, figsize=(3, 2))


def test_all_figures_accept_figsize_and_ax():
    for name in {*ir.plots.__all__} - {"paper"}:
        options = inspect.signature(getattr(ir.plots, name)).parameters
        assert "figsize" in options, name
        assert "ax" in options or name == "panes", name


def test_chosen_systems_are_highlighted():
    assert chosen_systems(["b"], ["a", "b"], [0, 1], 2) == [1]
    assert chosen_systems(None, list("abcde"), [4, 3, 2, 1, 0], 3) == [4, 2, 0]
    message = "systems that were scored .a, b., but found 'x'"
    refused(ParameterError, message, chosen_systems, ["x"], ["a", "b"], [0, 1], 2)
