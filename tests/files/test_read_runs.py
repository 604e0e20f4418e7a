"""Many runs at once: their order, their names, and what does not go together."""

import io

import pandas as pd
import pytest
from filed import LINES, write
from refusals import refused

from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.files.read_runs import read_runs


@pytest.mark.thorough
def test_all_systems_of_a_track(shared):
    folder = shared / "data" / "trec-covid-round1"
    runs = read_runs(folder / "runs")
    board = pd.read_csv(folder / "leaderboard.csv")
    assert runs["system"].nunique() == len(board) == 143
    assert runs["system"].iloc[0] == min(path.name for path in folder.glob("runs/*"))[:-3]


def test_runs_come_in_order(tmp_path):
    for system in "cab":
        write(tmp_path, f"1 Q0 d 1 2 {system}\n", f"{system}.run")
    write(tmp_path, "not a run", ".hidden")
    (tmp_path / "folder.run").mkdir()
    for paths in (f"{tmp_path}/*.run", tmp_path / "*.run", tmp_path, f"{tmp_path}/[abc].run"):
        assert read_runs(paths)["system"].tolist() == ["a", "b", "c"]
    given_order = [tmp_path / "c.run", str(tmp_path / "a.run")]
    assert read_runs(iter(given_order))["system"].tolist() == ["c", "a"]
    assert read_runs(tmp_path / "b.run")["system"].tolist() == ["b"]


def test_a_name_that_looks_like_a_pattern(tmp_path):
    path = write(tmp_path, LINES, "bm25[1].run")
    assert len(read_runs(path)) == 2


def test_pattern_across_folders(tmp_path):
    for system in "ab":
        (tmp_path / system).mkdir()
        write(tmp_path / system, f"1 Q0 d 1 2 {system}\n", "x.run")
    assert read_runs(f"{tmp_path}/**/*.run")["system"].tolist() == ["a", "b"]
    with pytest.raises(IdError, match=r"b/x\.run: 'x', which is in .*a/x\.run.*Rename"):
        read_runs(f"{tmp_path}/**/*.run", system="file")


def test_a_system_in_two_files(tmp_path):
    for name in "abc":
        write(tmp_path, LINES, f"{name}.run")
    said = r"found 2 that .*b\.run: 'bm25', which is in .*a\.run, .*c\.run: .*system=\"file\""
    refused(IdError, said, read_runs, tmp_path)
    assert read_runs(tmp_path, system="file")["system"].tolist() == list("aabbcc")


def test_parts_of_one_run_have_a_folder_of_their_own(tmp_path):
    for number in range(2):
        write(tmp_path, f"{number} Q0 d 1 2 x\n", f"x-{number}.run")
    refused(IdError, "call them part-0, part-1, .* in a folder", read_runs, tmp_path)
    for number in range(2):
        (tmp_path / f"x-{number}.run").rename(tmp_path / f"part-{number}.run")
    assert read_runs(tmp_path)["topic"].tolist() == ["0", "1"]


def test_nothing_to_read(tmp_path):
    for paths in (f"{tmp_path}/*.run", tmp_path, []):
        refused(InputError, "found none", read_runs, paths)


def test_unknown_source_of_names(tmp_path):
    refused(ParameterError, "stem", lambda: read_runs(tmp_path, system="stem"))


def test_faults_of_all_files_at_once(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, LINES + "1 Q0\n", "b.run")
    refused(FileFormatError, r"b\.run with lines .*line 3 has 2", lambda: read_runs(tmp_path))
    write(tmp_path, "", "c.run")
    refused(FileFormatError, r"2 files .*b\.run line 3 has 2.*c\.run without", read_runs, tmp_path)


def test_runs_with_and_without_scores(tmp_path):
    write(tmp_path, LINES, "a.run")
    write(tmp_path, "1 a 1\n", "b.run")
    refused(FileFormatError, r"a score in every file.*b\.run", lambda: read_runs(tmp_path))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("count", "progress", "terminal", "shown"),
    [
        (21, None, True, True),
        (20, None, True, False),
        (21, None, False, False),
        (2, True, False, True),
        (21, False, True, False),
    ],
)
def test_progress(tmp_path, monkeypatch, count, progress, terminal, shown):
    stderr = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    for number in range(count):
        write(tmp_path, f"1 Q0 d 1 2 s{number}\n", f"{number}.run")
    assert len(read_runs(tmp_path, progress=progress)) == count
    assert (f"\rread {count} of {count} files\n" in stderr.getvalue()) == shown
