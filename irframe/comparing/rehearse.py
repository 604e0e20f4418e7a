"""How often a gate fails where nothing changed, and where everything is worse by the margin."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.compare import compare
from irframe.comparing.corrections import Significance
from irframe.comparing.freeze import FailOn, Frozen, failing, is_file
from irframe.cubes.scores import Scores
from irframe.errors import InputError, ParameterError, unsaid
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired.design import design_of
from irframe.paired.pairs import draw_signs, groups
from irframe.scores.read_scores import choose_pairs, read_scores, scores_to_compare
from irframe.scores.repeats import Over

BLOCK = 2**22
"""How many scores are rehearsed at a time."""


def rehearse(
    scores: Any,
    arguments: Mapping[str, Any],
    fail_on: FailOn,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return how often a gate fails of systems that are as the baseline, and of such as are worse.

    Parameters
    ----------
    scores
        Scores per system and topic, at one depth.
    arguments
        Those of `compare`: a baseline, a margin, and others.
    fail_on
        The gate.
    samples, seed
        How many rehearsals, and the seed of their signs.

    Returns
    -------
    tuple of float
        The share of the rehearsals that fail where no mean differs from the baseline's, and where
        each is worse by the margin.

    Notes
    -----
    The wild bootstrap [1]_: differences from the baseline, less their means by task, each with the
    sign that is drawn for its topic, or its cluster, alike for all systems and metrics. So they
    vary as they do, without a difference of means; the same gate is asked of each draw. Of repeats
    their means are compared, with ``over="topic"``.

    References
    ----------
    .. [1] Cameron, Gelbach, Miller. Bootstrap-based improvements for inference with clustered
       errors. Review of Economics and Statistics 90, 2008. doi:10.1162/rest.90.3.414
    """
    options = dict(arguments)
    margin, baseline = options.get("margin"), options.pop("baseline")
    if margin is None:
        raise ParameterError("a margin, to rehearse", "none")
    with unsaid():
        decided = Significance.read(options.get("test", "t"))
        paired, label = _beside(scores, baseline, decided.over)
        row = int(choose_pairs(paired, label)[0, 1])
        base, off = _about_no_difference(paired, row)
        sign = np.reshape(paired.signs, (-1, 1, 1, 1))
        by_metric = margin if isinstance(margin, Mapping) else dict.fromkeys(paired.metrics, margin)
        worse = sign * np.reshape([by_metric[name] for name in paired.metrics], sign.shape)
        others = np.arange(len(paired.systems)) != row
        lower = worse * others[:, np.newaxis, np.newaxis]
        signs, failed = _signs(paired, samples, seed), np.zeros(2)
        together = decided.family != "all"  # else each is a family of its own
        for block in groups(samples, max(1, BLOCK // off.size) if together else 1):
            drawn = base + off * signs[:, block]
            for place, values in enumerate((drawn, drawn - lower)):
                found = compare(_labelled(paired, values), baseline=label, **options)
                failed[place] += failing(found, fail_on, margin)[DEPTH].nunique()
    clear, seen = (failed / samples).tolist()
    return clear, seen


def _beside(scores: Any, baseline: Any, over: Over) -> tuple[Scores, Any]:
    """Return scores with those of the baseline, and what that is called."""
    read = read_scores(scores, over)
    if is_file(baseline) and baseline not in read.systems:
        frozen = Frozen.read(baseline, read.systems.tolist())
        read, baseline = frozen.beside(read), frozen.label
    paired = scores_to_compare(read)
    if paired.values.shape[3] > 1:
        raise InputError("scores at one depth, to rehearse", f"{paired.values.shape[3]}")
    if paired.repeats is not None and paired.repeats.crossing:
        advice = "over='topic' rehearses means over repeats"
        raise ParameterError("scores of which repeats are no draws, to rehearse", "repeats", advice)
    return replace(paired, repeats=None), baseline


def _about_no_difference(paired: Scores, row: int) -> tuple[Array, Array]:
    """Return scores of a system, and differences from it less their means by task.

    Each (metric, system, topic, 1), NaN for topics on which some system has no score.
    """
    values = np.where(paired.scored[:, np.newaxis], paired.values, np.nan)
    base = values[:, [row]]
    off = values - base
    design = design_of(len(paired.topics)) if paired.design is None else paired.design
    for metric, scored in enumerate(paired.scored[..., 0]):
        own, here = design.take(scored), off[metric][..., scored, 0]
        means = [np.bincount(own.task, each, own.tasks) for each in own.shares * here]
        off[metric][..., scored, 0] = here - own.tasks * np.stack(means)[:, own.task]
    return base, off


def _signs(paired: Scores, samples: int, seed: int) -> Array:
    """Draw a sign for each topic, alike in a cluster, shape (topic, sample)."""
    topics = len(paired.topics)
    cluster = np.arange(topics) if paired.design is None else paired.design.cluster
    return draw_signs(int(cluster.max()) + 1, samples=samples, seed=seed).T[cluster]


def _labelled(paired: Scores, values: Array) -> xr.DataArray:
    """Return scores of rehearsals, each at a depth of its own."""
    labels = {METRIC: paired.metrics, SYSTEM: paired.systems, TOPIC: paired.topics}
    labels |= {DEPTH: np.arange(1, values.shape[-1] + 1)}
    array = xr.DataArray(values, labels, [*labels], attrs=paired.attrs)
    drawn = {name: (TOPIC, column) for name, column in paired.label_values.items()}
    return array.assign_coords(drawn)
