"""Cases of which standard tests try a few."""

import pytest


def few_of(cases, every, first=0, *, drawn=True):
    """Return cases, most of them marked as thorough.

    .ci/run tries all of these, or a random quarter of those that are drawn.
    """
    further = [pytest.mark.thorough, *([pytest.mark.further] if drawn else [])]
    marks = [() if place % every == first else further for place in range(every)]
    return [
        pytest.param(*_values(case), marks=marks[place % every]) for place, case in enumerate(cases)
    ]


def _values(case):
    return case if isinstance(case, tuple) else (case,)
