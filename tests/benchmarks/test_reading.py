"""Speed of reading and writing, compared with pytrec_eval for reading.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_reading.py``.
"""

import gzip

import pytrec_eval
from timed import against, race, seconds

from irframe.files.read_runs import read_qrels, read_run, read_runs
from irframe.files.write_run import write_run


def parse_runs(paths):
    for path in paths:
        with gzip.open(path, "rt") as stream:
            pytrec_eval.parse_run(stream)


def parse_qrels(path):
    with path.open() as stream:
        pytrec_eval.parse_qrel(stream)


def test_read_runs(benchmark, shared):
    paths = sorted((shared / "data" / "robust03" / "runs").glob("*.gz"))
    runs = benchmark.pedantic(read_runs, args=(paths,), rounds=5, warmup_rounds=1)
    assert runs["system"].nunique() == len(paths)
    assert against(benchmark, "pytrec_eval", seconds(parse_runs, paths)) > 2


def test_read_run_of_one_file(benchmark, shared):
    path = shared / "data" / "dl-hard" / "baselines" / "doc" / "bm25.run.gz"
    assert race(benchmark, lambda: read_run(path), lambda: parse_runs([path]), "pytrec_eval") > 1


def test_read_qrels(benchmark, shared):
    path = shared / "data" / "robust03" / "qrels.txt"
    assert race(benchmark, lambda: read_qrels(path), lambda: parse_qrels(path), "pytrec_eval") > 2


def test_write_run(benchmark, shared, tmp_path):
    runs = read_runs(shared / "data" / "robust03" / "runs")
    benchmark.pedantic(write_run, args=(runs, tmp_path / "a.run"), rounds=3)
