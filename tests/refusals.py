"""Assertion that a call raises an error."""

import pytest


def refused(error, message, act, *arguments, **options):
    """Assert that a call raises a matching error."""
    with pytest.raises(error, match=message):
        act(*arguments, **options)
