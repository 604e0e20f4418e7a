"""irframe for pytest: the fixture ``irframe``, which imports nothing until a test asks for it."""

from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option that lets baselines be written."""
    parser.getgroup("irframe").addoption(
        "--irframe-update",
        action="store_true",
        help="freeze what passes irframe.assert_not_worse, and baselines that are not there yet",
    )


@pytest.fixture
def irframe(request: pytest.FixtureRequest) -> Any:
    """Return the gate: ``irframe.assert_not_worse(runs, qrels, metrics, baseline=, margin=)``."""
    from irframe.reports.markdown import Gate  # noqa: PLC0415 - which costs nothing before it is used

    return Gate(update=bool(request.config.getoption("irframe_update")))
