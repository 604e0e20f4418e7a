"""Tests of the built site in a browser.

Build the site with ``sphinx-build -E``, because an incremental build loses the search terms of
unchanged pages.
"""

import shutil
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

DOCS = Path(__file__).parents[1] / "docs"
SITE = DOCS / "_build" / "html"
SOUGHT = {
    "guide/getting-started _generated/metrics/nDCG": "calculate nDCG for my run",
    "guide/saving guide/figures-and-tables": "save results as csv",
    "guide/training-loop": "log to mlflow; lightning callback; sentence transformers evaluator; "
    "nDCG of numpy arrays; metric for learning-to-rank",
    "guide/getting-started guide/training-loop": "jupyter notebook",
    "questions/judges": "cohen's kappa; gpt judges instead of people; inter-rater agreement",
    "guide/continuous-integration": "pre-commit hook; fail a pull request; rehearse a gate",
    "questions/how-many": "how many queries do I need; sample size; power analysis for retrieval",
    "_generated/metrics/Success": "hit rate at 10",
    "_generated/metrics/Recall": "recall@100",
    "questions/comparing guide/continuous-integration questions/how-many": "non-inferiority margin",
    "questions/comparing guide/continuous-integration": "are two systems equivalent",
    "questions/comparing": "hedges effect size; tukey HSD; family-wise error; randomization test",
    "questions/how-deep questions/how-sure": "kendall tau between rankings of systems",
    "guide/errors guide/policies": "same document twice in a list",
    "guide/policies": "topics with no relevant documents",
    "guide/data-in": "read elasticsearch results; load beir; qrels format; qdrant hits",
    "questions/chunks guide/data-in": "langchain documents",
    "questions/trust questions/what-to-judge": "sparse judgments",
    "questions/trust": "bias against systems outside the pool",
    "questions/trust _generated/api/irframe.verbs.leave_out": "leave-one-run-out",
    "questions/how-deep questions/trust": "judging depth too shallow",
    "papers/atomized-search-length _generated/metrics/ASL": "atomized search length",
    "_generated/metrics/RR": "mean reciprocal rank",
    "_generated/metrics/AP": "MAP",
    "_generated/metrics/RBP": "rank-biased precision",
    "_generated/metrics/ERR": "expected reciprocal rank",
    "_generated/metrics/alpha_nDCG": "alpha-nDCG",
    "questions/repeats": "model trained with five seeds",
    "questions/comparing questions/how-sure": "bootstrap confidence intervals",
    "questions/ties": "documents with the same score",
    "questions/ties tools/trec-eval": "order of tied documents in trec_eval",
    "guide/larger-than-memory": "runs too big for memory; run on several workers",
    "gallery guide/figures-and-tables": "boxplot of scores",
    "questions/how-deep guide/figures-and-tables": "heat map of correlations",
    "guide/figures-and-tables": "table in overleaf; booktabs table with bold best",
    "guide/report": "send results to colleagues",
    "questions/what-to-judge": "what should be annotated next",
    "questions/how-many questions/comparing": "smallest difference that can be detected",
    "questions/chunks": "evaluate RAG; best chunk size; agent that searches several times",
    "questions/when-to-answer-nothing": "abstain below a threshold; questions without an answer",
    "questions/over-tasks": "critical difference plot; one metric per task",
    "reference/how-to-cite": "cite irframe",
    "guide/types": "mypy stubs",
    "guide/several-tracks": "mean per dataset",
    "guide/reshaping": "long to wide",
    "guide/slicing": "slice the cube by depth",
    "questions/state-of-the-art": "is the new model better than the state of the art",
    "tools/pytrec-eval": "replacement for pytrec_eval",
    "tools/ranx": "reciprocal rank fusion",
}
"""Search queries, and the pages that may be their first result."""


@pytest.fixture(scope="module")
def tab(browsed):
    if not (SITE / "search.html").exists():
        pytest.skip("needs the built site: sphinx-build docs docs/_build/html")
    return browsed


@pytest.fixture(scope="module")
def browsed():
    play = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium") or pytest.skip("needs Chromium: apt-get install chromium")
    with play.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.heard = []
        tab.on(
            "console",
            lambda message: tab.heard.append(message.text) if message.type == "error" else None,
        )
        tab.on("pageerror", lambda error: tab.heard.append(str(error)))
        yield tab
        browser.close()


@pytest.mark.parametrize("page", ["index", "guide/getting-started", "_generated/metrics/AP"])
def test_every_page_shows_its_header_without_script_errors(tab, page):
    import irframe as ir

    tab.heard.clear()
    tab.goto((SITE / f"{page}.html").as_uri())
    home = tab.locator(".navbar-brand")
    assert home.is_visible()
    assert home.inner_text() == f"irframe {ir.__version__}"
    assert home.locator("img:visible").count() == 1
    assert tab.locator("a[href='https://github.com/irframe/irframe']:visible").count() >= 1
    assert tab.locator(".prev-next-area a").count() >= 1
    assert tab.heard == []


def test_search_puts_the_right_page_first(tab, monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    searched = import_module("searched")
    entered = {term.lower() for page in searched.SOUGHT for term in searched.sought(page)}
    queries = {query: pages for pages, joined in SOUGHT.items() for query in joined.split("; ")}
    assert len(queries) >= 60
    assert not entered & {query.lower() for query in queries}
    tab.goto((SITE / "search.html").as_uri())
    tab.wait_for_function("Search._index !== null")
    first = {query: tab.evaluate(FIRST, query) for query in queries}
    wrong = {query: page for query, page in first.items() if page not in queries[query].split()}
    assert len(wrong) <= len(queries) // 12, wrong
    assert not [
        page for page in first.values() if page.startswith(("CHANGELOG", "reference/bench"))
    ]


CELL = """<!doctype html><html lang="en" data-theme="{theme}"><head><title>A cube</title>{styles}
</head><body><main class="bd-content"><div class="cell_output docutils container">
<div class="output text_html">{cube}</div></div></main></body></html>"""


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_cubes_on_pages_are_readable_in_dark_mode(browsed, tmp_path, theme):
    import irframe as ir

    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    home = Path(pytest.importorskip("pydata_sphinx_theme").__file__).parent
    sheets = [*home.rglob("static/styles/*.css"), DOCS / "_static" / "irframe.css"]
    styles = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in sheets)
    cube = ir.cube(*ir.example_track())
    page = tmp_path / "cube.html"
    page.write_text(CELL.format(theme=theme, styles=styles, cube=cube._repr_html_()), "utf-8")
    browsed.goto(page.as_uri())
    result = axe.run(browsed, options={"runOnly": ["color-contrast"]}).response
    assert result["passes"]
    assert result["violations"] == []


FIRST = "query => Search._performSearch(...Search._parseQuery(query)).at(-1)?.[0] ?? ''"
