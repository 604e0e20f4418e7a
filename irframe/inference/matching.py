"""Scores of the same systems on the same topics, ready to be compared."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import places
from irframe.cubes.tables import to_scores
from irframe.errors import DepthError, InputError, ParameterError, warn
from irframe.metrics.averaging import average
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import PairedTest, all_pairs, baseline_pairs

BLOCK_BYTES = 2**26
"""Target size of an array over pairs and a block of depths, 8 bytes a value."""

Depths = int | Sequence[int] | None
Array = NDArray[Any]
Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Matched:
    """Scores of at least two systems, and the topics on which all of them have one.

    Parameters
    ----------
    array
        Scores over (metric, system, topic) and, if there is one, depth.
    """

    array: xr.DataArray

    @cached_property
    def scores(self) -> Array:
        """Scores, shape (metric, system, topic, depth), NaN included."""
        values = self.array.to_numpy().astype(np.float64, copy=False)
        return values if DEPTH in self.array.dims else values[..., np.newaxis]

    @property
    def metrics(self) -> list[str]:
        """Labels of the metrics."""
        return [str(label) for label in self.array[METRIC].to_numpy()]

    @property
    def systems(self) -> pd.Index:
        """Labels of the systems."""
        index: pd.Index = self.array.indexes[SYSTEM]
        return index

    @cached_property
    def summaries(self) -> list[Any]:
        """How each metric is averaged over topics."""
        return [facts(label).summary for label in self.metrics]

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Topics on which every system has a score, shape (metric, topic, depth)."""
        return np.asarray(~np.isnan(self.scores).any(axis=1))

    @cached_property
    def towards(self) -> list[int]:
        """For each metric 1 if higher is better, -1 if it counts a cost."""
        return [facts(label).sign for label in self.metrics]

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Average over the common topics, higher is better, shape (metric, depth, system)."""
        metrics, systems, _, depths = self.scores.shape
        result = np.empty((metrics, depths, systems))
        for row, sign in enumerate(self.towards):
            compute = partial(_averages, summary=self.summaries[row])
            (means,) = self.over(row, slice(None), compute)
            result[row] = sign * means.T
        return result

    def pieces(self, pairs: int) -> Iterator[tuple[int, slice]]:
        """Yield every metric's position with one block of depths after the other.

        A block has as many depths as keep an array over pairs and depths within `BLOCK_BYTES`,
        at least one.
        """
        metrics, _, _, depths = self.scores.shape
        width = max(1, BLOCK_BYTES // (8 * max(1, pairs)))
        for row in range(metrics):
            for start in range(0, depths, width):
                yield row, slice(start, min(start + width, depths))

    def over(self, row: int, depths: slice, compute: Callable[[Array], Arrays]) -> Arrays:
        """Compute on the scores of one metric, with the topics that all systems have.

        Parameters
        ----------
        row
            Position of the metric.
        depths
            Positions of the depths.
        compute
            Takes scores (system, topic, depth) free of NaN, topics in the order of their names,
            gives arrays with depth last.

        Returns
        -------
        tuple of numpy.ndarray
            What `compute` gave, for all depths.
        """
        scores = self.scores[row, :, :, depths]
        if self._topics is not None:
            scores = scores[:, self._topics]
        scored = ~np.isnan(scores).any(axis=0)
        if scored.all():
            return compute(scores)
        patterns, which = np.unique(scored, axis=1, return_inverse=True)
        which = which.ravel()
        parts, order = [], []
        for number, topics in enumerate(patterns.T):
            here = np.flatnonzero(which == number)
            parts.append(compute(scores[:, topics][:, :, here]))
            order.append(here)
        back = np.argsort(np.concatenate(order))
        joined = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return tuple(part[..., back] for part in joined)

    def tested(self, test: PairedTest, scores: Array, pairs: Array) -> Any:
        """Test pairs of systems, which a test that draws sees in the order of their names."""
        order = self._systems
        if order is None:
            return test.kernel(scores, pairs)
        return test.kernel(scores[order], np.argsort(order)[pairs])

    @cached_property
    def _topics(self) -> Array | None:
        return _by_name(self.array.indexes[TOPIC])

    @cached_property
    def _systems(self) -> Array | None:
        return _by_name(self.array.indexes[SYSTEM])

    def labelled(self, values: Array, name: str) -> xr.DataArray:
        """Put labels on values over metric and depth."""
        dims = [dim for dim in (METRIC, DEPTH) if dim in self.array.dims]
        labels = {dim: self.array[dim].to_numpy() for dim in dims}
        shaped = values.reshape([len(label) for label in labels.values()])
        return xr.DataArray(shaped, labels, dims, name=name, attrs=dict(self.array.attrs))


def _by_name(labels: pd.Index) -> Array | None:
    """Return the order of labels by name, None for the one in which they stand."""
    names = labels.astype(str)
    return None if names.is_monotonic_increasing else np.argsort(names.to_numpy(), kind="stable")


def _averages(scores: Array, summary: Any) -> Arrays:
    return (average(scores, summary, axis=1),)


def match_topics(
    scores: xr.DataArray | pd.DataFrame, at: Depths = None, *, quiet: bool = False
) -> Matched:
    """Read scores for a comparison of systems.

    Parameters
    ----------
    scores
        An array or a frame of scores; a lazy array is computed.
    at
        Depths to keep; by default all.
    quiet
        Whether topics left out are nobody's news, because the other side has told of them.

    Returns
    -------
    Matched
        The scores, with what is needed to compare systems on the same topics.

    Raises
    ------
    ParameterError
        If there are fewer than two systems, or a metric has no topic on which all have a score.
    InputError
        For infinite scores, listing the metrics.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or only one remains.
    """
    array = read_scores(scores)
    if at is not None:
        array = select_depths(array, at)
    if array.sizes[SYSTEM] < 2:
        raise ParameterError("at least two systems to compare", f"{array.sizes[SYSTEM]}")
    matched = Matched(array.compute())
    _refuse_infinite(matched)
    if not quiet:
        tell_topics(matched)
    return matched


def choose_pairs(matched: Matched, baseline: Hashable | None) -> Array:
    """Return all pairs of systems, or those of each other system with a baseline; (pair, 2)."""
    systems = matched.systems
    if baseline is None:
        return all_pairs(len(systems))
    (row,) = places("baseline to be one of the systems", [baseline], systems.tolist())
    return baseline_pairs(len(systems), row)


def label_pairs(matched: Matched, pairs: Array) -> dict[str, Any]:
    """Return the columns that say what a row compares, by metric, depth and pair.

    Scores without depths have the depth in the metric's name, or none.
    """
    metrics, _, _, depths = matched.scores.shape
    if DEPTH in matched.array.dims:
        labels = matched.array.indexes[DEPTH]
        depth = pd.array(np.tile(np.repeat(labels, len(pairs)), metrics), dtype="Int64")
    else:
        own = pd.array([facts(label).depth for label in matched.metrics], dtype="Int64")
        depth = own.repeat(len(pairs))
    repeats = metrics * depths
    return {
        METRIC: pd.Index(matched.metrics).repeat(depths * len(pairs)),
        DEPTH: depth,
        "system_a": matched.systems.take(np.tile(pairs[:, 0], repeats)),
        "system_b": matched.systems.take(np.tile(pairs[:, 1], repeats)),
    }


def _refuse_infinite(matched: Matched) -> None:
    rows = zip(matched.metrics, matched.scores, strict=True)
    infinite = [str(metric) for metric, scores in rows if np.isinf(scores).any()]
    if infinite:
        raise InputError("finite scores to compare systems by", "infinite ones", "", infinite)


def read_scores(scores: xr.DataArray | pd.DataFrame) -> xr.DataArray:
    """Return scores as an array with a label for everything; places count from 1."""
    array = to_scores(scores)
    missing = [dim for dim in array.dims if dim not in array.coords]
    return array.assign_coords({dim: np.arange(1, array.sizes[dim] + 1) for dim in missing})


def select_depths(array: xr.DataArray, at: int | Sequence[int]) -> xr.DataArray:
    """Return scores at some depths, in the order asked for; those not scored are named."""
    if DEPTH not in array.dims:
        advice = "leave at= out; each metric stands for the depth in its name"
        raise DepthError("scores by depth", "scores without depths", advice)
    wanted = pd.Index(np.atleast_1d(np.asarray(at)))
    index = array.indexes[DEPTH]
    missing = wanted[~wanted.isin(index)]
    if len(missing) or not len(wanted) or wanted.has_duplicates:
        known = f"depths scored, each once, from {index.min()} to {index.max()}"
        raise DepthError(known, "others", "score deeper, or ask for less", missing)
    return array.isel({DEPTH: index.get_indexer(wanted)})


def tell_topics(matched: Matched) -> None:
    """Raise if a metric has no topics to compare systems on, and warn of those it leaves out."""
    topics = matched.array.indexes[TOPIC]
    scored = matched.scored
    fewest = scored.sum(axis=1).min(axis=1, initial=len(topics))
    labels = matched.metrics
    without = [label for label, count in zip(labels, fewest, strict=True) if not count]
    if without:
        advice = "leave out the systems that lack scores, or these metrics"
        raise ParameterError("topics on which every system has a score", "none", advice, without)
    dropped = []
    for label, kept in zip(labels, np.all(scored, axis=2), strict=True):
        if not kept.all():
            listed = ", ".join(map(str, topics[~kept][:5])) + (", ..." if (~kept).sum() > 5 else "")
            dropped.append(f"{(~kept).sum()} of {len(kept)} for {label} ({listed})")
    if dropped:
        message = "topics on which some system has no score are left out: " + "; ".join(dropped)
        warn(message)
    if len(fewest) and fewest.min() == 1:
        message = "systems are compared on a single topic, which cannot show a difference"
        warn(message)
