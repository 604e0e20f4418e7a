"""How often intervals and corrections are right in simulated collections whose truth is known.

Usage: python docs/real/simulated.py, two minutes. Scores are those of tests/known_truth.py.
"""

import sys
from pathlib import Path

import numpy as np
from shown import Page

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from known_truth import simulate

import irframe as ir
from irframe.names import SIDES
from irframe.planning.components import mean_squares, variance_interval

PAGE = Page("simulated")
SAME = {"all the same": 20, "half of them the same": 10, "none the same": 0}
DRAWS = 1000
MAX_T = ir.paired.MaxT(samples=999)


def alike(same, teams):
    """Return scores and true means of 20 systems, some of them equally good."""
    scores, truth = simulate(20, 50, DRAWS, spread=3, seed=1, teams=teams)
    scores[:same] -= truth[:same, np.newaxis]
    truth[:same] = 0
    return scores, truth


def claims(scores, truth, adjust):
    """Return the share of draws with a false claim, and of detected differences."""
    frame = ir.verbs.compare(scores, adjust=adjust)
    a, b = (truth[frame[side].to_numpy() - 1, frame["depth"] - 1] for side in SIDES)
    significant = frame["significant"].to_numpy()
    false = frame["depth"][significant & (a == b)].nunique() / DRAWS
    return false, significant[a != b].mean() if (a != b).any() else np.nan


DESIGNS = [
    (20, 50, (0.003, 0.025, 0.01)),
    (5, 25, (0.003, 0.02, 0.01)),
    (60, 50, (0.0003, 0.03, 0.01)),
]
"""Systems, topics, and the variances of systems, topics and interaction."""
EFFECTS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: (rng.random(shape) - 0.5) * np.sqrt(12),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}


def draw(rng, kind, systems, topics, truth, draws):
    """Return scores of simulated collections, shape (system, topic, draw)."""
    shapes = (systems, 1, draws), (1, topics, draws), (systems, topics, draws)
    effects = zip(truth, shapes, strict=True)
    return sum(np.sqrt(v) * EFFECTS[kind](rng, shape) for v, shape in effects)


def analytic(scores):
    squares = mean_squares(scores)
    return [*zip(*variance_interval(squares, 0.05), strict=True)]


def resampled(rng, scores, samples=300):
    """Return percentile intervals over resamples of the topics."""
    topics = scores.shape[1]
    draws = (rng.integers(topics, size=topics) for _ in range(samples))
    rows = [mean_squares(scores[:, draw]).variances for draw in draws]
    return list(np.moveaxis(np.quantile(rows, (0.025, 0.975), axis=0), 1, 0))


def shares_of(ends, truth):
    """Return how often intervals contain the truth, a share for each variance."""
    return [((low <= t) & (t <= high)).mean() for (low, high), t in zip(ends, truth, strict=True)]


def variance_coverage(kind):
    """Return how often both kinds of intervals contain the truth, a row per design."""
    rng = np.random.default_rng(0)
    exact, drawn = [], []
    for systems, topics, truth in DESIGNS:
        exact.append(shares_of(analytic(draw(rng, kind, systems, topics, truth, 1000)), truth))
        drawn.append(shares_of(resampled(rng, draw(rng, kind, systems, topics, truth, 300)), truth))
    return np.array(exact), np.array(drawn)


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
    for label, same in SAME.items():
        for teams, more in ((None, ""), (4, ", of 4 teams")):
            track, row = alike(same, teams), {"systems": label + more}
            significant = {"max-T": claims(*track, MAX_T), "Holm": claims(*track, "holm")}
            for index, title in enumerate(("a false claim", "differences found")):
                for name, shares in significant.items():
                    text = f"{shares[index]:.1%}" if np.isfinite(shares[index]) else ""
                    row[f"{title}, {name}"] = text if index or same else ""
            rows.append(row)
    PAGE.table(rows, "corrections")


if __name__ == "__main__":
    variances()
    corrections()
