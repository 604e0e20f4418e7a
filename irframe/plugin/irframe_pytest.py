"""The pytest fixture ``irframe``, which imports irframe lazily."""

from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes baselines."""
    parser.getgroup("irframe").addoption(
        "--irframe-update",
        action="store_true",
        help="write missing baselines, and those of runs that pass irframe.assert_not_worse",
    )


@pytest.fixture
def irframe(request: pytest.FixtureRequest) -> Any:
    """Return the gate: ``irframe.assert_not_worse(runs, qrels, metrics, baseline=, margin=)``."""
    from irframe.reports.gate import Gate  # noqa: PLC0415 - loads irframe only if used

    return Gate(update=bool(request.config.getoption("irframe_update")))
