"""Conversion of single options to option values."""

import inspect

from irframe.option_values import gathered


def arguments(function, options):
    """Return the arguments of a function from single options."""
    return gathered(inspect.signature(function), options)
