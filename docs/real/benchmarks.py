"""Tables of the page "Benchmarks" from what pytest-benchmark wrote.

Usage: pytest --benchmark-only -n 0 --benchmark-json=FILE tests/benchmarks/test_reading.py, any of
the files there, or all; then python docs/real/benchmarks.py FILE on the same machine. A table is
written for every file of benchmarks that FILE knows, and the others stay as they were.
"""

import json
import os
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

from shown import Page

PAGE = Page("benchmarks")
OTHER = {"peak_GB", "peak", "input", "seconds", "told"}
"""What benchmarks note besides the seconds of what they are held against."""


ELSEWHERE = "scale"
"""The file of benchmarks that another page tells of."""
LOOP = re.compile(r", (?:<lambda>|one|rmse|tau_ap\w*|rank_sum|test)$")
"""The name of the loop that a benchmark is held against, at the end of its options."""


def seconds(value):
    """Return a time with two digits that count."""
    if value < 0.01:
        return f"{1000 * value:.2f} ms"
    digits = 3 if value < 0.1 else 2 if value < 10 else 0
    return f"{value:,.{digits}f} s"


def row(benchmark):
    """Return a benchmark as a row: the best round, and that of each peer."""
    name_parts = benchmark["name"].removeprefix("test_").partition("[")
    options = LOOP.sub("", name_parts[2].rstrip("]").replace("-", ", "))
    ours, extra = benchmark["stats"]["min"], benchmark["extra_info"]
    peers = {n: s for n, s in extra.items() if n not in OTHER and not n.startswith("ratio")}
    return {
        "what": name_parts[0].replace("_", " ") + (f" ({options})" if options else ""),
        "irframe": seconds(ours),
        "otherwise": "; ".join(f"{name}: {seconds(s)}" for name, s in peers.items()),
        "times faster": "; ".join(
            f"{s / ours:.2g}" if s < 100 * ours else f"{s / ours:.0f}" for s in peers.values()
        ),
    }


def main():
    """Write everything."""
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tables = {}
    for benchmark in report["benchmarks"]:
        file = Path(benchmark["fullname"].partition("::")[0]).stem.removeprefix("test_")
        if file == ELSEWHERE:
            continue
        tables.setdefault(file, []).append(row(benchmark))
    for name, rows in tables.items():
        PAGE.table(sorted(rows, key=lambda entry: entry["what"]), name)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = {
        name: ".".join(version(name).split(".")[:2]) for name in ("numpy", "pandas", "pyarrow")
    }
    PAGE.facts(
        cores=os.cpu_count(),
        memory=f"{memory:.0f}",
        python=".".join(platform.python_version_tuple()[:2]),
        **libraries,
    )


if __name__ == "__main__":
    main()
