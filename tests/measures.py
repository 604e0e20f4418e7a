"""Measures of ir_measures."""

import ir_measures


def measure_of(text):
    """Return a measure, whose text is Python; ir_measures itself reads none from Python 3.14 on."""
    return eval(text, vars(ir_measures).copy())  # noqa: S307 - of tests' own texts
