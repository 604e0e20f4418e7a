"""Valid chains of verbs, and mistakes for type checkers.

``mypy tests/typed_chains.py`` must report no errors. Each line with ``type: ignore`` contains a
mistake. If mypy did not find a mistake, mypy would report an unused ``type: ignore``.
"""

from typing import assert_type

import pandas as pd
import xarray as xr

import irframe as ir
from irframe.typed import ireval


def right(runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Chain verbs of frames, cubes and scores."""
    scores = ireval(runs).evaluate(qrels, ["AP", ir.metrics.nDCG(depth=10)], ties="order")
    assert_type(scores, pd.DataFrame)
    assert_type(ireval(scores).compare("wilcoxon", adjust="holm", baseline="bm25"), pd.DataFrame)
    cube = ireval(runs).cube(qrels, depth=100)
    assert_type(cube, xr.Dataset)
    array = ireval(cube).score("AP", "RBP(p=0.8)", at=[10, 20])
    assert_type(array, xr.DataArray)
    assert_type(ireval(array).summary(), xr.Dataset)
    assert_type(ireval(scores).summary(), pd.DataFrame)
    assert_type(scores.pipe(ir.verbs.summary, alpha=0.1), pd.DataFrame)
    assert_type(ireval(array).groupby("track").sheet("bm25"), xr.Dataset)
    assert_type(ireval(scores["AP"]).sheet("bm25"), pd.DataFrame)
    assert_type(ireval(array).volatility(coefficient=ir.agreements.RBO(p=0.8)), xr.DataArray)
    ireval(ireval(array).volatility()).plot.volatility_map()
    assert_type(ireval(scores).groupby("track").compare(baseline="bm25"), pd.DataFrame)
    assert_type(ireval(runs).groupby(["track", "kind"]).cube(qrels).score("AP"), xr.DataArray)


def wrong(runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Use wrong verbs, options and option values."""
    cube, scores = ir.cube(runs, qrels), ir.verbs.score(ir.cube(runs, qrels), "AP")
    ireval(runs).evalute(qrels, "AP")  # type: ignore[attr-defined]
    ireval(runs).evaluate(qrels, "AP", tie="order")  # type: ignore[call-arg]
    ireval(runs).evaluate(qrels, "AP", ties="ordered")  # type: ignore[arg-type]
    ireval(runs).write_run()  # type: ignore[call-arg]
    ireval(cube).evaluate(qrels, "AP")  # type: ignore[attr-defined]
    ireval(cube).score("AP", no_rel="none")  # type: ignore[arg-type]
    ireval(scores).compare("welch")  # type: ignore[arg-type]
    ireval(scores).compare(adjust="hollm")  # type: ignore[arg-type]
    ireval(scores).groupby("track").sumary()  # type: ignore[attr-defined]
    ireval(runs).groupby("track").check(qrels)  # type: ignore[attr-defined]
    ireval(scores).volatility(coefficient="kendal")  # type: ignore[call-overload]
    ireval(scores).plot.depth_curve()  # type: ignore[attr-defined]
    ir.verbs.compare(scores, adjst="holm")  # type: ignore[call-arg]
    ir.verbs.summary(scores, alfa=0.1)  # type: ignore[call-overload]
