"""Arguments made of plain options."""

import inspect

from irframe.option_values import gathered


def arguments(function, options):
    """Return arguments, with plain options gathered into option values."""
    return gathered(inspect.signature(function), options)
