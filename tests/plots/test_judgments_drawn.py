"""Figures of judgments and ties: what they show, and how many things they draw."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.bound_bands import bound_bands
from irframe.plots.leave_out_changes import leave_out_changes
from irframe.plots.pool_curves import pool_curves
from irframe.plots.robustness_curves import robustness_curves
from irframe.plots.tie_bars import tie_bars
from irframe.plots.unjudged_share import unjudged_share


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.fixture(scope="module")
def within(cube):
    return cube.ireval.bounds("RBP(p=0.8)", "P")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bands_by_depth(within):
    ax = within.ireval.plot.bound_bands(metric="P", systems=["ance", "bm25"])
    means = within.sel(metric="P", bound="lower").mean("topic")
    assert legend(ax) == ["ance", "bm25", "pool depth"]
    for line in ax.lines[:2]:
        np.testing.assert_allclose(line.get_ydata(), means.sel(system=line.get_label()))
    bands = [part for part in ax.collections if isinstance(part, PolyCollection)]
    assert len(bands) == 2
    highest = within.sel(metric="P", bound="upper", system="ance").mean("topic").max()
    assert bands[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(float(highest))
    assert "mean P" in ax.get_ylabel()
    assert ax.lines[-1].get_xdata()[0] == 10


def test_bands_of_three_by_default(within):
    ax = within.ireval.plot.bound_bands(metric="RBP(p=0.8)", pool_depth=7)
    final = within.sel(metric="RBP(p=0.8)", bound="lower", depth=50).mean("topic").to_series()
    order = final.sort_values(ascending=False).index
    assert legend(ax)[0] == order[0]
    assert legend(ax)[2:] == [order[-1], "pool depth"]
    assert ax.lines[-1].get_xdata()[0] == 7


def test_curves_of_pools(cube):
    growth = cube.ireval.pool_growth()
    left, right = growth.ireval.plot.pool_curves()
    np.testing.assert_allclose(left.lines[0].get_ydata(), growth.relevant)
    np.testing.assert_allclose(right.lines[0].get_ydata(), growth.rate)
    assert left.get_legend() is None
    several = pool_curves({"all": growth, "part": growth.sel(depth=[2, 4])})
    assert [len(pane.lines) for pane in several] == [2, 2]
    assert legend(several[0]) == ["all", "part"]
    given = plt.subplots(1, 2)[1]
    assert list(pool_curves(growth, ax=given)) == list(given)


def test_changes_of_runs_left_out(cube):
    rows = cube.ireval.leave_out("AP", "P", at=[5, 10])
    ax = rows.ireval.plot.leave_out_changes(depth=10)
    points = [part for part in ax.collections if isinstance(part, PathCollection)]
    assert [len(part.get_offsets()) for part in points] == [5, 5]
    chosen = rows[(rows["metric"] == "AP") & (rows["depth"] == 10)]
    np.testing.assert_allclose(points[0].get_offsets()[:, 1], chosen["change"])
    assert legend(ax)[0] == f"AP, mean {chosen['change'].mean():.1f}%"
    alone = leave_out_changes(rows[(rows["metric"] == "P") & (rows["depth"] == 5)])
    assert alone.get_title() == "depth 5"


def test_curves_of_samples(cube):
    tau = cube.ireval.robustness("AP", "Bpref", percents=[10, 50], seeds=3)
    ax = tau.ireval.plot.robustness_curves()
    line = ax.lines[1]
    assert line.get_xdata().tolist() == [100, 50, 10]
    expected = [1, *tau.sel(metric="AP").mean("seed").squeeze().sel(percent=[50, 10]).values]
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert legend(ax) == ["AP", "Bpref"]
    assert "Kendall's tau" in ax.get_ylabel()
    whole = cube.ireval.robustness("AP", percents=[100, 30], seeds=2, method="rbo", at=[5, 9])
    ax = whole.ireval.plot.robustness_curves(depth=9)
    assert ax.lines[1].get_xdata().tolist() == [100, 30]
    assert "RBO" in ax.get_ylabel()


def test_lines_of_unjudged_documents(cube):
    scores = cube.ireval.score("Judged", "P")
    ax = scores.ireval.plot.unjudged_share()
    assert len(ax.lines) == 9
    shares = 100 * (1 - scores.sel(metric="Judged").mean("topic"))
    np.testing.assert_allclose(ax.lines[-2].get_ydata(), shares.sel(system="doct5query"))
    assert legend(ax) == ["contributing (5)", "not contributing (3)", "pool depth"]
    plain = scores.drop_vars("contributing").assign_attrs(pool_depth=0)
    assert legend(unjudged_share(plain)) == ["contributing (8)"]


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
    assert tie_bars(ranges).get_xlabel() == "45 systems, the best first"


def test_refusals(cube, within):
    with pytest.raises(InputError, match="bound and depth"):
        bound_bands(within.isel(bound=0))
    with pytest.raises(ParameterError, match="'nobody'"):
        bound_bands(within, metric="P", systems=["nobody"])
    with pytest.raises(InputError, match="pool_growth"):
        pool_curves(cube)
    with pytest.raises(ParameterError, match="two axes"):
        pool_curves(cube.ireval.pool_growth(), ax=[plt.subplots()[1]])
    rows = cube.ireval.leave_out("P", at=[5, 10])
    with pytest.raises(ParameterError, match="none chosen: 5, 10"):
        leave_out_changes(rows)
    with pytest.raises(InputError, match="leave_out"):
        leave_out_changes(rows.drop(columns="change"))
    tau = cube.ireval.robustness("P", percents=[50], seeds=1, at=[5, 10])
    with pytest.raises(ParameterError, match="none chosen: 5, 10"):
        robustness_curves(tau)
    with pytest.raises(InputError, match="percent and seed"):
        robustness_curves(tau.mean("seed"))
    with pytest.raises(InputError, match="Judged by depth"):
        unjudged_share(cube)
    with pytest.raises(ParameterError, match="'Judged'"):
        unjudged_share(cube.ireval.score("P"))
    with pytest.raises(InputError, match="dimension bound"):
        tie_bars(cube.ireval.score("P"))
    with pytest.raises(ParameterError, match="99"):
        tie_bars(cube.ireval.tie_ranges("P"), depth=99)
