"""Values that no file can contain raise errors of irframe."""

import gzip
import inspect
import json
import re
import threading
from datetime import date
from os import mkfifo

import pandas as pd
import pytest
from properties.experiments import larger
from properties.verbs import VERBS, call
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import FileFormatError, InputError, IrframeError, IrframeWarning, ParameterError
from irframe.option_values import plain_parameters

RUN = {"system": ["s"] * 3, "topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [3, 2, 1]}
QRELS = {"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "grade": [1, 0, 2]}
HOLDS_ITSELF = {}
HOLDS_ITSELF["a"] = HOLDS_ITSELF
DEEP = 1
for _ in range(20_000):
    DEEP = {"a": DEEP}

REFUSED = {
    "401 digits": 10**400,
    "5,000 digits": -(10**5000),
    "surrogate": "\ud800",
    "bytes": b"a",
    "set": {1},
    "itself": HOLDS_ITSELF,
    "deep": DEEP,
    "complex": 1j,
    "object": object(),
    "missing": None,
}
"""Values that are neither identifiers nor numbers."""
TAKEN = {"64 bits": 2**64 - 1, "infinite": float("inf"), "list": [1], "date": date(2020, 1, 1)}
"""Values that some readers accept as identifiers or numbers."""


def odd(columns, role, value, *, rows):
    """Return a frame whose first rows contain an odd value."""
    values = [value] * rows + columns[role][rows:]
    return pd.DataFrame(columns).assign(**{role: pd.Series(values, dtype=object)})


def as_dictionaries(frame, value):
    """Return nested dictionaries, or a frame for unhashable ids."""
    nested = {}
    for topic, doc, number in zip(frame["topic"], frame["doc"], frame[value], strict=True):
        try:
            nested.setdefault(topic, {})[doc] = number
        except TypeError:
            return frame
    return nested


CUBE = ir.cube(*larger())
SCORER = ir.scorer(pd.DataFrame(QRELS), ["AP"])
READERS_OF_RUNS = {
    "evaluate": lambda run, _: ir.evaluate(run, pd.DataFrame(QRELS), "AP"),
    "rank": lambda run, _: ir.verbs.rank(run),
    "arrays": lambda run, _: SCORER(topic=run["topic"], doc=run["doc"], score=run["score"]),
    "rows": lambda run, _: SCORER(run.to_dict("records")),
    "dictionary": lambda run, _: SCORER(as_dictionaries(run, "score")),
    "dictionary of a system": lambda run, _: ir.as_runs({"s": as_dictionaries(run, "score")}),
    "write": ir.verbs.write_run,
    "write a dictionary": lambda run, file: ir.verbs.write_run(as_dictionaries(run, "score"), file),
}
READERS_OF_QRELS = {
    "evaluate": lambda qrels, _: ir.evaluate(pd.DataFrame(RUN), qrels, "AP"),
    "rows": lambda qrels, _: ir.scorer(qrels.to_dict("records"), "AP"),
    "dictionary": lambda qrels, _: ir.scorer(as_dictionaries(qrels, "grade"), "AP"),
    "write": ir.verbs.write_qrels,
    "write a dictionary": lambda q, file: ir.verbs.write_qrels(as_dictionaries(q, "grade"), file),
}
STRICT = {"evaluate", "rank", "rows", "write", "write a dictionary"}
"""Names of readers that read every row."""
READERS = {"run": (RUN, READERS_OF_RUNS), "qrels": (QRELS, READERS_OF_QRELS)}
CASES = [
    (noun, role, reader)
    for noun, (columns, readers) in READERS.items()
    for role in columns
    for reader in readers
    if role != "system" or "dictionary" not in reader
]


@pytest.mark.parametrize(("noun", "role", "reader"), few_of(CASES, 4, drawn=False))
@pytest.mark.filterwarnings("ignore")
def test_odd_values_raise_errors_of_irframe(noun, role, reader, tmp_path):
    columns, readers = READERS[noun]
    does = readers[reader]
    accepted, messages = set(), []
    for name, value in (REFUSED | TAKEN).items():
        for rows in (1, 3):
            try:
                does(odd(columns, role, value, rows=rows), tmp_path / "out")
                accepted.add(name)
            except IrframeError as error:
                messages.append(str(error))
    assert max(map(len, messages), default=0) < 2000
    assert reader not in STRICT or accepted <= {*TAKEN}


BIG = "9" * 401
REPEATED = {
    "topic": '{"1": {"a": 1}, "1": {"b": 2}}',
    "doc": '{"1": {"a": 1, "b": 0, "a": 2}}',
    "system": '{"s": {"1": {"a": 1}}, "s": {"2": {"a": 1}}}',
    "model": '{"mteb_model_meta": {"model_name": "x", "model_name": "y"}, "de": {"test": {}}}',
}
ODD_FILES = {
    "digits.json": f'{{"1": {{"a": {BIG}, "b": 1}}}}',
    "more digits.json": f'{{"1": {{"a": {BIG * 20}}}}}',
    "deep.json": '{"a": ' * 20_000 + "1" + "}" * 20_000,
    "deep lists.json": '{"a": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "rather deep.json": '{"a": ' * 900 + "1" + "}" * 900,
    "surrogate doc.json": r'{"1": {"\ud800": 1}}',
    "surrogate topic.json": r'{"\ud800": {"a": 1}}',
    "lines.json": '{"qid": "1", "docno": "a"}\n{"qid": "1", "docno": "b"}',
    "surrogate.jsonl": '{"topic": "1", "doc": "a", "grade": 1}\n{"topic": "\\ud800", "doc": "a"}\n',
    "deep.jsonl": '{"a": 1}\n{"a": ' + "[" * 20_000 + "]" * 20_000 + "}\n",
    "digits.jsonl": f'{{"topic": "1", "doc": "a", "grade": {BIG}}}\n{{"topic": "1"}}\n',
    "bytes.jsonl": b'{"topic": "1", "doc": "a", "grade": 1}\n{"topic": "1", "doc": "\xff"}\n',
    "repeated.jsonl": '{"topic": "1", "doc": "a", "doc": "b", "grade": 1}\n{"topic": "1"}\n',
    "cut.jsonl": '{"topic": "1", "doc": "a", "grade": 1}\n{"topic": "1", "doc',
    "cut.json": '{"1": {"a": 1}, "2": {"b',
    "other.json": b'{"1": {"a\xff": 1}}',
    "mteb.json": '{"mteb_model_meta": 1, "a": 1}',
    "mteb splits.json": '{"mteb_model_meta": {}, "a": [1]}',
    "utf-16.json": '{"1": {"a": 1}}'.encode("utf-16"),
    "other.txt": b"1 0 a\xff 1\n",
    "surrogate.txt": b"1 0 \xed\xa0\x80 1\n",
    "digits.txt": f"1 0 a {BIG}\n1 Q0 a {BIG} 1 s\n",
    "header.tsv": "query-id\tcorpus-id\tscore\n1\ta\tx\n",
    "empty.txt": "",
    "zeros.txt": b"\0" * (1 << 20) + b"\n" + b"\0" * (1 << 20),
    "parquet": b"PAR1" + b"\0" * 8 + b"PAR1",
    "cbor.lz4": b"\xbb" + b"\xff" * 8,
    "packed.gz": b"\x1f\x8b\x08" + b"\0" * 20,
} | {f"repeated {name}.json": text for name, text in REPEATED.items()}


def table_of(value, role):
    """Return a run with one odd value throughout a column."""
    return pd.DataFrame(RUN).assign(**{role: pd.Series([value] * 3)})


def left_out(runs):
    """Map the files that `read_runs` skipped to their problems."""
    return {problem["file"]: problem["found"] for problem in runs.attrs["problems"]}


@pytest.fixture
def odd_files(tmp_path):
    for name, content in ODD_FILES.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data, 1))
    for role in ("topic", "doc", "score", "system"):
        for value in ([1], b"a", {"a": 1}, date(2020, 1, 1)):
            file = tmp_path / f"{role} {type(value).__name__}.parquet"
            table_of(value, role).to_parquet(file)
    return sorted(tmp_path.iterdir())


@pytest.mark.thorough
def test_odd_files_are_named_in_errors_or_skipped(odd_files):
    for file in odd_files:
        for reader in (ir.read_run, ir.read_qrels):
            with pytest.raises(IrframeError) as caught:
                reader(file)
            assert file.name in str(caught.value)
            assert len(str(caught.value)) < 2000
        runs = ir.scan_runs([file])
        refused(IrframeError, r"\.", runs.ireval.evaluate, pd.DataFrame(QRELS), "AP")
    intact = odd_files[0].with_name("sound.txt")
    intact.write_text("1 Q0 a 1 2.5 s\n")
    with pytest.warns(IrframeWarning, match=rf"left out \({len(odd_files)}\)"):
        runs = ir.read_runs([*odd_files, intact], on_error="skip")
    assert runs["system"].tolist() == ["s"]
    assert [*left_out(runs)] == [*map(str, odd_files)]


@pytest.mark.parametrize("name", REPEATED)
def test_a_repeated_key_is_named(tmp_path, name):
    file = tmp_path / "a.json"
    file.write_text(REPEATED[name])
    key = json.dumps(json.loads(REPEATED[name]))
    for reader in (ir.read_run, ir.read_qrels):
        with pytest.raises(FileFormatError, match="every key once") as caught:
            reader(file)
        (repeated,) = caught.value.offenders
        assert repeated.strip("'") in key


def test_readers_refuse_endless_devices_and_read_pipes(tmp_path):
    for device in ("/dev/zero", "/dev/full", "/dev/null"):
        for reader in (ir.read_run, ir.read_qrels):
            refused(InputError, f"a file or a pipe, but found the device {device}", reader, device)
        with pytest.warns(IrframeWarning, match="left out"):
            assert [*left_out(ir.read_runs([device], on_error="skip"))] == [device]
    mkfifo(tmp_path / "pipe")
    lines = "1 0 a 1\n" * 2**18
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(lines,))
    writer.start()
    assert len(ir.read_qrels(tmp_path / "pipe")) == 2**18
    writer.join()


