"""What `best_systems` draws."""

import numpy as np
import pandas as pd

import irframe as ir
from irframe.plots.ladder import EDGES, _count


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_best_systems_on_one_scale():
    best = pd.DataFrame(
        {
            "track": ["x", "y", "x", "y"],
            "metric": ["P@20", "P@20", "ASL", "ASL"],
            "system": "s",
            "value": [1.0, 0.35, 1.0, 400.0],
        }
    )
    ax = ir.plots.best_systems(best)
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights[0].nonzero()[0].tolist() == [0, 6]
    assert heights[1].nonzero()[0].tolist() == [0, len(EDGES) - 2]
    assert ax.get_ylabel() == "best systems, one per track"
    assert legend(ax) == ["P@20", "ASL"]


def test_every_score_falls_into_a_bin():
    assert _count(np.array([0.0, 0.1, 0.9, 1.0, np.nan]), "mine").tolist() == [
        *(1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1)
    ]
    assert _count(np.array([10.0, 11.0, 0.5]), "ASL").sum() == 3


def test_an_alias_of_a_cost_is_a_cost():
    lengths = np.array([1.0, 20.0, 400.0])
    for name in ("ASL", "AtomizedSearchLength", "AtomizedSearchLength(first=10)@20"):
        assert _count(lengths, name).nonzero()[0].tolist() == [0, 10, len(EDGES) - 2]
    assert _count(lengths, "my own gain")[0] == 3
