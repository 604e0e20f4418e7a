"""Tests of the command line."""

import doctest
import gc
import inspect
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from incomplete import incomplete
from pandas.testing import assert_frame_equal

import irframe as ir
from irframe.__main__ import main
from irframe.commands import COMMANDS, tell
from irframe.commands.evaluate import trec_layout
from irframe.reports.report import MADE

ROOT = str(Path(ir.__file__).parents[1])
PAGE = Path(__file__).parents[1] / "docs" / "guide" / "command-line.md"
TASK = PAGE.with_name("shared-task.md")


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Return a folder with the example track, and its runs."""
    folder = tmp_path_factory.mktemp("example")
    runs, qrels = ir.example_track()
    ir.verbs.write_qrels(qrels, folder / "qrels.txt")
    paths = []
    for (team, system), run in runs.groupby(["team", "system"], sort=False):
        (folder / team).mkdir(exist_ok=True)
        paths.append(f"{team}/{system}.gz")
        ir.verbs.write_run(run, folder / paths[-1])
    return folder, paths


@pytest.fixture
def files(tmp_path, written):
    shutil.copytree(written[0], tmp_path, dirs_exist_ok=True)
    return str(tmp_path / "qrels.txt"), [str(tmp_path / path) for path in written[1]]


def run(capsys, *args):
    status = main([*args])
    return status, *capsys.readouterr()


def test_evaluate_prints_means(files, capsys):
    runs, qrels = ir.example_track()
    status, out, _ = run(capsys, "evaluate", files[0], *files[1], "-m", "AP", "nDCG@10")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split() == ["AP", "nDCG@10"]
    means = runs.ireval.evaluate(qrels, ["AP", "nDCG@10"]).groupby("system", sort=False).mean()
    assert lines[2].split() == ["bm25", *(f"{x:.4f}" for x in means.loc["bm25"])]
    assert len(lines) == 2 + len(means)


@pytest.fixture(scope="session")
def oddities(written, tmp_path_factory):
    """Return a folder with valid and invalid files."""
    folder = tmp_path_factory.mktemp("odd")
    filed = written[0] / written[1][0]
    shutil.copy(written[0] / "qrels.txt", folder)
    bm25 = ir.read_run(filed)
    ir.verbs.write_run(bm25, folder / "a.run")
    bm25.assign(team="x").to_parquet(folder / "team.parquet")
    lines = (folder / "a.run").read_text()
    contents = {
        "empty": "", "text": "not a run\n", "two\nlines": "not\n", "twice.run": lines * 2,
        "nan.run": lines.replace("101 Q0", "101 Q0 x", 1), "other": "999 0 d1 1\n",
        "ranks": "101 d158 1\n", "steep": "101 0 d1 99999\n", "binary": bytes(range(256)),
        "cut.gz": filed.read_bytes()[:99], "cut.parquet": b"PAR1PAR1",
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def odd(oddities, tmp_path, monkeypatch):
    """Change to a folder with valid and invalid files."""
    shutil.copytree(oddities, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def test_calls_of_main_in_python_do_not_freeze_the_garbage_collector(files, capsys, monkeypatch):
    args, frozen = ["evaluate", files[0], files[1][0], "-m", "AP"], []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append("imports"))
    assert run(capsys, *args)[0] == 0
    assert frozen == []
    monkeypatch.setattr(sys, "argv", ["irframe", *args])
    assert main() == 0
    assert frozen == ["imports"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("none a.run -m AP", "none: No such file"),
        ("qrels.txt none -m AP", "none: No such file"),
        ("qrels.txt *.none -m AP", "expected files that match"),
        ("folder a.run -m AP", "found the folder folder"),
        ("qrels.txt a.run folder -m AP", "files that match 'folder', but found none"),
        ("qrels.txt empty -m AP", "no rows in .*empty"),
        ("qrels.txt text -m AP", "line 1 has the rank 'run'"),
        ("qrels.txt two\nlines -m AP", "two lines with lines that do not fit"),
        ("qrels.txt binary -m AP", "binary with lines that do not fit"),
        ("qrels.txt cut.gz -m AP", "cut.gz damaged"),
        ("qrels.txt cut.parquet -m AP", "cut.parquet damaged"),
        (
            "a.run qrels.txt -m AP",
            "found a.run .* 1 has 6 columns, not 4, .* but expected judgments",
        ),
        ("qrels.txt qrels.txt -m AP", "line 1 has 4 columns, not 6"),
        ("qrels.txt nan.run -m AP", "line 1 has the rank|line 2 has 6 columns"),
        ("qrels.txt a.run a.run -m AP", "a.run: 'bm25', which is in a.run"),
        ("qrels.txt twice.run -m AP", "800 documents listed again: .* and 795 more"),
        ("qrels.txt a.run ranks -m AP", "a score in every file"),
        ("other a.run -m AP", "topics that occur in runs and qrels"),
        ("steep a.run -m AP", "grades that are whole numbers"),
        (
            "qrels.txt a.run -m nDGC",
            "found 'nDGC' .did you mean nDCG.*, but expected a known metric",
        ),
        ("qrels.txt a.run -m AP AP", "each once"),
        ("qrels.txt a.run -m AP " + "x" * 300, "expected a known metric"),
        ("qrels.txt a.run --metric " + "x" * 5000, "at most 4,000 characters, but found 5,000"),
        ("qrels.txt a.run -m AP --depth 0", "--depth to be a whole number of at least 1"),
        ("qrels.txt a.run -m AP --depth 99999999999999999999", "at most 2147483647"),
        ("qrels.txt a.run -m AP@9999999999", "metrics of depth 2147483647 at most"),
        (
            "qrels.txt a.run -m P@5 P@20 nDCG@6 AP --depth 5",
            "found P@20, nDCG@6, but expected .* 5 at",
        ),
        ("qrels.txt a.run -m Bpref --ties mean", "metrics that support"),
        (
            "qrels.txt team.parquet -m AP --by name",
            "found 'name'; the runs have: team, but expected by",
        ),
        ("qrels.txt a.run -m AP --by team --format trec_eval", "expected no --by"),
        ("qrels.txt - - -m AP", "expected standard input .* found it 2 times"),
        ("qrels.txt a.run -m AP -o no/such/file", "no/such/file: No such file or directory"),
    ],
)
@pytest.mark.usefixtures("odd")
def test_errors_are_one_line_and_status_2(capsys, args, message):
    status, out, error = run(capsys, "evaluate", *args.split(" "))
    assert (status, out) == (2, "")
    assert re.match(f"irframe: .*({message})", error)
    assert error.count("\n") == 1


@pytest.mark.usefixtures("odd")
def test_errors_name_options_instead_of_python_arguments(files, capsys, tmp_path):
    output = str(tmp_path / "main.irframe")
    status, _, error = run(capsys, "freeze", files[0], *files[1], "-m", "AP", "-o", output)
    assert (status, "Choose one by --baseline." in error) == (2, True), error


def test_unwritable_outputs_are_refused_at_once(capsys):
    args = "compare none none -m AP --baseline-file no/b --update --fail-on worse"
    status, out, error = run(capsys, *args.split())
    assert (status, out, "no/b: No such" in error) == (2, "", True), error


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("", "required: COMMAND; see irframe --help"),
        ("-- --", "required: COMMAND; see irframe --help"),
        ("rate", "invalid choice: 'rate'"),
        ("-- rate", "invalid choice: 'rate'"),
        ("-- evaluate", "required: .*-m/--metric; see irframe evaluate --help"),
        ("evaluate", "required: .*-m/--metric; see irframe evaluate --help"),
        ("evaluate -m AP", "required: QRELS, RUN; see irframe evaluate --help"),
        ("evaluate q r -m", "-m/--metric: expected"),
        ("evaluate q r -m --depth 3", "-m/--metric: expected"),
        ("evaluate q r -m AP --depth x", "invalid int value: 'x'"),
        ("evaluate q r -m AP --ties best", "invalid choice: 'best'"),
        ("evaluate q r -m AP --format xml", "invalid choice: 'xml'"),
        ("evaluate q r -m AP --two\nlines", "unrecognized arguments: --two lines"),
    ],
)
def test_unknown_commands_are_refused(capsys, args, message):
    with pytest.raises(SystemExit) as lines:
        main(args.split(" ") if args else [])
    assert lines.value.code == 2
    error = capsys.readouterr().err
    assert re.match(f"irframe: .*{message}", error)
    assert error.count("\n") == 1


@pytest.mark.usefixtures("odd")
def test_warnings_are_one_line(capsys):
    judged = ir.read_qrels("qrels.txt")
    ir.verbs.write_qrels(judged[judged["topic"] == "101"], "some.txt")
    status, out, error = run(capsys, "evaluate", "some.txt", "a.run", "-m", "AP")
    assert status == 0
    assert "bm25" in out
    assert re.fullmatch(r"irframe: warning: 15 topics of the runs have no judgments.*\n", error)
    status, _, error = run(capsys, "evaluate", "some.txt", "a.run", "-m", "Bpref", "--ties", "mean")
    assert (status, error.count("\n")) == (2, 1)


FAILURES = {
    "IndexError: odd; this is an error in irframe: python -X dev shows the traceback": IndexError(
        "odd"
    ),
    "too many ranks": MemoryError("too many ranks"),
    "a.run: Permission denied": PermissionError(13, "Permission denied", "a.run"),
}


@pytest.mark.parametrize("message", FAILURES)
@pytest.mark.usefixtures("odd")
def test_errors_of_the_operating_system_are_one_line(capsys, monkeypatch, message):
    def fail(*_, **__):
        raise FAILURES[message]

    fail.__signature__ = inspect.signature(ir.evaluate)
    monkeypatch.setattr(ir, "evaluate", fail)
    args = ["evaluate", "qrels.txt", "a.run", "-m", "AP"]
    assert run(capsys, *args) == (2, "", f"irframe: {message}\n")


@pytest.mark.parametrize(("terminal", "no_colour"), [(True, ""), (True, "1"), (False, "")])
def test_only_terminals_print_coloured_warnings(capsys, monkeypatch, terminal, no_colour):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    tell("warning: few topics")
    label = "\x1b[33mwarning:\x1b[0m" if terminal and not no_colour else "warning:"
    cleared = "\r\x1b[K" * terminal  # a progress bar may precede the warning in the line
    assert capsys.readouterr().err == f"{cleared}irframe: {label} few topics\n"


@pytest.mark.parametrize(
    "line",
    [
        "convert a.run -o a.run",
        "convert *.run -o a.run",
        "convert . -o a.run",
        "convert --qrels qrels.txt -o qrels.txt",
        "evaluate qrels.txt a.run -m AP -o a.run",
        "evaluate qrels.txt ./a.run -m AP -o ../{folder}/a.run",
        "report qrels.txt a.run -o qrels.txt",
        "judge-next qrels.txt a.run -o a.run",
    ],
)
@pytest.mark.usefixtures("odd")
def test_an_output_that_is_an_input_is_refused(line, capsys):
    before = {name: Path(name).read_bytes() for name in ("a.run", "qrels.txt")}
    status, _, error = run(capsys, *line.format(folder=Path.cwd().name).split())
    assert status
    assert "is read" in error
    assert {name: Path(name).read_bytes() for name in before} == before


@pytest.mark.thorough
@pytest.mark.usefixtures("odd")
def test_a_closed_pipe_is_an_error():
    ir.verbs.write_run(ir.read_run("a.run", system="bm\u00e9"), "accent.run")
    command = [sys.executable, "-m", "irframe", "evaluate", "qrels.txt", "accent.run", "-m", "AP"]
    settings = {"stderr": subprocess.PIPE, "text": True, "env": {**os.environ, "PYTHONPATH": ROOT}}
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(command, stdout=writing, check=False, **settings)
    os.close(writing)
    assert (process.returncode, process.stderr) == (2, "irframe: Broken pipe\n")
    settings["env"]["PYTHONIOENCODING"] = "ascii"
    process = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, **settings)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
@pytest.mark.parametrize("path", ["none/x", "folder"])
def test_missing_folders_are_refused_at_once(capsys, monkeypatch, command, path):
    monkeypatch.setattr(ir, "read_runs", None)
    monkeypatch.setattr(ir, "read_qrels", None)
    args = {"metrics": [], "judge-next": ["qrels.txt", "a.run", "-n", "5"]}
    files = args.get(command, ["qrels.txt", "a.run"])
    scored = {"evaluate", "compare", "freeze", "leaderboard"}
    options = ["-m", "AP"] if command in scored else []
    status, out, error = run(capsys, command, *files, *options, "-o", path)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert path in error


def sleeps(process):
    """Return whether a process sleeps or has an unknown state."""
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "S"


@pytest.mark.thorough
def test_an_interrupted_command_prints_one_line(files, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = {*tmp_path.iterdir()}
    args = ["report", files[0], "pipe", "-o", "page.html"]
    environment = os.environ | {"PYTHONPATH": ROOT}
    # A process in the background ignores the signal by default.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [sys.executable, "-m", "irframe", *args],
        cwd=tmp_path, env=environment, text=True, stderr=subprocess.PIPE,
    )  # fmt: skip
    signal.signal(signal.SIGINT, heard)
    # Opening a pipe for writing blocks until the command reads it.
    with running, (tmp_path / "pipe").open("w"):
        asleep = 0
        while asleep < 10:  # wait until the command waits for its input
            time.sleep(0.1)
            asleep = asleep + 1 if sleeps(running.pid) else 0
        running.send_signal(signal.SIGINT)
        message = running.communicate(timeout=60)[1]
    assert message == "irframe: stopped; no incomplete file was written\n"
    assert running.returncode == 130
    assert {*tmp_path.iterdir()} == before


TREC_EVAL = pytest.mark.skipif(
    shutil.which("trec_eval") is None, reason="the program trec_eval is not here"
)


@TREC_EVAL
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (["-q", "-m", "official"], ["-q", "-m", "official", "--topics", "runs"]),
        (["-q", "-c", "-m", "official"], ["-q", "-m", "official"]),
        (
            ["-m", "ndcg_cut.10,20", "-m", "map"],
            ["-m", "ndcg_cut.10,20", "map", "--topics", "runs"],
        ),
        (["-q", "-c", "-m", "all_trec"], ["-q", "-m", "all_trec"]),
        (["-q", "-l2", "-m", "all_trec"], ["-q", "-m", "all_trec-l2", "--topics", "runs"]),
    ],
)
@pytest.mark.usefixtures("odd")
def test_the_trec_eval_format_equals_the_output_of_trec_eval(capsys, theirs, ours):
    filed = ir.read_run("a.run")
    ir.verbs.write_run(filed[filed["topic"] != "103"], "gap.run")
    command = ["trec_eval", *theirs, "qrels.txt", "gap.run"]
    expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    status, out, _ = run(
        capsys, "evaluate", "qrels.txt", "gap.run", *ours, "--format", "trec_eval",
        "--score-dtype", "float32",
    )  # fmt: skip
    assert status == 0
    assert out == expected
    assert len(out) > 60


PARAMETRISED = (
    "success.5,2 utility.2,-1,0,0 11pt_avg..25,.5 runid iprec_at_recall..10,.5,0.123 "
    "set_F.0.5 Rprec_mult.0.2,5 ndcg.1=3,2=9 recall.2000,20 ndcg_cut.3 map_cut.7,3 yaap map num_q"
)
AS_TREC_EVAL_PRINTS = """\
runid                   -       -       t
num_q                   -       -       2
map                     0.8333  0.0000  0.4167
iprec_at_recall_0.10    1.0000  0.0000  0.5000
iprec_at_recall_0.12    1.0000  0.0000  0.5000
iprec_at_recall_0.50    1.0000  0.0000  0.5000
recall_20               1.0000  0.0000  0.5000
recall_2000             1.0000  0.0000  0.5000
Rprec_mult_0.20         1.0000  0.0000  0.5000
Rprec_mult_5.00         0.2000  0.0000  0.1000
utility_2,-1,0,0        3.0000  -1.0000 1.0000
11pt_avg_.25,.5         1.0000  0.0000  0.5000
ndcg_1=3,2=9            0.6885  0.0000  0.3443
ndcg_cut_3              0.7602  0.0000  0.3801
map_cut_3               0.8333  0.0000  0.4167
map_cut_7               0.8333  0.0000  0.4167
success_2               1.0000  0.0000  0.5000
success_5               1.0000  0.0000  0.5000
set_F_0.5               0.7500  0.0000  0.3750
yaap                    0.6931  -0.6931 -0.0000
"""
"""Output of trec_eval 9.0.4 for two topics and their average."""


def test_labels_and_their_order_equal_the_output_of_trec_eval(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 2\n1 0 c 0\n2 0 a 1\n")
    Path("a.run").write_text("1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 b 3 1 t\n2 Q0 x 1 1 t\n")
    rows = [line.split() for line in AS_TREC_EVAL_PRINTS.splitlines()]
    expected = "".join(
        f"{label:<22}\t{topic}\t{cells[folder]}\n"
        for folder, topic in enumerate(("1", "2", "all"))
        for label, *cells in rows
        if cells[folder] != "-"
    )
    for names in (PARAMETRISED.split(), PARAMETRISED.split()[::-1]):
        args = ["evaluate", "-q", "qrels.txt", "a.run", "-m", *names, "--format", "trec_eval"]
        assert run(capsys, *args) == (0, expected, "")


def test_labels_contain_relevance_levels_if_they_differ(files, capsys):
    """Labels without different levels contain no relevance level."""
    printed = [
        [line.split()[0] for line in run(capsys, *args, "--format", "trec_eval")[1].splitlines()]
        for names in ("map-l2 P_5-l2 ndcg num_ret", "map map-l2 precision@5-l2")
        if (args := ["evaluate", *files[:1], files[1][0], "-m", *names.split()])
    ]
    assert printed == [["num_ret", "map", "P_5", "ndcg"], ["map", "map-l2", "precision@5-l2"]]


def test_averages_are_rounded_as_in_trec_eval():
    values = np.random.default_rng(0).integers(0, 120, 100) / 200
    topics = [f"{folder:03}" for folder in range(100)]
    scores = pd.DataFrame({"system": "a", "topic": topics, "P_200": values})
    scores = scores.set_index(["system", "topic"])
    summed = 0.0
    for value in values.tolist():
        summed += value
    assert f"{summed / 100:.4f}" != f"{values.mean():.4f}"
    for frame in (scores, scores[::-1]):
        assert trec_layout(frame, []).split() == ["P_200", "all", f"{summed / 100:.4f}"]


@pytest.mark.parametrize(
    "args",
    [
        "-m AP nDCG@10 qrels.txt terms/*.gz --depth 20",
        "qrels.txt -m AP nDCG@10 --depth 20 terms",
        "qrels.txt terms/*.gz -m AP -m nDCG@10 --depth 20",
        "--metric=AP --depth 20 qrels.txt --metric nDCG@10 terms/*.gz",
        "qrels.txt --depth=20 terms/*.gz -mAP -mnDCG@10",
    ],
)
def test_metrics_and_files_may_be_in_any_order(files, capsys, monkeypatch, args):
    monkeypatch.chdir(Path(files[0]).parent)
    result = run(capsys, "evaluate", *args.split())
    expected = run(
        capsys, "evaluate", "qrels.txt", *sorted(p for p in files[1] if "/terms/" in p),
        "--depth", "20", "-m", "AP", "nDCG@10",
    )  # fmt: skip
    assert result == expected
    assert result[0] == 0


def test_the_trec_eval_layout_names_each_of_several_systems(files, capsys):
    args = ["evaluate", files[0], *files[1][:2], "-m", "map", "--format", "trec_eval"]
    _, out, _ = run(capsys, *args)
    named = [line.split() for line in out.splitlines() if line.startswith("runid")]
    assert named == [["runid", "all", "bm25"], ["runid", "all", "bm25+rm3"]]
    _, out, _ = run(capsys, "evaluate", files[0], *files[1], *args[4:])
    named = [line.split()[2] for line in out.splitlines() if line.startswith("runid")]
    assert named == list(dict.fromkeys(ir.example_track()[0]["system"])) != sorted(named)


def shown(page):
    """Return the commands on a page with their output."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    commands = [
        command for block in blocks for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    return [command.replace("\\\n", " ").partition("\n")[::2] for command in commands]


