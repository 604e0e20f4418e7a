"""Tests of irframe.files.write_run: round trips, refusals, and atomic writing."""

import gzip
import io
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval
from filed import integers, writable
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.__main__ import main
from irframe.errors import (
    FileFormatError,
    IdError,
    InputError,
    IrframeWarning,
    ParameterError,
    RankingError,
)
from irframe.files import write_run as write_lines
from irframe.files.read_runs import read_qrels, read_run
from irframe.files.sources import find_files
from irframe.files.write_run import atomic, write_qrels, write_run

RUN = pd.DataFrame(
    {
        "system": ["b", "b", "a"],
        "topic": ["002", "001", "001"],
        "doc": ["x", "y", "NA"],
        "rank": [0, 7, 1],
        "score": [0.1, -1e-300, 1 / 3],
    }
)


@given(
    st.lists(
        st.tuples(writable, writable, writable, integers, st.floats(allow_nan=False)), min_size=1
    )
)
def test_written_runs_are_read_back(tmp_path_factory, rows):
    frame = pd.DataFrame(rows, columns=list(RUN))
    path = tmp_path_factory.mktemp("run") / "a.run"
    write_run(frame, path)
    assert read_run(path).to_dict("list") == frame.to_dict("list")


@pytest.mark.parametrize("name", ["A.PARQUET", "a.parquet.gz"])
@pytest.mark.parametrize("rows", [3, 1])
def test_parquet_keeps_every_column(tmp_path, name, rows):
    frame = RUN.assign(start=[0, 5, 10], note=["é", None, "z"])[:rows]
    write_run(frame.rename(columns={"topic": "qid"}), tmp_path / name)
    result = read_run(tmp_path / name)
    assert result["note"].dropna().tolist() == frame["note"].dropna().tolist()
    assert result.drop(columns="note").to_dict("list") == frame.drop(columns="note").to_dict("list")
    write_run(frame.drop(columns="system"), tmp_path / name, system="mine")
    assert set(read_run(tmp_path / name)["system"]) == {"mine"}
    judged = pd.DataFrame({"topic": ["01"], "doc": ["é"], "grade": [2], "probability": [0.5]})
    write_qrels(judged, tmp_path / name)
    assert ir.read_qrels(tmp_path / name).to_dict("list") == judged.to_dict("list")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv.gz", "a.xlsx"])
def test_unsupported_suffixes_are_refused(tmp_path, name):
    expected = r"TREC file, or one that ends in \.parquet"
    refused(ParameterError, expected, write_run, RUN, tmp_path / name)
    refused(ParameterError, expected, write_qrels, JUDGED, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_runs_are_written_in_trec_format(tmp_path):
    write_run(RUN, tmp_path / "a")
    assert (tmp_path / "a").read_text().splitlines()[::2] == [
        "002 Q0 x 0 0.1 b",
        "001 Q0 NA 1 0.3333333333333333 a",
    ]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst", ".GZ"])
def test_the_suffix_selects_the_compression(tmp_path, suffix):
    path = tmp_path / f"a.run{suffix}"
    write_run(RUN, path)
    assert not path.read_bytes().startswith(b"002")
    assert read_run(path).to_dict("list") == RUN.to_dict("list")


def test_pytrec_eval_reads_written_runs(tmp_path):
    write_run(RUN[RUN["system"] == "b"], tmp_path / "a.gz")
    with gzip.open(tmp_path / "a.gz", "rt") as stream:
        assert pytrec_eval.parse_run(stream) == {"002": {"x": 0.1}, "001": {"y": -1e-300}}


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame.rename(columns={"topic": "qid", "doc": "docno", "system": "tag"}),
        lambda frame: frame.astype({"topic": object, "doc": "category", "system": "category"}),
        lambda frame: frame.astype({"topic": "string[pyarrow]", "doc": "string[python]"}),
        lambda frame: frame.astype({"rank": "uint8", "score": "Float64", "topic": "category"}),
        lambda frame: frame.astype({"rank": "float32", "score": object}),
        lambda frame: frame.astype({"rank": "Int16", "score": pd.ArrowDtype(pa.float64())}),
        lambda frame: frame.astype({"score": "category"}),
        lambda frame: frame.set_index(pd.Index([5, 5, 7]))[list(frame)[::-1]],
    ],
)
def test_columns_of_any_type_are_written(tmp_path, convert):
    frame = convert(RUN)
    before = frame.copy(deep=True)
    write_run(frame, tmp_path / "a")
    assert read_run(tmp_path / "a").to_dict("list") == RUN.to_dict("list")
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("kind", ["int64", "uint16", "Int32", "category", object])
def test_ids_may_be_integers(tmp_path, kind):
    frame = pd.DataFrame({"topic": [30, 7], "doc": [1, 2], "score": [2, 1]}).astype({"topic": kind})
    write_run(frame, tmp_path / "a")
    assert (tmp_path / "a").read_text() == "30 Q0 1 1 2 run\n7 Q0 2 1 1 run\n"


