"""Tests that compare readers of files with a reference reader."""

import ast
import gzip
import io
import re
import sys
import weakref
from collections import defaultdict
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from filed import LINES, RUN, assert_holds, files, ids, numbers, scores, slow_rows, write
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import (
    FileFormatError,
    IdError,
    InputError,
    IrframeError,
    IrframeWarning,
    ParameterError,
    RankingError,
)
from irframe.files.read_file import run_table
from irframe.files.read_runs import read_qrels, read_run, read_runs
from irframe.files.scan_runs import scan_runs
from irframe.frames import values


@given(files(ids, ids, ids, numbers, scores, ids))
def test_runs_agree_with_a_reference_reader(text):
    frame = read_run(io.BytesIO(text.encode()))
    assert list(frame) == ["system", "topic", "doc", "rank", "score"]
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), RUN))


def third_column(rows):
    """Return the role of integers, rank or score, or None."""
    lists = defaultdict(list)
    for topic, number in zip(rows["topic"], map(int, rows["rank"]), strict=True):
        lists[topic].append(number)
    steps = [below < above for numbers in lists.values() for above, below in pairwise(numbers)]
    if any(all(sorted(x) == [*range(n, n + len(x))] for x in lists.values()) for n in (0, 1)):
        return None if steps and all(steps) else "rank"
    return "score" if any(steps) or min(chain(*lists.values())) < 0 else None


@given(files(ids, st.sampled_from("ab"), st.integers(-1, 4).map(str)) | files(ids, ids, numbers))
def test_third_columns_agree_with_a_reference_reader(text):
    rows = slow_rows(text.removeprefix("\ufeff"), ["topic", "doc", "rank"])
    role = third_column(rows)
    try:
        frame = read_run(io.BytesIO(text.encode()), system="mine")
    except RankingError:
        assert role is None
        return
    assert list(frame) == ["system", "topic", "doc", role]
    assert set(frame["system"]) == {"mine"}
    rows[role] = rows.pop("rank")
    assert_holds(frame, rows)


@pytest.mark.parametrize(
    ("numbers", "role"),
    [
        *((numbers, "rank") for numbers in ("1 2 3", "0 1 2", "2 1 3")),
        *((numbers, "score") for numbers in ("9 5 7", "9 5 5", "-1 2 3", "1 2 3.0", "1.5 1 .5")),
        *((numbers, None) for numbers in ("3 2 1", "1 2 4", "5 6 7", "4 4 4")),
    ],
)
def test_ambiguous_third_columns_are_refused(tmp_path, numbers, role):
    text = "".join(f"q {doc} {n}\n" for doc, n in zip("abc", numbers.split(), strict=True))
    path = write(tmp_path, text)
    if role is None:
        refused(
            RankingError,
            r"may be ranks or scores.*columns=\['topic', 'doc', 'score'\]",
            read_run,
            path,
        )
    else:
        assert list(read_run(path))[-1] == role
    assert list(read_run(path, columns=["topic", "doc", "score"]))[-1] == "score"
    repeated = write(tmp_path, text * 2)
    if role == "rank":  # integers that are not consecutive are scores
        assert list(read_run(repeated))[-1] == "score"


@pytest.mark.parametrize(
    "name",
    few_of(
        [
            "robust03/runs/input.humR03dc.gz",
            "trec-covid-round1/runs/wistud_bing.gz",
            "msmarco-doc-dev/runs/bm25+rm3.txt.gz",
            "dl-hard/baselines/doc/bm25+rm3+bert-mp(zs).run.gz",
        ],
        4,
    ),
)
def test_real_runs_agree_with_a_reference_reader(shared, name):
    path = shared / "data" / name
    text = gzip.decompress(path.read_bytes()).decode()
    assert_holds(read_run(path), slow_rows(text, RUN))


def test_ids_compare_and_join_as_text(tmp_path):
    run = read_run(write(tmp_path, LINES))
    assert run["topic"].dtype == run["doc"].dtype == run["system"].dtype
    if pd.__version__ >= "3":
        assert run["doc"].dtype == "str"
    assert (run["rank"].dtype, run["score"].dtype) == (np.int64, np.float64)
    assert (run["topic"] == "301").tolist() == [True, True]
    judgments = pd.DataFrame({"doc": ["d3"], "grade": [2]})
    assert run.merge(judgments, on="doc")["rank"].tolist() == [2]
    run.loc[0, "rank"] = 9
    assert run["rank"].tolist() == [9, 2]


