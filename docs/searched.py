"""What people look for, and the page that should come first: entries of the index, which the
search puts before all that merely contains the words."""

from metric_pages import title

from irframe.metrics import METRICS
from irframe.metrics.facts import names_of

SOUGHT = {
    "guide/getting-started": "nDCG@10 from my files; nDCG files; getting started; tutorial; "
    "installation; install; pip",
    "guide/several-tracks": "per-track summary; summary per track; several tracks",
    "guide/report": "HTML report; report; write a report",
    "guide/command-line": "command line; shell; console",
    "guide/policies": "policies; unjudged documents; missing topics",
    "guide/data-in": "file formats; read runs; read qrels; parquet; BEIR; MTEB; "
    "MS MARCO; CSV; JSON; polars",
    "guide/continuous-integration": "CI gate; continuous integration; gate; GitHub action; "
    "regression test; pull request",
    "guide/training-loop": "training loop; checkpoint; validation",
    "guide/larger-than-memory": "dask; out of memory; large; cluster",
    "guide/saving": "save; netCDF; Zarr; pickle",
    "guide/figures-and-tables": "LaTeX table; table for a paper; LaTeX; figures; plots; styled",
    "metrics/index": "metrics; list of metrics; definition of a metric",
    "metrics/names": "names of metrics; trec_eval names; ir_measures names",
    "questions/comparing": "compare two systems; compare systems; significance test; t-test; "
    "statistical significance; confidence interval of a difference; significance; significant; "
    "confidence interval; p-value; Holm; Bonferroni; multiple comparisons; effect size; baseline; "
    "weights; topic weights; permutation test; Wilcoxon; bootstrap; Tukey",
    "questions/how-sure": "rank intervals; confidence interval of a rank; tiers; leaderboard; "
    "ranking of systems",
    "questions/how-deep": "evaluation depth; cutoff; discriminative power; coverage; Kendall's tau",
    "questions/chunks": "chunks; chunking; RAG; retrieval-augmented generation; context; tokens; "
    "spans; LangChain; LlamaIndex; Haystack; vector store",
    "questions/ties": "ties; tied documents; equal scores; definition of ties",
    "questions/trust": "unjudged; pool depth; bounds; pooling; holes",
    "questions/judges": "language model as a judge; LLM judge; inter-annotator agreement",
    "questions/how-many": "how many topics; number of topics; statistical power; power "
    "analysis; sample size",
    "tools/chunking-evaluation": "chunking_evaluation; chunking evaluation",
    "tools/ragas": "ragas",
    "tools/pytrec-eval": "pytrec_eval",
    "tools/trec-eval": "trec_eval",
    "tools/ranx": "ranx; fusion; rank fusion; reciprocal rank fusion",
    "tools/ir-measures": "ir_measures; ir-measures",
    "tools/pyterrier": "PyTerrier; PyTerrier experiment",
    "questions/repeats": "seeds; several seeds; repeats; random seed; judge passes; "
    "query variations",
    "reference/how-to-cite": "how to cite; cite; citation; BibTeX",
    "reference/verbs": "verbs; list of functions; API",
}
"""Page -> what it should be found by."""


def setup(app):
    """Add entries to every page after it was read."""
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_entries(app, doctree):
    """Enter in the index what the page should be found by."""
    from sphinx.addnodes import index  # noqa: PLC0415 - a test reads the entries without Sphinx

    words = sought(app.env.docname)
    entries = [("single", each, "", "main", None) for each in words]
    doctree.append(index(entries=entries, inline=False))


def sought(page):
    """Return what a page should be found by; pages of metrics by their names and definitions."""
    folder, _, name = page.rpartition("/")
    if folder != "_generated/metrics" or name not in METRICS:
        return [words for words in SOUGHT.get(page, "").split("; ") if words]
    written_out = title(name).partition(": ")[2]
    names = dict.fromkeys([*names_of(METRICS[name]), written_out or name])
    further = [f"{name} ties"] if len(name) > 3 else []  # the short ones would be found by "ties"
    return [*names, f"definition of {name}", f"{name} definition", *further]
