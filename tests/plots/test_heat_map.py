"""Binned colours."""

import pytest

from irframe.errors import ParameterError
from irframe.plots.agreement_map import LEVELS, bins


class TestBins:
    def test_nine_tenths_is_a_border_between_warm_and_cool(self):
        colours, norm = bins(LEVELS)
        red, _, blue, _ = colours(norm(0.899))
        assert red > blue
        red, _, blue, _ = colours(norm(0.901))
        assert blue > red

    def test_every_bin_has_its_colour(self):
        colours, norm = bins((0, 0.5, 0.9, 1))
        assert len({colours(norm(value)) for value in (0.1, 0.6, 0.95)}) == 3

    @pytest.mark.parametrize("levels", [(0.5,), (0.5, 0.1), (0.5, 0.5)])
    def test_levels_ascend(self, levels):
        with pytest.raises(ParameterError, match="ascend"):
            bins(levels)
