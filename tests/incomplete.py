"""What is said of lists that runs lack, for tests that are about something else."""

import pytest

MESSAGES = ("no system has a list for", "lists that systems lack count as empty")

incomplete = pytest.mark.filterwarnings(
    *(f"ignore:{message}:irframe.errors.IrframeWarning" for message in MESSAGES)
)
"""Mark of tests, classes or modules whose runs lack lists that judgments ask for."""
