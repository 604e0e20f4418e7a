"""Spans of evidence from files."""

import json

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import FileFormatError

SPANS = pd.DataFrame({"topic": ["007"], "doc": ["1e5"], "start": [3], "end": [9], "grade": [1]})


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.jsonl", "s.json", "s.csv.gz"])
def test_files_give_what_was_written(name, tmp_path):
    path = tmp_path / name
    if "json" in name:
        SPANS.to_json(path, orient="records", lines=name.endswith("l"))
    else:
        SPANS.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    pd.testing.assert_frame_equal(ir.read_spans(path), SPANS, check_dtype=False)


def test_questions_of_chunking_evaluation(tmp_path):
    path = tmp_path / "questions_df.csv"
    references = [{"content": "x", "start_index": 3, "end_index": 9}]
    frame = {"question": ["q"], "references": [json.dumps(references)], "corpus_id": ["1e5"]}
    pd.DataFrame(frame).to_csv(path, index=False)
    wanted = SPANS.assign(topic="q0")
    pd.testing.assert_frame_equal(ir.read_spans(path), wanted, check_dtype=False)


@pytest.mark.parametrize("name", ["s.txt", "s.jsonl"])
def test_files_of_other_kinds_are_refused(name, tmp_path):
    path = tmp_path / name
    path.write_text("no spans")
    with pytest.raises(FileFormatError):
        ir.read_spans(path)