@pytest.mark.skipif(not PAGE.exists(), reason="needs a checkout, with the documentation")
def test_pages_show_the_output_of_commands(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checker = doctest.OutputChecker()
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for command, printed in shown(PAGE):
        program, *args = shlex.split(command)
        assert program == "irframe"
        with suppress(SystemExit):
            main(args)
        out = "".join(capsys.readouterr())
        assert checker.check_output(printed, out, flags), f"$ {command}\n{out}"


@pytest.mark.thorough
@incomplete
@pytest.mark.skipif(not TASK.exists(), reason="needs a checkout, with the documentation")
@pytest.mark.filterwarnings("ignore:files of runs are left out", "ignore:lists differ in length")
def test_the_page_of_a_shared_task_runs_in_python_and_in_a_shell(tmp_path, monkeypatch, request):
    pytest.importorskip("matplotlib").use("agg")
    pytest.importorskip("zarr")
    page, report = TASK.read_text(), inspect.signature(ir.report)
    monkeypatch.chdir(tmp_path)

    def bind(*arguments, **options):
        return report.bind(*arguments, **options)

    bind.__signature__ = report
    monkeypatch.setattr(ir, "report", bind)
    cells = re.findall(r"^```{code-cell} python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    cells = [re.sub(r"^:tags:.*\n", "", cell) for cell in cells]
    space = {"display": print}

    @request.addfinalizer
    def remove_folder():
        """Remove the folder even if the page fails midway."""
        space["directory"].cleanup()

    for cell in cells:
        exec(cell, space)  # noqa: S102 - of our own page
    tabs = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (shown_alone,) = (tab for tab in tabs if not any(tab in cell for cell in cells))
    exec(shown_alone, space)  # noqa: S102 - as above
    shell = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    shell = re.sub(r"\$\(.*?\)", "bm25", shell.replace("\\\n", ""))
    shell = shell.replace('"$run"', "checked/track=web/bm25.gz")
    lines = [line.strip() for line in shell.splitlines() if line.strip().startswith("irframe")]
    statuses = {line.split()[1]: main(shlex.split(line)[1:]) for line in lines}
    assert statuses == {"check": 1, "diagnose": 0, "leaderboard": 0, "report": 0, "evaluate": 0}


def test_runs_are_read_from_standard_input(files, capsys, monkeypatch):
    class Stdin:
        buffer = BytesIO(Path(files[1][0]).read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin)
    piped = run(capsys, "evaluate", files[0], "-", "-m", "AP")
    assert piped == run(capsys, "evaluate", files[0], files[1][0], "-m", "AP")


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv", "json", "tex", "parquet", "md"])
def test_the_suffix_of_the_output_selects_the_format(files, capsys, tmp_path, suffix):
    path = tmp_path / f"scores.{suffix}"
    status, out, error = run(
        capsys, "evaluate", files[0], files[1][0], "-m", "AP", "-q", "-o", str(path)
    )
    assert (status, out, error) == (0, "", "")
    readers = {
        "csv": pd.read_csv,
        "tsv": partial(pd.read_csv, sep="\t"),
        "json": lambda path: pd.DataFrame(json.loads(path.read_text())),
        "parquet": pd.read_parquet,
    }
    if suffix not in readers:
        assert path.read_text().count("101") == 1
        return
    expected = ir.evaluate(ir.read_run(files[1][0]), ir.read_qrels(files[0]), "AP").reset_index()
    table = readers[suffix](path).astype({"topic": "str"})
    np.testing.assert_allclose(table["AP"], expected["AP"], rtol=1e-14)
    assert table["topic"].tolist() == expected["topic"].tolist()


@pytest.mark.parametrize("command", ["evaluate", "leaderboard", "check"])
def test_markdown_and_json_contain_the_same_rows(files, capsys, command):
    options = [] if command == "check" else ["-m", "AP", "nDCG@10"]
    rows = json.loads(run(capsys, command, files[0], *files[1], *options, "--format", "json")[1])
    out = run(capsys, command, files[0], *files[1], *options, "--format", "markdown")[1]
    head, rule, *lines = [line for line in out.splitlines() if line.startswith("|")]
    names = head.strip("| ").split(" | ")
    assert set(rule) == set("| -")
    assert len(lines) == len(rows) == 8
    for line, row in zip(lines, rows, strict=True):
        cells = dict(zip(names, line[2:-2].split(" | "), strict=True))
        assert cells["system"] == str(row["system"])
        for name, cell in cells.items():
            message = "" if row[name] is None else row[name]
            assert cell == (f"{message:.4f}" if isinstance(message, float) else str(message)), name
    if command == "check":
        assert "- bm25: lists_tied (" in out
    if command == "leaderboard":
        assert "alpha = 0.05" in out.splitlines()[-1]


@pytest.fixture
def about(tmp_path):
    """Write a table of systems."""
    runs, _ = ir.example_track()
    systems = runs[["system", "team", "contributing"]].drop_duplicates()
    systems["contributing"] = systems["contributing"].map({True: "yes", False: "no"})
    path = tmp_path / "about.csv"
    systems.rename(columns={"system": "run", "contributing": "pooled"}).to_csv(path, index=False)
    return str(path)


def test_commands_read_properties_of_systems_from_a_table(files, capsys, about):
    runs, qrels = ir.example_track()
    line = [files[0], *files[1], "-m", "AP", "--systems", about, "--format", "csv"]
    _, out, _ = run(capsys, "evaluate", *line, "--by", "team")
    table = pd.read_csv(StringIO(out))
    assert dict(zip(table["system"], table["team"], strict=True)) == dict(
        zip(runs["system"], runs["team"], strict=True)
    )
    _, out, _ = run(capsys, "leaderboard", *line, "--baseline", "bm25")
    board = pd.read_csv(StringIO(out)).set_index("system")
    expected = ir.evaluate(runs, qrels, "AP").ireval.leaderboard(baseline="bm25")
    for name in ("AP", "difference"):
        np.testing.assert_allclose(board[name], expected[name], rtol=1e-14)
    assert board["team"].to_dict() == dict(zip(runs["system"], runs["team"], strict=True))
    _, out, _ = run(
        capsys, "diagnose", files[0], *files[1], "--systems", about, "--contributing", "pooled"
    )
    assert "did not contribute to the pool (3)\n  where: ance, colbert, doct5query" in out


def test_leaderboards_fit_into_80_columns_unless_wide(files, capsys):
    line = "leaderboard", files[0], *files[1], "-m", "AP", "--baseline", "bm25"
    short, wide = (run(capsys, *line, *more)[1].splitlines() for more in ([], ["--wide"]))
    assert max(map(len, short)) <= 80
    assert " ".join(short[0].split()) == "rank letters AP interval ranks 1st? change p_adjusted"
    all_of_them = "tier ci_low rank_high could_be_first difference n_topics"
    assert {*all_of_them.split()} <= {*wide[0].split()}
    # Both results are random: the test draws signs, and the estimate of optimism draws topics.
    assert "1,000 samples, seed 0" in " ".join(short)
    assert [row.split()[:3] for row in short[2:10]] == [
        [row[0], row[1], row[3]] for row in map(str.split, wide[2:10])
    ]
    assert next(row for row in short if row.startswith("bm25 ")).split()[-1] == "-"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("run,team\nbm25,a\n", "for every system of the runs.* found 7 systems without a row"),
        ("team\na\n", "a column system or name .* found none"),
        ("run,team\nbm25,a\nbm25,b\n", "several rows for the systems: bm25, .* one row per system"),
    ],
)
def test_invalid_tables_of_systems_are_refused(files, capsys, tmp_path, table, message):
    (tmp_path / "about.csv").write_text(table)
    args = ["-m", "AP", "--systems", str(tmp_path / "about.csv"), "--by", "team"]
    status, _, error = run(capsys, "evaluate", files[0], *files[1], *args)
    assert status == 2
    assert re.search(message, error)


