"""The page that lists all verbs."""

import inspect
import re
from functools import cache
from pathlib import Path

import irframe
from irframe.kinds import verbs

HERE = Path(__file__).parent
PAPERS = {
    "10.1007/s10791-016-9282-6": ("Lu, Moffat, Culpepper 2016", "pooling-and-depth"),
    "10.1145/3404835.3463034": ("Lin et al. 2021", "leaderboard"),
    "10.48550/arXiv.2201.01745": ("Alex, Hall, Metzler 2022", "atomized-search-length"),
    "10.1002/asi.24874": ("Moffat, Mackenzie 2024", "innate-orderings"),
    "10.1002/asi.23416": ("Ferro et al. 2016", "twist"),
}
"""DOI -> short name of a paper, and its page."""
SECTIONS = {
    "runs": "Verbs of runs and judgments",
    "qrels": "Verbs of runs and judgments",
    "frame": "Verbs of runs and judgments",
    "x": "Verbs of runs and judgments",
    "cube": "Verbs of cubes",
    "scores": "Verbs of scores",
    "data": "Verbs of scores",
    "subject": "Verbs of scores",
}
"""First parameter of a verb -> its section. Other verbs are verbs of results."""
RETURNED = "Verbs of results"
OBJECTS = {
    "agreement": "`robustness`",
    "best": "`best_systems`",
    "board": "`leaderboard`",
    "bounds": "`bounds`",
    "cells": "`effort_gain`",
    "checked": "`significance_agreement`",
    "compared": "`compare_judges`",
    "cube": "cube",
    "cubes": "cubes",
    "data": "cube or scores",
    "documents": "`explain`",
    "effect": "`judge_effect`",
    "frame": "runs or qrels",
    "grid": "`enumerate_rankings`",
    "growth": "`pool_growth`",
    "histogram": "histogram",
    "judges": "dict of qrels",
    "lengths": "`search_lengths`",
    "losses": "`losses`",
    "lined_up": "`side_by_side`",
    "matrix": "`volatility`",
    "misplaced": "`misplacement`",
    "nuggets": "labels of nuggets",
    "path": "file",
    "paths": "files",
    "qrels": "qrels",
    "ranks": "`rank_intervals`",
    "replayed": "`replay`",
    "result": "most results",
    "runs": "runs",
    "scores": "scores",
    "subject": "runs, scores, cubes, results",
    "summary": "`outcomes`",
    "systems": "sizes",
    "text": "text",
    "values": "ratios by depth",
    "volatility": "`volatility`",
    "x": "foreign data",
    "": "",
}
"""First parameter of a verb -> the object of the verb, or the verb that returns it."""
GUIDES = ("questions", "guide")
"""Folders of the pages that explain verbs, questions first."""
NOT_GUIDES = ("errors",)
"""Pages that name many verbs without explaining them."""


def verbs_page(*, links=True):
    """Return tables of all verbs, figures and functions."""
    registered = verbs("irframe.verbs")
    rows = [
        (section_of(function), "irframe.verbs", name, function)
        for name, (function, _) in sorted(registered.items())
    ]
    drawn = sorted(verbs("irframe.plots").items())
    rows += [("Figures", "irframe.plots", name, function) for name, (function, _) in drawn]
    exported = {*irframe.__all__} - {*registered, "interop"}  # the last asks for other tools
    objects = {name: getattr(irframe, name) for name in exported}
    functions = {
        name: function for name, function in sorted(objects.items()) if inspect.isfunction(function)
    }
    rows += [("Functions", "irframe", name, function) for name, function in functions.items()]
    titles = dict.fromkeys([*SECTIONS.values(), RETURNED, "Figures", "Functions"])
    of = {title: [row[1:] for row in rows if row[0] == title] for title in titles}
    if links:
        return "\n".join(listed(title, section_rows) for title, section_rows in of.items())
    plain = {
        title: [[f"`{name}`", *cells(*row)[1:3]] for row in section_rows for _, name, _ in [row]]
        for title, section_rows in of.items()
    }
    return "".join(
        f"\n**{title}**\n\n{table(HEAD[:3], section_rows)}" for title, section_rows in plain.items()
    )


HEAD = ["verb", "input", "description", "shown in", "source"]


def table(head, lines):
    """Return a table of Markdown."""
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *lines])


def with_text(page):
    """Return the page of verbs with tables in text."""
    begin, mark, after = page.partition(":::{only} checkout\n")
    _, close, end = after.partition("\n:::\n")
    return f"{begin}{mark}{verbs_page(links=False)}{close}{end}"


def section_of(function):
    """Return the title of the section of a verb."""
    return SECTIONS.get(first_parameter(function), RETURNED)


def first_parameter(function):
    """Return the name of the first parameter."""
    return next(iter(inspect.signature(function).parameters), "")


