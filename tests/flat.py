"""Conversion of plain options to option values."""

import inspect

from irframe.option_values import gathered


def arguments(function, options):
    """Combine plain options into option values."""
    return gathered(inspect.signature(function), options)
