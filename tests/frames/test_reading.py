"""Reading against a slow reader that splits every line, on odd files and on real ones."""

import gzip
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.frames.reading import read_qrels, read_run, read_runs

RUN = ["topic", "Q0", "doc", "rank", "score", "system"]
LINES = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n"


def slow_rows(text, names):
    """Split every line; a list of values per column."""
    lines = [line.strip(" \t") for line in re.split("\r\n|\r|\n", text)]
    rows = [re.split("[ \t]+", line) for line in lines if line and not line.startswith("#")]
    assert all(len(row) == len(names) for row in rows)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def assert_holds(frame, columns):
    for name, values in columns.items():
        if name == "Q0":
            continue
        kind = {"rank": int, "grade": int, "score": float}.get(name, str)
        assert frame[name].tolist() == [kind(value) for value in values]


def write(folder, text, name="a.run"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


ids = st.one_of(
    st.sampled_from(["001", "1e5", "NA", "nan", "null", "None", "-1", '"q', "'", "a,b", "x#", "é"]),
    st.text("abcXYZ0189.-_:/", min_size=1, max_size=8),
)
numbers = st.integers(-3, 10**12).map(str)
scores = st.floats(allow_nan=False).map(repr)
gaps = st.sampled_from([" ", "\t", "  ", " \t", "\t\t "])
edges = st.sampled_from(["", "", " ", "\t "])
ends = st.sampled_from(["\n", "\r\n", "\n\n", "\n \t\n", "\n# a comment\n", "\n  #\n"])


@st.composite
def files(draw, *fields):
    """Draw a file of these fields with any white space, and the same with one blank or tab."""
    rows = draw(st.lists(st.tuples(*fields), min_size=1, max_size=6))
    text = draw(st.sampled_from(["", "\ufeff", "# made by hand\n", "\n\r\n"]))
    for row in rows:
        line = draw(edges) + row[0]
        line += "".join(draw(gaps) + field for field in row[1:]) + draw(edges)
        text += line + draw(ends)
    plain = draw(st.sampled_from([" ", "\t"]))
    regular = "\n".join(plain.join(row) for row in rows)
    return draw(st.sampled_from([text, text.rstrip(), regular, regular + "\n"]))


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


@given(files(ids, ids, ids, numbers))
def test_qrels_are_what_a_slow_reader_reads(text):
    frame = read_qrels(io.BytesIO(text.encode()))
    assert list(frame) == ["topic", "doc", "grade", "iteration"]
    columns = ["topic", "iteration", "doc", "grade"]
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), columns))


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


@pytest.mark.parametrize(
    "name",
    [
        "robust03/qrels.txt",
        "trec-covid-round1/qrels.txt",
        "msmarco-doc-dev/qrels.txt",
        "dl-hard/dl_hard-doc.qrels",
    ],
)
def test_real_qrels(shared, name):
    path = shared / "data" / name
    columns = slow_rows(path.read_text(), ["topic", "iteration", "doc", "grade"])
    assert_holds(read_qrels(path), columns)


def test_all_systems_of_a_track(shared):
    folder = shared / "data" / "trec-covid-round1"
    runs = read_runs(folder / "runs")
    board = pd.read_csv(folder / "leaderboard.csv")
    assert runs["system"].nunique() == len(board) == 143
    assert runs["system"].iloc[0] == min(path.name for path in folder.glob("runs/*"))[:-3]


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


@pytest.mark.parametrize(
    ("file", "system"),
    [
        ("input.NLPR03vb10.gz", "input.NLPR03vb10"),
        ("bm25+rm3.txt.gz", "bm25+rm3"),
        ("bm25.run.XZ", "bm25"),
        ("bm25(zs).trec.zst", "bm25(zs)"),
        ("sab20.1.blind.gz", "sab20.1.blind"),
        ("run2", "run2"),
    ],
)
def test_system_named_after_its_file(tmp_path, file, system):
    write(tmp_path, LINES, file)
    assert set(read_runs(tmp_path, system="file")["system"]) == {system}


def test_open_files(tmp_path):
    wanted = read_run(write(tmp_path, LINES))
    with (tmp_path / "a.run").open() as text, (tmp_path / "a.run").open("rb") as data:
        for source in (text, data, io.StringIO(LINES), io.BytesIO(LINES.encode())):
            pd.testing.assert_frame_equal(read_run(source), wanted)


