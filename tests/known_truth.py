"""Scores drawn again and again from systems whose true means are known."""

import numpy as np
import xarray as xr


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
