"""Bootstrap tests of all pairs, against a loop over pairs."""

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


def test_every_pair_against_the_loop_with_the_same_draws(scores):
    found = scores.ireval.bootstrap_sensitivity(resamples=ir.Resampling(60, seed=3), alpha=0.1)
    draws = ir.paired.Bootstrap(samples=60, seed=3).resamples(16).tolist()
    assert found["asl"].dims == ("metric", "depth", "pair")
    for place in range(0, found.sizes["pair"], 9):
        one = found.sel(metric="RR", depth=50).isel(pair=place)
        pair = [one["system_a"].item(), one["system_b"].item()]
        a, b = (scores.sel(metric="RR", depth=50, system=s).to_numpy().tolist() for s in pair)
        assert one["asl"].item() == pytest.approx(oracle.bootstrap(a, b, draws)[1])
        assert one["pair_delta"].item() == pytest.approx(oracle.bootstrap_delta(a, b, draws, 6))
    np.testing.assert_allclose(found["power"], (found["asl"] < 0.1).mean("pair"))
    np.testing.assert_allclose(found["delta"], found["pair_delta"].max("pair"))


@pytest.mark.filterwarnings("ignore:no outcome on:irframe.errors.IrframeWarning")
def test_it_is_the_bootstrap_test_of_a_comparison(scores):
    found = scores.sel(depth=5).ireval.bootstrap_sensitivity(resamples=50)
    frame = scores.sel(depth=5).ireval.compare(ir.paired.Bootstrap(samples=50))
    np.testing.assert_array_equal(found["asl"].to_numpy().ravel(), frame["p"])
    ratio = scores.sel(depth=5).ireval.discrimination(
        ir.Significance(ir.paired.Bootstrap(samples=50), adjust=None)
    )
    np.testing.assert_array_equal(found["power"], ratio)


@pytest.mark.parametrize(
    ("options", "words"), [({"positions": [[0, 1]]}, "resamples of 16 topics")]
)
def test_bad_input(scores, options, words):
    refused(ParameterError, words, scores.ireval.bootstrap_sensitivity, **options)
    refused(ParameterError, "two systems to compare", scores[:, :1].ireval.bootstrap_sensitivity)
