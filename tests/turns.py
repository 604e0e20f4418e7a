"""Selection of a few test cases for fast test runs."""

import pytest


def few_of(cases, every, first=0, *, drawn=True):
    """Return test cases, most of them marked as thorough.

    One case in `every` has no mark. The script ``.ci/run`` runs all cases. If `drawn` is True, the
    script runs a random share of the marked cases.
    """
    further = [pytest.mark.thorough, *([pytest.mark.further] if drawn else [])]
    marks = [() if pos % every == first else further for pos in range(every)]
    return [
        pytest.param(*_values(case), marks=marks[pos % every]) for pos, case in enumerate(cases)
    ]


def _values(case):
    return case if isinstance(case, tuple) else (case,)
