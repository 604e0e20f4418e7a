"""Damaged files are read, skipped, or named in an error."""

import copy
import gzip
import json
import random
from importlib import import_module
from importlib.util import find_spec

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError

cbor2 = import_module("cbor2") if find_spec("cbor2") else None
pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.25), ("q2", "d1", 3.0), ("q2", "d3", 0.5)]
RUN = pd.DataFrame(ROWS, columns=["topic", "doc", "score"]).assign(rank=[1, 2, 1, 2], system="s")
QRELS = RUN[["topic", "doc"]].assign(iteration="0", grade=[0, 1, 2, 1])
SPANS = QRELS.drop(columns="iteration").assign(start=3, end=9)


def _lines(frame, *columns, sep=" "):
    rows = frame.assign(Q0="Q0")[[*columns]].astype(str).to_numpy().tolist()
    return "".join(sep.join(row) + "\n" for row in rows).encode()


def _parquet(frame):
    stream = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pandas(frame), stream)
    return stream.getvalue().to_pybytes()


def _nested(frame, value):
    return {t: dict(rows[["doc", value]].to_numpy().tolist()) for t, rows in frame.groupby("topic")}


def _json(value):
    return json.dumps(value).encode()


def _cbor(value):
    return cbor2.dumps(value) if cbor2 else _json(value)


MTEB = {"mteb_model_meta": {"model_name": "m"}, "default": {"test": _nested(RUN, "score")}}
HITS = {"q1": [{"id": "d1", "score": 2.0}, {"id": "d2", "score": 1.0}], "q2": [{"id": "d1"}]}
CALLS = {"q1": [{"role": "tool", "tool_call_id": "c1", "content": json.dumps(HITS["q1"])}]}
ANSWERS = {t: {"took": 1, "hits": {"hits": [{"_id": "a", "_score": 1.0}]}} for t in ("q1", "q2")}
NESTED = {
    "run": (_nested(RUN, "score"), {"s": _nested(RUN, "score")}, MTEB, HITS, CALLS, ANSWERS,
            RUN.to_dict("records"), RUN.to_dict("split"), RUN.to_dict("list")),
    "qrels": (_nested(QRELS, "grade"), {"q1": ["d1"], "q2": ["d1", "d2"]},
              QRELS.to_dict("records"), QRELS.to_dict("list")),
    "spans": (SPANS.to_dict("records"),),
}  # fmt: skip
"""Mapping from kinds of data to contents of valid JSON files."""
TREC = ("topic", "Q0", "doc", "rank", "score", "system")
FILES = {
    "run": [
        _lines(RUN, *TREC),
        _lines(RUN, *TREC, sep="\t"),
        _lines(RUN, "topic", "doc", "rank", sep="\t"),
        gzip.compress(_lines(RUN, *TREC)),
    ],
    "qrels": [
        _lines(QRELS, "topic", "iteration", "doc", "grade"),
        QRELS.to_csv(index=False, sep="\t").encode(),
    ],
    "spans": [],
}
for kind, frame in {"run": RUN, "qrels": QRELS, "spans": SPANS}.items():
    FILES[kind] += [
        frame.to_csv(index=False).encode(),
        frame.to_json(orient="records", lines=True).encode(),
        _parquet(frame),
        *map(_json, NESTED[kind]),
    ]
READ = {"run": ir.read_run, "qrels": ir.read_qrels, "spans": ir.read_spans}
ODD = (
    b"",
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b'"',
    b",",
    b"{",
    b"[",
    b"]",
    b"}",
    b"#",
    b"-",
)
ODD += (b"null", b"NaN", b"1e400", b"1" * 400, b"[[", b"{}", b"[]", b"true", b"\\ud800", b"0.5")
VALUES = (None, -1, 2**70, 1.5, 1e308, True, "", "x", "1", [], {}, [1], ["a"], {"a": 1}, [[]], [{}])


def damaged(data, random):
    """Return bytes with random pieces removed, replaced, doubled or moved."""
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        start, end = sorted(random.choices(range(len(data) + 1), k=2))
        end = min(end, start + random.choice((0, 1, 4, 40)))
        piece = random.choice((*ODD, bytes([random.randrange(256)]), data[start:end] * 2))
        data = random.choice((data[:end], data[start:], data[:start] + piece + data[end:]))
    return data


def places(value, path=()):
    """Yield the path of every item in nested values."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))
        else:
            yield (*path, key)


def changed(value, random):
    """Return nested values with an item replaced, removed or renamed."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 2))):
        paths = [path for path in places(value) if path]
        if not paths:
            return value
        *before, last = random.choice(paths)
        inside = value
        for key in before:
            inside = inside[key]
        change = random.choice(("put", "put", "delete", "name"))
        if change == "delete":
            del inside[last]
        elif change == "name" and isinstance(inside, dict):
            inside[random.choice(("", "score", "id", "hits", "data", "topic"))] = inside.pop(last)
        else:
            inside[last] = copy.deepcopy(random.choice(VALUES))
    return value


def cases(kind, seed):
    """Yield the bytes of a damaged file of each format."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    for data in FILES[kind]:
        yield damaged(data, draw)
    for value in NESTED[kind]:
        odd = changed(value, draw)
        yield _json(odd)
        if kind != "spans" and isinstance(odd, dict):
            yield _cbor(odd)
        if isinstance(odd, list):
            yield b"".join(_json(row) + b"\n" for row in odd)


def asked(read, source):
    """Return a reader's result, or the error that it raises."""
    try:
        return read(source)
    except IrframeError as error:
        return error


SEEDS = few_of(range(200), 100)


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_files_are_read_or_named_in_an_error(kind, seed, tmp_path):
    path, intact = tmp_path / "damaged", tmp_path / "sound"
    intact.write_bytes(b"1 Q0 a 1 2.5 sound\n")
    for data in cases(kind, seed):
        path.write_bytes(data)
        result = asked(READ[kind], path)
        assert isinstance(result, pd.DataFrame) or str(path) in str(result), data
        if kind == "run":
            runs = ir.read_runs([intact, path], on_error="skip")
            assert "sound" in set(runs["system"]), data
            skipped = [problem["file"] for problem in runs.attrs.get("problems", ())]
            assert isinstance(result, pd.DataFrame) or str(path) in skipped, data


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("seed", SEEDS)
def test_odd_dictionaries_are_read_or_refused(kind, seed):
    draw = random.Random(seed)  # noqa: S311 - no secret
    reader = {"run": ir.as_runs, "qrels": ir.as_qrels}[kind]
    for value in NESTED[kind]:
        odd = changed(value, draw)
        assert isinstance(asked(reader, odd), pd.DataFrame | IrframeError)
