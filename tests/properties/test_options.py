"""Options refuse wrong types and values out of range.

The tests cover options of verbs and figures, and fields of metrics, tests, gain maps and measures
of agreement. The tests read the range of an option from its docstring, for example "at least 1" or
"below 1".
"""

import ast
import doctest
import inspect
import re
from dataclasses import fields
from functools import cache

import matplotlib.pyplot as plt
import pytest
from incomplete import though_incomplete
from properties.experiments import experiment
from properties.test_records import FRAMES
from properties.verbs import VERBS, asked
from turns import few_of

import irframe as ir
from irframe.agreements.correlations import AGREEMENTS
from irframe.errors import IrframeError
from irframe.gains import GAINS
from irframe.metrics import METRICS
from irframe.option_values import gathered
from irframe.paired import TESTS, MaxT

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")


class Odd:
    """An object that no option accepts."""

    def __repr__(self):
        return "<odd>"


RUNS, QRELS = experiment(1)
OTHERS = {
    "design": lambda _: (ir.evaluate(RUNS, QRELS, "AP"), {}),
    "groupby": lambda _: (ir.evaluate(RUNS, QRELS, "AP"), {"by": "system"}),
    "report": lambda folder: (RUNS, {"qrels": QRELS, "path": folder / "page.html"}),
    "scorer": lambda _: (QRELS, {"metrics": "AP"}),
    "styled": lambda _: (ir.verbs.compare(ir.evaluate(RUNS, QRELS, "AP")), {}),
}
"""Mapping from verbs that other property tests do not call to functions that return their
arguments.
"""
GIVEN = {"judge_next": {"n": 1}}
"""Mapping from verbs to arguments that replace those in `ARGUMENTS` of `properties.verbs`."""
SLOW = pytest.param("report", marks=pytest.mark.thorough)
FILES = {"freeze", "save", "write_qrels", "write_run"}
"""Verbs that are not tested, because their arguments are files or arbitrary texts."""
NAMES = sorted({*VERBS, *FRAMES, *OTHERS})
LIMITS = {
    r"at least (-?\d+(?:\.\d+)?)": lambda end: end - 1,
    r"above (-?\d+(?:\.\d+)?)": lambda end: end,
    r"below (-?\d+(?:\.\d+)?)": lambda end: end,
    r"at most (\d+(?:\.\d+)?)": lambda end: end + 1,
    r"(?<![\d.,])\d+ to (\d[\d,]*)(?![\d,]|\.\d)": lambda end: end + 1,
}
"""Mapping from patterns of limits in docstrings to functions that return a number outside the
range."""
CALLED = {
    "a": "systems?",
    "at": "depths?",
    "b": "systems?",
    "baseline": "systems",
    "budgets": "budget",
    "columns": "metric",
    "cost": "metric",
    "depth": "depths?",
    "depths": "depths?",
    "docs": "documents",
    "effort": "metric",
    "human": "scores|judgments",
    "coefficients": "coefficient",
    "resamples": "samples",
    "positions": "resamples",
    "methods": "method",
    "metrics": "metric",
    "original": "scores",
    "pool": "pool_depth",
    "prior": "judgments",
    "qrels": "judgments",
    "reference": "depth, a metric of the scores or scores",
    "rows": "metric",
    "runs": "run",
    "shares": "share",
    "stop": "stop|budget",
    "train": "judgments",
    "units": "units|of",
}
"""Mapping from an option to a pattern for other names that error messages may use instead of its
name.
"""
FREE = {("collapse", "unit"), ("report", "path"), ("report", "title")}
"""Pairs of a verb and one of its options. These options accept every string."""
MATPLOTLIB = {"ax", "figsize"}
"""Options that are passed to matplotlib unchanged."""


def function_of(name):
    return VERBS.get(name) or getattr(ir, name, None) or getattr(ir.verbs, name)


@cache
def shared_cube():
    """Return the cube on which the tests call all verbs."""
    return ir.cube(RUNS, QRELS)


def called(name, folder):
    """Return a verb, its subject, and its required arguments."""
    function = function_of(name)
    with though_incomplete():
        if name in VERBS:
            subject, usual = asked(name, shared_cube(), **GIVEN.get(name, {}))
        else:
            subject, usual = FRAMES[name][0] if name in FRAMES else OTHERS[name](folder)
    return function, subject, gathered(inspect.signature(function), usual)


def paragraph(function, name):
    """Return the paragraph about one option from a docstring."""
    head = rf"^\*?{name}\n((?:    .*\n|\n(?=    ))+)"
    match = re.search(head, f"{inspect.getdoc(function)}\n", re.MULTILINE)
    return " ".join(match[1].split()) if match else ""


