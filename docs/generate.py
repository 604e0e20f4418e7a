"""Pages made from the code: one per metric, their table, the API's index, the words of kernels."""

import inspect
import re
from functools import cached_property
from pathlib import Path

import irframe
from irframe.metrics import METRICS, Evidence
from irframe.metrics.evidence import NO_WORDS

INTRODUCTION = """# Metrics

A metric is a value: `ir.RBP(p=0.8)`, `ir.nDCG() @ 10`, or the same as text, `"RBP(p=0.8)"`,
`"nDCG@10"`. Its parameters are its fields, two equal metrics compare equal, and its text reads
back. Every metric scores **all depths in one pass**; `@` fixes one. For the metrics below the names
of ir_measures, of trec_eval (`map_cut_10`, `recip_rank`) and of cwl_eval (`INST-T=2`) are
understood too; ir_measures knows some that irframe does not have.
"""

API = """API
===

Most of what follows is also a verb of the accessor, with the frame, cube or array as its first
argument: ``ir.cube(runs, qrels)`` is ``runs.ireval.cube(qrels)``, and figures are found under
``.ireval.plot``. The metrics have :doc:`pages of their own <metrics/index>`.
"""

SECTIONS = {
    "irframe.frames": "Files and frames",
    "irframe.cubes": "Cubes and scores",
    "irframe.metrics": "Metrics by name",
    "irframe.inference": "Comparisons and ratios",
    "irframe.studies": "Studies",
    "irframe.paired": "Paired tests",
    "irframe.agreements": "Agreement",
    "irframe.gains": "Gain maps",
    "irframe.plots": "Figures",
    "irframe.errors": "Errors and warnings",
}
"""Packages, and the section of the reference where their public names stand."""


def write_pages(folder: Path):
    """Write one page per metric, their index, the index of the API, and the words of kernels."""
    pages = {folder / "metrics" / f"{name}.md": metric_page(name) for name in METRICS}
    pages[folder / "metrics" / "index.md"] = metric_index()
    pages[folder / "api.rst"] = api_index()
    pages[folder / "words.md"] = word_table()
    stubs = {folder / "api" / f"{path}.rst" for path in public()}  # autosummary writes these
    for page in set(folder.rglob("*.*")) - pages.keys() - stubs:
        page.unlink()
    for page, text in pages.items():
        write(page, text)


def write(page: Path, text):
    """Write a page unless it stands there already, so that nothing is built again for nothing."""
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def first_line(documented):
    """Return the sentence that a docstring begins with."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def table(head, rows):
    """Return a Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def facts(metric):
    """Return what the notes of a metric say in its line ``Range: ... Needs: ...``."""
    text = " ".join((inspect.getdoc(metric) or "").split())
    found = re.search(
        r"Range: (.+?)\. Needs: (.+?)\. No relevant documents: (.+?)\. Unjudged: (.+?)\.(?: |$)",
        text,
    )
    return found.groups() if found else ("", "", "", "")


def metric_page(name):
    """Return the page of one metric."""
    aliases = ", ".join(f"`{alias}`" for alias in METRICS[name].aliases)
    known = f"Also read as {aliases}.\n\n" if aliases else ""
    return f"# {name}\n\n{known}```{{eval-rst}}\n.. autoclass:: irframe.{name}\n```\n"


def metric_index():
    """Return the page that lists all metrics."""
    names = sorted(METRICS, key=str.lower)
    rows = []
    for name in names:
        span, _, barren, _ = facts(METRICS[name])
        rows.append([f"[{name}]({name}.md)", first_line(METRICS[name]), span, barren])
    listed = table(["metric", "what it tells", "range", "no relevant documents"], rows)
    toctree = "\n".join(names)
    return f"{INTRODUCTION}\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"


def public():
    """Return full name -> object of everything public that can be called, but the metrics."""
    homes = {"irframe": irframe, "irframe.plots": irframe.plots, "irframe.errors": irframe.errors}
    members = {
        f"{home}.{name}": getattr(package, name)
        for home, package in homes.items()
        for name in package.__all__
    }
    metrics = set(METRICS.values())
    return {path: each for path, each in members.items() if callable(each) and each not in metrics}


def section(member):
    """Return the title of the section where a public name stands."""
    return SECTIONS[".".join(member.__module__.split(".")[:2])]


def api_index():
    """Return the page that lists the public names; autosummary writes a page for each of them."""
    members = public()
    parts = [API]
    for title in SECTIONS.values():
        paths = sorted(path for path, member in members.items() if section(member) == title)
        rows = "\n".join(f"   {path}" for path in paths)
        options = "   :toctree: api\n   :nosignatures:"
        parts.append(f"{title}\n{len(title) * '-'}\n\n.. autosummary::\n{options}\n\n{rows}\n")
    return "\n".join(parts)


def words():
    """Return the words that a kernel may read, each with the function that computes it."""
    members = {name: value for name, value in vars(Evidence).items() if name[0] != "_"}
    functions = {name: computing(value) for name, value in members.items() if name not in NO_WORDS}
    return {name: function for name, function in functions.items() if function}


def computing(member):
    """Return the function behind a method or property of a class."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member if inspect.isfunction(member) else None


SHAPE = re.compile(r"\(\.\.\.(?:, \w+)+\)|\(\w+,\)")
"""Shapes as docstrings write them: ``(..., depth)``, ``(step,)``."""


def word_row(name, function):
    """Return what a word holds, its shape, and the fields of the metric that it depends on."""
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
    """Return the table of the words that a kernel may read."""
    rows = [word_row(name, function) for name, function in sorted(words().items())]
    return table(["word", "holds", "shape", "depends on"], rows) + "\n"
