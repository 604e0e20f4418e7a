"""Tests of the names of paired tests and of `Significance`."""

import inspect

import pytest
from refusals import refused

import irframe as ir
from irframe.comparing.corrections import parse_test
from irframe.errors import ParameterError
from irframe.option_values import slots_of
from irframe.paired import TESTS, PairedT, Permutation
from irframe.record import refuse_unused

SLOTS = {
    name: slot
    for name in ir.verbs.__all__
    if (slot := slots_of(inspect.signature(getattr(ir.verbs, name))).get("test"))
}
CHANGED = {"adjust": "bonferroni", "family": "all", "alpha": 0.01, "over": "topic"}


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["AP", "RR"])


@pytest.mark.parametrize(
    "text",
    [
        "Significance()",
        "Significance('t', adjust=None)",
        "Significance('sign', adjust='fdr_bh', family='metric', alpha=0.1)",
        "Significance(Permutation(samples=9, seed=0), alpha=0.2)",
    ],
)
def test_repr_of_significance_is_valid_code(text):
    written = eval(text, {"Significance": ir.Significance, "Permutation": Permutation})  # noqa: S307
    assert repr(written) == text


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({"test": "z"}, "z"),
        ({"adjust": "hollm"}, "did you mean 'holm'"),
        ({"family": "pair"}, "family to be one of"),
        *(({"alpha": alpha}, "alpha") for alpha in (0, 1, 2, "a")),
        ({"test": "tukey", "adjust": "holm"}, "are already adjusted"),
        ({"test": "sign", "adjust": "max-t"}, "adjust=.max-t"),
    ],
)
def test_significance_refuses_invalid_fields(options, pattern):
    refused(ParameterError, pattern, ir.Significance, **options)


@pytest.mark.parametrize("name", TESTS)
def test_names_are_parsed_to_tests_with_default_options(name):
    test = parse_test(name)
    assert test == TESTS[name]()
    assert test.name == name
    assert parse_test(test) is test


@pytest.mark.parametrize("unknown", ["anova", "T", "", None, 5, PairedT])
def test_unknown_names_list_all_tests(unknown):
    with pytest.raises(ParameterError) as caught:
        parse_test(unknown)
    for name in TESTS:
        assert repr(name) in str(caught.value)


def test_every_verb_with_test_accepts_a_significance():
    assert len(SLOTS) >= 15
    for name, slot in SLOTS.items():
        assert slot.kind is ir.Significance, name


@pytest.mark.parametrize("name", sorted(SLOTS))
def test_fields_that_a_verb_does_not_use_are_refused(name):
    function, slot = getattr(ir.verbs, name), SLOTS[name]
    for field in slot.unused:
        value = ir.Significance(**{field: CHANGED[field]})
        refused(
            ParameterError,
            f"{field}= out of Significance",
            refuse_unused,
            slot,
            value,
            "test",
            name,
        )
    parameters = {*inspect.signature(function).parameters}
    assert name == "compare" or parameters.isdisjoint(CHANGED)


def test_error_about_an_unused_field_names_the_verb():
    cube = ir.cube(*ir.example_track())
    family = ir.Significance(family="all")
    pattern = "that ablation uses, but found family"
    refused(ParameterError, pattern, cube.ireval.ablation, test=family)


def test_adjust_and_alpha_are_refused_beside_a_significance(scores):
    value = ir.Significance("sign")
    refused(
        ParameterError, "not as separate arguments", scores.ireval.compare, value, adjust="holm"
    )
    refused(ParameterError, "not as separate arguments", scores.ireval.compare, value, alpha=0.1)


def test_name_of_a_test_is_equivalent_to_a_significance(scores):
    pairs = scores.ireval.compare("sign", adjust="fdr_bh", alpha=0.2)
    value = ir.Significance("sign", adjust="fdr_bh", alpha=0.2)
    assert scores.ireval.compare(value).equals(pairs)
    for name in ("discrimination", "median_p"):
        verb = getattr(scores.ireval, name)
        assert verb("sign").identical(verb(ir.Significance("sign")))


def test_significance_without_a_test_uses_the_default_of_the_verb():
    runs, qrels = ir.example_track()
    options = {"baseline": "bm25", "relevant": "first"}
    value = ir.Significance(alpha=0.2)
    result = runs.ireval.outcomes(qrels, test=value, **options)
    assert result.ireval.record[-1].options["test"] == "wilcoxon"


def test_recorded_significance_reproduces_the_result(scores):
    value = ir.Significance("sign", adjust="fdr_bh", family="all", alpha=0.2)
    for result in (scores.ireval.compare(value), scores.ireval.leaderboard(test=value)):
        step = result.ireval.record[-1]
        assert {"test": "sign", "adjust": "fdr_bh", "alpha": 0.2}.items() <= step.options.items()
        assert step.again(scores).equals(result)