@pytest.mark.parametrize("before", [1, 2])
def test_errors_name_the_line_that_is_too_long(tmp_path, before):
    file = tmp_path / "a.txt"
    file.write_bytes(b"1 Q0 a 1 1 s\n" * (before - 1) + b"\0" * (1 << 20))
    message = f"a.txt with lines that do not fit: line {before} has 1 column"
    for reader in (ir.read_run, lambda file: [*ir.scan_runs([file]).frames()]):
        refused(FileFormatError, message, reader, file)
    with file.open("rb", buffering=0) as stream, pytest.raises(FileFormatError, match=message):
        ir.read_run(stream)


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", None, 5, b"a"])
def test_values_that_name_no_file_are_not_paths(path):
    frames = ir.example_track()
    for does in (
        ir.read_run,
        ir.read_qrels,
        lambda path: ir.read_runs([path]),
        lambda path: ir.report(*frames, path),
        lambda path: ir.verbs.write_run(frames[0], path),
        CUBE.ireval.save,
        ir.open_cube,
    ):
        refused(InputError, "a path", does, path)
    refused(ParameterError, "a file that ends in", ir.evaluate(*frames, "AP").ireval.freeze, path)
    with pytest.warns(IrframeWarning, match="left out"):
        assert len(left_out(ir.read_runs([path], on_error="skip"))) == 1


