"""Parser of measures in ir_measures."""

import ir_measures


def measure_of(text):
    """Convert a string to a measure of ir_measures.

    It is needed because the parser of ir_measures does not work on Python 3.14.
    """
    return eval(text, vars(ir_measures).copy())  # noqa: S307 - of tests' own texts