def test_named_columns_of_judgments(tmp_path):
    beir = "query-id\tcorpus-id\tscore\n001\td1\t2\n002\t-\t-1\n"
    assert read_qrels(write(tmp_path, beir)).to_dict("list") == {
        "topic": ["001", "002"],
        "doc": ["d1", "-"],
        "grade": [2, -1],
    }
    other = "# hand-made\ndocno relevance qid  pool\nd1 2 001 a\n"
    frame = read_qrels(write(tmp_path, other))
    assert frame.to_dict("list") == {"topic": ["001"], "doc": ["d1"], "grade": [2], "pool": ["a"]}


# Errors of text files


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b 0.5\n", "line 2 has the grade '0.5'"),
        ("1 0 a\n", "line 1 has 3 columns, not 4"),
        ("query-id\tcorpus-id\tscore\n", "without a row below its header"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\tno\n", "line 3 has the grade 'no'"),
        ("query-id\tcorpus-id\tscore\n1 0 a 1\n", "line 2 has 4 columns, not 3"),
        ("qid doc doc grade\n1 0 a 1\n", "line 1 is a header"),
    ],
)
def test_qrels_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(FileFormatError, match=rf"4 columns.*qrels\.txt.*{message}"):
        read_qrels(write(tmp_path, text, "qrels.txt"))


@pytest.mark.parametrize("read", [read_run, read_runs, read_qrels])
def test_missing_file(tmp_path, read):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.run")


# Many files


def test_runs_come_in_order(tmp_path):
    for system in "cab":
        write(tmp_path, f"1 Q0 d 1 2 {system}\n", f"{system}.run")
    write(tmp_path, "not a run", ".hidden")
    (tmp_path / "folder.run").mkdir()
    for paths in (f"{tmp_path}/*.run", tmp_path / "*.run", tmp_path, f"{tmp_path}/[abc].run"):
        assert read_runs(paths)["system"].tolist() == ["a", "b", "c"]
    given_order = [tmp_path / "c.run", str(tmp_path / "a.run")]
    assert read_runs(iter(given_order))["system"].tolist() == ["c", "a"]
    assert read_runs(tmp_path / "b.run")["system"].tolist() == ["b"]


def test_a_name_that_looks_like_a_pattern(tmp_path):
    path = write(tmp_path, LINES, "bm25[1].run")
    assert len(read_runs(path)) == 2


def test_pattern_across_folders(tmp_path):
    for system in "ab":
        (tmp_path / system).mkdir()
        write(tmp_path / system, f"1 Q0 d 1 2 {system}\n", "x.run")
    assert read_runs(f"{tmp_path}/**/*.run")["system"].tolist() == ["a", "b"]
    with pytest.raises(IdError, match=r"'x' in .*a/x\.run and .*b/x\.run.*Rename"):
        read_runs(f"{tmp_path}/**/*.run", system="file")


def test_a_system_in_two_files(tmp_path):
    for name in "abc":
        write(tmp_path, LINES, f"{name}.run")
    with pytest.raises(
        IdError, match=r"'bm25' in .*a\.run and .*b\.run and 1 more.*system=\"file\""
    ):
        read_runs(tmp_path)
    assert read_runs(tmp_path, system="file")["system"].tolist() == list("aabbcc")


def test_nothing_to_read(tmp_path):
    for paths in (f"{tmp_path}/*.run", tmp_path, []):
        with pytest.raises(InputError, match="found none"):
            read_runs(paths)


def test_unknown_source_of_names(tmp_path):
    with pytest.raises(ParameterError, match="stem"):
        read_runs(tmp_path, system="stem")


def test_faults_of_all_files_at_once(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, LINES + "1 Q0\n", "b.run")
    with pytest.raises(FileFormatError, match=r"b\.run with lines .*line 3 has 2"):
        read_runs(tmp_path)
    write(tmp_path, "", "c.run")
    with pytest.raises(FileFormatError, match=r"2 files .*b\.run line 3 has 2.*c\.run without"):
        read_runs(tmp_path)


def test_runs_with_and_without_scores(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, "1 a 1\n", "b.run")
    with pytest.raises(FileFormatError, match=r"a score in every file.*b\.run"):
        read_runs(tmp_path)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("count", "progress", "terminal", "shown"),
    [
        (21, None, True, True),
        (20, None, True, False),
        (21, None, False, False),
        (2, True, False, True),
        (21, False, True, False),
    ],
)
def test_progress(tmp_path, monkeypatch, count, progress, terminal, shown):
    stderr = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    for number in range(count):
        write(tmp_path, f"1 Q0 d 1 2 s{number}\n", f"{number}.run")
    assert len(read_runs(tmp_path, progress=progress)) == count
    assert (f"\rread {count} of {count} files\n" in stderr.getvalue()) == shown
