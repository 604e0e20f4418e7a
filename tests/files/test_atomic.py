"""Whatever goes wrong while a file is written, what had its name before is still there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import irframe as ir
from irframe.__main__ import main
from irframe.files.atomic import atomic
from irframe.files.locations import find_files

resource = pytest.importorskip("resource")
RUNS, QRELS = ir.example_track()


@pytest.fixture
def track(tmp_path, monkeypatch):
    """Stand in a folder with the files of a track."""
    monkeypatch.chdir(tmp_path)
    ir.verbs.write_run(RUNS[RUNS["system"] == "bm25"], "bm25.run")
    ir.verbs.write_run(RUNS[RUNS["system"] == "ance"], "ance.run")
    ir.verbs.write_qrels(QRELS, "qrels.txt")


@pytest.fixture
def full():
    """Let files grow to 600 bytes, as where a disk is full, once this is called."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def console(words):
    return lambda path: main([*words.split(), "-o", str(path)])


FILES = "qrels.txt bm25.run ance.run"
WRITERS = {
    "write_run": lambda path: ir.verbs.write_run(RUNS, path),
    "write_run.gz": lambda path: ir.verbs.write_run(RUNS, path),
    "write_run.xz": lambda path: ir.verbs.write_run(RUNS, path),
    "write_run.bz2": lambda path: ir.verbs.write_run(RUNS, path),
    "write_run.zst": lambda path: ir.verbs.write_run(RUNS, path),
    "write_qrels": lambda path: ir.verbs.write_qrels(QRELS, path),
    "report": lambda path: ir.report(RUNS, QRELS, path, metrics=["AP"], at=[5], resamples=100),
    "evaluate.txt": console(f"evaluate {FILES} -m AP P@5 -q"),
    "evaluate.parquet": console(f"evaluate {FILES} -m AP"),
    "diagnose.txt": console(f"diagnose {FILES}"),
    "convert": console("convert bm25.run"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("track")
def test_a_full_disk_leaves_no_half_file(name, full, tmp_path, capsys):
    before = sorted(path.name for path in tmp_path.iterdir())
    full()
    for old in (None, b"what was there"):
        path = tmp_path / f"out.{name}"
        if old is not None:
            path.write_bytes(old)
        try:
            status = WRITERS[name](path)
        except OSError as error:
            status, told = 2, str(error)
        else:
            told = capsys.readouterr().err
        assert status == 2
        assert "File too large" in told
        assert path.name in told
        assert (path.read_bytes() if path.exists() else None) == old
        path.unlink(missing_ok=True)
        assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.thorough
def test_a_kill_leaves_what_was_there(tmp_path):
    path = tmp_path / "runs.txt"
    path.write_text("old")
    code = (
        "import os, signal, sys\nfrom irframe.files.atomic import atomic\n"
        "with atomic(sys.argv[1]) as stream:\n"
        "    stream.write(b'half')\n    stream.flush()\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], check=False, cwd=Path.cwd())
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert find_files(tmp_path) == [str(path)]


def test_links_modes_and_pipes_stay_what_they_are(tmp_path):
    path, link = tmp_path / "runs.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic(link) as stream:
        stream.write(b"new")
    assert (link.is_symlink(), path.read_text()) == (True, "new")
    assert path.stat().st_mode & 0o777 == 0o640
    with atomic(os.devnull) as stream:
        stream.write(b"nothing")
    assert not Path(os.devnull).is_file()
    ends = os.pipe()
    with atomic(f"/dev/fd/{ends[1]}") as stream:
        stream.write(b"new")
    assert os.read(ends[0], 9) == b"new"
    for end in ends:
        os.close(end)
    full = pytest.raises(OSError, match="No space left on device: '/dev/full'")
    with full, atomic("/dev/full") as stream:
        stream.write(b"new")
    with pytest.raises(FileNotFoundError, match="no such"), atomic(tmp_path / "no such" / "a.txt"):
        pass
