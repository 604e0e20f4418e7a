"""Tests of irframe.frames.values, and of lines that begin with ``#``."""

import io
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import irframe as ir
from irframe.errors import FileFormatError, IrframeWarning
from irframe.frames.ids import TEXT
from irframe.frames.values import to_frame


def test_text_of_tables_stays_text_in_frames():
    table = pa.table({"doc": pa.chunked_array([["001"], ["é"]], TEXT), "grade": [1, 2]})
    frame = to_frame(table)
    assert frame["doc"].tolist() == ["001", "é"]
    assert frame["doc"].dtype == "str" or str(frame["doc"].dtype).startswith("string")
    assert frame["grade"].dtype == np.int64
    assert len(frame.index) == 2


ROW = "{} Q0 {} 1 2.5 tag\n"


def topics(text, reader=ir.read_run):
    return reader(io.BytesIO(text.encode()))["topic"].tolist()


def test_comments_are_skipped():
    text = "# made by hand\n" + ROW.format("1", "a") + "#\n# 1 Q0 b 2 1.5 tag\n#done\n##\n"
    assert topics(text) == ["1"]


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
def test_ids_may_begin_with_a_hash(separator):
    text = "# of tags\n" + (ROW.format("#a", "#d") + ROW.format("#b", "d#")).replace(" ", separator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = ir.read_run(io.BytesIO(text.encode()))
    assert frame["topic"].tolist() == ["#a", "#b"]
    assert frame["doc"].tolist() == ["#d", "d#"]


@pytest.mark.parametrize("order", [("#a", "b"), ("b", "#a")])
def test_rare_ids_with_a_hash_cause_a_warning(order):
    text = "".join(ROW.format(topic, "d") for topic in order)
    with pytest.warns(IrframeWarning, match="rows of topics '#a'; begin comments with '# '"):
        assert topics(text) == list(order)


def test_comments_in_judgments_are_skipped():
    text = "#qrels made in 2019\n#1 0 d 2\n#2 Q0 d 1\n#3 x y z\n"
    assert topics(text, ir.read_qrels) == ["#1", "#2"]
    headed = "query-id corpus-id score\n#1 d 2\n# and no more\n#2 d 1\n"
    assert topics(headed, ir.read_qrels) == ["#1", "#2"]


def test_comments_of_three_words_are_skipped():
    assert topics("#run of 2019\n1 d 1\n") == ["1"]
    with pytest.raises(FileFormatError):
        topics("#run of 2019\n")


HEADER = """# ir_metadata.start
# platform:
#   hardware:
#     cpu: 1
# ir_metadata.end
"""


def test_headers_of_ir_metadata_are_kept(tmp_path):
    text = HEADER + ROW.format("1", "a")
    run = ir.read_run(io.BytesIO(text.encode()))
    assert run.attrs == {"ir_metadata": {"tag": "platform:\n  hardware:\n    cpu: 1\n"}}
    assert len(run) == 1
    (tmp_path / "a").write_text(text.replace("\n", "\r\n"))
    (tmp_path / "b").write_text(ROW.format("1", "a"))
    runs = ir.read_runs(tmp_path, system="file")
    assert runs.attrs["ir_metadata"] == {"a": "platform:\n  hardware:\n    cpu: 1\n"}
    assert [Path(name).name for name, *_ in runs.attrs["files"]] == ["a", "b"]
    cube = ir.cube(runs, {"1": {"a": 1}})
    assert "ir_metadata" not in cube.attrs


def test_a_run_frame_records_its_file(tmp_path):
    (tmp_path / "a").write_text(ROW.format("1", "a"))
    run = ir.read_run(tmp_path / "a")
    assert [Path(name).name for name, *_ in run.attrs["files"]] == ["a"]
    assert run.attrs == ir.read_runs(tmp_path / "a").attrs
