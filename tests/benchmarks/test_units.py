"""What units cost: lengths beside a large run, and evidence at every depth of many systems."""

import sys
import time

import numpy as np
import pandas as pd
import pytest

import irframe as ir

SYSTEMS, TOPICS, CHUNKS = 50, 472, 100
ROWS = 27_000_000


def told(benchmark, what, most):
    found = benchmark.stats.stats.min
    benchmark.extra_info["most"] = most
    sys.stdout.write(f"\n{what}: {found:.2f} s, at most {most} s\n")
    assert found < most


def test_spans_at_every_depth(benchmark):
    """A cube of 50 systems x 472 topics x 100 chunks and SpanR at all depths take below 2 s."""
    random = np.random.default_rng(0)
    shape = SYSTEMS, TOPICS, CHUNKS
    system, topic, rank = (part.ravel() for part in np.indices(shape))
    size = np.array([200, 400, 800, 1600])[system % 4]
    start = random.integers(0, 500, system.size) * size
    runs = pd.DataFrame(
        {"system": system.astype(str), "topic": topic.astype(str), "rank": rank + 1,
         "doc": random.integers(0, 2, system.size).astype(str), "start": start, "end": start + size}
    )  # fmt: skip
    where = random.integers(0, 300_000, 790)
    spans = pd.DataFrame(
        {"topic": random.integers(0, TOPICS, 790).astype(str), "start": where,
         "doc": random.integers(0, 2, 790).astype(str), "end": where + 150, "grade": 1}
    )  # fmt: skip

    def end_to_end():
        with pytest.warns(ir.errors.IrframeWarning):
            runs.ireval.cube(spans).ireval.score("SpanR")

    benchmark.pedantic(end_to_end, rounds=3, warmup_rounds=1)
    told(benchmark, "SpanR at every depth", 2)


def test_lengths_beside_a_large_run(benchmark):
    """27 million rows with lengths take at most 1.3 times as long as without."""
    systems, topics = 110, 249
    depth = ROWS // (systems * topics)
    random = np.random.default_rng(0)
    size = systems * topics * depth
    column = np.arange(size)
    docs = pd.Index([f"d{number:06}" for number in range(20_000)])
    place = (column * 7919) % len(docs)
    runs = pd.DataFrame(
        {"system": pd.Categorical.from_codes(column // (topics * depth), map(str, range(systems))),
         "topic": pd.Categorical.from_codes(column // depth % topics, map(str, range(topics))),
         "doc": docs.to_numpy()[place], "score": (size - column).astype(float),
         "tokens": random.integers(50, 400, size)}
    )  # fmt: skip
    runs["doc"] = runs["doc"].astype("string[pyarrow]")
    judged = random.integers(0, len(docs), (topics, 60))
    qrels = pd.DataFrame(
        {"topic": np.repeat(np.arange(topics), 60).astype(str), "doc": docs[judged.ravel()],
         "grade": random.integers(0, 3, topics * 60)}
    ).drop_duplicates(["topic", "doc"])  # fmt: skip
    plain = []

    def without():
        begin = time.perf_counter()
        runs.ireval.evaluate(qrels, ["AP", "nDCG"])
        plain.append(time.perf_counter() - begin)

    def with_lengths():
        runs.ireval.evaluate(qrels, ["AP", "nDCG"], length="tokens")

    benchmark.pedantic(with_lengths, setup=without, rounds=3, warmup_rounds=1)
    found, best = benchmark.stats.stats.min, min(plain)
    sys.stdout.write(f"\n{size:,} rows: {found:.1f} s with lengths, {best:.1f} s without\n")
    assert found < 1.3 * best
