"""What a grade is worth by every gain map, slowly; negative grades are worth nothing."""

from .topic import gain_of


def by_name(name):
    """Return the oracle of a gain map that metrics know by name."""
    return lambda grade, rel, top: gain_of(grade, name, top, rel)


ORACLES = {name: by_name(name) for name in ("binary", "linear", "exp")}
"""The oracle of every word of `irframe.gains.GAINS`."""
