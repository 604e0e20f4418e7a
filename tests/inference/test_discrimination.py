"""Pairs that are told apart: at the border of significance."""

import numpy as np
import xarray as xr

import irframe as ir


def test_a_p_value_of_alpha_is_not_significant():
    scores = xr.DataArray([[2.0, 3, 4, 5], [1.0, 2, 3, 4]], dims=("system", "topic"))
    p = scores.ireval.compare("sign")["p"].item()
    assert p == 0.125
    assert scores.ireval.discrimination("sign", p) == 0
    assert scores.ireval.discrimination("sign", np.nextafter(p, 1)) == 1
    assert np.isnan(scores.ireval.coverage(scores, "sign", p))
    assert not scores.ireval.compare("sign", alpha=p)["significant"].item()


def test_alpha_of_a_hedge_is_not_significant_either():
    cube = ir.cube(*ir.example_track())
    report = cube.ireval.corroborate(baseline="bm25", metric="P", depth=10)
    p = report["p"].min()
    strict = cube.ireval.corroborate(baseline="bm25", metric="P", depth=10, alpha=p)
    assert not strict["dagger"].any()
