"""Tests of irframe.files.read_file, and of folders of files."""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq
from refusals import refused

import irframe as ir
from irframe.errors import FileFormatError, IdError, InputError, IrframeWarning
from irframe.files.read_file import read_file, run_table
from irframe.files.read_runs import read_run, read_runs
from irframe.files.sources import find_files, stem
from irframe.frames import kinds
from irframe.frames.kinds import QRELS, RUN

LINES = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n"


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("bm25", "bm25"),
        ("runs/bm25.run", "bm25"),
        ("bm25.RUN.GZ", "bm25"),
        ("bm25.k1.txt", "bm25.k1"),
        ("input.bm25", "input.bm25"),
        ("a.trec.zst", "a"),
        ("a.run.run", "a.run"),
        ("a.csv.gz", "a"),
        ("a.dat.gz", "a.dat"),
    ],
)
def test_a_system_is_named_after_its_file(name, system):
    assert stem(name) == stem(Path(name)) == system


def test_the_content_decides_the_format(tmp_path):
    frame = pd.DataFrame({"topic": ["1"], "doc": ["d"], "grade": [2]})
    frame.to_parquet(tmp_path / "qrels.txt")
    (tmp_path / "qrels.parquet").write_text("1 0 d 2\n")
    for name in ("qrels.txt", "qrels.parquet"):
        table = read_file(tmp_path / name, QRELS).to_pylist()
        assert {key: table[0][key] for key in frame} == {"topic": "1", "doc": "d", "grade": 2}


def test_the_option_system_overrides_tags_and_file_names(tmp_path):
    trec, marco = tmp_path / "trec.run", tmp_path / "marco.tsv"
    trec.write_text(LINES)
    marco.write_text("301 d7 1\n")
    for path, system, expected in (
        (trec, None, "bm25"),
        (trec, "mine", "mine"),
        (marco, None, "marco"),
        (marco, "mine", "mine"),
    ):
        table = run_table(path, system)
        assert table.column_names.count("system") == 1
        assert set(table["system"].to_pylist()) == {expected}
    assert run_table(trec, "mine").column_names[0] == "system"
    assert read_file(trec, RUN).num_rows == 2


def test_text_in_json_rows_stays_text(tmp_path):
    rows = pd.DataFrame(
        {"qid": ["001", "2020-01-01"], "docno": ["2020-01-01 10:00", "1e5"], "score": [2, 1.5]}
    )
    rows.assign(team="x").to_json(tmp_path / "bm25.jsonl.gz", orient="records", lines=True)
    result = run_table(tmp_path / "bm25.jsonl.gz", None).to_pandas()
    assert result["topic"].tolist() == rows["qid"].tolist()
    assert result["doc"].tolist() == rows["docno"].tolist()
    assert result["score"].tolist() == [2, 1.5]
    assert set(result["system"]) == {"bm25"}
    assert set(result["team"]) == {"x"}
    numbers = '{"topic": 1, "doc": 7, "grade": 1}\r\n  {"topic": 1, "doc": 8, "grade": 0}\r\n'
    (tmp_path / "qrels").write_text("\ufeff" + numbers)
    assert read_file(tmp_path / "qrels", QRELS)["doc"].to_pylist() == ["7", "8"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"topic": "1", "doc": "b", "score": }', "Expecting value"),
        ('{"topic": "1", "topic": "2", "doc": "b", "score": 1}', "name twice in one row"),
    ],
)
def test_faulty_json_rows_are_refused(tmp_path, second, message):
    (tmp_path / "a.jsonl").write_text(f'{{"topic": "1", "doc": "a", "score": 1}}\n{second}\n')
    with pytest.raises(FileFormatError, match=f"file of JSON lines without damage.*{message}"):
        read_file(tmp_path / "a.jsonl", RUN)


WRITERS = {
    "parquet": pd.DataFrame.to_parquet,
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "tsv": lambda frame, path: frame.to_csv(path, sep="\t", index=False),
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_two_columns_for_a_role_are_refused_in_files(tmp_path, suffix):
    judged = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 0]})
    path = tmp_path / f"a.{suffix}"
    for columns in ({"query_id": ["x", "y"]}, {"rel": [0, 1]}):
        rivals = judged.assign(**columns)
        WRITERS[suffix](rivals, path)
        refused(
            InputError, r"one column for .*with different values in .*a\.", read_file, path, QRELS
        )
        refused(InputError, "one column for .*with different values", ir.as_qrels, rivals)
    same = judged.assign(query_id=judged["qid"], docid=[8, 9])
    for valid in (same, same.assign(topic=["x", "y"])):
        WRITERS[suffix](valid, path)
        names = kinds.require_columns(valid, QRELS)
        assert read_file(path, QRELS)["topic"].to_pylist() == valid[names["topic"]].tolist()