def test_open_files_are_read(tmp_path):
    expected = read_run(write(tmp_path, LINES))
    with (tmp_path / "a.run").open() as text, (tmp_path / "a.run").open("rb") as data:
        for source in (text, data, io.StringIO(LINES), io.BytesIO(LINES.encode())):
            pd.testing.assert_frame_equal(read_run(source), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows in"),
        ("\n# only this\n \n", "no rows in"),
        ("1 Q0 a 1 2\n", "line 1 has 5 columns, not 6"),
        ("1 Q0 a 1 2 x\n\n# c\n1 Q0 a b 1 2 x\n1 a 2\n", "line 5 has 3 columns, not 6"),
        ("1 a 1\r\n1 Q0 b 2 1 x\r\n", "line 2 has 6 columns, not 3"),
        ("1\tQ0\ta\t1\tnan\tx\n1\tQ0\tb\t2\tNaN\tx\n", "line 1 has the score 'nan', line 2"),
        ("1 Q0 a 1 1e309 x\n1 Q0 b 2 inf x\n", "line 1 has the score '1e309'. Mend"),
        ("1 Q0 a 1 \u0661 x\n", "line 1 has the score '\u0661'"),
        ("1 Q0 a 1 2 x\n\nqid Q0 docno rank score tag\n", "line 3 is a header"),
        (b"1 Q0 a 1 2 x\n1 Q0 \xe9 2 1 x\n", "line 2 is not UTF-8 text"),
        ("1\tQ0\t\t1\t2\tx\n", "line 1 has the doc ''"),
        ("1 Q0 a 1 2 x more\n1 Q0 b 2 1\n", "line 2 has 5 columns, not 7"),
        ("1 Q0 a 1 2 x\n1 Q0 b 2 one x more\n", "line 2 has the score 'one'"),
        ("1 a 1\n1 b 2 1\n", "line 2 has 4 columns, not 3"),
        ("1 Q0 a 99999999999999999999 2 x\n", "line 1 has the rank '9999"),
    ],
)
def test_run_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(IrframeError, match=rf"a\.run.*{message}|{message} \S*a\.run"):
        read_run(write(tmp_path, text))


def test_errors_show_five_lines_and_count_the_rest(tmp_path):
    text = LINES + "1 Q0 a x 2 y\n" * 9
    with pytest.raises(InputError, match="line 3 .* line 7 has the rank 'x' and 4 more") as caught:
        read_run(write(tmp_path, text))
    assert len(caught.value.offenders) == 9


def test_columns_after_the_sixth_are_skipped(tmp_path):
    plain = read_run(write(tmp_path, LINES))
    for more in (" 0.7", " x y", " bm25 bm25 Q0"):
        longer = LINES.replace("\n", more + "\n")
        for text in (longer, longer.replace(" ", "  ")):
            with pytest.warns(IrframeWarning, match="column 7 and later columns of .*ignored"):
                pd.testing.assert_frame_equal(read_run(write(tmp_path, text)), plain)
    with pytest.raises(InputError, match="line 1 has the rank 'b'"):
        read_run(write(tmp_path, "1 Q0 a b 1 2 x\n"))


@pytest.mark.parametrize("ends", [(" x", ""), ("", " and more"), (" b", " a b c", "")])
@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_uneven_lines_cause_a_warning(tmp_path, ends, blank):
    plain = read_run(write(tmp_path, LINES))
    lines = LINES.splitlines()
    rows = [line + ends[pos % len(ends)] for pos, line in enumerate(lines)]
    text = "\n".join(["# a comment of some eight words or so", "", *rows]).replace(" ", blank)
    path = write(tmp_path, text)
    least, *_, most = sorted(len(row.split()) for row in rows)
    message = f"a.run have {least} to {most} columns; columns after the sixth are ignored"
    with pytest.warns(IrframeWarning, match=message):
        pd.testing.assert_frame_equal(read_run(path), plain)


def test_columns_are_freed_during_conversion(tmp_path, monkeypatch):
    references = []

    def watched(table):
        references.append(sys.getrefcount(table))
        return values.to_frame(table)

    run, qrels = write(tmp_path, LINES), tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n")
    for reader, path in ((read_run, run), (read_runs, run), (read_qrels, qrels)):
        monkeypatch.setattr(sys.modules[reader.__module__], "to_frame", watched)
        reader(path)
    watched(pa.table({"alone": [1]}))
    assert len(references) == 4
    assert len(set(references)) == 1


