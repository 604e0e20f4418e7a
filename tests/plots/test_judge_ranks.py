"""What `judge_ranks` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def effect():
    runs, qrels = ir.example_track()
    random = np.random.default_rng(1)
    guess = qrels.assign(grade=random.permutation(qrels["grade"].to_numpy()))
    return ir.judge_effect(runs, {"people": qrels, "guess": guess}, ["AP", "nDCG"], at=[5, 10])


def test_a_point_is_a_system(effect):
    ax = effect.ireval.plot.judge_ranks(metric="AP", depth=5, named=2)
    cell = effect.sel(metric="AP", depth=5).squeeze("judge")
    points = np.asarray(ax.collections[0].get_offsets())
    np.testing.assert_array_equal(points, np.stack([cell["reference_rank"], cell["rank"]], 1))
    moved = abs(cell["rank"] - cell["reference_rank"]).to_series().sort_values(ascending=False)
    assert len(ax.texts) == 2
    named = [moved[text.get_text()] for text in ax.texts]
    assert sorted(named, reverse=True) == moved.iloc[:2].tolist()
    assert ax.get_ylabel() == "rank by AP@5 under guess"


def test_marked_systems_have_a_colour_of_their_own(effect):
    ax = effect.ireval.plot.judge_ranks(metric="nDCG", marked=["bm25", "ance"])
    assert [len(points.get_offsets()) for points in ax.collections] == [6, 2]
    assert ax.get_xlabel() == "rank by nDCG@10 under people"
    with pytest.raises(ParameterError, match="nobody"):
        effect.ireval.plot.judge_ranks(metric="AP", marked=["nobody"])


def test_one_judge_metric_and_depth_are_drawn(effect):
    with pytest.raises(ParameterError, match="metric= .* none chosen: AP, nDCG"):
        effect.ireval.plot.judge_ranks()
    with pytest.raises(ParameterError, match="judge= .* 'nobody': guess"):
        effect.ireval.plot.judge_ranks(metric="AP", judge="nobody")
    with pytest.raises(ParameterError, match="depth= .* 7: 5, 10"):
        effect.ireval.plot.judge_ranks(metric="AP", depth=7)
    with pytest.raises(InputError, match="what judge_effect gives"):
        effect[["bias"]].ireval.plot.judge_ranks()
    alone = effect.sel(metric="AP", depth=5, judge="guess").ireval.plot.judge_ranks()
    assert alone.get_xlabel() == "rank by AP@5 under people"
