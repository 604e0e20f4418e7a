"""Subcommands of ``irframe`` on the command line.

A command has a function ``declare_...``, which declares its options, and a function ``run_...``,
which returns the answer. The module of a command is imported only when the command is used, because
imports are slow. Commands call public functions only.
"""

import ast
import os
import re
import shlex
import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from irframe.elsewhere import similar
from irframe.errors import IrframeError
from irframe.escaping import encodable, one_line
from irframe.progress import ERASED

COMMANDS = {
    "evaluate": ("evaluate", "score runs; print a table, or the layout of trec_eval"),
    "compare": ("compare", "test which systems differ"),
    "freeze": (
        "evaluate",
        "save the scores of a run as a baseline for later runs",
    ),
    "check": ("evaluate", "list the problems of each submitted run"),
    "diagnose": ("evaluate", "list properties of runs and judgments that may mislead"),
    "leaderboard": ("compare", "rank the systems, with intervals of their ranks"),
    "losses": ("evaluate", "split the score that each run loses by cause"),
    "risk-coverage": (
        "evaluate",
        "list risk and coverage of each system by score threshold",
    ),
    "judge-next": ("evaluate", "list the documents to judge next, most useful first"),
    "report": ("compare", "write all results to one HTML page"),
    "convert": ("convert", "write runs or judgments in another format"),
    "metrics": ("convert", "list all metrics, or explain some of them"),
    "demo": ("convert", "evaluate the example track, and explain the results"),
}
"""Mapping from the name of each command to its module and its summary in the help."""

EXAMPLES = {
    "evaluate": "irframe evaluate qrels.txt 'runs/*.gz' -m nDCG@10 AP",
    "compare": "irframe compare qrels.txt 'runs/*.gz' -m nDCG@10 --baseline bm25",
    "freeze": "irframe freeze qrels.txt runs/bm25.gz -m nDCG@10 -o bm25.irframe",
    "check": "irframe check qrels.txt 'runs/*.gz' --fail-on warning",
    "diagnose": "irframe diagnose qrels.txt 'runs/*.gz'",
    "leaderboard": "irframe leaderboard qrels.txt 'runs/*.gz' -m nDCG@10 -o board.md",
    "losses": "irframe losses qrels.txt 'runs/*.gz' -m nDCG@10",
    "risk-coverage": "irframe risk-coverage qrels.txt 'runs/*.gz' -o curves.csv",
    "judge-next": "irframe judge-next qrels.txt 'runs/*.gz' -n 20",
    "report": "irframe report qrels.txt 'runs/*.gz' --baseline bm25 -o page.html",
    "convert": "irframe convert 'runs/*.gz' -o runs.parquet",
    "metrics": "irframe metrics nDCG RBP",
    "demo": "irframe demo --files .",
}
"""Mapping from the name of a command to an example call with the files of ``irframe demo --files
.``."""

GROUPS = {
    "files": "system columns sep repeat systems contributing collection texts train qrels "
    "subtopics files",
    "metrics and rankings": "metric rel depth ties score_dtype topics no_rel pool_depth baseline "
    "rank_by",
    "chunks, budgets and searches": "of length search each budget cut threshold searches",
    "topics, repeats and tasks": "repeats over weights cluster tasks task_metrics order_by",
    "tests and intervals": "test adjust family alpha simultaneous effects margin power interval "
    "rank_interval samples seed",
    "gate": "baseline_file rehearse update fail_on",
    "output": "output format per_topic by wide link title report",
}
"""Mapping from a heading in the help to the options below it.

Options that are below no heading come first in the help."""

EPILOG = """\
exit status:
  0    success
  1    check, diagnose or compare found a problem that --fail-on selects
  2    error, explained in one line
  130  stopped by Ctrl-C; no incomplete file was written
"""

NEVER = "never"
"""Value of ``--fail-on`` for an exit status that does not depend on findings."""
METRIC = "-m", "--metric"


