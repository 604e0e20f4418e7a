"""Selection of a few cases for quick test runs."""

import pytest


def few_of(cases, every, first=0, *, drawn=True):
    """Return cases, most of them marked as thorough.

    Only one of `every` cases is not marked. ``.ci/run`` tries all cases. If `drawn` is true, it may
    try a random share of the marked cases.
    """
    further = [pytest.mark.thorough, *([pytest.mark.further] if drawn else [])]
    marks = [() if place % every == first else further for place in range(every)]
    return [
        pytest.param(*_values(case), marks=marks[place % every]) for place, case in enumerate(cases)
    ]


def _values(case):
    return case if isinstance(case, tuple) else (case,)
