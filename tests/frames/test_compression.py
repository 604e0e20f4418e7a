"""Packed files are known by what they hold, whatever their names."""

import bz2
import gzip
import lzma

import pandas as pd
import pyarrow as pa
import pytest

from irframe.errors import FileFormatError
from irframe.frames.read_run import read_run

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
    with pytest.raises(FileFormatError, match=r"cut\.run damaged"):
        read_run(write(tmp_path, packed[:-9], "cut.run"))


def test_packed_in_several_pieces(tmp_path):
    pieces = b"".join(gzip.compress(line.encode()) for line in LINES.splitlines(keepends=True))
    assert len(read_run(write(tmp_path, pieces, "a.gz"))) == 2