def listed(title, rows):
    """Return a section with its table."""
    return f"## {title}\n\n:::{{div}} verbs\n{table(HEAD, (cells(*row) for row in rows))}:::\n"


def cells(home, name, function):
    """Return what the table says of one verb."""
    answers = (inspect.getdoc(function) or "").partition("\n")[0].replace("``", "`")
    subject = OBJECTS[first_parameter(function)]
    link = f"[`{name}`](../_generated/api/{home}.{name}.rst)"
    return [link, subject, answers, guide_of(home, name), sources(function)]


@cache
def pages(*folders):
    """Return the texts of the pages of some folders."""
    listed = [
        HERE / folder / f"{name}.md"
        for folder in folders
        for name in re.findall(r"^[a-z-]+$", (HERE / folder / "index.md").read_text(), re.MULTILINE)
        if name not in NOT_GUIDES
    ]
    return {page.relative_to(HERE): page.read_text() for page in listed}


@cache
def showing(pattern, *folders):
    """Return the titles of pages by number of matches."""
    counts = {page: len(re.findall(pattern, text)) for page, text in pages(*folders).items()}
    order = sorted((page for page in counts if counts[page]), key=lambda page: -counts[page])
    return {page: title(pages(*folders)[page]) for page in order}


def calls(home, name):
    """Return a pattern of the calls of a function."""
    plot = r"plot\." if home == "irframe.plots" else ""
    return rf"(?:ireval\.{plot}|ir\.(?:verbs\.|plots\.)?){name}\b"


def guide_of(home, name):
    """Return a link to the page with most calls."""
    titles = showing(calls(home, name), *GUIDES)
    return next((f"[{title}](../{page})" for page, title in titles.items()), "")


def beside(path, function):
    """Return lines with links to pages and related functions.

    Related functions are those of the same module, and those that the first page calls.
    """
    home, _, name = path.rpartition(".")
    titles = [*showing(calls(home, name), *GUIDES).items()]
    titles += [*showing(calls(home, name), "papers").items()]
    see_also = inspect.getdoc(function).partition("\nSee Also\n")[2].partition("\n\n")[0]
    functions = {verb: of for verb, (of, _) in verbs(home).items()}
    other_verbs = [
        verb for verb in functions if verb != name and not re.search(rf"\b{verb}\b", see_also)
    ]
    near = sorted(verb for verb in other_verbs if functions[verb].__module__ == function.__module__)
    text = (pages(*GUIDES) | pages("papers"))[titles[0][0]] if titles else ""
    times = {verb: len(re.findall(calls(home, verb), text)) for verb in other_verbs}
    share = {
        verb: n / (1 + len(showing(calls(home, verb), *GUIDES))) for verb, n in times.items() if n
    }
    near += sorted(share, key=lambda verb: -share[verb])
    lines = {
        "Shown in": [f":doc:`{title} </{page.with_suffix('')}>`" for page, title in titles[:SHOWN]],
        "See also": [f":py:func:`~{home}.{verb}`" for verb in [*dict.fromkeys(near)][:NEAR]],
    }
    shown = [f"**{title}:** {', '.join(links)}" for title, links in lines.items() if links]
    return [text_line for line in shown for text_line in ("", line, "")]


def typed(path, function):
    """Return lines with the call of a verb as method."""
    home, _, name = path.rpartition(".")
    first = first_parameter(function)
    if home != "irframe.verbs" or name not in verbs(home):
        return []
    return [f"Call it as ``{first}.ireval.{name}(...)``.", ""]


SHOWN, NEAR = 5, 6
"""How many pages, and how many functions, a page of the reference leads to."""


def title(text):
    """Return the title of a page."""
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def sources(function):
    """Return the papers that a docstring refers to."""
    text = " ".join((inspect.getdoc(function) or "").split())
    listed = re.split(r"\.\. \[\d+\] ", text.partition("References ---")[2])[1:]
    matches = [re.match(r"(.+?) doi:(\S+)", reference) for reference in listed]
    return "; ".join(source(*match.groups()) for match in matches if match)


def source(reference, doi):
    """Return a link to a paper or its page."""
    locations = re.findall(r"(?:Figs?\.|Tables?|Eqs?\.|Sections?) [\d., and-]*\d", reference)
    if doi in PAPERS:
        label, page = PAPERS[doi]
        return ", ".join([f"[{label}](../papers/{page}.md)", *locations])
    names = reference.partition(". ")[0].split(", ")
    year = re.search(r"\b(?:19|20)\d\d\b", reference)
    first = names[0].removesuffix(" et al")
    label = first + (" et al." if [first] != names else "") + (f" {year[0]}" if year else "")
    return ", ".join([f"[{label}](https://doi.org/{doi})", *locations])


if __name__ == "__main__":
    written = HERE / "reference" / "verbs.md"
    written.write_text(with_text(written.read_text()))
