"""What is known of a metric, whatever it is called by; the average over topics."""

from contextlib import suppress
from itertools import permutations
from statistics import fmean, geometric_mean, harmonic_mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import MetricError
from irframe.metrics import AP, METRICS, RBP, nDCG
from irframe.metrics.base import ALIASES
from irframe.metrics.facts import UNKNOWN, average, class_of, facts
from irframe.metrics.parse_metric import parse_metric


@pytest.mark.parametrize("label", ["my score", "Bpref@x", "AP@0", "", "AP(norm='what')", 7, None])
def test_labels_of_no_metric_have_neutral_facts(label):
    found = facts(label)
    assert found == UNKNOWN
    assert (found.known, found.cost, found.summary, found.depth) == (False, False, "mean", None)
    assert found.sign == 1


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_every_name_tells_what_its_class_tells(name):
    kind = ALIASES[name]
    assert facts(name) == facts(kind)
    assert facts(name).known
    assert facts(name).cost == class_of(name).cost
    assert facts(name).summary == getattr(kind, "keywords", {}).get(
        "average", class_of(name).average
    )


def test_a_cost_is_less_the_higher_relevant_documents_stand():
    falling = {}
    for name, kind in METRICS.items():
        with suppress(MetricError, TypeError):  # of subtopics, spans, lengths, and without defaults
            first, last = (kind().curve(list_)[-1] for list_ in ([1, 1, 0], [0, 1, 1]))
            falling |= {name: first < last} if first != last else {}
    assert {name for name in METRICS if facts(name).cost} == {
        n for n, less in falling.items() if less
    }
    assert len(falling) > 30
    assert facts("AtomizedSearchLength(first=10)@20").sign == -1


def test_a_value_its_text_and_its_class_agree():
    for metric in (AP(norm="pool", rel=2) @ 7, nDCG(gain="exp", ideal="pool"), RBP(p=0.5)):
        assert facts(metric) == facts(str(metric)) == facts(parse_metric(str(metric)))
    assert facts(AP) == facts(AP())


def test_fields_that_only_some_metrics_have():
    assert facts("AP(norm='pool')").pooled
    assert facts("Q(ideal='pool')").pooled
    assert not facts("Q(norm='min')").pooled
    assert facts("NumQ").rel == 1
    assert facts("AP").gain is None
    assert facts("nDCG(gain='exp')").gain == nDCG(gain="exp").gain
    assert facts("P_5").depth == 5


def test_how_extremes_are_found():
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
def test_equals_the_statistics_of_python_without_missing_scores(summary, rows):
    values = np.array(rows, float)
    kept = [[value for value in row if value is not None] for row in rows]
    expected = [SLOW[summary](row) if row else np.nan for row in kept]
    np.testing.assert_allclose(average(values, summary), expected, rtol=1e-12)
    np.testing.assert_allclose(average(values.T, summary, axis=0), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(300,), (3, 300), (40, 300), (2, 300, 1), (2, 300, 7)])
def test_topics_are_added_up_in_turn_however_they_lie_in_memory(shape):
    """As trec_eval adds them: sums in pairs at times print another fourth decimal."""
    rng, axis = np.random.default_rng(0), shape.index(300)
    for order in permutations(range(len(shape))):
        drawn = rng.random([*np.take(shape, order), 3])[..., 1]
        values = drawn.transpose(np.argsort(order))
        for each in (values, np.copy(values, order="K"), values[..., np.newaxis]):
            total = sum(np.moveaxis(each, axis, 0), start=np.zeros(()))
            np.testing.assert_array_equal(average(each, axis=axis), total / 300)
            np.testing.assert_array_equal(average(each, "sum", axis), total)
