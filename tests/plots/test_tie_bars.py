"""The best system stands first, also where lower is better."""

import irframe as ir


def test_the_lowest_cost_is_the_best():
    runs, qrels = ir.example_track()
    cube = runs.assign(score=runs["score"].round()).ireval.cube(qrels)
    ranges = cube.ireval.tie_ranges("ASL", "P", at=20)
    means = ranges.mean(["bound", "topic", "depth"])
    for metric, rising in (("ASL", True), ("P", False)):
        ax = ranges.ireval.plot.tie_bars(metric=metric)
        names = [label.get_text() for label in ax.get_xticklabels()]
        expected = means.sel(metric=metric).to_series().sort_values(ascending=rising)
        assert names == expected.index.tolist()
