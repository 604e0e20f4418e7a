"""What is refused, and in which words."""

import pytest


def refused(error, words, act, *given, **options):
    """Call a function, and see that it raises an error whose text the words are found in."""
    with pytest.raises(error, match=words):
        act(*given, **options)
