import gzip
import json
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
from irframe.files import compression as limits

ROW = {"topic": "1", "doc": "a", "score": 1.0}
WIDE = ROW | {f"c{place}": place for place in range(limits.COLUMNS)}
DEEP = "[" * 100_000 + "]" * 100_000
"""Some readers of JSON end the process where it is as deep."""


def parquet(rows, **columns):
    """Return a Parquet file that says each value once, and of how many rows it is."""
    once = [pa.array([value]) for value in columns.values()]
    told = [pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), value) for value in once]
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table(told, [*columns]), stream, store_schema=False, compression="zstd")
    return stream.getvalue().to_pybytes()


LARGE = "unpacks to at most 0 MiB or 100 times"
FILES = {
    "rows.parquet": (lambda: parquet(3_000_000, **ROW), LARGE),
    "text.parquet": (lambda: parquet(3000, **ROW, text="x" * 3000), LARGE),
    "ids.parquet": (lambda: parquet(3000, **ROW | {"doc": "x" * 3000}), LARGE),
    "lines.gz": (lambda: gzip.compress(b"1 Q0 a 1 1.0 s\n" * 100_000), LARGE),
    "wide.parquet": (lambda: parquet(1, **WIDE), "at most 8,192 columns, but found .* with 8,195"),
    "wide.jsonl": (lambda: f"{json.dumps(WIDE)}\n" * 2, "at most 8,192 columns"),
    "wide.csv": (lambda: pd.DataFrame([WIDE]).to_csv(index=False), "at most 8,192 columns"),
    "wide.txt": (
        lambda: f"1 Q0 a 1 1.0 s{' x' * 8192}\n",
        "at most 8,192 columns, but found .* with 8,198",
    ),
    "deep.json": (lambda: f'{{"1": {DEEP}}}', "more than 100 deep"),
    "deep.jsonl": (
        lambda: f'{json.dumps(ROW)}\n{{"topic": "1", "x": {DEEP}}}\n',
        "more than 100 deep",
    ),
    "deep.irframe": (lambda: f'{{"irframe baseline": 1, "policy": {DEEP}}}', "more than 100 deep"),
}
"""Name of a file -> what makes it, where it is asked for, and how it is refused."""


@pytest.mark.parametrize("name", [*FILES])
def test_a_file_that_holds_more_than_any_does_is_refused_before_it_is_read(
    name, tmp_path, monkeypatch
):
    monkeypatch.setattr(limits, "FREE", 1 << 16)
    made, words = FILES[name]
    path, content = tmp_path / name, made()
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if name.endswith(".irframe"):
        scores = ir.evaluate({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"])
        refused(StoreError, words, lambda: scores.ireval.compare(baseline=path))
    else:
        refused(FileFormatError, words, lambda: ir.read_run(path))


def test_brackets_in_texts_count_for_nothing(tmp_path):
    path = tmp_path / "run.jsonl"
    rows = [ROW | {"doc": doc, "text": ':["[{' * 200} for doc in "ab"]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert ir.read_run(path)["doc"].tolist() == ["a", "b"]


def test_parquet_is_read_in_pieces_of_row_groups(tmp_path):
    docs = [f"d{place}" for place in range(2000)]
    run = pd.DataFrame(ROW | {"doc": docs, "kind": pd.Categorical(["x", None] * 1000)})
    run.to_parquet(tmp_path / "run.parquet", row_group_size=700)
    found = ir.read_run(tmp_path / "run.parquet")
    assert found["doc"].tolist() == docs
    assert found["kind"].dtype == "category"
    assert found["kind"].isna().sum() == 1000


def test_every_changed_byte_of_parquet_is_read_or_refused(tmp_path):
    path = tmp_path / "run.parquet"
    pd.DataFrame(ROW | {"doc": list("abc")}).to_parquet(path)
    sound = path.read_bytes()
    for place in range(0, len(sound), 9):
        for value in (0, 255, sound[place] ^ 1):
            path.write_bytes(sound[:place] + bytes([value]) + sound[place + 1 :])
            with suppress(IrframeError):
                ir.read_run(path)


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="pyarrow has no views of text")
def test_views_of_text_are_ids(tmp_path):
    views = {name: pa.array([ROW[name]], pa.string_view()) for name in ("topic", "doc")}
    pq.write_table(pa.table(views | {"score": [1.0]}), tmp_path / "run.parquet")
    assert ir.read_run(tmp_path / "run.parquet")["doc"].tolist() == ["a"]


def test_streams_of_numbers_are_refused():
    numbers = SimpleNamespace(read=lambda: 5)
    refused(InputError, "a file of text or bytes, but found one of int", ir.read_run, numbers)
