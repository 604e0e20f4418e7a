"""All rankings of a length: which of them every metric must order alike, and how."""

from itertools import product

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import Kendall
from irframe.agreements.innate import compare_rankings, label_depths
from irframe.checks import whole
from irframe.experiments.policy import MetricLike
from irframe.metrics import Block, Evidence
from irframe.metrics.facts import TIE, facts
from irframe.metrics.parse_metric import parse_metric
from irframe.record import recorded

LONGEST = 10
"""Longest rankings enumerated; there are 2**k of length k, and 4**k pairs."""


@recorded
def enumerate_rankings(
    k: int,
    rows: MetricLike | None = None,
    columns: MetricLike | None = None,
    *,
    n_relevant: int | None = None,
) -> xr.Dataset:
    """Compare all binary rankings of a length with each other, without any metric.

    Parameters
    ----------
    k
        Length of the rankings, 1 to 10.
    rows, columns
        Metrics by which the rankings are arranged, best first; by default lexicographically,
        relevant before non-relevant, which is also how ties are arranged.
    n_relevant
        R of every ranking, at least k, which is the default.

    Returns
    -------
    xarray.Dataset
        ``label`` (row, column), the codes of `orderings` for the ranking of the row against
        that of the column; ``covers`` (row, column), whether the row is next above the column:
        not inferior, and no third ranking in between; ``tau``, Kendall's tau between the two
        arrangements. The coordinates ``row`` and ``column`` spell the rankings, as ``"101"``.

    Raises
    ------
    ParameterError
        If k or `n_relevant` is out of range.
    MetricError
        For an unknown metric.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 1, 2 and 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> grid = enumerate_rankings(3)
    >>> int((abs(grid["label"]) == 2).sum())
    2
    >>> enumerate_rankings(6, "AP", "nDCG")["tau"].round(3).item()
    0.976
    """
    serps = _rankings(k)
    relevant = k if n_relevant is None else n_relevant
    whole("n_relevant", relevant, low=k)
    arranged = [_arranged(serps, metric, relevant) for metric in (rows, columns)]
    spelled = np.array(["".join(map(str, serp)) for serp in serps])
    ranks = np.argsort(arranged, axis=-1)
    labels = _labels(serps)
    above = (labels == 1).astype(np.float32)
    covers = (above > 0) & (above @ above == 0)
    cells = np.ix_(*arranged)
    place = ("row", "column")
    return xr.Dataset(
        {
            "label": (place, labels[cells]),
            "covers": (place, covers[cells]),
            "tau": Kendall().kernel(ranks[:1], ranks[1:])[0, 0],
        },
        {name: spelled[order] for name, order in zip(place, arranged, strict=True)},
        {"rows": str(rows or "lexicographic"), "columns": str(columns or "lexicographic")},
    )


def _rankings(k: int) -> NDArray[np.int8]:
    """Return all rankings, the best first in lexicographic order, shape (2**k, k)."""
    k = whole("k", k, low=1, high=LONGEST)
    return np.array(list(product([1, 0], repeat=k)), np.int8)


def _labels(serps: NDArray[np.int8]) -> NDArray[np.int8]:
    first, second = np.indices((len(serps), len(serps))).reshape(2, -1)
    transitions = compare_rankings(serps[:, np.newaxis], np.stack([first, second], axis=1))
    labels = label_depths(transitions, serps.shape[1])[..., -1]
    return labels.reshape(len(serps), len(serps))


def _arranged(
    serps: NDArray[np.int8], metric: MetricLike | None, relevant: int
) -> NDArray[np.intp]:
    if metric is None:
        return np.arange(len(serps))
    block = Block(
        grade=serps,
        retrieved=np.full(len(serps), serps.shape[1]),
        levels=np.array([0, 1]),
        count=np.tile([serps.shape[1], relevant], (len(serps), 1)),
        top=1,
    )
    chosen = parse_metric(metric)
    scores = np.round(chosen.score(Evidence(block))[:, -1], TIE) * facts(chosen).sign
    return np.argsort(-scores, kind="stable")
