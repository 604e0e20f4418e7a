"""How the topics of scores were drawn, as results tell it, and what to beware of."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irframe.errors import ParameterError
from irframe.experiments.topic_design import CLUSTER, TASKS, WEIGHTS, names_said
from irframe.names import low_to_high
from irframe.paired.design import Design
from irframe.scores.scores import Scores, patterns

LEAST, LEAST_DRAWN = 5, 10
"""Topics of equal weight below which tests of weighted means, and resamples, do not hold."""


def effective(scores: Scores) -> Any:
    """Return how many topics that count alike those with scores are as good as, (metric, depth)."""
    return _of_designs(scores, lambda design: design.effective)


def clusters(scores: Scores) -> Any:
    """Return how many clusters there are of the topics with scores, (metric, depth)."""
    return _of_designs(scores, lambda design: design.clusters).astype(int)


def _of_designs(scores: Scores, compute: Callable[[Design], float]) -> Any:
    design: Any = scores.design
    result = np.zeros((len(scores.scored), scores.scored.shape[2]))
    for row, scored in enumerate(scores.scored):
        for there, depths in patterns(scored):
            result[row, depths] = compute(design.take(there))
    return result


def beware_of_design(
    scores: Scores, topics: Any, freedom: Any, *, drawn: bool = False
) -> list[str]:
    """Say where topics as they were drawn tell little of others.

    Parameters
    ----------
    scores
        Scores; without a design nothing is to be said.
    topics
        How many topics that count alike they are as good as.
    freedom
        Degrees of freedom of their means or differences.
    drawn
        Whether topics are drawn with replacement, which takes more of them.
    """
    design, said = scores.design, names_said(scores.attrs)
    if design is None or not np.isfinite(topics).any():
        return []
    least, what = (LEAST_DRAWN, "resamples") if drawn else (LEAST, "tests and intervals")
    hold, messages = f"{what} hold less often than they say where", []
    if WEIGHTS in said:
        fewest, heaviest = np.nanmin(topics), design.shares.max()
        if fewest < least:
            messages.append(
                f"{hold} topics with weights are as good as "
                f"fewer than {least} of equal weight: {fewest:.3g}"
            )
        if heaviest > 0.5:
            messages.append(f"one topic has {100 * heaviest:.3g}% of the weight")
    if CLUSTER in said and design.clusters < LEAST_DRAWN:
        messages.append(f"{hold} there are fewer than {LEAST_DRAWN} clusters: {design.clusters}")
    alone = int((np.diff(design.starts) == 1).sum())
    if TASKS in said and alone:
        messages.append(
            "no interval, as tasks of a single topic do not say how their topics vary: "
            f"{alone} of {design.tasks}"
        )
    elif {CLUSTER, TASKS} & {*said} and np.nanmin(freedom, initial=np.inf) < LEAST:
        fewest = np.nanmin(freedom)
        messages.append(f"{hold} there are fewer than {LEAST} degrees of freedom: {fewest:.3g}")
    return messages


def refuse_design(scores: Scores, what: str) -> None:
    """Raise for topics drawn together or weighted where something has no form for them."""
    if scores.design is not None and not scores.design.plain:
        named = ", ".join(f"{word}=" for word in names_said(scores.attrs))
        wanted = f"topics that were drawn independently and count alike, for {what}"
        raise ParameterError(wanted, f"scores with {named}")


def told_design(parts: Sequence[Scores]) -> dict[str, Any]:
    """Return what a result of scores, in groups, says of how their topics were drawn."""
    designs = [part.design for part in parts if part.design is not None]
    if not designs:
        return {}
    told: dict[str, Any] = dict(names_said(parts[0].attrs))
    for word, counts in (
        (CLUSTER, [design.clusters for design in designs]),
        (TASKS, [design.tasks for design in designs]),
    ):
        if word in told:
            told[f"n_{word.rstrip('s')}s"] = low_to_high(min(counts), max(counts))
    return told
