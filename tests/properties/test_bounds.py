"""Verbs that take scores use both bounds, or refuse them."""

import inspect
from itertools import product

import pytest
from incomplete import though_incomplete
from properties.experiments import experiment
from properties.verbs import VERBS, asked
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
with though_incomplete():
    CUBE = ir.cube(*experiment(0), collection="track")
READ = {"compare", "design"}
"""Verbs that accept bounds in place of scores."""
with though_incomplete():
    RANGES = {
        "bounds": ir.verbs.bounds(CUBE, "RBP(p=0.8)", "P", at=[1, 3]),
        "one metric": ir.verbs.bounds(CUBE, "RBP(p=0.8)", at=[3]).isel(metric=0),
        "tie ranges": ir.verbs.tie_ranges(CUBE, "RBP(p=0.8)", "P", at=[1, 3]),
    }
FIRST = {name: next(iter(inspect.signature(verb).parameters)) for name, verb in VERBS.items()}
OF_SCORES = sorted(name for name, first in FIRST.items() if first == "scores")
BESIDE = [
    (name, parameter)
    for name in OF_SCORES
    for parameter in ("human", "original", "reference")
    if parameter in inspect.signature(VERBS[name]).parameters
]


@pytest.mark.parametrize(("name", "kind"), few_of(product(sorted({*OF_SCORES} - READ), RANGES), 4))
def test_bounds_are_refused_by_verbs_that_do_not_read_them(name, kind):
    _, options = asked(name, CUBE)
    refused(InputError, "bound", VERBS[name], RANGES[kind], **options)


@pytest.mark.parametrize(("name", "word"), BESIDE)
def test_bounds_together_with_scores_are_refused(name, word):
    scores, options = asked(name, CUBE)
    refused(InputError, "bound", VERBS[name], scores, **options | {word: RANGES["bounds"]})


def test_comparisons_of_bounds_use_both_bounds():
    comparison = ir.verbs.compare(RANGES["bounds"])
    wider = RANGES["bounds"].copy()
    wider[{"bound": 1}] += 0.25
    assert not comparison.equals(ir.verbs.compare(wider))
    assert {("compare", "scores")} <= set(FIRST.items())
    assert len(BESIDE) > 3
