"""What `agreement_map` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="module")
def cube():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels)


class TestAgreementMap:
    def test_every_cell_has_its_value(self, scores):
        matrix = scores.ireval.agreement(at=[10, 50])
        ax = matrix.ireval.plot.agreement_map(depth=10)
        chosen = matrix.sel(depth=10).to_numpy()
        assert [text.get_text() for text in ax.texts] == [f"{v:.2f}" for v in chosen.ravel()]
        np.testing.assert_array_equal(ax.images[0].get_array(), chosen)
        assert [label.get_text() for label in ax.get_yticklabels()] == [
            *scores["metric"].to_numpy()
        ]

    def test_choices_left_open(self, scores):
        matrix = scores.ireval.agreement(at=[10, 50])
        with pytest.raises(ParameterError, match="depth"):
            matrix.ireval.plot.agreement_map()
        with pytest.raises(InputError, match="depth="):
            matrix.ireval.plot.agreement_map(depth=20)
        with pytest.raises(ParameterError, match="metric_other"):
            scores.ireval.agreement(10).ireval.plot.agreement_map()
