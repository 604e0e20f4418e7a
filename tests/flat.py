"""Conversion of separate options to option objects."""

import inspect

from irframe.option_values import gathered


def arguments(function, options):
    """Return the arguments of a function for separate options."""
    return gathered(inspect.signature(function), options)
