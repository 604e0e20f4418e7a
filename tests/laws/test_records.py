"""Two laws: what decides a number is recorded, and a record gives the result again."""

import inspect
import warnings

import pandas as pd
import pytest
import xarray as xr
from incomplete import though_incomplete
from laws.experiments import experiment
from laws.verbs import VERBS, asked, assert_same

import irframe as ir
from irframe.errors import IrframeError, IrframeWarning
from irframe.record import DIGEST, OBJECTS, UNTOLD, steps_of

WEIGHTS = pd.Series(range(1, 9), [f"{track}{n}" for track in "nw" for n in range(1, 5)])
OTHERS = {
    "a": {"explain": "s3", "orderings": "s3", "preferences": "s3", "side_by_side": "s3"}
    | {"difference_histogram": "s3", "risk": 3.0, "standardise": 0.3},
    "b": {"standardise": 0.9} | dict.fromkeys(VERBS.keys() - {"standardise"}, "s0"),
    "adjust": "bonferroni",
    "alpha": 0.4,
    "at": [1, 2],
    "baseline": "s2",
    "batch": 3,
    "bins": 3,
    "budgets": [3],
    "budget": 3,
    "by": {"interaction": "team", "collapse": "sum"}
    | dict.fromkeys(VERBS.keys() - {"interaction"}, "track"),
    "credit": "run",
    "cut": "skip",
    "crossing": "matters",
    "depth": {"pooled": 2, "leave_out": 2, "tie_rates": 2} | dict.fromkeys(VERBS, 3),
    "difference": 0.2,
    "distribution": "z",
    "docs": {},
    "each": True,
    "effects": False,
    "effort": "AP",
    "erho2": 0.9,
    "family": "all",
    "gain": "linear",
    "half_width": 0.2,
    "human": {},
    "interval": {"agreement": True, "volatility": True} | dict.fromkeys(VERBS, "t"),
    "judgments": 90,
    "labels": {},
    "margin": 0.3,
    "measure": "RR",
    "method": {"judge_next": "pool", "rank_intervals": "bootstrap", "leaderboard": "bootstrap"}
    | {"standardise": "normal", "agreement": "tau_ap", "volatility": "pearson"}
    | {"robustness": "pearson"},
    "methods": ["pool"],
    "metric": {"select_top": "RBP(p=0.8)", "explain": "AP@3", "compare_orderings": "AP@3"},
    "metrics": {"cwl": [("INST(T=2)",)], "estimate": [("P",)], "predict_powered": ["nDCG@3"]}
    | {key: [("P",)] for key in VERBS.keys() - {"cwl", "estimate", "predict_powered"}},
    "n": 3,
    "no_rel": "nan",
    "of": "averages",
    "order": [["s3", "s2", "s1", "s0"]],
    "original": {},
    "over": "topic",
    "best_of": 2,
    "worst_of": 2,
    "repeats": "shared",
    "overhead": 60,
    "per": "original",
    "phi": 0.9,
    "power": 0.6,
    "precision": "atomize",
    "prior": {},
    "quartiles": [[0.1, 0.2, 0.3]],
    "reference": {"coverage": 2, "inversions": 2, "agreement": 2, "volatility": "RBP(p=0.8)"},
    "rel": {"score": {}} | dict.fromkeys(VERBS, 2),
    "relevant": "only",
    "resamples": {},
    "samples": 30,
    "seed": 5,
    "seeds": 3,
    "share": {"sample": 0.8, "draw_to_judge": 0.8, "select_top": 0.5, "replay": 0.7},
    "shares": [0.3],
    "simultaneous": False,
    "strata": "topic",
    "system": "s2",
    "systems": {"components": "fixed", "topics_needed": 3, "outcomes": [["s0", "s2"]]}
    | {"compare_orderings": [["s1", "s2"]]},
    "test": "sign",
    "threshold": 0.2,
    "together": "team",
    "topics": {
        "components": 30,
        "topics_needed": 30,
        "explain": [["n1"]],
        "predict_powered": "rest",
    },
    "unjudged": "left out",
    "unretrieved": "irrel+1",
    "weights": {"preferences": "inverse"} | {name: [WEIGHTS] for name in VERBS},
    "width": 2,
}
"""Parameter -> another argument, or arguments by verb, those that are lists in one; {} where the
second value is data, or only another way to say the first."""
ELSEWHERE = {*OBJECTS, *UNTOLD, "ties", "score_dtype", "topics", "contributing", "documents"}
"""Arguments that are data, change no number, or are of frames alone."""


