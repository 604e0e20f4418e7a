"""False alarms and power of a check against a baseline."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.compare import compare
from irframe.comparing.corrections import Significance
from irframe.comparing.freeze import FailOn, Frozen, failing, is_file
from irframe.cubes.parse_scores import ScoreLike
from irframe.cubes.scores import Scores
from irframe.errors import InputError, ParameterError, unsaid
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired.design import design_of
from irframe.paired.pairs import draw_signs, groups
from irframe.scores.read_scores import choose_pairs, read_scores, scores_to_compare
from irframe.scores.repeats import Over

BLOCK = 2**22
"""Maximum number of simulated scores in memory at a time."""


def rehearse(
    scores: ScoreLike,
    arguments: Mapping[str, Any],
    fail_on: FailOn,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> tuple[float, float]:
    """Simulate how often a check fails with and without losses.

    Parameters
    ----------
    scores
        Scores per system and topic, at one depth.
    arguments
        Arguments of `compare`. A baseline and a margin are required.
    fail_on
        The condition under which the check fails, one of `CONDITIONS`.
    samples, seed
        Number of simulations, and seed of the random signs.

    Returns
    -------
    tuple of float
        Two shares of simulations in which the check fails. The first share is the false alarm rate:
        the share if no system differs from the baseline on average. The second share is the power:
        the share if every system is worse than the baseline by the margin.

    Notes
    -----
    The simulation is a wild bootstrap [1]_. First the mean difference from the baseline is
    subtracted from the differences of each system, for each task separately. In each simulation,
    the differences on a topic, or on a cluster of topics, are multiplied by a random sign. The
    signs are the same for all systems and metrics. The simulated scores have the variances of the
    original scores, but no true differences of means. Repeats are averaged, as with
    ``over="topic"``.

    References
    ----------
    .. [1] Cameron, Gelbach, Miller. Bootstrap-based improvements for inference with clustered
       errors. Review of Economics and Statistics 90, 2008. doi:10.1162/rest.90.3.414
    """
    options = dict(arguments)
    margin = options.get("margin")
    baseline = options.pop("baseline")
    if margin is None:
        raise ParameterError("a margin for the rehearsal", "none")
    # every comparison of simulated scores would repeat the warnings about the scores
    with unsaid():
        significance = Significance.read(options.get("test", "t"))
        paired, label = _with_baseline(scores, baseline, significance.over)
        row = int(choose_pairs(paired, label)[0, 1])
        base, deviations = _centred(paired, row)
        sign = np.reshape(paired.signs, (-1, 1, 1, 1))
        by_metric = margin if isinstance(margin, Mapping) else dict.fromkeys(paired.metrics, margin)
        worse = sign * np.reshape([by_metric[name] for name in paired.metrics], sign.shape)
        not_baseline = np.arange(len(paired.systems)) != row
        lower = worse * not_baseline[:, np.newaxis, np.newaxis]
        signs = _signs(paired, samples, seed)
        failed = np.zeros(2)
        # with family="all", p-values of all simulations in a block would be corrected together
        jointly = significance.family != "all"
        for block in groups(samples, max(1, BLOCK // deviations.size) if jointly else 1):
            drawn = base + deviations * signs[:, block]
            for case, values in enumerate((drawn, drawn - lower)):
                # simulations are passed as depths, so that a single call compares many simulations
                compared = compare(_labelled(paired, values), baseline=label, **options)
                failed[case] += failing(compared, fail_on, margin)[DEPTH].nunique()
    false_alarms, power = (failed / samples).tolist()
    return false_alarms, power


def _with_baseline(scores: ScoreLike, baseline: Any, over: Over) -> tuple[Scores, Hashable]:
    """Return scores with the baseline, and the baseline's label."""
    averaged = read_scores(scores, over)
    if is_file(baseline) and baseline not in averaged.systems:
        frozen = Frozen.read(baseline, averaged.systems.tolist())
        averaged = frozen.add_to(averaged)
        baseline = frozen.label
    paired = scores_to_compare(averaged)
    if paired.values.shape[3] > 1:
        raise InputError(
            "scores at one depth for the rehearsal", f"{paired.values.shape[3]} depths"
        )
    if paired.repeats is not None and paired.repeats.crossing:
        advice = "pass over='topic' to average over repeats"
        raise ParameterError("scores without random repeats for the rehearsal", "repeats", advice)
    return replace(paired, repeats=None), baseline


def _centred(paired: Scores, row: int) -> tuple[Array, Array]:
    """Return the baseline's scores, and centred differences from the baseline.

    The mean difference of each task is subtracted. Both arrays have four dimensions (metric,
    system, topic, 1), and are NaN on topics on which some system has no score.
    """
    values = np.where(paired.scored[:, np.newaxis], paired.values, np.nan)
    base = values[:, [row]]
    deviations = values - base
    design = design_of(len(paired.topics)) if paired.design is None else paired.design
    for metric, scored in enumerate(paired.scored[..., 0]):
        subset = design.take(scored)
        differences = deviations[metric][..., scored, 0]
        weighted = subset.shares * differences
        # shares of topics sum to 1 / K in each of K tasks, so sums are multiplied by K below
        means = [np.bincount(subset.task, values, subset.tasks) for values in weighted]
        deviations[metric][..., scored, 0] = (
            differences - subset.tasks * np.stack(means)[:, subset.task]
        )
    return base, deviations


def _signs(paired: Scores, samples: int, seed: int) -> Array:
    """Draw random signs per cluster, shape (topic, sample)."""
    topics = len(paired.topics)
    cluster = np.arange(topics) if paired.design is None else paired.design.cluster
    return draw_signs(int(cluster.max()) + 1, samples=samples, seed=seed).T[cluster]


def _labelled(paired: Scores, values: Array) -> xr.DataArray:
    """Return simulated scores as an array with simulations as depths."""
    labels = {METRIC: paired.metrics, SYSTEM: paired.systems, TOPIC: paired.topics}
    labels |= {DEPTH: np.arange(1, values.shape[-1] + 1)}
    array = xr.DataArray(values, labels, [*labels], attrs=paired.attrs)
    drawn = {name: (TOPIC, column) for name, column in paired.label_values.items()}
    return array.assign_coords(drawn)
