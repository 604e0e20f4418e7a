"""How often intervals and corrections are right, over a thousand simulated tracks.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_uncertainty.py``. The pages of the
documentation quote these simulations as `docs/real/simulated.py` writes them down.
"""

import sys

import numpy as np
import pytest
from known_truth import covered, simulate

import irframe as ir
from irframe.names import SIDES

DRAWS = 1000
TRACK = 40, 50
"""Systems and topics."""
SPREADS = 0.5, 1, 2, 3, 4
MAX_T = ir.MaxT(samples=999)


def coverage(spread):
    """Return shares of rank intervals that hold the true rank, and the mean width in ranks."""
    scores, truth = simulate(*TRACK, DRAWS, spread=spread, seed=0)
    found = ir.rank_intervals(scores, adjust=None)
    hits, ranks = covered(found, truth)
    firsts = found["rank"].to_numpy()[0] == 1
    shares = {
        "true rank covered": hits.mean(),
        "of the truly best": hits[ranks == 1].mean(),
        "of those ranked first": hits[firsts].mean(),
    }
    return shares, (1 + found["rank_high"] - found["rank_low"]).mean().item()


@pytest.mark.parametrize("spread", SPREADS)
def test_rank_intervals_cover_true_ranks(benchmark, spread):
    shares, width = benchmark.pedantic(coverage, (spread,), rounds=1)
    told = ", ".join(f"{what} {share:.1%}" for what, share in shares.items())
    sys.stdout.write(f"\nspread {spread}: {told}; {width:.1f} ranks wide\n")
    if spread >= 2:
        assert 0.93 <= shares["true rank covered"] <= 0.97


def alike(same, teams):
    """Return scores of twenty systems, so many of which are equally good, and their true means."""
    scores, truth = simulate(20, 50, DRAWS, spread=3, seed=1, teams=teams)
    scores[:same] -= truth[:same, np.newaxis]
    truth[:same] = 0
    return scores, truth


def claims(scores, truth, adjust):
    """Return the share of draws with a false claim, and of differences that are found."""
    frame = ir.compare(scores, adjust=adjust)
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
