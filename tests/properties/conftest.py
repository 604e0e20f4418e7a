"""Fixtures of property tests."""

import pytest

from irframe.metrics import METRICS
from irframe.metrics.facts import _facts_by_label, _of


@pytest.fixture
def declare(monkeypatch):
    """Return a function that changes a metric's attribute temporarily."""

    def clear():
        _of.cache_clear()
        _facts_by_label.cache_clear()

    def change(name, fact, value):
        monkeypatch.setattr(METRICS[name], fact, value)
        clear()

    yield change
    monkeypatch.undo()
    clear()
