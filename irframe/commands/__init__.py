"""The command line: a few commands per module, imported when one of them is given.

For every command there are ``declare_...``, which says its options, and ``run_...``, which
returns the answer. Commands call public functions, as any other user does.
"""

import ast
import os
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NoReturn

from irframe.elsewhere import suggest
from irframe.errors import IrframeError
from irframe.escaping import encodable, one_line

COMMANDS = {
    "evaluate": ("evaluate", "score runs, as a table or as trec_eval prints it"),
    "compare": ("compare", "test which systems differ"),
    "freeze": (
        "evaluate",
        "keep the scores of a run as a file, which later runs are compared with",
    ),
    "check": ("evaluate", "say of every run what may be wrong with it"),
    "diagnose": ("evaluate", "say what to know about runs and judgments before trusting a number"),
    "leaderboard": ("compare", "list the systems from the best on, and how sure that is"),
    "losses": ("evaluate", "split what each run lacks of the best score by cause"),
    "judge-next": ("evaluate", "list the documents to judge next, the most useful first"),
    "report": ("compare", "write one page with all of it"),
    "convert": ("convert", "write runs or judgments in another format"),
    "metrics": ("convert", "list the metrics, or explain some"),
    "demo": ("convert", "evaluate the embedded track and explain the result"),
}
"""Name -> the module that holds the command, and what it does."""

EPILOG = """\
exit status:
  0  the answer was given
  1  check, diagnose or compare found something as grave as --fail-on says
  2  an error, told in one line
  130  stopped by Ctrl-C; no file is left in part
"""

NEVER = "never"
"""Whatever is found, the exit status is 0."""
METRIC = "-m", "--metric"


def as_options(text: str, names: Container[str]) -> str:
    """Return a message in which code of Python is what options of these names say.

    Examples
    --------
    >>> as_options("pass ties='rank'", {"ties"})
    'pass --ties rank'
    >>> as_options("say which: ir.read_run(path, columns=['topic', 'doc'])", {"columns"})
    'say which: --columns topic,doc'
    """

    def columns(found: re.Match[str]) -> str:
        value = ast.literal_eval(found[1])
        is_mapping = isinstance(value, dict)
        names = [f"{n}={role}" for n, role in value.items()] if is_mapping else value
        return f"--columns {','.join(map(str, names))}"

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')} {found[2]}" if found[1] in names else found[0]

    if "columns" in names:
        text = re.sub(r"ir\.read_\w+\(path, columns=(\[[^]]*\]|{[^}]*})\)", columns, text)
    return re.sub(r"\b([a-z_]+)='([\w.-]+)'", option, text)


def tell(message: object, names: Container[str] = ()) -> int:
    """Print one line on stderr, and return the exit status of an error.

    Parameters
    ----------
    message
        An error, or a text.
    names
        The options of the command, which stand for code in the message.
    """
    if isinstance(message, IrframeError):
        message = as_options(message.found_first, names)
    elif isinstance(message, str):
        message = as_options(message, names)
    elif isinstance(message, OSError) and message.strerror:
        message = ": ".join([str(message.filename)] * bool(message.filename) + [message.strerror])
    text = encodable(f"irframe: {one_line(message)}\n", sys.stderr)
    if sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = text.replace("irframe: warning:", "irframe: \033[33mwarning:\033[0m", 1)
    sys.stderr.write(text)
    return 2


class Line(ArgumentParser):
    """A parser that says in one line what is wrong."""

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        shape = RawDescriptionHelpFormatter
        super().__init__(prog=prog, description=description, epilog=epilog, formatter_class=shape)

    def error(self, message: str) -> NoReturn:
        """Leave with the status of an error; a word that is none is said with what is meant."""
        about, _, choices = message.partition(" (choose from ")
        wrong = re.search(r"(?:invalid choice: |unrecognized arguments: .*?)'?([^\s'=]+)", about)
        flags = {flag.lstrip("-"): flag for flag in self._option_string_actions}
        known = dict.fromkeys(re.findall(r"[\w-]+", choices), "{}") or flags
        hint = suggest(wrong[1].lstrip("-"), known) if wrong else ""
        listed = f"; choose from {choices.rstrip(')')}" if choices else ""
        sys.exit(tell(f"{about}{hint}{listed}; see {self.prog} --help"))

    def read(self, words: Sequence[str]) -> Namespace:
        """Read a line, in which files and options stand in any order."""
        return self.parse_intermixed_args(spread(words))


def spread(words: Sequence[str]) -> list[str]:
    """Give every metric after ``-m`` an option of its own, so that files may follow.

    The first word after ``-m`` is a metric, and so are those after it, up to the next option or
    what exists as a file or is written like one: with a suffix of letters, or as a pattern.

    Examples
    --------
    >>> spread(["-m", "AP", "nDCG@10", "qrels.txt", "runs/*.gz", "-m", "P_5", "-q"])
    ['--metric=AP', '--metric=nDCG@10', 'qrels.txt', 'runs/*.gz', '--metric=P_5', '-q']
    """
    spelled: list[str] = []
    wanted = taking = False
    for word in words:
        taking = (taking and not _ends_metrics(word)) or wanted
        if wanted and word.startswith("-"):
            break
        if word in METRIC:
            wanted = taking = True
            continue
        spelled.append(f"{METRIC[1]}={word}" if taking else word)
        wanted = False
    return [*words] if wanted else spelled


def _ends_metrics(word: str) -> bool:
    """Return whether a word after a metric is an option or a file."""
    pattern = Path(word).suffix[1:2].isalpha() or any(mark in word for mark in "*?[/\\")
    there = os.path.exists(word)  # noqa: PTH110 - Path.exists raises for what no path can be
    return word.startswith("-") or ("(" not in word and pattern) or there
