"""The registry of metrics, and what is checked when a class is made."""

import importlib
from dataclasses import dataclass, fields
from typing import ClassVar

import pytest
from refusals import refused

from irframe.errors import MetricError
from irframe.metrics import METRICS, p
from irframe.metrics.base import ALIASES, PARSED, Metric
from irframe.metrics.facts import class_of, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.spellings import SETTINGS


@pytest.fixture(autouse=True)
def _registry():
    """Forget the metrics that a test makes."""
    kept = [(names, dict(names)) for names in (METRICS, ALIASES, PARSED)]
    yield
    for names, before in kept:
        names.clear()
        names.update(before)


def test_a_name_is_taken_once():
    with pytest.raises(MetricError, match="unused names.*names in use: P of irframe.metrics.p"):

        class P(Metric):
            pass

    with pytest.raises(MetricError, match="MRR of irframe.metrics.asl"):

        class Mine(Metric):
            aliases: ClassVar = ("MRR",)

    with pytest.raises(MetricError, match="MAP of irframe.metrics.ap"):

        class MAP(Metric):
            pass


def test_a_module_may_be_imported_again():
    old = p.P
    parse_metric("P@7")
    new = importlib.reload(p).P
    assert new is not old
    assert METRICS["P"] is new
    assert type(parse_metric("P@7")) is new
    p.P = old


def test_a_new_metric_is_found_by_name():
    assert not facts("Effort@3").known

    @dataclass(frozen=True, kw_only=True, repr=False)
    class Effort(Metric):
        rel: int = 1

        cost: ClassVar = True
        aliases: ClassVar = ("Labour",)

        def kernel(self, *, found, rank):
            return rank - found

    assert parse_metric("Labour@3") == Effort(depth=3)
    assert facts("Effort@3").cost
    assert Effort().curve([0, 1, 0]).tolist() == [1, 1, 2]


def test_aliases_are_those_of_the_classes():
    named = {(name, class_of(name).__name__) for name in ALIASES}
    declared = {(name, kind) for kind in METRICS for name in (kind, *METRICS[kind].aliases)}
    assert named == declared | {(name, kind) for name, (kind, _) in SETTINGS.items()}
    assert parse_metric("SetR") == parse_metric("Recall")


def test_what_is_left_out_is_worth_nothing_without_a_collection():
    refused(MetricError, "docs", lambda: METRICS["Utility"](d=0.1))


def test_parameters_without_which_a_score_says_little_are_always_written():
    written = {
        name: [field.name for field in fields(metric) if field.metadata.get("shown")]
        for name, metric in METRICS.items()
    }
    assert {name: own for name, own in written.items() if own} == {
        "BPM": ["T"],
        "Compat": ["p"],
        "DynamicBPM": ["T", "K"],
        "IA": ["metric"],
        "INSQ": ["T"],
        "INST": ["T"],
        "NERR": ["stop"],
        "RBP": ["p"],
    }
    assert repr(METRICS["DynamicBPM"]()) == "DynamicBPM(T=1.0, K=10)"
