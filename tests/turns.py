"""Cases of which standard tests try a few, and the thorough tests that .ci/run asks for all."""

import pytest


def few_of(cases, every, first=0):
    """Return the cases of a test, all but every so many for the thorough tests alone."""
    marks = [() if place % every == first else pytest.mark.thorough for place in range(every)]
    return [
        pytest.param(*_values(case), marks=marks[place % every]) for place, case in enumerate(cases)
    ]


def _values(case):
    return case if isinstance(case, tuple) else (case,)