def another(verb, name):
    """Return a list of one argument that is not the usual one; an empty list if there is none."""
    if name not in OTHERS and name in ELSEWHERE:
        return []
    value = OTHERS[name]
    if isinstance(value, dict):
        value = value.get(verb, [])
        return value if isinstance(value, list) else [value]
    return value if isinstance(value, list) and isinstance(value[0], list) else [value]


@pytest.fixture(scope="module")
def cube():
    with though_incomplete():
        return ir.cube(*experiment(1))


RUNS, QRELS = experiment(1)
CHUNKS = r"(\w\dd\d)\d*"
"""A pattern by which two documents of a topic are parts of another one."""
FRAMES = {
    "evaluate": (RUNS, {"qrels": QRELS, "metrics": ["AP"]}),
    "cube": (RUNS, {"qrels": QRELS}),
    "rank": (RUNS, {}),
    "collapse": (RUNS, {"of": CHUNKS}),
    "pool": (RUNS, {"depth": 2}),
    "tie_agreement": (RUNS, {"qrels": QRELS, "metrics": ["AP"]}),
    "check": (RUNS, {"qrels": QRELS}),
    "diagnose": (RUNS, {"qrels": QRELS, "metrics": ["AP"]}),
    "judge_effect": (RUNS, {"judges": {"a": QRELS, "b": QRELS}, "metrics": ["AP"], "samples": 20}),
    "compare_judges": ({"a": QRELS, "b": QRELS.assign(grade=QRELS["grade"] // 2)}, {"samples": 20}),
}
"""Verbs of frames, which no decorator of cubes and scores makes."""
FRAME_OTHERS = {
    "ties": "doc",
    "score_dtype": "float32",
    "topics": [["n1", "n2", "w1"]],
    "contributing": [["s0", "s1"]],
    "pool_depth": 1,
    "collection": "track",
    "no_rel": "nan",
    "test": ["wilcoxon", "permutation"],
    "of": CHUNKS,
    "copies": {"n1d2": "n1d3", "w1d2": "w1d3"},
    "length": "score",
    "unit": "team",
    "metrics": [["P@2"]],
}


FRAME_ONLY = {"together", "later_copies", "problems", "errors", "reference", "pairs", "grades"} | {
    "methods",
    "groups",
    "method",
    "statistics",
    "weights",
    "rel",
    "threshold",
}
"""Arguments that are data, or that the laws of these verbs try."""


def result_of(function, subject, options):
    """Call a verb; return nothing where it refuses these options."""
    with though_incomplete(), warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        try:
            return function(subject, **options)
        except IrframeError:
            return None


def differ(one, other):
    try:
        assert_same(one, other)
        assert (one is None) is (other is None)
    except (AssertionError, ValueError, KeyError):
        return True
    return False


def one_of(result):
    """Return a result, or that of the first branch of a tree."""
    if not isinstance(result, xr.DataTree):
        return result
    return next(node for node in result.subtree if node.has_data)


def attributes(result):
    """Return what a result says of itself, but for what to beware of."""
    return {key: value for key, value in one_of(result).attrs.items() if key != "caution"}


def assert_recorded(function, subject, usual, others):
    """Assert that results which differ say why, and that what each says gives it again."""
    first = result_of(function, subject, usual)
    made = [(first, usual)]
    for parameter in list(inspect.signature(function).parameters)[1:]:
        for value in others(function.__name__, parameter):
            options = {**usual, parameter: value}
            found = result_of(function, subject, options)
            if found is not None and differ(found, first):
                assert attributes(found) != attributes(first), parameter
            made.append((found, options))
    for found, options in made:
        if isinstance(getattr(one_of(found), "attrs", None), dict):
            verb, record = steps_of(one_of(found))[-1]
            data = {key: options[key] for key in options if _is_data(record.get(key), key)}
            assert verb == function.__name__
            assert not differ(result_of(function, subject, record | data), found), record


def _is_data(value, name):
    return name in OBJECTS or (isinstance(value, dict) and DIGEST in value)


@pytest.mark.parametrize("name", sorted(VERBS))
def test_verbs_record_what_decides_their_results(name, cube):
    with though_incomplete(), warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        subject, usual = asked(name, cube)
    assert_recorded(VERBS[name], subject, usual, another)


@pytest.mark.parametrize("name", FRAMES)
def test_verbs_of_frames_record_what_decides_their_results(name):
    function = getattr(ir, name, None) or getattr(ir.verbs, name)
    subject, usual = FRAMES[name]

    def others(verb, parameter):
        value = FRAME_OTHERS.get(parameter)
        if value is None:
            return [] if parameter in FRAME_ONLY else another(verb, parameter)
        return value if isinstance(value, list) else [value]

    assert_recorded(function, subject, usual, others)
