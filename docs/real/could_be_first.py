"""Numbers of the page "How sure is a ranking?" about which systems could be first.

Usage: python docs/real/could_be_first.py DATA, where DATA holds score-matrices.
"""

import numpy as np
from shown import Page, data_folder
from tracks import read_matrix

import irframe as ir
from irframe.ranks.first import first_p

PAGE = Page("could-be-first")
TRACKS, DRAWS = 400, 199
SHAPES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed": lambda rng, size: rng.exponential(size=size),
    "sparse": lambda rng, size: rng.random(size) * (rng.random(size) < 0.3),
}
SIZES = [(3, 6), (3, 30), (20, 10), (20, 50), (60, 30)]
STEP = 0.5
"""Standard deviations between the means of neighbours, where they differ."""


def simulate(shape, systems, topics, step):
    """Return how often the best system is left, and how many systems are on average."""
    rng, first, count = np.random.default_rng(1), 0, 0
    for track in range(TRACKS):
        scores = SHAPES[shape](rng, (systems, topics)) - step * np.arange(systems)[:, np.newaxis]
        could = first_p(scores[..., np.newaxis], samples=DRAWS, seed=track)[:, 0] > 0.05
        first, count = first + could[0], count + could.sum()
    return first / TRACKS, count / TRACKS


def coverage():
    """Write how often the true first is held."""
    rows = []
    for systems, topics in SIZES:
        row = {"systems": systems, "topics": topics}
        for shape in SHAPES:
            row[f"same means, {shape}"] = f"{simulate(shape, systems, topics, 0.0)[0]:.3f}"
        first, count = simulate("normal", systems, topics, STEP)
        rows.append(row | {"steps, normal": f"{first:.3f}", "left of them": f"{count:.1f}"})
    PAGE.table(rows, "coverage")


def tracks(data):
    """Say how many systems of some tracks could be first."""
    for name, matrix, metric in (
        ("trec8", "adhoc8_ap", "AP"),
        ("trec8_p10", "adhoc8_p10", "P@10"),
        ("web", "web2011_ndcg20", "nDCG@20"),
    ):
        scores = ir.as_scores(read_matrix(data, matrix, metric).rename(columns={"value": "score"}))
        ranks = scores.ireval.rank_intervals(interval="t")
        PAGE.facts(**{name: ranks["could_be_first"].sum()})
        PAGE.facts(**{f"{name}_pairs": (ranks["rank_low"] == 1).sum()})


def main():
    """Write everything."""
    tracks(data_folder(__doc__))
    coverage()


if __name__ == "__main__":
    main()
