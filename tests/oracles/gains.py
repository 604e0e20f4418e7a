"""Reference implementations of gain maps."""

from .topic import gain_of


def by_name(name):
    """Return the reference implementation of a named gain map."""
    return lambda grade, rel, top: gain_of(grade, name, top, rel)


ORACLES = {name: by_name(name) for name in ("binary", "linear", "exp")}
"""Mapping from the names in `irframe.gains.GAINS` to oracles."""
