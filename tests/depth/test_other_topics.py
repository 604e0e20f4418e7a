"""Tests of comparisons with a reference on different topics."""

import re
from inspect import signature

import numpy as np
import pytest
import xarray as xr
from looped import ALPHA, looped, random_scores, rows, t_test
from oracles import comparing
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import ParameterError
from irframe.tables.captions import caption_text

COMPARING = [
    name
    for name in dir(ir.verbs)
    if {"reference", "topics"} <= {*signature(getattr(ir.verbs, name)).parameters}
]
SCORES, OTHER = random_scores(3, topics=12), random_scores(4, topics=12)
SIDES = {"inside": slice(0, 5), "around": slice(0, 12), "across": slice(0, 8), "apart": slice(0, 4)}


def tau(new, reference, *, costs):
    signs = [-1 if cost else 1 for cost in costs]
    means = [
        np.round(sign * np.mean(s, axis=1), 12)
        for sign, s in zip(signs, (new, reference), strict=True)
    ]
    return stats.kendalltau(*means).statistic


def slow(verb, new, reference):
    """Return the expected result with separate topics on each side."""

    def value(metric, depth):
        sides, costs = [rows(side, metric, depth) for side in (new, reference)], (metric == 1,) * 2
        if verb == "agreement":
            return tau(*sides, costs=costs)
        return getattr(comparing, verb)(*sides, t_test, ALPHA, costs=costs)

    return looped(new, value)


def ask(verb, new, reference, topics):
    decided = {"test": ir.Significance(adjust=None, alpha=ALPHA)}
    options = {} if verb in {"agreement", "volatility"} else decided
    return getattr(ir.verbs, verb)(new, reference, topics=topics, **options)


def table(result):
    return (
        result
        if isinstance(result, xr.DataArray)
        else result.set_index(["metric", "depth"]).to_xarray()
    )


def test_all_verbs_with_a_reference_and_topics_are_tested():
    assert {"agreement", "coverage", "inversions", "ratios", "volatility"} == {*COMPARING}


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("verb", COMPARING)
def test_the_option_topics_selects_common_topics_or_all_topics_of_each_side(verb, sides):
    topics_of_reference = (
        slice(4, 12)
        if sides in {"across", "apart"}
        else slice(2, 9)
        if sides == "around"
        else slice(0, 12)
    )
    new, reference = SCORES[:, :, SIDES[sides]], OTHER[:, :, topics_of_reference]
    common = np.intersect1d(new["topic"], reference["topic"])
    by_own_topics = ask(verb, new, reference, "own")
    numbers = [by_own_topics.attrs[name] for name in ("n_topics", "n_topics_reference")]
    assert numbers == [new.sizes["topic"], reference.sizes["topic"]]
    assert "{} topics, of the reference {} topics".format(*numbers) in caption_text(
        by_own_topics.attrs
    )
    expected = table(by_own_topics)
    if verb in {"agreement", "coverage", "inversions"}:
        np.testing.assert_allclose(expected, slow(verb, new, reference), rtol=1e-9)
    elif verb == "volatility":
        diagonal = np.diagonal(expected, axis1=1, axis2=2)
        np.testing.assert_allclose(diagonal, slow("agreement", new, reference), rtol=1e-9)
    else:
        np.testing.assert_allclose(
            expected["coverage"].sel(metric=new.metric), slow("coverage", new, reference)
        )
    if not len(common):
        xr.testing.assert_equal(table(ask(verb, new, reference, None)), expected)
        refused(
            ParameterError,
            "in common.*found none.*topics='own'",
            ask,
            verb,
            new,
            reference,
            "common",
        )
        return
    refused(
        ParameterError,
        "on one side only: .*topics='common'.*'own'",
        ask,
        verb,
        new,
        reference,
        None,
    )
    both = ask(verb, new, reference, "common")
    assert both.attrs["n_topics"] == both.attrs["n_topics_reference"] == len(common)
    by_hand = ask(verb, new.sel(topic=common), reference.sel(topic=common), None)
    xr.testing.assert_equal(table(both), table(by_hand))
    assert "n_topics" not in by_hand.attrs


@pytest.mark.parametrize("verb", COMPARING)
def test_the_option_topics_has_no_effect_if_both_sides_have_the_same_topics(verb):
    for topics in (None, "common", "own"):
        result = ask(verb, SCORES, OTHER, topics)
        xr.testing.assert_equal(table(result), table(ask(verb, SCORES, OTHER[:, :, ::-1], None)))
        assert ("12 topics, of the reference 12 topics" in caption_text(result.attrs)) == (
            topics is not None
        )


@pytest.mark.parametrize("verb", ["agreement", "volatility"])
def test_intervals_need_the_same_topics_on_both_sides(verb):
    few = SCORES[:, :, :5]
    for topics in (None, "own"):
        reference = SCORES[:, :, 5:] if topics is None else SCORES
        with pytest.raises(ParameterError, match="same topics on both sides for an interval"):
            getattr(ir.verbs, verb)(
                few, reference, topics=topics, interval_of="expected", resamples=9
            )
    result = getattr(ir.verbs, verb)(
        few, OTHER, topics="common", interval_of="expected", resamples=9
    )
    assert re.search("expected on 5 topics", result.attrs["interval_of"])


def test_attributes_count_the_topics_of_each_group():
    halves = [side.assign_coords(half=("topic", list("xxxxyyyyyyyy"))) for side in (SCORES, OTHER)]
    result = halves[0][:, :, 1:].ireval.groupby("half").agreement(halves[1], topics="own")
    assert result.attrs["n_topics_reference"] == [4, 8]