def test_compare_prints_the_results_of_the_method(files, capsys):
    runs, qrels = ir.example_track()
    args = ["compare", files[0], *files[1], "-m", "AP", "--baseline", "bm25"]
    _, out, _ = run(capsys, *args, "--test", "wilcoxon", "--adjust", "holm", "--format", "json")
    expected = runs.ireval.evaluate(qrels, "AP").ireval.compare(
        "wilcoxon", adjust="holm", baseline="bm25"
    )
    assert [row["p_adjusted"] for row in json.loads(out)] == expected["p_adjusted"].tolist()
    _, out, _ = run(capsys, *args)
    head, *rows = out.splitlines()
    answers = ["system_a", "difference", "interval", "p_adjusted", "verdict"]
    assert head.split() == answers
    assert max(map(len, [head, *rows])) <= 80
    by_t = runs.ireval.evaluate(qrels, "AP").ireval.compare(baseline="bm25")
    verdicts = [line.split("  ")[-1].strip() for line in rows[:7]]
    by_method = ["better" if metric else "not significant" for metric in by_t["significant"]]
    assert [metric.rpartition("  ")[2].lstrip(".0123456789< ") for metric in verdicts] == by_method
    assert any("<.001" in line for line in rows[:7])
    flat = " ".join(out.split())
    assert "AP against bm25: paired t-test, Holm per metric and depth (7 comparisons)," in flat
    _, out, _ = run(capsys, *args, "--effects", "--power", "0.8")
    options = ["detectable", "hedges_g", "g", "interval"]
    assert out.split("\n")[0].split() == ["system_a", "difference", "verdict", *options]
    assert "not shown: interval, p_adjusted]" in out
    _, out, _ = run(capsys, *args, "--simultaneous", "--wide")
    assert out.split()[:4] == ["metric", "depth", "system_a", "system_b"]
    assert "interval: simultaneous 95% Student's interval;" in " ".join(out.split())


