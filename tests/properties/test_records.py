"""Records contain all effective options and reproduce the result.

Each verb is called with default options, and once per parameter with a value other than the
default. If a parameter has no value, the test fails with a `KeyError` that names the parameter. For
verbs that take cubes or scores, the value is found as follows:

- `OTHERS[parameter]` is a value, or a mapping from verbs to values. A list of lists contains
  several values. `With(...)` is a value that needs further options. `{}` means that no value is
  tested, because other values are data or synonyms.
- Parameters in `ELSEWHERE` have no value, because they take data or belong to verbs that take
  frames.

Each verb is called by `asked(verb, cube)` of `properties/verbs.py` on `world("small")`. If a value
does not change the result on this cube, the verb is called on the cubes and with the options of
`FURTHER[verb]`. `IDLE` lists the parameters whose values never change a result. `FRAMES` contains
calls of verbs that take frames, and `FRAME_OTHERS` contains the values of their parameters.
Captions may leave out the parameters in `IN_ROWS` and `UNSAID`.
"""

import inspect
import warnings
from functools import cache

import pandas as pd
import pytest
from incomplete import though_incomplete
from properties.experiments import experiment, larger
from properties.verbs import SCORED, SUBJECTS, VERBS, asked_plainly, assert_same
from turns import few_of

import irframe as ir
from irframe.digests import DIGEST
from irframe.errors import IrframeError, IrframeWarning
from irframe.option_values import gathered, plain_parameters
from irframe.record import OBJECTS, UNRECORDED, steps_of
from irframe.tables.captions import caption_text

TASKS = {f"{track}{n}": f"c{n % 3}" for track in "nw" for n in range(1, 5)}


class With(dict):
    """A value of an option, with further required options."""


