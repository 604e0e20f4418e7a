"""What `conclusion_shares` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError


@pytest.fixture(scope="module")
def effect():
    runs, qrels = ir.example_track()
    random = np.random.default_rng(1)
    guess = qrels.assign(grade=random.permutation(qrels["grade"].to_numpy()))
    return ir.judge_effect(runs, {"people": qrels, "guess": guess}, "AP")


def test_bands_are_shares_of_the_pairs(effect):
    ax = effect.ireval.plot.conclusion_shares()
    counts = effect["conclusions"].squeeze().transpose("conclusion", "depth").to_numpy()
    tops = np.cumsum(counts, axis=0) / 28 * 100
    for band, top in zip(ax.collections, tops, strict=True):
        outline = band.get_paths()[0].vertices
        at = {depth: outline[outline[:, 0] == depth, 1].max() for depth in (1, 50)}
        assert [at[1], at[50]] == pytest.approx([top[0], top[-1]])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[-3:] == ["only under guess", "only under people", "significant under both"]
    assert ax.get_xscale() == "log"
    assert effect.ireval.plot.conclusion_shares(log=False).get_xscale() == "linear"


def test_a_single_depth_is_no_curve(effect):
    with pytest.raises(InputError, match="two depths or more"):
        effect.isel(depth=[3]).ireval.plot.conclusion_shares()