def test_systems_without_judged_documents_are_named_by_every_command(files, capsys, tmp_path):
    run_of = ir.example_track()[0].query("system == 'bm25'")
    strange = run_of.assign(system="strange", doc="x" + run_of["doc"])
    ir.verbs.write_run(strange, tmp_path / "strange.run")
    line = [files[0], *files[1][:2], str(tmp_path / "strange.run"), "-m", "AP"]
    message = "no retrieved document of strange is judged"
    assert message in run(capsys, "evaluate", *line)[2]
    assert message in " ".join(run(capsys, "leaderboard", *line)[1].split())
    flat = " ".join(run(capsys, "compare", *line)[1].split())
    assert f"{message}: no verdict" in flat
    assert flat.count("no verdict") == 3


def test_tasks_may_have_different_metrics(files, capsys, tmp_path):
    runs, qrels = ir.example_track()
    sets = pd.Series([*"nw"] * 8, pd.Index(qrels["topic"].unique(), name="topic"), name="set")
    sets.to_csv(tmp_path / "sets.csv")
    line = ["leaderboard", files[0], *files[1], "--tasks", str(tmp_path / "sets.csv")]
    line += ["--task-metrics", "n=RR", "--task-metrics", "w=RBP(p=0.8)"]
    _, out, _ = run(capsys, *line, "--format", "json")
    scores = runs.ireval.evaluate(qrels, ["RR", "RBP(p=0.8)"])
    drawn = scores.ireval.design(task=sets)
    board = drawn.ireval.leaderboard(task_metrics={"n": "RR", "w": "RBP(p=0.8)"})
    assert [row["n"] for row in json.loads(out)] == board["n"].tolist()
    assert "scoring n by RR, w by RBP(p=0.8);" in " ".join(run(capsys, *line)[1].split())


