"""The page that lists every verb: of what, what it answers, where it is shown and comes from."""

import inspect
import re
from functools import cache
from pathlib import Path

import irframe
from irframe.accessor import verbs

HERE = Path(__file__).parent
PAPERS = {
    "10.1007/s10791-016-9282-6": ("Lu, Moffat, Culpepper 2016", "pooling-and-depth"),
    "10.1145/3404835.3463034": ("Lin et al. 2021", "leaderboard"),
    "10.48550/arXiv.2201.01745": ("Alex, Hall, Metzler 2022", "atomized-search-length"),
    "10.1002/asi.24874": ("Moffat, Mackenzie 2024", "innate-orderings"),
    "10.1002/asi.23416": ("Ferro et al. 2016", "twist"),
}
"""DOI -> what the table here calls a paper, and the page that walks through it."""
SECTIONS = {
    "runs": "Of runs and judgments",
    "qrels": "Of runs and judgments",
    "frame": "Of runs and judgments",
    "x": "Of runs and judgments",
    "cube": "Of cubes",
    "scores": "Of scores",
    "data": "Of scores",
}
"""First parameter of a verb -> its section; all others are verbs of what some verb returns."""
RETURNED = "Of what verbs return"
OBJECTS = {
    "agreement": "`robustness`",
    "best": "`best_systems`",
    "bounds": "`bounds`",
    "cells": "`effort_gain`",
    "checked": "`significance_agreement`",
    "compared": "`compare_judges`",
    "comparison": "`compare`",
    "cube": "cube",
    "cubes": "cubes",
    "data": "cube or scores",
    "documents": "`explain`",
    "effect": "`judge_effect`",
    "found": "`budget`",
    "frame": "runs or qrels",
    "grid": "`enumerate_rankings`",
    "growth": "`pool_growth`",
    "histogram": "histogram",
    "judges": "dict of qrels",
    "k": "length",
    "lengths": "`search_lengths`",
    "lined_up": "`side_by_side`",
    "matrix": "`volatility`",
    "misplaced": "`misplacement`",
    "nuggets": "labels of nuggets",
    "path": "file",
    "paths": "files",
    "qrels": "qrels",
    "queries": "`outcomes`",
    "ranges": "`tie_ranges`",
    "ranks": "`rank_intervals`",
    "replayed": "`replay`",
    "result": "most results",
    "rows": "`leave_out`",
    "runs": "runs",
    "scores": "scores",
    "summary": "`outcomes`",
    "systems": "sizes",
    "text": "text",
    "values": "ratios by depth",
    "volatility": "`volatility`",
    "x": "foreign data",
    "": "",
}
"""First parameter of a verb -> what the verb hangs on: an object, or what another verb returns."""
GUIDES = ("questions", "guide")
"""Folders of the pages that explain verbs; what answers a question goes first."""
NOT_GUIDES = ("errors",)
"""Pages that name every verb that fails or warns, and explain none."""


def verbs_page():
    """Return tables of all verbs by what they hang on, figures, and other functions."""
    known = verbs("irframe.verbs")
    rows = [
        (section_of(each), "irframe.verbs", name, each) for name, (each, _) in sorted(known.items())
    ]
    drawn = sorted(verbs("irframe.plots").items())
    rows += [("Figures", "irframe.plots", name, each) for name, (each, _) in drawn]
    made = {*irframe.__all__} - {*known, "interop"}  # the last asks for other tools
    others = {name: getattr(irframe, name) for name in made}
    functions = {name: each for name, each in sorted(others.items()) if inspect.isfunction(each)}
    rows += [("Functions", "irframe", name, each) for name, each in functions.items()]
    titles = dict.fromkeys([*SECTIONS.values(), RETURNED, "Figures", "Functions"])
    tables = [listed(title, [row[1:] for row in rows if row[0] == title]) for title in titles]
    return "\n".join(tables)


def section_of(function):
    """Return the title of the section that a verb belongs to."""
    return SECTIONS.get(first_parameter(function), RETURNED)


def first_parameter(function):
    """Return the name of what a function is called with first."""
    return next(iter(inspect.signature(function).parameters), "")


def listed(title, rows):
    """Return a section with its table."""
    lines = [["verb", "of", "what it answers", "shown in", "source"], ["---"] * 5]
    lines += [cells(*row) for row in rows]
    rows = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"## {title}\n\n:::{{div}} verbs\n{rows}:::\n"


def cells(home, name, function):
    """Return what the table says of one verb."""
    answers = (inspect.getdoc(function) or "").partition("\n")[0].replace("``", "`")
    subject = OBJECTS[first_parameter(function)]
    link = f"[`{name}`](../_generated/api/{home}.{name}.rst)"
    return [link, subject, answers, guide_of(home, name), sources(function)]


@cache
def guides():
    """Return path -> text of every page that explains verbs."""
    listed = [
        HERE / folder / f"{name}.md"
        for folder in GUIDES
        for name in re.findall(r"^[a-z-]+$", (HERE / folder / "index.md").read_text(), re.MULTILINE)
        if name not in NOT_GUIDES
    ]
    return {page.relative_to(HERE): page.read_text() for page in listed}


def guide_of(home, name):
    """Return a link to the page that calls a verb most often, the first of several."""
    plot = r"plot\." if home == "irframe.plots" else ""
    called = re.compile(rf"(?:ireval\.{plot}|ir\.(?:verbs\.|plots\.)?){name}\b")
    times = {page: len(called.findall(text)) for page, text in guides().items()}
    page = max(times, key=times.get)
    return f"[{title(guides()[page])}](../{page})" if times[page] else ""


def title(text):
    """Return the title of a page."""
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def sources(function):
    """Return the papers that a docstring refers to: table or figure of those walked through."""
    text = " ".join((inspect.getdoc(function) or "").split())
    listed = re.split(r"\.\. \[\d+\] ", text.partition("References ---")[2])[1:]
    found = [re.match(r"(.+?) doi:(\S+)", each) for each in listed]
    return "; ".join(source(*each.groups()) for each in found if each)


def source(words, doi):
    """Return a link to the page that walks through a paper, or to the paper, and where to look."""
    places = re.findall(r"(?:Figs?\.|Tables?|Eqs?\.|Sections?) [\d., and-]*\d", words)
    if doi in PAPERS:
        label, page = PAPERS[doi]
        return ", ".join([f"[{label}](../papers/{page}.md)", *places])
    names = words.partition(". ")[0].split(", ")
    year = re.search(r"\b(?:19|20)\d\d\b", words)
    first = names[0].removesuffix(" et al")
    label = first + (" et al." if [first] != names else "") + (f" {year[0]}" if year else "")
    return ", ".join([f"[{label}](https://doi.org/{doi})", *places])
