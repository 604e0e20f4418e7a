"""Calls of every registered verb, with arguments by parameter name."""

import inspect
import warnings

import numpy as np
import pandas as pd
import xarray as xr

import irframe as ir
from irframe.cubes.verb import VERBS
from irframe.errors import IrframeError, IrframeWarning
from irframe.kinds import verbs
from irframe.option_values import gathered, plain_parameters
from irframe.record import InGroups

verbs("irframe.verbs")  # importing the verbs registers them

SCORED = ("AP(norm='min')", "RBP(p=0.8)", "nDCG@3")
READ = ("AP(norm='min')", "RBP(p=0.8)", "NERR8@3", "INST(T=1)")
"""Metrics that define a model of how users read."""
SUBJECTS = {
    "cube": lambda cube: cube,
    "data": lambda cube: cube,
    "scores": lambda cube: ir.verbs.score(cube, *SCORED),
    "bounds": lambda cube: ir.verbs.bounds(cube, "RBP(p=0.8)", "P"),
    "volatility": lambda cube, by=None: answer("volatility", ir.verbs.score(cube, *SCORED), by),
    "misplaced": ir.verbs.misplacement,
    "lengths": lambda cube, by=None: answer("search_lengths", cube, by),
    "comparison": lambda cube, by=None: answer(
        "compare", ir.verbs.score(cube, *SCORED, at=[3]), by
    ),
}
"""Mapping from the name of a verb's first parameter to a function that makes the argument from a
cube.
"""
FRAMES = ("lengths", "comparison")
GROUPED = (*FRAMES, "volatility")
"""First parameters whose arguments have no coordinates for groups.

These arguments are grouped when they are made.
"""

ARGUMENTS = {
    "metrics": dict.fromkeys(VERBS.keys() - {"predict_powered"}, SCORED)
    | {"cwl": READ, "estimate": ("P", "RBP(p=0.8)"), "replay": SCORED[:1]},
    "metric": "RBP(p=0.8)@3",
    "at": {"score": [1, 3], "bounds": [1, 3], "pool_growth": [1], "explain": 3},
    "depth": {"pooled": 1},
    "depths": [1, 2],
    "share": {"sample": 0.5, "select_top": 0.75},
    "shares": [0.5],
    "seeds": 2,
    "samples": dict.fromkeys(VERBS, 20) | {"replay": 2},
    "n": 2,
    "methods": {"replay": ["leverage", "maxmean"]},
    "budgets": [2],
    "reference": {"coverage": 3, "inversions": 3, "ratios": 3},
    "baseline": {"rrie": "s1", "risk": "s1", "compare_orderings": "s1", "outcomes": "s1"},
    "relevant": "first",
    "a": dict.fromkeys(VERBS.keys() - {"risk"}, "s1"),
    "b": "s2",
    "margin": {"compare": 0.05},
    "effects": {"compare": True},
    "simultaneous": {"compare": True},
    "system": "s1",
    "effort": {},
    "difference": 0.1,
    "test": {"significance_agreement": "t"},
    "qrels": {"rejudge": lambda cube: judged_again(cube)},  # noqa: PLW0108 - defined below
    "human": lambda cube: some_topics(ir.verbs.score(cube, *SCORED)),
}
"""Mapping from a parameter to its argument, to a function that makes the argument from the cube, or
to a dictionary with an entry for each verb.
"""


def some_topics(scores):
    """Return scores on topics 1 to 3 of each track."""
    if "topic" not in scores.dims:
        return scores
    return scores.sel(topic=[name for name in scores.topic.to_numpy() if name[-1] in "123"])


def judged_again(cube):
    """Return the judgments of a cube with changed grades."""
    experiment = cube.attrs.get("experiment")
    if experiment is None:
        return pd.DataFrame({"topic": ["n1"], "doc": ["d1"], "grade": [1]})
    base = experiment.judgments
    labels = {"topic": base.topics[base.topic], "doc": base.names}
    return pd.DataFrame(labels | {"grade": (base.grade + 1) % 3})


SPECIAL = {
    "effort_gain": lambda cube: ir.verbs.score(cube, "Twist", "AP"),
    "estimate": lambda cube: ir.verbs.rejudge(
        cube, ir.verbs.draw_to_judge(judged_again(cube), 0.5)
    ),
}


