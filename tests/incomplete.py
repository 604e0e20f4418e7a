"""What is said of lists that runs lack, for tests that are about something else."""

import warnings
from contextlib import contextmanager

import pytest

from irframe.errors import IrframeWarning

MESSAGES = ("no system has a list for", "lists that systems lack count as empty")

incomplete = pytest.mark.filterwarnings(
    *(f"ignore:{message}:irframe.errors.IrframeWarning" for message in MESSAGES)
)
"""Mark of tests, classes or modules whose runs lack lists that judgments ask for."""


@contextmanager
def though_incomplete():
    """Say nothing of lists that runs lack, for as long as this lasts."""
    with warnings.catch_warnings():
        for message in MESSAGES:
            warnings.filterwarnings("ignore", message, IrframeWarning)
        yield
