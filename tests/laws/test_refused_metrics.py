"""What `score` refuses to compute on a cube, no verb computes."""

import inspect
from functools import cache

import pytest
from laws.experiments import experiment

import irframe as ir
from irframe.accessor import verbs
from irframe.errors import IrframeError, MetricError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of tracks
REFUSED = {"alpha_nDCG": True, "DCG(gain={1: 1})": True, "AP(norm='pool')": False}
"""Metrics of subtopics, with gains for some grades, and of the pool; whether the pool is known."""
KNOWN = {"a": "s1", "b": "s2", "baseline": "s1", "methods": "pool", "budgets": 3}
"""What verbs ask for besides the metrics."""
SCORING = {
    name: function
    for name, (function, _) in verbs("irframe.verbs").items()
    if {"metric", "metrics"} & inspect.signature(function).parameters.keys()
    and next(iter(inspect.signature(function).parameters)) == "cube"
}


@cache
def cube_of(known):
    """Return a cube of which it is known or not what made the pool."""
    runs, qrels = experiment(0)
    runs = runs if known else runs.drop(columns="contributing")
    return ir.cube(runs, qrels, collection="track")


@pytest.mark.parametrize("metric", REFUSED)
@pytest.mark.parametrize("name", SCORING)
def test_metrics_that_score_refuses(name, metric):
    cube = cube_of(REFUSED[metric])
    with pytest.raises(MetricError):
        cube.ireval.score(metric)
    parameters = inspect.signature(SCORING[name]).parameters
    asked = {each: KNOWN[each] for each in parameters if each in KNOWN}
    given = inspect.signature(SCORING[name]).bind_partial(cube)
    given.arguments |= asked | {each: metric for each in ("metric",) if each in parameters}
    if "metrics" in parameters:
        given.arguments["metrics"] = (metric,)
    with pytest.raises(IrframeError):
        SCORING[name](*given.args, **given.kwargs)
