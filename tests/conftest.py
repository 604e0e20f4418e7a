"""Fixtures shared by all tests."""

import json
import os
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "agg")
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_make_parametrize_id(val):
    """Name a case by the text of its metric, test or method."""
    return repr(val) if is_dataclass(val) and not isinstance(val, type) else None


@pytest.fixture(scope="session")
def shared():
    """Return the folder of worked cases and real runs that may stand beside a checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the worked cases and real runs of {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def golden(shared):
    """Return the worked cases by name."""
    cases = json.loads((shared / "golden" / "golden.json").read_text())["cases"]
    return {case["id"]: case for case in cases}