def as_options(text: str, names: Container[str]) -> str:
    """Replace Python arguments in a message by command-line options.

    Examples
    --------
    >>> as_options("pass ties='rank'", {"ties"})
    'pass --ties rank'
    >>> as_options("say which: ir.read_run(path, columns=['topic', 'doc'])", {"columns"})
    'say which: --columns topic,doc'
    >>> as_options("choose one by baseline=", {"baseline"})
    'choose one by --baseline'
    >>> as_options("name the column: units=ir.Units(length='tokens')", {"length"})
    'name the column: --length tokens'
    >>> as_options("declare tasks: scores.ireval.design(task=...)", {"tasks"})
    'declare tasks: --tasks'
    """

    def columns(match: re.Match[str]) -> str:
        value = ast.literal_eval(match[1])
        is_mapping = isinstance(value, dict)
        names = [f"{n}={role}" for n, role in value.items()] if is_mapping else value
        return f"--columns {','.join(map(str, names))}"

    def option(match: re.Match[str]) -> str:
        flag = f"--{match[1].replace('_', '-')}"
        value = f" {shlex.quote(match[2])}" if match[2] else ""
        return f"{flag}{value}" if match[1] in names else match[0]

    if "tasks" in names:
        text = text.replace("scores.ireval.design(task=...)", "--tasks")
    if "columns" in names:
        text = re.sub(r"ir\.read_\w+\(path, columns=(\[[^]]*\]|{[^}]*})\)", columns, text)
    text = re.sub(r"(?<![\w-])([a-z_]+)=(?:r?'([^']+)'|(?=[\s.,;:)]|$))", option, text)
    # Objects such as `ir.Units` combine arguments that are separate options on the command line.
    return re.sub(r"[a-z]+=ir\.[A-Z]\w+\((--[\w-]+ [\w.-]+)\)", r"\1", text)


def tell(message: object, names: Container[str] = ()) -> int:
    """Print one line on stderr; return exit status 2.

    Parameters
    ----------
    message
        The error or text to print.
    names
        The options of the command, which replace Python arguments in the message.
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
    sys.stderr.write(f"{ERASED * sys.stderr.isatty()}{text}")
    return 2


AnyAction = TypeVar("AnyAction", bound=Action)


class Line(ArgumentParser):
    """Argument parser that prints an error in one line."""

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        shape = RawDescriptionHelpFormatter
        super().__init__(prog=prog, description=description, epilog=epilog, formatter_class=shape)
        self._titled = {title: self.add_argument_group(title) for title in GROUPS}

    def _add_action(self, action: AnyAction) -> AnyAction:
        """Add an option to its group in the help."""
        for title, members in GROUPS.items():
            if action.option_strings and action.dest in members.split():
                return self._titled[title]._add_action(action)  # noqa: SLF001 - same method
        return super()._add_action(action)

    def error(self, message: str) -> NoReturn:
        """Exit with an error, and suggest a similar option."""
        # argparse puts the choices into the message, and nowhere else
        about, _, choices = message.partition(" (choose from ")
        wrong = re.search(r"(?:invalid choice: |unrecognized arguments: .*?)'?([^\s'=]+)", about)
        flags = {flag.lstrip("-"): flag for flag in self._option_string_actions}
        suggestions = dict.fromkeys(re.findall(r"[\w-]+", choices), "{}") or flags
        hint = similar(wrong[1].lstrip("-"), suggestions) if wrong else ""
        listed = f"; it may be one of {choices.rstrip(')')}" if choices else ""
        sys.exit(tell(f"{about}{hint}{listed}; see {self.prog} --help"))

    def read(self, args: Sequence[str]) -> Namespace:
        """Parse arguments, with files and options in any order."""
        names = [f"{a.metavar}{' ...' * bool(a.nargs)}" for a in self._get_positional_actions()]
        self.usage = " ".join(["%(prog)s [OPTION ...]", *names])
        # `spread` replaces nargs="+", with which -m would also read the files that follow as
        # metrics
        return self.parse_intermixed_args(spread(args))


def spread(args: Sequence[str]) -> list[str]:
    """Insert the option ``--metric`` before every metric.

    The first argument after ``-m`` is always read as a metric, and the arguments that follow are
    also metrics. The list of metrics ends before an option, an existing file, a name with a suffix
    of letters, or a pattern.

    Examples
    --------
    >>> spread(["-m", "AP", "nDCG@10", "qrels.txt", "runs/*.gz", "-m", "P_5", "-q"])
    ['--metric=AP', '--metric=nDCG@10', 'qrels.txt', 'runs/*.gz', '--metric=P_5', '-q']
    """
    separate: list[str] = []
    is_first = is_metric = False
    for arg in args:
        is_metric = (is_metric and not _ends_metrics(arg)) or is_first
        # argparse reports the missing metric if an option follows -m directly
        if is_first and arg.startswith("-"):
            break
        if arg in METRIC:
            is_first = is_metric = True
            continue
        separate.append(f"{METRIC[1]}={arg}" if is_metric else arg)
        is_first = False
    return list(args) if is_first else separate


def _ends_metrics(arg: str) -> bool:
    """Return whether an argument ends the list of metrics."""
    is_pattern = Path(arg).suffix[1:2].isalpha() or any(mark in arg for mark in "*?[/\\")
    exists = os.path.exists(arg)  # noqa: PTH110 - Path.exists raises for invalid paths
    return arg.startswith("-") or ("(" not in arg and is_pattern) or exists