@pytest.mark.parametrize("streaming", [False, True])
def test_tables_are_freed_during_conversion(tmp_path, monkeypatch, streaming):
    table_of = {}
    references = []

    def watched(source, system, kind):
        table = run_table(source, system, kind)
        table_of[Path(source).name] = weakref.ref(table)
        return table

    def to_frame(table):
        files = [f"{name}.run" for name in table["system"].unique().to_pylist()]
        references.extend(name for name in files if table_of[name]() is not None)
        return values.to_frame(table)

    monkeypatch.setattr(sys.modules[run_table.__module__], "run_table", watched)
    for module in (sys.modules[read_runs.__module__], sys.modules[scan_runs.__module__]):
        monkeypatch.setattr(module, "to_frame", to_frame)
    monkeypatch.setattr(module, "BATCH", 1)
    names = [f"{name}.run" for name in "abcde"]
    for name in names:
        (tmp_path / name).write_text(LINES)
    scanned = scan_runs(tmp_path / "*.run", system="file")
    frames = list(scanned.frames()) if streaming else [scanned.frame()]
    assert (len(frames), sorted(table_of), references) == (5 if streaming else 1, names, [])


@pytest.mark.parametrize("reader", [read_run, read_runs, read_qrels])
def test_sources_that_are_not_files_are_refused(tmp_path, reader):
    for source in (None, 5, 2.5):
        refused(InputError, f"path.*found {source}", reader, source)
    folder = [tmp_path] if reader is read_runs else tmp_path
    refused(InputError, f"found the folder {tmp_path}", reader, folder)
    refused(FileNotFoundError, "none.run", reader, tmp_path / "none.run")


def test_names_of_systems_must_be_text(tmp_path):
    refused(
        ParameterError,
        "system= to be a string, but found 5",
        read_run,
        write(tmp_path, LINES),
        system=5,
    )


@given(files(ids, ids, ids, numbers))
def test_qrels_agree_with_a_reference_reader(text):
    frame = read_qrels(io.BytesIO(text.encode()))
    assert list(frame) == ["topic", "doc", "grade", "iteration"]
    columns = ["topic", "iteration", "doc", "grade"]
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), columns))


@pytest.mark.parametrize(
    "name",
    few_of(
        [
            "robust03/qrels.txt",
            "trec-covid-round1/qrels.txt",
            "msmarco-doc-dev/qrels.txt",
            "dl-hard/dl_hard-doc.qrels",
        ],
        4,
    ),
)
def test_real_judgments_agree_with_a_reference_reader(shared, name):
    path = shared / "data" / name
    columns = slow_rows(path.read_text(), ["topic", "iteration", "doc", "grade"])
    assert_holds(read_qrels(path), columns)