def test_lower_costs_are_better(files, capsys):
    args = ["compare", files[0], *files[1], "-m", "ASL", "AP", "--baseline", "bm25"]
    rows = [line for line in run(capsys, *args)[1].splitlines() if "monot5" in line]
    assert [row.split()[-1] for row in rows] == ["better", "better"]
    assert float(rows[0].split()[2]) < 0 < float(rows[1].split()[2])


def test_weights_of_topics_are_read_from_a_table(files, capsys, tmp_path):
    runs, qrels = ir.example_track()
    weights = pd.Series(range(1, 17), pd.Index(qrels["topic"].unique(), name="topic"), name="hits")
    weights.to_csv(tmp_path / "weights.tsv", sep="\t")
    options = [files[0], *files[1], "-m", "AP", "--weights", str(tmp_path / "weights.tsv")]
    scores = runs.ireval.evaluate(qrels, "AP").ireval.design(weight=weights)
    compared = run(capsys, "compare", *options, "--format", "json")
    comparison = scores.ireval.compare()
    assert [row["p"] for row in json.loads(compared[1])] == comparison["p"].tolist()
    _, out, _ = run(capsys, "leaderboard", *options, "--format", "json")
    board = scores.ireval.leaderboard()
    assert [row["AP"] for row in json.loads(out)] == board["AP"].tolist()
    line = ["compare", *options, "--baseline", "bm25", "--format", "markdown"]
    assert "| not known |" in run(capsys, *line)[1]
    weights.to_csv(tmp_path / "weights.tsv.gz", sep="\t")
    packed = [*options[:-1], str(tmp_path / "weights.tsv.gz")]
    assert run(capsys, "compare", *packed, "--format", "json") == compared
    (tmp_path / "weights.tsv").write_text("hits\n1\n")
    assert "a column topic or" in run(capsys, "compare", *options)[2]