ROWS = {"topic": ["1", "1", "2"], "doc": ["x", "y", "x"], "score": [2.0, 1.0, 0.5]}


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(ROWS | columns).to_parquet(path)


def test_partitions_name_systems_and_further_columns(tmp_path):
    for system in ("bm25", "bm25+rm3"):
        for name in range(2):
            folder = f"track=web/system={system.replace('+', '%2B')}"
            write(tmp_path / "runs" / folder / f"part-{name}.parquet", topic=[f"{name}a"] * 3)
    result = ir.read_runs(tmp_path / "runs")
    assert result["system"].unique().tolist() == ["bm25", "bm25+rm3"]
    assert result["track"].unique().tolist() == ["web"]
    assert len(result) == 12
    pd.testing.assert_frame_equal(ir.read_runs(f"{tmp_path}/runs/track=*"), result)


def test_parts_written_by_spark_are_named_after_their_folder(tmp_path):
    for number in range(2):
        name = f"bm25.parquet/part-0000{number}-1f3a-c000.snappy.parquet"
        write(tmp_path / name, topic=[f"{number}"] * 3, doc=list("abc"))
    (tmp_path / "bm25.parquet" / "_SUCCESS").touch()
    (tmp_path / "bm25.parquet" / ".part-00000.crc").touch()
    result = ir.read_runs(tmp_path / "bm25.parquet")
    assert result["system"].unique().tolist() == ["bm25"]
    assert len(result) == 6
    assert ir.read_runs(tmp_path).equals(result)


def test_one_system_in_two_data_sets_is_refused(tmp_path):
    for folder in ("one", "two"):
        write(tmp_path / folder / "part-0.parquet", system="s")
    refused(IdError, "two.*: 's', which is in .*one", lambda: ir.read_runs(f"{tmp_path}/*"))


def test_folders_without_partitions_are_skipped(tmp_path):
    write(tmp_path / "a.parquet")
    write(tmp_path / "old" / "a.parquet")
    assert find_files(tmp_path) == [str(tmp_path / "a.parquet")]
    refused(InputError, "files that match", lambda: find_files(f"{tmp_path}/*.run"))


def test_addresses_are_opened_by_fsspec():
    fsspec = pytest.importorskip("fsspec", reason="addresses need fsspec")
    store = fsspec.filesystem("memory")
    lines = b"1 Q0 x 1 2.0 bm25\n"
    store.pipe({"/runs/a.gz": gzip.compress(lines), "/runs/b.txt": lines.replace(b"bm25", b"rm3")})
    for paths in (
        "memory://runs/*",
        "memory://runs",
        ["memory://runs/a.gz", "memory://runs/b.txt"],
    ):
        assert ir.read_runs(paths)["system"].tolist() == ["bm25", "rm3"]


def test_addresses_need_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    refused(InputError, "pip install fsspec", lambda: ir.read_run("s3://bucket/bm25.gz"))


def parquet(folder, name="a.parquet", **columns):
    pd.DataFrame(columns).to_parquet(folder / name)
    return folder / name


def test_parquet_runs_are_read(tmp_path):
    columns = {"docno": ["d7", "d3"], "qid": [301, 301], "score": np.float32([2.5, 1.25])}
    frame = read_run(parquet(tmp_path, "bm25.parquet", **columns, team=["x", None]))
    assert list(frame) == ["system", "topic", "doc", "score", "team"]
    assert frame["system"].tolist() == ["bm25", "bm25"]
    assert frame["topic"].tolist() == ["301", "301"]
    assert frame["score"].dtype == np.float64
    assert frame["team"].isna().tolist() == [False, True]


