"""Properties of metrics by name, and averages over topics."""

from itertools import permutations
from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.metrics import AP, RBP, nDCG
from irframe.metrics.base import ALIASES
from irframe.metrics.facts import UNKNOWN, average, class_of, facts
from irframe.metrics.parse_metric import parse_metric


@pytest.mark.parametrize("label", ["my score", "Bpref@x", "AP@0", "", "AP(norm='what')", 7, None])
def test_unknown_labels_have_default_properties(label):
    properties = facts(label)
    assert properties == UNKNOWN
    assert (properties.known, properties.cost, properties.summary, properties.depth) == (
        False,
        False,
        "mean",
        None,
    )
    assert properties.sign == 1


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_every_name_has_the_properties_of_its_class(name):
    kind = ALIASES[name]
    assert facts(name) == facts(kind)
    assert facts(name).known
    assert facts(name).cost == class_of(name).cost
    assert facts(name).summary == getattr(kind, "keywords", {}).get(
        "average", class_of(name).average
    )


def test_metrics_and_their_texts_and_classes_have_equal_properties():
    for metric in (AP(norm="pool", rel=2) @ 7, nDCG(gain="exp", ideal="pool"), RBP(p=0.5)):
        assert facts(metric) == facts(str(metric)) == facts(parse_metric(str(metric)))
    assert facts(AP) == facts(AP())


def test_facts_read_pool_threshold_gain_and_depth_of_metrics():
    assert facts("AP(norm='pool')").pooled
    assert facts("Q(ideal='pool')").pooled
    assert not facts("Q(norm='min')").pooled
    assert facts("NumQ").rel == 1
    assert facts("AP").gain is None
    assert facts("nDCG(gain='exp')").gain == nDCG(gain="exp").gain
    assert facts("P_5").depth == 5


def test_facts_name_the_method_for_bounds():
    assert facts("P").extremes == "ceiling"
    assert facts("AP").extremes == "cut"
    assert facts("Rprec").extremes == "list"
    assert facts("Bpref").extremes == ""


SLOW = {
    "mean": fmean,
    "sum": sum,
    "harmonic": harmonic_mean,
    "geometric": lambda row: geometric_mean([max(value, 0.00001) for value in row]),
}


@pytest.mark.parametrize("summary", SLOW)
@given(
    rows=st.lists(
        st.lists(st.none() | st.just(0.0) | st.floats(1e-9, 1), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_averages_agree_with_the_statistics_module(summary, rows):
    values = np.array(rows, float)
    scores = [[value for value in row if value is not None] for row in rows]
    expected = [SLOW[summary](row) if row else np.nan for row in scores]
    np.testing.assert_allclose(average(values, summary), expected, rtol=1e-12)
    np.testing.assert_allclose(average(values.T, summary, axis=0), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(300,), (3, 300), (40, 300), (2, 300, 1), (2, 300, 7)])
def test_topics_are_summed_in_order_for_any_memory_layout(shape):
    """Pairwise sums may differ from trec_eval in the fourth decimal."""
    rng = np.random.default_rng(0)
    axis = shape.index(300)
    for order in permutations(range(len(shape))):
        drawn = rng.random([*np.take(shape, order), 3])[..., 1]
        values = drawn.transpose(np.argsort(order))
        for layout in (values, np.copy(values, order="K"), values[..., np.newaxis]):
            total = sum(np.moveaxis(layout, axis, 0), start=np.zeros(()))
            np.testing.assert_array_equal(average(layout, axis=axis), total / 300)
            np.testing.assert_array_equal(average(layout, "sum", axis), total)
