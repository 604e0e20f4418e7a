"""Packed files are known by what they hold, whatever their names."""

import bz2
import gzip
import lzma
import tracemalloc

import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused

from irframe.errors import FileFormatError
from irframe.files import compression
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
def test_packed_files(tmp_path, suffix):
    plain = read_run(write(tmp_path, (LINES * 50).encode(), "plain"))
    packed = PACK[suffix]((LINES * 50).encode())
    by_suffix = read_run(write(tmp_path, packed, f"a.run.{suffix}"))
    by_content = read_run(write(tmp_path, packed, "b.run"))
    pd.testing.assert_frame_equal(by_suffix, plain)
    pd.testing.assert_frame_equal(by_content, plain)
    refused(FileFormatError, r"cut\.run damaged", read_run, write(tmp_path, packed[:-9], "cut.run"))


@pytest.mark.parametrize("suffix", PACK)
def test_a_later_stream_is_whole_or_the_file_is_refused(tmp_path, suffix):
    first, second = (PACK[suffix](line.encode()) for line in LINES.splitlines(keepends=True))
    whole = write(tmp_path, first + second, "whole.run")
    assert read_run(whole)["doc"].tolist() == ["d7", "d3"]
    for odd in (b"?" + second[1:], second[:-1], b"#"):
        damaged = write(tmp_path, first + odd, "odd.run")
        refused(FileFormatError, r"odd\.run damaged", read_run, damaged)


@pytest.mark.parametrize("suffix", PACK)
def test_what_is_packed_may_be_nothing(tmp_path, suffix):
    empty = write(tmp_path, PACK[suffix](b""), "empty.run")
    refused(FileFormatError, "without a single row", read_run, empty)


def bomb(size):
    """Return a packed file of so many line feeds."""
    return gzip.compress(bytes([10]) * size, 9)


@pytest.mark.thorough
@pytest.mark.parametrize("read", READERS)
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, read):
    monkeypatch.setattr(compression, "FREE", 1 << 20)
    monkeypatch.setattr(compression, "_PART", 1 << 16)
    path = write(tmp_path, bomb(1 << 26), "a.gz")
    tracemalloc.start()
    refused(FileFormatError, r"at most 1 MiB or 100 times its size, but found .*a\.gz", read, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 25
    whole = LINES.encode() + bytes([10]) * (1 << 19)
    assert len(read_run(write(tmp_path, gzip.compress(whole), "b.gz"))) == 2


@pytest.mark.parametrize("read", READERS)
def test_layers_of_packing(tmp_path, read):
    data = LINES.encode()
    for _ in range(3):
        data = gzip.compress(data)
    assert len(read_run(write(tmp_path, data, "three.gz"))) == 2
    many = write(tmp_path, gzip.compress(data), "many.gz")
    refused(FileFormatError, "many.gz with lines that do not fit", read, many)
