"""Chains that a type checker must accept, and mistakes that it must find.

``mypy tests/typed_chains.py`` is quiet: every line that ends in ``type: ignore`` is wrong, and one
that mypy did not find wrong would be told as an ignore without need.
"""

from typing import assert_type

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.typed import ireval


def right(runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Chain frames, cubes and scores."""
    scores = runs.ireval.evaluate(qrels, ["AP", ir.metrics.nDCG(depth=10)], ties="order")
    assert_type(scores, pd.DataFrame)
    assert_type(scores.ireval.compare("wilcoxon", adjust="holm", baseline="bm25"), pd.DataFrame)
    cube = runs.ireval.cube(qrels, depth=100)
    assert_type(cube, xr.Dataset)
    array = cube.ireval.score("AP", "RBP(p=0.8)", at=[10, 20])
    assert_type(array, xr.DataArray)
    assert_type(array.ireval.summary(), xr.Dataset)
    assert_type(scores.ireval.summary(), pd.DataFrame)
    assert_type(scores.pipe(ir.verbs.summary, alpha=0.1), pd.DataFrame)
    assert_type(ir.verbs.sheet(array, "bm25", by="track"), xr.Dataset)
    assert_type(scores["AP"].ireval.sheet("bm25"), pd.DataFrame)
    assert_type(array.ireval.volatility(method=ir.agreements.RBO(p=0.8)), xr.DataArray)
    assert_type(ireval(runs).evaluate(qrels, "AP"), pd.DataFrame)
    array.ireval.volatility().ireval.plot.volatility_map()


def wrong(runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Mistype verbs, options and words."""
    cube, scores = ir.cube(runs, qrels), ir.verbs.score(ir.cube(runs, qrels), "AP")
    runs.ireval.evalute(qrels, "AP")  # type: ignore[attr-defined]
    runs.ireval.evaluate(qrels, "AP", tie="order")  # type: ignore[call-arg]
    runs.ireval.evaluate(qrels, "AP", ties="ordered")  # type: ignore[arg-type]
    runs.ireval.write_run()  # type: ignore[call-arg]
    cube.ireval.evaluate(qrels, "AP")  # type: ignore[attr-defined]
    cube.ireval.score("AP", no_rel="none")  # type: ignore[arg-type]
    scores.ireval.compare("welch")  # type: ignore[arg-type]
    scores.ireval.compare(adjust="hollm")  # type: ignore[arg-type]
    scores.ireval.volatility(method="kendal")  # type: ignore[call-overload]
    scores.ireval.plot.depth_curve()  # type: ignore[attr-defined]
    ireval(runs).evalute(qrels, "AP")  # type: ignore[attr-defined]
    ir.verbs.compare(scores, adjst="holm")  # type: ignore[call-arg]
    ir.verbs.summary(scores, alfa=0.1)  # type: ignore[call-overload]
