"""Plain options, as records and the command line have them, as arguments of functions."""

import inspect

from irframe.option_values import gathered


def arguments(function, options):
    """Return the arguments of a function for plain options, those of option values together."""
    return gathered(inspect.signature(function), options)
