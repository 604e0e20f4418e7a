"""Scores drawn again and again from systems whose true means, or variances, are known.

`docs/real/simulated.py` writes down how often intervals and corrections are right.
"""

import numpy as np
import xarray as xr

import irframe as ir
from irframe.names import SIDES
from irframe.planning.components import mean_squares, variance_interval


def simulate(systems, topics, draws, *, spread, seed, teams=None):
    """Draw scores of systems that differ by chance; each draw is a depth of its own.

    Parameters
    ----------
    systems, topics, draws
        How many there are.
    spread
        Standard deviation of the systems' true means, in standard errors of the difference of
        two means: 1.6 to 4.1 in runs of TREC-8, the web track of 2011 and TREC-COVID.
    seed
        Of the generator.
    teams
        Of how many teams the systems are: those of a team have 80 % in common of what is not the
        topics'. By default each is its own.

    Returns
    -------
    scores, truth
        Scores over (system, topic, depth), half of whose variance within a system is that of
        topics, and true means, shape (system, draw).
    """
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, draws)) * spread / np.sqrt(topics)
    own = rng.normal(size=(systems, topics, draws))
    if teams is not None:
        shared = rng.normal(size=(teams, topics, draws))[np.arange(systems) % teams]
        own = shared * np.sqrt(0.8) + own * np.sqrt(0.2)
    values = truth[:, np.newaxis] + (own + rng.normal(size=(topics, draws))) * np.sqrt(0.5)
    labels = {"depth": np.arange(1, draws + 1)}
    return xr.DataArray(values, labels, ["system", "topic", "depth"], name="AP"), truth


def covered(found, truth):
    """Return which intervals hold the true rank, shape (system, draw)."""
    ranks = 1 + (truth[:, np.newaxis] < truth[np.newaxis]).sum(axis=1)
    low, high = (found[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
    return (low <= ranks) & (ranks <= high), ranks


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
NAMES = "v_s", "v_t", "v_st"


def draw(rng, kind, systems, topics, truth, draws):
    """Return scores of simulated collections, shape (system, topic, draw)."""
    shapes = (systems, 1, draws), (1, topics, draws), (systems, topics, draws)
    parts = zip(truth, shapes, strict=True)
    return sum(np.sqrt(v) * EFFECTS[kind](rng, shape) for v, shape in parts)


def analytic(scores):
    found = mean_squares(scores)
    return [*zip(*variance_interval(found, 0.05), strict=True)]


def resampled(rng, scores, samples=300):
    """Return percentile intervals over resamples of the topics."""
    topics = scores.shape[1]
    draws = (rng.integers(topics, size=topics) for _ in range(samples))
    rows = [mean_squares(scores[:, draw]).variances for draw in draws]
    return list(np.moveaxis(np.quantile(rows, (0.025, 0.975), axis=0), 1, 0))


def held(ends, truth):
    """Return how often intervals hold the truth, one share for each of `NAMES`."""
    return [((low <= t) & (t <= high)).mean() for (low, high), t in zip(ends, truth, strict=True)]


def coverage(kind):
    """Return how often both kinds of intervals hold the truth, a row per design."""
    rng = np.random.default_rng(0)
    exact, drawn = [], []
    for systems, topics, truth in DESIGNS:
        exact.append(held(analytic(draw(rng, kind, systems, topics, truth, 1000)), truth))
        drawn.append(held(resampled(rng, draw(rng, kind, systems, topics, truth, 300)), truth))
    return np.array(exact), np.array(drawn)
