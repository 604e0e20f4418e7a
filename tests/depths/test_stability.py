"""From which depth on an ordering stays."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP(norm='min')", "RBP(p=0.95)", "ASL")


def test_it_follows_the_definition(scores):
    matrix = scores.ireval.volatility()
    found = matrix.ireval.stability(0.8)
    for row, metric in enumerate(scores["metric"].to_numpy()):
        values = matrix.sel(metric=metric).to_numpy()
        good = [k for k in range(50) if (values[k:, k:] > 0.8).all()]
        assert found["stable_depth"][row].item() == good[0] + 1
        off = ~np.eye(50, dtype=bool)
        assert found["share_above"][row].item() == pytest.approx((values[off] > 0.8).mean())


def test_the_order_of_dimensions_does_not_matter(scores):
    matrix = scores.ireval.volatility(at=[1, 5, 9])
    turned = matrix.transpose("depth_other", "metric", "depth").ireval.stability()
    np.testing.assert_array_equal(turned["stable_depth"], matrix.ireval.stability()["stable_depth"])


def test_bad_input(scores):
    with pytest.raises(InputError, match="depth_other"):
        scores.ireval.stability()
    with pytest.raises(InputError, match="same depths"):
        scores.ireval.volatility(scores[..., :7]).ireval.stability()
    with pytest.raises(ParameterError, match="threshold"):
        scores.ireval.volatility(at=[1, 2]).ireval.stability(2)
