"""Tests of files with and without a header.

irframe must read or refuse every odd line in the same way with and without a header, and with every
separator of columns. The header names the columns in order.
"""

import re
import warnings

import pytest

import irframe as ir
from irframe.errors import IrframeError, IrframeWarning
from irframe.frames.kinds import QRELS, RUN

pytestmark = pytest.mark.property

SEPARATORS = {"blanks": " ", "tabs": "\t", "commas": ",", "semicolons": ";"}
HEADERS = {"run": RUN.layouts[0], "qrels": QRELS.layouts[0]}
ROWS = {"run": ["1|Q0|a|1|2.5|s", "1|Q0|b|2|1.5|s"], "qrels": ["1|0|a|1", "1|0|b|0"]}
ODD_RUNS = {
    "a further column in one line": "1|Q0|c|3|1|s|x",
    "a column too few": "1|Q0|c|3|1",
    "an empty column": "1|Q0||3|1|s",
    "a comment": "# a comment",
    "a comment with separators": "# a|comment",
    "a comment with as many columns": "# 1|Q0|c|3|score|s",
    "a topic that begins with #": "#1|Q0|c|3|1|s",
    "an empty line": "",
    "a line of blanks": "   ",
    "a trailing separator": "1|Q0|c|3|1|s|",
    "text as score": "1|Q0|c|3|x|s",
    "a missing score": "1|Q0|c|3|nan|s",
    "a score beyond all floats": "1|Q0|c|3|1e400|s",
    "an infinite score": "1|Q0|c|3|-inf|s",
    "text as rank": "1|Q0|c|x|1|s",
    "a fraction as rank": "1|Q0|c|2.5|1|s",
    "a missing rank": "1|Q0|c|nan|1|s",
    "the header again": "topic|Q0|doc|rank|score|system",
}
ODD_QRELS = {
    "a column too few": "1|0|c",
    "a decimal grade": "1|0|c|0.5",
    "a whole number with a point": "1|0|c|1.0",
    "a sign": "1|0|c|+1",
    "a boolean": "1|0|c|true",
    "a missing grade": "1|0|c|nan",
    "a comment with separators": "# a|comment",
    "a topic that begins with #": "#1|0|c|1",
    "a judgment twice": "1|0|b|0",
    "the header again": "topic|iteration|doc|grade",
}
CASES = [("run", name, line) for name, line in ODD_RUNS.items()]
CASES += [("qrels", name, line) for name, line in ODD_QRELS.items()]


def outcome(path, kind, lines):
    """Return rows and cautions of a file, or its error.

    Line numbers in messages are counted without the header.
    """
    path.write_text("".join(f"{line}\n" for line in lines))
    reader = ir.read_run if kind == "run" else ir.read_qrels
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrframeWarning)
        try:
            frame = reader(path)
        except IrframeError as error:
            above = len(lines) - len(ROWS[kind]) - 1
            shift = lambda match: f"line {int(match[1]) - above}"  # noqa: E731
            return type(error), re.sub(r"line (\d+)", shift, str(error))
    rows = sorted(map(tuple, frame[sorted(frame)].astype(str).to_numpy().tolist()))
    return sorted(frame), rows, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize(
    ("kind", "line"), [pytest.param(k, line, id=f"{k}, {name}") for k, name, line in CASES]
)
def test_rows_are_read_alike_with_and_without_a_header(tmp_path, kind, line, separator):
    first, second = ROWS[kind]
    lines = ["|".join(HEADERS[kind]), first, line, second]
    lines = [text.replace("|", SEPARATORS[separator]) for text in lines]
    path = tmp_path / "file.txt"
    assert outcome(path, kind, lines) == outcome(path, kind, lines[1:])


@pytest.mark.parametrize("separator", SEPARATORS)
def test_only_comments_are_skipped(tmp_path, separator):
    not_comments = {"a topic that begins with #", "an infinite score", "a missing rank"}
    for name in ("a comment with separators", "a comment with as many columns", *not_comments):
        lines = [*ROWS["run"], ODD_RUNS[name]]
        lines = [text.replace("|", SEPARATORS[separator]) for text in lines]
        _, rows, _ = outcome(tmp_path / "file.txt", "run", lines)
        assert len(rows) == 2 + (name in not_comments), name
