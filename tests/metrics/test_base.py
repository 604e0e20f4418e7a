"""Registry of metrics, and checks of new metric classes."""

import importlib
from dataclasses import dataclass, fields
from typing import ClassVar

import cloudpickle
import numpy as np
import pytest
from refusals import refused

from irframe.errors import MetricError
from irframe.metrics import METRICS, p
from irframe.metrics.base import ALIASES, PARSED, Metric, Thresholded
from irframe.metrics.facts import class_of, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.spellings import SETTINGS


@pytest.fixture(autouse=True)
def _registry():
    """Restore the registry after each test."""
    saved = [(names, dict(names)) for names in (METRICS, ALIASES, PARSED)]
    yield
    for names, before in saved:
        names.clear()
        names.update(before)


def test_names_in_use_are_refused():
    with pytest.raises(MetricError, match="names in use: P of irframe.metrics.p"):

        class P(Metric):
            pass

    with pytest.raises(MetricError, match="MRR of irframe.metrics.asl"):

        class Custom(Metric):
            aliases: ClassVar = ("MRR",)

    with pytest.raises(MetricError, match="MAP of irframe.metrics.ap"):

        class MAP(Metric):
            pass


def test_reloading_a_module_replaces_its_metrics():
    before = dict(vars(p))
    parse_metric("P@7")
    new = importlib.reload(p).P
    assert new is not before["P"]
    assert METRICS["P"] is new
    assert type(parse_metric("P@7")) is new
    vars(p).update(before)


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


def test_copies_by_cloudpickle_do_not_replace_metrics(cube):
    @dataclass(frozen=True, kw_only=True, repr=False)
    class Seen(Thresholded, abstract=True):
        def parts(self, *, relevant, n_relevant):
            return relevant, n_relevant

    @dataclass(frozen=True, kw_only=True, repr=False)
    class SeenTwice(Seen):
        def parts(self, *, relevant, n_relevant):
            return 2 * relevant, n_relevant

    copy = cloudpickle.loads(cloudpickle.dumps(SeenTwice()))
    names = [*METRICS]
    scores = cube.chunk(topic=4).ireval.score("SeenTwice", "Recall", at=20).load()
    np.testing.assert_allclose(scores[0], 2 * scores[1])
    assert copy == SeenTwice()
    assert METRICS["SeenTwice"] is SeenTwice
    assert [*METRICS] == names
    assert "Seen" not in names


def test_aliases_are_those_of_the_classes():
    named = {(name, class_of(name).__name__) for name in ALIASES}
    declared = {(name, kind) for kind in METRICS for name in (kind, *METRICS[kind].aliases)}
    assert named == declared | {(name, kind) for name, (kind, _) in SETTINGS.items()}
    assert parse_metric("SetR") == parse_metric("Recall")


def test_utility_of_documents_not_retrieved_requires_docs():
    refused(MetricError, "docs", lambda: METRICS["Utility"](d=0.1))


def test_essential_parameters_are_always_written():
    written = {
        name: [field.name for field in fields(metric) if field.metadata.get("shown")]
        for name, metric in METRICS.items()
    }
    assert {name: shown for name, shown in written.items() if shown} == {
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
