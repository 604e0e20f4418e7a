"""Fixtures and hooks of pytest for all tests."""

import gc
import json
import os
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from zlib import crc32

import pytest
from hypothesis import is_hypothesis_test, settings

os.environ.setdefault("MPLBACKEND", "agg")

# the profile "fixed" draws the same examples in every run, so that failures can be reproduced
settings.register_profile("fixed", max_examples=2, derandomize=True, database=None, deadline=None)
# the profile "deep" draws new examples; if one fails, a decorator that reproduces it is printed
settings.register_profile("deep", max_examples=4, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_collection():
    """Import all packages of irframe before the tests are collected.

    To collect a module, pytest imports its package and then executes the module, even if the
    package has imported the module already. The classes of the module would then exist twice.
    """
    import irframe as ir

    for package in iter_modules(ir.__path__, "irframe."):
        if package.ispkg:
            import_module(package.name)


def pytest_itemcollected(item):
    """Mark tests that use hypothesis as property tests.

    Property tests are left out when coverage is measured, because they run the same lines many
    times, and measurement makes this slow.
    """
    if is_hypothesis_test(getattr(item, "obj", None)):
        item.add_marker("property")
    if item.get_closest_marker("property"):
        item.add_marker("no_cover")


def pytest_collection_modifyitems(config, items):
    """Select a random share of the tests.

    The environment variable `FURTHER_CASES` contains the share of tests marked `further` that is
    selected. `SHARE_OF_TESTS` contains the share of all other tests that is selected. The seed of
    pytest-randomly determines the selection. Tests with the same module and parameters are selected
    together, because they use the same slow fixtures.
    """
    seed = config.getoption("randomly_seed")
    further, unmarked = (
        float(os.environ.get(name, "1")) for name in ("FURTHER_CASES", "SHARE_OF_TESTS")
    )
    deselected = {
        item
        for item in items
        if crc32(f"{seed} {case_of(item)}".encode())
        > (further if item.get_closest_marker("further") else unmarked) * 2**32
    }
    config.hook.pytest_deselected(items=deselected)
    items[:] = [item for item in items if item not in deselected]


def case_of(item):
    """Return the module and the parameters of a test."""
    return item.path.name, item.callspec.id if hasattr(item, "callspec") else item.name


def pytest_collection_finish():
    """Exclude the collected tests from garbage collection to save time."""
    gc.collect()
    gc.freeze()


def pytest_make_parametrize_id(val):
    """Use the repr of a dataclass as parameter id."""
    return repr(val) if is_dataclass(val) and not isinstance(val, type) else None


@pytest.fixture(scope="session")
def shared():
    """Return the folder with worked cases, or skip the test."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the worked cases and real runs of {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def golden(shared):
    """Return the worked cases by name."""
    cases = json.loads((shared / "golden" / "golden.json").read_text())["cases"]
    return {case["id"]: case for case in cases}


@pytest.fixture(scope="session")
def track():
    """Return the runs and judgments of the example track."""
    # an import at the top of the module would run before the measurement of coverage begins
    import irframe as ir

    return ir.example_track()


@pytest.fixture(scope="session")
def cube(track):
    """Return the cube of the example track."""
    return track[0].ireval.cube(track[1])
