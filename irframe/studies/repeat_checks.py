"""What to know of repeats: those that are far off, systems with one, and labels that mislead."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.score import score
from irframe.files.repeats import Folded
from irframe.metrics import Metric
from irframe.names import DEPTH, REPEATS, plural
from irframe.scores.averages import averages
from irframe.studies.tie_ranges import Finding, findings_at

FAR = 3.5
"""Median absolute deviations from the median beyond which a repeat is far off."""
LEAST = 5
"""Repeats of a system from which on that says something."""
BOUTHILLIER = "Bouthillier et al. 2021, arXiv:2103.03098"
LEYS = "Leys et al. 2013, doi:10.1016/j.jesp.2013.03.013"


def check_repeats(
    cube: xr.Dataset, folded: Folded, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    """Yield what is found of the repeats of systems.

    Parameters
    ----------
    cube
        A cube of the runs, in which each repeat is a system.
    folded
        Which repeats these are.
    metrics
        What they are scored by; nDCG if nothing.
    depth
        Evaluation depth.
    """
    if folded.word is None:
        return
    owners = pd.DataFrame(list(folded.owners.values()), columns=["system", "repeat"])
    owners["name"] = list(folded.owners)
    yield from _far_off(cube, owners, folded.word, metrics, depth)
    counts = owners.groupby("system", sort=False).size()
    if counts.max() > 1:
        what = f"systems with one {folded.word}, beside others with up to {counts.max()}"
        advice = (
            f"run them again, unless another {folded.word} would change nothing: what it would "
            "change is in no interval"
        )
        single = counts.index[counts == 1]
        yield from findings_at("warning", what, single, advice, BOUTHILLIER)
    shared = owners.groupby("repeat", sort=False)["system"].nunique()
    if REPEATS not in cube.attrs:
        what = f"{plural(folded.word)} that several systems have under the same label"
        advice = (
            "taken for draws of each system's own; say repeats='shared' where one is a draw for "
            "all of them, as a pass of a judge is"
        )
        yield from findings_at("note", what, shared.index[shared > 1], advice, BOUTHILLIER)


def _far_off(
    cube: xr.Dataset, owners: pd.DataFrame, word: str, metrics: Sequence[Metric], depth: int
) -> Iterator[Finding]:
    chosen: list[Any] = [*metrics] or ["nDCG"]
    scores = score(cube, chosen, at=[min(depth, cube.sizes[DEPTH])])
    means = averages(scores.isel({DEPTH: 0}, drop=True))
    codes = pd.factorize(owners["system"])[0]
    owned = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    for metric in means["metric"].to_numpy():
        values = means.sel(metric=metric).sel(system=owners["name"].tolist()).to_numpy()
        far = [
            f"{owners['name'][place]} ({values[place]:.3g})"
            for rows in owned
            for place in rows[far_off(values[rows])]
        ]
        what = f"{plural(word)} whose mean {metric} is far from the others of their system"
        advice = (
            f"look at these runs: a training that failed is no {word}, and makes every interval of "
            "its system wider"
        )
        yield from findings_at("warning", what, far, advice, LEYS)


def far_off(values: np.ndarray) -> np.ndarray:
    """Tell which values are more than 3.5 median absolute deviations from the median.

    Examples
    --------
    >>> far_off(np.array([0.50, 0.51, 0.49, 0.52, 0.50, 0.31])).nonzero()[0]
    array([5])
    """
    if len(values) < LEAST:
        return np.zeros(len(values), bool)
    apart = abs(values - np.median(values))
    return np.asarray(apart > FAR * np.median(apart) + 1e-12)
