"""Speed of reading real runs, against pytrec_eval on the same files in the same process.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_reading.py``.
"""

import gzip
import sys

import pytrec_eval
from timed import seconds

from irframe.files.read_run import read_qrels, read_run
from irframe.files.read_runs import read_runs
from irframe.files.write_run import write_run


def parse_runs(paths):
    for path in paths:
        with gzip.open(path, "rt") as stream:
            pytrec_eval.parse_run(stream)


def parse_qrels(path):
    with path.open() as stream:
        pytrec_eval.parse_qrel(stream)


def race(benchmark, what, theirs):
    """Report and return how many times faster reading is."""
    ours = benchmark.stats.stats.min
    benchmark.extra_info.update(pytrec_eval=theirs, ratio=theirs / ours)
    line = f"{what}: {ours:.3f} s, pytrec_eval {theirs:.3f} s: {theirs / ours:.1f} x"
    sys.stdout.write(f"\n{line}\n")
    return theirs / ours


def test_read_runs(benchmark, shared):
    paths = sorted((shared / "data" / "robust03" / "runs").glob("*.gz"))
    runs = benchmark.pedantic(read_runs, args=(paths,), rounds=5, warmup_rounds=1)
    assert runs["system"].nunique() == len(paths)
    what = f"{len(runs):,} rows of {len(paths)} packed runs"
    assert race(benchmark, what, seconds(parse_runs, paths)) > 2


def test_read_run_of_one_file(benchmark, shared):
    path = shared / "data" / "dl-hard" / "baselines" / "doc" / "bm25.run.gz"
    run = benchmark.pedantic(read_run, args=(path,), rounds=5, warmup_rounds=1)
    theirs = min(seconds(parse_runs, [path]) for _ in range(3))
    assert race(benchmark, f"{len(run):,} rows of one packed run", theirs) > 1


def test_read_qrels(benchmark, shared):
    path = shared / "data" / "robust03" / "qrels.txt"
    qrels = benchmark.pedantic(read_qrels, args=(path,), rounds=5, warmup_rounds=1)
    theirs = min(seconds(parse_qrels, path) for _ in range(3))
    assert race(benchmark, f"{len(qrels):,} judgments", theirs) > 2


def test_write_run(benchmark, shared, tmp_path):
    runs = read_runs(shared / "data" / "robust03" / "runs")
    benchmark.pedantic(write_run, args=(runs, tmp_path / "a.run"), rounds=3)
    sys.stdout.write(f"\n{len(runs):,} rows written: {benchmark.stats.stats.min:.3f} s\n")