def call(name, cube, change=None, by=None, **options):
    """Call a verb on its subject with its required arguments.

    `change` is applied to the subject, and to scores among the arguments.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        subject, arguments = asked(name, cube, change, by, **options)
        return answer(name, subject, by, **arguments)


def answer(name, subject, by=None, **given):
    """Call a verb on an object, or on its groups."""
    return VERBS[name](subject if by is None else ir.verbs.groupby(subject, by)._groups, **given)


def asked(name, cube, change=None, by=None, **options):
    """Return the subject of a verb and its arguments."""
    subject, plain = asked_plainly(name, cube, change, by, **options)
    return subject, gathered(inspect.signature(VERBS[name]), plain)


def asked_plainly(name, cube, change=None, by=None, **options):
    """Return subject and arguments, with each option separate."""
    first, *further = plain_parameters(inspect.signature(VERBS[name])).values()
    make = SPECIAL.get(name, SUBJECTS[first.name])
    grouped = by is not None and first.name in GROUPED
    subject = changed(make(cube, by=by) if grouped else make(cube), change)
    empty = inspect.Parameter.empty
    values = {
        parameter.name: argument(name, parameter, cube, subject, change) for parameter in further
    }
    return subject, {key: value for key, value in values.items() if value is not empty} | options


def argument(name, parameter, cube, subject, change):
    """Return the argument of a parameter, `empty` for the default."""
    empty = inspect.Parameter.empty
    value = subject if parameter.name == "original" else ARGUMENTS.get(parameter.name, empty)
    if value is not empty and callable(value) and parameter.name != "original":
        value = changed(value(cube), change)
    if isinstance(value, dict):
        value = value.get(name, empty)
        value = changed(value(cube), change) if callable(value) and value is not empty else value
    if value is empty and parameter.default is parameter.empty and parameter.kind != 2:
        raise LookupError(f"tests/properties/verbs.py knows no {parameter.name} for {name}")
    return value


def changed(scores, change):
    """Apply a change to scores; return other objects unchanged."""
    return scores if change is None or not isinstance(scores, xr.DataArray) else change(scores)


def outcome(name, cube, **options):
    """Return the result of a verb, or its error class."""
    try:
        result = call(name, cube, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrframeWarning)
            lazy = isinstance(result, xr.Dataset | xr.DataArray)
            return result.compute() if lazy else result
    except IrframeError as error:
        return type(error)


def assert_same(found, expected):
    """Assert that two results have equal numbers and labels."""
    if isinstance(expected, type):
        assert found is expected or (isinstance(found, type) and issubclass(found, IrframeError))
        return
    assert isinstance(found, type(expected))
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(
            bare_frame(found), bare_frame(expected), check_dtype=False, rtol=1e-10, atol=1e-12
        )
    elif isinstance(expected, xr.Dataset | xr.DataArray):
        xr.testing.assert_allclose(bare(found), bare(expected), rtol=1e-10, atol=1e-12)
    elif isinstance(expected, InGroups):
        assert list(found.subject) == list(expected.subject)
        for key, cube in expected.subject.items():
            assert_same(found.subject[key], cube)
    elif hasattr(expected, "summary"):
        assert_same(found.summary, expected.summary)
        assert_same(found.queries, expected.queries)
    elif hasattr(expected, "data"):
        assert_same(pd.DataFrame(found.data), pd.DataFrame(expected.data))
    else:
        np.testing.assert_allclose(found, expected)


def bare(labelled):
    """Return an xarray object with only its index coordinates."""
    labelled = labelled.compute()
    if "pair" in labelled.dims and "pair" not in labelled.xindexes:
        ends = [
            name for name, coordinate in labelled.coords.items() if coordinate.dims == ("pair",)
        ]
        labelled = labelled.set_index(pair=ends)
    return labelled.drop_vars([name for name in labelled.coords if name not in labelled.xindexes])


def bare_frame(frame):
    """Return a frame without attributes, sorted by document."""
    result = frame.copy()
    result.attrs = {}
    if {"system", "topic", "doc"} <= {*result}:
        result = result.sort_values(["system", "topic", "doc"], ignore_index=True)
    return result
