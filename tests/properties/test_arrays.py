"""Metrics called on arrays equal `evaluate` to the last bit."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import xarray as xr
from turns import few_of
from variants import VARIANTS

import irframe as ir
from irframe.errors import GradeError, InputError, MetricError, RankingError
from irframe.metrics import AP, ERR, METRICS, P, nDCG
from irframe.metrics.facts import facts

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")  # of empty lists
SEEDS, DEPTHS = range(6), (None, 3, 30)


@cache
def candidates(seed):
    """Draw arrays of labels, tied scores and listed flags."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 7, 19]))
    labels = rng.choice([0, 0, 1, 2, 3, -1, np.nan], (2, 3, n))
    labels[0, :, 0] = np.where(np.isnan(labels[0, :, 0]), 3, labels[0, :, 0])
    scores = rng.integers(-3, 4, (2, 3, n)) / 3
    scores[rng.random(scores.shape) < 0.1 * (seed % 3)] = -np.inf
    listed = rng.random(scores.shape) > 0.2 * (seed % 2)
    return labels, scores, listed


def of_grades(metric):
    """Return whether a metric reads only grades."""
    other_needs = metric.subtopics, metric.spans, metric.timed, facts(metric).pooled
    return not any(other_needs) and not str(metric).startswith("Inf")


@cache
def metrics():
    """Return every metric that reads only grades, at several depths."""
    every = [v.metric if d is None else v.metric @ d for v in VARIANTS for d in DEPTHS]
    every += [replace(variant.metric, judged_only=True) for variant in VARIANTS]
    return [metric for metric in dict.fromkeys(every) if of_grades(metric)]


@pytest.mark.parametrize("seed", few_of(SEEDS, 6, 3, drawn=False))
def test_scores_of_arrays_equal_evaluate(seed):
    arrays = [array.reshape(6, -1) for array in candidates(seed)]
    run, qrels = {}, {}
    for row, (labels, scores, listed) in enumerate(zip(*arrays, strict=True)):
        present = np.flatnonzero(listed & (scores > -np.inf))
        run[str(row)] = {str(index): scores[index] for index in present}
        judged = np.flatnonzero(~np.isnan(labels))
        qrels[str(row)] = {str(index): int(labels[index]) for index in judged}
    run, qrels = ({k: v for k, v in nested.items() if v} for nested in (run, qrels))
    chosen = [m for m in metrics() if m.depth is not None or m.uncut() is not None]

    def differing(some):
        """Return the metrics whose scores differ when computed together."""
        table = ir.evaluate(run, qrels, some, ties="order", no_rel="zero").droplevel("system")
        rows = [int(topic) for topic in table.index]
        scored = [metric(*arrays[:2], listed=arrays[2])[rows] for metric in some]
        pairs = zip(some, scored, table.to_numpy().T, strict=True)
        return [metric for metric, *both in pairs if not np.array_equal(*both, equal_nan=True)]

    # The last bit of a score may change if deeper metrics are computed too, because sums become
    # longer.
    assert not [str(metric) for metric in differing(chosen) if differing([metric])]


@pytest.mark.parametrize("seed", few_of(SEEDS, 6, 3, drawn=False))
def test_a_curve_equals_the_metric_at_every_depth(seed):
    labels, scores, listed = candidates(seed)
    n = labels.shape[-1]
    for metric in metrics():
        curve = metric.curve(labels, scores, listed=listed)
        assert curve.shape == (2, 3, n)
        if metric.depth is None:
            positions = sorted({0, n // 2, n - 1})
            ends = [(metric @ (k + 1))(labels, scores, listed=listed) for k in positions]
            ends[-1] = metric(labels, scores, listed=listed)
        else:
            positions = [n - 1] * (metric.depth <= n)
            ends = [metric(labels, scores, listed=listed) for _ in positions]
        curve = curve[..., positions]
        if ends:  # sums of different lengths may differ in the last bit
            np.testing.assert_allclose(np.stack(ends, axis=-1), curve, rtol=1e-12, err_msg=metric)


MORE = {"InfAP", "InfNDCG", *(n for n, kind in METRICS.items() if not of_grades(kind))}


@pytest.mark.parametrize("name", [*sorted(MORE), "AP(norm='pool')", "nDCG(ideal='pool')"])
def test_metrics_that_need_more_than_grades_are_refused(name):
    metric = ir.parse_metric(name)
    for called in metric, metric.curve:
        with pytest.raises(MetricError, match=re.escape(f"{metric}, which reads ")):
            called([1, 0])


def test_labelled_arrays_keep_their_other_dimensions():
    values, rng = np.array([[2, 0, 1], [0, 1, np.nan]]), np.random.default_rng(0)
    labels = xr.DataArray(values, dims=["q", "doc"], coords={"q": ["a", "b"]}, name="grade")
    scores = xr.DataArray(rng.normal(size=(3, 2, 2)), dims=["doc", "run", "q"])
    at_two, curve = nDCG(depth=2)(labels, scores), AP().curve(labels, scores)
    assert (at_two.dims, at_two.name, at_two.attrs) == (("run", "q"), "nDCG@2", {})
    assert curve.dims == ("run", "q", "depth")
    assert curve["depth"].to_numpy().tolist() == [1, 2, 3]
    plain = scores.transpose("run", "q", "doc").to_numpy()
    np.testing.assert_array_equal(at_two, nDCG(depth=2)(values, plain))
    np.testing.assert_array_equal(curve, AP().curve(values, plain))
    assert nDCG(depth=2)(labels).identical(nDCG(depth=2)(values) + 0 * nDCG(depth=2)(labels))
    with pytest.raises(InputError, match="with the dimensions and labels of .*, but found q"):
        AP()(labels, scores.assign_coords(q=["b", "a"]))


NAN = float("nan")


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        (
            ([0.5, 1],),
            GradeError,
            "labels that are integers from -32766 to 32767, but found 0.5",
        ),
        (([40000, 1, -32767],), GradeError, "found 40000.0, -32767.0"),
        (([1, np.inf],), GradeError, "found inf"),
        ((1,), InputError, "a single number"),
        ((xr.DataArray(1),), InputError, "a single number"),
        ((xr.Dataset({"a": ("n", [1])}),), InputError, "labels to be numbers"),
        ((None, [1, 2]), InputError, "candidates along the last axis, but found none"),
        ((np.ma.array(["a", "b"], mask=[0, 1]),), InputError, "labels to be numbers"),
        (([[1], [1, 0]],), InputError, "labels to be numbers in rows of equal length"),
        ((["a"],), InputError, "labels to be numbers"),
        (
            ([1, 0], [1, 2, 3]),
            InputError,
            r"that broadcast, but found labels \(2,\), scores \(3,\)",
        ),
        (([[1, 0]], [1, NAN]), RankingError, "candidate 1 of row 0. Set the score to -inf"),
        (([1, 0], [2**53, 2**53 + 1]), InputError, "scores below 2.53"),
        (([1, 0], [2**70, 2**70 + 1]), InputError, "scores below 2.53"),
        (([1, 0], [10**400, 1]), InputError, "scores below 2.53"),
        (([1, 0], np.ma.array([2**53, 2**53 + 1])), InputError, "scores below 2.53"),
        (([1, 0], None, [2, 0]), InputError, "listed.* True or False"),
    ],
    ids=str,
)
def test_arrays_that_cannot_be_scored_are_refused(arrays, error, message):
    labels, scores, listed = (*arrays, None, None)[:3]
    with pytest.raises(error, match=message):
        P(depth=2)(labels, scores, listed=listed)


