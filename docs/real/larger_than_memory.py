"""Table and numbers of the page "Larger than memory" from what pytest-benchmark wrote.

Usage: pytest --benchmark-only -n 0 --benchmark-json=FILE tests/benchmarks/test_scale.py, then
python docs/real/larger_than_memory.py FILE.
"""

import json
import sys
from pathlib import Path

from shown import Page

PAGE = Page("larger-than-memory")
WHAT = {
    "score": "AP at two depths",
    "summary": "AP at all depths, `summary`",
    "discrimination": 'AP at all depths, `discrimination("t")`',
    "outcomes": "outcomes against a baseline",
    "pooled": "RBP after a shallower pool",
}
"""Parameter of the benchmark of memory -> what is done."""


def main():
    """Write everything."""
    benchmarks = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["benchmarks"]
    extras = {result["name"].removeprefix("test_"): result["extra_info"] for result in benchmarks}
    memory = {name: extras[f"memory_does_not_grow_with_topics[{name}]"] for name in WHAT}
    sizes = [key for key in memory["score"] if key.endswith("rows")]
    first = {size: f"{memory['score'][size]['sorting']:.1f} s" for size in sizes}
    rows = [{"what": "reading Parquet files and saving the cube"} | first]
    for name, title in WHAT.items():
        cells = {
            size: f"{info['seconds']:.1f} s, {info['peak']:.0f} MB"
            for size, info in memory[name].items()
            if size in sizes
        }
        rows.append({"what": title} | cells)
    PAGE.table(rows, "costs")
    speed, saved = extras["two_small_workers"], extras["a_saved_cube_is_opened_at_once"]
    PAGE.facts(
        lazy=f"{speed['lazy']:.2f}",
        eager=f"{speed['eager']:.2f}",
        row=f"{extras['time_grows_with_rows']['row']:.2f}",
        most=f"{max(result['ratio'] for result in memory.values()):.2f}",
        scanned=f"{extras['scanning_is_bounded']['27 million rows']:.0f} MB",
        **{name: f"{saved[name]:.2g} s" for name in ("built", "opened", "loaded")},
    )


if __name__ == "__main__":
    main()
