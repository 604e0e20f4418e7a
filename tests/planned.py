"""A guard for tests of what is lazy: planning must not compute."""

import dask


def _early(*_arguments, **_options):
    raise AssertionError("computed while it was planned")


def only_planned():
    """Return a context in which whatever dask is asked to compute fails the test."""
    return dask.config.set(scheduler=_early)