def test_the_option_system_names_every_row(tmp_path):
    write_run(RUN, tmp_path / "a", system="mine")
    assert set(read_run(tmp_path / "a")["system"]) == {"mine"}
    write_run(RUN.drop(columns="system"), tmp_path / "a")
    assert set(read_run(tmp_path / "a")["system"]) == {"run"}


def test_missing_ranks_follow_the_row_order(tmp_path):
    frame = pd.DataFrame({"system": list("abaa"), "topic": list("1112"), "doc": list("wxyz")})
    write_run(frame, tmp_path / "a")
    reread = read_run(tmp_path / "a")
    assert reread["rank"].tolist() == [1, 1, 2, 1]
    assert reread["score"].tolist() == [-1, -1, -2, -1]


def test_missing_scores_keep_the_order_of_ranks(tmp_path):
    write_run(RUN.drop(columns="score"), tmp_path / "a")
    reread = read_run(tmp_path / "a")
    assert reread["rank"].tolist() == RUN["rank"].tolist()
    assert reread["score"].tolist() == [0, -7, -1]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"doc": ["a b", "c", "d\te"]}, IdError, r"doc ids .* found 'a b', 'd\\te'"),
        ({"topic": ["#1", "1", "1"]}, IdError, "topic ids .* found '#1'"),
        ({"topic": ["\ufeff1", "1", "1"]}, IdError, r"topic ids .* found '\\ufeff1'"),
        ({"system": ["my run"] * 3}, IdError, "system ids .* found 'my run'"),
        ({"score": [1.0, np.nan, 1.0]}, RankingError, "a score in every row"),
        (
            {"rank": [1.5, 2, np.inf]},
            InputError,
            "ranks that are .*, but found 1.5 in row 0, inf in",
        ),
    ],
)
def test_values_that_a_run_file_cannot_represent_are_refused(tmp_path, change, error, message):
    refused(error, message, lambda: write_run(RUN.assign(**change), tmp_path / "a"))
    assert not (tmp_path / "a").exists()


def test_invalid_arguments_are_refused(tmp_path):
    refused(InputError, "found the folder", lambda: write_run(RUN, tmp_path))
    refused(InputError, "a path, but found None", lambda: write_run(RUN, None))
    refused(InputError, "a run.*found", lambda: write_run([RUN], tmp_path / "a"))
    refused(
        ParameterError,
        "system= to be a string, but found 5",
        write_run,
        RUN,
        tmp_path / "a",
        system=5,
    )


def test_further_columns_are_not_written(tmp_path):
    write_run(RUN, tmp_path / "a")
    write_run(
        pd.concat([RUN, RUN[["rank", "rank"]].set_axis(["x", "x"], axis=1)], axis=1), tmp_path / "b"
    )
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_missing_columns_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"topic and doc.*: system, score"):
        write_run(RUN[["system", "score"]], tmp_path / "a")
    with pytest.raises(InputError, match="several columns of .* with the name: doc"):
        write_run(pd.concat([RUN, RUN[["doc"]]], axis=1), tmp_path / "a")
    refused(InputError, "without rows", lambda: write_run(RUN[:0], tmp_path / "a"))


