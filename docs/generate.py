"""Pages made from the code: one per metric, the table that lists them, the reference."""

import inspect
import re
from pathlib import Path

import irframe
from irframe.metrics import METRICS


def facts(metric):
    """Return what the notes of a metric say in its line ``Range: ... Needs: ...``."""
    text = " ".join((inspect.getdoc(metric) or "").split())
    found = re.search(
        r"Range: (.+?)\. Needs: (.+?)\. No relevant documents: (.+?)\. Unjudged: (.+?)\.(?: |$)",
        text,
    )
    return found.groups() if found else ("", "", "", "")


def first_line(metric):
    """Return the sentence that says what a metric tells its user."""
    return (inspect.getdoc(metric) or "").partition("\n")[0]


def names(metric):
    """Return the other names a metric answers to."""
    return ", ".join(f"`{name}`" for name in metric.aliases)


def metric_page(name, metric):
    """Return the page of one metric."""
    lines = [f"# {name}", "", "```{eval-rst}", f".. autoclass:: irframe.{name}", "```", ""]
    if metric.aliases:
        lines.insert(2, f"Also read as {names(metric)}.\n")
    return "\n".join(lines)


def metric_table():
    """Return the table of all metrics."""
    rows = ["| metric | what it tells | range | no relevant documents |", "|---|---|---|---|"]
    for name, metric in sorted(METRICS.items(), key=lambda item: item[0].lower()):
        found = facts(metric)
        rows.append(f"| [{name}]({name}.md) | {first_line(metric)} | {found[0]} | {found[2]} |")
    return "\n".join(rows)


def write_pages(folder: Path):
    """Write one page per metric, their index, and the reference."""
    WRITTEN.clear()
    pages = folder / "metrics"
    pages.mkdir(parents=True, exist_ok=True)
    for name, metric in METRICS.items():
        write(pages / f"{name}.md", metric_page(name, metric))
    toctree = "\n".join(sorted(METRICS, key=str.lower))
    text = f"{INTRODUCTION}\n{metric_table()}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"
    write(pages / "index.md", text)
    write_reference(folder)
    for page in set(folder.rglob("*.*")) - WRITTEN:
        page.unlink()


SECTIONS = {
    "Files and frames": ("irframe.frames",),
    "Cubes and scores": ("irframe.cube", "irframe.metrics.parsing"),
    "Comparisons and ratios": ("irframe.inference",),
    "Studies": ("irframe.studies",),
    "Paired tests": ("irframe.paired",),
    "Agreement": ("irframe.agreement",),
    "Gain maps": ("irframe.gains",),
    "Figures": ("irframe.plots",),
}
"""Sections of the reference, and the modules whose public names stand there."""


def sections():
    """Return title -> full name -> object, for everything public but the metrics."""
    public = {f"irframe.{name}": getattr(irframe, name) for name in irframe.__all__}
    figures = {
        f"{verb.function.__module__}.{name}": verb.function
        for kind in vars(irframe.accessor).values()
        if inspect.isclass(kind) and kind.__name__.endswith("Plots")
        for name, verb in vars(kind).items()
        if isinstance(verb, irframe.accessor.Verb)
    }
    return {
        title: {
            path: member
            for path, member in sorted((figures if title == "Figures" else public).items())
            if callable(member)
            and getattr(member, "__module__", "").startswith(modules)
            and not (inspect.isclass(member) and issubclass(member, irframe.Metric))
        }
        for title, modules in SECTIONS.items()
    }


def write_reference(folder: Path):
    """Write one page per public name, and the reference that lists them."""
    (folder / "api").mkdir(parents=True, exist_ok=True)
    lines = [API]
    for title, members in sections().items():
        for path, member in members.items():
            kind = "autoclass" if inspect.isclass(member) else "autofunction"
            text = f"{path}\n{len(path) * '='}\n\n.. {kind}:: {path}\n"
            write(folder / "api" / f"{path}.rst", text)
        rows = "\n".join(f"   {path}" for path in members)
        pages = "\n".join(f"   api/{path}" for path in members)
        table = f".. autosummary::\n   :nosignatures:\n\n{rows}"
        tree = f".. toctree::\n   :hidden:\n\n{pages}"
        lines.append(f"{title}\n{len(title) * '-'}\n\n{table}\n\n{tree}\n")
    write(folder / "api.rst", "\n".join(lines))


API = """API
===

Most of what follows is also a verb of the accessor, with the frame, cube or array as its first
argument: ``ir.cube(runs, qrels)`` is ``runs.ireval.cube(qrels)``, and figures are found under
``.ireval.plot``. The metrics have :doc:`pages of their own <metrics/index>`.
"""


def write(path, text):
    """Write a page unless it stands there already, so that nothing is built again for nothing."""
    WRITTEN.add(path)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


WRITTEN = set()
"""The pages written; what else stands in the folder is left from an earlier build."""


INTRODUCTION = """# Metrics

A metric is a value: `ir.RBP(p=0.8)`, `ir.nDCG() @ 10`, or the same as text, `"RBP(p=0.8)"`,
`"nDCG@10"`. Its parameters are its fields, two equal metrics compare equal, and its text reads
back. Every metric scores **all depths in one pass**; `@` fixes one. The names and the grammar
of ir_measures and the names of trec_eval (`map_cut_10`, `recip_rank`) are understood too.
"""
