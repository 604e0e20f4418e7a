"""What `tie_bars` draws."""

import pytest

import irframe as ir
from irframe.plots.ladder import tie_bars


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_bars_of_ties():
    runs, qrels = ir.example_track()
    cube = runs.assign(score=runs["score"].round()).ireval.cube(qrels)
    ranges = cube.ireval.tie_ranges("AP", "P", at=[5, 20])
    ax = ranges.ireval.plot.tie_bars(metric="AP", depth=5)
    means = ranges.sel(metric="AP", depth=5).mean("topic")
    names = [label.get_text() for label in ax.get_xticklabels()]
    for bar, name in zip(ax.patches, names, strict=True):
        low, high = means.sel(system=name).values
        assert bar.get_y() == pytest.approx(low)
        assert bar.get_y() + bar.get_height() == pytest.approx(high)
    assert ax.get_ylabel() == "mean AP@5, over tie orders"
    assert tie_bars(ranges, metric="P").get_ylabel() == "mean P@20, over tie orders"


def test_many_systems_are_not_named():
    runs, qrels = ir.simulate_track(systems=45, topics=3, docs=80, depth=10, pool_depth=5, seed=1)
    ranges = runs.ireval.cube(qrels).ireval.tie_ranges("P")
    ax = tie_bars(ranges)
    assert ax.get_xlabel() == "45 systems, the best first; the widest ranges are named"
    assert not ax.texts
    tied = runs.assign(score=runs["score"].round(1)).ireval.cube(qrels).ireval.tie_ranges("P", at=5)
    width = tied.mean("topic").squeeze().diff("bound").squeeze().to_series()
    texts = tie_bars(tied).texts
    assert len(texts) == 3
    assert any(text.get_text().startswith(f"{width.idxmax()}: ") for text in texts)


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
