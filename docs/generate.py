"""Pages made from the code: one per metric, and the table that lists them."""

import inspect
import re
from pathlib import Path

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


def write_metric_pages(folder: Path):
    """Write one page per metric and their index."""
    pages = folder / "metrics"
    pages.mkdir(parents=True, exist_ok=True)
    for name, metric in METRICS.items():
        write(pages / f"{name}.md", metric_page(name, metric))
    toctree = "\n".join(sorted(METRICS, key=str.lower))
    text = f"{INTRODUCTION}\n{metric_table()}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"
    write(pages / "index.md", text)


def write(path, text):
    """Write a page unless it stands there already, so that nothing is built again for nothing."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


INTRODUCTION = """# Metrics

A metric is a value: `ir.RBP(p=0.8)`, `ir.nDCG() @ 10`, or the same as text, `"RBP(p=0.8)"`,
`"nDCG@10"`. Its parameters are its fields, two equal metrics compare equal, and its text reads
back. Every metric scores **all depths in one pass**; `@` fixes one. The names and the grammar
of ir_measures and the names of trec_eval (`map_cut_10`, `recip_rank`) are understood too.
"""
