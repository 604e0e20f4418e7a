"""What may stand on the line of a command: files and metrics in any order, and options."""

import os
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from irframe.elsewhere import suggest
from irframe.errors import IrframeError

METRIC = "-m", "--metric"


def tell(message: object) -> int:
    """Print one line on stderr, and return the exit status of an error."""
    if isinstance(message, IrframeError):
        message = message.found_first
    elif isinstance(message, OSError) and message.strerror:
        message = ": ".join([str(message.filename)] * bool(message.filename) + [message.strerror])
    print("irframe:", " ".join(str(message).split()), file=sys.stderr)
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


def declare_files(parser: ArgumentParser) -> None:
    """Let judgments and runs be named."""
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+",
        help="files of runs, packed or not, patterns in quotes, folders, or - for standard input",
    )  # fmt: skip
    parser.add_argument(
        "--system", choices=("tag", "file"), default="tag", help="where systems get their names"
    )


def declare_repeats(parser: ArgumentParser) -> None:
    """Let names of files say which repeat of a system a run is."""
    parser.add_argument(
        "--repeat", metavar="PATTERN",
        help="regular expression of names of files with the groups system and repeat, such as "
        r"'(?P<system>.+)-seed(?P<repeat>\d+)'",
    )  # fmt: skip


def declare_metrics(parser: ArgumentParser, *, required: bool = True) -> None:
    """Let metrics be named, one or several after each ``-m``."""
    parser.add_argument(
        *METRIC, required=required, metavar="METRIC", action="append", default=[],
        help="metrics, such as AP nDCG@10 'RBP(p=0.8)', map_cut_10 or official; several after one "
        "-m, or -m several times, anywhere on the line",
    )  # fmt: skip
