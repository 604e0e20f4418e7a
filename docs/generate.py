"""Pages made from the code."""

import inspect
import re
from functools import cached_property
from pathlib import Path

from gallery import draw_gallery, front_page, gallery_page
from metric_pages import first_line, metric_page, metrics_table, names_table, table
from verbs import verbs_page

import irframe
from irframe.metrics import METRICS, Evidence

API = """API
===

Most of what follows is also a verb of the accessor, with the frame, cube or array as its first
argument: ``irframe.verbs.compare(scores)`` is ``scores.ireval.compare()``, and figures are found
under ``.ireval.plot``. The metrics have :doc:`pages of their own </metrics/index>`.
"""

SECTIONS = {
    "irframe.files": "Files, and objects of other tools",
    "irframe.experiments": "Runs and judgments",
    "irframe.evaluation": "Runs and judgments",
    "irframe.cubes": "Cubes and scores",
    "irframe.scores": "Cubes and scores",
    "irframe.grouped": "Cubes and scores",
    "irframe.metrics": "Metrics by name",
    "irframe.comparing": "Comparisons",
    "irframe.depth": "Depth",
    "irframe.ranks": "Rankings of systems",
    "irframe.planning": "Planning",
    "irframe.tables": "Tables",
    "irframe.orderings": "Orderings",
    "irframe.effort": "Effort",
    "irframe.judging": "Judging",
    "irframe.diagnostics": "Diagnostics",
    "irframe.paired": "Paired tests",
    "irframe.agreements": "Agreement",
    "irframe.gains": "Gain maps",
    "irframe.plots": "Figures",
    "irframe.reports": "The report",
    "irframe.errors": "Errors and warnings",
}
"""Packages, and the section of the reference where their public names stand."""


def write_pages(folder: Path):
    """Write all pages made from the code, and draw figures."""
    pages = {folder / "metrics" / f"{name}.md": metric_page(name) for name in METRICS}
    pages[folder / "metrics.md"] = metrics_table()
    pages[folder / "names.md"] = names_table()
    pages[folder / "api.rst"] = api_index()
    pages[folder / "words.md"] = word_table()
    pages[folder / "gallery.md"] = gallery_page()
    pages[folder / "front.md"] = front_page()
    pages[folder / "verbs.md"] = verbs_page()
    stubs = {folder / "api" / f"{path}.rst" for path in public()}  # autosummary writes these
    for page in {*folder.rglob("*.md"), *folder.rglob("*.rst")} - pages.keys() - stubs:
        page.unlink()
    for page, text in pages.items():
        write(page, text)
    draw_gallery(folder / "gallery")


def write(page: Path, text):
    """Write a page if its text changed."""
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def public():
    """Return the public functions and classes by name, without metrics."""
    spaces = ("verbs", "paired", "agreements", "gains", "plots", "errors")
    homes = {"irframe": irframe} | {f"irframe.{name}": getattr(irframe, name) for name in spaces}
    members = {
        f"{home}.{name}": getattr(package, name)
        for home, package in homes.items()
        for name in package.__all__
        if name != "interop"  # which asks for other tools as it is imported
        and not (home == "irframe" and name in irframe.verbs.__all__)  # one page is enough
    }
    metrics = set(METRICS.values())
    functions = {
        path: member
        for path, member in members.items()
        if inspect.isroutine(member) or inspect.isclass(member)
    }
    return {path: member for path, member in functions.items() if member not in metrics}


def section(member):
    """Return the title of the section of a public name."""
    return SECTIONS[".".join(member.__module__.split(".")[:2])]


def api_index():
    """Return the page that lists the public names."""
    members = public()
    lines = [API]
    for title in dict.fromkeys(SECTIONS.values()):
        paths = sorted(path for path, member in members.items() if section(member) == title)
        rows = "\n".join(f"   {path}" for path in paths)
        options = "   :toctree: api\n   :nosignatures:"
        lines.append(f"{title}\n{len(title) * '-'}\n\n.. autosummary::\n{options}\n\n{rows}\n")
    return "\n".join(lines)


def words():
    """Return the quantities of kernels, with the functions computing them."""
    members = {name: value for name, value in vars(Evidence).items() if name[0] != "_"}
    apart = {"read", "condensed"}  # what is public of the evidence and no word
    functions = {name: computing(value) for name, value in members.items() if name not in apart}
    return {name: function for name, function in functions.items() if function}


def computing(member):
    """Return the function of a method or property."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member if inspect.isfunction(member) else None


SHAPE = re.compile(r"\(\.\.\.(?:, \w+)+\)|\(\w+,\)")
"""Shapes as docstrings write them: ``(..., depth)``, ``(step,)``."""


def word_row(name, function):
    """Return the table row of a quantity of kernels."""
    text = first_line(function).removeprefix("Return ").replace("``", "`").rstrip(".")
    shapes = dict.fromkeys(SHAPE.findall(inspect.getdoc(function) or ""))
    fields = list(inspect.signature(function).parameters)[1:]
    return [
        f"`{name}`",
        text[:1].upper() + text[1:].partition("; shape")[0].partition("; (")[0],
        ", ".join(f"`{shape}`" for shape in shapes),
        ", ".join(f"`{field}`" for field in fields),
    ]


def word_table():
    """Return the table of the quantities of kernels."""
    rows = [word_row(name, function) for name, function in sorted(words().items())]
    return table(["word", "holds", "shape", "depends on"], rows) + "\n"