def test_runs_of_other_tools_are_written(tmp_path):
    nested = {"bm25": {"q1": {"d1": 2.5, "d2": 1.0}}, "ance": {"q1": {"d2": 0.5}}}
    write_run(nested, tmp_path / "a")
    assert (tmp_path / "a").read_text().splitlines() == [
        "q1 Q0 d1 1 2.5 bm25",
        "q1 Q0 d2 2 1 bm25",
        "q1 Q0 d2 1 0.5 ance",
    ]
    write_run(RUN.set_index(RUN.columns[0]), tmp_path / "b")
    assert len(read_run(tmp_path / "b")) == len(RUN)


NESTED = {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d1": 1}}
GRADED = {"q1": {"d1": 0, "d2": 2}}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_files_of_ranx_are_read(tmp_path):
    ranx = pytest.importorskip("ranx")
    run, qrels = ranx.Run(NESTED, name="bm25"), ranx.Qrels(GRADED)
    for kind in ("json", "lz4", "parquet", "trec"):
        run.save(tmp_path / f"a.{kind}", kind)
        result = ir.read_run(tmp_path / f"a.{kind}", system="a")
        expected = ir.as_runs(run, system="a")
        columns = ["system", "topic", "doc", "score"]
        pd.testing.assert_frame_equal(result[columns], expected, check_dtype=False)
    qrels.save(tmp_path / "q.json")
    assert sorted(ir.read_qrels(tmp_path / "q.json")["grade"]) == [0, 2]


@pytest.mark.parametrize("data", [b"{]}", b'{"a": }', b"\xa1\x61"])
def test_damaged_files_are_refused(tmp_path, data):
    pytest.importorskip("cbor2")
    path = tmp_path / "a"
    path.write_bytes(data)
    refused(
        FileFormatError, "a file without damage, but found .* damaged", lambda: ir.read_run(path)
    )


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cbor2", None)
    path = tmp_path / "a.lz4"
    path.write_bytes(b"\xa0")
    refused(InputError, "pip install cbor2", lambda: ir.read_run(path))


@pytest.mark.parametrize("rows", [1, 2])
def test_blocks_do_not_change_written_lines(tmp_path, monkeypatch, rows):
    write_run(RUN, tmp_path / "whole")
    monkeypatch.setattr(write_lines, "ROWS", rows)
    write_run(RUN, tmp_path / "pieces")
    assert (tmp_path / "pieces").read_text() == (tmp_path / "whole").read_text()


JUDGED = pd.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [-1, 3]})


@given(st.lists(st.tuples(writable, writable, integers, writable), min_size=1))
def test_written_judgments_are_read_back(tmp_path_factory, rows):
    frame = pd.DataFrame(rows, columns=["topic", "doc", "grade", "iteration"])
    path = tmp_path_factory.mktemp("qrels") / "qrels"
    write_qrels(frame, path)
    assert read_qrels(path).to_dict("list") == frame.to_dict("list")


def test_judgments_are_written_in_trec_format(tmp_path):
    write_qrels(JUDGED, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"1 0 a -1\n1 0 b 3\n"
    text = io.StringIO((tmp_path / "a").read_text())
    assert pytrec_eval.parse_qrel(text) == {"1": {"a": -1, "b": 3}}


@pytest.mark.parametrize(("judged", "written"), [(0.5, True), (0.4, False)])
def test_probabilities_that_strata_do_not_imply_cause_a_warning(tmp_path, judged, written):
    frame = JUDGED.assign(stratum="s", probability=judged)
    with nullcontext() if written else pytest.warns(IrframeWarning, match="column probability"):
        write_qrels(frame, tmp_path / "a")
    assert read_qrels(tmp_path / "a")["stratum"].tolist() == ["s", "s"]


@pytest.mark.parametrize("iterations", [False, True])
def test_subtopics_are_written_as_iterations(tmp_path, iterations):
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": "a", "rel": [1, 0], "intent": ["x", "y"]})
    warned = pytest.warns(IrframeWarning, match="column iteration is not written")
    with warned if iterations else nullcontext():
        write_qrels(frame.assign(**{"iteration": "0"} if iterations else {}), tmp_path / "a")
    assert (tmp_path / "a").read_text() == "1 x a 1\n1 y a 0\n"
    assert read_qrels(tmp_path / "a", subtopics=True)["subtopic"].tolist() == ["x", "y"]


@pytest.mark.parametrize("name", ["s.run", "s.parquet", "s.gz"])
def test_an_input_file_is_not_overwritten(tmp_path, name):
    path, files = tmp_path / name, tmp_path / f"other-{name}"
    run = pd.DataFrame({"system": "s", "topic": ["1"], "doc": ["a"], "score": [1.0]})
    write_run(run, path)
    for runs in (ir.read_run(path), ir.read_runs([path])):
        refused(ParameterError, "an output file that is not an input", write_run, runs, path)
        refused(ParameterError, "is read", write_run, runs[runs["doc"] == "a"], path)
        write_run(runs, files)
    write_run(run, path)
    qrels = tmp_path / "qrels.txt"
    ir.verbs.write_qrels(pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}), qrels)
    refused(ParameterError, "is read", ir.verbs.write_qrels, ir.read_qrels(qrels), qrels)


