"""Patterns, folders, partitioned data sets and addresses."""

import gzip
import sys

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import FileFormatError, IdError, InputError
from irframe.files.read_file import find_files, home, partitions

ROWS = {"topic": ["1", "1", "2"], "doc": ["x", "y", "x"], "score": [2.0, 1.0, 0.5]}


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(ROWS | columns).to_parquet(path)


def test_partitions_name_systems_and_further_columns(tmp_path):
    for system in ("bm25", "bm25+rm3"):
        for part in range(2):
            folder = f"track=web/system={system.replace('+', '%2B')}"
            write(tmp_path / "runs" / folder / f"part-{part}.parquet", topic=[f"{part}a"] * 3)
    found = ir.read_runs(tmp_path / "runs")
    assert found["system"].unique().tolist() == ["bm25", "bm25+rm3"]
    assert found["track"].unique().tolist() == ["web"]
    assert len(found) == 12
    pd.testing.assert_frame_equal(ir.read_runs(f"{tmp_path}/runs/track=*"), found)


def test_parts_that_spark_writes_are_called_after_their_folder(tmp_path):
    for part in range(2):
        name = f"bm25.parquet/part-0000{part}-1f3a-c000.snappy.parquet"
        write(tmp_path / name, topic=[f"{part}"] * 3, doc=list("abc"))
    (tmp_path / "bm25.parquet" / "_SUCCESS").touch()
    (tmp_path / "bm25.parquet" / ".part-00000.crc").touch()
    found = ir.read_runs(tmp_path / "bm25.parquet")
    assert found["system"].unique().tolist() == ["bm25"]
    assert len(found) == 6
    assert ir.read_runs(tmp_path).equals(found)


def test_one_system_in_two_data_sets_is_refused(tmp_path):
    for folder in ("one", "two"):
        write(tmp_path / folder / "part-0.parquet", system="s")
    with pytest.raises(IdError, match="'s' in .*one and .*two"):
        ir.read_runs(f"{tmp_path}/*")


def test_other_folders_are_not_gone_into(tmp_path):
    write(tmp_path / "a.parquet")
    write(tmp_path / "old" / "a.parquet")
    assert find_files(tmp_path) == [str(tmp_path / "a.parquet")]
    with pytest.raises(InputError, match="files that match"):
        find_files(f"{tmp_path}/*.run")


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


def test_addresses_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InputError, match="pip install fsspec"):
        ir.read_run("s3://bucket/bm25.gz")


@pytest.mark.parametrize("isal", [True, False])
def test_gzip_with_isal_and_without(tmp_path, monkeypatch, isal):
    if isal:
        pytest.importorskip("isal", reason="unzips faster, where it is installed")
    else:
        monkeypatch.setitem(sys.modules, "isal", None)
    file = tmp_path / "a.gz"
    packed = gzip.compress(b"1 Q0 x 1 2.0 bm25\n" * 99)
    file.write_bytes(packed + packed)
    assert len(ir.read_run(file)) == 198
    file.write_bytes(packed[:-9])
    with pytest.raises(FileFormatError, match="damaged"):
        ir.read_run(file)
    file.write_bytes(packed[:20] + b"~~~~" + packed[24:])
    with pytest.raises(FileFormatError, match="damaged"):
        ir.read_run(file)


def test_names_without_folders():
    assert partitions("bm25.gz") == {}
    assert home("runs/part/bm25.gz") == "runs/part/bm25.gz"
