"""Metrics that `score` refuses are refused by every verb."""

import inspect
from functools import cache

import pytest
from properties.experiments import experiment
from properties.verbs import ARGUMENTS, VERBS, outcome
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError, MetricError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of tracks
REFUSED = {"alpha_nDCG": True, "DCG(gain={1: 1})": True, "AP(norm='pool')": False}
"""Metrics that the cube cannot score.

The value is whether the contributing runs of the cube are known. The cube lacks subtopics, the gain
of a grade, or the pool.
"""
NAMES = {"metric", "metrics"}


def scores_cubes(function):
    """Return whether a function accepts a cube and metrics."""
    parameters = inspect.signature(function).parameters
    return next(iter(parameters)) == "cube" and bool(NAMES & parameters.keys())


@cache
def cube_of(known):
    """Return a cube whose contributing runs are known or unknown."""
    runs, qrels = experiment(0)
    runs = runs if known else runs.drop(columns="contributing")
    return ir.cube(runs, qrels, collection="track")


@pytest.mark.parametrize("metric", REFUSED)
@pytest.mark.parametrize(
    "name", few_of([name for name in VERBS if scores_cubes(VERBS[name])], 6, drawn=False)
)
def test_verbs_refuse_metrics_that_score_refuses(name, metric, monkeypatch):
    cube = cube_of(REFUSED[metric])
    with pytest.raises(MetricError):
        cube.ireval.score(metric)
    monkeypatch.setitem(ARGUMENTS, "metrics", [metric])
    monkeypatch.setitem(ARGUMENTS, "metric", metric)
    result = outcome(name, cube)
    assert isinstance(result, type)
    assert issubclass(result, IrframeError)
