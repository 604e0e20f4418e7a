"""Tests of irframe.files.scan_runs."""

import gzip
import io
import pickle
import warnings
from itertools import product

import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import InputError, IrframeError, IrframeWarning, ParameterError
from irframe.files import scan_runs, sources

LINES = b"".join(b"%d Q0 d%d %d %d bm25\n" % (n // 4, n, n % 4, -n) for n in range(40))
OTHERS = LINES.replace(b"bm25", b"rm3")


def lz4(data):
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "lz4") as stream:
        stream.write(data)
    return packed.getvalue().to_pybytes()


def rows(scanned):
    return pd.concat(list(scanned.frames()), ignore_index=True)


HASHED = b"".join(b"#%d Q0 d%d %d %d bm25\n" % (n // 4, n, n % 4, -n) for n in range(40))
TEXTS = {
    "two systems": LINES + OTHERS,
    "two systems in turn": LINES.replace(b"2 Q0", b"2 Q0 e 1 1 rm3\n2 Q0"),
    "a mark before one of two systems": LINES + OTHERS + b"#1 Q0 d9 9 -9 rm3\n",
    "one of two systems is odd": LINES + OTHERS[:90] + b"odd\n" + OTHERS,
    "blanks": LINES.replace(b" ", b"  "),
    "tabs and CRLF": LINES.replace(b" ", b"\t").replace(b"\n", b"\r\n"),
    "comments": b"#\n# ir_metadata.start\n# a: 1\n# ir_metadata.end\n" + LINES + b"# 1 2\n#x\n",
    "comments between": LINES.replace(b"\n5 ", b"\n# as above\n\n#five\n5 "),
    "ids with a mark": b"# of tags\n" + HASHED + b"# no more\n",
    "some ids with a mark": LINES + HASHED,
    "a mark, then none": HASHED + LINES,
    "byte order mark": b"\xef\xbb\xbf" + LINES,
    "three columns": b"".join(b"%d\td%d\t%d\n" % (n // 4, n, n % 4 + 1) for n in range(40)),
    "further columns": LINES.replace(b"bm25", b"bm25 and more"),
    "no line feed at the end": LINES.rstrip(),
    "JSON": b'{"1": {"a": 2.5, "b": 1.5},\n "2": {"a": 3.5}}\n',
}


FAULTY = {
    "a column missing": LINES + b"10 Q0 d99 9\n" + LINES[:40] + b"11 Q0 d1\n",
    "no score": LINES.replace(b"-30 ", b"none "),
    "a header below": LINES + b"topic Q0 doc rank score system\n",
    "Parquet that is none": b"PAR1" + LINES,
    "JSON that is none": b'{"1": {"a": \n' + LINES,
    "comments alone": b"# a\n# b\n",
}


@pytest.mark.filterwarnings("ignore:rows of")
@pytest.mark.parametrize(
    ("text", "size", "pack"),
    few_of(product([*TEXTS, *FAULTY], [1, 30, 1000], [bytes, gzip.compress]), 5),
)
def test_a_large_file_is_scanned_like_a_small_one(tmp_path, monkeypatch, text, size, pack):
    file = tmp_path / "bm25.txt"
    file.write_bytes(pack((TEXTS | FAULTY)[text]))
    expected = scanned(file)
    for name, value in (("LARGE", 0), ("FEW", 1), ("PIECE", size)):
        monkeypatch.setattr(scan_runs, name, value)
    monkeypatch.setattr(scan_runs, "BATCH", 0)
    frame, messages = scanned(file)
    assert messages == expected[1]
    pd.testing.assert_frame_equal(frame, expected[0])


def scanned(file):
    """Return a scanned run and its warnings, or the error."""
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        try:
            frame = rows(ir.scan_runs(file))
        except IrframeError as error:
            return pd.DataFrame(), str(error)
    order = ["system", "topic", "doc"]
    return frame.sort_values(order, ignore_index=True), [
        str(warning.message) for warning in messages
    ]


def test_rows_that_may_be_comments_cause_a_warning(tmp_path):
    (tmp_path / "a.txt").write_bytes(LINES + HASHED)
    with pytest.warns(IrframeWarning, match="are read as rows of topics '#0'"):
        rows(ir.scan_runs(tmp_path))


def test_text_may_begin_like_a_compressed_file(tmp_path):
    (tmp_path / "a.txt").write_bytes(LINES.replace(b"0 Q0 d0", b"BZh9 Q0 d0", 1))
    result = rows(ir.scan_runs(tmp_path))
    assert result["topic"].tolist() == ir.read_run(tmp_path / "a.txt")["topic"].tolist()


def test_systems_are_named_after_their_files(tmp_path):
    (tmp_path / "rm3.txt").write_bytes(LINES)
    assert set(rows(ir.scan_runs(tmp_path, system="file"))["system"]) == {"rm3"}


def test_only_files_can_be_scanned(tmp_path):
    refused(InputError, "files that match", lambda: ir.scan_runs(f"{tmp_path}/*.gz"))
    refused(InputError, "Pass open files to read_runs", lambda: ir.scan_runs([io.BytesIO(LINES)]))


def test_pickled_runs_keep_the_states_of_their_files(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(LINES)
    scanned = pickle.loads(pickle.dumps(ir.scan_runs(file)))  # noqa: S301 - our own
    assert scanned == ir.scan_runs([file])
    before = scanned.states()
    assert before[0][:2] == [str(file), len(LINES)]
    file.write_bytes(LINES + LINES)
    assert scanned.states() != before


@pytest.fixture
def repeated(tmp_path):
    """Return runs of chunks with three seeds, and judgments."""
    for number, name in enumerate(f"{s}-seed{n}" for s in ("dpr", "ance") for n in (1, 2, 3)):
        lines = (
            f"{topic} Q0 d{(chunk * (number + 2)) % 4}#{chunk} 1 {9 - chunk} x\n"
            for topic in range(1, 4 - number % 2)
            for chunk in range(6)
        )
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    return f"{tmp_path}/*.txt", pd.DataFrame({"topic": list("123"), "doc": "d2", "grade": 1})


NAMED = {"repeat": r"(?P<system>.+)-seed(?P<repeat>\d+)", "unit": r"(.+)#\d+"}


def alike(result, expected):
    """Assert that results are equal except for types of labels."""
    pd.testing.assert_frame_equal(
        result.reset_index(), expected.reset_index(), check_dtype=False, check_like=True
    )


def test_scanned_repeats_and_chunks_are_scored_like_read_ones(repeated):
    files, qrels = repeated
    complete = ir.read_runs(files, **NAMED)
    assert complete.columns[:4].tolist() == ["system", "repeat", "topic", "doc"]
    assert complete["chunks"].sum() == len(ir.read_runs(files, system="file"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        result, expected = (
            runs.ireval.evaluate(qrels, ["RR", "Recall"])
            for runs in (ir.scan_runs(files, **NAMED), complete)
        )
        alike(result, expected)
        of = ir.read_runs(files, repeat=NAMED["repeat"]).ireval.evaluate(
            qrels, ["RR", "Recall"], units=ir.Units(NAMED["unit"])
        )
    alike(result.sort_index(), of.sort_index())


def test_unit_may_be_a_column_of_a_file(tmp_path):
    chunks = {"topic": "1", "chunk_id": ["a#1", "a#2"], "doc_id": "a", "score": [2.0, 1.0]}
    pd.DataFrame(chunks).to_parquet(tmp_path / "s.parquet")
    result = ir.read_runs(tmp_path / "s.parquet", unit="doc_id")
    assert result[["system", "doc", "chunks"]].to_numpy().tolist() == [["s", "a", 2]]
    assert ir.read_runs(tmp_path / "s.parquet", unit="doc_id", on_error="skip").equals(result)


def test_scanned_file_names_must_match_the_pattern(repeated):
    files, qrels = repeated
    refused(ParameterError, "groups system and repeat", lambda: ir.scan_runs(files, repeat="x"))
    odd = ir.scan_runs(files, repeat=NAMED["repeat"].replace("seed", "pass"))
    refused(ParameterError, "6 other names", lambda: odd.ireval.cube(qrels))
    refused(InputError, "runs without repeats", lambda: ir.scan_runs(files, **NAMED).frame())


RUNS, QRELS = ir.example_track()
ORDERS = {
    "by system": RUNS,
    "by topic": RUNS.sort_values(["topic", "rank"], kind="stable"),
    "twice": pd.concat([RUNS[::2], RUNS[1::2]]),
}


@pytest.mark.parametrize(
    ("order", "suffix"), few_of(product(ORDERS, [".txt", ".txt.gz", ".parquet"]), 4, drawn=False)
)
def test_a_file_of_many_systems_is_read_in_groups_of_systems(order, suffix, tmp_path, monkeypatch):
    path = tmp_path / f"runs{suffix}"
    ORDERS[order].ireval.write_run(path)
    complete, once = ir.read_runs(path), ir.scan_runs(path).ireval.evaluate(QRELS, "AP")
    for name, size in (("LARGE", 0), ("PIECE", 1 << 12), ("ROWS", 2000)):
        monkeypatch.setattr(scan_runs, name, size)
    monkeypatch.setattr(scan_runs, "BATCH", 0)
    monkeypatch.setattr(sources, "MOST", 512)
    assert len(ir.scan_runs(path, on_error="skip").readable().files) == 1
    frames = list(ir.scan_runs(path).frames())
    assert len(frames) > 2
    assert sum(len(frame["system"].unique()) for frame in frames) == 8
    keys = ["system", "topic", "doc"]
    assert pd.concat(frames).sort_values(keys).to_numpy().tolist() == (
        complete.sort_values(keys).to_numpy().tolist()
    )
    assert ir.scan_runs(path).ireval.evaluate(QRELS, "AP").sort_index().equals(once.sort_index())


@pytest.mark.parametrize("name", ["titles", "one row", "one system", "two names"])
def test_irregular_files_are_read_at_once(name, tmp_path, monkeypatch):
    changed = {
        "titles": RUNS.assign(name=RUNS["doc"]).drop(columns="system"),
        "one row": pd.concat([RUNS, RUNS[:1].assign(system="last")]),
        "one system": RUNS[RUNS["system"] == "bm25"],
        "two names": RUNS.assign(score=RUNS["score"].round().astype(int)),
    }[name]
    changed.to_parquet(tmp_path / "runs.parquet")
    monkeypatch.setattr(scan_runs, "LARGE", 0)
    assert scan_runs.read_by_system(str(tmp_path / "runs.parquet")) is None
