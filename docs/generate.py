"""Pages made from the code: metrics and their names, verbs, functions, figures, kernel words."""

import inspect
import re
from functools import cached_property
from pathlib import Path

from gallery import draw_gallery, gallery_page
from verbs import verbs_page

import irframe
from irframe.metrics import METRICS, Evidence
from irframe.metrics.cwl_names import CWL_NAMES
from irframe.metrics.facts import class_of, names_of
from irframe.metrics.spellings import CWL_ALIKE, IR_MEASURES, RANX_NAMES, TREC_NAMES
from irframe.metrics.vocabulary import NO_WORDS

INTRODUCTION = """# Metrics

A metric is a value: `ir.metrics.RBP(p=0.8)`, `ir.metrics.nDCG() @ 10`, or the same as text,
`"RBP(p=0.8)"`, `"nDCG@10"`. Its parameters are its fields, two equal metrics compare equal,
and its text reads back. Every metric scores **all depths in one pass**; `@` fixes one. For the
metrics below [the names of other tools](names.md) are understood too, and whatever name you ask for
is the label that comes back.
"""

NAMES = """# What other tools call the metrics

Ask for a metric by the name you know, and that name labels its scores everywhere: `"R@100"` stays
`R@100`, `"ndcg_cut_10"` stays `ndcg_cut_10`. Only a metric that is a value, such as
`ir.metrics.Recall() @ 100`, prints in irframe's own words. Case does not matter where only one
metric can be meant.

From trec_eval come names with their parameter, `P_5` or `P.5`; several at once, `P.5,10`; names
that stand for all its usual cutoffs, `map_cut`, `ndcg_cut` and `iprec_at_recall`; gains for grades,
`ndcg.1=3,2=9`; and its sets `official`, `set` and `all_trec`. From ranx come cutoffs,
`precision@5`, and levels of relevance, `map-l2`; its `dcg` and `dcg_burges`
do not scale gains by the top grade, as `DCG` does. From cwl_eval come parameters as in `RBP@0.8`
or `INST-T=2`.

From MTEB, BEIR, DPR and sentence-transformers come `ndcg_at_10`, `Recall_cap@100`, `HR@10` and
`top_1_accuracy`.

Some names mean something else than what they look like. `rbp@80` and `rbp.80` are refused: the
number is the persistence in ranx, which adds up grades. `Accuracy@5` is the share of pairs in
order. The number in trec_eval's `set_F_4` is the square of `beta`. ranx averages `hits` over
topics; irframe adds them up, as trec_eval does with `num_rel_ret`.
"""

API = """API
===

Most of what follows is also a verb of the accessor, with the frame, cube or array as its first
argument: ``irframe.verbs.compare(scores)`` is ``scores.ireval.compare()``, and figures are found
under ``.ireval.plot``. The metrics have :doc:`pages of their own <metrics/index>`.
"""

TOOLS = ["ir_measures", "trec_eval", "ranx", "cwl_eval"]
"""Other tools, in the order in which `row_of` gives their names."""
SECTIONS = {
    "irframe.frames": "Files and frames",
    "irframe.cubes": "Cubes and scores",
    "irframe.experiments": "Scoring one run after the other",
    "irframe.metrics": "Metrics by name",
    "irframe.inference": "Comparisons and ratios",
    "irframe.studies": "Studies",
    "irframe.paired": "Paired tests",
    "irframe.agreements": "Agreement",
    "irframe.gains": "Gain maps",
    "irframe.plots": "Figures",
    "irframe.reports": "The report",
    "irframe.errors": "Errors and warnings",
}
"""Packages, and the section of the reference where their public names stand."""


def write_pages(folder: Path):
    """Write the pages of metrics, verbs, functions, figures and kernel words, and draw figures."""
    pages = {folder / "metrics" / f"{name}.md": metric_page(name) for name in METRICS}
    pages[folder / "metrics" / "index.md"] = metric_index()
    pages[folder / "metrics" / "names.md"] = names_page()
    pages[folder / "api.rst"] = api_index()
    pages[folder / "words.md"] = word_table()
    pages[folder / "gallery.md"] = gallery_page()
    pages[folder / "verbs.md"] = verbs_page()
    stubs = {folder / "api" / f"{path}.rst" for path in public()}  # autosummary writes these
    for page in {*folder.rglob("*.md"), *folder.rglob("*.rst")} - pages.keys() - stubs:
        page.unlink()
    for page, text in pages.items():
        write(page, text)
    draw_gallery(folder / "gallery")


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
    own, *others = row_of(METRICS[name])
    aliases = own.partition(", ")[2]
    known = [f"Also read as {aliases}."] if aliases else []
    known += [f"In {tool}: {cell}." for tool, cell in zip(TOOLS, others, strict=True) if cell]
    listed = " ".join(known)
    return f"# {name}\n\n{listed}\n\n```{{eval-rst}}\n.. autoclass:: irframe.metrics.{name}\n```\n"


def metric_index():
    """Return the page that lists all metrics."""
    names = sorted(METRICS, key=str.lower)
    rows = []
    for name in names:
        span, _, barren, _ = facts(METRICS[name])
        rows.append([f"[{name}]({name}.md)", first_line(METRICS[name]), span, barren])
    listed = table(["metric", "what it tells", "range", "no relevant documents"], rows)
    toctree = "\n".join(["names", *names])
    return f"{INTRODUCTION}\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"


def names_page():
    """Return the page that lists the names of every metric in every tool, side by side."""
    rows = [row_of(metric) for _, metric in sorted(METRICS.items(), key=lambda m: m[0].lower())]
    return f"{NAMES}\n{table(['irframe', *TOOLS], rows)}\n"


def row_of(metric):
    """Return the names of one metric in irframe and in other tools."""
    own = names_of(metric)
    cells = [
        own,
        [name for name in own if name in IR_MEASURES],
        *(
            [name for name in names if type_of(names[name]) is metric]
            for names in (TREC_NAMES, RANX_NAMES)
        ),
        [name for name in CWL_ALIKE if CWL_ALIKE[name] == metric.__name__]
        + [form for name, form in CWL_NAMES.items() if name in own],
    ]
    return [", ".join(f"`{name}`" for name in cell) for cell in cells]


def type_of(expression):
    """Return the metric of an expression such as ``DCG(gain='exp')``."""
    return class_of(expression.partition("(")[0])


def public():
    """Return full name -> object of everything public that can be called, but the metrics."""
    spaces = ("verbs", "paired", "agreements", "gains", "plots", "errors")
    homes = {"irframe": irframe} | {f"irframe.{name}": getattr(irframe, name) for name in spaces}
    members = {
        f"{home}.{name}": getattr(package, name)
        for home, package in homes.items()
        for name in package.__all__
        if name != "interop"  # which asks for other tools as it is imported
    }
    metrics = set(METRICS.values())
    functions = {
        path: each
        for path, each in members.items()
        if inspect.isroutine(each) or inspect.isclass(each)
    }
    return {path: each for path, each in functions.items() if each not in metrics}


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
