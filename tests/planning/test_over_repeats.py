"""Tests of variance components and topics needed with repeats."""

import warnings

import numpy as np
import pytest
import xarray as xr
from oracles.repeats import worked
from scipy import stats

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.planning.over_repeats import own_components


def array(values, **attrs):
    """Return scores (system, repeat, topic) as an array."""
    labels = {
        name: [f"{name[0]}{n}" for n in range(size)]
        for name, size in zip(("system", "repeat", "topic"), np.shape(values), strict=True)
    }
    result_array = xr.DataArray(values, labels, tuple(labels), attrs=attrs)
    return result_array.expand_dims(metric=["AP"])


def components(scores, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return ir.verbs.components(scores, **options)


def test_components_equal_those_of_a_worked_example():
    scores = array(worked().transpose(0, 2, 1))
    nested = components(scores)["variance"].values[0]
    np.testing.assert_allclose(nested, [0.031935, 0.000632, 0.007996, 0.002540], atol=1e-6)
    squares = components(scores.ireval.design(repeats="shared"))["mean_square"].values[0]
    expected = [0.197389, 0.313945, 0.001251, 0.026529, 0.022142, 0.003125, 0.002248]
    np.testing.assert_allclose(squares, expected, atol=1e-6)


def test_components_of_unequal_numbers_of_repeats_equal_those_of_a_loop():
    rng = np.random.default_rng(1)
    tables = [rng.normal(size=(repeats, 6)) for repeats in (1, 2, 4)]
    spread = within = 0.0
    for table in tables:
        for row in table:
            spread += (row.mean() - table.mean()) ** 2 * len(table) / max(len(table) - 1, 1)
            within += ((row - table.mean(axis=0) - row.mean() + table.mean()) ** 2).sum()
    residual = within / ((1 + 3) * 5)
    means = np.array([table.mean(axis=0) for table in tables])
    grand = means.mean()
    squares = sum(
        (means[s, t] - means[s].mean() - means[:, t].mean() + grand) ** 2
        for s in range(3)
        for t in range(6)
    )
    crossing = squares / (2 * 5)
    topic = sum((means[:, t].mean() - grand) ** 2 for t in range(6)) / 5 - crossing / 3
    share = residual * (1 + 1 / 2 + 1 / 4) / 3
    expected = [topic, spread / (2 + 4) - residual / 6, crossing - share, residual]
    lists = np.concatenate(tables)[..., np.newaxis]
    result = own_components(lists, np.array([0, 1, 1, 2, 2, 2, 2]))
    np.testing.assert_allclose(result[:, 0], expected)
    alone = own_components(lists[:, :1], np.array([0, 1, 1, 2, 2, 2, 2]))
    assert np.isnan(alone).all()


def power_at(topics, variances, repeats, difference, *, one_sided, shared, alpha=0.05):
    """Return the power for given numbers of topics and repeats."""
    topic, repeat, residual = variances
    by_topic = (topic + residual / repeats) / topics
    by_repeat = repeat / repeats + residual / (topics * repeats)
    variance = by_topic + repeat / repeats
    below = by_topic**2 / (topics - 1)
    # Shared repeats are one sample. Other repeats are one sample per system.
    for share in (1,) if shared else (1 / 2, 1 / 2):
        if repeats > 1:
            remaining = residual / (topics * repeats)
            below += (by_repeat * share) ** 2 / (repeats - 1)
            below += (remaining * share) ** 2 / ((topics - 1) * (repeats - 1))
    df, lead = max(1, variance**2 / below), difference / np.sqrt(variance)
    if one_sided:
        return stats.nct.sf(stats.t.ppf(1 - alpha, df), df, lead)
    return stats.ncf.sf(stats.f.ppf(1 - alpha, 1, df), 1, df, lead**2)


@pytest.mark.parametrize("question", ["margin", "difference"])
@pytest.mark.parametrize("shared", [False, True])
def test_topics_needed_is_the_smallest_number_with_the_power(question, shared):
    scores = array(worked().transpose(0, 2, 1), **({"repeats": "shared"} if shared else {}))
    options_of_question = {question: 0.1, "power": 0.7}
    result = scores.ireval.topics_needed(**options_of_question, n_repeats=[1, 3, 8])
    variance = components(scores)["variance"].isel(metric=0)
    last = "system_repeat" if shared else "repeat"
    variances = [2 * variance.sel(component=c).item() for c in ("system_topic", last, "residual")]
    named = [result[f"variance_{name}"].item() for name in ("topic", "repeat", "residual")]
    np.testing.assert_allclose(named, variances)
    for repeats, topics in zip((1, 3, 8), result["topics"].to_numpy()[0], strict=True):
        ends = (1e4,) if np.isnan(topics) else (topics - 1, topics)
        options = {"one_sided": question == "margin", "shared": shared}
        reached = [power_at(n, variances, repeats, 0.1, **options) for n in ends]
        assert [power >= 0.7 for power in reached] == [False, True][: len(ends)]
    assert result.attrs["n_repeats"] == "1, 3, 8"
    assert result.attrs["repeats"] == ("shared" if shared else "system")
    repeated = scores.ireval.topics_needed(**options_of_question)
    xr.testing.assert_equal(repeated, result.sel(n_repeats=[3]))
    with pytest.raises(ParameterError, match="at least one number of repeats"):
        scores.ireval.topics_needed(**options_of_question, n_repeats=[])


@pytest.mark.parametrize("question", ["margin", "difference"])
def test_topics_needed_at_one_depth_do_not_depend_on_other_depths(question):
    rng = np.random.default_rng(4)
    spreads = [0.5 + sd * rng.normal(size=(3, 3, 20)) for sd in (0.001, 0.05, 0.3)]
    arrays = [array(values) for values in spreads]
    scores = xr.concat(arrays, "depth").assign_coords(depth=[1, 2, 3])
    options = {question: 0.1, "n_repeats": [1, 3]}
    result = scores.ireval.topics_needed(**options)["topics"]
    alone = [
        scores.sel(depth=k).ireval.topics_needed(**options)["topics"].squeeze() for k in (1, 2, 3)
    ]
    np.testing.assert_array_equal(result.squeeze("metric"), alone)
    assert result.min() == 2
