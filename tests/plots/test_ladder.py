"""What `ladder` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError


def told(draw):
    """Draw what warns of few topics."""
    with pytest.warns(IrframeWarning, match="below 8 topics"):
        return draw()


@pytest.fixture(scope="module")
def found():
    scores = ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10])
    return scores.ireval.rank_intervals("bootstrap", samples=200)


class TestLadder:
    def test_intervals_are_lines_and_ranks_dots(self, found):
        ax = found.ireval.plot.ladder(metric="ASL", depth=5)
        here = found.sel(metric="ASL", depth=5).to_dataframe().sort_values("rank")
        assert [label.get_text() for label in ax.get_yticklabels()] == [*here.index]
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), here["rank"])
        ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        np.testing.assert_array_equal(ends, here[["rank_low", "rank_high"]])
        assert ax.get_xlabel() == "rank by ASL@5 and its spread over resamples"
        assert ax.get_ylim()[0] > ax.get_ylim()[1]

    def test_tiers_and_first_places_are_told(self, found):
        ax = found.ireval.plot.ladder(metric="nDCG")
        here = found.sel(metric="nDCG", depth=10).to_dataframe().sort_values("rank")
        told = [text.get_text() for text in ax.texts]
        assert [text for text in told if text.startswith("tier")] == ["tier 1", "tier 2"]
        likely = here["first"][here["first"] >= 0.01]
        assert [text for text in told if text.startswith("first")] == [
            f"first in {share:.0%}" for share in likely
        ]
        inches = [patch.get_window_extent() for patch in ax.patches]
        bands = [ax.transData.inverted().transform(each)[::-1, 1] for each in inches]
        border = (here["tier"] == 1).sum() - 0.5
        np.testing.assert_allclose(bands, [[-0.5, border], [border, 7.5]])

    def test_frames_and_the_best_only(self):
        runs, qrels = ir.example_track()
        scores = runs.rename(columns={"system": "run"}).ireval.evaluate(qrels, "AP")
        frame = scores.ireval.rank_intervals()
        ax = frame.ireval.plot.ladder(top=3)
        assert ax.get_xlabel() == "rank by AP with 95% interval"
        assert not [text for text in ax.texts if text.get_text().startswith("first")]
        best = frame.droplevel("metric")["rank"].sort_values().index[:3]
        assert [label.get_text() for label in ax.get_yticklabels()] == [*best]
        frame.attrs = {}
        assert ir.plots.ladder(frame).get_xlabel() == "rank by AP"

    def test_what_to_beware_of_stands_above(self):
        scores = ir.cube(*ir.example_track()).ireval.score("RR").isel(topic=slice(7), depth=[40])
        with pytest.warns(IrframeWarning, match="below 8 topics: 7"):
            ranks = scores.ireval.rank_intervals()
        for ax in (ranks.ireval.plot.ladder(), told(scores.ireval.plot.system_ranking)):
            assert "below 8 topics: 7" in ax.get_title("left").replace("\n", " ")

    def test_bad_input(self, found):
        plot = found.ireval.plot.ladder
        with pytest.raises(ParameterError, match="nDCG, ASL"):
            plot()
        with pytest.raises(ParameterError, match="top"):
            plot(metric="ASL", top=0)
        with pytest.raises(DepthError, match="5, 10; found 7"):
            plot(metric="ASL", depth=7)
        with pytest.raises(DepthError, match="without depths"):
            found.isel(depth=0).ireval.plot.ladder(metric="ASL", depth=5)
        with pytest.raises(InputError, match="one group"):
            found.expand_dims(track=["a", "b"]).ireval.plot.ladder(metric="ASL")
        for other in (found["rank"], found.drop_vars("tier"), found.to_dataframe()[["rank"]]):
            with pytest.raises(InputError, match="rank_intervals"):
                ir.plots.ladder(other)