def test_judgments_with_a_header_are_read(tmp_path):
    beir = "query-id\tcorpus-id\tscore\n001\td1\t2\n002\t-\t-1\n"
    assert read_qrels(write(tmp_path, beir)).to_dict("list") == {
        "topic": ["001", "002"],
        "doc": ["d1", "-"],
        "grade": [2, -1],
    }
    renamed = "# hand-made\ndocno relevance qid  pool\nd1 2 001 a\n"
    frame = read_qrels(write(tmp_path, renamed))
    assert frame.to_dict("list") == {"topic": ["001"], "doc": ["d1"], "grade": [2], "pool": ["a"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b 0.5\n", "line 2 has the grade '0.5'"),
        ("query-id\tcorpus-id\tscore\n", "no rows below the header of"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\tno\n", "line 3 has the grade 'no'"),
        ("query-id\tcorpus-id\tscore\n1 0 a 1\n", "line 2 has 1 column, not 3"),
        ("qid doc doc grade\n1 0 a 1\n", "line 1 is a header"),
        ("qid doc grade probability\n1 a 1 nan\n", "line 2 has the probability 'nan'"),
    ],
)
def test_qrels_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(IrframeError, match=rf"qrels\.txt.*{message}|{message} \S*qrels\.txt"):
        read_qrels(write(tmp_path, text, "qrels.txt"))


def test_a_named_column_of_subtopics_is_read(tmp_path):
    plain = read_qrels(write(tmp_path, "1 2 a 1\n"), subtopics=True)
    both = "qid iteration subtopic doc grade\n1 0 2 a 1\n"
    named = read_qrels(write(tmp_path, both), subtopics=True)
    assert (plain["subtopic"].tolist(), named["subtopic"].tolist()) == (["2"], ["2"])


COLUMNS = {"columns": ["qid", "docno", "score"]}


@pytest.mark.parametrize(
    ("text", "options", "rows"),
    [
        ("1\td1\t97\n1\td2\t55\n", COLUMNS, [["1", "d1", 97.0], ["1", "d2", 55.0]]),
        ("m,qid,docno,score\nA,1,d,2\n", {"columns": {"m": "system"}}, [["A", "1", "d", 2.0]]),
        ('1;"a; b";2.5\n', {}, [["1", "a; b", 2.5]]),
        ("1,a b,2.5\n", {}, [["1", "a b", 2.5]]),
        ("1|a b|2.5\n", {"sep": "|"}, [["1", "a b", 2.5]]),
        ("1 Q0 a,b,1 1 2.5 x\n", {}, [["x", "1", "a,b,1", 1, 2.5]]),
    ],
)
def test_columns_and_sep_describe_a_file(tmp_path, text, options, rows):
    frame = read_run(write(tmp_path, text), **options)
    assert frame.to_numpy().tolist() in (rows, [["a", *row] for row in rows])


def test_ambiguous_files_are_refused_with_advice(tmp_path):
    systems = write(tmp_path, "method,qid,docno,score\nA,1,a,2\nB,1,a,1\n")
    refused(InputError, r"ir.read_run\(path, columns={'method': 'system'}\)", read_run, systems)
    blanks = write(tmp_path, "1 0 d 7 1\n1 0 e 8 1\n")
    refused(
        FileFormatError,
        r"may separate columns or belong to names.*ir.read_qrels\(path, columns=",
        read_qrels,
        blanks,
    )
    strata = ["topic", "iteration", "doc", "stratum", "grade"]
    assert read_qrels(blanks, columns=strata)["stratum"].tolist() == ["7", "8"]
    refused(InputError, "columns= with other columns", read_run, blanks, columns=["topic", "doc"])
    refused(ParameterError, "sep= to be one ASCII character", read_run, blanks, sep="ab")
    votes = pd.DataFrame({"topic": "1", "doc": ["a", "b", "c"], "rank": [100, 50, 0]})
    refused(RankingError, "ranks 0 to 100, which fall", ir.verbs.rank, votes)


ODD_OPTIONS = (
    *({"columns": odd} for odd in (3, "topic", [], ["topic", None, "doc", "score"], {"topic"})),
    *({"columns": odd} for odd in ({"method": "systems"}, {"qid": "topic", "no": "topic"})),
    *({"sep": odd} for odd in ("é", "\n", "\r", '"', "", 3)),
)


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=str)
def test_invalid_columns_and_sep_are_refused(tmp_path, options):
    file = write(tmp_path, "method,qid,docno,score\nA,1,a,2\n")
    refused(ParameterError, "expected (columns|sep)= to ", read_run, file, **options)
    refused(ParameterError, "expected (columns|sep)= to ", read_qrels, file, **options)


@pytest.mark.parametrize("text", ["qid,docno,score\n1,a,2\n", "1 Q0 a 1 2 x\n", '{"1": {"a": 2}}'])
def test_columns_that_the_file_lacks_are_refused(tmp_path, text):
    refused(InputError, "'no'", read_run, write(tmp_path, text), columns={"no": "system"})


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (read_run, "qid,query_id,docno,score\n1,2,a,1\n"),
        (read_run, '[{"qid": "1", "query_id": "2", "docno": "a", "score": 1}]'),
        (read_run, "model_name,qid,docno,score\nx,1,a,2\ny,1,a,1\n"),
        (read_run, "model_name,qid,docno,score\nx,1,a,2\ny,1,b,1\nz,1,c,0\n"),
        (
            read_run,
            '{"question": "1", "url": "a", "sim": 2}\n{"question": "2", "url": "a", "sim": 1}',
        ),
        (read_qrels, "qid\tquery_id\tdocno\tlabel\n1\t2\ta\t1\n"),
    ],
)
def test_code_in_advice_reads_the_file(tmp_path, reader, text):
    file = write(tmp_path, text)
    with pytest.raises(InputError) as refusal:
        reader(file)
    called, message = re.search(
        r"ir\.(\w+)\(path, columns=({.*?})\)", refusal.value.advice
    ).groups()
    assert called == reader.__name__
    columns = ast.literal_eval(message)
    frame = reader(file, columns=columns)
    lost = {name for name, role in columns.items() if name not in frame and role in frame}
    assert lost == columns.keys()