@pytest.fixture
def track(tmp_path, monkeypatch):
    """Change to a folder with the files of a track."""
    monkeypatch.chdir(tmp_path)
    runs, qrels = ir.example_track()
    for system in ("bm25", "ance"):
        write_run(runs[runs["system"] == system], f"{system}.run")
    write_qrels(qrels, "qrels.txt")
    return runs, qrels


@pytest.fixture
def full():
    """Return a function that limits files to 600 bytes."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def console(command):
    return lambda path, *_: main([*command.split(), "-o", str(path)])


def write_runs(path, runs, _):
    write_run(runs, path)


FILES = "qrels.txt bm25.run ance.run"
WRITERS = {
    **dict.fromkeys([f"write_run{end}" for end in ("", ".gz", ".xz", ".bz2", ".zst")], write_runs),
    "write_qrels": lambda path, _, qrels: write_qrels(qrels, path),
    "report": lambda *track: ir.report(*track[1:], track[0], metrics=["AP"], at=[5], resamples=100),
    "evaluate.txt": console(f"evaluate {FILES} -m AP P@5 -q"),
    "evaluate.parquet": console(f"evaluate {FILES} -m AP"),
    "diagnose.txt": console(f"diagnose {FILES}"),
    "convert": console("convert bm25.run"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_no_incomplete_file(name, track, full, tmp_path, capsys):
    before = sorted(path.name for path in tmp_path.iterdir())
    full()
    for old in (None, b"old content"):
        path = tmp_path / f"out.{name}"
        if old is not None:
            path.write_bytes(old)
        try:
            status = WRITERS[name](path, *track)
        except OSError as error:
            status = 2
            message = str(error)
        else:
            message = capsys.readouterr().err
        assert status == 2
        assert "File too large" in message
        assert path.name in message
        assert (path.read_bytes() if path.exists() else None) == old
        path.unlink(missing_ok=True)
        assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.thorough
def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "runs.txt"
    path.write_text("old")
    code = (
        "import os, signal, sys\nfrom irframe.files.write_run import atomic\n"
        "with atomic(sys.argv[1]) as stream:\n"
        "    stream.write(b'half')\n    stream.flush()\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    process = subprocess.run([sys.executable, "-c", code, path], check=False, cwd=Path.cwd())
    assert process.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert find_files(tmp_path) == [str(path)]


def test_links_modes_devices_and_pipes_are_kept(tmp_path):
    path = tmp_path / "runs.txt"
    link = tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic(link) as stream:
        stream.write(b"new")
    assert (link.is_symlink(), path.read_text()) == (True, "new")
    assert path.stat().st_mode & 0o777 == 0o640
    with atomic(os.devnull) as stream:
        stream.write(b"nothing")
    assert not Path(os.devnull).is_file()
    ends = os.pipe()
    with atomic(f"/dev/fd/{ends[1]}") as stream:
        stream.write(b"new")
    assert os.read(ends[0], 9) == b"new"
    for end in ends:
        os.close(end)
    full = pytest.raises(OSError, match="No space left on device: '/dev/full'")
    with full, atomic("/dev/full") as stream:
        stream.write(b"new")
    with pytest.raises(FileNotFoundError, match="no such"), atomic(tmp_path / "no such" / "a.txt"):
        pass
