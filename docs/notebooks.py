"""Pages as executed notebooks to download."""

import doctest
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from stamps import key_of_code

HERE = Path(__file__).parent
SITE = "https://irframe.readthedocs.io/en/latest/"
PAGES = ("papers/twist", "guide/training-loop", "guide/shared-task", "questions/chunks")
BLOCK = re.compile(
    r"^```(?:\{code-cell\} python|python(?=\n>>>))\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
OPTION = re.compile(r"^:[\w-]+:.*\n", re.MULTILINE)
PLAIN = (
    (r"\A---\n.*?\n---\n", ""),  # what the build reads of a page
    (r"<!--.*?-->", ""),
    (r"^.*\{download\}.*\n", ""),
    (r"^```\{figure\}.*?^```$", ""),
    (r"^(:{3,})\{[\w-]+\} *(.*)$", r"**\2**"),
    (r"^\*\*\*\*$|^:{3,}$|^:[\w-]+:.*$", ""),
    (r"\{[\w:]+\}`~?(?:irframe\.)?(?:verbs\.)?([^`]+)`", r"`\1`"),
    (r"\n{3,}", "\n\n"),
)
"""What MyST says and Markdown does not, and what stands in its place."""
LINK = re.compile(r"\[([^\]]*)\]\(((?!\w+:)[^)\s#]+\.md|)(#[^)\s]+)?\)")


def write_notebooks(folder):
    """Write the notebooks whose page or code changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        source, target = HERE / f"{page}.md", folder / f"{Path(page).name}.ipynb"
        key = key_of_code(source, __file__)
        if target.exists() and nbformat.read(target, 4).metadata.get("made_of") == key:
            continue
        notebook = nbformat.v4.new_notebook(cells=list(cells(page, source.read_text("utf-8"))))
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        notebook.metadata["made_of"] = key
        nbformat.write(notebook, target)


def cells(page, text):
    """Yield the cells of a page."""
    for index, block in enumerate(BLOCK.split(text)):
        if index % 2:
            examples = doctest.DocTestParser().get_examples(block) if block[:3] == ">>>" else ()
            code = "".join(example.source for example in examples) or OPTION.sub("", block)
            yield nbformat.v4.new_code_cell(code.strip())
        elif plain := prose(page, block):
            yield nbformat.v4.new_markdown_cell(plain)


def prose(page, text):
    """Return text as Markdown, with links to the site."""
    for pattern, instead in PLAIN:
        lines = re.DOTALL if ".*?" in pattern else 0
        text = re.sub(pattern, instead, text, flags=re.MULTILINE | lines)
    return LINK.sub(lambda match: linked(page, *match.groups()), text).strip()


def linked(page, text, target, mark):
    """Return a link to a page of the site."""
    target_path = (HERE / page).parent.joinpath(target or f"{Path(page).name}.md").resolve()
    path = target_path.relative_to(HERE).with_suffix(".html").as_posix()
    named = text or (mark or target_path.stem).strip("#").replace("-", " ")
    return f"[{named}]({SITE}{path}{mark or ''})"
