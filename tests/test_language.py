"""Tests of plain language in names and docstrings.

Each number of violations has a limit, which may be lowered but not raised.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VAGUE = {
    *("told", "untold", "whole", "there", "held", "said", "mine", "lone", "apart", "riders"),
    *("laid", "having", "sound", "towards", "settle", "settled"),
}
"""Ambiguous words that no name may contain."""
FIRST_LINE = 10
"""Maximum number of words in the first paragraph of a docstring."""
SENTENCE = 30
"""Maximum number of words in a sentence of a docstring."""
PAGE_SENTENCE = 40
"""Maximum number of words in a sentence of a page."""
PARTICIPLE = re.compile(
    r"(?!Speed )(Given|Held|Kept|Left|Made|Read|Set|[A-Z]\w+(?:ed|en|wn)) "
    r"(as|at|by|for|from|if|in|into|of|on|over|per|to|with)\b"
)
"""Pattern that matches sentences that start with a participle, whose subject is missing."""
MOST = {
    "irframe": {"vague names": 0, "long first lines": 0, "long sentences": 4, "fronted phrases": 0},
    "tests": {"vague names": 0, "long first lines": 0},
}
MOST["irframe"]["participles"] = MOST["tests"]["participles"] = 0
"""Maximum number of violations by folder and rule. Most long sentences contain a formula or a list
of columns."""
RULES = ("vague names", "long first lines", "long sentences", "fronted phrases", "participles")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module


def nodes_of(folder):
    """Yield the path and all nodes of every module."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield path.relative_to(ROOT), [*ast.walk(tree)]


def names(nodes):
    """Yield line and text of names that a module defines."""
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, getattr(node, "id", None) or node.attr
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def prose(nodes):
    """Yield the paragraphs of every docstring, without examples and references."""
    for node in nodes:
        text = ast.get_docstring(node) if isinstance(node, Definition) else None
        if text:
            text = re.split(r"\n(?:References|Examples)\n-+\n", text)[0]
            yield getattr(node, "lineno", 1), re.split(r"\n\s*\n", text)


def sentences(paragraphs):
    """Yield the sentences of paragraphs, without formulas and underlines."""
    for paragraph in paragraphs:
        text = re.sub(r"``.*?``|`[^`]*`", "x", " ".join(paragraph.split()))
        if "---" not in text:
            yield from re.split(r"(?<=[.!?;:])\s+", text)


def paragraphs_of_page(text):
    """Return the paragraphs of prose of a page."""
    text = re.sub(r"(?s)```.*?```|<!--.*?-->|\*\*", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    paragraphs = re.split(r"\n\s*\n|\n(?=[-*] )", text)
    return [paragraph for paragraph in paragraphs if not paragraph.lstrip().startswith(("|", ":"))]


def findings(folder):
    """Map rules to their violations in a folder."""
    violations = {rule: [] for rule in RULES}
    for path, nodes in nodes_of(folder):
        for line, name in names(nodes):
            if VAGUE & {*name.lower().strip("_").split("_")}:
                violations["vague names"].append(f"{path}:{line} {name}")
        for line, paragraphs in prose(nodes):
            first = " ".join(paragraphs[0].split())
            if len(first.split()) > FIRST_LINE:
                violations["long first lines"].append(f"{path}:{line} {first}")
            for sentence in sentences(paragraphs):
                if len(sentence.split()) > SENTENCE:
                    violations["long sentences"].append(f"{path}:{line} {sentence}")
                if re.match(r"Of [a-z]", sentence):
                    violations["fronted phrases"].append(f"{path}:{line} {sentence}")
                if PARTICIPLE.match(sentence):
                    violations["participles"].append(f"{path}:{line} {sentence}")
    return violations


@pytest.mark.parametrize("folder", MOST)
def test_violations_of_language_rules_do_not_exceed_the_limits(folder):
    by_rule = findings(folder)
    more = {rule: by_rule[rule] for rule, most in MOST[folder].items() if len(by_rule[rule]) > most}
    assert more == {}


def test_sentences_of_pages_are_short():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    long = [
        f"{path.relative_to(ROOT)}: {sentence}"
        for path in pages
        if "_build" not in path.parts
        for sentence in sentences(paragraphs_of_page(path.read_text(encoding="utf-8")))
        if len(sentence.split()) > PAGE_SENTENCE
    ]
    assert long == []


def test_language_rules_find_the_violations_in_an_example():
    text = 'def told(x):\n    """Of all that there is, return the first one that is in its list."""'
    nodes = [*ast.walk(ast.parse(text))]
    assert [name for _, name in names(nodes) if name in VAGUE] == ["told"]
    ((_, paragraphs),) = prose(nodes)
    (sentence,) = sentences(paragraphs)
    assert len(sentence.split()) > FIRST_LINE
    assert sentence.startswith("Of ")
    assert PARTICIPLE.match("Sorted by score, the documents are counted.")
    assert not PARTICIPLE.match("Sort documents by score and count them.")
