"""Run the code that a page shows, and write what it gives as the page shows it."""

import ast
import os
import re
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler
from shown import inscribe

import irframe as ir

HERE = Path(__file__).parent
BLOCK = re.compile(
    r"^```\{code-block\} (python|console)\n:name: (\S+)\n\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def run_page(path, folder="."):
    """Run the named blocks of a page, write what it shows of them; return all variables."""
    names = {}
    for block, text in run_blocks(path, names, folder):
        (HERE / f"{block}.md").write_text(text, encoding="utf-8")
    inscribe()
    return names


def run_blocks(path, names, folder="."):
    """Run the named blocks of a page in their order, and yield what each gives that is shown."""
    page = path.read_text(encoding="utf-8")
    for language, block, code in BLOCK.findall(page):
        outputs = typed(code, folder) if language == "console" else computed(code, names)
        if f"<!-- table {block} -->" in page:
            yield block, as_markdown(outputs, block)


def as_markdown(output, name):
    """Return a frame as a table, a styled one as HTML, all else as text."""
    if isinstance(output, Styler):
        return f"```{{raw}} html\n{output.set_uuid(name).to_html().strip()}\n```\n"
    if not isinstance(output, pd.DataFrame | pd.Series):
        text = output if isinstance(output, str) else repr(output)
        return f"```text\n{text.rstrip()}\n```\n"
    frame = pd.DataFrame(output)
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.rename_axis(index=[name or " " for name in frame.index.names]).reset_index()
    lines = [[*map(str, frame.columns)], ["---"] * len(frame.columns)]
    lines += [[str(value) for value in row] for row in frame.map(shown).to_numpy()]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def shown(value):
    """Return a value of a table as text, numbers with four decimals unless they are tiny."""
    if isinstance(value, str) and "'" in value:
        return f"`{value}`"
    if not isinstance(value, float):
        return value
    return tiny(value) if abs(value) < 5e-5 else f"{value:.4f}"


def tiny(number):
    """Return a small number as text."""
    return "0" if number == 0 else f"{number:.0e}"


def computed(code, names):
    """Run Python code; return its last expression, or what it printed."""
    body, last = ast.parse(code), None
    if isinstance(body.body[-1], ast.Expr):
        last = ast.Expression(body.body.pop().value)
    printed = StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("ignore")
        exec(compile(body, "page", "exec"), names)  # noqa: S102 - our own pages
        value = None if last is None else eval(compile(last, "page", "eval"), names)  # noqa: S307
    return printed.getvalue() if value is None else value


def typed(code, folder):
    """Run the command lines of a block in a folder, and return what they print."""
    commands = re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]
    return "".join(shell(command, folder) for command in commands)


def shell(line, folder):
    """Run a command line, and return what it prints; irframe is the one that runs here."""
    program = f'irframe() {{ "{sys.executable}" -W ignore -m irframe "$@"; }}; '
    environment = {**os.environ, "PYTHONPATH": str(Path(ir.__file__).parents[1])}
    process = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", program + line], cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return process.stdout
