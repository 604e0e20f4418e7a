"""Tests that texts of figures neither overlap nor are cut.

The tests run the example in the docstring of each figure on tracks of 2 to 110 systems.
"""

import doctest
import inspect
import re
from contextlib import nullcontext
from functools import cache
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawn import legend
from matplotlib.colors import to_rgb
from overlaps import faults
from turns import few_of

import irframe as ir
from irframe.plots.agreement_map import CATEGORY_COLOURS
from irframe.plots.canvas import FAINT
from irframe.plots.crp_curves import REGION_COLOURS

SIZES = {"column": ir.plots.paper, "default": nullcontext}
DRAWN = [("column", 110), ("column", 40), ("column", 2), ("default", 2)]
MANY = [f"dense-retrieval-with-query-expansion-and-reranker-{n:03d}-run" for n in range(110)]
EXAMPLE = ir.example_track
FIGURES = [name for name in ir.plots.__all__ if name != "paper"]


@cache
def many(count):
    """Return a simulated track whose systems have long names."""
    topics, docs = (53, 1000) if count < 100 else (20, 400)
    runs, qrels = ir.simulate_track(
        systems=count, topics=topics, docs=docs, depth=50, pool_depth=10, grades=4, teams=30, seed=1
    )
    renamed = dict(zip(runs["system"].unique(), MANY, strict=False))
    return runs.assign(system=runs["system"].map(renamed)), qrels


def named(code):
    """Return the example systems, beginning with those in `code`."""
    systems = EXAMPLE()[0]["system"].unique()
    mentioned = [name for name in systems if re.search(rf"(['\"]){re.escape(name)}\1", code)]
    return list(dict.fromkeys(["bm25", *mentioned, *systems]))


def track(code, count):
    """Return a track, and an example with its system names."""
    runs, qrels = EXAMPLE()
    systems = named(code)
    runs = runs[runs["system"].isin(systems[:count])].reset_index(drop=True)
    if count > 2:
        # the larger tracks contain only the first `count` long names
        step = max(count, len(MANY) * (count == 8)) // 8
        long = dict(zip(systems, MANY[::step], strict=False))
        runs = runs.assign(system=runs["system"].map(long))
        for name in systems:
            code = re.sub(rf"(['\"]){re.escape(name)}\1", rf"\1{long[name]}\1", code)
    return (many(count) if count > 8 else (runs, qrels)), code


def drawn(name, count, monkeypatch):
    """Draw the figure of an example with `count` systems."""
    figure = getattr(ir.plots, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(figure))
    data, code = track("".join(example.source for example in examples), count)
    monkeypatch.setattr(ir, "example_track", lambda: tuple(frame.copy() for frame in data))
    exec(code, dict(inspect.getmodule(figure).__dict__))  # noqa: S102 - our own docstring
    return plt.gcf()


@pytest.mark.parametrize("name", few_of(FIGURES, 8))
def test_texts_of_figures_fit_a_column_of_a_paper(name, monkeypatch):
    with SIZES["column"]():
        assert faults(drawn(name, 8, monkeypatch)) == []


@pytest.mark.thorough
@pytest.mark.further
# the results for tracks with two systems cause warnings
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    ("name", "drawing"), [*product(FIGURES, DRAWN[:3]), *product(FIGURES[::3], DRAWN[3:])], ids=str
)
def test_texts_fit_figures_with_few_and_many_systems(name, drawing, monkeypatch):
    size, count = drawing
    with SIZES[size]():
        assert faults(drawn(name, count, monkeypatch)) == []


@pytest.mark.parametrize("systems", [["bm25"], ["bm25", "ance"]])
def test_subtitle_explains_the_line_of_the_pareto_front_if_drawn(systems):
    runs, qrels = EXAMPLE()
    scores = ir.evaluate(runs[runs["system"].isin(systems)], qrels, "AP")
    cost = dict(zip(systems, [1, 2], strict=False))
    ax = scores.ireval.plot.pareto_front(cost=cost)
    shown = " ".join(text.get_text() for text in [ax.title, ax._left_title, *ax.texts])
    assert ("line: Pareto front" in shown) == (len(systems) == 2)


@pytest.mark.parametrize("best_first", [False, True])
def test_legend_of_best_so_far_lists_systems_that_never_lead(best_first):
    runs, qrels = EXAMPLE()
    scores = ir.evaluate(runs[runs["system"].isin(["bm25", "monot5"])], qrels, "AP")
    days = ["2020-01-02", "2020-01-01"] if best_first else ["2020-01-01", "2020-01-02"]
    ax = scores.ireval.plot.best_so_far(dict(zip(["bm25", "monot5"], days, strict=True)))
    assert ("others" in legend(ax)) == best_first


def test_only_the_region_grey_is_drawn_in_grey():
    channels = to_rgb(REGION_COLOURS["grey"])
    assert max(channels) - min(channels) < 0.15
    assert [region for region, colour in REGION_COLOURS.items() if colour == FAINT] == ["grey"]


BLIND = {
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
"""Mapping from kinds of colour blindness to matrices that simulate them in linear RGB (Machado
2009, doi:10.1109/TVCG.2009.113)."""


def lab(colour, rgb_map):
    """Return the CIELAB values that a colour-blind reader sees."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = to_xyz @ np.clip(np.array(rgb_map) @ linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kind", BLIND)
def test_colour_blind_readers_can_distinguish_the_category_colours(kind):
    colours = [lab(colour, BLIND[kind]) for colour in CATEGORY_COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(colours, 2)) > 25


def test_figures_draw_only_the_systems_that_fit():
    scores = ir.evaluate(*many(40), "nDCG@10")
    with ir.plots.paper():
        ax = scores.ireval.leaderboard().ireval.plot.critical_difference()
    shown = len(ax.get_yticklabels()) + len(ax.texts)
    assert shown >= 8
    assert f"best {shown} of 40 systems" in " ".join(ax._left_title.get_text().split())


def test_faults_lists_overlapping_and_cut_texts():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.text(0.5, 0.5, "one")
    ax.text(0.52, 0.5, "other")
    ax.text(0.1, 0.2, "turned", rotation=45)
    ax.text(0.2, 0.1, "turned", rotation=45)
    ax.set_ylabel("longer than the figure is high, which no layout can mend at all")
    messages = faults(figure)
    assert "overlap: text 'one' and text 'other'" in messages
    assert any(message.startswith("cut: axis 'longer") for message in messages)
    assert not any("turned" in message for message in messages)
