"""What is wrong with a line."""

import pytest

from irframe.errors import FileFormatError
from irframe.files.formats import QRELS, RUN, parse


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"1 0 d", "line 3 has 3 columns, not 4"),
        (b"x", "line 3 has 1 column, not 4"),
        (b"1 0 d 1.5", "line 3 has the grade '1.5'"),
        (b"1 0 d 0x1", "line 3 has the grade '0x1'"),
        (b"topic 0 doc grade", "line 3 is a header"),
        (b"1 0 \xff 1", "line 3 is not UTF-8 text"),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_faults_are_told_by_line(line, fault, end):
    text = end.join([b"1 0 a 1", b"# 2 columns", line, b"1 0 b 0", b""])
    with pytest.raises(FileFormatError) as caught:
        parse(text, "some.qrels", QRELS)
    assert caught.value.offenders == [fault]
    assert caught.value.found == "some.qrels with lines that do not fit"
    five = "or 5 columns (topic iteration doc stratum grade) or with a header"
    assert f"4 columns (topic iteration doc grade) {five}" in caught.value.wanted


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"1 Q0 a 1 2 x more\n1 Q0 b 2 1\n", "line 2 has 5 columns, not 6"),
        (b"1 Q0 a 1 2 x\n1 Q0 b 2 one x more\n", "line 2 has the score 'one'"),
        (b"1 a 1\n1 b 2 1\n", "line 2 has 4 columns, not 3"),
    ],
)
def test_further_columns_are_no_fault_of_a_run_of_six(text, fault):
    with pytest.raises(FileFormatError) as caught:
        parse(text, "a.run", RUN)
    assert caught.value.offenders == [fault]
