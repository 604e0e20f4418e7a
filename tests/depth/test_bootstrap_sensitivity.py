"""Tests of `bootstrap_sensitivity` against a loop over pairs of systems."""

import numpy as np
import pytest
from oracles import paired_tests as oracle
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP", "RR", at=[5, 50])


def test_achieved_levels_and_required_differences_agree_with_a_loop(scores):
    result = scores.ireval.bootstrap_sensitivity(resamples=ir.Resampling(60, seed=3), alpha=0.1)
    draws = ir.paired.Bootstrap(samples=60, seed=3).resamples(16).tolist()
    assert result["asl"].dims == ("metric", "depth", "pair")
    for pos in range(0, result.sizes["pair"], 9):
        row = result.sel(metric="RR", depth=50).isel(pair=pos)
        pair = [row["system_a"].item(), row["system_b"].item()]
        a, b = (scores.sel(metric="RR", depth=50, system=s).to_numpy().tolist() for s in pair)
        assert row["asl"].item() == pytest.approx(oracle.bootstrap(a, b, draws)[1])
        assert row["pair_delta"].item() == pytest.approx(oracle.bootstrap_delta(a, b, draws, 6))
    np.testing.assert_allclose(result["power"], (result["asl"] < 0.1).mean("pair"))
    np.testing.assert_allclose(result["delta"], result["pair_delta"].max("pair"))


@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
def test_achieved_levels_equal_p_values_of_the_bootstrap_test(scores):
    result = scores.sel(depth=5).ireval.bootstrap_sensitivity(resamples=50)
    frame = scores.sel(depth=5).ireval.compare(ir.paired.Bootstrap(samples=50))
    np.testing.assert_array_equal(result["asl"].to_numpy().ravel(), frame["p"])
    ratio = scores.sel(depth=5).ireval.discrimination(
        ir.Significance(ir.paired.Bootstrap(samples=50), adjust=None)
    )
    np.testing.assert_array_equal(result["power"], ratio)


@pytest.mark.parametrize(
    ("options", "message"), [({"positions": [[0, 1]]}, "resamples of 16 topics")]
)
def test_invalid_positions_and_single_systems_are_refused(scores, options, message):
    refused(ParameterError, message, scores.ireval.bootstrap_sensitivity, **options)
    refused(ParameterError, "two systems to compare", scores[:, :1].ireval.bootstrap_sensitivity)
