"""Search words of pages, as entries of the index.

The search in _static/search.js weighs them as titles.
"""

from functools import cache
from pathlib import Path

from metric_pages import title

import irframe
from irframe.metrics import METRICS
from irframe.metrics.facts import names_of

SOUGHT = {
    "guide/getting-started": "compute, calculate nDCG@10 from my files; installation, pip; "
    "tutorial; quickstart, quick start; Jupyter, notebook, Colab",
    "guide/faq": "FAQ; query difficulty, hard queries, difficult topics; "
    "frequently asked questions",
    "CONTRIBUTING": "custom metric, own metric; write, register a new metric, plugin",
    "guide/several-tracks": "per-track summary; groupby track, collection",
    "guide/report": "write an HTML report; dashboard; share, send results to colleagues; "
    "browser page",
    "guide/command-line": "command line, shell, console, terminal",
    "guide/policies": "policies; missing topics; topics without relevant documents; "
    "duplicate documents",
    "guide/data-in": "file formats; read runs, qrels; parquet; BEIR; MTEB; MS MARCO; CSV; JSON; "
    "polars; Elasticsearch, OpenSearch; Qdrant, Chroma, Weaviate, Pinecone, Vespa, Solr; "
    "Pyserini, Lucene, Anserini",
    "guide/continuous-integration": "CI gate; GitHub action; regression test; pull request; exit "
    "code, status; pre-commit; false alarms of a gate, rehearse",
    "guide/training-loop": "training loop; early stopping; checkpoint; validation; "
    "wandb, Weights & Biases; "
    "MLflow; TensorBoard; PyTorch Lightning callback; sentence-transformers; learning to rank; "
    "reward; metrics on arrays, numpy, torch tensors",
    "guide/larger-than-memory": "dask; out of memory; huge run files; cluster; parallel workers",
    "guide/saving": "save; export CSV, Excel; netCDF; Zarr; pickle",
    "guide/reshaping": "reshape; melt; long format, wide format; pivot",
    "guide/recipes": "residual collection; precision-recall curve, interpolated precision; matrix "
    "of p-values; MTEB result files",
    "guide/slicing": "select a depth, systems, topics; sel",
    "guide/figures-and-tables": "LaTeX table for a paper; figures, plots; styled; Overleaf; "
    "booktabs; box plot; heatmap",
    "guide/types": "type hints; mypy; editor completion",
    "metrics/index": "list of metrics; diversity metrics, intents",
    "metrics/names": "names of metrics; trec_eval names; ir_measures names",
    "questions/comparing": "compare two systems; statistical significance test; t-test; confidence "
    "interval of a difference; p-value; Holm; Bonferroni; multiple comparisons; family-wise error "
    "rate; effect size; Cohen's d; baseline; topic weights; permutation test; Wilcoxon; bootstrap; "
    "Tukey honest significant difference; non-inferiority; equivalence test; two-tailed",
    "questions/over-tasks": "average over data sets, benchmarks, tasks; macro average; MTEB, HELM; "
    "win rate; Borda count; clustered standard errors; questions from the same document; "
    "critical difference diagram, Nemenyi; a metric for each task",
    "questions/where-did-the-points-go": "ceiling of the first stage; what a reranker "
    "can win; misses and inversions; error analysis of retrieve and rerank pipelines",
    "questions/how-sure": "rank intervals; confidence interval of a rank; tiers; leaderboard; "
    "ranking of systems",
    "questions/how-deep": "evaluation depth, cutoff; discriminative power; coverage; "
    "Kendall's tau; rank correlation between system orderings",
    "questions/chunks": "chunks, chunk size; RAG evaluation; retrieval-augmented generation; "
    "context window; tokens; spans; LangChain, LlamaIndex, Haystack retriever; vector store",
    "questions/agents-that-search-several-times": "agentic search, agents; several searches, "
    "multi-hop; tool calls, traces; Inspect AI, OpenTelemetry, OpenInference, Phoenix; recall "
    "of concatenated calls; iterative retrieval, deep research; tokens read",
    "questions/when-to-answer-nothing": "abstention; score threshold, cutoff; unanswerable "
    "questions; risk-coverage curve, selective prediction; no answer; similarity threshold",
    "questions/ties": "ties; tied documents, equal scores; tie breaking; float32, single "
    "precision scores",
    "questions/trust": "unjudged documents; pool depth; bounds; pool bias; holes; incomplete "
    "judgments; leave one out",
    "questions/judges": "language model as a judge, LLM judge; GPT-4 judgments; inter-annotator "
    "agreement; kappa",
    "questions/what-to-judge": "which documents to judge next; annotation budget; active learning",
    "questions/how-many": "number of topics; how many queries; statistical power; size of a "
    "sample; minimum detectable difference; choose topics, topic subset",
    "questions/effort": "effort of users",
    "tools/chunking-evaluation": "chunking_evaluation",
    "tools/ragas": "ragas",
    "tools/pytrec-eval": "pytrec_eval",
    "tools/trec-eval": "trec_eval",
    "tools/ranx": "ranx; rank fusion, reciprocal rank fusion",
    "tools/ir-measures": "ir_measures",
    "tools/pyterrier": "PyTerrier experiment",
    "questions/repeats": "random seeds; repeats; judge passes; query variations",
    "reference/how-to-cite": "how to cite; citation; BibTeX",
    "reference/verbs": "list of functions; API",
}
"""Page -> what it should be found by."""


def setup(app):
    """Add entries to every page after it was read."""
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_entries(app, doctree):
    """Add the search words of a page to the index."""
    from sphinx.addnodes import index  # noqa: PLC0415 - a test reads the entries without Sphinx

    terms = sought(app.env.docname)
    entries = [("single", term, "", "main", None) for term in terms]
    doctree.append(index(entries=entries, inline=False))


def sought(page):
    """Return the search words of a page."""
    folder, _, name = page.rpartition("/")
    name = name.removeprefix("irframe.verbs.")
    theirs = [name_elsewhere.replace("_", " ") for name_elsewhere in elsewhere().get(name, [])]
    if folder == "_generated/api":
        return theirs
    if folder != "_generated/metrics" or name not in METRICS:
        return [terms for terms in SOUGHT.get(page, "").split("; ") if terms]
    written_out = title(name).partition(": ")[2]
    names = dict.fromkeys([*names_of(METRICS[name]), written_out or name, *theirs])
    return [*names, f"definition of {name}"]


@cache
def elsewhere():
    """Return irframe's names with those of other tools."""
    names = {}
    for line in (Path(irframe.__file__).parent / "elsewhere.txt").read_text().splitlines()[1:]:
        ours, _, theirs = line.partition(": ")
        names.setdefault(ours, []).extend(theirs.split())
    return names