OTHERS = {
    "a": {"explain": "s3", "orderings": "s3", "preferences": "s3", "side_by_side": "s3"}
    | {"difference_histogram": "s3", "risk": 3.0},
    "b": "s0",
    "adjust": {name: ["bonferroni", "none"] for name in VERBS},
    "alpha": 0.4,
    "at": {name: [[1, 2]] for name in VERBS} | {"explain": 2, "robustness": 4},
    "baseline": "s2",
    "batch": 3,
    "bins": 3,
    "budgets": [3],
    "budget": With(budget=[300], at=None),
    "rank_by": "sum",
    "credit": "run",
    "cut": With(cut="skip", budget=[300], at=None),
    "crossing": "matters",
    "depth": dict.fromkeys(VERBS, 3) | {"pooled": 2, "leave_out": 1, "tie_rates": 2},
    "difference": 0.2,
    "distribution": "normal",
    "docs": {},
    "searches": With(searches=[1], at=None),
    "effects": False,
    "effort": "AP",
    "family": "all",
    "gain": "linear",
    "human": {},
    "interval": dict.fromkeys(VERBS, "t"),
    "interval_of": "averages",
    "labels": {},
    "margin": dict.fromkeys(VERBS, 0.3) | {"topics_needed": With(margin=0.3, difference=None)},
    "relative_margin": 9.0,
    "measure": "RR",
    "method": {"judge_next": "pool"},
    "coefficient": {"agreement": "tau_ap", "volatility": "pearson", "robustness": "pearson"},
    "rank_interval": "bootstrap",
    "scaling": "normal",
    "methods": ["pool"],
    "metric": {"select_top": "nDCG@3", "explain": "AP@3", "compare_orderings": "AP@3"},
    "task_metrics": With(task_metrics={"c0": "nDCG@3", "c1": "RBP(p=0.8)", "c2": "nDCG@3"}),
    "metrics": {"cwl": [("INST(T=2)",)], "estimate": [("P",)], "predict_powered": ["RBP(p=0.8)"]}
    | {key: [("P",)] for key in VERBS.keys() - {"cwl", "estimate", "predict_powered"}},
    "n": 3,
    "no_rel": "nan",
    "order": {"outcomes": With(order=["s3", "s2", "s1", "s0"], baseline=None, systems=None)},
    "order_by": With(order_by="win_rate"),
    "pairs": With(pairs=[("s3", "s1"), ("s0", "s2")], baseline=None, systems=None),
    "rank_sum": "plain",
    "original": {},
    "over": "topic",
    "best_of": 2,
    "worst_of": 2,
    "repeats": dict.fromkeys(VERBS, "shared"),
    "n_repeats": 5,
    "per": {"reordering": "system", "topics_needed": "pair"},
    "power": 0.6,
    "precision": "atomized",
    "prior": {},
    "quartiles": [[0.1, 0.2, 0.3]],
    "reference": {"coverage": 2, "inversions": 2, "agreement": 2, "volatility": "RBP(p=0.8)"}
    | {"ratios": 2},
    "rel": dict.fromkeys(VERBS, 2) | {"score": []},
    "relevant": {},
    "positions": {},
    "samples": 30,
    "seed": dict.fromkeys(VERBS, 5) | {"outcomes": []},
    "seeds": 3,
    "share": {"sample": 0.8, "select_top": 0.5},
    "contributing_share": 0.7,
    "shares": [0.3],
    "simultaneous": False,
    "stages": [["s0", "s1"]],
    "system": "s2",
    "systems": {"outcomes": [["s0", "s2"]], "topics_needed": With(systems=3, test="anova")}
    | {"compare_orderings": [["s2", "s3"]]},
    "test": dict.fromkeys(VERBS, "sign") | {"outcomes": "t", "topics_needed": "anova"},
    "threshold": {"stability": 0.2, "score": With(threshold=[1.5], at=None)},
    "together": "team",
    "topics": {
        "topics_needed": With(topics=30, difference=None),
        "explain": [["n1"]],
        "predict_powered": "all",
    },
    "unjudged": "condensed",
    "unretrieved": "irrel+1",
    "weights": "inverse",
    "width": dict.fromkeys(VERBS, 2) | {"topics_needed": With(width=0.2, difference=None)},
}
"""Mapping from parameters to values other than the default, or to dictionaries from verbs to such
values. The docstring of this module lists all forms of entries."""
JUDGED = larger()[1]
DRAWN = ir.verbs.draw_to_judge(JUDGED, 0.5, seed=4)
FURTHER = {
    "agreement": [("larger", {"interval_of": "expected"})],
    "volatility": [("larger", {"interval_of": "expected"})],
    "compare_orderings": [("larger", {"metric": "RBP(p=0.8)"})],
    "coverage": [("larger", {"alpha": 0.4})],
    "ratios": [("larger", {"alpha": 0.4})],
    "inversions": [
        ("larger", {"alpha": 0.4, "adjust": None}),
        ("larger", {"alpha": 0.9, "adjust": "fdr_bh"}),
    ],
    "judge_next": [("larger", {}), ("larger", {"method": "maxmean", "n": 20})],
    "leaderboard": [
        *(("larger", {"alpha": 0.4, "at": [3, 10]}), ("larger", {"rank_interval": "bootstrap"})),
        *(("repeats", {}), ("drawn", {})),
    ],
    "rank_intervals": [("larger", {}), ("larger", {"rank_interval": "bootstrap"}), ("repeats", {})],
    "median_p": [("larger", {"adjust": "fdr_tsbh"}), ("repeats", {})],
    "score": [
        *(("larger", {"at": None}), ("larger", {"at": None, "budget": [300]})),
        ("searched", {"at": None}),
    ],
    "replay": [
        ("larger", {"alpha": 0.4, "metrics": SCORED}),
        ("larger", {"contributing_share": 0.3}),
    ],
    "tie_rates": [("ties", {})],
    "losses": [("staged", {})],
    "outcomes": [("larger", {"alpha": 0.4}), ("larger", {})],
    "predict_powered": [("larger", {"human": DRAWN, "metrics": "P", "at": [5]}, "cube")],
}
"""Mapping from verbs to names of cubes and options, for parameters without an effect on the cube
``"small"``."""
FURTHER |= {name: [("larger", {})] for name in VERBS.keys() - FURTHER.keys()}
for name in ("compare", "components", "discrimination", "summary", "topics_needed"):
    FURTHER[name].append(("repeats", {}))
IDLE = {
    "cube": {"collection", "contributing", "length", "pool_depth"},
    "collapse": {"unit"},
    "pool": {"contributing"},
    "leaderboard": {"order_by"},
}
"""Mapping from verbs to parameters whose tested values never change a result."""
ELSEWHERE = {
    *OBJECTS,
    *UNRECORDED,
    "ties",
    "score_dtype",
    "topics",
    "contributing",
    "documents",
    "train",
}
"""Parameters that take data, that change no result, or that belong to verbs that take frames."""


def another(verb, name):
    """Return the values to test for a verb's parameter."""
    if name not in OTHERS and name in ELSEWHERE:
        return []
    value = OTHERS[name]
    if isinstance(value, dict) and not isinstance(value, With):
        value = value.get(verb, [])
        return value if isinstance(value, list) else [value]
    return value if isinstance(value, list) and isinstance(value[0], list) else [value]


