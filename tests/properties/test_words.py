"""Each parameter name has one meaning, kind and default."""

import inspect
from dataclasses import fields

import pytest

import irframe as ir
from irframe.kinds import verbs
from irframe.option_values import OptionValue, plain_parameters

KEYWORD = inspect.Parameter.KEYWORD_ONLY
FUNCTIONS = {
    name: function
    for home in (ir, ir.verbs)
    for name in home.__all__
    if inspect.isfunction(function := getattr(home, name))
}
FUNCTIONS |= {f"plots.{name}": function for name, (function, _) in verbs("irframe.plots").items()}
SIGNATURES = {name: inspect.signature(function).parameters for name, function in FUNCTIONS.items()}
PLAIN = {
    name: plain_parameters(inspect.signature(function)) for name, function in FUNCTIONS.items()
}

RETIRED = {"level", "other", "percent", "percents", "confidence", "n_samples", "random_state", "k"}
"""Retired parameter names. Use alpha, reference, share, samples, seed or depth."""
DECIDING = ("test", "adjust", "family", "alpha")
PLANNING = {"topics_needed"}
"""Verbs that plan an experiment. Their parameter `test` is the test of the planned experiment."""
COUNTED = {"components", "simulate_track", "topics_needed", "store", "predict_powered"}
COUNTED |= {"as_qrels", "as_runs", "as_scores"}
"""Verbs whose parameters `systems` and `topics` are not labels, but numbers, shares, names or axes
of a matrix.
"""
LATER = {"report", "explain"}
"""Verbs that accept a single depth only."""
ONE = {"enumerate_rankings", "random_separability"}
"""Functions that return a single number."""
DEFAULTS = {
    "alpha": {0.05},
    "family": {"depth", "all"},
    "seed": {0},
    "resamples": {8, 1000},
    "at": {None, 10},
    "progress": {False, None},
    "ties": {"trec"},
}
"""Mapping from parameters to all defaults that functions may have."""
LISTS = ("int", "Sequence[int]", "None")


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_parameter_name_has_one_meaning(name):
    parameters = SIGNATURES[name]
    assert name in ONE or not RETIRED & parameters.keys()
    named = {key: parameter for key, parameter in parameters.items() if key in KEYWORDS}
    first = next(iter(parameters), None)
    loose = [
        key for key, parameter in named.items() if parameter.kind is not KEYWORD and key != first
    ]
    assert loose == []
    for key, allowed in DEFAULTS.items():
        if key in named and named[key].default is not inspect.Parameter.empty:
            default = named[key].default
            assert default in allowed or isinstance(default, tuple) or "plots." in name, key


KEYWORDS = {*DECIDING, "baseline", "at", "resamples", "seed", "collection", "progress"} - {"test"}


@pytest.mark.parametrize(
    "name", [name for name, each in PLAIN.items() if "alpha" in each and "plots" not in name]
)
def test_parameters_of_significance_have_the_same_names_and_order(name):
    parameters = PLAIN[name]
    deciding = [word for word in parameters if word in DECIDING]
    assert deciding == [word for word in DECIDING if word in deciding]
    if "test" in deciding and name not in PLANNING:
        assert {"adjust", "alpha"} <= set(deciding)
        assert parameters["adjust"].default == "auto"


@pytest.mark.parametrize("name", [name for name, each in SIGNATURES.items() if "at" in each])
def test_at_accepts_one_or_several_depths(name):
    annotation = str(SIGNATURES[name]["at"].annotation).replace("collections.abc.", "")
    assert name in LATER or set(annotation.split(" | ")) == set(LISTS)


@pytest.mark.parametrize(
    ("word", "name"),
    [(w, n) for n, each in SIGNATURES.items() for w in ("systems", "topics") if w in each],
)
def test_systems_and_topics_are_chosen_by_label(word, name):
    annotation = str(SIGNATURES[name][word].annotation)
    of_sides = "common" in annotation  # `common` also applies to the reference scores
    assert name in COUNTED or "Hashable" in annotation or "Sequence" in annotation or of_sides


VALUES = [
    value
    for name in ir.__all__
    if isinstance(value := getattr(ir, name), type) and issubclass(value, OptionValue)
]
MOST = {"median": 4, "90th percentile": 9, "one": 12, "all": 470, "fields": 26}
"""Limits on numbers of parameters: the median and the 90th percentile over public functions, the
maximum of one function, and the sums over all functions and over all fields of option objects. The
limits may only be lowered.
"""


def test_public_functions_have_few_parameters():
    public = [member for home in (ir, ir.verbs) for member in home.__all__]
    counts = {name: len(SIGNATURES[name]) for name in public if name in SIGNATURES}
    numbers = sorted(counts.values())
    assert {name: n for name, n in counts.items() if n > MOST["one"]} == {}
    assert numbers[len(numbers) // 2] <= MOST["median"]
    assert numbers[len(numbers) * 9 // 10] <= MOST["90th percentile"]
    assert sum(numbers) <= MOST["all"]
    assert sum(len(fields(value)) for value in VALUES) <= MOST["fields"]


MEANINGS = {
    "of": ("how the document of a unit is found", "collapse"),
    "by": ("groups", "groupby"),
    "each": ("a field of Searches", ""),
    "interval": ("how intervals of means are found", "leaderboard rank_intervals summary"),
    "repeats": ("the kind of repeats", "design"),
    "length": ("a field of Units", ""),
    "margin": ("difference that does not matter, in units", "compare report topics_needed"),
    "method": ("how documents to judge are chosen", "judge_next"),
    "share": ("share from 0 to 1", "draw_to_judge sample select_top"),
    "order": ("systems in order", "outcomes"),
    "at": (
        "evaluation depths",
        (
            "best_systems bounds cwl estimate explain judge_effect leaderboard leave_out "
            "pool_growth predict_powered preferences reordering report robustness rrie score "
            "significance_agreement tie_agreement tie_ranges"
        ),
    ),
    "depth": (
        "depth at which lists are cut",
        (
            "ablation check compare_orderings cube describe diagnose evaluate judge_next leave_out "
            "misplacement orderings outcomes pooled replay scorer search_lengths separability "
            "side_by_side simulate_track tie_rates"
        ),
    ),
    "reference": (
        "depth, judge or scores that others are compared with",
        "agreement compare_judges coverage inversions judge_effect ratios standardise volatility",
    ),
}
"""Mapping from parameters to their only meaning, and to all public functions that have them."""


@pytest.mark.parametrize("word", MEANINGS)
def test_functions_use_a_parameter_name_only_in_its_meaning(word):
    public = {name for home in (ir, ir.verbs) for name in home.__all__} & SIGNATURES.keys()
    _, functions = MEANINGS[word]
    assert sorted(name for name in public if word in SIGNATURES[name]) == functions.split()