def test_parquet_index_and_categories_are_read(tmp_path):
    frame = read_run(parquet(tmp_path, "a", topic=["1", "1"], doc=["a", "b"], rank=[1.0, 2.0]))
    frame = frame.astype({"topic": "category", "system": "category"}).iloc[::-1]
    frame.to_parquet(tmp_path / "b")
    reread = read_run(tmp_path / "b")
    assert list(reread) == ["system", "topic", "doc", "rank"]
    assert reread.to_dict("list") == frame.astype(str).astype({"rank": int}).to_dict("list")
    frame.set_index(["system", "topic"]).to_parquet(tmp_path / "c")
    pd.testing.assert_frame_equal(read_run(tmp_path / "c"), reread)


def test_only_the_first_of_two_further_columns_with_the_same_name_is_read(tmp_path):
    table = pa.table(
        [["1"], ["a"], [1], ["x"], ["y"]], names=["qid", "doc", "rank", "team", "team"]
    )
    pq.write_table(table, tmp_path / "a")
    assert read_run(tmp_path / "a").iloc[0].tolist() == ["a", "1", "a", 1, "x"]
    twice = pa.table([["1"], ["a"], [1], ["b"]], names=["qid", "doc", "rank", "doc"])
    pq.write_table(twice, tmp_path / "a")
    refused(
        InputError, "several columns of .* with the name: doc", lambda: read_run(tmp_path / "a")
    )


def test_further_columns_need_one_type_in_all_files(tmp_path):
    run = {"topic": ["1"], "doc": ["a"], "rank": [1]}
    parquet(tmp_path, "a", **run, team=["x"])
    parquet(tmp_path, "b", **run)
    assert read_runs(tmp_path)["team"].isna().tolist() == [False, True]
    parquet(tmp_path, "c", **run, team=[[1]])
    refused(InputError, "same type of each column", lambda: read_runs(tmp_path))


def problems_write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


ROW = "{} Q0 {} 1 2.5 {}\n"


def skipping(paths):
    """Return the readable runs, and the problems of skipped files."""
    with pytest.warns(IrframeWarning, match="left out"):
        runs = ir.read_runs(paths, on_error="skip")
    return runs, pd.DataFrame(runs.attrs["problems"])


def test_three_problems_per_file_are_listed(tmp_path):
    bad = "".join(ROW.format("1", "d", "x") + "1 Q0 d x 2.5 x\n" for _ in range(9))
    files = {f"b{number}": bad for number in range(7)}
    valid = {name: ROW.format("1", "d", name) for name in "az"}
    runs, problems = skipping(problems_write(tmp_path, **valid, **files))
    assert runs["system"].tolist() == ["a", "z"]
    assert problems["file"].value_counts().tolist() == [4] * 7
    assert problems["found"].tolist()[2:5] == [
        "line 6 has the rank 'x'",
        "6 more",
        problems["found"][0],
    ]
    assert problems.columns.tolist() == ["file", "expected", "found"]
    first = problems.iloc[0]
    assert first["file"] == str(tmp_path / "b0")
    assert first["found"] == "line 2 has the rank 'x'"
    assert first["expected"].startswith("whole numbers in column 'rank'")


def test_files_that_cannot_be_combined_are_skipped(tmp_path):
    problems_write(
        tmp_path, a=ROW.format("1", "d", "s"), b=ROW.format("1", "e", "s"), c="1 d 1\n", d=""
    )
    runs, problems = skipping(tmp_path)
    assert runs["doc"].tolist() == ["d"]
    assert problems["file"].str[-1].tolist() == ["b", "c", "d"]
    assert problems["found"].tolist() == [
        f"'s', which is in {tmp_path / 'a'}",
        f"none, unlike {tmp_path / 'a'}",
        f"no rows in {tmp_path / 'd'}",
    ]
    turned = [tmp_path / "c", tmp_path / "a"]
    runs, problems = skipping(turned)
    assert runs["system"].tolist() == ["c"]
    assert problems["found"].tolist() == [f"one, unlike {tmp_path / 'c'}"]


def test_missing_files_are_skipped(tmp_path):
    missing = tmp_path / "missing"
    runs, problems = skipping([missing])
    assert runs.empty
    assert runs.columns.tolist() == ["system", "topic", "doc", "rank", "score"]
    assert problems["file"].tolist() == [str(missing)]
    assert "No such file" in problems["found"].item()
    with pytest.raises(FileNotFoundError):
        ir.read_runs([missing])
