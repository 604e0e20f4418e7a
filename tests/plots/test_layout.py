"""Every figure, at any size and with any number of systems: no text overlaps or is cut.

A figure is drawn as the example in its docstring draws it, on tracks of few and of many systems.
"""

import doctest
import inspect
import re
from contextlib import nullcontext
from functools import cache
from itertools import product

import matplotlib.pyplot as plt
import pytest
from overlaps import faults
from turns import few_of

import irframe as ir

SIZES = {"column": ir.plots.paper, "default": nullcontext}
DRAWN = [("column", 110), ("default", 2)]
MANY = [f"dense-retrieval-with-query-expansion-and-reranker-{n:03d}-run" for n in range(110)]
EXAMPLE = ir.example_track
FIGURES = [name for name in ir.plots.__all__ if name != "paper"]


@cache
def many():
    """Return a track of many systems with long names, and what the systems of the small one are."""
    runs, qrels = ir.simulate_track(
        systems=110, topics=53, docs=1000, depth=50, pool_depth=10, grades=4, teams=30, seed=1
    )
    renamed = dict(zip(runs["system"].unique(), MANY, strict=True))
    return runs.assign(system=runs["system"].map(renamed)), qrels


def named(code):
    """Return the systems of the small track that an example names, the baseline first."""
    known = EXAMPLE()[0]["system"].unique()
    asked = [name for name in known if re.search(rf"(['\"]){re.escape(name)}\1", code)]
    return list(dict.fromkeys(["bm25", *asked, *known]))


def track(code, count):
    """Return runs and judgments of so many systems, and an example that names some of them."""
    runs, qrels = EXAMPLE()
    known = named(code)
    runs = runs[runs["system"].isin(known[:count])].reset_index(drop=True)
    if count > 2:
        long = dict(zip(known, MANY[::13], strict=False))
        runs = runs.assign(system=runs["system"].map(long))
        for name in known:
            code = re.sub(rf"(['\"]){re.escape(name)}\1", rf"\1{long[name]}\1", code)
    return (many() if count == 110 else (runs, qrels)), code


def drawn(name, count, monkeypatch):
    """Return the figure that the example of a docstring draws, for so many systems."""
    figure = getattr(ir.plots, name)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(figure))
    made, code = track("".join(example.source for example in examples), count)
    monkeypatch.setattr(ir, "example_track", lambda: tuple(part.copy() for part in made))
    exec(code, dict(inspect.getmodule(figure).__dict__))  # noqa: S102 - our own docstring
    return plt.gcf()


@pytest.mark.parametrize("name", few_of(FIGURES, 4))
def test_no_text_overlaps_or_is_cut_in_a_column(name, monkeypatch):
    with SIZES["column"]():
        assert faults(drawn(name, 8, monkeypatch)) == []


@pytest.mark.thorough
@pytest.mark.further
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of tracks made smaller
@pytest.mark.parametrize(
    ("name", "drawing"), [*product(FIGURES, DRAWN[:1]), *product(FIGURES[::3], DRAWN[1:])], ids=str
)
def test_no_text_overlaps_or_is_cut(name, drawing, monkeypatch):
    size, count = drawing
    with SIZES[size]():
        assert faults(drawn(name, count, monkeypatch)) == []


def test_what_overlaps_or_is_cut_is_found():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.text(0.5, 0.5, "one")
    ax.text(0.52, 0.5, "other")
    ax.text(0.1, 0.2, "turned", rotation=45)
    ax.text(0.2, 0.1, "turned", rotation=45)
    ax.set_ylabel("longer than the figure is high, which no layout can mend at all")
    found = faults(figure)
    assert "overlap: text 'one' and text 'other'" in found
    assert any(each.startswith("cut: axis 'longer") for each in found)
    assert not any("turned" in each for each in found)
