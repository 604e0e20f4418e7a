"""Runs of the files that could be read, and what is wrong with the others."""

import pytest

import irframe as ir
from irframe.errors import FileFormatError, ParameterError


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


ROW = "{} Q0 {} 1 2.5 {}\n"


def test_the_first_problems_of_every_file_are_listed_and_the_rest_counted(tmp_path):
    bad = "".join(ROW.format("1", "d", "x") + "1 Q0 d x 2.5 x\n" for _ in range(9))
    files = {f"b{number}": bad for number in range(7)}
    runs, problems = ir.read_runs(
        write(tmp_path, a=ROW.format("1", "d", "a"), z=ROW.format("1", "d", "z"), **files),
        on_error="skip",
    )
    assert runs["system"].tolist() == ["a", "z"]
    assert problems["file"].value_counts().tolist() == [4] * 7
    assert problems["found"].tolist()[2:5] == [
        "line 6 has the rank 'x'",
        "6 more",
        problems["found"][0],
    ]
    assert problems.columns.tolist() == ["file", "wanted", "found"]
    first = problems.iloc[0]
    assert first["file"] == str(tmp_path / "b0")
    assert first["found"] == "line 2 has the rank 'x'"
    assert first["wanted"].startswith("a run with 6 columns")


def test_files_that_do_not_go_together(tmp_path):
    write(tmp_path, a=ROW.format("1", "d", "s"), b=ROW.format("1", "e", "s"), c="1 d 1\n", d="")
    runs, problems = ir.read_runs(tmp_path, on_error="skip")
    assert runs["doc"].tolist() == ["d"]
    assert problems["file"].str[-1].tolist() == ["d", "b", "c"]
    assert problems["found"].tolist() == [
        f"{tmp_path / 'd'} without a single row",
        f"'s', which is in {tmp_path / 'a'}",
        f"none, unlike {tmp_path / 'a'}",
    ]
    turned = [tmp_path / "c", tmp_path / "a"]
    runs, problems = ir.read_runs(turned, on_error="skip")
    assert runs["system"].tolist() == ["c"]
    assert problems["found"].tolist() == [f"one, unlike {tmp_path / 'c'}"]


def test_files_that_are_not_there(tmp_path):
    missing = tmp_path / "missing"
    runs, problems = ir.read_runs([missing], on_error="skip")
    assert runs.empty
    assert runs.columns.tolist() == ["system", "topic", "doc", "rank", "score"]
    assert problems["file"].tolist() == [str(missing)]
    assert "No such file" in problems["found"].item()
    with pytest.raises(FileNotFoundError):
        ir.read_runs([missing])


def test_nothing_is_wrong(tmp_path):
    runs, problems = ir.read_runs(write(tmp_path, a=ROW.format("1", "d", "a")), on_error="skip")
    assert len(runs) == 1
    assert problems.empty


def test_words_are_checked(tmp_path):
    write(tmp_path, a="1 d\n")
    with pytest.raises(ParameterError, match="on_error to be one of 'raise', 'skip'"):
        ir.read_runs(tmp_path, on_error="ignore")
    with pytest.raises(FileFormatError):
        ir.read_runs(tmp_path)