@pytest.mark.usefixtures("odd")
def test_check_reports_all_files_at_once(capsys):
    args = ["check", "qrels.txt", "a.run", "twice.run", "text", "cut.gz", "--list-length", "60"]
    status, out, _ = run(capsys, *args)
    assert status == 1
    assert "text: unreadable (1): " in out
    assert re.search(r"cut.gz: unreadable \(1\): .*damaged", out)
    assert "twice.run: unreadable (1): expected each system in one file" in out
    assert "bm25: lists_short (16): 101, 102, 103, ...\n" in out
    assert run(capsys, *args, "--fail-on", "never")[0] == 0
    assert run(capsys, "check", "qrels.txt", "a.run")[0] == 0
    assert (
        run(capsys, "check", "qrels.txt", "a.run", "--fail-on", "note", "--list-length", "60")[0]
        == 1
    )
    run(capsys, *args, "-o", "found.parquet")
    table = pd.read_parquet("found.parquet").set_index("system")
    assert len(table.loc["bm25", "lists_short"]) == 16
    status, out, _ = run(capsys, *args, "--format", "csv")
    assert ", ".join(str(topic) for topic in range(101, 117)) in out
    Path("bars.txt").write_text("101|Q0|x|1|2.0|b\n" * 30_000)
    status, out, error = run(capsys, "check", "qrels.txt", "bars.txt")
    assert (status, error) == (1, "")
    assert "line 3 has 1 column, not 6; 29,997 more\n" in out
    assert len(out) < 1000


@pytest.mark.usefixtures("odd")
def test_diagnose_writes_a_report_and_prints_its_name(capsys):
    status, out, _ = run(capsys, "diagnose", "qrels.txt", "a.run", "-m", "AP")
    assert status == 0
    assert "warning: only metrics with a recall base (1)\n  where: AP\n  advice: add" in out
    status, out, _ = run(capsys, "diagnose", "qrels.txt", "twice.run", "--format", "json")
    assert status == 1
    assert len(json.loads(out)[0]["where"].split(", ")) == 800
    _, out, _ = run(capsys, "diagnose", "qrels.txt", "twice.run")
    assert re.search(r"\(800\)\n  where: \w+ 101 \w+, [^:]*, \.\.\.\n", out)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.usefixtures("odd")
def test_converting_back_and_forth_changes_nothing(capsys):
    for name in ("runs.json", "runs.parquet", "runs.run.gz"):
        assert run(capsys, "convert", "a.run", "-o", name) == (0, "", "")
        assert run(capsys, "convert", name, "--system", "tag") == run(
            capsys, "convert", "a.run"
        ) or name.endswith("json")
    nested = json.loads(Path("runs.json").read_text())
    assert nested == ir.read_run("a.run").ireval.to_pytrec_eval()
    run(capsys, "convert", "--qrels", "qrels.txt", "-o", "qrels.json")
    pd.testing.assert_frame_equal(
        ir.read_qrels("qrels.json"), ir.read_qrels("qrels.txt")[["topic", "doc", "grade"]]
    )
    assert Path("runs.run.gz").read_bytes()[:2] == b"\x1f\x8b"
    for name in ("a.csv", "a.lz4"):
        status, _, error = run(capsys, "convert", "a.run", "-o", name)
        assert (status, error.count("\n"), f"found {name}," in error) == (2, 1, True)
        assert not Path(name).exists()
        assert run(capsys, "convert", "a.run", "--format", "trec", "-o", name) == (0, "", "")
    status, _, error = run(capsys, "convert", "--qrels", "qrels.txt", "qrels.json")
    assert (status, error) == (
        2, "irframe: expected one file of judgments, but found 2 files: qrels.txt, qrels.json.\n",
    )  # fmt: skip


