"""How often intervals and corrections are right in simulated collections whose truth is known.

Usage: python docs/real/simulated.py, two minutes. The simulations stand in tests/known_truth.py.
"""

import sys
from pathlib import Path

import numpy as np
from shown import Page

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from known_truth import MAX_T, alike, claims
from known_truth import coverage as variance_coverage

PAGE = Page("simulated")
SAME = {"all the same": 20, "half of them the same": 10, "none the same": 0}


def percent(name, shares):
    """Write the least and the greatest of some shares, in percent without the sign."""
    PAGE.facts(
        **{f"{name}_low": f"{100 * shares.min():.0f}", f"{name}_high": f"{100 * shares.max():.0f}"}
    )


def variances():
    """Write how often intervals of variance components hold the truth."""
    exact, drawn = variance_coverage("normal")
    percent("normal", exact)
    percent("resampled", drawn[:, 0])  # of the variance of systems
    percent("skewed", variance_coverage("skewed")[0])


def corrections():
    """Write how often corrections lead to a false claim, and what they find."""
    rows = []
    for words, same in SAME.items():
        for teams, more in ((None, ""), (4, ", of 4 teams")):
            track, row = alike(same, teams), {"systems": words + more}
            found = {"max-T": claims(*track, MAX_T), "Holm": claims(*track, "holm")}
            for place, title in enumerate(("a false claim", "differences found")):
                for name, shares in found.items():
                    text = f"{shares[place]:.1%}" if np.isfinite(shares[place]) else ""
                    row[f"{title}, {name}"] = text if place or same else ""
            rows.append(row)
    PAGE.table(rows, "corrections")


if __name__ == "__main__":
    variances()
    corrections()