def test_options_may_name_columns_of_a_file(tmp_path):
    rows = "topic,chunk_id,doc_id,rank,tokens\nq,a#0,a,1,9\nq,a#1,a,2,5\nq,b#0,b,3,9\n"
    options = {"units": ir.Units("doc_id", length="tokens"), "stop": ir.Budget([22, 23])}
    run = read_run(write(tmp_path, rows))
    result = ir.evaluate(run, {"q": {"a": 1, "b": 1}}, "Recall", **options)
    assert result.to_numpy().tolist() == [[0.5, 1.0]]


@pytest.mark.thorough
def test_all_runs_of_a_track_are_read(shared):
    folder = shared / "data" / "trec-covid-round1"
    runs = read_runs(folder / "runs")
    board = pd.read_csv(folder / "leaderboard.csv")
    assert runs["system"].nunique() == len(board) == 143
    assert runs["system"].iloc[0] == min(path.name for path in folder.glob("runs/*"))[:-3]


def test_runs_are_in_the_order_of_file_names(tmp_path):
    for system in "cab":
        write(tmp_path, f"1 Q0 d 1 2 {system}\n", f"{system}.run")
    write(tmp_path, "not a run", ".hidden")
    (tmp_path / "folder.run").mkdir()
    for paths in (f"{tmp_path}/*.run", tmp_path / "*.run", tmp_path, f"{tmp_path}/[abc].run"):
        assert read_runs(paths)["system"].tolist() == ["a", "b", "c"]
    given_order = [tmp_path / "c.run", str(tmp_path / "a.run")]
    assert read_runs(iter(given_order))["system"].tolist() == ["c", "a"]
    assert read_runs(tmp_path / "b.run")["system"].tolist() == ["b"]


def test_files_named_like_patterns_are_read(tmp_path):
    path = write(tmp_path, LINES, "bm25[1].run")
    assert len(read_runs(path)) == 2


def test_patterns_match_nested_folders(tmp_path):
    for system in "ab":
        (tmp_path / system).mkdir()
        write(tmp_path / system, f"1 Q0 d 1 2 {system}\n", "x.run")
    assert read_runs(f"{tmp_path}/**/*.run")["system"].tolist() == ["a", "b"]
    with pytest.raises(IdError, match=r"b/x\.run: 'x', which is in .*a/x\.run.*Rename"):
        read_runs(f"{tmp_path}/**/*.run", system="file")


def test_a_system_in_two_files_is_refused(tmp_path):
    for name in "abc":
        write(tmp_path, LINES, f"{name}.run")
    files = r"found 2 files in conflict .*b\.run: 'bm25', which is in .*a\.run, .*c\.run: "
    message = f'{files}.*system="file"'
    refused(IdError, message, read_runs, tmp_path)
    assert read_runs(tmp_path, system="file")["system"].tolist() == list("aabbcc")


def test_parts_of_one_run_need_their_own_folder(tmp_path):
    for number in range(2):
        write(tmp_path, f"{number} Q0 d 1 2 x\n", f"x-{number}.run")
    refused(IdError, "name them part-0, part-1, .* in one folder", read_runs, tmp_path)
    for number in range(2):
        (tmp_path / f"x-{number}.run").rename(tmp_path / f"part-{number}.run")
    assert read_runs(tmp_path)["topic"].tolist() == ["0", "1"]


def test_missing_files_are_refused(tmp_path):
    for paths in (f"{tmp_path}/*.run", tmp_path, []):
        refused(InputError, "found none", read_runs, paths)


def test_unknown_system_options_are_refused(tmp_path):
    refused(ParameterError, "stem", lambda: read_runs(tmp_path, system="stem"))


def test_faults_of_all_files_are_listed(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, LINES + "1 Q0\n", "b.run")
    refused(FileFormatError, r"b\.run with lines .*line 3 has 2", lambda: read_runs(tmp_path))
    write(tmp_path, "", "c.run")
    refused(
        FileFormatError, r"2 files .*b\.run line 3 has 2.*no rows in .*c\.run", read_runs, tmp_path
    )


def test_runs_with_scores_are_not_combined_with_runs_without_scores(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, "1 a 1\n", "b.run")
    refused(FileFormatError, r"a score in every file.*b\.run", lambda: read_runs(tmp_path))
