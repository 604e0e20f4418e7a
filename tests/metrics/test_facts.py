"""What is known of a metric, whatever it is called by."""

import pytest

from irframe.metrics import AP, METRICS, RBP, nDCG
from irframe.metrics.base import ALIASES
from irframe.metrics.facts import UNKNOWN, class_of, facts
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


def test_costs():
    costs = {name for name in METRICS if facts(name).cost}
    assert costs == {"ASL", "BalancePoint", "ESL"}
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