def beyond(function, name):
    """Return numbers outside the range in an option's paragraph."""
    # Limits in conditions, such as "If the share is below 1, ...", do not limit the range.
    text = re.sub(r"\bIf [^,]*,", "", paragraph(function, name))
    ends = [
        exceed(float(end.replace(",", "")))
        for form, exceed in LIMITS.items()
        for end in re.findall(form, text)
    ]
    return [int(end) if end.is_integer() else end for end in ends]


def options_of(function):
    options = list(inspect.signature(function).parameters.values())[1:]
    return [option for option in options if option.name not in MATPLOTLIB]


def wrong_options(name, function, subject, usual):
    """Return odd values for which no error names the option."""
    wrong = {}
    for option in options_of(function):
        texts = [] if (name, option.name) in FREE else ["nonsense"]
        pattern = rf"\b({option.name}|{CALLED.get(option.name, option.name)})\b"
        for value in [Odd(), *texts, *beyond(function, option.name)]:
            argument = (value,) if option.kind is option.VAR_POSITIONAL else value
            try:
                result = function(subject, **{**usual, option.name: argument})
                _ = result(RUNS) if name == "scorer" else result
            except Exception as error:  # noqa: BLE001 - of whatever kind, it is said
                named = isinstance(error, IrframeError) and re.search(pattern, str(error))
                wrong |= {} if named else {f"{option.name}={value!r}": repr(error)}
            else:
                wrong[f"{option.name}={value!r}"] = "taken"
    return wrong


@pytest.mark.parametrize("name", [*(name for name in NAMES if name != "report"), SLOW])
def test_options_of_wrong_type_or_range_are_refused_by_name(name, tmp_path):
    assert wrong_options(name, *called(name, tmp_path)) == {}


def call_shown(name, figure):
    """Return the subject and arguments of a figure's example."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(figure))
    tree, calls = ast.parse("".join(example.source for example in examples)), []
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        drawn = re.fullmatch(rf"(?:(.*)\.plots?\.)?{name}", ast.unparse(call.func))
        # examples by group are skipped, because one example of a figure is enough
        drawn = None if drawn and "groupby(" in (drawn[1] or "") else drawn
        # the figure is called on an object, which becomes the first argument
        if drawn and drawn[1] not in {None, "ir"}:
            call.args.insert(0, call.func.value.value.value)
        if drawn:
            call.func = ast.parse("figure", mode="eval").body

    def recorded(*arguments, **options):
        calls.append(inspect.signature(figure).bind(*arguments, **options).arguments)
        return figure(*arguments, **options)

    namespace = {**vars(inspect.getmodule(figure)), "figure": recorded}
    exec(compile(ast.fix_missing_locations(tree), name, "exec"), namespace)  # noqa: S102 - our own
    subject, *_ = calls[-1].values()
    return subject, dict(list(calls[-1].items())[1:])


FIGURES = [n for n in ir.plots.__all__ if n != "paper" and options_of(getattr(ir.plots, n))]


@pytest.mark.parametrize("name", few_of(FIGURES, 6, 1))
def test_options_of_figures_of_wrong_type_or_range_are_refused(name):
    figure = getattr(ir.plots, name)
    assert wrong_options(name, figure, *call_shown(name, figure)) == {}
    plt.close("all")


KINDS = METRICS | TESTS | GAINS | {name: type(value) for name, value in AGREEMENTS.items()}
KINDS |= {"max-t": MaxT, "significance": ir.Significance}
KINDS |= {"resampling": ir.Resampling}
NEEDED = {
    "IFT": {"T": 1.0, "b1": 1.0, "R1": 1.0},
    "IPrec": {"recall": 0.5},
    "RprecMult": {"multiple": 1.0},
}
"""Mapping from metrics without defaults to required options."""


@pytest.mark.parametrize("name", KINDS)
def test_fields_of_values_of_wrong_type_or_range_are_refused(name):
    kind, wrong = KINDS[name], []
    for field in [item.name for item in fields(kind) if item.init]:
        for value in [Odd(), "nonsense", *beyond(kind, field)]:
            try:
                kind(**{**NEEDED.get(name, {}), field: value})
            except IrframeError as error:
                wrong += [] if re.search(rf"\b{field}\b", str(error)) else [f"{value!r}: {error}"]
            else:
                wrong.append(f"{field}={value!r} is taken")
    assert wrong == []


def test_ranges_are_read_from_docstrings():
    assert beyond(ir.Significance, "alpha") == [0, 1]
    assert beyond(ir.verbs.judge_next, "n") == [0]
    ranged = [
        (name, option.name)
        for name in NAMES
        for option in options_of(function_of(name))
        if beyond(function_of(name), option.name)
    ]
    assert len(ranged) > 40


def test_every_verb_with_options_is_tried():
    several = {name for name in ir.verbs.__all__ if options_of(getattr(ir.verbs, name))}
    assert several - FILES <= {*NAMES}
