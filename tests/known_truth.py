"""Simulated scores of systems whose true means are known."""

import numpy as np
import xarray as xr


def simulate(systems, topics, draws, *, spread, seed, teams=None):
    """Simulate scores of systems with known means.

    The dimension ``depth`` contains independent samples instead of depths.

    Parameters
    ----------
    systems, topics, draws
        Numbers of systems, topics and samples.
    spread
        Standard deviation of the true means of systems, in units of the standard error of the
        difference between two means. In runs of TREC-8, the web track of 2011 and TREC-COVID, the
        standard deviation is 1.6 to 4.1 standard errors.
    seed
        Seed of the random number generator.
    teams
        Number of teams. Systems of a team share 80 % of the variance that topics do not explain. By
        default, each system has its own team.

    Returns
    -------
    scores, truth
        Scores over (system, topic, depth), and true means of shape (system, draw). Half of the
        variance of the scores of a system is due to topics.
    """
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, draws)) * spread / np.sqrt(topics)
    noise = rng.normal(size=(systems, topics, draws))
    if teams is not None:
        of_team = rng.normal(size=(teams, topics, draws))[np.arange(systems) % teams]
        noise = of_team * np.sqrt(0.8) + noise * np.sqrt(0.2)
    values = truth[:, np.newaxis] + (noise + rng.normal(size=(topics, draws))) * np.sqrt(0.5)
    labels = {"depth": np.arange(1, draws + 1)}
    return xr.DataArray(values, labels, ["system", "topic", "depth"], name="AP"), truth


def covered(intervals, truth):
    """Return whether rank intervals contain true ranks, and the ranks.

    Both arrays have the shape (system, draw).
    """
    ranks = 1 + (truth[:, np.newaxis] < truth[np.newaxis]).sum(axis=1)
    low, high = (intervals[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
    return (low <= ranks) & (ranks <= high), ranks
