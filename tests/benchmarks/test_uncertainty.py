"""How often intervals and corrections are right, over a thousand simulated tracks.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_uncertainty.py``.
"""

import sys

import pytest
from known_truth import covered, simulate

import irframe as ir

DRAWS = 1000


@pytest.mark.parametrize("spread", [0.5, 1, 2, 3, 4])
def test_rank_intervals_cover_true_ranks(benchmark, spread):
    scores, truth = simulate(40, 50, DRAWS, spread=spread, seed=0)
    found = benchmark.pedantic(ir.rank_intervals, (scores,), {"adjust": None}, rounds=1)
    hits, ranks = covered(found, truth)
    firsts = found["rank"].to_numpy()[0] == 1
    width = (1 + found["rank_high"] - found["rank_low"]).mean().item()
    shares = {
        "of 95 % rank intervals cover": hits,
        "of the truly best": hits[ranks == 1],
        "of those ranked first": hits[firsts],
    }
    told = ", ".join(f"{share.mean():.1%} {what}" for what, share in shares.items())
    sys.stdout.write(f"\nspread {spread}: {told}; {width:.1f} ranks wide\n")
    if spread >= 2:
        assert 0.93 <= hits.mean() <= 0.97
