"""Tests of the pages of the documentation."""

import ast
import inspect
import json
import re
import subprocess
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import irframe as ir
from irframe.__main__ import main
from irframe.metrics import METRICS
from irframe.tables.cite import references

DOCS = Path(__file__).resolve().parents[1] / "docs"
REAL = DOCS / "real"
PAGES = {
    page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8")
    for page in sorted(DOCS.rglob("*.md"))
    if not {"_build", "_generated", "jupyter_execute", "real"} & set(page.relative_to(DOCS).parts)
}
FACTS = {
    f"{file.stem.replace('-', '_')}.{name}"
    for file in REAL.glob("*.json")
    for name in json.loads(file.read_text(encoding="utf-8"))
}
NUMBER = re.compile(r"<!--([a-z_]+\.\w+)-->")
SHOWN = re.compile(r"^[`:]{3,}\{(?:include|figure|image)\} (\S+)", re.MULTILINE)
TABLE = re.compile(r"^<!-- table ([\w-]+) -->$", re.MULTILINE)
PICTURE = re.compile(
    r"""(?:src=\"|srcset=\"|\]\(|\{(?:image|figure)\} )([\w./-]+\.(?:png|svg|jpg))"""
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def code_taken_out(text):
    """Return the text of a page without blocks of code.

    Directives that include files remain in the text.
    """
    return re.sub(
        r"^(```+)(?!\{(?:include|figure|image|list-table)\}).*?^\1$",
        "",
        text,
        flags=re.DOTALL | re.MULTILINE,
    )


def placed(page, address):
    """Return the file to which a link points."""
    return (DOCS / page).parent.joinpath(address).resolve()


def test_facts_that_pages_name_are_recorded_by_scripts():
    named = {name for text in PAGES.values() for name in NUMBER.findall(text)}
    assert named - FACTS == set()


@pytest.mark.parametrize("page", PAGES)
def test_numbers_on_pages_equal_the_recorded_facts(page, monkeypatch):
    monkeypatch.syspath_prepend(REAL)
    assert import_module("shown").inscribed(PAGES[page]) == PAGES[page]
    assert re.findall(r"\{\{ ?\w+\.\w+ ?\}\}", PAGES[page]) == []


def test_unknown_facts_are_not_replaced(monkeypatch):
    monkeypatch.syspath_prepend(REAL)
    page = "<!--hedge.runs--> 1<!--/--> of<!--hedge.to_come--> 2<!--/-->"
    shown = import_module("shown")
    monkeypatch.setattr(shown, "all_facts", lambda: {"hedge.runs": "78"})
    assert shown.inscribed(page) == page.replace("1", "78")


def test_every_result_on_real_data_is_shown_on_some_page():
    shown = {placed(page, file) for page, text in PAGES.items() for file in SHOWN.findall(text)}
    shown |= {REAL / f"{name}.md" for text in PAGES.values() for name in TABLE.findall(text)}
    files = {file for file in REAL.iterdir() if file.suffix in {".md", ".png", ".svg"}}
    assert {file.name for file in files - shown} == set()
    assert [file.name for file in shown if file.parent == REAL and not file.exists()] == []


def test_every_picture_on_a_page_is_in_the_repository():
    if not (DOCS.parent / ".git").exists():
        pytest.skip("needs a checkout with git")
    listed = ["git", "ls-files", "--cached", "--", "."]
    process = subprocess.run(listed, cwd=DOCS.parent, capture_output=True, text=True, check=True)
    tracked = {(DOCS.parent / name).resolve() for name in process.stdout.splitlines()}
    texts = PAGES | {"../README.md": (DOCS.parent / "README.md").read_text(encoding="utf-8")}
    pictures = [
        (page, name)
        for page, text in texts.items()
        for name in PICTURE.findall(text)
        if "_generated" not in name
    ]
    assert len(pictures) > 20
    assert [(page, name) for page, name in pictures if placed(page, name) not in tracked] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages(page):
    addresses = LINK.findall(code_taken_out(PAGES[page])) + SHOWN.findall(PAGES[page])
    local = {link.partition("#")[0] for link in addresses if not re.match(r"[a-z]+:|#", link)}
    generated = {link for link in local if "_generated" in link}
    assert generated <= {link for link in SHOWN.findall(PAGES[page]) if link.endswith(".md")}
    assert [link for link in sorted(local - generated) if not placed(page, link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_on_pages_have_a_text(page):
    assert re.findall(r"(?<!`)\[\]\([^)]*\)", code_taken_out(PAGES[page])) == []


def test_every_metric_belongs_to_one_family(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    pages = import_module("metric_pages")
    listed = [name for names in pages.FAMILIES.values() for name in names.split()]
    assert Counter(listed) == Counter(list(METRICS))
    assert set(pages.USUAL) <= set(listed)


def test_the_table_of_metrics_links_all_papers_of_each_metric(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    pages = import_module("metric_pages")
    lines = pages.metrics_table().splitlines()
    for name, metric in METRICS.items():
        row = next(line for line in lines if line.startswith(f"| [{name}]("))
        papers = list(references(metric))
        assert papers
        assert row.count("](https://doi.org/") == sum(doi != "" for _, doi in papers)
        assert all(f"](https://doi.org/{doi})" in row for _, doi in papers if doi)
    linked = pages.short("A, B. On things. SIGIR 2001.", "10.1/x")
    assert linked == "[A and B 2001](https://doi.org/10.1/x)"
    assert pages.short("A, B, C. After 1999. 2001.", "") == "A et al. 2001"


CODE = re.compile(r"^ *(`{3,})\{?[\w-]*\}? ?python\n(.*?)^ *\1$", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_code_lines_on_pages_have_at_most_100_characters(page):
    lines = [line for _, code in CODE.findall(PAGES[page]) for line in code.splitlines()]
    assert [line for line in lines if len(line.strip()) > 100] == []


def test_the_page_of_verbs_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    written = (DOCS / "reference" / "verbs.md").read_text()
    assert import_module("verbs").with_text(written) == written
    assert "| `compare` | scores | Test the differences" in written


def test_no_page_installs_irframe_from_a_package_index():
    commands = [line for text in PAGES.values() for line in text.splitlines() if "install" in line]
    assert [line for line in commands if re.search(r"install [^&]*\birframe\b", line)] == []


def test_each_search_term_belongs_to_one_existing_page(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    searched = import_module("searched")
    pages = [page.removesuffix(".md") for page in PAGES]
    assert {*searched.SOUGHT} <= {*pages}
    entered = Counter(term.lower() for page in searched.SOUGHT for term in searched.sought(page))
    assert [term for term, times in entered.items() if times > 1] == []
    assert "hit rate at k" in searched.sought("_generated/metrics/Success")
    assert "ttest" in searched.sought("_generated/api/irframe.verbs.compare")


def test_every_parameter_of_the_reference_has_a_type_in_words(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    add_types = import_module("parameter_types").add_types
    n_typed = 0
    for path, member in import_module("generate").public().items():
        if inspect.isclass(member) and issubclass(member, Exception):
            continue
        lines = (inspect.getdoc(member) or "").splitlines()
        add_types(None, "", path, member, None, lines)
        entries = [line for line in lines if re.match(r"\*{0,2}\w+(, \w+)* : ", line)]
        typed = {
            name for line in entries for name in line.partition(" : ")[0].strip("*").split(", ")
        }
        assert {*inspect.signature(member).parameters} - typed == set(), path
        types = " ".join(line.partition(" : ")[2] for line in entries)
        assert re.findall(r"\||\[|typing|numpy|Any\b|Annotated", types) == [], path
        n_typed += len(typed)
    assert n_typed > 500


def test_types_of_parameters_have_the_form_of_numpydoc(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    lines = inspect.getdoc(ir.verbs.compare).splitlines()
    import_module("parameter_types").add_types(None, "", "", ir.verbs.compare, None, lines)
    assert "scores : DataArray or DataFrame" in lines
    assert "margin : float or dict of str to float or None" in lines


def test_the_page_of_the_report_names_its_sections_in_order():
    template = (DOCS.parent / "irframe" / "reports" / "page" / "page.html").read_text()
    contents = re.search(r'<nav class="contents".*?</nav>', template)[0]
    sections = re.findall(r"<a [^>]*>([^<]+)</a>", contents)
    assert len(sections) == 10
    assert re.findall(r"^- \*\*(.+?)\*\*", PAGES["guide/report.md"], re.MULTILINE) == [
        "Summary",
        *sections,
    ]


SCRIPTS = [*DOCS.glob("*.py"), *REAL.glob("*.py"), *(DOCS.parent / ".ci").glob("*.py")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_names_that_scripts_import_from_irframe_exist(script):
    imports = [
        node
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("irframe")
    ]
    for node in imports:
        for alias in node.names:
            exec(f"from {node.module} import {alias.name}", {})  # noqa: S102 - our own


def test_each_page_is_written_by_one_script():
    names = Counter(
        name
        for script in REAL.glob("*.py")
        for name in re.findall(r'Page\("([\w-]+)"\)', script.read_text(encoding="utf-8"))
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_notebooks_contain_plain_markdown_and_valid_python(monkeypatch):
    pytest.importorskip("nbclient")
    monkeypatch.syspath_prepend(DOCS)
    notebooks = import_module("notebooks")
    for page in notebooks.PAGES:
        assert f"_generated/notebooks/{Path(page).name}.ipynb" in PAGES[f"{page}.md"]
        cells = list(notebooks.cells(page, PAGES[f"{page}.md"]))
        assert sum(cell.cell_type == "code" for cell in cells) >= 5
        for cell in cells:
            if cell.cell_type == "code":
                ast.parse(cell.source)
            else:
                assert not re.search(
                    r":::|<!--|^:\w+:|\{\w+(:\w+)?\}`|\]\(\)|\.md[)#]", cell.source
                )


PAPERS = {
    "pooling-and-depth": "The effect of pooling and evaluation depth on IR metrics",
    "leaderboard": "Significant improvements over the state of the art?",
    "atomized-search-length": "Atomized search length: beyond user models",
    "innate-orderings": "How much freedom does an effectiveness metric really have?",
    "twist": "The Twist measure for IR evaluation",
}
THEIRS = (
    *("coverage", "inversion ratios", "Kendall volatility matrices", "ESL", "outcome breakdown"),
    *("search length", "Innate pairwise orderings", "IPSO", "Twist", "ASL", "RRIE", ".ireval"),
    *("system x topic x depth", "summaries per track", "accessor `.ireval`"),
)


def test_the_first_pages_name_the_five_papers_and_their_methods():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for text, folder in ((readme, "docs/papers"), (PAGES["index.md"], "papers")):
        links = dict(re.findall(r"\[([^\]]+)\]\((\S+)\)", text))
        assert {links[title] for title in PAPERS.values()} == {
            f"{folder}/{page}.md" for page in PAPERS
        }
        plain = " ".join(text.lower().split()).replace("per-track summaries", "summaries per track")
        assert [method for method in THEIRS if method.lower() not in plain] == []


WORDS = {
    "quickstart": "guide/getting-started",
    "custom metric": "CONTRIBUTING",
    "own metric": "CONTRIBUTING",
    "excel": "guide/saving",
    "early stopping": "guide/training-loop",
    "query difficulty": "guide/faq",
}
"""Mapping from search queries that do not occur on a page to the page that the search must find."""


@pytest.mark.parametrize("query", WORDS)
def test_each_search_query_leads_to_one_page(query, monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    searched = import_module("searched")
    entries = {page: ", ".join(searched.sought(page)).lower() for page in searched.SOUGHT}
    result = {page for page, terms in entries.items() if query in terms.split(", ")}
    assert result == {WORDS[query]}


def inline_calls():
    """Return the calls in texts and galleries of first pages."""
    call = re.compile(r"`((?:cube|scores|runs)\.[^`\n]+)`")
    texts = [(DOCS.parent / "README.md").read_text(encoding="utf-8"), PAGES["index.md"]]
    cards = import_module("gallery").FRONT.values()
    return [
        *call.findall("\n".join(texts)),
        *(f"{root}.ireval.plot.{figure}" for root, figure in cards),
    ]


def test_calls_on_the_first_pages_run_with_and_without_groups(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    runs, qrels = ir.example_track()
    qrels["track"] = np.where(qrels["topic"] < "109", "passages", "documents")
    runs["track"] = np.where(runs["topic"] < "109", "passages", "documents")
    cube = runs.ireval.cube(qrels)
    namespace = {"runs": runs, "qrels": qrels, "cube": cube, "scores": cube.ireval.score("AP")}
    namespace |= {"a": "monot5", "b": "bm25"}
    calls = inline_calls()
    assert len(calls) > 10
    for call in calls:
        assert eval(call, namespace) is not None, call  # noqa: S307 - our own pages
        verb = call.partition(".ireval.plot.")[0].removesuffix(".summary")
        before, _, last = verb.rpartition(".ireval.")
        if before and not last.startswith("groupby"):
            grouped = eval(f'{before}.ireval.groupby("track").{last}', namespace)  # noqa: S307
            assert "track" in repr(grouped), call


def test_the_first_code_of_the_readme_and_of_the_index_runs(tmp_path, monkeypatch, capsys):
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    landing = PAGES["index.md"]
    monkeypatch.chdir(tmp_path)
    main(["demo", "--files", "."])
    for text in (readme, landing):
        Path("report.html").unlink(missing_ok=True)
        exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], {})  # noqa: S102 - our own
        assert "monot5" in capsys.readouterr().out
        assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_each_of_the_seven_guidelines_has_code_that_runs():
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    namespace = {"ir": ir, "runs": runs, "qrels": qrels, "cube": cube, "d": 10}
    namespace |= {"scores": cube.ireval.score("AP", "RBP(p=0.95)")}
    namespace |= {"result": namespace["scores"].ireval.summary()}
    rows = re.findall(r"^\| \d\. .*$", PAGES["papers/pooling-and-depth.md"], re.MULTILINE)
    assert len(rows) == 7
    for row in rows:
        lines = re.findall(r"`((?:ir|runs|cube|scores|result)\.[^`]+)`", row)
        assert [eval(line, namespace) for line in lines] != []  # noqa: S307 - our own page


def test_the_code_for_each_of_the_five_papers_runs():
    runs, qrels = ir.example_track()
    single = qrels[qrels["grade"] > 0].drop_duplicates("topic")
    rows = [row for row in PAGES["index.md"].splitlines() if row.startswith("| [")]
    lines = re.findall(r"`(cube\.[^`]+)`", "\n".join(rows))
    assert len(lines) == len(PAPERS)
    for line in lines:
        assert eval(line, {"cube": runs.ireval.cube(single)}) is not None  # noqa: S307 - our own page