def test_metrics_are_listed_and_explained(capsys):
    _, out, _ = run(capsys, "metrics", "--format", "json")
    assert {row["metric"] for row in json.loads(out)} == set(ir.metrics.METRICS)
    _, out, _ = run(capsys, "metrics", "map_cut_10", "RBP")
    assert out.startswith("AP(depth=None, ")
    assert "\nRBP(depth=None, " in out
    assert run(capsys, "--", "metrics", "map_cut_10", "RBP")[1] == out
    prose = [line for line in out.split("\n") if line[:3] != ">>>"]
    prose += run(capsys, "metrics")[1].split("\n")
    assert max(map(len, prose)) <= 80


def test_the_report_gets_the_options_of_the_command(files, capsys, monkeypatch):
    passed = {}

    def report(runs, qrels, path, **options):
        passed.update(made=MADE.get(), teams=runs.groupby("system")["team"].first().to_dict())
        passed.update(systems=runs["system"].nunique(), topics=qrels["topic"].nunique(), path=path)
        passed.update(options)

    report.__signature__ = inspect.signature(ir.report)
    monkeypatch.setattr(ir, "report", report)
    args = ["report", files[0], *files[1], "-m", "AP", "--baseline", "bm25", "-o", "page.html"]
    args += ["--title", "Trial", "--at", "10,5", "--adjust", "none"]
    about = Path(files[0]).with_name("about.csv")
    teams = ir.example_track()[0].groupby("system")["team"].first()
    teams.to_csv(about)
    args += ["--systems", str(about)]
    status, out, message = run(capsys, *args)
    assert (status, out) == (0, "")
    assert message == f"irframe: the report is {Path('page.html').resolve().as_uri()}\n"
    expected = {
        "systems": 8, "topics": 16, "path": "page.html", "metrics": [ir.metrics.AP()],
        "baseline": "bm25", "title": "Trial", "at": [10, 5],
        "test": ir.Significance("t", adjust=None),
        "texts": None, "teams": teams.to_dict(),
    }  # fmt: skip
    line = passed["made"].replace(f"{Path(files[0]).parent}/", "")
    assert line.startswith("irframe report qrels.txt 'terms/*.gz' 'vectors/*.gz' ")
    assert line.endswith(
        "-m AP --baseline bm25 -o page.html --title Trial --at 10,5 "
        "--adjust none --systems about.csv"
    )
    assert passed.items() >= expected.items()


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_does_not_import_pandas(option):
    process = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "irframe", option],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    assert "irframe" in process.stdout
    assert not re.search(r"\| +(pandas|numpy|xarray)\n", process.stderr)


