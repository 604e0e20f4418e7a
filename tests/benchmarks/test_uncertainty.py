"""How often corrections are right, over a thousand simulated tracks.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_uncertainty.py``. The pages of the
documentation quote these simulations as `docs/real/simulated.py` writes them down.
"""

import sys

import numpy as np
import pytest
from known_truth import simulate

import irframe as ir
from irframe.names import SIDES

DRAWS = 1000
MAX_T = ir.paired.MaxT(samples=999)


def alike(same, teams):
    """Return scores of twenty systems, so many of which are equally good, and their true means."""
    scores, truth = simulate(20, 50, DRAWS, spread=3, seed=1, teams=teams)
    scores[:same] -= truth[:same, np.newaxis]
    truth[:same] = 0
    return scores, truth


def claims(scores, truth, adjust):
    """Return the share of draws with a false claim, and of differences that are found."""
    frame = ir.verbs.compare(scores, adjust=adjust)
    a, b = (truth[frame[side].to_numpy() - 1, frame["depth"] - 1] for side in SIDES)
    found = frame["significant"].to_numpy()
    false = frame["depth"][found & (a == b)].nunique() / DRAWS
    return false, found[a != b].mean() if (a != b).any() else np.nan


@pytest.mark.parametrize("teams", [None, 4])
@pytest.mark.parametrize("same", [20, 10, 0])
def test_max_t_holds_its_level_and_finds_more_than_holm(benchmark, same, teams):
    scores, truth = alike(same, teams)
    false, power = benchmark.pedantic(claims, (scores, truth, MAX_T), rounds=1)
    false_holm, power_holm = claims(scores, truth, "holm")
    sys.stdout.write(
        f"\n{same} of 20 systems the same, teams {teams}: any false claim {false:.1%} by max-t, "
        f"{false_holm:.1%} by Holm; differences found {power:.1%}, {power_holm:.1%}\n"
    )
    assert false <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)
    assert not power < power_holm