def test_unknown_addresses_are_named():
    for does in (ir.read_run, ir.read_qrels, ir.read_runs, CUBE.ireval.save, ir.open_cube):
        refused(InputError, "found nothing://a/b.*Protocol not known", does, "nothing://a/b")


ROWS = [f"1 Q0 d{rank} {rank} {9 - rank} team" for rank in range(6)]


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        ([*ROWS, "1 Q0 d9 9 0 t"], True),
        ([*ROWS, "1 Q0 d9 9 0 other\n"], True),
        ([*ROWS, "1 Q0 d9 9 0 team"], False),
        ([*ROWS, "1 Q0 d8 1 2 t", "1 Q0 d9 9 0 t"], False),
        ([*ROWS[:4], "1 Q0 d9 9 0 t"], False),
        (["1 Q0 d9 9 0 t", *ROWS], False),
    ],
)
@pytest.mark.parametrize("large", [0, 1 << 24])
def test_a_file_that_ends_inside_a_tag_is_named(tmp_path, monkeypatch, rows, warned, large):
    monkeypatch.setattr("irframe.files.scan_runs.LARGE", large)
    file = tmp_path / "team.run"
    file.write_text("\n".join(rows))
    for reader in (ir.read_run, ir.read_runs, lambda file: [*ir.scan_runs([file]).frames()]):
        if warned:
            with pytest.warns(
                IrframeWarning, match=rf"the last line of .*team.run \(line {len(rows)}\)"
            ):
                reader(file)
        else:
            reader(file)


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(sorted(VERBS), 4, drawn=False))
@pytest.mark.filterwarnings("ignore")
def test_errors_shorten_huge_numbers(name):
    """Pass a huge number to each option of each verb."""
    for option in plain_parameters(inspect.signature(VERBS[name])).values():
        if not re.search(r"\b(int|float)\b", str(option.annotation)) or option.name == "original":
            continue
        try:
            call(name, CUBE, **{option.name: 10**400})
        except IrframeError as error:
            assert len(str(error)) < 600, option  # noqa: PT017
        else:
            assert option.name == "seed", option
