"""Parsing of measures of ir_measures."""

import ir_measures


def measure_of(text):
    """Return the measure of ir_measures that a Python text describes.

    The parser of ir_measures does not work on Python 3.14.
    """
    return eval(text, vars(ir_measures).copy())  # noqa: S307 - of tests' own texts
