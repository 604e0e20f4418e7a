"""Filters for warnings about missing lists."""

import warnings
from contextlib import contextmanager

import pytest

from irframe.errors import IrframeWarning

MESSAGES = ("no system has a list for", "lists that systems lack count as empty")

incomplete = pytest.mark.filterwarnings(
    *(f"ignore:{message}:irframe.errors.IrframeWarning" for message in MESSAGES)
)
"""Pytest mark that makes a test, class or module ignore warnings about missing lists."""


@contextmanager
def though_incomplete():
    """Return a context that ignores warnings about missing lists."""
    with warnings.catch_warnings():
        for message in MESSAGES:
            warnings.filterwarnings("ignore", message, IrframeWarning)
        yield
