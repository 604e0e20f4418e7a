"""What `explained` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError
from irframe.plots.orderings import explained


def test_bars_are_stacked_documents_and_dots_their_sums():
    cube = ir.cube(*ir.example_track())
    found = cube.ireval.explain("splade", "bm25", "AP", at=20)
    ax = found.ireval.plot.explained()
    total = found.groupby("topic")["difference"].sum().sort_values(ascending=False)
    assert [label.get_text() for label in ax.get_xticklabels()] == total.index.tolist()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), total, atol=1e-12)
    heights = np.array([bar.get_height() for bar in ax.patches])
    own = found["difference"].to_numpy()
    np.testing.assert_allclose(np.sort(heights), np.sort(own[own.round(12) != 0]))
    for place, topic in enumerate(total.index):
        bars = [bar for bar in ax.patches if round(bar.get_x() + 0.4) == place]
        ends = [bar.get_y() + bar.get_height() for bar in bars]
        of_topic = found[found["topic"] == topic]["difference"]
        assert max(0, *ends, 0) == pytest.approx(of_topic[of_topic > 0].sum())
        assert min(0, *ends, 0) == pytest.approx(of_topic[of_topic < 0].sum())
    assert "more by splade" in [text.get_text() for text in ax.get_legend().get_texts()]
    with pytest.raises(InputError, match="as explain gives them"):
        explained(found[["topic"]])
