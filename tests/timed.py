"""What benchmarks share: seconds, the memory of this process, and a race with a peer."""

import sys
import threading
import time
from pathlib import Path


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def race(benchmark, what, ours, theirs, peer, rounds=5):
    """Time both alternately; report and return how our best compares with theirs."""
    other = []
    setup = lambda: other.append(seconds(theirs))  # noqa: E731
    benchmark.pedantic(ours, setup=setup, rounds=rounds, warmup_rounds=1)
    mine, best = benchmark.stats.stats.min, min(other)
    benchmark.extra_info.update({peer: best, "ratio": mine / best})
    line = f"{what}: {1e3 * mine:.2f} ms, {peer} {1e3 * best:.2f} ms: {mine / best:.2f} of its time"
    sys.stdout.write(f"\n{line}\n")
    return mine / best


def resident():
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def peak_of(function):
    """Largest resident size beyond the present one, in bytes, while a function runs."""
    start, sizes, done = resident(), [0], threading.Event()

    def watch():
        while not done.wait(0.005):
            sizes.append(resident() - start)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        function()
    finally:
        done.set()
        thread.join()
    return max(sizes)
