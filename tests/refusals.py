"""Assertion that a call raises an error."""

import pytest


def refused(error, words, act, *given, **options):
    """Assert that a call raises a matching error."""
    with pytest.raises(error, match=words):
        act(*given, **options)
