"""Speed of innate orderings, compared with loops over Algorithm 1.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_orderings.py``. The loop computes
the label of one pair at one depth. The time of the loop is measured on a sample, and extrapolated
to all pairs of systems on all topics at the greatest depth. irframe computes the labels at every
depth.
"""

import numpy as np
import pandas as pd
import pytest
from oracles import innate as oracle
from timed import against, mean_seconds, peak_of

import irframe as ir
from irframe.agreements.innate import LABELS, compare_rankings, label_depths
from irframe.paired import all_pairs

SYSTEMS, TOPICS, DEPTHS = 110, 249, 100
SAMPLE = 20_000
FOUR = {code: name[:2] for code, name in LABELS.items()}


def gains_of(systems, topics, depths):
    """Return binary gains that decrease with rank."""
    rng = np.random.default_rng(0)
    quality = rng.uniform(0.4, 1, (systems, 1, 1)) * rng.uniform(0.1, 1, (1, topics, 1))
    return (
        rng.random((systems, topics, depths)) < quality / np.arange(1, depths + 1) ** 0.3
    ).astype(np.int8)


def cube_of(gains):
    """Return a cube of rankings with the given gains."""
    placed = [axis.ravel() for axis in np.indices(gains.shape)]
    ranks_found = np.where(gains, gains.cumsum(axis=-1), (1 - gains).cumsum(axis=-1)) - 1
    docs = 2 * ranks_found + (gains == 0)
    runs = pd.DataFrame(dict(zip(["system", "topic", "rank"], placed, strict=True)))
    topics, relevant = np.nonzero(
        np.arange(gains.shape[2]) < gains.sum(axis=-1).max(axis=0)[:, None]
    )
    qrels = pd.DataFrame({"topic": topics, "doc": 2 * relevant, "grade": 1})
    return ir.cube(runs.assign(doc=docs.ravel()), qrels)


def seconds_of_loop(gains, pairs):
    """Return the extrapolated time of the loop, and its labels."""
    rng = np.random.default_rng(1)
    rows = rng.integers(len(pairs), size=SAMPLE), rng.integers(gains.shape[1], size=SAMPLE)
    lists = gains.tolist()
    chosen = [(*pairs[pair].tolist(), topic) for pair, topic in zip(*rows, strict=True)]
    sides = [(lists[a][topic], lists[b][topic]) for a, b, topic in chosen]
    mean, labels = mean_seconds(oracle.compare_integers, sides)
    return mean * len(pairs) * gains.shape[1], rows, labels


def test_all_pairs_at_every_depth(benchmark):
    gains = gains_of(SYSTEMS, TOPICS, DEPTHS)
    pairs = all_pairs(SYSTEMS)
    ours = benchmark.pedantic(
        lambda: label_depths(compare_rankings(gains, pairs), DEPTHS), rounds=3, warmup_rounds=1
    )
    seconds, (pair, topic), labels = seconds_of_loop(gains, pairs)
    assert [FOUR[code] for code in ours[pair, topic, -1].tolist()] == labels
    assert benchmark.stats.stats.min < 3
    assert against(benchmark, "loop", seconds) >= 20


def test_orderings_of_a_cube(benchmark):
    cube = cube_of(gains_of(SYSTEMS, TOPICS, DEPTHS))
    benchmark.pedantic(lambda: ir.verbs.orderings(cube), rounds=3, warmup_rounds=1)
    assert benchmark.stats.stats.min < 3
    assert peak_of(lambda: ir.verbs.orderings(cube)) < 300 * 2**20


@pytest.mark.parametrize("metric", ["Twist", "CRP"])
def test_metrics_of_misplacement(benchmark, metric):
    cube = cube_of(gains_of(40, 100, 1000))
    benchmark.pedantic(lambda: ir.verbs.score(cube, metric), rounds=3, warmup_rounds=1)


def test_misplacement_of_a_cube(benchmark):
    cube = cube_of(gains_of(40, 100, 1000) * (np.arange(1000) < 300))
    benchmark.pedantic(lambda: ir.verbs.misplacement(cube), rounds=3, warmup_rounds=1)
