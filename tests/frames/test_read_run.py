"""One run against a slow reader that splits every line, on odd files and on real ones."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from filed import LINES, RUN, assert_holds, files, ids, numbers, scores, slow_rows, write
from hypothesis import given

from irframe.errors import FileFormatError
from irframe.frames.read_qrels import read_qrels
from irframe.frames.read_run import read_run
from irframe.frames.read_runs import read_runs


@given(files(ids, ids, ids, numbers, scores, ids))
def test_run_is_what_a_slow_reader_reads(text):
    frame = read_run(io.BytesIO(text.encode()))
    assert list(frame) == ["system", "topic", "doc", "rank", "score"]
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), RUN))


@given(files(ids, ids, numbers))
def test_ms_marco_run_is_what_a_slow_reader_reads(text):
    frame = read_run(io.BytesIO(text.encode()), system="mine")
    assert list(frame) == ["system", "topic", "doc", "rank"]
    assert set(frame["system"]) == {"mine"}
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), ["topic", "doc", "rank"]))


@pytest.mark.parametrize(
    "name",
    [
        "robust03/runs/input.humR03dc.gz",
        "trec-covid-round1/runs/wistud_bing.gz",
        "msmarco-doc-dev/runs/bm25+rm3.txt.gz",
        "dl-hard/baselines/doc/bm25+rm3+bert-mp(zs).run.gz",
    ],
)
def test_real_runs(shared, name):
    path = shared / "data" / name
    text = gzip.decompress(path.read_bytes()).decode()
    assert_holds(read_run(path), slow_rows(text, RUN))


def test_types_compare_and_join_as_text(tmp_path):
    run = read_run(write(tmp_path, LINES))
    assert run["topic"].dtype == run["doc"].dtype == run["system"].dtype
    if pd.__version__ >= "3":
        assert run["doc"].dtype == "str"
    assert (run["rank"].dtype, run["score"].dtype) == (np.int64, np.float64)
    assert (run["topic"] == "301").tolist() == [True, True]
    other = pd.DataFrame({"doc": ["d3"], "grade": [2]})
    assert run.merge(other, on="doc")["rank"].tolist() == [2]
    run.loc[0, "rank"] = 9
    assert run["rank"].tolist() == [9, 2]


def test_system_is_tag_argument_or_file(tmp_path):
    tagged = write(tmp_path, "1 Q0 a 1 2 x\n1 Q0 b 2 1 y\n")
    assert read_run(tagged)["system"].tolist() == ["x", "y"]
    assert read_run(tagged, "z")["system"].tolist() == ["z", "z"]
    untagged = write(tmp_path, "1\ta\t1\n", "dev.v2.run.tsv")
    assert read_run(untagged)["system"].tolist() == ["dev.v2.run"]
    assert read_run(untagged, system="z")["system"].tolist() == ["z"]


def test_open_files(tmp_path):
    wanted = read_run(write(tmp_path, LINES))
    with (tmp_path / "a.run").open() as text, (tmp_path / "a.run").open("rb") as data:
        for source in (text, data, io.StringIO(LINES), io.BytesIO(LINES.encode())):
            pd.testing.assert_frame_equal(read_run(source), wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "without a single row"),
        ("\n# only this\n \n", "without a single row"),
        ("1 Q0 a 1 2\n", "line 1 has 5 columns, not 6"),
        ("1\n", "line 1 has 1 column,"),
        (
            "1 Q0 a 1 2 x\n\n# c\n1 Q0 a b 1 2 x\n1 a 2\n",
            "line 4 has 7 columns, not 6, line 5 has 3",
        ),
        ("1 a 1\r\n1 Q0 b 2 1 x\r\n", "line 2 has 6 columns, not 3"),
        ("1\tQ0\ta\t1\tnan\tx\n1\tQ0\tb\t2\tNaN\tx\n", "line 1 has the score 'nan', line 2"),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 high x\n", "line 2 has the score 'high'"),
        ("1 Q0 a 1 1_000 x\n", "line 1 has the score '1_000'"),
        ("1 Q0 a first 2 x\n", "line 1 has the rank 'first'"),
        ("1 Q0 a 1.5 2 x\n", "line 1 has the rank '1.5'"),
        ("\n\nqid Q0 docno rank score tag\n1 Q0 a 1 2 x\n", "line 3 is a header"),
        ("topic\tdoc\trank\n1\ta\t1\n", "line 1 is a header"),
        (b"1 Q0 a 1 2 x\n1 Q0 \xe9 2 1 x\n", "line 2 is not UTF-8 text"),
        ("1\tQ0\t\t1\t2\tx\n", "line 1 has 5 columns"),
        ("1 Q0 a 99999999999999999999 2 x\n", "line 1 has the rank '9999"),
    ],
)
def test_run_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(FileFormatError, match=rf"6 columns.*or 3 columns.*a\.run.*{message}"):
        read_run(write(tmp_path, text))


def test_errors_list_five_lines(tmp_path):
    text = LINES + "1 Q0 a x 2 y\n" * 9
    with pytest.raises(FileFormatError) as caught:
        read_run(write(tmp_path, text))
    assert [offender.split()[1] for offender in caught.value.offenders] == list("34567")


@pytest.mark.parametrize("read", [read_run, read_runs, read_qrels])
def test_missing_file(tmp_path, read):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.run")
