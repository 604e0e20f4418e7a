"""Tests of sampling designs against worked cases and matrix products."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.paired_tests import designed_mean
from scipy import stats

from irframe.paired import TESTS, Bootstrap, PairedT, Permutation, all_pairs
from irframe.paired.design import design_of
from irframe.paired.differences import describe_differences

DESIGNED = {
    "t": PairedT(),
    "permutation": Permutation(samples=99),
    "bootstrap": Bootstrap(samples=99),
}
SHAPES = {
    "alike": np.ones,
    "1/place": lambda n: 1 / np.arange(1.0, n + 1),
    "1/place^2": lambda n: 3e-200 / np.arange(1.0, n + 1) ** 2,
    "one x 1000": lambda n: np.where(np.arange(n) == n // 2, 1000.0, 1),
}


def test_estimates_equal_the_worked_case(shared):
    case = json.loads((shared / "golden" / "design.json").read_text())
    d = np.array(case["difference"])
    options = {name: np.unique(case[name], return_inverse=True)[1] for name in ("cluster", "task")}
    options["weights"] = np.array(case["weight"])
    arguments = {"tasks": "task", "cluster": "cluster", "weights": "weights"}
    for name, expected in case["expected"].items():
        chosen = [arguments[label] for label in name.split(", ") if label in arguments]
        design = design_of(len(d), **{argument: options[argument] for argument in chosen})
        differences = describe_differences(np.stack([d, 0 * d])[:, :, None], None, design)
        error = differences.sd / np.sqrt(len(d))
        p = PairedT().with_design(design, np.stack([d, 0 * d])[:, :, None]).p
        numbers = differences.mean, error, differences.freedom, p, *differences.interval(alpha=0.05)
        np.testing.assert_allclose(np.ravel(numbers), expected, atol=6e-5)


@st.composite
def designs(draw):
    """Draw scores, and designs with weights, clusters and tasks."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=4, max_size=12))
    tasks = draw(st.integers(1, min(3, len(sizes) // 2)))
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    task = np.repeat(np.arange(len(sizes)) % tasks, sizes)
    random = np.random.default_rng(draw(st.integers(0, 999)))
    shape = SHAPES[draw(st.sampled_from([*SHAPES]))]
    order = random.permutation(len(cluster))
    scores = random.normal(size=(3, len(cluster), 2)) + draw(st.sampled_from([0.0, 1e5]))
    return scores, {"weights": shape(len(order)), "cluster": cluster[order], "task": task[order]}


@given(designs())
def test_estimates_of_all_pairs_equal_matrix_products(drawn):
    scores, options = drawn
    differences = describe_differences(scores, None, design_of(scores.shape[1], **options))
    for pair, (a, b) in enumerate(all_pairs(3)):
        for depth in range(2):
            values = scores[a, :, depth] - scores[b, :, depth]
            mean, variance, freedom, effective = designed_mean(values, **options)
            numbers = (
                differences.mean[pair, depth],
                differences.sd[pair, depth],
                differences.freedom[pair, depth],
            )
            expected = mean, np.sqrt(variance * len(values)), freedom
            np.testing.assert_allclose(numbers, expected, rtol=1e-6, atol=1e-10)
    design = design_of(len(values), **options)
    assert design.effective == pytest.approx(effective)
    assert design.shares.sum() == pytest.approx(1)


@given(designs(), st.integers(0, 999))
def test_estimates_do_not_depend_on_labels_and_order(drawn, seed):
    scores, options = drawn
    random, n = np.random.default_rng(seed), scores.shape[1]
    differences = describe_differences(scores, None, design_of(n, **options))
    renamed = {name: random.permutation(50)[options[name]] for name in ("cluster", "task")}
    for test in DESIGNED.values():
        designs = [design_of(n, **labels) for labels in (options, {**options, **renamed})]
        first, second = (test.with_design(design, scores) for design in designs)
        np.testing.assert_array_equal(first, second)
    order = random.permutation(n)
    moved = design_of(n, **{name: values[order] for name, values in options.items()})
    repeated = describe_differences(scores[:, order], None, moved)
    for name in ("mean", "sd", "freedom"):
        np.testing.assert_allclose(getattr(differences, name), getattr(repeated, name), rtol=1e-8)


@given(designs())
def test_duplicating_every_topic_in_its_cluster_changes_neither_mean_nor_error(drawn):
    scores, options = drawn
    once = describe_differences(scores, None, design_of(scores.shape[1], **options))
    doubled = {name: np.repeat(values, 2) for name, values in options.items()}
    twice = np.repeat(scores, 2, axis=1)
    differences = describe_differences(twice, None, design_of(twice.shape[1], **doubled))
    np.testing.assert_allclose(differences.mean, once.mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(differences.sd / np.sqrt(2), once.sd, rtol=1e-6)


@pytest.mark.parametrize("size", [1, 4])
def test_clusters_of_equal_size_give_students_test_on_cluster_means(size):
    values = np.random.default_rng(size).normal(size=(2, 9 * size, 1))
    result = PairedT().with_design(design_of(9 * size, cluster=np.arange(9 * size) % 9), values)
    means = (values[0] - values[1]).reshape(size, 9).mean(axis=0)
    expected = stats.ttest_1samp(means, 0)
    np.testing.assert_allclose(np.ravel(result), [*expected][:2])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 5, 50])
def test_degrees_of_freedom_of_unequal_weights_equal_matrix_products(shape, n):
    weights, values = SHAPES[shape](n), np.random.default_rng(n).random(n)
    mean, variance, freedom, _ = designed_mean(values, weights)
    result = design_of(n, weights=weights).estimate(values, np.array(1.0))
    np.testing.assert_allclose(result, [mean, variance, freedom], rtol=1e-8)
    if shape == "alike":
        assert result.freedom == pytest.approx(n - 1, rel=1e-13)
        assert design_of(n, weights=weights).plain


def test_constant_differences_within_tasks_have_zero_variance():
    task = np.repeat([0, 1], 5)
    scores = (
        np.stack([0.1 + 0.2 * task, 0.3 * np.ones(10)])[:, :, None] + np.arange(10)[:, None] / 3
    )
    design = design_of(10, task=task)
    differences = describe_differences(scores, None, design)
    assert differences.sd.item() == 0
    assert differences.mean.item() == pytest.approx(-0.1)
    for test in (PairedT(), Bootstrap(samples=50)):
        assert np.isnan(test.with_design(design, scores).decided().p).all()
    alone = describe_differences(scores, None, design_of(10, task=np.array([0] * 9 + [1])))
    assert np.isnan(alone.sd).all()
    assert not np.isnan(alone.mean).any()


def test_topics_of_a_cluster_share_signs_and_draws():
    random = np.random.default_rng(5)
    sizes = [3, 1, 4, 2, 2]
    cluster, task = np.repeat(np.arange(5), sizes), np.repeat([0, 0, 0, 1, 1], sizes)
    scores = random.normal(size=(2, 12, 1))
    design = design_of(12, cluster=cluster, task=task)
    d = (scores[0] - scores[1])[:, 0]
    sums = np.bincount(cluster, d * design.shares)
    test = Permutation(samples=99)
    reached = abs(test.signs(5) @ sums) >= abs(sums.sum()) - 1e-12
    actual = test.with_design(design, scores)
    assert actual.p.item() == (1 + reached.sum()) / 100
    assert actual.statistic.item() == pytest.approx(d @ design.shares)
    counts = design.counts(samples=40, seed=3)
    assert (counts[:, :3].sum(axis=1) == 3).all()
    assert (counts[:, 3:].sum(axis=1) == 2).all()
    drawn = design.drawn(samples=40, seed=3)
    for row, times in zip(drawn, counts, strict=True):
        expected = [np.average(d[task == h], weights=times[cluster][task == h]) for h in (0, 1)]
        assert row @ d == pytest.approx(np.mean(expected))


def test_tests_without_support_for_designs_raise():
    assert {name for name, test in TESTS.items() if test.supports_design} == {*DESIGNED}
    for name, test in TESTS.items():
        if name not in DESIGNED:
            with pytest.raises(NotImplementedError):
                test().with_design(design_of(3), np.zeros((2, 3, 1)))