def test_arrays_and_tensors_of_other_tools_are_read():
    ma = np.ma.MaskedArray([2, 1, 0], [False, True, False])
    expected = nDCG(depth=3)([2, NAN, 0])
    assert nDCG(depth=3)(ma) == nDCG(depth=3)([2, None, 0]) == expected == 1
    assert P(depth=2)([1, 1], np.ma.MaskedArray([1.0, 2.0], [True, False])) == 0.5
    assert P(depth=2)([1, 1], [3, NAN], listed=[True, False]) == 0.5
    assert AP()(np.zeros((2, 0))).tolist() == [0, 0]
    assert AP()(np.zeros((0, 3))).shape == (0,)
    assert AP().curve(np.zeros((2, 0))).shape == (2, 0)
    batch = ERR(gain="linear")([[1, 0], [3, 0]]).tolist()
    assert batch == [1 / 3, 1.0]  # the highest label of the array is the top grade
    assert ERR(gain="linear")([1, 0]) == 1


LABELS, SCORES = [2, 3, 0, 3, 1, 2, 2, 1, 3], [3, 0, 5, 1, 8, 4, 7, 2, 6]
LISTED = [False, True, True, True, True, False, False, True, True]
KEPT = [label if kept else None for label, kept in zip(LABELS, LISTED, strict=True)]


# scikit-learn 1.9.1 returns the first two scores by ndcg_score(..., k=3, ignore_ties=True) and
# average_precision_score. rax 0.4.0 returns the first score by ndcg_metric(..., topn=3,
# gain_fn=lambda g: g), and the last four by ndcg_metric, dcg_metric, recall_metric(..., topn=3) and
# ndcg_metric(..., where=LISTED).
@pytest.mark.parametrize(
    ("metric", "labels", "listed", "expected"),
    [
        ("nDCG@3", LABELS, None, 0.5884535456628739),
        ("AP", LABELS, None, 0.9067956349206349),
        ("nDCG(gain='exp')", LABELS, None, 0.6952953899620105),
        ("DCG(gain=Linear(top=1))", LABELS, None, 7.430797446510505),
        ("Recall@3", LABELS, None, 0.375),
        ("nDCG@3", KEPT, LISTED, 0.45250815297345076),
    ],
)
def test_scores_equal_those_of_learning_to_rank_tools(metric, labels, listed, expected):
    score = ir.parse_metric(metric)(labels, SCORES, listed=listed)
    assert score == pytest.approx(expected, rel=1e-14)


def test_ndcg_equals_a_numpy_formula():
    rng, weights = np.random.default_rng(0), 1 / np.log2(np.arange(2, 12))
    labels, scores = rng.integers(0, 4, (64, 100)), rng.normal(size=(64, 100))
    ranked = np.take_along_axis(labels, np.argsort(-scores, axis=1), axis=1)
    ideal = -np.sort(-labels, axis=1)
    expected = (ranked[:, :10] * weights).sum(axis=1) / (ideal[:, :10] * weights).sum(axis=1)
    np.testing.assert_allclose(nDCG(depth=10)(labels, scores), expected, rtol=1e-13)
