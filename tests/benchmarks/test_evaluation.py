"""Speed and memory of evaluation, compared with other tools.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_evaluation.py``. Calls of the
other tools and of irframe alternate, and the ratio of the shortest times is reported.
"""

import gzip
import shutil
import subprocess
import sys

import pytest
import pytrec_eval
from timed import race
from variants import EIGHT, TIMED

import irframe as ir
from irframe.experiments.coded_tables import read_qrels_table, read_table
from irframe.experiments.joining import locate, place_topics


@pytest.fixture(scope="module")
def robust(shared):
    folder = shared / "data" / "robust03"
    return sorted((folder / "runs").glob("*.gz")), folder / "qrels.txt"


def parse(paths, qrels):
    with qrels.open() as stream:
        judged = pytrec_eval.parse_qrel(stream)
    runs = []
    for path in paths:
        with gzip.open(path, "rt") as stream:
            runs.append(pytrec_eval.parse_run(stream))
    return runs, judged


def test_from_files_to_scores_at_every_depth(benchmark, robust):
    paths, qrels = robust

    def ours():
        cube = ir.read_runs(paths, progress=False).ireval.cube(ir.read_qrels(qrels))
        assert cube.ireval.score(*EIGHT).sizes["depth"] == 1000

    def theirs():
        runs, judged = parse(paths, qrels)
        for run in runs:
            pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run)

    assert race(benchmark, ours, theirs, "pytrec_eval") > 1


@pytest.mark.skipif(shutil.which("trec_eval") is None, reason="no program trec_eval on the path")
@pytest.mark.parametrize("as_process", [False, True], ids=["in process", "whole process"])
def test_the_program_trec_eval(benchmark, robust, tmp_path, as_process):
    paths, qrels = robust
    unpacked = [tmp_path / path.stem for path in paths]
    for path, target in zip(paths, unpacked, strict=True):
        target.write_bytes(gzip.decompress(path.read_bytes()))
    code = (
        "import irframe as ir;"
        f"runs = ir.read_runs({[str(path) for path in paths]!r}, progress=False);"
        f"ir.cube(runs, ir.read_qrels({str(qrels)!r})).ireval.score(*{EIGHT!r})"
    )

    def ours():
        if as_process:
            subprocess.run([sys.executable, "-c", code], check=True)
        else:
            exec(code, {})  # noqa: S102 - the same work

    def theirs():
        for path in unpacked:
            command = ["trec_eval", "-m", "map", str(qrels), str(path)]
            subprocess.run(command, check=True, capture_output=True)

    assert race(benchmark, ours, theirs, "trec_eval") > (1 / 1.2 if as_process else 1)


def test_scoring_alone(benchmark, robust):
    paths, qrels = robust
    cube = ir.read_runs(paths, progress=False).ireval.cube(ir.read_qrels(qrels))
    runs, judged = parse(paths, qrels)

    def theirs():
        for run in runs:
            pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run)

    assert race(benchmark, lambda: cube.ireval.score(*EIGHT), theirs, "pytrec_eval") > 2


def test_joining_judgments(benchmark, robust):
    paths, qrels = robust
    runs, judged = ir.read_runs(paths, progress=False), ir.read_qrels(qrels)
    table, judgments = read_table(runs), read_qrels_table(judged)
    placed = place_topics(table, judgments)
    keys = ["topic", "doc"]
    calls = (
        lambda: locate(table, judgments, placed),
        lambda: runs[keys].merge(judged, on=keys, how="left"),
    )
    assert race(benchmark, *calls, "pandas.merge") > 1


@pytest.fixture(scope="module")
def large():
    return ir.simulate_track(
        systems=110, topics=249, docs=200_000, depth=1000, pool_depth=100, seed=1
    )


@pytest.mark.parametrize("metric", TIMED)
def test_one_metric_at_every_depth_of_a_large_cube(benchmark, large, metric):
    runs, qrels = large
    cube = runs.ireval.cube(qrels) if not CUBES else CUBES[0]
    CUBES[:] = [cube]
    benchmark.pedantic(cube.ireval.score, args=(metric,), rounds=3, warmup_rounds=1)
    assert benchmark.stats.stats.min < 1


CUBES = []


def test_import(benchmark):
    def load(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    peer = "import pandas, xarray"
    assert race(benchmark, load("import irframe"), load(peer), peer) > 1 / 1.3


def test_losses_take_at_most_twice_the_time_of_scores(benchmark):
    runs, qrels = ir.simulate_track(systems=143, topics=30, docs=20_000, depth=1000)

    def ours():
        runs.ireval.losses(qrels, "nDCG@10")

    assert race(benchmark, ours, lambda: runs.ireval.evaluate(qrels, "nDCG@10"), "evaluate") > 0.5