def test_every_command_has_help(capsys):
    with pytest.raises(SystemExit) as lines:
        main(["--help"])
    assert lines.value.code == 0
    message = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n  {name} " in message
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert f"usage: irframe {name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in {"demo", "freeze", "convert"}]
)
@pytest.mark.usefixtures("odd")
def test_unknown_output_suffixes_are_refused_at_once(capsys, monkeypatch, command):
    monkeypatch.setattr(ir, "read_runs", None)
    monkeypatch.setattr(ir, "read_qrels", None)
    files = [] if command == "metrics" else ["qrels.txt", "a.run"]
    options = ["-m", "AP"] if command in {"evaluate", "compare", "leaderboard"} else []
    status, out, error = run(capsys, command, *files, *options, "-o", "x.xlsx")
    assert (status, out) == (2, "")
    assert "x.xlsx" in error
    assert not Path("x.xlsx").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_each_command_runs(capsys, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--files", "."]) == 0
    with pytest.raises(SystemExit):
        main([command, "--help"])
    message = capsys.readouterr().out
    [line] = re.findall(r"^example:\n  irframe (.*)\n", message, re.MULTILINE)
    assert main(shlex.split(line)) in {0, 1}
    assert "irframe: found" not in capsys.readouterr().err


LONG_NAMES = (
    "compare -m AP;compare -m AP nDCG@10;compare -m AP --effects --power .8;leaderboard -m AP;"
    "evaluate -m AP nDCG@10 RR P@10;evaluate -q -m AP nDCG@10;losses -m nDCG@10;risk-coverage"
)


@pytest.mark.parametrize("line", LONG_NAMES.split(";"))
@pytest.mark.parametrize("against", [[], ["--baseline", f"bm25{'-' * 36}"]])
def test_tables_with_long_names_print_within_80_columns(tmp_path, capsys, line, against):
    runs, qrels = ir.example_track()
    ir.verbs.write_qrels(qrels, tmp_path / "qrels.txt")
    for system, rows in runs.groupby("system"):
        ir.verbs.write_run(rows.assign(system=f"{system:-<40}"), tmp_path / f"{system}.gz")
    command, *options = line.split()
    files = [str(tmp_path / "qrels.txt"), str(tmp_path / "*.gz")]
    options += against if command in {"compare", "leaderboard"} else []
    status, out, _ = run(capsys, command, *files, *options)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    head = out.splitlines()[0].split()
    verdicts = {"compare": "verdict", "leaderboard": "rank", "evaluate": "AP", "losses": "score"}
    assert verdicts.get(command, "risk") in head


@pytest.mark.parametrize("rel", [[], ["--rel", "2"]])
def test_risk_coverage_prints_the_thresholds_of_each_system(files, capsys, rel):
    runs, qrels = ir.example_track()
    expected = ir.verbs.risk_coverage(runs, qrels, rel=int(rel[-1]) if rel else 1)
    line = ["risk-coverage", files[0], *files[1], *rel]
    rows = pd.read_csv(StringIO(run(capsys, *line, "--format", "csv")[1]))
    assert_frame_equal(rows, pd.DataFrame(expected), check_dtype=False)
    *table, note = run(capsys, *line)[1].splitlines()
    shown = pd.read_csv(StringIO("\n".join(table)), sep=r"\s+")
    assert shown["system"].value_counts().between(1, 10).all()
    assert (shown.groupby("system")["coverage"].max() == 1).all()
    assert note == f"[{len(shown)} of {len(rows)} thresholds: the lowest one per tenth of coverage]"


def test_markdown_without_fail_on_has_no_verdict(files, capsys):
    line = [
        "compare",
        files[0],
        *files[1],
        "-m",
        "AP",
        "--baseline",
        "bm25",
        "--format",
        "markdown",
    ]
    for more, args in ([], "# Comparison: no margin"), (["--fail-on", "worse"], "# PASSED: worse"):
        status, out, _ = run(capsys, *line, *more)
        assert status == 0
        assert out.startswith(args)
        assert ("PASSED" in out) == bool(more)


def test_thresholds_may_differ_by_system(files, capsys):
    line = ["evaluate", files[0], *files[1][:2], "-m", "AP", "--format", "json", "--threshold"]
    systems = [Path(path).stem for path in files[1][:2]]
    by_system = run(capsys, *line, ",".join(f"{system}=2" for system in systems))[1]
    for_all = run(capsys, *line, "2")[1]
    scores = [[[*row.values()][-1] for row in json.loads(out)] for out in (by_system, for_all)]
    assert scores[0] == scores[1]


@pytest.mark.thorough
def test_demo_runs_as_a_process(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "irframe", "demo"], capture_output=True, text=True, check=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    page = tmp_path / "irframe-demo.html"
    assert "simulated track" in process.stdout
    assert process.stdout.endswith(f"to open in a browser:\n{page.resolve()}\n")
    assert max(map(len, process.stdout.splitlines()[:-1])) <= 80
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert process.stderr == ""


# A warning says that bm25 has a single run.
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_repeats_are_read_from_file_names(tmp_path, capsys):
    runs, qrels = ir.example_track()
    ir.verbs.write_qrels(qrels, tmp_path / "qrels.txt")
    ir.verbs.write_run(runs[runs["system"] == "bm25"], tmp_path / "bm25.run")
    expected_means = runs[runs["system"] == "monot5"]
    rng = np.random.default_rng(0)
    for seed in (1, 2, 3):
        scores = expected_means["score"] + rng.normal(
            0, 0.2 * expected_means["score"].std(), len(expected_means)
        )
        ir.verbs.write_run(expected_means.assign(score=scores), tmp_path / f"monot5-seed{seed}.run")
    pattern = r"(?P<system>.+?)(-seed(?P<repeat>\d+))?"
    args = str(tmp_path / "qrels.txt"), str(tmp_path / "*.run"), "-m", "AP", "--repeat", pattern
    of_files = ir.read_runs(tmp_path / "*.run", repeat=pattern)
    expected = of_files.ireval.evaluate(qrels, "AP").ireval.compare(ir.Significance(over="repeat"))
    status, out, _ = run(capsys, "compare", *args, "--over", "repeat", "--format", "csv")
    assert status == 0
    table = pd.read_csv(StringIO(out))
    assert table["p"].item() == pytest.approx(expected["p"].item())
    assert table["n_repeats_b"].item() == 3
    _, out, _ = run(capsys, "leaderboard", *args, "--repeats", "system")
    assert "1 to 3 repeats of each system" in " ".join(out.split())
    page = tmp_path / "page.html"
    shown = "--repeats", "system", "--at", "10", "--samples", "100", "-o", str(page)
    assert run(capsys, "report", *args, *shown)[:2] == (0, "")
    assert ">1 to 3 repeats of each system, which intervals" in page.read_text(encoding="utf-8")
    status, _, err = run(capsys, "evaluate", *args, "--format", "trec_eval")
    assert status == 2
    assert "no --repeat" in err
    status, _, err = run(capsys, "evaluate", *args[:-2])
    assert status == 2
    assert "repeats of systems with repeat=r" in err
    _, out, _ = run(capsys, "diagnose", *args, "--fail-on", "never")
    assert "systems with one repeat, while others have up to 3" in out


def test_the_option_each_limits_the_documents_per_search(capsys, tmp_path):
    rows = {"system": "s", "topic": "1", "doc": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]}
    pd.DataFrame(rows | {"search": [1, 1, 2]}).to_parquet(tmp_path / "run.parquet")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 c 1\n")
    args = [str(tmp_path / name) for name in ("qrels.txt", "run.parquet")]
    args += ["-m", "Recall", "--search", "search", "--each", "1", "-o", str(tmp_path / "a.csv")]
    assert run(capsys, "evaluate", *args)[:2] == (0, "")
    assert pd.read_csv(tmp_path / "a.csv")["Recall"].tolist() == [1.0]


def test_chunks_are_collapsed_and_budgets_are_scored(capsys, tmp_path):
    rows = {"system": "s", "topic": "1", "doc": ["a#1", "a#2", "b#1"], "score": [3.0, 2.0, 1.0]}
    pd.DataFrame(rows | {"tokens": [10, 20, 30]}).to_parquet(tmp_path / "run.parquet")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 1\n")
    paths = str(tmp_path / "qrels.txt"), str(tmp_path / "run.parquet")
    options = "--of", r"(.+)#\d+", "--length", "tokens", "--budget", "40,60", "--format", "csv"
    status, out, _ = run(capsys, "evaluate", *paths, "-m", "Recall", *options)
    assert status == 0
    assert out.splitlines() == ["system,Recall in 40 tokens,Recall in 60 tokens", "s,0.5,1.0"]
    page, costs = tmp_path / "page.html", ("--length", "tokens", "--budget", "60,30")
    (tmp_path / "chunks.txt").write_text("1 0 a#1 1\n1 0 b#1 1\n")
    args = str(tmp_path / "chunks.txt"), paths[1], "-m", "Recall", *costs, "-o", str(page)
    assert run(capsys, "report", *args)[:2] == (0, "")
    assert ">Recall, 60 tokens</span>" in page.read_text(encoding="utf-8")
