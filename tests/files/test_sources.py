"""Tests of irframe.files.sources: compression, size limits and damaged files."""

import bz2
import gzip
import json
import lzma
import tracemalloc
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import FileFormatError, InputError, IrframeError, StoreError
from irframe.files import sources
from irframe.files.read_runs import read_qrels, read_run

READERS = [read_run, read_qrels]

LINES = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n"


def write(folder, data, name):
    path = folder / name
    path.write_bytes(data)
    return path


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files_are_read_whatever_their_names(tmp_path, suffix):
    plain = read_run(write(tmp_path, (LINES * 50).encode(), "plain"))
    packed = PACK[suffix]((LINES * 50).encode())
    by_suffix = read_run(write(tmp_path, packed, f"a.run.{suffix}"))
    by_content = read_run(write(tmp_path, packed, "b.run"))
    pd.testing.assert_frame_equal(by_suffix, plain)
    pd.testing.assert_frame_equal(by_content, plain)
    refused(FileFormatError, r"cut\.run damaged", read_run, write(tmp_path, packed[:-9], "cut.run"))


@pytest.mark.parametrize("suffix", PACK)
def test_damage_in_a_later_stream_is_refused(tmp_path, suffix):
    first, second = (PACK[suffix](line.encode()) for line in LINES.splitlines(keepends=True))
    complete = write(tmp_path, first + second, "complete.run")
    assert read_run(complete)["doc"].tolist() == ["d7", "d3"]
    for odd in (b"?" + second[1:], second[:-1], b"#"):
        damaged = write(tmp_path, first + odd, "odd.run")
        refused(FileFormatError, r"odd\.run damaged", read_run, damaged)


@pytest.mark.parametrize("suffix", PACK)
def test_an_empty_compressed_file_has_no_rows(tmp_path, suffix):
    empty = write(tmp_path, PACK[suffix](b""), "empty.run")
    refused(FileFormatError, "no rows in", read_run, empty)


def bomb(size):
    """Compress a file of line feeds."""
    return gzip.compress(bytes([10]) * size, 9)


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
def test_huge_content_is_refused_in_little_memory(tmp_path, monkeypatch, reader):
    monkeypatch.setattr(sources, "FREE", 1 << 20)
    monkeypatch.setattr(sources, "_PART", 1 << 16)
    path = write(tmp_path, bomb(1 << 26), "a.gz")
    tracemalloc.start()
    message = r"at most 1 MiB or 100 times its size, but found .*a\.gz"
    refused(FileFormatError, message, reader, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 25
    smaller = LINES.encode() + bytes([10]) * (1 << 19)
    assert len(read_run(write(tmp_path, gzip.compress(smaller), "b.gz"))) == 2


@pytest.mark.parametrize("reader", READERS)
def test_up_to_three_layers_of_compression_are_read(tmp_path, reader):
    data = LINES.encode()
    for _ in range(3):
        data = gzip.compress(data)
    assert len(read_run(write(tmp_path, data, "three.gz"))) == 2
    many = write(tmp_path, gzip.compress(data), "many.gz")
    refused(FileFormatError, "many.gz with lines that do not fit", reader, many)


ROW = {"topic": "1", "doc": "a", "score": 1.0}
WIDE = ROW | {f"c{number}": number for number in range(sources.COLUMNS)}
DEEP = "[" * 100_000 + "]" * 100_000
"""JSON that is nested so deeply that some parsers crash."""


def parquet(rows, **columns):
    """Return a small Parquet file of many equal rows."""
    values = [pa.array([value]) for value in columns.values()]
    codes = np.zeros(rows, np.int32)
    repeated = [pa.DictionaryArray.from_arrays(codes, value) for value in values]
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table(repeated, [*columns]), stream, store_schema=False, compression="zstd")
    return stream.getvalue().to_pybytes()


LARGE = "decompresses to at most 0 MiB or 100 times"
FILES = {
    "rows.parquet": (lambda: parquet(3_000_000, **ROW), LARGE),
    "text.parquet": (lambda: parquet(3000, **ROW, text="x" * 3000), LARGE),
    "ids.parquet": (lambda: parquet(3000, **ROW | {"doc": "x" * 3000}), LARGE),
    "lines.gz": (lambda: gzip.compress(b"1 Q0 a 1 1.0 s\n" * 100_000), LARGE),
    "wide.parquet": (lambda: parquet(1, **WIDE), "at most 8,192 columns, but found 8,195"),
    "wide.jsonl": (lambda: f"{json.dumps(WIDE)}\n" * 2, "at most 8,192 columns"),
    "wide.csv": (lambda: pd.DataFrame([WIDE]).to_csv(index=False), "at most 8,192 columns"),
    "wide.txt": (
        lambda: f"1 Q0 a 1 1.0 s{' x' * 8192}\n",
        "at most 8,192 columns, but found 8,198",
    ),
    "deep.json": (lambda: f'{{"1": {DEEP}}}', "deeper nesting in"),
    "deep.jsonl": (
        lambda: f'{json.dumps(ROW)}\n{{"topic": "1", "x": {DEEP}}}\n',
        "deeper nesting in",
    ),
    "deep.irframe": (lambda: f'{{"irframe baseline": 1, "policy": {DEEP}}}', "deeper nesting in"),
}
"""Mapping from a file name to a function that returns its content, and the pattern of the expected
error."""


@pytest.mark.parametrize("name", [*FILES])
def test_implausibly_large_content_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "FREE", 1 << 16)
    make, message = FILES[name]
    path = tmp_path / name
    content = make()
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if name.endswith(".irframe"):
        scores = ir.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"])
        refused(StoreError, message, lambda: scores.ireval.compare(baseline=path))
    else:
        refused(FileFormatError, message, lambda: ir.read_run(path))


def test_brackets_in_texts_do_not_count_as_nesting(tmp_path):
    path = tmp_path / "run.jsonl"
    rows = [ROW | {"doc": doc, "text": ':["[{' * 200} for doc in "ab"]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert ir.read_run(path)["doc"].tolist() == ["a", "b"]


def test_parquet_is_read_in_batches_of_row_groups(tmp_path):
    docs = [f"d{number}" for number in range(2000)]
    run = pd.DataFrame(ROW | {"doc": docs, "kind": pd.Categorical(["x", None] * 1000)})
    run.to_parquet(tmp_path / "run.parquet", row_group_size=700)
    result = ir.read_run(tmp_path / "run.parquet")
    assert result["doc"].tolist() == docs
    assert result["kind"].dtype == "category"
    assert result["kind"].isna().sum() == 1000


def test_damaged_parquet_is_read_or_refused(tmp_path):
    path = tmp_path / "run.parquet"
    pd.DataFrame(ROW | {"doc": list("abc")}).to_parquet(path)
    original = path.read_bytes()
    for pos in range(0, len(original), 9):
        for value in (0, 255, original[pos] ^ 1):
            path.write_bytes(original[:pos] + bytes([value]) + original[pos + 1 :])
            with suppress(IrframeError):
                ir.read_run(path)


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="pyarrow has no views of text")
def test_parquet_string_views_are_read_as_ids(tmp_path):
    views = {name: pa.array([ROW[name]], pa.string_view()) for name in ("topic", "doc")}
    pq.write_table(pa.table(views | {"score": [1.0]}), tmp_path / "run.parquet")
    assert ir.read_run(tmp_path / "run.parquet")["doc"].tolist() == ["a"]


def test_streams_of_numbers_are_refused():
    numbers = SimpleNamespace(read=lambda: 5)
    refused(
        InputError, "an open file of text or bytes, but found a file of int", ir.read_run, numbers
    )
