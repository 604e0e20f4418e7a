"""Measurement of time and memory in benchmarks."""

import sys
import threading
import time
from pathlib import Path


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def mean_seconds(function, cases):
    """Return the mean seconds per call, and all results."""
    function(*cases[0])
    start = time.perf_counter()
    values = [function(*case) for case in cases]
    return (time.perf_counter() - start) / len(cases), values


def against(benchmark, peer, theirs):
    """Report how many times faster irframe is than another tool."""
    ours = benchmark.stats.stats.min
    ratio = theirs / ours
    benchmark.extra_info.update({peer: theirs, f"ratio to {peer}": ratio})
    line = f"{1e3 * ours:.2f} ms, {peer} {1e3 * theirs:.2f} ms: {ratio:.2f} x"
    sys.stdout.write(f"\n{benchmark.name}: {line}\n")
    return ratio


def race(benchmark, ours, theirs, peer, rounds=5):
    """Time two functions alternately, and report the ratio."""
    peer_seconds = []
    setup = lambda: peer_seconds.append(seconds(theirs))  # noqa: E731
    benchmark.pedantic(ours, setup=setup, rounds=rounds, warmup_rounds=1)
    return against(benchmark, peer, min(peer_seconds))


def peak_of(function):
    """Return the peak increase of memory in bytes."""
    start, sizes, finished = resident(), [0], threading.Event()

    def watch():
        while not finished.wait(0.005):
            sizes.append(resident() - start)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        function()
    finally:
        finished.set()
        thread.join()
    return max(sizes)


def resident():
    """Return the memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