@cache
def world(name):
    """Return the cube with the given name."""
    if name == "drawn":
        return world("small").ireval.design(task=TASKS)
    runs, qrels = experiment(1)
    first = runs[runs["system"] == "s0"]
    first = pd.concat([first, first[first["score"] > 1].assign(system="s1")])
    frames = {"small": (runs, qrels), "ties": experiment(1, ties=True), "staged": (first, qrels)}
    frames |= {"larger": larger(), "searched": larger(), "repeats": larger(3)}
    named = {"length": "tokens", "pool_depth": 3, "scores": True}
    named = {"searched": {"search": "round"}, "small": {}, "ties": {}, "staged": {}}.get(
        name, named
    )
    with though_incomplete(), warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return ir.cube(*frames[name], **gathered(inspect.signature(ir.cube), named))


RUNS, QRELS = experiment(1)
CHUNKED = r"(d\d)\d*"
CHUNKS = r"(\w\dd\d)\d*"
"""Pattern of document names. With it, two documents of a topic are chunks of a third document."""
LARGER = larger()[0]
SCORING = {"qrels": JUDGED, "metrics": ["AP"]}
TIED = {"score_dtype": "float32"}
LENGTHS = {"length": "tokens", "budget": 300}
ROUGH = LARGER.assign(score=LARGER["score"] // 9)
FEWER = JUDGED.assign(grade=JUDGED["grade"].where(JUDGED.index % 3 > 0, 0))
STRATA = JUDGED.assign(part=(JUDGED.index % 2).astype(str))
JUDGES = {"judges": {"a": JUDGED, "b": FEWER}, "metrics": ["AP"], "samples": 20}
RATED = {"a": QRELS, "b": QRELS.assign(grade=3 - QRELS["grade"])}
NUGGETS = pd.DataFrame(
    {
        "topic": ["1", "1", "2"],
        "nugget": ["a", "b", "a"],
        "importance": ["vital", "okay", "okay"],
        "assignment": ["support", "partial_support", "support"],
        "system": "s",
    }
)
SCORED_BY = {"qrels": JUDGED}
FRAMES = {
    "evaluate": [
        *((RUNS, {"qrels": QRELS, "metrics": ["AP"]}), (LARGER, SCORING), (LARGER, SCORING | TIED)),
        *((LARGER, SCORING | LENGTHS), (LARGER, SCORING | {"length": "tokens"})),
    ],
    "cube": [
        *((RUNS, {"qrels": QRELS}), (LARGER, {"qrels": JUDGED}), (LARGER, {"qrels": JUDGED} | TIED))
    ],
    "rank": [(RUNS, {}), (LARGER, {}), (LARGER, TIED)],
    "collapse": [
        (RUNS, {"of": CHUNKS}),
        (LARGER, {"of": CHUNKED}),
        (LARGER, TIED | {"of": CHUNKED}),
    ],
    "pool": [(RUNS, {"pool": 2})],
    "tie_agreement": [(RUNS, {"qrels": QRELS, "metrics": ["AP"]}), (ROUGH, SCORING)],
    "check": [(RUNS, {"qrels": QRELS}), (LARGER, SCORED_BY)],
    "risk_coverage": [(RUNS, {"qrels": QRELS}), (LARGER, SCORED_BY), (ROUGH, SCORED_BY)],
    "diagnose": [
        *((RUNS, {"qrels": QRELS, "metrics": ["AP"]}), (LARGER, SCORING | {"length": "tokens"})),
        (LARGER, SCORING | {"length": "tokens", "budget": 90}),
    ],
    "judge_effect": [
        (RUNS, {"judges": {"a": QRELS, "b": QRELS}, "metrics": ["AP"], "samples": 20}),
        (LARGER, JUDGES | {"interval_of": "expected", "coefficients": ["kendall"]}),
        (LARGER, JUDGES),
    ],
    "compare_judges": [(RATED, {"samples": 20})],
    "enumerate_rankings": [(4, {"rows": "CRP", "columns": "AP"})],
    "draw_to_judge": [(STRATA, {"share": 0.5})],
    "judge": [(RUNS, {"qrels": QRELS})],
    "restrict": [(QRELS, {"documents": RUNS[["topic", "doc"]]})],
    "score_nuggets": [(NUGGETS, {})],
    "split": [(LARGER, {"n": 2})],
}
"""Mapping from verbs that take frames to their calls. A call is a pair of a subject and options."""
FRAME_OTHERS = {
    "budget": 90,
    "threshold": 1.5,
    "scores": [],
    "search": "round",
    "each": With(search="round", each=2),
    "searches": With(search="round", searches=1),
    "cut": "skip",
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
    "rows": "RR",
    "columns": "RR",
    "n_relevant": 9,
    "split.n": 3,
    "split.seed": 1,
    "documents": [RUNS[RUNS["doc"].str[-1] == "1"][["topic", "doc"]]],
    "list_length": 1,
    "risk_coverage.rel": 2,
    "draw_to_judge.share": 0.8,
    "draw_to_judge.strata": "part",
    "draw_to_judge.seed": 5,
    "collapse.of": r"(\w\d)d\d*",
    "interval_of": "averages",
    "tie_agreement.ties": [["trec", "doc"]],
}
"""Values of parameters of verbs that take frames.

Keys are ``parameter`` or ``verb.parameter``, and values have the forms in `OTHERS`.
"""


IN_ROWS = {"at", "baseline", "best_of", "budgets", "effects", "methods", "metrics", "shares"}
"""Parameters whose values are in rows or columns of the result."""
UNSAID = {"unit", "original", "restrict", "split", "rank", "pool", "collapse"}
"""Parameters and verbs whose options captions leave out."""
FRAME_ONLY = {"together", "later_copies", "errors", "reference", "pairs", "grades"} | {
    "coefficients",
    "groups",
    "coefficient",
    "statistics",
    "weights",
    "rel",
    "threshold",
}
"""Parameters of verbs that take frames. These parameters take data, or other tests vary them."""


def result_of(function, subject, options):
    """Call a verb; return None for refused options."""
    with though_incomplete(), warnings.catch_warnings(action="ignore", category=IrframeWarning):
        try:
            return function(subject, **gathered(inspect.signature(function), options))
        except IrframeError:
            return None


def differ(one, other):
    try:
        assert_same(one, other)
        assert (one is None) is (other is None)
    except (AssertionError, ValueError, KeyError):
        return True
    return False


def attributes(result):
    """Return the attributes of a result except its cautions."""
    return {key: value for key, value in result.attrs.items() if key != "caution"}


def assert_recorded(function, subject, usual, others, left=None):
    """Assert that records of different results differ.

    A record must also reproduce its result. Return the parameters whose tested values did not
    change the result.
    """
    first = result_of(function, subject, usual)
    results, idle = [(first, usual)], set()
    for parameter in list(plain_parameters(inspect.signature(function)))[1:]:
        values = others(function.__name__, parameter) if left is None or parameter in left else []
        idle |= {parameter} if values else set()
        for value in values:
            options = {**usual, **(value if isinstance(value, With) else {parameter: value})}
            result = result_of(function, subject, options)
            if result is not None and differ(result, first):
                idle -= {parameter}
                assert attributes(result) != attributes(first), parameter
                if not {parameter, function.__name__} & (IN_ROWS | UNSAID | {"worst_of"}):
                    assert caption_text(result.attrs) != caption_text(first.attrs), parameter
            results.append((result, options))
    for result, options in results:
        if isinstance(getattr(result, "attrs", None), dict):
            step = steps_of(result)[-1]
            verb, record = step
            data = {key: options[key] for key in options if _is_data(record.get(key), key)}
            assert verb == function.__name__
            assert not differ(result_of(step.again, subject, {"data": data}), result), record
    return idle


def _is_data(value, name):
    return name in OBJECTS or (isinstance(value, dict) and DIGEST in value)


@pytest.mark.parametrize("name", few_of(sorted(VERBS), 16, drawn=False))
def test_records_of_verbs_contain_all_effective_options(name):
    idle = None
    for where, options, *subject_kind in [("small", {}), *FURTHER.get(name, [])]:
        if idle == set():
            break
        cube = world(where)
        values = {key: value(cube) if callable(value) else value for key, value in options.items()}
        with though_incomplete(), warnings.catch_warnings(action="ignore", category=IrframeWarning):
            subject, usual = asked_plainly(name, cube, **values)
        subject = SUBJECTS[subject_kind[0]](cube) if subject_kind else subject
        idle = assert_recorded(VERBS[name], subject, usual, another, idle)
    assert idle == IDLE.get(name, set())


def another_of_frames(verb, name):
    """Return the values to test for verbs of frames."""
    value = FRAME_OTHERS.get(f"{verb}.{name}", FRAME_OTHERS.get(name))
    if value is None:
        return [] if name in FRAME_ONLY else another(verb, name)
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", few_of(FRAMES, 6, drawn=False))
def test_records_of_verbs_of_frames_contain_all_effective_options(name):
    function = getattr(ir, name, None) or getattr(ir.verbs, name)

    idle = None
    for subject, usual in FRAMES[name]:
        idle = assert_recorded(function, subject, usual, another_of_frames, idle)
    assert idle == IDLE.get(name, set())
